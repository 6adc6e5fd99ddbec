#include "treewright/forest/proximity.hpp"

#include <algorithm>
#include <bit>
#include <numeric>
#include <utility>

#include "treewright/base/error.hpp"
#include "treewright/base/parallel.hpp"

namespace treewright::forest {
namespace {

constexpr std::size_t kRowsPerBlock = 64;

std::vector<std::uint32_t> numbers_below(std::uint32_t n) {
    std::vector<std::uint32_t> numbers(n);
    std::iota(numbers.begin(), numbers.end(), 0U);
    return numbers;
}

}  // namespace

/// How often one row shares a leaf with each of the others, in memory that is kept from row to row.
struct Proximities::Meetings {
    explicit Meetings(const Proximities& all)
        : all(&all), count(all.rows.n_labels(), 0), met(all.rows.n_labels()), asked(all.n_words) {}

    const Proximities* all;
    std::vector<std::uint32_t> count;
    LabelSet met;
    std::vector<std::uint64_t> asked;

    /// Calls found(row, share) by ascending row.
    template <class Found>
    void of(std::span<const std::int32_t> leaves, Found&& found) {
        std::fill(asked.begin(), asked.end(), 0);
        for (std::size_t tree = 0; tree < leaves.size(); ++tree) {
            if (leaves[tree] < 0) continue;
            asked[tree >> 6] |= 1ULL << (tree & 63);
            for (const std::uint32_t row : all->rows.leaf(tree, leaves[tree]).labels) {
                ++count[row];
                met.add(row);
            }
        }
        met.take_all([&](std::uint32_t row) {
            const std::uint64_t* askable = all->askable.data() + std::size_t{row} * all->n_words;
            int together = 0;
            for (std::size_t i = 0; i < all->n_words; ++i)
                together += std::popcount(asked[i] & askable[i]);
            found(row, static_cast<double>(std::exchange(count[row], 0U)) / together);
        });
    }
};

Proximities::Proximities(std::uint32_t n_rows, std::size_t n_trees)
    : rows(numbers_below(n_rows), n_rows, {}),
      n_trees(n_trees),
      n_words((n_trees + 63) / 64),
      askable(n_rows * n_words, 0) {}

void Proximities::add_tree(std::span<const std::int32_t> leaf_of_row,
                           std::span<const std::uint32_t> asked) {
    const std::size_t tree = rows.n_trees();
    require(tree < n_trees, "as many trees as were promised");
    rows.add_tree(leaf_of_row, asked);
    for (std::size_t row = 0; row < rows.n_rows(); ++row)
        if (asked.empty() || asked[row] != 0)
            askable[row * n_words + (tree >> 6)] |= 1ULL << (tree & 63);
}

template <class Work>
void Proximities::for_each_row(std::span<const std::int32_t> leaves, std::size_t n_threads,
                               Progress& progress, Work&& work) const {
    require(n_trees > 0 && rows.n_trees() == n_trees && leaves.size() % n_trees == 0,
            "a leaf for every row and tree");
    const std::size_t n_rows = leaves.size() / n_trees;
    const std::size_t n_blocks = (n_rows + kRowsPerBlock - 1) / kRowsPerBlock;
    Team team(std::clamp<std::size_t>(n_threads, 1, std::max<std::size_t>(n_blocks, 1)), progress);
    std::vector<Meetings> meetings(team.size(), Meetings(*this));
    team.for_each(n_blocks, [&](std::size_t block, std::size_t thread) {
        const std::size_t end = std::min(n_rows, (block + 1) * kRowsPerBlock);
        for (std::size_t row = block * kRowsPerBlock; row < end; ++row) {
            progress.check(thread == 0);
            work(row, leaves.subspan(row * n_trees, n_trees), meetings[thread]);
        }
    });
}

Proximities::Met Proximities::reaching(std::span<const std::int32_t> leaves, double least,
                                       std::size_t n_threads, Progress& progress) const {
    using Pairs = std::vector<std::pair<std::int32_t, double>>;
    std::vector<Pairs> by_row(n_trees == 0 ? 0 : leaves.size() / n_trees);
    for_each_row(leaves, n_threads, progress,
                 [&](std::size_t row, std::span<const std::int32_t> own, Meetings& meetings) {
                     Pairs& pairs = by_row[row];
                     meetings.of(own, [&](std::uint32_t other, double share) {
                         if (share >= least)
                             pairs.emplace_back(static_cast<std::int32_t>(other), share);
                     });
                     pairs.shrink_to_fit();
                 });
    Met met;
    met.start.push_back(0);
    for (Pairs& pairs : by_row) {
        for (const auto& [other, share] : pairs) {
            met.row.push_back(other);
            met.share.push_back(share);
        }
        met.start.push_back(static_cast<std::int64_t>(met.row.size()));
        Pairs().swap(pairs);
    }
    return met;
}

void Proximities::nearest(std::span<const std::int32_t> leaves, std::size_t k, std::int64_t first,
                          std::size_t n_threads, Progress& progress, std::span<std::int32_t> row,
                          std::span<double> share) const {
    require(row.size() == share.size() && row.size() * n_trees == leaves.size() * k,
            "room for the neighbours of every row");
    std::fill(row.begin(), row.end(), -1);
    std::fill(share.begin(), share.end(), 0.0);
    for_each_row(
        leaves, n_threads, progress,
        [&](std::size_t i, std::span<const std::int32_t> own, Meetings& meetings) {
            const std::int64_t self = first < 0 ? -1 : first + static_cast<std::int64_t>(i);
            std::vector<std::pair<double, std::int32_t>> best;  // share below 0, row: ascending
            meetings.of(own, [&](std::uint32_t other, double of_trees) {
                if (static_cast<std::int64_t>(other) != self)
                    best.emplace_back(-of_trees, static_cast<std::int32_t>(other));
            });
            const std::size_t n = std::min(k, best.size());
            std::partial_sort(best.begin(), best.begin() + static_cast<std::ptrdiff_t>(n),
                              best.end());
            for (std::size_t j = 0; j < n; ++j) {
                row[i * k + j] = best[j].second;
                share[i * k + j] = -best[j].first;
            }
        });
}

}  // namespace treewright::forest
