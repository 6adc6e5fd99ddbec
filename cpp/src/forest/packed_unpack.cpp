/// Unpacks a packed tree: the figures of its leaves, summed up node by node.
#include "treewright/forest/packed.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace treewright::forest {
namespace {

/// Weight, mean and sum of squares of two sets of numbers together (Chan, Golub, LeVeque 1983).
struct Moments {
    double weight = 0.0;
    double mean = 0.0;
    double squares = 0.0;

    [[nodiscard]] Moments with(const Moments& other) const {
        const double all = weight + other.weight;
        const double apart = other.mean - mean;
        return {all, mean + apart * other.weight / all,
                squares + other.squares + apart * apart * weight * other.weight / all};
    }
};

void ask_for_names(const PackedNames& names, const PackedNode& from, tree::TreeNode& node) {
    const auto question = static_cast<std::size_t>(from.threshold);
    const std::uint32_t begin = question == 0 ? 0 : names.end[question - 1];
    node.kind = 2;
    node.threshold = 0.0;
    node.threshold_int = 0;
    node.code_offset = begin;
    node.code_count = static_cast<std::int32_t>(names.end[question] - begin);
    node.rest_branch = names.rest[question];
}

double weight_at(const PackedTree& packed, std::size_t i) {
    return packed.weights.empty() ? packed.counts[i] : packed.weights[i];
}

// Purity and impurity as in criteria/gini.hpp and criteria/entropy.hpp, in the same operations.

double x_log_x(double x) {
    return x > 0.0 ? x * std::log2(x) : 0.0;
}
double purity_of(const double* counts, std::uint32_t n_classes, double weight, bool in_bits) {
    double sum = 0.0;
    for (std::size_t k = 0; k < n_classes; ++k)
        sum += in_bits ? x_log_x(counts[k]) : counts[k] * counts[k];
    return in_bits ? sum - x_log_x(weight) : sum * (1.0 / weight);
}
double impurity_of(double purity, double weight, bool in_bits) {
    return std::max(0.0, in_bits ? -purity / weight : 1.0 - purity / weight);
}

void summarise_classes(const PackedTree& packed, std::uint32_t n_classes, bool in_bits,
                       tree::Tree& tree) {
    for (std::size_t i = tree.nodes.size(); i-- > 0;) {
        tree::TreeNode& node = tree.nodes[i];
        double* value = tree.value.data() + i * n_classes;
        if (node.first_child < 0) {
            const std::size_t leaf = packed.nodes[i].leaf();
            for (std::size_t k = 0; k < n_classes; ++k)
                value[k] = weight_at(packed, leaf * n_classes + k);
        } else {
            const double* left =
                tree.value.data() + static_cast<std::size_t>(node.first_child) * n_classes;
            for (std::size_t k = 0; k < n_classes; ++k) value[k] = left[k] + left[n_classes + k];
        }
        for (std::size_t k = 0; k < n_classes; ++k) node.weight += value[k];
        node.impurity =
            impurity_of(purity_of(value, n_classes, node.weight, in_bits), node.weight, in_bits);
    }
}

void summarise_values(const PackedTree& packed, tree::Tree& tree) {
    std::vector<Moments> moments(tree.nodes.size());
    for (std::size_t i = tree.nodes.size(); i-- > 0;) {
        tree::TreeNode& node = tree.nodes[i];
        if (node.first_child < 0) {
            const std::size_t leaf = packed.nodes[i].leaf();
            moments[i] = {weight_at(packed, leaf), packed.values[leaf],
                          packed.spread.empty() ? 0.0 : packed.spread[leaf]};
        } else {
            const auto first = static_cast<std::size_t>(node.first_child);
            moments[i] = moments[first].with(moments[first + 1]);
        }
        node.weight = moments[i].weight;
        tree.value[i] = moments[i].mean;
        node.impurity = moments[i].squares / moments[i].weight;
    }
}

/// What the general grower notes of a node beside what prediction needs; the same bits for classes.
void add_general_figures(const PackedTree& packed, std::uint32_t n_classes, bool in_bits,
                         tree::Tree& tree) {
    const auto purity_at = [&](std::size_t i) {
        return purity_of(tree.value.data() + i * n_classes, n_classes, tree.nodes[i].weight,
                         in_bits);
    };
    for (std::size_t i = tree.nodes.size(); i-- > 0;) {
        tree::TreeNode& node = tree.nodes[i];
        if (node.first_child < 0) {
            node.n_rows = packed.names.n_rows[packed.nodes[i].leaf()];
            continue;
        }
        const auto first = static_cast<std::size_t>(node.first_child);
        node.n_rows = tree.nodes[first].n_rows + tree.nodes[first + 1].n_rows;
        if (n_classes > 0)
            node.gain = node.score =
                std::max(0.0, (purity_at(first) + purity_at(first + 1) - purity_at(i)) *
                                  (1.0 / node.weight));
        if (node.kind == 2)
            node.score -= node.impurity *
                          packed.names.share[static_cast<std::size_t>(packed.nodes[i].threshold)];
    }
    tree.branches.code = packed.names.code;
    tree.branches.branch = packed.names.branch;
}

}  // namespace

