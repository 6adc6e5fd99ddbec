/// What a policy for missing values must offer: its traits, and how such rows enter the search.
///
/// A policy prepares the tally of a column before the search, and its traits say what becomes of
/// the rows afterwards. Nothing compares names; Python reads the traits too (grow/missing.py).
#pragma once

#include <concepts>
#include <cstddef>
#include <vector>

#include "treewright/missing/traits.hpp"
#include "treewright/split/judge.hpp"

namespace treewright::missing {

/// The runs whose values stand in for missing ones.
struct Fill {
    bool is_set = false;
    std::size_t run = 0;                    ///< at prediction, and in training unless per class
    std::vector<std::size_t> run_of_class;  ///< where the value depends on the class
};

/// A policy has traits, and a function template `prepare(criterion, scale, tally, fill)`.
template <class P>
concept MissingPolicy = requires {
    { P::traits } -> std::convertible_to<Traits>;
};

/// What policies share that leave such rows out of the search.
struct LeavesOut {
    template <criteria::Criterion C>
    static split::MissingPart prepare(const C&, data::Scale, split::Tally&, Fill&) {
        return split::MissingPart::absent;
    }
};

}  // namespace treewright::missing
