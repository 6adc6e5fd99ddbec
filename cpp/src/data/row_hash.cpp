#include "treewright/data/row_hash.hpp"

#include <cmath>
#include <cstring>

#include "treewright/base/random.hpp"

namespace treewright::data {
namespace {

std::uint64_t bits_of(double value) {
    if (value == 0.0) return 0;  // -0.0 is 0.0
    if (value != value) return ~0ULL;
    std::uint64_t bits = 0;
    std::memcpy(&bits, &value, sizeof bits);
    return bits;
}

/// The contribution of a value to the hash of its row; the same for every storage type.
std::uint64_t content_of(const Column& column, std::size_t row) {
    if (column.is_missing(row)) return ~0ULL;
    if (column.is_real()) return bits_of(column.real(row));
    const std::int64_t whole = column.whole(row);
    const auto real = static_cast<double>(whole);
    return std::abs(real) < 0x1.0p53 ? bits_of(real) : static_cast<std::uint64_t>(whole);
}

}  // namespace

std::uint64_t content_hash(const Dataset& data, std::size_t row) {
    const Target& target = data.target;
    std::uint64_t hash = 0;
    for (const Column& column : data.columns) hash = mix(hash ^ content_of(column, row));
    for (std::size_t o = 0; o < target.n_outputs; ++o) {
        const std::size_t at = row * target.n_outputs + o;
        hash =
            mix(hash ^ (target.is_classification() ? static_cast<std::uint64_t>(target.classes[at])
                                                   : bits_of(target.values[at])));
    }
    return hash;
}

}  // namespace treewright::data
