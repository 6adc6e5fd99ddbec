/// Columns drawn without replacement, for a node or for a tree: every engine draws the same way, so
/// that the same seed gives the same tree whichever grows it.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "treewright/base/random.hpp"

namespace treewright::grow {

/// A node draws its columns from the generator of its key mixed with this; those of single columns
/// are mixed with the column.
inline constexpr std::uint64_t kColumnDraws = ~std::uint64_t{0};

/// Moves one of the columns not drawn yet, each with equal probability, to position `i`: a step of
/// a shuffle (Durstenfeld 1964, after Fisher and Yates).
template <class Columns>
void draw_next(Columns& columns, std::size_t i, Generator& generator) {
    std::swap(columns[i], columns[i + generator.below(columns.size() - i)]);
}

/// So many columns at most are drawn in a word.
inline constexpr std::size_t kMostInAWord = 64;

/// The places of columns drawn among `n_all`, at most kMostInAWord, a bit each: those that
/// draw_next moves to the front.
inline std::uint64_t draw_places(std::size_t n_all, std::size_t n_drawn, Generator& generator) {
    std::uint8_t place[kMostInAWord];
    for (std::size_t i = 0; i < n_all; ++i) place[i] = static_cast<std::uint8_t>(i);
    std::uint64_t drawn = 0;
    for (std::size_t i = 0; i < n_drawn; ++i) {
        const std::size_t other = i + generator.below(n_all - i);
        drawn |= std::uint64_t{1} << place[other];
        place[other] = place[i];  // which is never looked at again
    }
    return drawn;
}

/// Sorts columns drawn from `n_all`: very few by comparing them, others by a mark for each where
/// marks are few or columns many.
inline void sort_drawn(std::vector<std::uint32_t>& drawn, std::size_t n_all) {
    constexpr std::size_t kMany = 64;
    constexpr std::size_t kVeryFew = 5;
    constexpr std::size_t kFewMarks = 8;  // words
    if (drawn.size() <= kVeryFew) {
        for (std::size_t i = 1; i < drawn.size(); ++i)
            for (std::size_t j = i; j > 0 && drawn[j] < drawn[j - 1]; --j)
                std::swap(drawn[j], drawn[j - 1]);
        return;
    }
    const std::size_t n_words = n_all / 64 + 1;
    if (n_words > kFewMarks && (drawn.size() < kMany || drawn.size() * kMany < n_all))
        return std::sort(drawn.begin(), drawn.end());
    std::uint64_t few[kFewMarks] = {};
    std::vector<std::uint64_t> many(n_words > kFewMarks ? n_words : 0);
    const std::span<std::uint64_t> marks(many.empty() ? few : many.data(), n_words);
    for (const std::uint32_t column : drawn)
        marks[column / 64] |= std::uint64_t{1} << (column % 64);
    auto next = drawn.begin();
    for (std::size_t word = 0; word < marks.size(); ++word)
        for (std::uint64_t left = marks[word]; left != 0; left &= left - 1)
            *next++ = static_cast<std::uint32_t>(64 * word) +
                      static_cast<std::uint32_t>(std::countr_zero(left));
}

}  // namespace treewright::grow
