#pragma once

#include "treewright/criteria/traits.hpp"

namespace treewright::criteria {

/// Mean absolute deviation from the median (Breiman et al. 1984, section 8.11). Medians do not add,
/// so it is not a `Criterion`: it meets a contract of its own (grow/absolute_finder.hpp).
struct AbsoluteError {
    static constexpr Traits traits{.name = "absolute_error",
                                   .task = Task::numbers,
                                   .impurity = "absolute deviation",
                                   .power_of_unit = 1.0,
                                   .is_bounded = false,
                                   .is_additive = false};
};

}  // namespace treewright::criteria
