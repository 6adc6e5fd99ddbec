/// A tree while it is being pruned: nodes become leaves, branches take the place of nodes, and rows
/// move to other leaves.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "treewright/prune/estimate.hpp"
#include "treewright/prune/shares.hpp"
#include "treewright/tree/plan.hpp"
#include "treewright/tree/tree.hpp"

namespace treewright {

/// A node as it is now.
struct Place {
    std::int32_t source;  ///< node whose question it asks, as `Sources` numbers them
    std::int32_t first_child;
    std::int32_t n_branches;
    std::uint32_t question;  ///< place of `source` in the plan
    const Plan* plan;
};

/// What is known of each node. Whole rows of a node lie together, those of its children inside:
/// `Shares::order()[begin .. begin + n_whole)`.
struct NodeState {
    std::int32_t parent = -1;
    bool has_parts = false;  ///< parts of rows are in the node or below
    /// The rows below have changed since the node was settled, or it never was.
    bool is_open = true;
    std::size_t n_whole = 0;
    Estimate estimate{};    ///< of the subtree
    double at_least = 0.0;  ///< of the estimate, by the whole rows alone, whatever comes
};

class ChangingTree {
public:
    ChangingTree(const Tree& tree, const Plan& plan, std::size_t n_classes)
        : n_classes(n_classes),
          places(tree.nodes.size()),
          states(tree.nodes.size()),
          counts{std::vector<std::int64_t>(tree.nodes.size()),
                 std::vector<double>(tree.nodes.size() * n_classes)},
          begin(tree.nodes.size()) {
        for (std::uint32_t at = 0; at < places.size(); ++at) {
            const std::uint32_t i = plan.order()[at];
            const TreeNode& node = tree.nodes[i];
            places[i] = {static_cast<std::int32_t>(i), node.first_child, node.n_branches, at,
                         &plan};
            states[i].parent = node.parent;
        }
    }

    /// Makes room for more branches of a node; gives the first of them.
    std::int32_t add(std::int32_t parent, std::int32_t n) {
        const auto first = static_cast<std::int32_t>(places.size());
        const std::size_t size = places.size() + static_cast<std::size_t>(n);
        places.resize(size);
        states.resize(size, {.parent = parent});
        counts.n_rows.resize(size);
        counts.weights.resize(size * n_classes);
        begin.resize(size);
        return first;
    }
    /// Puts a tree grown later at a node, and its nodes at new places below.
    void adopt(std::int32_t node, const Tree& tree, const Plan& plan, std::int32_t first_source) {
        std::vector<std::uint32_t> position(tree.nodes.size());
        for (std::uint32_t p = 0; p < position.size(); ++p) position[plan.order()[p]] = p;
        std::vector<std::pair<std::int32_t, std::int32_t>> pending = {{node, 0}};  // here, there
        while (!pending.empty()) {
            const auto [here, i] = pending.back();
            pending.pop_back();
            const TreeNode& from = tree.nodes[static_cast<std::size_t>(i)];
            const std::int32_t first = from.n_branches > 0 ? add(here, from.n_branches) : -1;
            place(here) = {first_source + i, first, from.n_branches,
                           position[static_cast<std::size_t>(i)], &plan};
            for (std::int32_t b = 0; b < from.n_branches; ++b)
                pending.emplace_back(first + b, from.first_child + b);
        }
    }

    [[nodiscard]] Place& place(std::int32_t node) { return places[at(node)]; }
    [[nodiscard]] const Place& place(std::int32_t node) const { return places[at(node)]; }
    [[nodiscard]] NodeState& state(std::int32_t node) { return states[at(node)]; }
    [[nodiscard]] const NodeState& state(std::int32_t node) const { return states[at(node)]; }
    [[nodiscard]] std::int64_t& n_rows(std::int32_t node) { return counts.n_rows[at(node)]; }
    [[nodiscard]] std::size_t& begin_of(std::int32_t node) { return begin[at(node)]; }
    [[nodiscard]] std::size_t end_of(std::int32_t node) {
        return begin[at(node)] + states[at(node)].n_whole;
    }
    /// Class weights.
    [[nodiscard]] double* weights(std::int32_t node) {
        return counts.weights.data() + at(node) * n_classes;
    }
    /// Those a node answers by: one that no row reached, and that was given no class, asks above.
    [[nodiscard]] const double* spoken(std::int32_t node) {
        for (;; node = state(node).parent) {
            const double* own = weights(node);
            for (std::size_t k = 0; k < n_classes; ++k)
                if (own[k] > 0.0) return own;
            if (state(node).parent < 0) return own;
        }
    }
    [[nodiscard]] double weight(std::int32_t node) {
        double sum = 0.0;
        if (n_rows(node) > 0)
            for (std::size_t k = 0; k < n_classes; ++k) sum += weights(node)[k];
        return sum;
    }
    /// Fraction of a node's weight that each branch has; all rows of the node are counted.
    void fractions(std::int32_t node, std::vector<double>& out) {
        const Place& asked = place(node);
        out.clear();
        for (std::int32_t b = 0; b < asked.n_branches; ++b)
            out.push_back(weight(asked.first_child + b));
        make_fractions(out);
    }
    /// A branch takes the place of its node; its rows stay to be moved.
    void raise(std::int32_t node, std::int32_t child) {
        place(node) = place(child);
        for (std::int32_t b = 0; b < place(node).n_branches; ++b)
            state(place(node).first_child + b).parent = node;
    }

    const std::size_t n_classes;
    std::vector<Place> places;
    std::vector<NodeState> states;
    Counts counts;
    std::vector<std::size_t> begin;

private:
    [[nodiscard]] static std::size_t at(std::int32_t node) {
        return static_cast<std::size_t>(node);
    }
};

}  // namespace treewright
