/// The requirements of a criterion.
///
/// A criterion turns the sums of a set of rows into a *purity* such that purities of branches
/// simply add, and
///
///     gain = (sum of purity(branch) - purity(all rows)) * scale(all rows).
///
/// For Gini, purity = sum_k w_k^2 / w, which leaves out terms that are the same for every split.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>

#include "treewright/criteria/sums.hpp"
#include "treewright/criteria/traits.hpp"
#include "treewright/data/row_targets.hpp"

namespace treewright::criteria {

template <class C>
concept Criterion = requires(C& c, const C& fixed, double* into, const double* sums,
                             const data::RowTargets& rows, std::uint32_t row, double weight) {
    { C::traits } -> std::convertible_to<Traits>;
    { fixed.width() } -> std::same_as<std::size_t>;
    { fixed.add(into, rows, row, weight) } -> std::same_as<void>;
    { c.begin_node(sums) } -> std::same_as<void>;  // sums of all rows of the node, by `add`
    { c.enter(sums) } -> std::same_as<void>;       // sums of the rows compared next
    { fixed.purity(sums) } -> std::same_as<double>;
    { fixed.pair(sums, sums) } -> std::same_as<double>;  // purity of two branches together
    { fixed.scale(sums) } -> std::same_as<double>;
    { fixed.impurity(sums) } -> std::same_as<double>;  // as people print it, for one node
};

/// Shared by most criteria: branches are judged one by one, and gains are per unit of weight.
template <class Derived>
struct Additive {
    [[nodiscard]] double pair(const double* left, const double* right) const {
        const auto& self = static_cast<const Derived&>(*this);
        return self.purity(left) + self.purity(right);
    }
    [[nodiscard]] double scale(const double* total) const { return 1.0 / total[kWeight]; }
};

}  // namespace treewright::criteria
