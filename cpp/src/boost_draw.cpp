#include "treewright/boost/draw.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <span>
#include <utility>

#include "treewright/base/random.hpp"
#include "treewright/base/simd.hpp"
#include "treewright/boost/row_blocks.hpp"

namespace treewright {
namespace {

static_assert(kRowsPerBlock % 64 == 0, "blocks are whole words of a set of rows");
constexpr int kDigitBits = 12;
constexpr std::size_t kDigits = std::size_t{1} << kDigitBits;
/// Rows that are put in order rather than told apart by another digit of their keys.
constexpr std::size_t kFew = 2048;

using Counts = std::array<std::uint32_t, kDigits>;

/// Keys that start as the key of the last row that is wanted, and how many of them are.
struct Border {
    int shift = 64;  ///< bits of a key after its start
    std::uint64_t start = 0;
    std::size_t n_wanted = 0;

    /// The least key of those that start so.
    [[nodiscard]] std::uint64_t lowest() const { return start << shift; }
    [[nodiscard]] bool has(std::uint64_t key) const { return key >> shift == start; }
};

/// Counts the next digits of keys that start as the border's.
Counts count_digits(const Border& border, int n_bits, std::size_t n_rows, const KeysOfRows& keys_of,
                    const RowSet& without, Team& team) {
    std::vector<Counts> counts(team.size());
    by_blocks(n_rows, team, [&](std::size_t begin, std::size_t end, std::size_t thread) {
        std::uint64_t keys[kRowsPerBlock];
        keys_of(begin, end, keys);
        const int shift = border.shift - n_bits;
        Counts& own = counts[thread];
        for (std::size_t row = begin; row < end; ++row) {
            const std::uint64_t start = keys[row - begin] >> shift;
            const bool counts_here =
                start >> n_bits == border.start && (without.n_rows == 0 || !without.has(row));
            own[start & ((std::uint64_t{1} << n_bits) - 1)] += counts_here ? 1 : 0;
        }
    });
    for (std::size_t thread = 1; thread < counts.size(); ++thread)
        for (std::size_t digit = 0; digit < kDigits; ++digit)
            counts[0][digit] += counts[thread][digit];
    return counts[0];
}

/// Digit after digit, until few rows are left to choose from.
Border find_border(std::size_t n_rows, std::size_t n_wanted, const KeysOfRows& keys_of,
                   const RowSet& without, Team& team) {
    Border border;
    border.n_wanted = n_wanted;
    std::size_t n_there = n_rows;
    do {
        const int n_bits = std::min(border.shift, kDigitBits);
        const Counts counts = count_digits(border, n_bits, n_rows, keys_of, without, team);
        std::size_t digit = 0;
        while (counts[digit] < border.n_wanted) border.n_wanted -= counts[digit++];
        n_there = counts[digit];
        border.shift -= n_bits;
        border.start = border.start << n_bits | digit;
    } while (n_there > kFew && border.shift > 0);
    return border;
}

TREEWRIGHT_SIMD void fill_keys(Mixed draw, std::size_t begin, std::size_t n, std::uint64_t* keys) {
    for (std::size_t i = 0; i < n; ++i) keys[i] = draw.with(begin + i);
}

}  // namespace

void RowSet::add(const RowSet& other) {
    for (std::size_t i = 0; i < words.size(); ++i) words[i] |= other.words[i];
}

std::vector<std::uint32_t> RowSet::list(Team& team) const {
    constexpr std::size_t kWords = kRowsPerBlock / 64;
    const std::size_t n_blocks = (words.size() + kWords - 1) / kWords;
    const auto words_of = [&](std::size_t block) {
        return std::span(words).subspan(block * kWords,
                                        std::min(kWords, words.size() - block * kWords));
    };
    std::vector<std::size_t> start(n_blocks + 1);
    for (std::size_t block = 0; block < n_blocks; ++block) {
        start[block + 1] = start[block];
        for (const std::uint64_t word : words_of(block))
            start[block + 1] += static_cast<std::size_t>(std::popcount(word));
    }
    std::vector<std::uint32_t> rows(start[n_blocks]);
    team.for_each(n_blocks, [&](std::size_t block, std::size_t) {
        std::uint32_t* next = rows.data() + start[block];
        auto first = static_cast<std::uint32_t>(block * kRowsPerBlock);
        for (std::uint64_t word : words_of(block)) {
            for (; word != 0; word &= word - 1)
                *next++ = first + static_cast<std::uint32_t>(std::countr_zero(word));
            first += 64;
        }
    });
    return rows;
}

RowSet smallest_rows(std::size_t n_rows, std::size_t n_wanted, const KeysOfRows& keys_of,
                     const RowSet& without, Team& team) {
    RowSet found(n_rows);
    if (n_wanted == 0) return found;
    const Border border = find_border(n_rows, n_wanted, keys_of, without, team);
    using Keyed = std::pair<std::uint64_t, std::uint32_t>;
    std::vector<std::vector<Keyed>> at_border(n_row_blocks(n_rows));
    by_blocks(n_rows, team, [&](std::size_t begin, std::size_t end, std::size_t) {
        std::uint64_t keys[kRowsPerBlock];
        keys_of(begin, end, keys);
        const std::uint64_t lowest = border.lowest();
        auto& own = at_border[begin / kRowsPerBlock];
        for (std::size_t row = begin; row < end; row += 64) {
            std::uint64_t below = 0;
            const std::size_t n = std::min<std::size_t>(64, end - row);
            const std::uint64_t skipped = without.n_rows == 0 ? 0 : without.words[row / 64];
            for (std::size_t i = 0; i < n; ++i) {
                const std::uint64_t key = keys[row - begin + i];
                below |= std::uint64_t{key < lowest} << i;
                if (border.has(key) && (skipped >> i & 1) == 0)
                    own.emplace_back(key, static_cast<std::uint32_t>(row + i));
            }
            found.words[row / 64] = below & ~skipped;
        }
    });
    std::vector<Keyed> undecided;
    for (const auto& own : at_border) undecided.insert(undecided.end(), own.begin(), own.end());
    const auto n_more = static_cast<std::ptrdiff_t>(border.n_wanted);
    // Where the whole key is known all are alike, and in the order of their rows.
    if (border.shift > 0)
        std::nth_element(undecided.begin(), undecided.begin() + n_more - 1, undecided.end());
    for (std::ptrdiff_t i = 0; i < n_more; ++i)
        found.add(undecided[static_cast<std::size_t>(i)].second);
    return found;
}

KeysOfRows random_keys(std::uint64_t key) {
    return [draw = Mixed(key)](std::size_t begin, std::size_t end, std::uint64_t* keys) {
        fill_keys(draw, begin, end - begin, keys);
    };
}

std::uint64_t falling_key(double value) {
    const auto bits = std::bit_cast<std::uint64_t>(value + 0.0);  // there is one zero
    const bool is_negative = bits >> 63 != 0;
    return is_negative ? bits : ~(bits | std::uint64_t{1} << 63);
}

}  // namespace treewright
