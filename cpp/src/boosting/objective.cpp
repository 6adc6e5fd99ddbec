#include "treewright/boosting/objective.hpp"

#include "treewright/base/error.hpp"

namespace treewright::boosting {

LossTraits Objective::traits() const {
    if (source == GradientSource::given) return {};
    return std::visit([](const auto& own) { return own.traits; }, loss);
}

DerivativeRange Objective::range() const {
    if (source == GradientSource::given) return {};
    return std::visit([](const auto& own) { return own.range(); }, loss);
}

Objective objective_named(std::string_view name, double parameter) {
    if (name == "multinomial") return {GradientSource::multinomial, LogLoss{}};
    if (name == "given") return {GradientSource::given, {}};
    const std::optional<AnyLoss> found = loss_named(name, parameter);
    require(found.has_value(), "unknown loss");
    return {GradientSource::loss, *found};
}

}  // namespace treewright::boosting
