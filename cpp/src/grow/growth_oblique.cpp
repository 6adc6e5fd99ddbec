/// Linear combinations as candidates of a node: searched after the columns have been judged alone.
#include <algorithm>
#include <atomic>

#include "treewright/base/random.hpp"
#include "treewright/grow/growth.hpp"

namespace treewright::grow {
namespace {

/// Separates the random numbers of combinations from those of columns and of children.
constexpr std::uint64_t kSumKey = 0x0b11c0e5ULL << 32;

/// OC1 splits by one column where the rows are no more than this many times the columns: a plane
/// could separate them whatever they are (Murthy, Kasif, Salzberg 1994, section 2.4).
constexpr double kRowsPerColumn = 2.0;
/// Rows between two checks for an interrupt.
constexpr std::uint32_t kRowsPerCheck = 1 << 14;

}  // namespace

void Growth::seek_sum(const Open& open, const NodeContext& context, Workspace& ws, bool shared) {
    const std::vector<std::uint32_t>& numbers = options.oblique.columns;
    std::vector<std::uint32_t> columns;
    const split::Candidate* start = nullptr;  // the best axis-parallel cut of a column of numbers
    for (const split::Candidate& c : ws.candidates) {
        if (c.guard == split::Guard::constant ||
            !std::binary_search(numbers.begin(), numbers.end(), c.column))
            continue;
        columns.push_back(c.column);
        if (c.question == split::Question::cut &&
            (start == nullptr || c.gain > start->gain + c.noise + start->noise))
            start = &c;
    }
    const std::uint32_t start_column = start == nullptr ? 0 : start->column;
    split::Candidate& sum = ws.candidates.emplace_back();
    sum.reset(0);
    sum.guard = split::Guard::few_columns;
    if (columns.size() < 2) return;
    if (!(context.total[criteria::kCopies] >
          kRowsPerColumn * static_cast<double>(columns.size()))) {
        sum.guard = split::Guard::few_rows;
        return;
    }
    split::ObliqueNode& node = ws.oblique_node;
    collect_rows(open, ws.rows);
    standardise(data, *open.block, ws.rows, columns, progress, node);
    if (node.n_columns() < 2) return;
    node.key = mix(open.key, kSumKey);
    const auto at = std::find(node.columns.begin(), node.columns.end(), start_column);
    node.start = at == node.columns.end() ? 0 : static_cast<std::size_t>(at - node.columns.begin());
    const split::ObliqueSearch search = options.oblique.search;
    if (search == split::ObliqueSearch::hhcart || search == split::ObliqueSearch::hhcart_dominant)
        find_directions(data.target, search == split::ObliqueSearch::hhcart_dominant, progress,
                        node);
    sum.guard = split::Guard::limits;
    const split::Direction direction = best_direction(context, ws, shared);
    if (!direction.empty()) ws.oblique->complete(node, direction, progress, sum);
}

split::Direction Growth::best_direction(const NodeContext& context, Workspace& ws, bool shared) {
    const split::ObliqueNode& node = ws.oblique_node;
    std::vector<split::Found> found(node.n_attempts(options.oblique));
    // Attempts after a perfect one need not be made; those before it are.
    std::atomic<std::size_t> perfect{found.size()};
    const auto attempt = [&](std::size_t i, Workspace& each) {
        if (i > perfect.load()) return;
        found[i] = each.oblique->attempt(node, i, progress);
        std::size_t first = perfect.load();
        while (found[i].is_perfect && i < first && !perfect.compare_exchange_weak(first, i)) {
        }
    };
    if (shared) {
        for (Workspace& each : workspaces) each.oblique->enter(context, node);
        team.for_each(found.size(),
                      [&](std::size_t i, std::size_t thread) { attempt(i, workspaces[thread]); });
    } else {
        ws.oblique->enter(context, node);
        for (std::size_t i = 0; i < found.size(); ++i) attempt(i, ws);
    }
    split::Found best;  // purity -infinity, as for attempts without an admissible plane
    for (split::Found& each : found)
        if (std::isinf(best.purity)
                ? each.purity > best.purity
                : each.purity > best.purity + split::kTie * std::abs(best.purity))
            best = std::move(each);
    return best.direction;
}

void Growth::route_by_sum(const Open& open, const split::Candidate& winner, Workspace& ws) const {
    const data::Block& block = *open.block;
    const std::uint32_t listed = (*open.columns)[0];
    const auto by_word = [&]<class Word>() {
        const Word* list = block.list<Word>(listed);
        for (std::uint32_t i = open.begin; i < open.end; ++i) {
            if ((i - open.begin) % kRowsPerCheck == kRowsPerCheck - 1) progress.check(true);
            const std::uint32_t row = data::Entry<Word>::row(list[i]);
            const double sum = data::add_terms(winner.terms.coefficient, [&](std::size_t term) {
                return data.columns[static_cast<std::size_t>(winner.terms.column[term])].number(
                    block.table_row[row]);
            });
            if (std::isnan(sum)) {
                ws.missing_rows.push_back(row);
                continue;
            }
            const std::uint32_t branch = sum > winner.sum_threshold ? 1 : 0;
            ws.sides.set(row, branch);
            ++ws.counts[branch];
        }
    };
    if (block.is_narrow()) by_word.template operator()<data::Narrow>();
    else by_word.template operator()<data::Wide>();
    list_by_branch(open, listed, open.end, ws);
}

}  // namespace treewright::grow
