#include "treewright/forest/out_of_bag.hpp"

#include <algorithm>
#include <bit>
#include <numeric>

#include "treewright/base/error.hpp"
#include "treewright/base/parallel.hpp"

namespace treewright::forest {
namespace {

/// Trees whose rows are drawn together: a bit for each of them and row is kept.
constexpr std::size_t kTreesPerChunk = 64;

/// The out-of-bag rows of some trees, a bit a row.
class OutOfBagRows {
public:
    explicit OutOfBagRows(const Sampling& sampling)
        : sampling(sampling), n_words((sampling.n_rows() + 63) / 64) {}

    void draw(std::uint64_t first_tree, std::size_t n_trees, Team& team) {
        words.assign(n_trees * n_words, 0);
        std::vector<std::vector<std::uint32_t>> is_out(team.size());
        team.for_each(n_trees, [&](std::size_t i, std::size_t thread) {
            sampling.left_out(first_tree + i, is_out[thread]);
            std::uint64_t* of_tree = words.data() + i * n_words;
            for (std::size_t row = 0; row < is_out[thread].size(); ++row)
                of_tree[row / 64] |= std::uint64_t{is_out[thread][row]} << (row % 64);
        });
    }

    /// Lists those in [begin, end), counted from `begin`.
    void list(std::size_t tree, std::size_t begin, std::size_t end,
              std::vector<std::uint32_t>& found) const {
        found.clear();
        for (std::size_t w = begin / 64; w < (end + 63) / 64; ++w)
            for (std::uint64_t left = words[tree * n_words + w]; left != 0; left &= left - 1) {
                const std::size_t row = w * 64 + static_cast<std::size_t>(std::countr_zero(left));
                if (row >= begin && row < end)
                    found.push_back(static_cast<std::uint32_t>(row - begin));
            }
    }

private:
    const Sampling& sampling;
    std::size_t n_words;
    std::vector<std::uint64_t> words;  ///< trees x words
};

/// The losses of one chunk of trees on one block of rows.
class Block {
public:
    Block(const PackedForest& forest, const GrownOn& grown_on, Vote vote, OutOfBagSums sums,
          std::size_t begin, std::size_t n)
        : forest(forest),
          grown_on(grown_on),
          vote(vote),
          sums(sums),
          begin(begin),
          width(forest.width()),
          answer(width),
          loss_of_row(n, 0.0),
          weight_of_row(n, 0.0) {
        for (std::size_t i = 0; i < n; ++i) judge(i);
    }

    /// Adds one tree; `which` are its out-of-bag rows of the block, and where they arrive.
    Loss add(const PackedTree& tree, std::span<const std::uint32_t> which,
             std::span<const std::uint32_t> leaf) {
        Loss own;
        for (std::size_t i = 0; i < which.size(); ++i) {
            const std::size_t row = begin + which[i];
            answer_of(tree, forest.n_classes, vote, leaf[i], answer.data());
            own.loss += weight_of(row) * loss_of(answer.data(), row);
            own.weight += weight_of(row);
            double* sum = sums.answers.data() + row * width;
            for (std::size_t k = 0; k < width; ++k) sum[k] += answer[k];
            ++sums.n_trees[row];
            judge(which[i]);
        }
        return own;
    }

    /// The loss of all trees so far. Summed from scratch: differences would accumulate rounding
    /// errors.
    [[nodiscard]] Loss together() const {
        return {std::accumulate(loss_of_row.begin(), loss_of_row.end(), 0.0),
                std::accumulate(weight_of_row.begin(), weight_of_row.end(), 0.0)};
    }

private:
    [[nodiscard]] double weight_of(std::size_t row) const {
        return grown_on.weight.empty() ? 1.0 : grown_on.weight[row];
    }

    [[nodiscard]] double loss_of(const double* said, std::size_t row) const {
        if (forest.n_classes == 0) {
            const double apart = said[0] - grown_on.target.values[row];
            return apart * apart;
        }
        const auto chosen = std::max_element(said, said + width) - said;
        return chosen == grown_on.target.classes[row] ? 0.0 : 1.0;
    }

    /// Computes the loss of a row of the block by the trees so far together.
    void judge(std::size_t i) {
        const std::size_t row = begin + i;
        const std::uint32_t n_trees = sums.n_trees[row];
        if (n_trees == 0) return;
        // Means, as predictions are: dividing may round sums that differ to equal numbers.
        const double* sum = sums.answers.data() + row * width;
        for (std::size_t k = 0; k < width; ++k) answer[k] = sum[k] / n_trees;
        weight_of_row[i] = weight_of(row);
        loss_of_row[i] = weight_of(row) * loss_of(answer.data(), row);
    }

    const PackedForest& forest;
    const GrownOn& grown_on;
    Vote vote;
    OutOfBagSums sums;
    std::size_t begin;
    std::size_t width;
    std::vector<double> answer;
    std::vector<double> loss_of_row;    ///< times its weight; 0 before its first tree
    std::vector<double> weight_of_row;  ///< 0 before its first tree
};

/// Adds up the losses of the blocks, in their order.
std::vector<Loss> added_up(const std::vector<Loss>& parts, std::size_t n_blocks,
                           std::size_t n_trees) {
    std::vector<Loss> all(n_trees);
    for (std::size_t block = 0; block < n_blocks; ++block)
        for (std::size_t i = 0; i < n_trees; ++i) {
            all[i].loss += parts[block * n_trees + i].loss;
            all[i].weight += parts[block * n_trees + i].weight;
        }
    return all;
}

}  // namespace

OutOfBagLosses add_out_of_bag(const PackedForest& forest, const GrownOn& grown_on, Vote vote,
                              std::size_t n_threads, Progress& progress, OutOfBagSums sums) {
    const std::size_t n_blocks = n_walk_blocks(grown_on.rows);
    Team team(n_threads, progress);
    OutOfBagRows unseen(grown_on.sampling);
    OutOfBagLosses losses;
    for (std::size_t first = 0; first < forest.trees.size(); first += kTreesPerChunk) {
        const std::size_t n_trees = std::min(kTreesPerChunk, forest.trees.size() - first);
        unseen.draw(grown_on.first_tree + first, n_trees, team);
        std::vector<Loss> of_tree(n_blocks * n_trees);
        std::vector<Loss> of_forest(n_blocks * n_trees);
        walk_blocks(grown_on.rows, team, [&](const WalkBlock& rows) {
            Block block(forest, grown_on, vote, sums, rows.begin, rows.n);
            std::vector<std::uint32_t> which;
            std::vector<std::uint32_t> leaf;
            for (std::size_t i = 0; i < n_trees; ++i) {
                progress.check(true);  // a block of rows takes all trees 100 ms
                const PackedTree& tree = forest.trees[first + i];
                unseen.list(i, rows.begin, rows.begin + rows.n, which);
                leaf.resize(which.size());
                rows.leaves(tree, which, leaf);
                const std::size_t at = rows.number * n_trees + i;
                of_tree[at] = block.add(tree, which, leaf);
                of_forest[at] = block.together();
            }
        });
        for (const Loss& loss : added_up(of_tree, n_blocks, n_trees)) losses.tree.push_back(loss);
        for (const Loss& loss : added_up(of_forest, n_blocks, n_trees))
            losses.forest.push_back(loss);
    }
    return losses;
}

}  // namespace treewright::forest
