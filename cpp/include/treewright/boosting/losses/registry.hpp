/// The list of losses, one line each.
#pragma once

#include <optional>
#include <string_view>
#include <tuple>
#include <variant>

#include "treewright/boosting/losses/absolute_error.hpp"
#include "treewright/boosting/losses/exponential.hpp"
#include "treewright/boosting/losses/gamma.hpp"
#include "treewright/boosting/losses/huber.hpp"
#include "treewright/boosting/losses/log_loss.hpp"
#include "treewright/boosting/losses/ordinal.hpp"
#include "treewright/boosting/losses/poisson.hpp"
#include "treewright/boosting/losses/quantile.hpp"
#include "treewright/boosting/losses/squared_error.hpp"
#include "treewright/boosting/losses/tweedie.hpp"

namespace treewright::boosting {

using Losses = std::tuple<SquaredError, AbsoluteError, Huber, Quantile, Poisson, Gamma, Tweedie,
                          LogLoss, Exponential, Ordinal>;

template <class>
struct OneOf;
template <class... L>
struct OneOf<std::tuple<L...>> {
    using Type = std::variant<L...>;
};

/// One of the losses, with its parameter. Loops over rows stand inside one std::visit, never around
/// it.
using AnyLoss = OneOf<Losses>::Type;

/// The loss of a name, with the parameter where it has one; nothing if there is none of the name.
[[nodiscard]] inline std::optional<AnyLoss> loss_named(std::string_view name, double parameter) {
    std::optional<AnyLoss> found;
    const auto try_one = [&]<class L>() {
        if (L::name != name) return;
        if constexpr (requires { L{parameter}; }) found = L{parameter};
        else found = L{};
    };
    [&]<class... L>(std::tuple<L...>*) {
        (try_one.template operator()<L>(), ...);
    }(static_cast<Losses*>(nullptr));
    return found;
}

}  // namespace treewright::boosting
