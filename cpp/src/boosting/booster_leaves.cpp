// What leaves predict where the loss says little by its gradients: an answer of their residuals.

#include <algorithm>
#include <limits>
#include <span>
#include <vector>

#include "treewright/boosting/booster.hpp"
#include "treewright/boosting/residual_leaves.hpp"

namespace treewright::boosting {

double Booster::residual_answer(const BoostTree& tree, std::span<const GrownLeaf> leaves) const {
    const auto each = [&](auto&& use) {
        for (const GrownLeaf& leaf : leaves)
            for (std::size_t at = 0; at < leaf.rows.n; ++at) {
                const std::size_t row = leaf.rows[at];
                use(row, y[row] - scores[row] - line_part(tree, leaf.node, row));
            }
    };
    if (weight.empty()) {
        std::vector<double> residuals;
        each([&](std::size_t, double left) { residuals.push_back(left); });
        return residuals.empty() ? 0.0 : answer_of_residuals(objective.loss, residuals);
    }
    std::vector<Residual> residuals;
    each([&](std::size_t row, double left) {
        if (weight_of(row) > 0.0) residuals.push_back({left, weight_of(row)});
    });
    return residuals.empty() ? 0.0 : answer_of_residuals(objective.loss, residuals);
}

void Booster::renew(BoostTree& tree, const GrowBuffers& memory, std::span<const int> monotonic,
                    Team& team) const {
    if (!objective.traits().answers_by_residuals) return;
    team.for_each(memory.leaves.size(), [&](std::size_t i, std::size_t) {
        const GrownLeaf& leaf = memory.leaves[i];
        tree.nodes[leaf.node].value = residual_answer(tree, {&leaf, 1});
    });
    if (!monotonic.empty()) keep_order(tree, memory.leaves, monotonic);
}

/// Predictions below the two children of a monotonic split stay on either side of the midpoint of
/// the children's own predictions, as while the tree was grown.
void Booster::keep_order(BoostTree& tree, std::span<const GrownLeaf> leaves,
                         std::span<const int> monotonic) const {
    std::vector<std::vector<GrownLeaf>> below(tree.nodes.size());
    for (const GrownLeaf& leaf : leaves) below[leaf.node].push_back(leaf);
    for (std::size_t i = tree.nodes.size(); i-- > 0;)
        if (!tree.nodes[i].is_leaf())
            for (const std::size_t child : {0, 1}) {
                const auto& more = below[tree.nodes[i].first_child + child];
                below[i].insert(below[i].end(), more.begin(), more.end());
            }
    constexpr double kFar = std::numeric_limits<double>::infinity();
    std::vector<Limits> limits(tree.nodes.size(), {-kFar, kFar});
    for (std::size_t i = 0; i < tree.nodes.size(); ++i) {  // parents come first
        BoostNode& node = tree.nodes[i];
        if (node.is_leaf()) {
            node.value = std::clamp(node.value, limits[i].low, limits[i].high);
            continue;
        }
        const auto first = static_cast<std::size_t>(node.first_child);
        Limits& low = limits[first];
        Limits& high = limits[first + 1];
        low = high = limits[i];
        const int sign = monotonic[node.column];
        if (sign == 0 || node.subset >= 0) continue;
        double middle = 0.0;
        for (const std::size_t child : {first, first + 1})
            middle +=
                std::clamp(residual_answer(tree, below[child]), limits[i].low, limits[i].high) /
                2.0;
        (sign > 0 ? low.high : low.low) = middle;
        (sign > 0 ? high.low : high.high) = middle;
    }
}

}  // namespace treewright::boosting
