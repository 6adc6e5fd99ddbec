/// How missing values enter the search for a split: each policy prepares the tally
/// before the search and says afterwards where they go. (C4.5's divided cases and CART's
/// surrogates act in the partition of the rows: data/partition.hpp, missing/surrogates.hpp.)
#pragma once

#include <cstdint>

#include "treewright/missing/most_likely.hpp"
#include "treewright/missing/own_branch.hpp"

namespace treewright::missing {

enum class Missing : std::uint8_t {
    divide,
    learned_side,
    surrogates,
    most_likely,
    most_likely_in_class,
    own_branch,
    majority
};

/// How missing values take part in the search; `fill` is set where they were replaced by a value.
template <criteria::Criterion C>
split::MissingPart prepare_missing(const C& criterion, Missing policy, data::Scale scale,
                                   split::Tally& tally, Fill& fill) {
    fill = Fill{};
    switch (policy) {
        case Missing::divide:
        case Missing::surrogates:
        case Missing::majority: return split::MissingPart::absent;
        case Missing::learned_side: return split::MissingPart::sides;
        case Missing::own_branch: return own_branch(scale, tally);
        case Missing::most_likely: return fill_most_likely(scale, tally, fill);
        case Missing::most_likely_in_class:
            return fill_most_likely_in_class(criterion, scale, tally, fill);
    }
    return split::MissingPart::absent;
}

}  // namespace treewright::missing
