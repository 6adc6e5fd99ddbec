/// The options of the searches for a split, and of the choice among their results: the part of a
/// tree's options that is about splits.
#pragma once

#include <cstdint>
#include <vector>

namespace treewright::split {

enum class Splitter : std::uint8_t { best, random };
enum class Nominal : std::uint8_t { multiway, subset, one_vs_rest, groups };
/// How columns with an order are divided: one cut, or several at once.
enum class Numeric : std::uint8_t { threshold, mdlp, cal5 };
enum class ThresholdAt : std::uint8_t {
    midpoint,         ///< halfway between the neighbouring values of the node
    before_midpoint,  ///< rpart asks "x < midpoint" of numbers
    observed,         ///< the lower of the two
    training          ///< C4.5: the largest value of the whole training set not above the midpoint
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

    bool operator==(const Merging&) const = default;
};

struct SplitOptions {
    Nominal nominal = Nominal::subset;
    Selection selection = Selection::gain;
    bool strict_gain = false;            ///< a split must gain something
    bool guard_many_values = false;      ///< names with many values pay for the choice they offer
    double distinct_share = 1.0;         ///< of the rows drawn; a row drawn twice says nothing new
    bool idle_values = false;            ///< C4.5 release 8: but not one by the values of a column
    std::uint32_t declared_classes = 0;  ///< C4.5: classes that the smallest side is divided by
    bool as_rpart = false;               ///< rpart: its order of subsets, cuts and surrogates
    bool single_precision = false;       ///< C4.5 release 8: gains are floats
    double min_information = 0.0;        ///< C4.5 release 8: split information a gain ratio needs
    std::vector<double> costs;
    CostRule cost_rule = CostRule::none;
    double cost_exponent = 1.0;
    Merging merging;
    double cal5_threshold = 0.8;  ///< share of a class that dominates an interval
    double cal5_alpha = 0.3;
    double evidence = 1.0;  ///< rows that a unit of weight stands for in tests of significance

    bool operator==(const SplitOptions&) const = default;
};

[[nodiscard]] inline bool selects_as_c5(const SplitOptions& options) {
    return options.selection == Selection::c5_gain_ratio ||
           options.selection == Selection::guarded_c5_gain_ratio;
}

}  // namespace treewright::split
