#pragma once

#include "treewright/missing/concept.hpp"

namespace treewright::missing {

/// C4.5: a row without a value follows every branch with a part of its weight (Quinlan 1993,
/// chapter 3). The parts are made where rows are partitioned (data/partition.hpp).
struct Divide : LeavesOut {
    static constexpr Traits traits{.name = "divide", .divides = true};
};

}  // namespace treewright::missing
