#include "treewright/tree/arrays.hpp"

#include <algorithm>
#include <limits>
#include <memory>
#include <utility>

#include "treewright/base/discard.hpp"
#include "treewright/tree/question.hpp"

namespace treewright::tree {
namespace {

/// Nodes between two checks for an interrupt.
constexpr std::size_t kNodesPerCheck = 1 << 12;
/// Nodes whose fields are read one after the other while they are in the cache.
constexpr std::size_t kNodesAtOnce = 1 << 9;
static_assert(kNodesPerCheck % kNodesAtOnce == 0);
/// Nodes from which a tree is freed by a thread of its own.
constexpr std::size_t kManyNodes = 1 << 16;

void list_surrogates(Tree& tree, Progress& progress, TreeArrays& out) {
    out.surrogate_start.reserve(tree.nodes.size() + 1);
    out.surrogate_start.push_back(0);
    for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
        if (i % kNodesPerCheck == 0) progress.check(true);
        for (const Surrogate& s : tree.nodes[i].surrogates) {
            out.surrogate_column.push_back(static_cast<std::int32_t>(s.column));
            out.surrogate_threshold.push_back(s.threshold);
            out.surrogate_threshold_int.push_back(s.threshold_int);
            out.surrogate_kind.push_back(s.is_cut ? 1 : 2);
            out.surrogate_reversed.push_back(s.reversed ? 1 : 0);
            out.surrogate_agreement.push_back(s.agreement);
            out.surrogate_code_offset.push_back(
                s.is_cut ? -1 : append_branches(tree.branches, s.branches));
            out.surrogate_code_count.push_back(static_cast<std::int32_t>(s.branches.code.size()));
        }
        out.surrogate_start.push_back(static_cast<std::int32_t>(out.surrogate_column.size()));
    }
}

template <class T>
std::vector<T> copied(std::span<const T> values) {
    return {values.begin(), values.end()};
}

struct Flattening {
    Tree tree;
    TreeArrays arrays;
};

void flatten(Tree& tree, TreeArrays& out, Progress& progress) {
    list_surrogates(tree, progress, out);
    const std::size_t n_nodes = tree.nodes.size();
    for (std::size_t begin = 0; begin < n_nodes; begin += kNodesAtOnce) {
        if (begin % kNodesPerCheck == 0) progress.check(true);
        const std::size_t end = std::min(n_nodes, begin + kNodesAtOnce);
        const auto each = [&](auto& values, auto&& field) {
            if (begin == 0) values.reserve(n_nodes);
            for (std::size_t i = begin; i < end; ++i) values.push_back(field(tree.nodes[i]));
        };
        each(out.first_child, [](const TreeNode& n) { return n.first_child; });
        each(out.n_branches, [](const TreeNode& n) { return n.n_branches; });
        each(out.parent, [](const TreeNode& n) { return n.parent; });
        each(out.column, [](const TreeNode& n) { return n.column; });
        each(out.kind, [](const TreeNode& n) { return n.kind; });
        each(out.threshold, [](const TreeNode& n) {
            return n.kind == 1 || n.kind == 4 ? n.threshold
                                              : std::numeric_limits<double>::quiet_NaN();
        });
        each(out.threshold_int, [](const TreeNode& n) { return n.threshold_int; });
        each(out.code_offset, [](const TreeNode& n) { return n.code_offset; });
        each(out.code_count, [](const TreeNode& n) { return n.code_count; });
        each(out.rest_branch, [](const TreeNode& n) { return n.rest_branch; });
        each(out.cut_offset, [](const TreeNode& n) { return n.cut_offset; });
        each(out.cut_count, [](const TreeNode& n) { return n.cut_count; });
        each(out.term_offset, [](const TreeNode& n) { return n.term_offset; });
        each(out.term_count, [](const TreeNode& n) { return n.term_count; });
        each(out.missing_branch, [](const TreeNode& n) { return n.missing_branch; });
        each(out.n_rows, [](const TreeNode& n) { return n.n_rows; });
        each(out.weight, [](const TreeNode& n) { return n.weight; });
        each(out.impurity, [](const TreeNode& n) { return n.impurity; });
        each(out.gain, [](const TreeNode& n) { return n.gain; });
        each(out.score, [](const TreeNode& n) { return n.score; });
    }
    out.value = std::move(tree.value);
    out.code = std::move(tree.branches.code);
    out.branch_of_code = std::move(tree.branches.branch);
    out.cut = std::move(tree.cuts.real);
    out.cut_int = std::move(tree.cuts.whole);
    out.term_column = std::move(tree.terms.column);
    out.term_coefficient = std::move(tree.terms.coefficient);
    out.term_share = std::move(tree.terms.share);
}

}  // namespace

