#include "treewright/tree/shap_tree.hpp"

#include <algorithm>

#include "treewright/base/error.hpp"

namespace treewright::tree {

ShapTree::ShapTree(const ShapSource& source, std::span<const std::uint32_t> place)
    : first_output(source.first_output), n_outputs(source.n_outputs) {
    struct Open {
        std::uint32_t node;
        std::uint32_t low;  ///< branches
        std::uint32_t high;
    };
    std::vector<Open> open;
    std::vector<Way> ways;
    std::vector<std::uint32_t> leaf_nodes;
    const auto number = [&](Open what, const Way& way) {
        const ShapSource::Node* node = &source.nodes[what.node];
        while (what.high - what.low == 1) {  // one branch alone: no question
            what.node = static_cast<std::uint32_t>(node->first_child) + what.low;
            node = &source.nodes[what.node];
            what = {what.node, 0, node->n_branches};
        }
        if (node->n_branches == 0 && source.terms_of(what.node).empty()) {
            leaf_nodes.push_back(what.node);
            return ~static_cast<std::int32_t>(leaf_nodes.size() - 1);
        }
        open.push_back(what);
        ways.push_back(way);
        return static_cast<std::int32_t>(open.size() - 1);
    };
    require(!source.nodes.empty(), "a tree has a root");
    number({0, 0, source.nodes[0].n_branches}, {-1, false, 0});
    for (std::size_t i = 0; i < open.size(); ++i) {
        const auto [node, low, high] = open[i];
        const ShapSource::Node& asked = source.nodes[node];
        askers.emplace_back();
        askers[i].node = node;
        constants.push_back(0.0);
        limits.emplace_back();
        if (asked.n_branches == 0) {
            askers[i].first_line = static_cast<std::uint32_t>(lines.size());
            constants[i] = source.value[node];
            if (!source.limits.empty()) limits[i] = source.limits[node];
            for (const ShapTerm& term : source.terms_of(node)) {
                Line line{term, place[term.column], {}};
                line.before = look_up(ways, i, line.place);
                if (line.before.asker < 0) ++ways[i].n_columns;
                lines.push_back(line);
                places.push_back(line.place);
            }
            askers[i].n_lines = static_cast<std::uint32_t>(lines.size()) - askers[i].first_line;
            most_columns = std::max(most_columns, ways[i].n_columns);
            continue;
        }
        askers[i].place = place[asked.column];
        places.push_back(askers[i].place);
        askers[i].before = look_up(ways, i, askers[i].place);
        if (askers[i].before.asker < 0) ++ways[i].n_columns;
        most_columns = std::max(most_columns, ways[i].n_columns);
        const std::uint32_t middle = low + (high - low) / 2;
        askers[i].middle = static_cast<std::int32_t>(middle);
        const auto cover = [&](std::uint32_t from, std::uint32_t to) {
            double sum = 0.0;
            for (std::uint32_t b = from; b < to; ++b)
                sum += source.nodes[static_cast<std::uint32_t>(asked.first_child) + b].cover;
            return sum;
        };
        const double share = cover(low, middle) / cover(low, high);
        // No training rows in any of the branches: each counts alike.
        askers[i].share = askers[i].cover =
            share >= 0.0 && share <= 1.0
                ? share
                : static_cast<double>(middle - low) / static_cast<double>(high - low);
        const Way way{static_cast<std::int32_t>(i), false, ways[i].n_columns};
        askers[i].child[0] = number({node, low, middle}, way);
        askers[i].child[1] = number({node, middle, high}, {way.from, true, way.n_columns});
    }
    n_leaves = leaf_nodes.size();
    leaves.resize(n_outputs * n_leaves);
    for (std::size_t output = 0; output < n_outputs; ++output)
        for (std::size_t i = 0; i < n_leaves; ++i)
            std::fill_n(leaves[output * n_leaves + i].lane, kLanes,
                        source.value[leaf_nodes[i] * n_outputs + output]);
    for (const std::uint32_t column : source.further) places.push_back(place[column]);
    std::sort(places.begin(), places.end());
    places.erase(std::unique(places.begin(), places.end()), places.end());
    pass_shares();
}

ShapTree::Before ShapTree::look_up(const std::vector<Way>& ways, std::size_t asker,
                                   std::uint32_t place) {
    for (Way up = ways[asker]; up.from >= 0; up = ways[static_cast<std::size_t>(up.from)])
        if (askers[static_cast<std::size_t>(up.from)].place == place)
            return {up.from, up.second, 1.0, n_slots++};
    return {};
}

void ShapTree::pass_shares() {
    has_slots = false;
    const auto pass = [&](Before& before) {
        if (before.asker < 0) return;
        const Asker& above = askers[static_cast<std::size_t>(before.asker)];
        before.passed = above.before.passed * (before.second ? 1.0 - above.share : above.share);
        before.terms = before.passed == 1.0 ? kFree : before.passed == 0.0 ? kKnown : before.slot;
        has_slots = has_slots || before.terms == before.slot;
    };
    for (Asker& asker : askers) {
        pass(asker.before);
        for (std::uint32_t k = 0; k < asker.n_lines; ++k) pass(lines[asker.first_line + k].before);
    }
}

void ShapTree::set_shares(std::span<const double> share) {
    for (std::size_t i = 0; i < askers.size(); ++i) askers[i].share = share[i];
    pass_shares();
}

double ShapTree::expected(std::size_t output) const {
    std::vector<double> answer(askers.size());
    const auto answer_of = [&](std::int32_t child) {
        return child < 0 ? leaves[output * n_leaves + static_cast<std::size_t>(~child)].lane[0]
                         : answer[static_cast<std::size_t>(child)];
    };
    for (std::size_t i = askers.size(); i-- > 0;)
        answer[i] = askers[i].is_leaf()
                        ? std::clamp(constants[i], limits[i].low, limits[i].high)
                        : askers[i].share * answer_of(askers[i].child[0]) +
                              (1.0 - askers[i].share) * answer_of(askers[i].child[1]);
    return answer_of(askers.empty() ? ~0 : 0);
}

}  // namespace treewright::tree
