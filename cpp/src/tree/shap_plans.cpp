#include "treewright/tree/shap_plans.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <unordered_map>

#include "treewright/base/error.hpp"

namespace treewright::tree {

/// The decimals of a block's rows, column after column, so that cuts read them in order.
struct PlanTrees::Cells final : ShapBlock {
    std::vector<double> real;            ///< columns x rows
    std::vector<std::uint64_t> missing;  ///< by column
};

void PlanTrees::add(Member member) {
    const auto order = member.plan->order();
    require(member.value.size() == order.size() * n_outputs, "values of every node");
    for (std::uint32_t node = 0; node < order.size(); ++node)
        if (member.plan->shape_of(node).n_branches > 0) member.plan->may_decide(node, asked);
    for (const ShapTerm& term : member.terms) {
        require(term.number < n_numbers, "numbers that terms multiply");
        asked.push_back(term.column);
    }
    std::sort(asked.begin(), asked.end());
    asked.erase(std::unique(asked.begin(), asked.end()), asked.end());
    require(asked.empty() || asked.back() < n_columns, "the columns of the trees");
    members.push_back(std::move(member));
    ++n_trees;
}

ShapSource PlanTrees::source(std::size_t tree) const {
    const Member& member = members[tree];
    const Plan& plan = *member.plan;
    const auto order = plan.order();
    ShapSource source;
    source.n_outputs = n_outputs;
    source.nodes.resize(order.size());
    source.value.resize(order.size() * n_outputs);
    if (!member.terms.empty()) {
        source.term_start.push_back(0);
        source.limits.resize(order.size());
    }
    for (std::uint32_t i = 0; i < order.size(); ++i) {
        const auto [first_child, n_branches, column, weight] = plan.shape_of(i);
        source.nodes[i] = {n_branches > 0 ? static_cast<std::int32_t>(first_child) : -1, n_branches,
                           column, weight};
        std::copy_n(member.value.data() + order[i] * n_outputs, n_outputs,
                    source.value.data() + i * n_outputs);
        if (n_branches > 0 && plan.asks_several(i)) plan.may_decide(i, source.further);
        if (member.terms.empty()) continue;
        const auto first = member.terms.begin();
        source.terms.insert(source.terms.end(), first + member.term_start[order[i]],
                            first + member.term_start[order[i] + 1]);
        source.term_start.push_back(static_cast<std::uint32_t>(source.terms.size()));
        if (!member.limits.empty()) source.limits[i] = member.limits[order[i]];
    }
    return source;
}

std::unique_ptr<ShapBlock> PlanTrees::read(const Rows& rows, std::size_t begin,
                                           std::size_t n) const {
    auto cells = std::make_unique<Cells>();
    cells->begin = begin;
    cells->n = n;
    cells->real.resize(n_columns * ShapBlock::kRows);
    cells->missing.resize(n_columns);
    for (const std::uint32_t c : asked) {
        if (!rows.columns[c].is_real()) continue;
        for (std::size_t r = 0; r < n; ++r) {
            const double x = rows.columns[c].real(begin + r);
            cells->real[c * ShapBlock::kRows + r] = x;
            cells->missing[c] |= static_cast<std::uint64_t>(std::isnan(x)) << r;
        }
    }
    return cells;
}

void PlanTrees::answer(std::size_t tree, const ShapTree& form, const Rows& rows,
                       const ShapBlock& block, ShapAnswers& answers) const {
    const Plan& plan = *members[tree].plan;
    const auto& cells = static_cast<const Cells&>(block);
    using Branches = std::array<std::int32_t, ShapBlock::kRows>;
    std::unordered_map<std::uint32_t, Branches> of_node;  // of nodes that several askers stand for
    std::vector<std::uint32_t> columns;
    for (std::size_t i = 0; i < form.askers.size(); ++i) {
        const ShapTree::Asker& asker = form.askers[i];
        if (asker.is_leaf()) continue;
        const auto cut = plan.real_cut_at(asker.node);
        std::uint64_t open = block.n == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << block.n) - 1;
        if (cut && asker.middle == 1) {
            const double* x = cells.real.data() + cut->column * ShapBlock::kRows;
            std::uint64_t second = 0;
            for (std::size_t r = 0; r < ShapBlock::kRows; ++r)
                second |= static_cast<std::uint64_t>(x[r] > cut->threshold) << r;
            answers.second[i] = second;
            open &= cells.missing[cut->column];
            if (open == 0) continue;
        }
        const bool may_be_several = plan.asks_several(asker.node);
        const Branches* known = nullptr;
        if (plan.shape_of(asker.node).n_branches > 2) {
            const auto [found, is_new] = of_node.try_emplace(asker.node);
            if (is_new)
                for (std::size_t r = 0; r < block.n; ++r)
                    found->second[r] = plan.branch_of(rows, block.begin + r, asker.node);
            known = &found->second;
        }
        for (std::size_t r = 0; r < block.n; ++r) {
            const std::uint64_t bit = std::uint64_t{1} << r;
            if ((open & bit) == 0) continue;
            const int branch =
                known != nullptr ? (*known)[r] : plan.branch_of(rows, block.begin + r, asker.node);
            if (branch < 0) answers.divided[i] |= bit;
            else if (branch >= asker.middle) answers.second[i] |= bit;
            if (!may_be_several) continue;
            columns.clear();
            plan.decided_by(rows, block.begin + r, asker.node, columns);
            if (columns.size() > 1) answers.several[i] |= bit;
        }
    }
}

void PlanTrees::decided_by(std::size_t tree, std::uint32_t node, const Rows& rows, std::size_t row,
                           std::vector<std::uint32_t>& columns) const {
    members[tree].plan->decided_by(rows, row, node, columns);
}

void PlanTrees::may_decide(std::size_t tree, std::uint32_t node,
                           std::vector<std::uint32_t>& columns) const {
    members[tree].plan->may_decide(node, columns);
}

int PlanTrees::branch(std::size_t tree, std::uint32_t node, const Rows& rows,
                      std::size_t row) const {
    return members[tree].plan->branch_of(rows, row, node);
}

}  // namespace treewright::tree
