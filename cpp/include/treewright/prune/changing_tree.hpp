/// A tree while it is being pruned: nodes become leaves, branches replace their nodes, and rows
/// move to other leaves.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "treewright/prune/divided_rows.hpp"
#include "treewright/prune/error_estimate.hpp"
#include "treewright/prune/rows_by_leaf.hpp"
#include "treewright/tree/plan.hpp"
#include "treewright/tree/tree.hpp"

namespace treewright::prune {

/// The current state of a node, as needed for the descent of rows.
struct Place {
    double threshold = 0.0;  ///< of a cut, where `cell` is known
    std::int32_t first_child = -1;
    std::int32_t n_branches = 0;
    /// Where the row's value for the cut is (`RowsByLeaf::cell_of`); -1: the plan gives the branch.
    /// Undefined in a leaf.
    std::int32_t cell = -1;
    std::int32_t source = -1;  ///< node whose question it asks, as `Sources` numbers them
};

/// The question of a node: its place in a plan.
struct NodeQuestion {
    const tree::Plan* plan = nullptr;
    std::uint32_t at = 0;
};

/// The figures of each node. Whole rows of a node are contiguous, those of its children inside:
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
    ChangingTree(const tree::Tree& tree, const tree::Plan& plan, const RowsByLeaf& rows)
        : n_classes(rows.data().target.n_classes.at(0)),
          places(tree.nodes.size()),
          questions(tree.nodes.size()),
          states(tree.nodes.size()),
          counts{std::vector<std::int64_t>(tree.nodes.size()),
                 std::vector<double>(tree.nodes.size() * n_classes)},
          begin(tree.nodes.size()),
          rows(rows) {
        for (std::uint32_t at = 0; at < places.size(); ++at) {
            const auto i = static_cast<std::int32_t>(plan.order()[at]);
            const tree::TreeNode& node = tree.nodes[plan.order()[at]];
            ask(i, {&plan, at}, node.first_child, node.n_branches, i);
            state(i).parent = node.parent;
        }
        if (!rows.is_sorted()) return;
        rows.count(counts, begin);
        for (std::size_t i = 0; i < states.size(); ++i)
            states[i].n_whole = static_cast<std::size_t>(counts.n_rows[i]);
    }

    /// Makes room for more branches of a node; returns the first of them.
    std::int32_t add(std::int32_t parent, std::int32_t n) {
        const auto first = static_cast<std::int32_t>(places.size());
        const std::size_t size = places.size() + static_cast<std::size_t>(n);
        places.resize(size);
        questions.resize(size);
        states.resize(size, {.parent = parent});
        counts.n_rows.resize(size);
        counts.weights.resize(size * n_classes);
        begin.resize(size);
        return first;
    }
    /// Puts a tree that was grown later at a node, and its nodes at new places below.
    void adopt(std::int32_t node, const tree::Tree& tree, const tree::Plan& plan,
               std::int32_t first_source) {
        std::vector<std::uint32_t> position(tree.nodes.size());
        for (std::uint32_t p = 0; p < position.size(); ++p) position[plan.order()[p]] = p;
        std::vector<std::pair<std::int32_t, std::int32_t>> pending = {{node, 0}};  // here, there
        while (!pending.empty()) {
            const auto [here, i] = pending.back();
            pending.pop_back();
            const tree::TreeNode& from = tree.nodes[static_cast<std::size_t>(i)];
            const std::int32_t first = from.n_branches > 0 ? add(here, from.n_branches) : -1;
            ask(here, {&plan, position[static_cast<std::size_t>(i)]}, first, from.n_branches,
                first_source + i);
            for (std::int32_t b = 0; b < from.n_branches; ++b)
                pending.emplace_back(first + b, from.first_child + b);
        }
    }

    [[nodiscard]] Place& place(std::int32_t node) { return places[at(node)]; }
    [[nodiscard]] const Place& place(std::int32_t node) const { return places[at(node)]; }
    [[nodiscard]] const NodeQuestion& question(std::int32_t node) const {
        return questions[at(node)];
    }
    [[nodiscard]] NodeState& state(std::int32_t node) { return states[at(node)]; }
    [[nodiscard]] const NodeState& state(std::int32_t node) const { return states[at(node)]; }
    [[nodiscard]] std::int64_t& n_rows(std::int32_t node) { return counts.n_rows[at(node)]; }
    [[nodiscard]] std::size_t& begin_of(std::int32_t node) { return begin[at(node)]; }
    [[nodiscard]] std::size_t end_of(std::int32_t node) const {
        return begin[at(node)] + states[at(node)].n_whole;
    }
    /// Class weights.
    [[nodiscard]] double* weights(std::int32_t node) {
        return counts.weights.data() + at(node) * n_classes;
    }
    /// Class weights that a node predicts by: an empty one without a class of its own uses its
    /// parent's.
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
    /// Replaces a node by one of its branches; its rows stay to be moved.
    void raise(std::int32_t node, std::int32_t child) {
        place(node) = place(child);
        questions[at(node)] = question(child);
        for (std::int32_t b = 0; b < place(node).n_branches; ++b)
            state(place(node).first_child + b).parent = node;
    }

    const std::size_t n_classes;
    std::vector<Place> places;
    std::vector<NodeQuestion> questions;
    std::vector<NodeState> states;
    Counts counts;
    std::vector<std::size_t> begin;

private:
    [[nodiscard]] static std::size_t at(std::int32_t node) {
        return static_cast<std::size_t>(node);
    }
    void ask(std::int32_t node, NodeQuestion question, std::int32_t first_child,
             std::int32_t n_branches, std::int32_t source) {
        Place& place = places[at(node)];
        place = {0.0, first_child, n_branches, n_branches > 0 || !rows.is_sorted() ? -1 : 0,
                 source};
        questions[at(node)] = question;
        if (const auto cut = question.plan->real_cut_at(question.at)) {
            place.threshold = cut->threshold;
            place.cell = rows.cell_of(cut->column);
        }
    }

    const RowsByLeaf& rows;
};

}  // namespace treewright::prune
