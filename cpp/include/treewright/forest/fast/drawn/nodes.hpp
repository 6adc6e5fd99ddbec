/// What growing by drawn cuts (grower_drawn_cuts.cpp) knows of the nodes at hand, large or small:
/// the rows of the tree in the order of its nodes, their sums, the best cut so far, leaves.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "treewright/base/huge_pages.hpp"
#include "treewright/forest/fast/drawn/row_cache.hpp"
#include "treewright/forest/fast/grower.hpp"
#include "treewright/forest/fast/kernels/cells.hpp"
#include "treewright/forest/fast/kernels/scan.hpp"
#include "treewright/forest/fast/nodes.hpp"
#include "treewright/forest/fast/parallel_subtrees.hpp"

namespace treewright::forest {

template <class T>
struct DrawnNodes {
    DrawnNodes(const FastData& shared, const FastCells<T>& table, const grow::GrowOptions& options,
               Progress& progress)
        : shared(shared),
          table(table),
          gaps(shared.gaps),
          data(*shared.data),
          progress(progress),
          loops(cell_loops<T>()),
          nodes(options, data.target, data.columns.size()),
          n_classes(data.target.is_classification() ? data.target.n_classes[0] : 0),
          is_two(n_classes > 0 && n_classes <= 2),
          is_weighed(shared.is_weighed) {
        nodes.is_weighed = is_weighed;
        nodes.is_unpacked = shared.is_unpacked;
    }

    /// Reads the limits, which may differ from tree to tree where rows weigh differently.
    void begin_limits() {
        const grow::GrowOptions& options = nodes.options;
        least_copies = is_weighed ? std::max(1.0, std::ceil(options.min_leaf)) : 0.0;
        least = is_weighed ? options.min_leaf_weight
                           : std::max({1.0, options.min_leaf, options.min_leaf_weight});
    }

    /// The results of a block of consecutive rows of a node.
    struct Block {
        T low{};
        T high{};
        double weight = 0.0;
        double sum = 0.0;
        double copies = 0.0;
        std::uint32_t n_left = 0;
        std::vector<std::uint32_t> classes;
    };

    /// Calls work(from, n, block) for the rows of a node, `from` counted from its first: as one
    /// block, or where the threads work together in several.
    template <class Work>
    void for_blocks(const OpenNode& node, Work&& work) {
        if (!parts.is_shared()) {
            blocks.resize(1);
            work(0U, node.size(), blocks[0]);
            return;
        }
        constexpr std::uint32_t kStep = 4096;  // rows whose cells are prefetched together
        const auto n_blocks = static_cast<std::uint32_t>(2 * parts.n_threads());
        const std::uint32_t per_block = (node.size() / n_blocks / kStep + 1) * kStep;
        blocks.resize((node.size() + per_block - 1) / per_block);
        parts.share(blocks.size(), [&](std::size_t i, std::size_t thread) {
            progress.check(asks && thread == 0);
            const std::uint32_t from = static_cast<std::uint32_t>(i) * per_block;
            work(from, std::min(per_block, node.size() - from), blocks[i]);
        });
    }

    /// Rows in the order of the nodes.
    struct Rows {
        FarVector<std::uint32_t> row;     ///< of the table
        FarVector<std::uint32_t> weight;  ///< copies
        FarVector<std::uint32_t> target;  ///< two classes: copies of class 1; more: the class
        FarVector<double> value;          ///< numbers: copies x target on the grid; where rows
                                          ///< weigh differently, also x weight, or of class 1
        FarVector<double> full;           ///< copies x weight, where rows weigh differently
    };
    /// Whether sums of targets are those of `value`.
    [[nodiscard]] bool sums_values() const { return n_classes == 0 || is_weighed; }

    static constexpr double kNoCut = Judgement::kNoCut;
    /// The threshold of the question whether a value is known; others are finite.
    static constexpr double kOpen = std::numeric_limits<double>::infinity();

    /// A cut and the sums of its first side.
    struct Found {
        FastCut cut{0, false, kNoCut};
        double at = 0.0;
        T bound{};  ///< the threshold as a T; only of a large node
        double weight_left = 0.0;
        double sum_left = 0.0;
        double copies_left = 0.0;  ///< only where rows weigh differently
        std::size_t lane = 0;      ///< only at home: where it was found
    };

    [[nodiscard]] bool has_homes() const { return !table.by_row.empty(); }

    /// Whether a column is one of names, which are sent to sides.
    [[nodiscard]] bool is_nominal(std::uint32_t column) const {
        return data.columns[column].scale == data::Scale::nominal;
    }

    [[nodiscard]] Judgement judgement_of(const OpenNode& node) const {
        const double mean_whole = is_two ? 0.0 : std::nearbyint(node.sum / node.weight);
        const double mean_rest = (node.sum - mean_whole * node.weight) / node.weight;
        return {node.weight,           least,       mean_whole,  mean_rest, is_two ? 2.0 : 1.0,
                nodes.purity_of(node), node.copies, least_copies};
    }
    /// Whether there is a best cut and it gains enough.
    [[nodiscard]] bool is_enough(const OpenNode& node) const {
        return best.cut.decrease >= 0.0 && nodes.gains_enough(best.cut, node);
    }

