#include "treewright/boosting/codebook.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace treewright::boosting {
namespace {

constexpr std::size_t kTogether = 64;

/// x <= cut for any x of type T, even if the cut itself is not a T.
template <class T>
std::vector<T> padded(const std::vector<double>& cuts) {
    std::vector<T> made(std::bit_ceil(cuts.size() + 1), std::numeric_limits<T>::infinity());
    for (std::size_t i = 0; i < cuts.size(); ++i) {
        made[i] = static_cast<T>(cuts[i]);
        if (static_cast<double>(made[i]) > cuts[i])
            made[i] = std::nextafter(made[i], -std::numeric_limits<T>::infinity());
    }
    return made;
}

/// Number of cuts below each of n <= kTogether values; NaN has none.
template <class T>
void count_below(const std::vector<T>& cuts, const T* x, std::size_t n, std::uint32_t* count) {
    for (std::size_t i = 0; i < n; ++i) count[i] = 0;
    for (std::size_t half = cuts.size() / 2; half > 0; half /= 2)
        for (std::size_t i = 0; i < n; ++i)
            count[i] += cuts[count[i] + half - 1] < x[i] ? static_cast<std::uint32_t>(half) : 0U;
}

}  // namespace

Encoder::Encoder(const CodedColumn& coded)
    : is_nominal(coded.is_nominal),
      missing(coded.missing()),
      float_cuts(padded<float>(coded.cuts)),
      double_cuts(padded<double>(coded.cuts)) {}

template <class T, class Code, class ValueAt>
void Encoder::encode_numbers(const std::vector<T>& cuts, std::size_t begin, std::size_t end,
                             Code* codes, ValueAt&& value_at) const {
    T x[kTogether];
    std::uint32_t count[kTogether];
    for (std::size_t first = begin; first < end; first += kTogether) {
        const std::size_t n = std::min(kTogether, end - first);
        for (std::size_t i = 0; i < n; ++i) x[i] = value_at(first + i);
        count_below(cuts, x, n, count);
        for (std::size_t i = 0; i < n; ++i)
            codes[first - begin + i] = static_cast<Code>(x[i] == x[i] ? count[i] : missing);
    }
}

template <class Code>
void Encoder::encode(const data::Column& column, std::size_t begin, std::size_t end,
                     Code* codes) const {
    if (is_nominal) {
        for (std::size_t row = begin; row < end; ++row) {
            const auto code = static_cast<std::uint32_t>(column.at<std::int32_t>(row));
            codes[row - begin] = static_cast<Code>(std::min(code, missing));
        }
    } else if (column.type == data::ValueType::f32) {
        encode_numbers(float_cuts, begin, end, codes,
                       [&](std::size_t row) { return column.at<float>(row); });
    } else if (column.type == data::ValueType::f64) {
        encode_numbers(double_cuts, begin, end, codes,
                       [&](std::size_t row) { return column.at<double>(row); });
    } else {
        encode_numbers(double_cuts, begin, end, codes,
                       [&](std::size_t row) { return column.number(row); });
    }
}

template void Encoder::encode(const data::Column&, std::size_t, std::size_t, std::uint8_t*) const;
template void Encoder::encode(const data::Column&, std::size_t, std::size_t, std::uint16_t*) const;

}  // namespace treewright::boosting