TreeArrays flattened(Tree tree, Progress& progress) {
    auto made = std::make_unique<Flattening>(Flattening{std::move(tree), {}});
    fill_or_discard(made, [&](Flattening& both) { flatten(both.tree, both.arrays, progress); });
    TreeArrays arrays = std::move(made->arrays);
    if (made->tree.nodes.size() >= kManyNodes) discard(std::move(made));
    return arrays;
}

Tree assembled(const TreeView& arrays, Progress& progress) {
    Tree tree;
    tree.cuts = {copied(arrays.cut), copied(arrays.cut_int)};
    tree.terms.column = copied(arrays.term_column);
    tree.terms.coefficient = copied(arrays.term_coefficient);
    tree.width = arrays.width;
    tree.value = copied(arrays.value);
    tree.branches = {copied(arrays.code), copied(arrays.branch_of_code)};
    tree.nodes.reserve(arrays.n_nodes());
    for (std::size_t i = 0; i < arrays.n_nodes(); ++i) {
        if (i % kNodesPerCheck == 0) progress.check(true);
        TreeNode& node = tree.nodes.emplace_back();
        node.first_child = arrays.first_child[i];
        node.n_branches = arrays.n_branches[i];
        node.parent = arrays.parent[i];
        node.column = arrays.column[i];
        node.kind = arrays.kind[i];
        node.threshold = arrays.threshold[i];
        node.threshold_int = arrays.threshold_int[i];
        node.code_offset = arrays.code_offset[i];
        node.code_count = arrays.code_count[i];
        node.rest_branch = arrays.rest_branch[i];
        node.cut_offset = arrays.cut_offset[i];
        node.cut_count = arrays.cut_count[i];
        node.term_offset = arrays.term_offset[i];
        node.term_count = arrays.term_count[i];
        node.missing_branch = arrays.missing_branch[i];
        node.weight = arrays.weight[i];
        for (std::int32_t k = arrays.surrogate_start[i]; k < arrays.surrogate_start[i + 1]; ++k)
            node.surrogates.push_back(surrogate_at(arrays, static_cast<std::size_t>(k)));
    }
    return tree;
}

TreeView view_of(const Tree& tree, std::vector<std::int32_t> unseen_branch, Progress& progress) {
    TreeView view;
    const auto owned = std::make_shared<TreeArrays>(flattened(tree, progress));
    owned->unseen_branch = std::move(unseen_branch);
    std::vector<const void*> data;
    std::vector<std::size_t> size;
    owned->for_each([&](const char*, const auto& array) {
        data.push_back(array.data());
        size.push_back(array.size());
    });
    std::size_t place = 0;
    view.for_each([&]<class T>(const char*, std::span<const T>& array) {
        array = {static_cast<const T*>(data[place]), size[place]};
        ++place;
    });
    view.width = tree.width;
    view.owner = owned;
    return view;
}

Surrogate surrogate_at(const TreeView& tree, std::size_t place) {
    Surrogate s;
    s.column = static_cast<std::uint32_t>(tree.surrogate_column[place]);
    s.is_cut = tree.surrogate_kind[place] == 1;
    s.reversed = tree.surrogate_reversed[place] != 0;
    s.threshold = tree.surrogate_threshold[place];
    s.threshold_int = tree.surrogate_threshold_int[place];
    if (!s.is_cut) {
        const auto begin = static_cast<std::size_t>(tree.surrogate_code_offset[place]);
        const auto n = static_cast<std::size_t>(tree.surrogate_code_count[place]);
        s.branches = {copied(tree.code.subspan(begin, n)),
                      copied(tree.branch_of_code.subspan(begin, n))};
    }
    return s;
}

}  // namespace treewright::tree
