#include "treewright/boosting/coding/adjacent.hpp"

#include <bit>
#include <cstring>
#include <type_traits>

#include "treewright/base/simd.hpp"

namespace treewright::boosting {
namespace {

template <class T>
using Values __attribute__((vector_size(64))) = T;
template <class T>
using WordOf = std::conditional_t<sizeof(T) == 4, std::int32_t, std::int64_t>;
template <class T>
using Words __attribute__((vector_size(64))) = WordOf<T>;

template <class T>
TREEWRIGHT_SIMD_INLINE bool count_both(const data::Column& column, const std::uint32_t* rows,
                                       std::size_t n, TwoValues<T>& into) {
    Values<T> first;
    Values<T> second;
    std::memcpy(&first, into.first, sizeof first);
    std::memcpy(&second, into.second, sizeof second);
    Words<T> n_first{};
    Words<T> n_second{};
    Words<T> others{};
    for (std::size_t i = 0; i < n; ++i) {
        Values<T> x;
        std::memcpy(&x, column.data + rows[i] * column.stride, sizeof x);
        const Words<T> is_first = x == first;
        const Words<T> is_second = x == second;
        n_first -= is_first;  // a comparison that holds is -1
        n_second -= is_second;
        others |= ~(is_first | is_second);
    }
    WordOf<T> any = 0;
    for (std::size_t c = 0; c < kAdjacent<T>; ++c) any |= others[c];
    if (any != 0) return false;
    for (std::size_t c = 0; c < kAdjacent<T>; ++c) {
        into.n_first[c] += static_cast<std::uint32_t>(n_first[c]);
        into.n_second[c] += static_cast<std::uint32_t>(n_second[c]);
    }
    return true;
}

template <class T>
TREEWRIGHT_SIMD_INLINE void encode_both(const std::byte* at, std::ptrdiff_t stride, std::size_t n,
                                        const T* cuts, std::uint8_t* const* codes) {
    constexpr std::size_t kRows = sizeof(T);  // whose codes a word has room for
    Values<T> cut;
    std::memcpy(&cut, cuts, sizeof cut);
    for (std::size_t i = 0; i < n; i += kRows) {
        Words<T> codes_of_rows{};
        for (std::size_t k = 0; k < kRows; ++k, at += stride) {
            Values<T> x;
            std::memcpy(&x, at, sizeof x);
            const int shift =
                8 *
                static_cast<int>(std::endian::native == std::endian::little ? k : kRows - 1 - k);
            codes_of_rows |=
                ((x > cut) & (WordOf<T>{1} << shift)) | ((x != x) & (WordOf<T>{2} << shift));
        }
        for (std::size_t c = 0; c < kAdjacent<T>; ++c) {
            const WordOf<T> word = codes_of_rows[c];
            std::memcpy(codes[c] + i, &word, sizeof word);
        }
    }
}

TREEWRIGHT_SIMD bool count_floats(const data::Column& column, const std::uint32_t* rows,
                                  std::size_t n, TwoValues<float>& into) {
    return count_both<float>(column, rows, n, into);
}
TREEWRIGHT_SIMD bool count_doubles(const data::Column& column, const std::uint32_t* rows,
                                   std::size_t n, TwoValues<double>& into) {
    return count_both<double>(column, rows, n, into);
}
TREEWRIGHT_SIMD void encode_floats(const std::byte* at, std::ptrdiff_t stride, std::size_t n,
                                   const float* cuts, std::uint8_t* const* codes) {
    encode_both<float>(at, stride, n, cuts, codes);
}
TREEWRIGHT_SIMD void encode_doubles(const std::byte* at, std::ptrdiff_t stride, std::size_t n,
                                    const double* cuts, std::uint8_t* const* codes) {
    encode_both<double>(at, stride, n, cuts, codes);
}

}  // namespace

bool is_next(const data::Column& column, const data::Column& before) {
    const std::ptrdiff_t size = before.type == data::ValueType::f32 ? 4 : 8;
    return column.type == before.type && column.stride == before.stride &&
           column.data == before.data + size;
}

bool count_two(const data::Column& column, std::span<const std::uint32_t> rows,
               TwoValues<float>& into) {
    return count_floats(column, rows.data(), rows.size(), into);
}
bool count_two(const data::Column& column, std::span<const std::uint32_t> rows,
               TwoValues<double>& into) {
    return count_doubles(column, rows.data(), rows.size(), into);
}
void encode_two(const data::Column& column, std::size_t begin, std::size_t end, const float* cuts,
                std::uint8_t* const* codes) {
    encode_floats(column.data + static_cast<std::ptrdiff_t>(begin) * column.stride, column.stride,
                  end - begin, cuts, codes);
}
void encode_two(const data::Column& column, std::size_t begin, std::size_t end, const double* cuts,
                std::uint8_t* const* codes) {
    encode_doubles(column.data + static_cast<std::ptrdiff_t>(begin) * column.stride, column.stride,
                   end - begin, cuts, codes);
}

}  // namespace treewright::boosting
