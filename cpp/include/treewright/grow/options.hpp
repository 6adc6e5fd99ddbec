/// Every option of one tree, as plain values. Validated in Python (grow/options.py).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "treewright/data/block.hpp"
#include "treewright/missing/traits.hpp"
#include "treewright/split/oblique/options.hpp"
#include "treewright/split/options.hpp"

namespace treewright::grow {

struct GrowOptions : split::SplitOptions {
    std::string criterion = "gini";
    split::Splitter splitter = split::Splitter::best;
    split::Numeric numeric = split::Numeric::threshold;
    missing::Policy missing = missing::policy_named("learned_side");
    split::ThresholdAt threshold_at = split::ThresholdAt::midpoint;
    bool class_boundaries = false;      ///< cuts only between neighbours that differ in class
    bool empty_branches = false;        ///< multiway: a branch for every declared value
    bool mdl_penalty = false;           ///< C4.5: gain of a cut less log2(cuts) / rows
    bool c45_sides = false;             ///< C4.5: smallest side of a cut between min_leaf and 25
    bool penalty_by_interval = false;   ///< C5.0: the penalty of a cut may be that of its interval
    double min_gap = 0.0;               ///< J48: a cut lies between values further apart than this
    bool two_branches_suffice = false;  ///< C4.5: two branches of min_leaf rows are enough
    double pure_share = 1.0;            ///< C5.0: a class of this share makes a leaf
    double whole_weight = 0.0;  ///< of the whole table, where a part is grown; 0: the rows given

    std::int64_t max_depth = -1;
    std::int64_t max_leaf_nodes = -1;                     ///< grows best-first when set
    std::size_t most_nodes = (std::size_t{1} << 31) - 1;  ///< more are refused: std::bad_alloc
    double min_split = 2.0;  ///< rows (copies) a node must have to be split
    double min_leaf = 1.0;   ///< rows (copies) every branch must have
    double min_leaf_weight = 0.0;
    double min_branch_share = 0.0;  ///< every branch must have more than this share of the rows
    double min_impurity = 0.0;
    double min_gain = 0.0;  ///< weighted by the node's share of all weight
    double max_p_value = 1.0;
    std::uint32_t max_columns = 0;       ///< drawn per node; 0 = all
    std::vector<std::uint32_t> columns;  ///< the columns this tree may use, ascending
    bool random_ties = false;  ///< ties go to the column drawn first, not to the lower one
    std::vector<std::int8_t> monotonic;  ///< per column: -1, 0, 1; empty = none
    std::uint32_t max_surrogates = 5;
    split::ObliqueOptions oblique;

    std::uint64_t seed = 0;
    std::uint64_t tree = 0;
    std::size_t n_threads = 1;
    data::BlockOptions block;
    split::TallyWay tally = split::TallyWay::automatic;
    bool fuse = true;  ///< scan without a tally where possible; the same splits either way

    bool operator==(const GrowOptions&) const = default;
};

}  // namespace treewright::grow
