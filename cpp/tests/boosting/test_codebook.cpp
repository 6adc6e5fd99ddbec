#include "treewright/boosting/codebook.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <set>
#include <vector>

#include "check.hpp"
#include "treewright/base/random.hpp"

using namespace treewright;
using namespace treewright::data;
using namespace treewright::boosting;

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Cuts that are floats, or doubles between two of them; some with the ends of all numbers.
CodedColumn cut_at(std::size_t n_cuts, Generator& draw) {
    std::set<double> cuts;
    while (cuts.size() < n_cuts) {
        const auto near =
            static_cast<float>((draw.uniform() - 0.5) * (draw.below(3) == 0 ? 1e3 : 1.0));
        const double away = draw.below(2) == 0 ? 0.0 : 1e-12 * (draw.uniform() - 0.5);
        cuts.insert(draw.below(50) == 0 ? std::numeric_limits<double>::max()
                                        : static_cast<double>(near) + away);
    }
    CodedColumn coded;
    coded.cuts.assign(cuts.begin(), cuts.end());
    coded.n_codes = static_cast<std::uint32_t>(n_cuts + 1);
    return coded;
}

/// Numbers between the cuts, at them and next to them; missing ones and infinities.
template <class T>
std::vector<T> numbers_around(const CodedColumn& coded, std::size_t n, Generator& draw) {
    std::vector<T> x(n);
    for (T& each : x) {
        const std::uint64_t how = draw.below(10);
        each = static_cast<T>((draw.uniform() - 0.5) * 1.2);
        if (how < 5 && !coded.cuts.empty()) {
            each = static_cast<T>(coded.cuts[draw.below(coded.cuts.size())]);
            const T to = static_cast<T>(how < 2 ? kInfinity : -kInfinity);
            if (how < 4) each = std::nextafter(each, to);
        }
        if (how == 8) each = std::numeric_limits<T>::quiet_NaN();
        if (how == 9) each = static_cast<T>(draw.below(2) == 0 ? kInfinity : -kInfinity);
    }
    return x;
}

std::uint32_t code_of(const CodedColumn& coded, double x) {
    if (std::isnan(x)) return coded.missing();
    return static_cast<std::uint32_t>(std::ranges::lower_bound(coded.cuts, x) - coded.cuts.begin());
}

template <class T, class Code>
void check_codes(std::size_t n_cuts, Generator& draw) {
    const CodedColumn coded = cut_at(n_cuts, draw);
    const std::size_t n = 1 + draw.below(200);
    const std::size_t n_columns = 1 + draw.below(3);
    const std::vector<T> cells = numbers_around<T>(coded, n * n_columns, draw);
    Column column;
    column.data = reinterpret_cast<const std::byte*>(cells.data());
    column.stride = static_cast<std::ptrdiff_t>(n_columns * sizeof(T));
    column.type = sizeof(T) == sizeof(float) ? ValueType::f32 : ValueType::f64;
    const std::size_t begin = draw.below(n);
    constexpr Code kUntouched = 77;
    std::vector<Code> codes(n - begin + 1, kUntouched);
    Encoder(coded).encode(column, begin, n, codes.data());
    for (std::size_t row = begin; row < n; ++row)
        CHECK(codes[row - begin] == code_of(coded, column.real(row)));
    CHECK(codes.back() == kUntouched);
}

}  // namespace

CASE(a_number_has_as_many_cuts_below_it_as_its_code) {
    Generator draw(7);
    for (std::size_t n_cuts = 0; n_cuts <= 254; ++n_cuts) {
        check_codes<float, std::uint8_t>(n_cuts, draw);
        check_codes<double, std::uint8_t>(n_cuts, draw);
    }
    for (std::size_t n_cuts = 0; n_cuts <= 1100; n_cuts += 1 + n_cuts / 8) {
        check_codes<float, std::uint16_t>(n_cuts, draw);
        check_codes<double, std::uint16_t>(n_cuts, draw);
    }
}
