/// The training rows in each leaf of each tree of a forest. Rows are stored as labels:
/// their own number (proximity.hpp), or the rank of their target (quantiles.hpp).
///
///     leaf       0   1       2          node numbers; inner nodes own nothing
///     start    | 0 | 0     | 3   | 5
///     labels     .   7 2 9   4 7
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace treewright::forest {

class LeafRows {
public:
    /// `weight` of each row; empty: all 1. Rows of weight 0 are left out.
    LeafRows(std::vector<std::uint32_t> label_of_row, std::uint32_t n_labels,
             std::vector<double> weight);

    struct Leaf {
        std::span<const std::uint32_t> labels;
        std::span<const double> weights;  ///< empty: all 1
    };

    /// `leaf_of_row` are node numbers; `times` says how often each row counts; empty: once.
    void add_tree(std::span<const std::int32_t> leaf_of_row, std::span<const std::uint32_t> times);

    /// The rows of a leaf; none where no training row fell, or for a leaf below 0.
    [[nodiscard]] Leaf leaf(std::size_t tree, std::int32_t node) const {
        const Tree& own = trees[tree];
        if (node < 0 || static_cast<std::size_t>(node) + 1 >= own.start.size()) return {};
        const std::size_t begin = own.start[static_cast<std::size_t>(node)];
        const std::size_t n = own.start[static_cast<std::size_t>(node) + 1] - begin;
        Leaf found{std::span(own.labels).subspan(begin, n), {}};
        if (!own.weights.empty()) found.weights = std::span(own.weights).subspan(begin, n);
        return found;
    }

    [[nodiscard]] std::uint32_t label_of(std::size_t row) const { return label_of_row[row]; }
    [[nodiscard]] double weight_of(std::size_t row) const {
        return weight.empty() ? 1.0 : weight[row];
    }
    [[nodiscard]] std::size_t n_trees() const { return trees.size(); }
    [[nodiscard]] std::size_t n_rows() const { return label_of_row.size(); }
    [[nodiscard]] std::uint32_t n_labels() const { return label_limit; }

private:
    struct Tree {
        std::vector<std::uint32_t> start;  ///< by node number
        std::vector<std::uint32_t> labels;
        std::vector<double> weights;
    };

    std::vector<std::uint32_t> label_of_row;
    std::uint32_t label_limit;
    std::vector<double> weight;
    std::vector<Tree> trees;
};

/// A set of labels that is read in ascending order and emptied by reading.
class LabelSet {
public:
    explicit LabelSet(std::uint32_t n_labels) : words((std::size_t{n_labels} + 63) / 64) {}

    void add(std::uint32_t label) { words[label >> 6] |= 1ULL << (label & 63); }

    template <class Found>
    void take_all(Found&& found) {
        for (std::size_t i = 0; i < words.size(); ++i) {
            std::uint64_t word = words[i];
            if (word == 0) continue;
            words[i] = 0;
            for (; word != 0; word &= word - 1)
                found(static_cast<std::uint32_t>(i * 64) +
                      static_cast<std::uint32_t>(__builtin_ctzll(word)));
        }
    }

private:
    std::vector<std::uint64_t> words;
};

}  // namespace treewright::forest
