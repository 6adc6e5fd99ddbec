#include "treewright/prune/question_origin.hpp"

#include <algorithm>

#include "treewright/tree/question.hpp"

namespace treewright::prune {

const Sources::Grown& Sources::add(tree::Tree grown_tree, tree::Plan plan, std::int32_t below) {
    const auto n_nodes = static_cast<std::int32_t>(tree.nodes.size());
    const std::int32_t from =
        below < n_nodes ? below : origin[static_cast<std::size_t>(below - n_nodes)];
    const auto n_known = static_cast<std::int32_t>(tree.nodes.size() + origin.size());
    origin.resize(origin.size() + grown_tree.nodes.size(), from);
    grown.push_back(
        std::make_unique<Grown>(Grown{std::move(grown_tree), std::move(plan), n_known}));
    return *grown.back();
}

std::pair<const tree::Tree*, std::size_t> Sources::find(std::int32_t source) const {
    if (source < static_cast<std::int32_t>(tree.nodes.size()))
        return {&tree, static_cast<std::size_t>(source)};
    const auto after =
        std::upper_bound(grown.begin(), grown.end(), source,
                         [](std::int32_t at, const auto& each) { return at < each->first_source; });
    const Grown& from = **(after - 1);
    return {&from.tree, static_cast<std::size_t>(source - from.first_source)};
}

tree::Tree Sources::joined() const {
    tree::Tree out;
    out.width = tree.width;
    for (const auto& from : grown) {
        const auto base = static_cast<std::int32_t>(out.nodes.size());
        const auto first_code = static_cast<std::int64_t>(out.branches.code.size());
        const auto first_cut = static_cast<std::int64_t>(out.cuts.real.size());
        const auto first_term = static_cast<std::int64_t>(out.terms.size());
        const tree::Tree& part = from->tree;
        for (tree::TreeNode node : part.nodes) {
            if (node.first_child >= 0) node.first_child += base;
            if (node.parent >= 0) node.parent += base;
            if (node.code_offset >= 0) node.code_offset += first_code;
            if (node.cut_offset >= 0) node.cut_offset += first_cut;
            if (node.term_offset >= 0) node.term_offset += first_term;
            out.nodes.push_back(std::move(node));
        }
        append_cuts(out.cuts, part.cuts);
        out.terms.append(part.terms);
        append_branches(out.branches, part.branches);
        out.value.insert(out.value.end(), part.value.begin(), part.value.end());
    }
    return out;
}

}  // namespace treewright::prune
