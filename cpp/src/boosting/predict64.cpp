#include <cstring>

#include "treewright/base/avx512.hpp"
#include "treewright/base/simd.hpp"
#include "treewright/boosting/predict64.hpp"

namespace treewright::boosting {
namespace {

constexpr std::size_t kTogether = RowBytes::kRows;

template <class Code>
void look_up(const Code* codes, const std::uint64_t* bits, RowBytes& answers) {
    for (std::size_t i = 0; i < kTogether; ++i)
        answers.of[i] = static_cast<std::uint8_t>(bits[codes[i] / 64] >> (codes[i] % 64) & 1);
}

#ifdef TREEWRIGHT_AVX512
constexpr std::size_t kMostWords = 16;  ///< of bits that two vectors hold

/// The same where the bits are in two vectors: the sixteen that hold a code's are picked by a
/// permutation, for 32 rows at a time.
template <class Code>
TREEWRIGHT_WIDE void look_up_wide(const Code* codes, const std::uint64_t* bits, std::size_t n_words,
                                  RowBytes& answers) {
    const auto there = static_cast<std::uint32_t>((1U << n_words) - 1);
    const __m512i low = _mm512_maskz_loadu_epi64(lower(there), bits);
    const __m512i high = _mm512_maskz_loadu_epi64(upper(there), bits + 8);
    for (std::size_t i = 0; i < kTogether; i += 32) {
        const __m512i code = sizeof(Code) == 2 ? _mm512_loadu_si512(codes + i)
                                               : _mm512_cvtepu8_epi16(_mm256_loadu_si256(
                                                     reinterpret_cast<const __m256i*>(codes + i)));
        const __m512i sixteen = _mm512_permutex2var_epi16(low, _mm512_srli_epi16(code, 4), high);
        const __m512i shifted =
            _mm512_srlv_epi16(sixteen, _mm512_and_si512(code, _mm512_set1_epi16(15)));
        const __m256i bytes = _mm512_cvtepi16_epi8(_mm512_and_si512(shifted, _mm512_set1_epi16(1)));
        _mm256_store_si256(reinterpret_cast<__m256i*>(answers.of + i), bytes);
    }
}
#endif

template <class Code>
void look_up_bits(const Code* codes, std::span<const std::uint64_t> bits, RowBytes& answers) {
#ifdef TREEWRIGHT_AVX512
    if (has_avx512() && bits.size() <= kMostWords)
        return look_up_wide(codes, bits.data(), bits.size(), answers);
#endif
    look_up(codes, bits.data(), answers);
}

}  // namespace

TREEWRIGHT_SIMD
const RowBytes& go_together(std::span<const BoostChoice> choices, const RowBytes* codes,
                            const RowBytes* answers, RowBytes* slots, std::size_t first_free) {
    if (choices.empty()) return slots[0];
    const std::uint8_t* const held = slots->of;
    std::uint8_t* out = slots[first_free].of;
    for (const BoostChoice& choice : choices) {
        const std::uint8_t* asked = (choice.is_answered ? answers : codes)->of + choice.codes;
        const std::uint8_t* first = held + choice.first;
        const std::uint8_t* second = held + choice.second;
        const std::uint8_t cut = choice.cut;
        // Writes go behind all that is read: the compiler need not prove it.
        TREEWRIGHT_INDEPENDENT
        for (std::size_t i = 0; i < kTogether; ++i) {
            const auto chosen = static_cast<std::uint8_t>(asked[i] > cut ? 255 : 0);
            out[i] = static_cast<std::uint8_t>(first[i] ^ ((first[i] ^ second[i]) & chosen));
        }
        out += kTogether;
    }
    return slots[first_free + choices.size() - 1];
}

TREEWRIGHT_SIMD
void add_values(const RowBytes& leaves, const double* values, double* scores) {
    TREEWRIGHT_INDEPENDENT
    for (std::size_t i = 0; i < kTogether; ++i) scores[i] += values[leaves.of[i]];
}

void answer_by_bits(const std::uint8_t* codes, std::span<const std::uint64_t> bits,
                    RowBytes& answers) {
    look_up_bits(codes, bits, answers);
}

void answer_by_bits(const std::uint16_t* codes, std::span<const std::uint64_t> bits,
                    RowBytes& answers) {
    look_up_bits(codes, bits, answers);
}

TREEWRIGHT_SIMD
void missing_lowest(const RowBytes& codes, std::uint8_t missing, RowBytes& moved) {
    for (std::size_t i = 0; i < kTogether; ++i) {
        const auto code = codes.of[i];
        moved.of[i] = static_cast<std::uint8_t>(code == missing ? 0 : code + 1);
    }
}

TREEWRIGHT_SIMD
std::uint64_t bits_above(const RowBytes& codes, std::uint8_t cut) {
    alignas(RowBytes) std::uint8_t is_above[kTogether];
    for (std::size_t i = 0; i < kTogether; ++i) is_above[i] = codes.of[i] > cut;
    std::uint64_t bits = 0;
    for (std::size_t i = 0; i < kTogether; i += 8) {
        std::uint64_t eight = 0;
        std::memcpy(&eight, is_above + i, sizeof eight);
        // Gathers the lowest bits of eight bytes in the highest byte.
        bits |= (eight * 0x0102040810204080U >> 56) << i;
    }
    return bits;
}

}  // namespace treewright::boosting
