#include "treewright/forest/quantiles.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "treewright/base/error.hpp"
#include "treewright/base/parallel.hpp"

namespace treewright::forest {
namespace {

constexpr std::size_t kRowsPerBlock = 64;

/// The distribution of one row: a weight for every rank of the target, most of them 0.
struct Spread {
    explicit Spread(std::uint32_t n_labels) : share(n_labels, 0.0), ranks(n_labels) {}

    std::vector<double> share;
    LabelSet ranks;

    /// Returns the number of trees with a training row in the leaf.
    std::size_t gather(const LeafRows& trained, std::span<const std::int32_t> leaves) {
        std::size_t n_said = 0;
        for (std::size_t tree = 0; tree < leaves.size(); ++tree) {
            const LeafRows::Leaf leaf = trained.leaf(tree, leaves[tree]);
            if (leaf.labels.empty()) continue;
            ++n_said;
            if (leaf.weights.empty()) {
                const double each = 1.0 / static_cast<double>(leaf.labels.size());
                for (const std::uint32_t rank : leaf.labels) add(rank, each);
                continue;
            }
            const double total = std::accumulate(leaf.weights.begin(), leaf.weights.end(), 0.0);
            for (std::size_t i = 0; i < leaf.labels.size(); ++i)
                add(leaf.labels[i], leaf.weights[i] / total);
        }
        return n_said;
    }

    void read(std::span<const double> values, std::span<const double> levels, double total,
              std::span<double> out) {
        double below = 0.0;
        std::size_t level = 0;
        double last = std::numeric_limits<double>::quiet_NaN();
        ranks.take_all([&](std::uint32_t rank) {
            below += share[rank];
            share[rank] = 0.0;
            last = values[rank];
            while (level < levels.size() && below >= (levels[level] - kLevelSlack) * total)
                out[level++] = last;
        });
        std::fill(out.begin() + static_cast<std::ptrdiff_t>(level), out.end(), last);
    }

private:
    void add(std::uint32_t rank, double weight) {
        share[rank] += weight;
        ranks.add(rank);
    }
};

/// Number of threads that pays for that many rows.
std::size_t threads_for(std::size_t n_rows, std::size_t n_threads) {
    return std::clamp<std::size_t>((n_rows + kRowsPerBlock - 1) / kRowsPerBlock, 1,
                                   std::max<std::size_t>(n_threads, 1));
}

/// Calls work(row, leaves of the row, thread) for rows x trees.
template <class Work>
void for_each_row(std::span<const std::int32_t> leaves, std::size_t n_trees, Team& team,
                  Progress& progress, Work&& work) {
    const std::size_t n_rows = leaves.size() / n_trees;
    team.for_each((n_rows + kRowsPerBlock - 1) / kRowsPerBlock,
                  [&](std::size_t block, std::size_t thread) {
                      const std::size_t end = std::min(n_rows, (block + 1) * kRowsPerBlock);
                      for (std::size_t row = block * kRowsPerBlock; row < end; ++row) {
                          progress.check(thread == 0);
                          work(row, leaves.subspan(row * n_trees, n_trees), thread);
                      }
                  });
}

/// Weight in a leaf below a rank, of the rank, and in all.
struct Sides {
    double below = 0.0;
    double equal = 0.0;
    double total = 0.0;

    Sides(const LeafRows::Leaf& leaf, std::uint32_t rank) {
        for (std::size_t i = 0; i < leaf.labels.size(); ++i) {
            const double weight = leaf.weights.empty() ? 1.0 : leaf.weights[i];
            below += leaf.labels[i] < rank ? weight : 0.0;
            equal += leaf.labels[i] == rank ? weight : 0.0;
            total += weight;
        }
    }
};

/// The rows of each group; of every row alone where there are no groups.
class Members {
public:
    explicit Members(std::span<const std::uint32_t> groups) : group_of_row(groups) {
        for (const std::uint32_t group : groups) {
            if (group + std::size_t{2} > start.size()) start.resize(group + std::size_t{2});
            ++start[group + 1];
        }
        std::partial_sum(start.begin(), start.end(), start.begin());
        std::vector<std::size_t> next = start;
        rows.resize(groups.size());
        for (std::size_t row = 0; row < groups.size(); ++row) rows[next[groups[row]]++] = row;
    }

