/// Every knob of one tree, as plain values. Validated in Python (grow/options.py).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "treewright/data/block.hpp"
#include "treewright/split/oblique/options.hpp"

namespace treewright {

enum class Splitter : std::uint8_t { best, random };
enum class Nominal : std::uint8_t { multiway, subset, one_vs_rest, groups };
/// How columns with an order are divided: one cut, or several at once.
enum class Numeric : std::uint8_t { threshold, mdlp, cal5 };
enum class Missing : std::uint8_t {
    divide,
    learned_side,
    surrogates,
    most_likely,
    most_likely_in_class,
    own_branch,
    majority
};
enum class ThresholdAt : std::uint8_t {
    midpoint,  ///< halfway between the neighbouring values of the node
    observed,  ///< the lower of the two
    training   ///< C4.5: the largest value of the whole training set not above the midpoint
};
enum class Selection : std::uint8_t {
    gain,
    gain_ratio,             ///< gain / split information
    guarded_gain_ratio,     ///< the same, among columns of at least average gain (C4.5)
    c5_gain_ratio,          ///< C5.0: nearly equal ratios are ties, fewer branches win
    guarded_c5_gain_ratio,  ///< the same, among columns of enough gain
};
enum class CostRule : std::uint8_t { none, tan_schlimmer, nunez, rpart };
enum class TallyWay : std::uint8_t { automatic, counting, sorting };

/// CHAID: values that do not differ in the target are merged (split/chaid/merge.hpp), and the
/// column with the smallest p-value wins.
struct Merging {
    bool is_on = false;
    double alpha_merge = 0.05;
    double alpha_split = 0.05;
    double alpha_resplit = -1.0;  ///< of a binary split of merged values; below 0: none is tried
    bool exhaustive = false;      ///< merge down to two groups and take the best step
    bool floats_last = false;     ///< missing values join when the groups of the others are formed
    bool adjusts = true;          ///< multiply p-values by the number of groupings (Bonferroni)
};

struct GrowOptions {
    std::string criterion = "gini";
    Splitter splitter = Splitter::best;
    Nominal nominal = Nominal::subset;
    Numeric numeric = Numeric::threshold;
    Missing missing = Missing::learned_side;
    ThresholdAt threshold_at = ThresholdAt::midpoint;
    Selection selection = Selection::gain;
    bool class_boundaries = false;       ///< cuts only between neighbours that differ in class
    bool empty_branches = false;         ///< multiway: a branch for every declared value
    bool strict_gain = false;            ///< a split must gain something
    bool idle_values = false;            ///< C4.5 release 8: but not one by the values of a column
    bool mdl_penalty = false;            ///< C4.5: gain of a cut less log2(cuts) / rows
    bool c45_sides = false;              ///< C4.5: smallest side of a cut between min_leaf and 25
    std::uint32_t declared_classes = 0;  ///< C4.5: classes that the smallest side is divided by
    bool single_precision = false;       ///< C4.5 release 8: gains are floats
    double min_information = 0.0;        ///< C4.5 release 8: split information a gain ratio needs
    bool penalty_by_interval = false;    ///< C5.0: the penalty of a cut may be that of its interval
    double min_gap = 0.0;                ///< J48: a cut lies between values further apart than this
    bool two_branches_suffice = false;   ///< C4.5: two branches of min_leaf rows are enough
    double pure_share = 1.0;    ///< C5.0: a class of this share of a node leaves nothing to ask
    double whole_weight = 0.0;  ///< of the whole table, where a part is grown; 0: the rows given

    std::int64_t max_depth = -1;
    std::int64_t max_leaf_nodes = -1;  ///< grows best-first when set
    double min_split = 2.0;            ///< rows (copies) a node must have to be split
    double min_leaf = 1.0;             ///< rows (copies) every branch must have
    double min_leaf_weight = 0.0;
    double min_branch_share = 0.0;  ///< every branch must have more than this share of the rows
    double min_impurity = 0.0;
    double min_gain = 0.0;  ///< weighted by the node's share of all weight
    double max_p_value = 1.0;
    std::uint32_t max_columns = 0;       ///< drawn per node; 0 = all
    std::vector<std::uint32_t> columns;  ///< the columns this tree may use, ascending
    bool random_ties = false;  ///< ties go to the column drawn first, not to the lower one
    std::vector<double> costs;
    CostRule cost_rule = CostRule::none;
    double cost_exponent = 1.0;
    std::vector<std::int8_t> monotonic;  ///< per column: -1, 0, 1; empty = none
    std::uint32_t max_surrogates = 5;
    ObliqueOptions oblique;
    Merging merging;
    double cal5_threshold = 0.8;  ///< share of a class that dominates an interval
    double cal5_alpha = 0.3;
    double evidence = 1.0;  ///< rows that a unit of weight stands for in tests of significance

    std::uint64_t seed = 0;
    std::uint64_t tree = 0;
    std::size_t n_threads = 1;
    BlockOptions block;
    TallyWay tally = TallyWay::automatic;
    bool fuse = true;  ///< scan without a tally where possible; the same splits either way
};

[[nodiscard]] inline bool selects_as_c5(const GrowOptions& options) {
    return options.selection == Selection::c5_gain_ratio ||
           options.selection == Selection::guarded_c5_gain_ratio;
}

/// Rows every branch of a node must have: the limit for all nodes, or more than a share of its own.
[[nodiscard]] inline double smallest_branch(const GrowOptions& options, double n_copies) {
    if (options.min_branch_share <= 0.0) return options.min_leaf;
    // A share that is a whole number of rows must not fall short of it by rounding.
    const double share = std::floor(options.min_branch_share * n_copies * (1.0 + 1e-12));
    return std::max(options.min_leaf, share + 1.0);
}

}  // namespace treewright
