#include "treewright/data/row_hash.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <type_traits>

#include "treewright/base/random.hpp"

namespace treewright::data {
namespace {

/// Without branches: whether a value is 0 is often hard to foretell.
std::uint64_t bits_of(double value) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, &value, sizeof bits);
    bits &= -std::uint64_t{value != 0.0};          // -0.0 is 0.0
    return bits | -std::uint64_t{value != value};  // all kinds of NaN are one
}

/// A whole number counts as the float64 that it equals, where there is one.
std::uint64_t bits_of_whole(std::int64_t whole) {
    const auto real = static_cast<double>(whole);
    return std::abs(real) < 0x1.0p53 ? bits_of(real) : static_cast<std::uint64_t>(whole);
}

/// The contribution of a value to the hash of its row; the same for every storage type.
template <class T>
std::uint64_t content_of(const Column& column, std::size_t row) {
    if constexpr (std::is_floating_point_v<T>)
        return bits_of(static_cast<double>(column.at<T>(row)));
    else return column.is_missing(row) ? ~0ULL : bits_of_whole(column.at<T>(row));
}

constexpr std::size_t kTogether = 64;

/// Mixes what content(row) returns into the hashes of some rows, which do not wait for each other.
template <class Content>
void mix_in(std::size_t begin, std::size_t n, std::uint64_t* hash, Content&& content) {
    std::uint64_t own[kTogether];
    for (std::size_t i = 0; i < n; ++i) own[i] = content(begin + i);
    for (std::size_t i = 0; i < n; ++i) hash[i] = mix(hash[i] ^ own[i]);
}

void mix_in_column(const Column& column, std::size_t begin, std::size_t n, std::uint64_t* hash) {
    const auto as = [&]<class T>(T) {
        mix_in(begin, n, hash, [&](std::size_t row) { return content_of<T>(column, row); });
    };
    switch (column.type) {
        case ValueType::f32: return as(float{});
        case ValueType::f64: return as(double{});
        case ValueType::i64: return as(std::int64_t{});
        case ValueType::code: return as(std::int32_t{});
    }
}

}  // namespace

void content_hashes(const Dataset& data, std::size_t begin, std::size_t end, std::uint64_t* into) {
    const Target& target = data.target;
    for (; begin < end; begin += kTogether, into += kTogether) {
        const std::size_t n = std::min(kTogether, end - begin);
        std::fill_n(into, n, 0);
        for (const Column& column : data.columns) mix_in_column(column, begin, n, into);
        for (std::size_t o = 0; o < target.n_outputs; ++o)
            mix_in(begin, n, into, [&](std::size_t row) {
                const std::size_t at = row * target.n_outputs + o;
                return target.is_classification() ? static_cast<std::uint64_t>(target.classes[at])
                                                  : bits_of(target.values[at]);
            });
    }
}

std::uint64_t content_hash(const Dataset& data, std::size_t row) {
    std::uint64_t hash = 0;
    content_hashes(data, row, row + 1, &hash);
    return hash;
}

}  // namespace treewright::data
