#pragma once

#include "treewright/missing/concept.hpp"

namespace treewright::missing {

/// Rows without a value are tried on each side of every question, and take the better one.
struct LearnedSide {
    static constexpr Traits traits{
        .name = "learned_side", .is_judged = true, .tries_sides = true, .sends_to_one_side = true};

    template <criteria::Criterion C>
    static split::MissingPart prepare(const C&, data::Scale, split::Tally&, Fill&) {
        return split::MissingPart::sides;
    }
};

}  // namespace treewright::missing
