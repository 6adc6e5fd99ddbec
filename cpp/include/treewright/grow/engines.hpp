/// Which engine grows what. Some tasks have a grower of their own for speed; each grows exactly
/// the trees that the general one would (tests compare them), and this is the one place that says
/// which engine serves what.
///
/// | engine     | grows                       | serves                                       |
/// |------------|-----------------------------|----------------------------------------------|
/// | general    | any tree, any forest        | every option and table (grow/grower.hpp)     |
/// | best_cuts  | trees of forests, best cuts | fast_grower_serves; with missing values      |
/// |            |                             | fast_grower_serves_gaps                      |
/// |            |                             | (forest/fast/grower_best_cuts.cpp)           |
/// |            | single trees, best cuts     | the same                                     |
/// | rows       | trees of forests, best cuts | the same but for max_leaf_nodes, where       |
/// |            |                             | best_cuts_engine says that it is faster, and |
/// |            |                             | rows that weigh differently                  |
/// |            |                             | (forest/fast/grower_rows.cpp)                |
/// |            | the same, cuts drawn        | entropy; more than two classes that weigh    |
/// |            |                             | differently, or with a column of many names; |
/// |            |                             | weighed numbers with one                     |
/// | drawn_cuts | the same                    | all others, with nominal columns and rows    |
/// |            |                             | that weigh differently                       |
/// |            |                             | (forest/fast/grower_drawn_cuts.cpp)          |
/// | histogram  | trees of gradient boosting  | binned columns, one score a tree             |
/// |            |                             | (boosting/grower.hpp)                        |
/// | stumps     | stumps of AdaBoost          | one target of classes, one question; see     |
/// |            |                             | adaboost/weak_trees.py (adaboost/stumps.hpp) |
///
/// Where the grid of a forest's target is too coarse for most of its rows (data/target_grid.hpp),
/// lists serve best cuts, since their nodes have finer grids, or else the general engine does.
/// Boosting and AdaBoost have one engine each and do not choose. For forests engine_of chooses, for
/// single trees engine_of_tree; a missing value is only found while a column is read, and then,
/// unless its policy is served, the general engine grows the trees.
/// Python asks for the fast ones only where leaves answer the shares of their rows and the target
/// is of ordinary size (forest/problem.py). engine_of returns a name and includes no engine: the
/// owner of the engines dispatches (forest/forest.cpp, forest/single_tree.cpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "treewright/data/dataset.hpp"
#include "treewright/grow/options.hpp"

namespace treewright::grow {

enum class Engine : std::uint8_t { general, best_cuts, rows, drawn_cuts, histogram, stumps };

/// The fast grower numbers rows in 26 bits of a word (forest/fast/kernels/scan.hpp).
inline constexpr std::size_t kMostRowsOfFastGrower = std::size_t{1} << 26;

/// The engine's name, as models report it.
[[nodiscard]] std::string_view name_of(Engine engine);

/// Whether a table has nominal columns.
[[nodiscard]] bool has_names(const data::Dataset& data);

/// Whether the fast grower of forests serves these options on this table.
[[nodiscard]] bool fast_grower_serves(const GrowOptions& options, const data::Dataset& data);

/// Whether it does so for columns with missing values, too.
[[nodiscard]] bool fast_grower_serves_gaps(const GrowOptions& options);

/// Whether the nodes of a forest must not keep the grid of the root.
[[nodiscard]] bool needs_finer_grids(const data::Target& target);

/// The engine that grows a tree that stands alone.
[[nodiscard]] Engine engine_of_tree(const GrowOptions& options, const data::Dataset& data);

/// The engine that grows the trees of a forest, whose rows may weigh differently; where it is
/// best_cuts, best_cuts_engine has the last word.
[[nodiscard]] Engine engine_of(const GrowOptions& options, const data::Dataset& data,
                               bool is_weighed = false);

/// What the choice between the two fast growers of best cuts depends on.
struct ColumnsToLookAt {
    std::size_t n_columns = 0;  ///< of a tree
    std::size_t n_drawn = 0;    ///< looked at in a node
    std::size_t n_few = 0;      ///< of few values (forest/fast/coded_columns.hpp)
    std::size_t n_names = 0;    ///< nominal, which have no list
    std::size_t n_sparse = 0;   ///< of more values, most rows having the same few
    bool is_rare = false;       ///< nearly all rows have the same one of two classes
};

/// The faster of the two: lists keep all columns of a node in order and find the best cut of one
/// soon; rows are brought in order for every look (docs/decisions/034). Both grow the same trees.
[[nodiscard]] Engine best_cuts_engine(const ColumnsToLookAt& columns);

}  // namespace treewright::grow
