#include "treewright/data/fixed_texts.hpp"

#include <cstring>

namespace treewright::data {
namespace {

template <class T>
std::uint64_t word_at(const std::byte* text) {
    T word = 0;
    std::memcpy(&word, text, sizeof word);
    return word;
}

/// Both halves of a product of 128 bits folded together, as in wyhash (Wang Yi).
std::uint64_t folded(std::uint64_t one, std::uint64_t other) {
    __extension__ using Wide = unsigned __int128;
    const Wide product = static_cast<Wide>(one) * other;
    return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

std::uint64_t hash_of(const std::byte* text, std::size_t n_bytes) {
    // Odd numbers of random bits: parts of pi (as in Blowfish).
    constexpr std::uint64_t kFirst = 0x243f6a8885a308d3ULL;
    constexpr std::uint64_t kSecond = 0x13198a2e03707345ULL;
    std::uint64_t hash = kFirst;
    for (; n_bytes >= 16; n_bytes -= 16, text += 16)
        hash =
            folded(word_at<std::uint64_t>(text) ^ hash, word_at<std::uint64_t>(text + 8) ^ kSecond);
    if (n_bytes >= 8) {
        hash = folded(word_at<std::uint64_t>(text) ^ hash, kSecond);
        text += 8;
        n_bytes -= 8;
    }
    for (; n_bytes >= 4; n_bytes -= 4, text += 4)
        hash = folded(word_at<std::uint32_t>(text) ^ hash, kSecond);
    for (; n_bytes > 0; --n_bytes, ++text)
        hash = folded(word_at<std::uint8_t>(text) ^ hash, kSecond);
    return folded(hash ^ kSecond, kFirst);
}

bool are_equal(const std::byte* one, const std::byte* other, std::size_t n_bytes) {
    for (; n_bytes >= 8; n_bytes -= 8, one += 8, other += 8)
        if (word_at<std::uint64_t>(one) != word_at<std::uint64_t>(other)) return false;
    if (n_bytes == 4) return word_at<std::uint32_t>(one) == word_at<std::uint32_t>(other);
    return n_bytes == 0 || std::memcmp(one, other, n_bytes) == 0;
}

}  // namespace

inline std::size_t FixedTexts::slot_of(std::uint64_t hash, const std::byte* text) const {
    std::size_t at = hash & (slots.size() - 1);
    while (slots[at] != kFree &&
           !are_equal(known[static_cast<std::size_t>(slots[at])].text, text, n_bytes))
        at = (at + 1) & (slots.size() - 1);
    return at;
}

void FixedTexts::code(const std::byte* texts, std::ptrdiff_t stride, std::size_t n,
                      std::int32_t* codes) {
    for (std::size_t i = 0; i < n; ++i, texts += stride, ++n_coded) {
        const std::uint64_t hash = hash_of(texts, n_bytes);
        std::int32_t& code = slots[slot_of(hash, texts)];
        if (code == kFree) code = add(hash, texts);
        codes[i] = code;
        if (2 * known.size() > slots.size()) grow();
    }
}

void FixedTexts::find(const std::byte* texts, std::ptrdiff_t stride, std::size_t n,
                      std::int32_t absent, std::int32_t* codes) const {
    for (std::size_t i = 0; i < n; ++i, texts += stride) {
        const std::int32_t code = slots[slot_of(hash_of(texts, n_bytes), texts)];
        codes[i] = code == kFree ? absent : code;
    }
}

std::int32_t FixedTexts::add(std::uint64_t hash, const std::byte* text) {
    const auto code = static_cast<std::int32_t>(known.size());
    known.push_back({hash, text});
    rows.push_back(n_coded);
    return code;
}

void FixedTexts::grow() {
    slots.assign(4 * slots.size(), kFree);
    for (std::size_t code = 0; code < known.size(); ++code) {
        std::size_t at = known[code].hash & (slots.size() - 1);
        while (slots[at] != kFree) at = (at + 1) & (slots.size() - 1);
        slots[at] = static_cast<std::int32_t>(code);
    }
}

}  // namespace treewright::data
