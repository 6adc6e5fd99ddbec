/// Grows one tree: take a node, find its split, partition its rows, push its children.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "treewright/base/parallel.hpp"
#include "treewright/base/progress.hpp"
#include "treewright/data/block.hpp"
#include "treewright/data/dataset.hpp"
#include "treewright/grow/options.hpp"
#include "treewright/split/candidate.hpp"
#include "treewright/tree/tree.hpp"

namespace treewright::grow {

/// The rows of a table with each column sorted or coded: made once for trees that are grown on the
/// same rows and weights.
struct SortedTable {
    std::shared_ptr<data::Block> block;
    std::vector<std::uint32_t> n_missing;  ///< by column
    std::vector<data::Bins> bins;          ///< by column
};
[[nodiscard]] SortedTable sorted(const data::Dataset& data, const data::BlockOptions& options,
                                 Team& team);

/// Whether all threads divide a node together, column by column; the others are roots of subtrees
/// that one thread grows each, and numbered after all of those.
[[nodiscard]] bool is_shared_work(std::size_t n_rows, std::size_t n_columns);

/// The same data and options give the same tree, bit for bit, for any number of threads. `table`,
/// where given, holds the data, and is left as it is.
[[nodiscard]] tree::Tree grow(const data::Dataset& data, const GrowOptions& options,
                              Progress& progress, const SortedTable* table = nullptr);

/// One column's candidate in a node, with its question on raw values.
struct InspectedCandidate {
    split::Candidate candidate;
    double threshold = 0.0;
    std::int64_t threshold_int = 0;
    tree::CodeBranches branches;
    tree::Cuts cuts;
};

/// The record of growing one node: its rows, their weights, and the candidate of every column.
struct Inspection {
    std::vector<std::uint32_t> rows;
    std::vector<double> weight;
    std::vector<InspectedCandidate> candidates;
    std::int64_t chosen = -1;  ///< index into candidates
};

/// Follows the branches in `path` from the root, growing just the nodes on the way.
[[nodiscard]] Inspection inspect(const data::Dataset& data, const GrowOptions& options,
                                 const std::vector<std::uint32_t>& path, Progress& progress);

}  // namespace treewright::grow
