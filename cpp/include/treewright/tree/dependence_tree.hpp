/// What partial dependence needs of one tree (tree/dependence.hpp has the method): which points
/// lead to which leaf, and the rows that reach each leaf with the set columns left open.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "treewright/tree/dependence.hpp"

namespace treewright::tree {

using ShapBlocks = std::vector<std::unique_ptr<ShapBlock>>;

/// A bit for each row of a block.
[[nodiscard]] inline std::uint64_t rows_of(const ShapBlock& block) {
    return block.n == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << block.n) - 1;
}

/// All rows, in blocks of 64.
[[nodiscard]] ShapBlocks read_blocks(const ShapModel& model, const Rows& rows);

/// How the rows of a block answer the questions of a tree.
void answer_block(const ShapModel& model, std::size_t index, const ShapTree& tree, const Rows& rows,
                  const ShapBlock& block, ShapAnswers& answers);

/// Which points lead to which leaf of a tree.
struct LeafPoints {
    struct Run {
        std::uint32_t begin;
        std::uint32_t end;
    };
    /// A point that is divided among branches, with its share in every leaf.
    struct Divided {
        std::uint32_t point;
        std::vector<double> share;
    };
    bool is_mixed = false;                 ///< a set column decides questions together with others
    std::vector<std::uint8_t> is_set;      ///< by asker; empty: the tree asks no set column
    std::vector<std::uint32_t> run_start;  ///< leaves + 1
    std::vector<Run> runs;
    std::vector<Divided> divided;

    [[nodiscard]] std::span<const Run> runs_of(std::size_t leaf) const {
        return std::span(runs).subspan(run_start[leaf], run_start[leaf + 1] - run_start[leaf]);
    }
};

/// A tree with the points of every setting.
struct DependenceTree {
    std::unique_ptr<ShapTree> tree;
    std::vector<LeafPoints> points;  ///< by setting
};

/// Settings as every tree needs them.
struct ReadSettings {
    ReadSettings(const ShapModel& model, std::span<const Setting> settings);

    std::span<const Setting> settings;
    std::vector<ShapBlocks> blocks;    ///< the points, by setting
    std::vector<std::uint32_t> place;  ///< of each column among those that the model asks

    [[nodiscard]] std::size_t n_points(std::size_t s) const { return settings[s].points->n_rows; }
};

[[nodiscard]] DependenceTree prepare_tree(const ShapModel& model, std::size_t index,
                                          const ReadSettings& read);

constexpr std::size_t kFewAskers = 256;  ///< of a tree that is walked in one pass

/// Rows of a block that reach leaves with the set columns left open: all that one walk needs.
struct DependenceWalk {
    struct Visit {
        std::int32_t child;
        std::uint64_t rows;
    };
    struct Part {
        std::int32_t child;
        double share;
    };
    std::vector<Visit> stack;
    std::vector<Part> parts;
};

/// Calls reached(leaf, rows) for leaves that any of `rows` reaches, whole; rows that another
/// question divides are walked alone, by part(leaf, row, share).
template <class Reached, class Part>
void walk(const ShapTree& tree, std::span<const std::uint8_t> is_set, const ShapAnswers& answers,
          std::uint64_t rows, DependenceWalk& bench, Reached&& reached, Part&& part) {
    const auto left_open = [&](std::size_t i) { return !is_set.empty() && is_set[i] != 0; };
    std::uint64_t odd = 0;
    for (std::size_t i = 0; i < tree.askers.size(); ++i)
        if (!left_open(i)) odd |= answers.divided[i];
    odd &= rows;
    const std::int32_t root = tree.askers.empty() ? ~0 : 0;
    if (tree.askers.size() <= kFewAskers && !tree.askers.empty()) {
        // Parents come first: one pass, without a stack.
        std::array<std::uint64_t, kFewAskers> reach;
        reach[0] = rows & ~odd;
        const auto give = [&](std::int32_t child, std::uint64_t here) {
            if (child >= 0) reach[static_cast<std::size_t>(child)] = here;
            else if (here != 0) reached(static_cast<std::size_t>(~child), here);
        };
        for (std::size_t i = 0; i < tree.askers.size(); ++i) {
            const std::uint64_t open = left_open(i) ? ~std::uint64_t{0} : 0;
            const std::uint64_t second = answers.second[i];
            give(tree.askers[i].child[0], reach[i] & (~second | open));
            give(tree.askers[i].child[1], reach[i] & (second | open));
        }
    } else {
        bench.stack.assign(1, {root, rows & ~odd});
    }
    while (!bench.stack.empty()) {
        const auto [child, here] = bench.stack.back();
        bench.stack.pop_back();
        if (here == 0) continue;
        if (child < 0) {
            reached(static_cast<std::size_t>(~child), here);
            continue;
        }
        const auto i = static_cast<std::size_t>(child);
        const bool both = left_open(i);
        const std::uint64_t second = answers.second[i];
        bench.stack.push_back({tree.askers[i].child[1], both ? here : here & second});
        bench.stack.push_back({tree.askers[i].child[0], both ? here : here & ~second});
    }
    for (; odd != 0; odd &= odd - 1) {
        const auto row = static_cast<std::size_t>(std::countr_zero(odd));
        bench.parts.assign(1, {root, 1.0});
        while (!bench.parts.empty()) {
            const auto [child, share] = bench.parts.back();
            bench.parts.pop_back();
            if (share == 0.0) continue;
            if (child < 0) {
                part(static_cast<std::size_t>(~child), row, share);
                continue;
            }
            const auto i = static_cast<std::size_t>(child);
            const ShapTree::Asker& asker = tree.askers[i];
            double first = 1.0;
            double other = 1.0;
            if (!left_open(i)) {
                const bool second = (answers.second[i] >> row & 1) != 0;
                first = (answers.divided[i] >> row & 1) != 0 ? asker.cover : second ? 0.0 : 1.0;
                other = 1.0 - first;
            }
            bench.parts.push_back({asker.child[1], share * other});
            bench.parts.push_back({asker.child[0], share * first});
        }
    }
}

}  // namespace treewright::tree
