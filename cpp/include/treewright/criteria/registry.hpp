/// The list of criteria, one line each. The names accepted in Python follow from it, in this order.
#pragma once

#include <string_view>
#include <tuple>
#include <vector>

#include "treewright/base/error.hpp"
#include "treewright/criteria/absolute_error.hpp"
#include "treewright/criteria/anova.hpp"
#include "treewright/criteria/chi2.hpp"
#include "treewright/criteria/entropy.hpp"
#include "treewright/criteria/fifth_root.hpp"
#include "treewright/criteria/gini.hpp"
#include "treewright/criteria/given/of_classes.hpp"
#include "treewright/criteria/given/of_numbers.hpp"
#include "treewright/criteria/hellinger.hpp"
#include "treewright/criteria/misclassification.hpp"
#include "treewright/criteria/ordinal_gini.hpp"
#include "treewright/criteria/poisson.hpp"
#include "treewright/criteria/programs/rpart_gini.hpp"
#include "treewright/criteria/programs/single_entropy.hpp"
#include "treewright/criteria/squared_error.hpp"
#include "treewright/criteria/standard_deviation.hpp"
#include "treewright/criteria/twoing.hpp"
#include "treewright/criteria/weighted_squared_error.hpp"

namespace treewright::criteria {

using Criteria =
    std::tuple<Gini, Entropy, SingleEntropy, Misclassification, ChiSquare, Twoing, Hellinger,
               OrdinalGini, SquaredError, AbsoluteError, Poisson, WeightedSquaredError, Anova,
               StandardDeviation, FifthRoot, RpartGini, Given, GivenOfNumbers>;

/// The traits of all criteria, in the order of the list.
[[nodiscard]] inline std::vector<Traits> all_traits() {
    return []<class... C>(std::tuple<C...>*) {
        return std::vector<Traits>{C::traits...};
    }(static_cast<Criteria*>(nullptr));
}

/// Those of the criterion of that name.
[[nodiscard]] inline Traits traits_of(std::string_view name) {
    for (const Traits& traits : all_traits())
        if (traits.name == name) return traits;
    throw InvariantError("unknown criterion");
}

/// Calls f.template operator()<C>() for the additive criterion of that name; false if there is
/// none.
template <class F>
bool with_criterion(std::string_view name, F&& f) {
    bool found = false;
    const auto try_one = [&]<class C>() {
        if constexpr (C::traits.is_additive) {
            if (C::traits.name != name) return;
            found = true;
            f.template operator()<C>();
        }
    };
    [&]<class... C>(std::tuple<C...>*) {
        (try_one.template operator()<C>(), ...);
    }(static_cast<Criteria*>(nullptr));
    return found;
}

}  // namespace treewright::criteria
