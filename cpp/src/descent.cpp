#include "treewright/prune/descent.hpp"

namespace treewright {

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

}  // namespace treewright
