#include "treewright/boosting/shap.hpp"

#include <algorithm>

#include "treewright/base/error.hpp"

namespace treewright::boosting {

struct BoostedTrees::Coded final : tree::ShapBlock {
    BoostBlock codes;
};
static_assert(BoostBlock::kRows == tree::ShapBlock::kRows);

BoostedTrees::BoostedTrees(const BoostForest& forest, std::size_t first, std::size_t last,
                           Cover cover)
    : forest(forest), first(first), cover(cover) {
    require(first <= last && last <= forest.trees.size(), "trees there are");
    n_trees = last - first;
    n_columns = forest.book.columns.size();
    n_outputs = forest.n_outputs;
    asked.assign(forest.asked().begin(), forest.asked().end());
    for (const BoostTree& tree : forest.trees)
        for (const LineTerm& term : tree.line_terms) asked.push_back(term.column);
    std::sort(asked.begin(), asked.end());
    asked.erase(std::unique(asked.begin(), asked.end()), asked.end());
}

tree::ShapSource BoostedTrees::source(std::size_t index) const {
    const BoostTree& tree = forest.trees[first + index];
    tree::ShapSource source;
    source.first_output = (first + index) % forest.n_outputs;
    source.nodes.reserve(tree.nodes.size());
    source.value.reserve(tree.nodes.size());
    for (const BoostNode& node : tree.nodes) {
        source.nodes.push_back(
            {node.first_child, node.is_leaf() ? 0U : 2U, node.column,
             cover == Cover::rows ? static_cast<double>(node.n_rows) : node.weight});
        source.value.push_back(node.value);
    }
    if (!tree.has_lines()) return source;
    source.term_start = tree.line_start;
    for (const LineTerm& term : tree.line_terms)
        source.terms.push_back({term.column, term.column, term.coefficient, term.center});
    for (std::size_t i = 0; i < tree.nodes.size(); ++i)
        source.limits.push_back({tree.nodes[i].value + tree.line_limits[i].low,
                                 tree.nodes[i].value + tree.line_limits[i].high});
    return source;
}

std::unique_ptr<tree::ShapBlock> BoostedTrees::read(const tree::Rows& rows, std::size_t begin,
                                                    std::size_t n) const {
    auto block = std::make_unique<Coded>();
    block->begin = begin;
    block->n = n;
    forest.read_block(rows, begin, n, block->codes);
    return block;
}

void BoostedTrees::answer(std::size_t index, const tree::ShapTree& form, const tree::Rows& /*rows*/,
                          const tree::ShapBlock& block, tree::ShapAnswers& answers) const {
    std::vector<std::uint64_t> second(forest.trees[first + index].nodes.size());
    forest.answer(first + index, static_cast<const Coded&>(block).codes, second);
    for (std::size_t i = 0; i < form.askers.size(); ++i)
        if (!form.askers[i].is_leaf()) answers.second[i] = second[form.askers[i].node];
}

}  // namespace treewright::boosting
