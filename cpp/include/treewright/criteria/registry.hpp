/// The list of criteria, one line each. The names accepted in Python follow from it.
#pragma once

#include <string_view>
#include <tuple>

#include "treewright/criteria/anova.hpp"
#include "treewright/criteria/chi2.hpp"
#include "treewright/criteria/entropy.hpp"
#include "treewright/criteria/fifth_root.hpp"
#include "treewright/criteria/gini.hpp"
#include "treewright/criteria/hellinger.hpp"
#include "treewright/criteria/misclassification.hpp"
#include "treewright/criteria/poisson.hpp"
#include "treewright/criteria/single_entropy.hpp"
#include "treewright/criteria/squared_error.hpp"
#include "treewright/criteria/standard_deviation.hpp"
#include "treewright/criteria/twoing.hpp"
#include "treewright/criteria/weighted_squared_error.hpp"

namespace treewright::criteria {

/// Absolute error has no additive sums; it meets a contract of its own (grow/absolute_finder.hpp).
using Criteria =
    std::tuple<Gini, Entropy, SingleEntropy, Misclassification, ChiSquare, Hellinger, Twoing,
               SquaredError, WeightedSquaredError, Anova, StandardDeviation, FifthRoot, Poisson>;

/// Calls f.template operator()<C>() for the criterion of that name; false if there is none.
template <class F>
bool with_criterion(std::string_view name, F&& f) {
    bool found = false;
    const auto try_one = [&]<class C>() {
        if (C::name != name) return;
        found = true;
        f.template operator()<C>();
    };
    [&]<class... C>(std::tuple<C...>*) {
        (try_one.template operator()<C>(), ...);
    }(static_cast<Criteria*>(nullptr));
    return found;
}

}  // namespace treewright::criteria
