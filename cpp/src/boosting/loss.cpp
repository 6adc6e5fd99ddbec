#include "treewright/boosting/loss.hpp"

#include <utility>

#include "treewright/base/error.hpp"

namespace treewright::boosting {

LossKind loss_kind_of(std::string_view name) {
    constexpr std::pair<std::string_view, LossKind> kNames[] = {
        {"squared_error", LossKind::squared},
        {"absolute_error", LossKind::absolute},
        {"quantile", LossKind::quantile},
        {"huber", LossKind::huber},
        {"poisson", LossKind::poisson},
        {"gamma", LossKind::gamma},
        {"tweedie", LossKind::tweedie},
        {"log_loss", LossKind::logistic},
        {"exponential", LossKind::exponential},
        {"multinomial", LossKind::multinomial},
        {"given", LossKind::given}};
    for (const auto& [known, kind] : kNames)
        if (known == name) return kind;
    throw InvariantError("unknown loss");
}

}  // namespace treewright::boosting
