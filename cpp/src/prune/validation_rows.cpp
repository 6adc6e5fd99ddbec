#include "treewright/prune/validation_rows.hpp"

#include <utility>

namespace treewright::prune {

Followers::Arrived Followers::everything() const {
    Arrived out;
    for (const Shares& each : shares) out.push_back(each.everything());
    return out;
}

Followers::Divided Followers::divide(const Arrived& arrived, std::int32_t node,
                                     const std::vector<double>& fractions) {
    const NodeQuestion& question = tree.question(node);
    Divided out;
    for (std::size_t s = 0; s < shares.size(); ++s) {
        out.push_back(shares[s].divide(arrived[s], *question.plan, question.at, fractions.size()));
        out.back().known = fractions;
    }
    return out;
}

Followers::Arrived Followers::branch_of(const Arrived& arrived, const Divided& divided,
                                        std::int32_t branch) const {
    Arrived out;
    for (std::size_t s = 0; s < shares.size(); ++s)
        out.push_back(shares[s].branch_of(arrived[s], divided[s], branch));
    return out;
}

std::vector<double> Followers::costs(std::int32_t node) const {
    std::vector<double> out;
    for (const auto& each : errors) out.push_back(each[static_cast<std::size_t>(node)]);
    return out;
}

void Followers::settle_leaf(std::int32_t leaf, const Arrived& arrived) {
    if (shares.empty()) return;
    const std::size_t decided = judge.decide(tree.spoken(leaf));
    for (std::size_t s = 0; s < shares.size(); ++s)
        errors[s][static_cast<std::size_t>(leaf)] =
            judge.cost(shares[s].count(arrived[s], local.data()), decided);
}

void Followers::add_up(std::int32_t node) {
    const Place& place = tree.place(node);
    for (auto& each : errors) {
        double sum = 0.0;
        for (std::int32_t b = 0; b < place.n_branches; ++b)
            sum += each[static_cast<std::size_t>(place.first_child + b)];
        each[static_cast<std::size_t>(node)] = sum;
    }
}

void Followers::spread(std::int32_t node, const Arrived& arrived) {
    if (shares.empty()) return;
    std::vector<std::pair<std::int32_t, Arrived>> pending = {{node, arrived}};
    std::vector<std::int32_t> asking;  // every node before those below it
    std::vector<double> fractions;
    while (!pending.empty()) {
        progress.check(true);
        const auto [at, here] = std::move(pending.back());
        pending.pop_back();
        const Place& place = tree.place(at);
        if (place.n_branches == 0) {
            settle_leaf(at, here);
            continue;
        }
        asking.push_back(at);
        tree.fractions(at, fractions);
        const Divided divided = divide(here, at, fractions);
        for (std::int32_t b = 0; b < place.n_branches; ++b)
            pending.emplace_back(place.first_child + b, branch_of(here, divided, b));
    }
    for (std::size_t i = asking.size(); i-- > 0;) add_up(asking[i]);
}

}  // namespace treewright::prune
