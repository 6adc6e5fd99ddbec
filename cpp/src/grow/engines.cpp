#include "treewright/grow/engines.hpp"

#include <algorithm>

#include "treewright/criteria/registry.hpp"
#include "treewright/data/target_grid.hpp"

namespace treewright::grow {
namespace {

bool serves_table(const data::Dataset& data) {
    const data::Target& target = data.target;
    return data.n_rows < kMostRowsOfFastGrower && data.case_weight.empty() && data.copies.empty() &&
           target.n_outputs == 1 && (!target.is_classification() || target.n_classes[0] > 1);
}

/// Names, where a question has two branches.
bool serves_names(const GrowOptions& options) {
    return options.nominal == split::Nominal::subset ||
           options.nominal == split::Nominal::one_vs_rest;
}

/// Best first, what the nodes of a tree have in pools (columns that vary, class counts) is kept
/// until it is grown: some 128 MB at most.
bool keeps_nodes(const GrowOptions& options, const data::Dataset& data) {
    constexpr std::size_t kMostKept = std::size_t{1} << 24;
    const std::size_t n_leaves = std::min(
        static_cast<std::size_t>(std::max<std::int64_t>(options.max_leaf_nodes, 0)), data.n_rows);
    const std::size_t n_classes = data.target.is_classification() ? data.target.n_classes[0] : 0;
    return n_leaves <= kMostKept / (options.columns.size() + n_classes + 1);
}

/// A positive list: the options must be those of a default tree of a forest except for those named
/// here, which the fast grower knows. An option added later is not served until it is listed here.
bool serves_options(const GrowOptions& options) {
    GrowOptions served;
    served.random_ties = true;

    served.criterion = options.criterion;  // with loops of its own, see below
    served.splitter = options.splitter;
    served.missing = options.missing;  // with missing values, see fast_grower_serves_gaps
    served.max_surrogates = options.max_surrogates;

    served.max_depth = options.max_depth;
    served.max_leaf_nodes = options.max_leaf_nodes;  // of sorted lists, see grows_in_lists
    served.min_split = options.min_split;
    served.min_leaf = options.min_leaf;
    served.min_leaf_weight = options.min_leaf_weight;
    served.min_gain = options.min_gain;
    served.max_columns = options.max_columns;
    served.columns = options.columns;

    served.seed = options.seed;
    served.tree = options.tree;
    served.n_threads = options.n_threads;

    served.nominal = options.nominal;  // with names, see serves_names
    served.guard_many_values = options.guard_many_values;
    served.distinct_share = options.distinct_share;

    // Branches for values without rows and tests of significance: there are none.
    served.empty_branches = options.empty_branches;
    served.idle_values = options.idle_values;
    served.declared_classes = options.declared_classes;
    served.evidence = options.evidence;
    served.cal5_threshold = options.cal5_threshold;
    served.cal5_alpha = options.cal5_alpha;
    served.cost_exponent = options.cost_exponent;

    // How the general grower holds and tallies its columns.
    served.block = options.block;
    served.block.n_bins = 0;
    served.tally = options.tally;

    const criteria::Traits criterion = criteria::traits_of(options.criterion);
    return options == served && options.missing.sends_to_one_side && !options.columns.empty() &&
           (criterion.is_fused || criterion.grows_on_rows);
}

/// Whether the best cuts of unweighted rows are looked for, which lists do.
bool grows_in_lists(const GrowOptions& options, bool is_weighed) {
    return options.splitter == split::Splitter::best && !is_weighed;
}

/// Whether a column has so many names that the grower on rows judges it by the general search
/// (forest/fast/row_cuts.hpp).
bool has_many_names(const data::Dataset& data) {
    constexpr std::uint32_t kMostNames = 255;
    return std::any_of(data.columns.begin(), data.columns.end(), [](const data::Column& column) {
        return column.scale == data::Scale::nominal && column.n_codes > kMostNames;
    });
}

/// Whether drawn cuts have a grower of their own, which sums up Gini's index or squared errors, of
/// weighed rows those of two classes at most. It rounds otherwise than the general search, which
/// has shown where classes are many or numbers are weighed.
bool cuts_are_drawn_fast(const GrowOptions& options, const data::Dataset& data, bool is_weighed) {
    if (options.splitter != split::Splitter::random ||
        !criteria::traits_of(options.criterion).is_fused)
        return false;
    const std::size_t n_classes = data.target.is_classification() ? data.target.n_classes[0] : 0;
    if (n_classes > 2) return !is_weighed && !has_many_names(data);
    return n_classes > 0 || !is_weighed || !has_many_names(data);
}

}  // namespace

std::string_view name_of(Engine engine) {
    switch (engine) {
        case Engine::best_cuts: return "best_cuts";
        case Engine::rows: return "rows";
        case Engine::drawn_cuts: return "drawn_cuts";
        case Engine::histogram: return "histogram";
        case Engine::stumps: return "stumps";
        default: return "general";
    }
}

bool has_names(const data::Dataset& data) {
    return std::any_of(data.columns.begin(), data.columns.end(), [](const data::Column& column) {
        return column.scale == data::Scale::nominal;
    });
}

bool fast_grower_serves(const GrowOptions& options, const data::Dataset& data) {
    return serves_table(data) && serves_options(options) && keeps_nodes(options, data) &&
           (!has_names(data) || serves_names(options));
}

bool fast_grower_serves_gaps(const GrowOptions& options) {
    return options.missing == missing::policy_named("learned_side");
}

bool needs_finer_grids(const data::Target& target) {
    return !target.is_classification() && target.n_outputs == 1 &&
           data::is_too_coarse(target.values);
}

Engine engine_of(const GrowOptions& options, const data::Dataset& data, bool is_weighed) {
    if (!fast_grower_serves(options, data)) return Engine::general;
    if (grows_in_lists(options, is_weighed)) return Engine::best_cuts;
    const bool draws = options.splitter == split::Splitter::random;  // and needs no exact sums
    if (options.max_leaf_nodes > 0 || (!draws && needs_finer_grids(data.target)))
        return Engine::general;
    return cuts_are_drawn_fast(options, data, is_weighed) ? Engine::drawn_cuts : Engine::rows;
}

Engine engine_of_tree(const GrowOptions& options, const data::Dataset& data) {
    const GrowOptions usual;
    if (options.random_ties || options.splitter != split::Splitter::best || !data.weight.empty() ||
        !data.copies.empty())
        return Engine::general;
    // Figures of nodes are noted for these alone (forest/fast/list_cuts.hpp).
    if (options.criterion != "gini" && options.criterion != "squared_error" &&
        options.criterion != "entropy")
        return Engine::general;
    // Ways of holding columns that tests ask for are the general grower's.
    if (options.block != usual.block || options.tally != usual.tally) return Engine::general;
    // A cut takes a row from another, so that there are fewer than two nodes a row.
    if (options.most_nodes < 2 * data.n_rows) return Engine::general;
    GrowOptions in_forest = options;  // ties by column are the fast grower's, too
    in_forest.random_ties = true;
    in_forest.most_nodes = usual.most_nodes;
    return fast_grower_serves(in_forest, data) ? Engine::best_cuts : Engine::general;
}

Engine best_cuts_engine(const ColumnsToLookAt& columns) {
    if (columns.n_columns == 0) return Engine::best_cuts;
    // Moving an entry of a list costs 1; putting a row in its place for a look so much more.
    constexpr double kLookAtFew = 3.0;
    constexpr double kLookAtSparse = 5.0;
    constexpr double kLookAtRare = 4.0;
    const double kLookAtMany = columns.is_rare ? kLookAtRare : 20.0;
    const double few = static_cast<double>(columns.n_few) / static_cast<double>(columns.n_columns);
    const double sparse =
        static_cast<double>(columns.n_sparse) / static_cast<double>(columns.n_columns);
    const double look =
        few * kLookAtFew + sparse * kLookAtSparse + (1.0 - few - sparse) * kLookAtMany;
    const auto n_drawn = static_cast<double>(columns.n_drawn);
    // Names are counted by either; where there are some, a list of rows is moved, too.
    const double names =
        static_cast<double>(columns.n_names) / static_cast<double>(columns.n_columns);
    const double in_lists = static_cast<double>(columns.n_columns - columns.n_names) +
                            (columns.n_names > 0 ? 1.0 : 0.0) + names * kLookAtFew * n_drawn;
    return look * n_drawn < in_lists ? Engine::rows : Engine::best_cuts;
}

}  // namespace treewright::grow