    /// More than two classes: by those in class_left.
    [[nodiscard]] double judge_classes(const OpenNode& node, const Judgement& judgement) const {
        return decrease_by_classes(judgement, sums_of(node), class_left.data(), 1);
    }

    /// Those of all its rows.
    [[nodiscard]] std::span<const std::uint32_t> sums_of(const OpenNode& node) const {
        return {nodes.classes.data() + node.classes, n_classes};
    }

    [[nodiscard]] const std::uint32_t* weights_of(const OpenNode& node) const {
        return node.is_home ? home.weight.data() : buffers[node.buffer].weight.data();
    }
    [[nodiscard]] const std::uint32_t* targets_of(const OpenNode& node) const {
        return node.is_home ? home.target.data() : buffers[node.buffer].target.data();
    }
    [[nodiscard]] double target_at(const OpenNode& node, std::uint32_t i) const {
        return data.target.values[node.is_home ? home.row[i] : buffers[node.buffer].row[i]];
    }

    /// Lists the positions of a node's rows; before they are moved, of those of one side.
    void list_rows(const OpenNode& node, std::uint32_t b, bool one_side) {
        if (is_two) return;
        if (node.is_home) {
            places[b] = {home.rows.data() + node.begin, node.size()};
            return;
        }
        std::vector<std::uint32_t>& to = listed[b];
        to.clear();
        for (std::uint32_t i = 0; i < node.size(); ++i)
            if (!one_side || (masks[i / kMarksPerWord] >> (i % kMarksPerWord) & 1U) == b)
                to.push_back(node.begin + i);
        places[b] = to;
    }

    /// Makes a leaf of n rows of the table; unless of two classes, they are listed.
    void close(const OpenNode& node, std::uint32_t n, std::uint32_t b) {
        nodes.add_leaf(node.node, static_cast<std::uint32_t>(is_weighed ? n : node.weight));
        if (nodes.is_unpacked) nodes.tree.names.n_rows.push_back(n);
        if (n_classes > 0) {
            nodes.add_counts(node);
            return;
        }
        const auto n_listed = static_cast<std::uint32_t>(places[b].size());
        if (nodes.is_unpacked) {
            close_as_on_rows(node, b);
            return;
        }
        add_value_leaf(nodes.tree, n_listed, [&](std::uint32_t i) {
            const std::uint32_t at = places[b][i];
            return std::pair{target_at(node, at), weights_of(node)[at]};
        });
    }

    /// A leaf of numbers from as many entries as the grower on rows has (kernels/scan.hpp), which
    /// are rounded one by one: its spread is shown.
    void close_as_on_rows(const OpenNode& node, std::uint32_t b) {
        const double* full = node.is_home ? home.full.data() : buffers[node.buffer].full.data();
        entries.clear();
        for (const std::uint32_t at : places[b]) {
            const std::uint32_t copies = weights_of(node)[at];
            for (std::uint32_t left = copies; left > 0;) {
                const std::uint32_t some = std::min(left, kMostWeight);
                entries.push_back(
                    {target_at(node, at), some, is_weighed ? some * (full[at] / copies) : 0.0});
                left -= some;
            }
        }
        const auto n = static_cast<std::uint32_t>(entries.size());
        if (is_weighed)
            add_value_leaf(nodes.tree, n, [&](std::uint32_t i) {
                return std::pair{entries[i].target, entries[i].weight};
            });
        else
            add_value_leaf(nodes.tree, n, [&](std::uint32_t i) {
                return std::pair{entries[i].target, entries[i].copies};
            });
    }

    /// Rows of a leaf that are one row of the table.
    struct Entry {
        double target;
        std::uint32_t copies;
        double weight;
    };

    const FastData& shared;
    const FastCells<T>& table;
    const TableGaps& gaps;
    const data::Dataset& data;
    Progress& progress;
    const CellLoops<T>& loops;
    FastNodes nodes;
    std::uint32_t n_classes;
    bool is_two;
    bool is_weighed;            ///< rows weigh differently; no more than two classes
    double least = 1.0;         ///< weight that either side must have
    double least_copies = 0.0;  ///< rows that it must have where they weigh differently
    Found best;                 ///< of the node at hand
    Rows buffers[2];
    RowCache<T> home;
    std::vector<std::uint16_t>
        masks;  ///< of the node: bits of the rows that go to the second child
    std::vector<std::uint32_t> listed[2];
    std::span<const std::uint32_t> places[2];  ///< of the rows of a child, unless two classes
    std::vector<std::uint32_t> class_left;
    std::vector<Entry> entries;  ///< of the leaf at hand
    std::vector<Block> blocks;   ///< of the node at hand
    bool asks = false;           ///< the thread at work is the one that asks whether to stop
    ParallelSubtrees parts;
};

}  // namespace treewright::forest
