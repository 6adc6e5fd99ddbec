#include "treewright/boost/divide.hpp"

#include "treewright/base/avx512.hpp"

namespace treewright {
namespace {

template <class Code>
std::size_t divide_plain(const std::uint32_t* rows, std::size_t n, const Code* codes,
                         const Ways& ways, std::uint32_t* first, std::uint32_t* second) {
    std::size_t n_first = 0;
    std::size_t n_second = 0;
    for (std::size_t i = 0; i < n; ++i) {
        const std::uint32_t row = rows[i];
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
/// Sixteen rows at a time; the ways of all codes of a byte are in one register.
TREEWRIGHT_WIDE std::size_t divide_avx512(const std::uint32_t* rows, std::size_t n,
                                          const std::uint8_t* codes, const Ways& ways,
                                          std::uint32_t* first, std::uint32_t* second) {
    const __m512i table = _mm512_loadu_si512(ways.bits.data());
    const __m512i low_byte = _mm512_set1_epi32(255);
    const __m512i low_five = _mm512_set1_epi32(31);
    const __m512i one = _mm512_set1_epi32(1);
    std::size_t n_first = 0;
    std::size_t n_second = 0;
    for (std::size_t i = 0; i < n; i += 16) {
        const __mmask16 ours = n - i >= 16 ? 0xffff : static_cast<__mmask16>((1U << (n - i)) - 1U);
        const __m512i row = _mm512_maskz_loadu_epi32(ours, rows + i);
        const __m512i code = _mm512_and_si512(_mm512_i32gather_epi32(row, codes, 1), low_byte);
        const __m512i word = _mm512_permutexvar_epi32(_mm512_srli_epi32(code, 5), table);
        const __m512i bit = _mm512_srlv_epi32(word, _mm512_and_si512(code, low_five));
        const __mmask16 to_second = _mm512_mask_test_epi32_mask(ours, bit, one);
        const auto to_first = static_cast<__mmask16>(ours & ~to_second);
        _mm512_storeu_si512(first + n_first, _mm512_maskz_compress_epi32(to_first, row));
        _mm512_storeu_si512(second + n_second, _mm512_maskz_compress_epi32(to_second, row));
        n_first += static_cast<std::size_t>(__builtin_popcount(to_first));
        n_second += static_cast<std::size_t>(__builtin_popcount(to_second));
    }
    return n_first;
}
#endif

}  // namespace

std::size_t divide(const std::uint32_t* rows, std::size_t n, const std::uint8_t* codes,
                   bool is_wide, const Ways& ways, std::uint32_t* first, std::uint32_t* second) {
    if (is_wide)
        return divide_plain(rows, n, reinterpret_cast<const std::uint16_t*>(codes), ways, first,
                            second);
#ifdef TREEWRIGHT_AVX512
    if (has_avx512()) return divide_avx512(rows, n, codes, ways, first, second);
#endif
    return divide_plain(rows, n, codes, ways, first, second);
}

}  // namespace treewright
