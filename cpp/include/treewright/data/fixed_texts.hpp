/// Texts of equal size in memory, side by side, as codes: equal bytes get equal codes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace treewright::data {

/// The distinct ones of texts of so many bytes; the texts must stay where they are.
class FixedTexts {
public:
    explicit FixedTexts(std::size_t n_bytes) : n_bytes(n_bytes) {}

    /// Writes the codes of `n` texts, `stride` bytes apart; codes are in the order of first texts.
    void code(const std::byte* texts, std::ptrdiff_t stride, std::size_t n, std::int32_t* codes);
    /// Writes the codes of `n` texts that were coded before, and `absent` for others.
    void find(const std::byte* texts, std::ptrdiff_t stride, std::size_t n, std::int32_t absent,
              std::int32_t* codes) const;
    /// The first text of each code, counted from the first that was coded.
    [[nodiscard]] const std::vector<std::size_t>& first_rows() const { return rows; }

private:
    static constexpr std::int32_t kFree = -1;
    struct Known {
        std::uint64_t hash;
        const std::byte* text;
    };
    /// Where a text has its code, or where it would be put.
    [[nodiscard]] std::size_t slot_of(std::uint64_t hash, const std::byte* text) const;
    std::int32_t add(std::uint64_t hash, const std::byte* text);
    void grow();

    std::size_t n_bytes;
    std::size_t n_coded = 0;
    std::vector<std::int32_t> slots = std::vector<std::int32_t>(256, kFree);
    std::vector<Known> known;  ///< by code
    std::vector<std::size_t> rows;
};

}  // namespace treewright::data
