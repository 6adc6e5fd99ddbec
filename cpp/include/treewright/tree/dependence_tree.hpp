/// What partial dependence needs of one tree (tree/dependence.hpp has the method): which points
/// lead to which leaf, and the rows that reach each leaf with the set columns left open.
#pragma once

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
    std::vector<std::uint32_t> tops;       ///< askers of set columns that have none above them
    std::vector<std::uint8_t> is_below;    ///< by leaf: under one of them
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

/// Rows of a block in a tree whose columns are as they are.
struct DependenceRows {
    ShapAnswers answers;
    std::uint64_t whole = 0;           ///< rows that no question divides
    std::uint64_t odd = 0;             ///< the others
    std::vector<std::uint64_t> reach;  ///< whole rows at each asker
    std::vector<std::uint64_t> leaf;   ///< and at each leaf

    void follow(const ShapModel& model, std::size_t index, const ShapTree& tree, const Rows& rows,
                const ShapBlock& block);
};

/// Working memory of walks.
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

/// Calls reached(leaf, rows) for the leaves under questions about set columns, with the whole rows
/// that come there if these questions are left open. Rows that come to no such question stay where
/// they are: at.reach of `tops` tells which.
template <class Reached>
void walk_open(const ShapTree& tree, const LeafPoints& own, const DependenceRows& at,
               DependenceWalk& bench, Reached&& reached) {
    for (const std::uint32_t top : own.tops) {
        bench.stack.assign(1, {static_cast<std::int32_t>(top), at.reach[top]});
        while (!bench.stack.empty()) {
            const auto [child, here] = bench.stack.back();
            bench.stack.pop_back();
            if (here == 0) continue;
            if (child < 0) {
                reached(static_cast<std::size_t>(~child), here);
                continue;
            }
            const auto i = static_cast<std::size_t>(child);
            const std::uint64_t open = own.is_set[i] != 0 ? ~std::uint64_t{0} : 0;
            const std::uint64_t second = at.answers.second[i];
            bench.stack.push_back({tree.askers[i].child[1], here & (second | open)});
            bench.stack.push_back({tree.askers[i].child[0], here & (~second | open)});
        }
    }
}

/// Calls part(leaf, row, share) for every leaf that a row which some question divides comes to;
/// `is_set` is empty where no column is set.
template <class Part>
void walk_odd(const ShapTree& tree, std::span<const std::uint8_t> is_set, const DependenceRows& at,
              DependenceWalk& bench, Part&& part) {
    for (std::uint64_t odd = at.odd; odd != 0; odd &= odd - 1) {
        const auto row = static_cast<std::size_t>(std::countr_zero(odd));
        bench.parts.assign(1, {tree.askers.empty() ? ~0 : 0, 1.0});
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
            if (is_set.empty() || is_set[i] == 0) {
                const bool second = (at.answers.second[i] >> row & 1) != 0;
                const bool divided = (at.answers.divided[i] >> row & 1) != 0;
                first = divided ? asker.cover : second ? 0.0 : 1.0;
                other = 1.0 - first;
            }
            bench.parts.push_back({asker.child[1], share * other});
            bench.parts.push_back({asker.child[0], share * first});
        }
    }
}

}  // namespace treewright::tree
