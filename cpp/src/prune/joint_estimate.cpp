#include "treewright/prune/joint_estimate.hpp"

namespace treewright::prune {

namespace {

/// Nodes between two checks for an interrupt.
constexpr std::size_t kNodesPerCheck = 256;

}  // namespace

Estimate Descent::estimate(Shares& rows, std::int32_t node, const Share& share, double limit) {
    Estimate total;
    send(rows, node, share, [&](const Sent& here, std::vector<Sent>& below) {
        if (is_empty(here.share, rows)) {
            total += {0.0, {1.0, 0.0}};
        } else if (below.empty()) {
            const Estimate leaf = judge.estimate(rows.count(here.share, local.data()));
            total += here.is_joint ? Estimate{0.0, leaf.size} : leaf;
        } else if (!here.is_joint) {
            small.forget();
            for (Sent& each : below) {
                each.is_joint = is_joint(each.share, rows);
                if (each.is_joint) small.add(rows.count(each.share, local.data()));
            }
            total += small.estimate();
        }
        return total.errors <= limit;
    });
    return total;
}

Estimate Descent::estimate_counted(std::int32_t node, LeavesToBe& leaves) {
    count_below(node, leaves);
    Estimate total;
    for (std::size_t i = 0; i < counted.size(); ++i) {
        Counted& here = counted[i];
        const double* weights = counts.data() + i * tree.n_classes;
        here.is_joint =
            i > 0 && (counted[here.above].is_joint || here.n_copies < options.joint_below);
        if (here.n_copies == 0.0) {
            total += {0.0, {1.0, 0.0}};
        } else if (here.is_leaf) {
            const Estimate leaf =
                here.is_settled ? tree.state(here.node).estimate : judge.estimate(weights);
            total += here.is_joint ? Estimate{0.0, leaf.size} : leaf;
        } else if (!here.is_joint) {
            total += small.estimate(joint.data() + i * tree.n_classes);
        }
    }
    return total;
}

/// Lists the nodes below one, and adds up the rows of their leaves. Class weights are needed for
/// leaves that get rows and for small branches, all below which is small.
void Descent::count_below(std::int32_t node, LeavesToBe& leaves) {
    const std::size_t n = tree.n_classes;
    pending.assign(1, {node, 0});
    counted.clear();
    while (!pending.empty()) {
        if (counted.size() % kNodesPerCheck == 0) progress.check(true);
        const auto [at, above] = pending.back();
        pending.pop_back();
        const Place& place = tree.place(at);
        for (std::int32_t b = 0; b < place.n_branches; ++b)
            pending.emplace_back(place.first_child + b, counted.size());
        counted.push_back({.node = at, .above = above, .is_leaf = place.n_branches == 0});
    }
    counts.assign(counted.size() * n, 0.0);
    joint.assign(counted.size() * n, 0.0);
    for (std::size_t i = counted.size(); i-- > 0;) {  // every node after those below it
        Counted& here = counted[i];
        double* own = counts.data() + i * n;
        if (here.is_leaf) {
            here.n_copies = leaves.n_copies(here.node);
            here.is_settled = !leaves.gets_rows(here.node);
        }
        const bool is_small = here.n_copies < options.joint_below;
        if (here.is_leaf && (is_small || !here.is_settled))
            std::copy_n(leaves.weights(here.node), n, own);
        if (i == 0) break;
        counted[here.above].n_copies += here.n_copies;
        if (!is_small) continue;
        for (std::size_t k = 0; k < n; ++k) {
            counts[here.above * n + k] += own[k];
            joint[here.above * n + k] += own[k];
        }
    }
}

}  // namespace treewright::prune