    /// Calls work(row) for every row of the group of `row`.
    template <class Work>
    void for_each(std::size_t row, Work&& work) const {
        if (group_of_row.empty()) {
            work(row);
            return;
        }
        const std::size_t group = group_of_row[row];
        for (std::size_t i = start[group]; i < start[group + 1]; ++i) work(rows[i]);
    }

private:
    std::span<const std::uint32_t> group_of_row;
    std::vector<std::size_t> start;
    std::vector<std::size_t> rows;
};

}  // namespace

void own_shares(const LeafRows& trained, std::span<const std::int32_t> leaves, bool stands_there,
                std::span<const std::uint32_t> groups, std::size_t n_threads, Progress& progress,
                std::span<double> out) {
    const std::size_t n_trees = trained.n_trees();
    require(n_trees > 0 && leaves.size() == trained.n_rows() * n_trees,
            "the leaves of the training rows");
    require(out.size() == 2 * trained.n_rows(), "room for every row");
    require(groups.empty() || groups.size() == trained.n_rows(), "a group for every row");
    const Members members(groups);
    Team team(threads_for(trained.n_rows(), n_threads), progress);
    for_each_row(leaves, n_trees, team, progress,
                 [&](std::size_t row, std::span<const std::int32_t> own, std::size_t) {
                     double n_said = 0.0;
                     double below = 0.0;
                     double up_to = 0.0;
                     const std::uint32_t rank = trained.label_of(row);
                     for (std::size_t tree = 0; tree < n_trees; ++tree) {
                         const Sides sides(trained.leaf(tree, own[tree]), rank);
                         double left_out = 0.0;  // of the row and its group in this leaf
                         double left_below = 0.0;
                         double left_up_to = 0.0;
                         if (stands_there)
                             members.for_each(row, [&](std::size_t other) {
                                 if (leaves[other * n_trees + tree] != own[tree]) return;
                                 const double weight = trained.weight_of(other);
                                 left_out += weight;
                                 left_below += trained.label_of(other) < rank ? weight : 0.0;
                                 left_up_to += trained.label_of(other) <= rank ? weight : 0.0;
                             });
                         const double total = sides.total - left_out;
                         // Rounding may leave a remainder of a row that was alone in the leaf.
                         if (!(total > kLevelSlack * sides.total)) continue;
                         n_said += 1.0;
                         below += (sides.below - left_below) / total;
                         up_to += (sides.below + sides.equal - left_up_to) / total;
                     }
                     out[2 * row] = below / n_said;  // NaN where every tree was skipped
                     out[2 * row + 1] = up_to / n_said;
                 });
}

void quantiles(const LeafRows& trained, std::span<const double> values,
               std::span<const std::int32_t> leaves, std::span<const double> levels,
               std::size_t n_threads, Progress& progress, std::span<double> out) {
    const std::size_t n_trees = trained.n_trees();
    require(n_trees > 0 && leaves.size() % n_trees == 0, "a leaf for every row and tree");
    require(values.size() == trained.n_labels(), "a value for every rank");
    require(std::is_sorted(levels.begin(), levels.end()), "levels ascend");
    const std::size_t n_rows = leaves.size() / n_trees;
    require(out.size() == n_rows * levels.size(), "room for every row and level");
    Team team(threads_for(n_rows, n_threads), progress);
    std::vector<Spread> spreads(team.size(), Spread(trained.n_labels()));
    for_each_row(leaves, n_trees, team, progress,
                 [&](std::size_t row, std::span<const std::int32_t> own, std::size_t thread) {
                     const std::size_t n_said = spreads[thread].gather(trained, own);
                     spreads[thread].read(values, levels, static_cast<double>(n_said),
                                          out.subspan(row * levels.size(), levels.size()));
                 });
}

}  // namespace treewright::forest
