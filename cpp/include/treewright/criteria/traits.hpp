/// The traits of a criterion: what the core and Python must know of it besides its sums.
///
/// All code that depends on the criterion reads these; nothing compares names. Python reads them
/// all (criteria.py), so that a new criterion is one file here and one line in the registry.
#pragma once

#include <string_view>

namespace treewright::criteria {

enum class Task { classes, numbers };

struct Traits {
    std::string_view name;
    Task task = Task::classes;
    /// The impurity printed beside nodes: "gini", "entropy", ... of classes;
    /// "variance", "sum of squares", ... of numbers.
    std::string_view impurity = "gini";
    /// Name of the figure that candidates are compared by, as printed.
    std::string_view score = "gain";
    /// Impurity grows with this power of the unit of the target; classes have none.
    double power_of_unit = 0.0;
    /// Impurity is this power of the variance (regression only).
    double power_of_variance = 1.0;
    /// Gains are bits or shares: 2 can be raised to them (Nunez's rule for costs).
    bool is_bounded = true;
    /// Gains are bits, which can be compared with the bits of a description.
    bool is_in_bits = false;
    /// Gains and impurities are sums over the node's rows, not per unit of weight.
    bool sums_over_rows = false;
    /// Two branches are judged together: three branches have no gain.
    bool is_binary = false;
    /// Branches have sums that add; absolute error has none, and sorts (grow/absolute_finder.hpp).
    bool is_additive = true;
    /// A deviance of counts: the target must not be negative, and y log y is summed.
    bool is_deviance = false;
    /// Judges classes by their order, which must be known.
    bool needs_order = false;
    /// Has its own loops that need no tally: the fused scan, the fast grower of forests.
    bool is_fused = false;
    /// The fast grower of forests on rows knows it, too (forest/fast/row_cuts.hpp).
    bool grows_on_rows = false;
    /// AdaBoost's stumps can be judged by it.
    bool judges_stumps = false;
    /// Splits are compared to the last bit, because a program's own rounding is wanted.
    bool compares_last_bits = false;
    /// Users may choose it by name; if not, it belongs to an algorithm.
    bool is_offered = true;
};

}  // namespace treewright::criteria
