/// Chooses the split of a node: every column is judged, one wins.
#include "treewright/grow/draw_columns.hpp"

#include <algorithm>
#include <numeric>

#include "treewright/base/random.hpp"
#include "treewright/grow/growth.hpp"
#include "treewright/grow/limits.hpp"
#include "treewright/split/selection.hpp"

namespace treewright::grow {

split::Candidate* Growth::choose(Open& open, Workspace& ws, bool shared) {
    rehome(open, ws);
    const NodeContext context = context_of(open);
    const std::vector<std::uint32_t>& columns = *open.columns;
    std::vector<split::Candidate>& candidates = ws.candidates;
    if (options.max_columns > 0 && options.max_columns < columns.size()) {
        evaluate_drawn(open, context, ws);
    } else {
        candidates.resize(columns.size());
        const auto evaluate = [&](std::size_t i, Finder& finder) {
            finder.evaluate(context, columns[i], n_missing_of(open, columns[i]), candidates[i]);
            mark_constant(open, candidates[i]);
        };
        if (shared) {
            for (Workspace& each : workspaces) each.finder->enter(context);
            team.for_each(columns.size(), [&](std::size_t i, std::size_t thread) {
                evaluate(i, *workspaces[thread].finder);
            });
        } else {
            ws.finder->enter(context);
            for (std::size_t i = 0; i < columns.size(); ++i) {
                look_up(open.size() * data.target.n_outputs);
                evaluate(i, *ws.finder);
            }
        }
    }
    if (options.random_ties) order_as_drawn(open, ws);
    drop_constant_columns(open, candidates);
    if (options.oblique.is_on()) seek_sum(open, context, ws, shared);
    const double unit = unit_of(open.grid);
    for (split::Candidate& c : candidates) {
        c.gain *= unit;
        c.noise *= unit;
    }
    split::Weights weights{total_weight, open.total[criteria::kWeight]};
    weights.n_rows = open.total[criteria::kCopies] * options.distinct_share;
    const auto pays = [&](const split::Candidate& c) {
        return share_of_choice(c, data.columns[c.column], weights.n_rows) > 0.0;
    };
    if (options.guard_many_values && std::any_of(candidates.begin(), candidates.end(), pays)) {
        collect_rows(open, ws.rows);
        weights.impurity = impurity_of(*open.block, ws.rows, open.total.data(), *ws.finder);
    }
    split::Candidate* winner = select(candidates, data, options, weights, ws.order);
    if (winner == nullptr) return nullptr;
    const double improvement = winner->gain * open.total[criteria::kWeight] / total_weight;
    return gains_enough(options, improvement) ? winner : nullptr;
}

void Growth::rehome(Open& open, Workspace& ws) const {
    if (open.block->is_narrow() || options.block.wide ||
        open.size() > data::Entry<data::Narrow>::kMostRows)
        return;
    collect_rows(open, ws.rows);
    open.block = extract(*open.block, open.begin, open.end, *open.columns, ws.rows, {},
                         data.target.n_outputs, false, ws.new_row);
    open.begin = 0;
    open.end = open.block->n_rows;
}

void Growth::evaluate_drawn(const Open& open, const NodeContext& context, Workspace& ws) {
    ws.finder->enter(context);
    ws.drawn.assign(open.columns->begin(), open.columns->end());
    Generator generator(mix(open.key, kColumnDraws));
    ws.candidates.clear();
    std::size_t n_varying = 0;
    bool any = false;
    for (std::size_t i = 0; i < ws.drawn.size(); ++i) {
        if (n_varying >= options.max_columns && any) break;
        draw_next(ws.drawn, i, generator);
        split::Candidate& candidate = ws.candidates.emplace_back();
        look_up(open.size() * data.target.n_outputs);
        ws.finder->evaluate(context, ws.drawn[i], n_missing_of(open, ws.drawn[i]), candidate);
        mark_constant(open, candidate);
        n_varying += candidate.guard != split::Guard::constant ? 1 : 0;
        any = any || candidate.guard == split::Guard::none;
    }
    std::sort(
        ws.candidates.begin(), ws.candidates.end(),
        [](const split::Candidate& a, const split::Candidate& b) { return a.column < b.column; });
}

void Growth::order_as_drawn(const Open& open, Workspace& ws) const {
    const std::vector<split::Candidate>& candidates = ws.candidates;
    if (options.max_columns == 0 || options.max_columns >= open.columns->size()) {
        // Every column is a candidate: what is drawn are their places.
        ws.order.resize(candidates.size());
        std::iota(ws.order.begin(), ws.order.end(), 0U);
        Generator generator(mix(open.key, kColumnDraws));
        for (std::size_t i = 0; i < ws.order.size(); ++i) draw_next(ws.order, i, generator);
    } else {
        ws.order.clear();
        for (std::size_t i = 0; i < candidates.size(); ++i) {
            const auto at = std::lower_bound(
                candidates.begin(), candidates.end(), ws.drawn[i],
                [](const split::Candidate& c, std::uint32_t column) { return c.column < column; });
            ws.order.push_back(static_cast<std::uint32_t>(at - candidates.begin()));
        }
    }
    // A linear combination, if any, comes last: it wins only if it is better than all others.
    ws.order.push_back(static_cast<std::uint32_t>(candidates.size()));
}

void Growth::mark_constant(const Open& open, split::Candidate& candidate) const {
    if (candidate.guard != split::Guard::limits || open.block->holding != data::Holding::lists)
        return;
    if (n_missing_of(open, candidate.column) > 0) return;
    const auto varies = [&]<class Word>() {
        const Word* list = open.block->list<Word>(candidate.column);
        for (std::uint32_t i = open.begin + 1; i < open.end; ++i)
            if ((list[i] & data::Entry<Word>::kSameValue) == 0) return true;
        return false;
    };
    const bool found = open.block->is_narrow() ? varies.template operator()<data::Narrow>()
                                               : varies.template operator()<data::Wide>();
    if (!found) candidate.guard = split::Guard::constant;
}

void Growth::drop_constant_columns(Open& open,
                                   const std::vector<split::Candidate>& candidates) const {
    const auto is_dead = [&](const split::Candidate& c) {
        return c.guard == split::Guard::constant;  // a single known value never splits again
    };
    const auto n_dead = std::count_if(candidates.begin(), candidates.end(), is_dead);
    if (n_dead == 0 || static_cast<std::size_t>(n_dead) == open.columns->size()) return;
    std::vector<std::uint32_t> alive;
    alive.reserve(open.columns->size());
    auto candidate = candidates.begin();
    for (const std::uint32_t column : *open.columns) {
        while (candidate != candidates.end() && candidate->column < column) ++candidate;
        const bool judged = candidate != candidates.end() && candidate->column == column;
        if (!judged || !is_dead(*candidate)) alive.push_back(column);
    }
    open.columns = std::make_shared<const std::vector<std::uint32_t>>(std::move(alive));
}

}  // namespace treewright::grow
