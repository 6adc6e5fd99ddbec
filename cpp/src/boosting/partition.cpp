#include "treewright/boosting/partition.hpp"

#include <cstring>

#include "treewright/base/avx512.hpp"

namespace treewright::boosting {
namespace {

/// Consecutive rows, instead of a list of them.
struct Run {
    std::uint32_t first;
    std::uint32_t operator[](std::size_t i) const { return first + static_cast<std::uint32_t>(i); }
};

/// Partitions rows [begin, end) of `from`, appending to `first` and `second`.
template <class From, class Code>
std::size_t divide_plain(const From& from, std::size_t begin, std::size_t end, const Code* codes,
                         const Ways& ways, std::uint32_t* first, std::uint32_t* second,
                         std::size_t n_first) {
    std::size_t n_second = begin - n_first;
    for (std::size_t i = begin; i < end; ++i) {
        const std::uint32_t row = from[i];
        const std::uint32_t code = codes[row];
        const std::uint32_t goes_second = ways.bits[code / 32] >> (code % 32) & 1;
        first[n_first] = row;
        second[n_second] = row;
        n_first += 1 - goes_second;
        n_second += goes_second;
    }
    return n_first;
}

#ifdef TREEWRIGHT_AVX512
TREEWRIGHT_WIDE_INLINE __m512i rows_at(const std::uint32_t* list, std::size_t i) {
    return _mm512_loadu_si512(list + i);
}
TREEWRIGHT_WIDE_INLINE __m512i rows_at(Run run, std::size_t i) {
    const __m512i lanes = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    return _mm512_add_epi32(lanes, _mm512_set1_epi32(static_cast<int>(run[i])));
}
TREEWRIGHT_WIDE_INLINE __m512i codes_at(const std::uint32_t*, std::size_t, __m512i rows,
                                        const std::uint8_t* codes) {
    return _mm512_and_si512(_mm512_i32gather_epi32(rows, codes, 1), _mm512_set1_epi32(255));
}
TREEWRIGHT_WIDE_INLINE __m512i codes_at(Run run, std::size_t i, __m512i,
                                        const std::uint8_t* codes) {
    return _mm512_cvtepu8_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(codes + run[i])));
}

/// Sixteen rows at a time; the branches of all codes of a byte are in one register. `first` may be
/// the list that is read: entries are read before they are overwritten.
template <class From>
TREEWRIGHT_WIDE std::size_t divide_avx512(From from, std::size_t n, const std::uint8_t* codes,
                                          const Ways& ways, std::uint32_t* first,
                                          std::uint32_t* second) {
    const __m512i table = _mm512_loadu_si512(ways.bits.data());
    const __m512i low_five = _mm512_set1_epi32(31);
    const __m512i one = _mm512_set1_epi32(1);
    std::size_t n_first = 0;
    std::size_t i = 0;
    for (; i + 16 <= n; i += 16) {
        const __m512i row = rows_at(from, i);
        const __m512i code = codes_at(from, i, row, codes);
        const __m512i word = _mm512_permutexvar_epi32(_mm512_srli_epi32(code, 5), table);
        const __m512i bit = _mm512_srlv_epi32(word, _mm512_and_si512(code, low_five));
        const __mmask16 to_second = _mm512_test_epi32_mask(bit, one);
        const auto to_first = static_cast<__mmask16>(~to_second);
        _mm512_storeu_si512(first + n_first, _mm512_maskz_compress_epi32(to_first, row));
        _mm512_storeu_si512(second + (i - n_first), _mm512_maskz_compress_epi32(to_second, row));
        n_first += static_cast<std::size_t>(__builtin_popcount(to_first));
    }
    return divide_plain(from, i, n, codes, ways, first, second, n_first);
}
#endif

template <class From>
std::size_t divide_any(From from, std::size_t n, const std::uint8_t* codes, bool is_wide,
                       const Ways& ways, std::uint32_t* first, std::uint32_t* second) {
    if (is_wide)
        return divide_plain(from, 0, n, reinterpret_cast<const std::uint16_t*>(codes), ways, first,
                            second, 0);
#ifdef TREEWRIGHT_AVX512
    if (has_avx512()) return divide_avx512(from, n, codes, ways, first, second);
#endif
    return divide_plain(from, 0, n, codes, ways, first, second, 0);
}

}  // namespace

std::size_t divide(std::uint32_t* rows, std::size_t n, const std::uint8_t* codes, bool is_wide,
                   const Ways& ways, std::uint32_t* second) {
    return divide_any<const std::uint32_t*>(rows, n, codes, is_wide, ways, rows, second);
}

std::size_t divide_run(std::uint32_t first_row, std::size_t n, const std::uint8_t* codes,
                       bool is_wide, const Ways& ways, std::uint32_t* rows, std::uint32_t* second) {
    return divide_any(Run{first_row}, n, codes, is_wide, ways, rows, second);
}

}  // namespace treewright::boosting
