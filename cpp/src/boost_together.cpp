#include <cstring>

#include "treewright/base/simd.hpp"
#include "treewright/boost/together.hpp"

namespace treewright {
namespace {

constexpr std::size_t kTogether = RowBytes::kRows;

template <class Code>
TREEWRIGHT_SIMD_INLINE void look_up_bits(const Code* codes, const std::uint64_t* bits,
                                         RowBytes& answers) {
    for (std::size_t i = 0; i < kTogether; ++i)
        answers.of[i] = static_cast<std::uint8_t>(bits[codes[i] / 64] >> (codes[i] % 64) & 1);
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
        // What is written lies behind all that is read: the compiler need not prove it.
#pragma GCC ivdep
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
#pragma GCC ivdep
    for (std::size_t i = 0; i < kTogether; ++i) scores[i] += values[leaves.of[i]];
}

TREEWRIGHT_SIMD
void answer_by_bits(const std::uint8_t* codes, const std::uint64_t* bits, RowBytes& answers) {
    look_up_bits(codes, bits, answers);
}

TREEWRIGHT_SIMD
void answer_by_bits(const std::uint16_t* codes, const std::uint64_t* bits, RowBytes& answers) {
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
        // Brings the lowest bits of eight bytes together in the highest byte.
        bits |= (eight * 0x0102040810204080U >> 56) << i;
    }
    return bits;
}

}  // namespace treewright