void PackedNames::finish(bool has_rest, double share_paid) {
    end.push_back(static_cast<std::uint32_t>(code.size()));
    rest.push_back(has_rest ? 1 : -1);
    share.push_back(share_paid);
}

void PackedNames::append(const PackedNames& more) {
    for (std::size_t question = 0; question < more.size(); ++question) append(more, question);
}

void PackedNames::append(const PackedNames& from, std::size_t question) {
    for (std::uint32_t i = question == 0 ? 0 : from.end[question - 1]; i < from.end[question];
         ++i) {
        code.push_back(from.code[i]);
        branch.push_back(from.branch[i]);
    }
    end.push_back(static_cast<std::uint32_t>(code.size()));
    rest.push_back(from.rest[question]);
    share.push_back(from.share[question]);
}

std::int64_t whole_threshold(double threshold) {
    return std::isinf(threshold) ? std::numeric_limits<std::int64_t>::max()
                                 : static_cast<std::int64_t>(threshold);
}

tree::Tree unpack(const PackedTree& packed, std::uint32_t n_classes,
                  const std::vector<bool>& is_real, bool in_bits) {
    tree::Tree tree;
    tree.width = n_classes == 0 ? 1 : n_classes;
    tree.nodes.resize(packed.nodes.size());
    tree.value.resize(packed.nodes.size() * tree.width, 0.0);
    for (std::size_t i = 0; i < packed.nodes.size(); ++i) {
        const PackedNode& from = packed.nodes[i];
        tree::TreeNode& node = tree.nodes[i];
        if (from.is_leaf()) continue;
        const std::uint32_t column =
            from.column & ~(PackedNode::kMissingFirst | PackedNode::kNames);
        node.kind = 1;
        node.column = static_cast<std::int32_t>(column);
        node.n_branches = 2;
        node.first_child = static_cast<std::int32_t>(from.first_child);
        node.missing_branch = (from.column & PackedNode::kMissingFirst) != 0 ? 0 : 1;
        node.threshold = is_real[column] ? from.threshold : std::nan("");
        node.threshold_int = is_real[column] ? 0 : whole_threshold(from.threshold);
        if ((from.column & PackedNode::kNames) != 0) ask_for_names(packed.names, from, node);
        for (std::uint32_t b = 0; b < 2; ++b)
            tree.nodes[from.first_child + b].parent = static_cast<std::int32_t>(i);
    }
    if (n_classes > 0) summarise_classes(packed, n_classes, in_bits, tree);
    else summarise_values(packed, tree);
    for (tree::TreeNode& node : tree.nodes) {
        node.n_rows = static_cast<std::int64_t>(node.weight);
        if (node.first_child < 0) continue;
        double left_over = 0.0;
        for (std::int32_t b = 0; b < 2; ++b) {
            const tree::TreeNode& child =
                tree.nodes[static_cast<std::size_t>(node.first_child + b)];
            left_over += child.impurity * child.weight;
        }
        node.gain = node.score = std::max(0.0, node.impurity - left_over / node.weight);
    }
    if (packed.must_be_unpacked()) add_general_figures(packed, n_classes, in_bits, tree);
    return tree;
}

}  // namespace treewright::forest
