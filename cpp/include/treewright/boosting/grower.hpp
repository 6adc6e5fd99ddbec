/// Grows one tree on the gradients of a round.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <type_traits>
#include <vector>

#include "treewright/base/parallel.hpp"
#include "treewright/base/progress.hpp"
#include "treewright/boosting/histogram.hpp"
#include "treewright/boosting/leaves.hpp"
#include "treewright/boosting/partition.hpp"
#include "treewright/boosting/row_blocks.hpp"
#include "treewright/boosting/split_search.hpp"
#include "treewright/boosting/tree.hpp"

namespace treewright::boosting {

struct BoostGrowth {
    BoostLimits limits;
    std::size_t max_leaves = 31;  ///< 0: no limit
    std::size_t max_depth = 0;    ///< 0: no limit
    bool depth_wise = false;      ///< level by level, instead of the largest gain first
    /// Splits are judged by the squared error of the gradients, every row counting as one
    /// (Friedman 2001, eq. 35), instead of by gradients and hessians; leaves predict the same.
    bool by_squared_error = false;
    /// Gain that a branch must bring for each of its leaves but one; others are pruned away
    /// (Breiman et al. 1984, section 3.3). 0: none is.
    double min_gain_per_leaf = 0.0;
    std::size_t columns_per_node = 0;  ///< drawn anew for each node; 0: all
    std::vector<int> monotonic;        ///< by column; empty: none
    /// Sets of columns that may be asked on one path; empty: any.
    std::vector<std::vector<std::uint32_t>> interactions;
    bool has_lines = false;  ///< leaves predict by lines (boosting/linear_leaves.hpp)
    double line_l2 = 0.0;
};

struct GrownLeaf {
    std::uint32_t node = 0;
    RowRange rows;  ///< of the sample, in their order
};

/// A leaf of the tree that is grown, which may still be split.
template <class Entry>
struct OpenLeaf {
    std::uint32_t node = 0;
    std::size_t begin = 0;
    std::size_t end = 0;
    std::size_t depth = 0;
    Sums total;
    Bounds bounds;
    std::unique_ptr<Entry[]> histogram;
    std::vector<std::uint32_t> asked;  ///< columns on the path, where interactions matter
    BoostSplit best;

    [[nodiscard]] std::size_t n() const { return end - begin; }

    /// As new, but for the memory of its lists.
    void reset() {
        node = 0;
        begin = end = depth = 0;
        total = {};
        bounds = {};
        histogram.reset();
        asked.clear();
        best.reset();
    }
};

/// Histograms and what they are made with, kept from tree to tree: of a small table a tree is grown
/// in less time than its memory takes to be cleared.
template <class Entry>
struct HistogramMemory {
    std::vector<std::unique_ptr<Entry[]>> pool;   ///< that no leaf has
    std::vector<std::unique_ptr<Entry[]>> spare;  ///< of the threads but the first
    std::vector<SearchScratch> scratch;           ///< of each thread
    std::vector<DigitSums<Entry>> digits;
    std::vector<NearRows<Entry>> near;
    std::vector<RunningSums<Entry>> running;
    std::vector<ColumnSums<Entry>> by_code;
    GatheredRows<Entry> gathered[2];    ///< of the leaves at hand
    std::vector<OpenLeaf<Entry>> open;  ///< of the tree at hand, then those of larger ones before
    std::vector<double> gains;          ///< of the best split of each that is of the tree at hand
    OpenLeaf<Entry> parent;             ///< of the leaves at hand

    /// `apart`: whether threads have histograms of their own.
    void make_room(std::size_t n_threads, const CodedTable& table, bool apart) {
        while (apart && spare.size() + 1 < n_threads)
            spare.emplace_back(new Entry[table.n_entries]);
        if (scratch.size() < n_threads) scratch.resize(n_threads);
        if (digits.size() < n_threads) digits.resize(n_threads);
        for (DigitSums<Entry>& own : digits) own.make_room(table);
        if (near.size() < n_threads) near.resize(n_threads);
        if (running.size() < n_threads) running.resize(n_threads);
        if (by_code.size() < n_threads) by_code.resize(n_threads);
        for (ColumnSums<Entry>& own : by_code) own.make_room(table);
    }
};

/// Memory shared by trees of one table that are grown one after the other.
struct GrowBuffers {
    HistogramMemory<WideEntry> wide;
    HistogramMemory<NarrowEntry> narrow;
    template <class Entry>
    [[nodiscard]] HistogramMemory<Entry>& histograms() {
        if constexpr (std::is_same_v<Entry, WideEntry>) return wide;
        else return narrow;
    }

    std::vector<std::uint32_t> rows;
    std::vector<std::uint32_t> second;    ///< rows of a node on their way to its second child
    std::vector<BoostNode> nodes;         ///< of the tree at hand, which may have many or few
    std::vector<std::uint64_t> subsets;   ///< likewise
    std::vector<std::uint32_t> columns;   ///< that the tree may ask
    std::vector<std::uint32_t> drawn[2];  ///< of those, columns of the leaves at hand
    Ways ways;                            ///< of the split at hand
    /// Made so far, where rows are outside the sample; longer than their number.
    std::vector<NodeDivision> divisions;
    std::vector<double> values;   ///< of the nodes of a tree that has been grown
    std::size_t n_unchecked = 0;  ///< rows since the last look for an interrupt
    // Filled by grow():
    std::vector<std::uint32_t> leaf_of_row;  ///< node of each row of the table
    std::vector<GrownLeaf> leaves;           ///< until `rows` changes
};

/// The data that a tree is grown from.
struct BoostRound {
    const CodedTable& table;
    const Codebook& book;
    GradientView gradients;  ///< of all rows of the table
    FixedPoint fixed;
    std::span<const std::uint32_t> sample;   ///< ascending rows of the sample; empty: all
    std::span<const std::uint32_t> columns;  ///< that the tree may ask, ascending
    std::uint64_t key;                       ///< of the random numbers
    /// Of all rows, in units of kWeightUnit; empty: 1 each, or it does not matter.
    std::span<const std::int64_t> weight;
};

/// Leaves predict -G / (H + l2), the learning rate not yet applied.
template <class Row>
[[nodiscard]] BoostTree grow_boosted(const BoostRound& round, const BoostGrowth& growth,
                                     GrowBuffers& buffers, Team& team, Progress& progress);

}  // namespace treewright::boosting
