#include "treewright/boosting/row_sampling.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>
#include <utility>

#include "treewright/base/random.hpp"
#include "treewright/base/simd.hpp"

namespace treewright::boosting {
namespace {

static_assert(kRowsPerBlock % 64 == 0, "blocks are whole words of a set of rows");

/// Rows in the sample of a guess.
constexpr std::size_t kSomeRows = 4 * kRowsPerBlock;
/// Standard deviations of the number of keys below a value, on either side of the wanted number.
constexpr double kDeviations = 6.0;

struct Keyed {
    std::uint64_t key = 0;
    std::uint32_t row = 0;
    [[nodiscard]] bool operator<(const Keyed& other) const {
        return key != other.key ? key < other.key : row < other.row;
    }
};

/// Rows whose keys are below a range, and those in it, in their order.
struct Told {
    RowSet below;
    std::vector<Keyed> inside;
};

Told tell_apart(std::size_t n_rows, const KeysOfRows& keys_of, const KeyRange& range, Team& team) {
    Told told{RowSet(n_rows), {}};
    std::vector<std::vector<Keyed>> inside(n_row_blocks(n_rows));
    by_blocks(n_rows, team, [&](std::size_t begin, std::size_t end, std::size_t thread) {
        std::uint64_t keys[kRowsPerBlock];
        keys_of({nullptr, begin, end - begin}, thread, keys);
        auto& own = inside[begin / kRowsPerBlock];
        for (std::size_t first = begin; first < end; first += 64) {
            std::uint64_t below = 0;
            for (std::size_t i = 0; i < std::min<std::size_t>(64, end - first); ++i) {
                const std::uint64_t key = keys[first - begin + i];
                below |= std::uint64_t{key < range.low} << i;
                if (key - range.low <= range.high - range.low)
                    own.push_back({key, static_cast<std::uint32_t>(first + i)});
            }
            told.below.words[first / 64] = below;
        }
    });
    for (const auto& own : inside) told.inside.insert(told.inside.end(), own.begin(), own.end());
    return told;
}

TREEWRIGHT_SIMD void fill_keys(Mixed draw, std::span<const std::uint32_t> content,
                               std::uint64_t* keys) {
    for (std::size_t i = 0; i < content.size(); ++i) keys[i] = draw.with(content[i]);
}

/// Largest plausible deviation of the number of `n` independent keys below a value, if a share of
/// `share` is expected.
double margin(double n, double share) {
    return kDeviations * std::sqrt(n * share * (1.0 - share)) + kDeviations;
}

}  // namespace

void RowSet::add(const RowSet& other) {
    for (std::size_t i = 0; i < other.words.size(); ++i) words[i] |= other.words[i];
}

std::size_t RowSet::size() const {
    return std::accumulate(words.begin(), words.end(), std::size_t{0},
                           [](std::size_t n, std::uint64_t word) {
                               return n + static_cast<std::size_t>(std::popcount(word));
                           });
}

std::vector<std::uint32_t> RowSet::list(Team& team) const {
    constexpr std::size_t kWords = kRowsPerBlock / 64;
    const std::size_t n_blocks = (words.size() + kWords - 1) / kWords;
    const auto words_of = [&](std::size_t block) {
        const std::size_t begin = block * kWords;
        return std::span(words).subspan(begin, std::min(kWords, words.size() - begin));
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
                     const KeyRange& guess, Team& team) {
    KeyRange range = guess;
    Told told = tell_apart(n_rows, keys_of, range, team);
    std::size_t n_below = told.below.size();
    if (n_below > n_wanted || n_below + told.inside.size() < n_wanted) {
        range = n_below > n_wanted ? KeyRange{0, range.low - 1} : KeyRange{range.high + 1};
        told = tell_apart(n_rows, keys_of, range, team);
        n_below = told.below.size();
    }
    const auto n_more = static_cast<std::ptrdiff_t>(n_wanted - n_below);
    // Rows with equal keys are in their order already.
    if (range.low < range.high && n_more > 0)
        std::nth_element(told.inside.begin(), told.inside.begin() + n_more - 1, told.inside.end());
    for (const Keyed& one : std::span(told.inside).first(static_cast<std::size_t>(n_more)))
        told.below.add(one.row);
    return std::move(told.below);
}

std::uint64_t key_of_rows(std::uint64_t key) {
    return mix(key, 0x5a4d504cULL);
}

RowSet draw_contents(std::span<const std::uint32_t> content, double share, std::uint64_t key,
                     const RowSet& without, Team& team) {
    const Mixed draw(key);
    const std::uint64_t last = share < 1.0 ? static_cast<std::uint64_t>(share * 0x1p64)
                                           : std::numeric_limits<std::uint64_t>::max();
    RowSet drawn(content.size());
    by_blocks(content.size(), team, [&](std::size_t begin, std::size_t end, std::size_t) {
        std::uint64_t keys[kRowsPerBlock];
        fill_keys(draw, content.subspan(begin, end - begin), keys);
        for (std::size_t first = begin; first < end; first += 64) {
            std::uint64_t below = 0;
            for (std::size_t i = 0; i < std::min<std::size_t>(64, end - first); ++i)
                below |= std::uint64_t{keys[first - begin + i] <= last} << i;
            drawn.words[first / 64] =
                without.words.empty() ? below : below & ~without.words[first / 64];
        }
    });
    return drawn;
}

RowSet first_content(std::span<const std::uint32_t> content, std::uint64_t key) {
    const Mixed draw(key);
    std::vector<std::uint64_t> keys(content.size());
    fill_keys(draw, content, keys.data());
    const auto least = std::min_element(keys.begin(), keys.end());
    RowSet drawn(content.size());
    for (std::size_t row = 0; row < keys.size(); ++row)
        if (keys[row] == *least) drawn.add(row);
    return drawn;
}

KeyRange guess_from_some(std::size_t n_rows, std::size_t n_wanted, const KeysOfRows& keys_of) {
    if (n_rows <= kSomeRows) return {};
    std::vector<std::uint64_t> keys(kSomeRows);
    std::vector<std::uint32_t> rows(kSomeRows);
    const std::size_t step = n_rows / kSomeRows;
    for (std::size_t i = 0; i < kSomeRows; ++i)  // one of each `step`, in case rows are periodic
        rows[i] = static_cast<std::uint32_t>(i * step + mix(i) % step);
    for (std::size_t i = 0; i < kSomeRows; i += kRowsPerBlock)
        keys_of({rows.data() + i, 0, kRowsPerBlock}, 0, keys.data() + i);
    const double share = static_cast<double>(n_wanted) / static_cast<double>(n_rows);
    const auto all = static_cast<double>(kSomeRows);
    const double off = margin(all, share);
    const auto key_at = [&](double rank) {
        const auto at = keys.begin() + static_cast<std::ptrdiff_t>(rank);
        std::nth_element(keys.begin(), at, keys.end());
        return *at;
    };
    KeyRange range;
    if (share * all > off) range.low = key_at(share * all - off);
    if (share * all + off < all) range.high = key_at(share * all + off);
    return range;
}

}  // namespace treewright::boosting
