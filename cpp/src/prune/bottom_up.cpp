#include "treewright/prune/bottom_up.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace treewright::prune {

namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();

/// Queues of nodes, the one of the highest penalty first (of equals, of the highest number), that
/// are merged in logarithmic time: leftist heaps (Crane 1972). Node -1 is the empty queue.
class Queues {
public:
    explicit Queues(std::span<const double> penalty)
        : penalty(penalty),
          left(penalty.size(), -1),
          right(penalty.size(), -1),
          rank(penalty.size(), 1) {}

    std::int32_t merge(std::int32_t a, std::int32_t b) {
        if (a < 0) return b;
        if (b < 0) return a;
        if (is_before(b, a)) std::swap(a, b);
        std::int32_t& deeper = right[at(a)];  // the right spine is no longer than log2 of the size
        deeper = merge(deeper, b);
        if (rank_of(left[at(a)]) < rank_of(deeper)) std::swap(left[at(a)], deeper);
        rank[at(a)] = rank_of(right[at(a)]) + 1;
        return a;
    }
    std::int32_t without_first(std::int32_t queue) {
        return merge(left[at(queue)], right[at(queue)]);
    }

private:
    [[nodiscard]] static std::size_t at(std::int32_t node) {
        return static_cast<std::size_t>(node);
    }
    [[nodiscard]] std::int32_t rank_of(std::int32_t node) const {
        return node < 0 ? 0 : rank[at(node)];
    }
    [[nodiscard]] bool is_before(std::int32_t a, std::int32_t b) const {
        return std::pair(penalty[at(a)], a) > std::pair(penalty[at(b)], b);
    }

    std::span<const double> penalty;
    std::vector<std::int32_t> left;
    std::vector<std::int32_t> right;
    std::vector<std::int32_t> rank;
};

}  // namespace

std::vector<double> sums_below(std::span<const std::int32_t> parent, std::span<const double> values,
                               std::span<const bool> stops) {
    std::vector<double> below(parent.size(), 0.0);
    for (std::size_t i = parent.size(); i-- > 1;) {
        const bool is_end = !stops.empty() && stops[i];
        below[static_cast<std::size_t>(parent[i])] += is_end ? values[i] : values[i] + below[i];
    }
    return below;
}

CutNodes cut_from_below(const FromBelow& way) {
    CutNodes out;
    std::vector<double> current(way.figure.begin(), way.figure.end());
    std::vector<bool> is_leaf(current.size());
    for (std::size_t node = current.size(); node-- > 0;) {
        is_leaf[node] = way.n_branches[node] == 0;
        if (is_leaf[node]) continue;
        double subtree = 0.0;
        bool is_candidate = true;
        for (std::int32_t b = 0; b < way.n_branches[node]; ++b) {
            const auto child = static_cast<std::size_t>(way.first_child[node] + b);
            subtree += current[child];
            is_candidate = is_candidate && (is_leaf[child] || !way.only_leaf_parents);
        }
        if (!way.questions.empty()) subtree += way.questions[node];
        if (is_candidate && subtree + way.slack >= way.bound[node]) {
            is_leaf[node] = true;
            out.node.push_back(static_cast<std::int64_t>(node));
            out.subtree.push_back(subtree);
        } else {
            current[node] = subtree;
        }
    }
    return out;
}

// The queue of a subtree lists what is pruned there as the penalty grows. A node's own ratio drops
// entries of higher penalties: it is pruned before them. Each is dropped once.
std::vector<double> weakest_links(std::span<const std::int32_t> first_child,
                                  std::span<const std::int32_t> n_branches,
                                  std::span<const double> risk) {
    const std::size_t n_nodes = risk.size();
    std::vector<double> penalty(n_nodes, kInfinite);
    std::vector<double> risk_cut(n_nodes, 0.0);        // what each cut adds
    std::vector<std::int64_t> leaves_cut(n_nodes, 0);  // and takes away
    std::vector<std::int32_t> queue_of(n_nodes, -1);
    Queues queues(penalty);
    for (std::size_t node = n_nodes; node-- > 0;) {
        if (n_branches[node] == 0) continue;
        // From the end, where every branch is a leaf, back to where the node's own ratio is next.
        std::int64_t n_leaves = n_branches[node];
        double below = 0.0;
        std::int32_t queue = -1;
        for (std::int32_t b = 0; b < n_branches[node]; ++b) {
            const auto child = static_cast<std::size_t>(first_child[node] + b);
            below += risk[child];
            queue = queues.merge(queue, queue_of[child]);
        }
        const auto ratio = [&] {
            return std::max((risk[node] - below) / static_cast<double>(n_leaves - 1), 0.0);
        };
        penalty[node] = ratio();
        while (queue >= 0 && penalty[static_cast<std::size_t>(queue)] >= penalty[node]) {
            const auto cut = static_cast<std::size_t>(queue);
            queue = queues.without_first(queue);
            below -= risk_cut[cut];
            n_leaves += leaves_cut[cut];
            penalty[node] = ratio();
        }
        risk_cut[node] = risk[node] - below;
        leaves_cut[node] = n_leaves - 1;
        queue_of[node] = queues.merge(queue, static_cast<std::int32_t>(node));
    }
    return penalty;
}

}  // namespace treewright::prune
