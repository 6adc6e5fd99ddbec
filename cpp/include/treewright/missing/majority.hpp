#pragma once

#include "treewright/missing/concept.hpp"

namespace treewright::missing {

/// A row without a value goes where most rows go.
struct Majority : LeavesOut {
    static constexpr Traits traits{.name = "majority", .sends_to_one_side = true};
};

}  // namespace treewright::missing
