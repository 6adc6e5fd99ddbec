/// The list of policies for missing values, one line each. The names accepted in Python follow from
/// it, in this order.
#pragma once

#include <cstddef>
#include <tuple>
#include <utility>
#include <vector>

#include "treewright/missing/divide.hpp"
#include "treewright/missing/learned_side.hpp"
#include "treewright/missing/majority.hpp"
#include "treewright/missing/most_likely.hpp"
#include "treewright/missing/most_likely_in_class.hpp"
#include "treewright/missing/own_branch.hpp"
#include "treewright/missing/surrogates.hpp"

namespace treewright::missing {

using Policies =
    std::tuple<Divide, LearnedSide, Surrogates, MostLikely, MostLikelyInClass, OwnBranch, Majority>;
inline constexpr std::size_t kPolicies = std::tuple_size_v<Policies>;

/// The traits of all policies, in the order of the list.
[[nodiscard]] const std::vector<Traits>& all_traits();

/// How missing values take part in the search; `fill` is set where they were replaced by a value.
template <criteria::Criterion C>
split::MissingPart prepare_missing(const C& criterion, const Policy& policy, data::Scale scale,
                                   split::Tally& tally, Fill& fill) {
    fill = Fill{};
    auto part = split::MissingPart::absent;
    [&]<std::size_t... I>(std::index_sequence<I...>) {
        ((I == policy.place ? void(part = std::tuple_element_t<I, Policies>::prepare(
                                       criterion, scale, tally, fill))
                            : void()),
         ...);
    }(std::make_index_sequence<kPolicies>{});
    return part;
}

}  // namespace treewright::missing
