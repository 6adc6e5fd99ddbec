/// Sends the rows of a node to its branches once its split is chosen.
#include "treewright/grow/growth.hpp"

#include <algorithm>

#include "treewright/grow/question.hpp"
#include "treewright/tree/question.hpp"

namespace treewright::grow {

void Growth::route_known(const Open& open, const split::Candidate& winner, Workspace& ws) const {
    const data::Block& block = *open.block;
    ws.sides.prepare(block.n_rows, winner.n_branches + 1);
    ws.missing_rows.clear();
    ws.missing_settled = false;
    ws.counts.assign(winner.n_branches, 0);
    if (winner.question == split::Question::sum) return route_by_sum(open, winner, ws);
    const auto by_word = [&]<class Word>() {
        const Word* list = block.list<Word>(winner.column);
        const auto send = [&](std::uint32_t row, std::uint32_t branch) {
            ws.sides.set(row, branch);
            ++ws.counts[branch];
        };
        if (block.holding == data::Holding::lists) {
            const std::uint32_t known_end = open.end - n_missing_of(open, winner.column);
            std::uint32_t run = ~0U;
            for (std::uint32_t i = open.begin; i < known_end; ++i) {
                if (i == open.begin || (list[i] & data::Entry<Word>::kSameValue) == 0) ++run;
                send(data::Entry<Word>::row(list[i]),
                     winner.question == split::Question::cut
                         ? static_cast<std::uint32_t>(i - open.begin >= winner.cut_position)
                         : winner.branch_of_run[run]);
            }
            for (std::uint32_t i = known_end; i < open.end; ++i)
                ws.missing_rows.push_back(data::Entry<Word>::row(list[i]));
            return;
        }
        const data::Codes& codes = block.codes[winner.column];
        std::visit(
            [&](const auto& of_row) {
                for (std::uint32_t i = open.begin; i < open.end; ++i) {
                    const std::uint32_t row = data::Entry<Word>::row(list[i]);
                    const std::uint32_t code = of_row[row];
                    if (code == codes.n_codes()) {
                        ws.missing_rows.push_back(row);
                    } else if (winner.question == split::Question::cut) {
                        send(row, static_cast<std::uint32_t>(code > winner.cut_code));
                    } else {
                        const auto run = std::lower_bound(winner.code_of_run.begin(),
                                                          winner.code_of_run.end(), code) -
                                         winner.code_of_run.begin();
                        send(row, winner.branch_of_run[static_cast<std::size_t>(run)]);
                    }
                }
            },
            codes.of_row);
    };
    if (block.is_narrow()) by_word.template operator()<data::Narrow>();
    else by_word.template operator()<data::Wide>();
    look_up(open.size());
    list_by_branch(open, winner.column,
                   block.holding == data::Holding::lists
                       ? open.end - n_missing_of(open, winner.column)
                       : open.end,
                   ws);
}

void Growth::list_by_branch(const Open& open, std::uint32_t column, std::uint32_t known_end,
                            Workspace& ws) const {
    const data::Block& block = *open.block;
    const std::size_t n_branches = ws.counts.size();
    ws.partition.offset.assign(n_branches + 1, 0);
    for (std::size_t b = 0; b < n_branches; ++b)
        ws.partition.offset[b + 1] = ws.partition.offset[b] + ws.counts[b];
    ws.rows.resize(open.size() - ws.missing_rows.size());
    auto next = ws.partition.offset;
    const auto gather = [&]<class Word>() {
        const Word* list = block.list<Word>(column);
        std::size_t missing = 0;
        for (std::uint32_t i = open.begin; i < known_end; ++i) {
            const std::uint32_t row = data::Entry<Word>::row(list[i]);
            if (missing < ws.missing_rows.size() && ws.missing_rows[missing] == row) {
                ++missing;  // with lists, those of the column asked stand behind known_end
                continue;
            }
            ws.rows[next[ws.sides[row]]++] = row;
        }
    };
    if (block.is_narrow()) gather.template operator()<data::Narrow>();
    else gather.template operator()<data::Wide>();
    // Weights may not add exactly: they are added in the order of the table, however rows are
    // stored.
    if (block.weight.empty()) return;
    if (data.case_weight.empty() && ws.finder->subtracts_exactly(block)) return;
    std::size_t at = 0;
    for (const std::uint32_t count : ws.counts) {
        const auto begin = ws.rows.begin() + static_cast<std::ptrdiff_t>(at);
        sort_in_blocks(progress, begin, begin + count, [&](std::uint32_t a, std::uint32_t b) {
            return block.table_row[a] < block.table_row[b];
        });
        at += count;
    }
}

void Growth::sum_branches(const Open& open, std::size_t n_branches, std::size_t width,
                          Workspace& ws) const {
    const data::Block& block = *open.block;
    ws.branch_sums.assign(n_branches * width, 0.0);
    std::size_t at = 0;
    if (n_branches == 2 && ws.missing_rows.empty() && ws.finder->subtracts_exactly(block)) {
        const std::span<const std::uint32_t> rows(ws.rows);
        const std::size_t smaller = ws.counts[1] < ws.counts[0] ? 1 : 0;
        double* of_smaller = ws.branch_sums.data() + smaller * width;
        double* of_larger = ws.branch_sums.data() + (1 - smaller) * width;
        ws.finder->add(of_smaller, block,
                       smaller == 0 ? rows.first(ws.counts[0]) : rows.subspan(ws.counts[0]));
        split::difference(of_larger, open.total.data(), of_smaller, width);
        return;
    }
    for (std::size_t b = 0; b < n_branches; ++b) {
        ws.finder->add(ws.branch_sums.data() + b * width, block,
                       std::span(ws.rows).subspan(at, ws.counts[b]));
        at += ws.counts[b];
    }
}

std::uint32_t Growth::heaviest_branch(std::size_t n_branches, std::size_t width,
                                      const Workspace& ws) {
    std::size_t best = 0;
    for (std::size_t b = 1; b < n_branches; ++b)
        if (ws.branch_sums[b * width + criteria::kWeight] >
            ws.branch_sums[best * width + criteria::kWeight])
            best = b;
    return static_cast<std::uint32_t>(best);
}

double Growth::sum_of_squares(const Open& open, const Workspace& ws) const {
    if (data.target.is_classification()) return 0.0;
    const std::size_t n_outputs = data.target.n_outputs;
    double weight = 0.0;
    double sum = 0.0;
    for (const std::uint32_t row : ws.rows) {
        weight += open.block->weight_of(row);
        sum += open.block->weight_of(row) * open.block->values[row * n_outputs];
    }
    double squares = 0.0;
    for (const std::uint32_t row : ws.rows) {
        const double off = open.block->values[row * n_outputs] - sum / weight;
        squares += open.block->weight_of(row) * off * off;
    }
    return squares;
}

double Growth::case_weight_of(const data::Block& block, std::span<const std::uint32_t> rows) const {
    const bool as_given = options.as_rpart && !data.case_weight.empty();
    double sum = 0.0;
    for (const std::uint32_t row : rows)
        sum += as_given ? data.case_weight[block.table_row[row]] : block.weight_of(row);
    return sum;
}

double Growth::mean_of(const double* sums, const Finder& finder) const {
    if (!data.target.is_classification()) return finder.level_of(sums);
    double sum = 0.0;
    for (std::size_t k = 0; k < data.target.n_classes[0]; ++k)
        sum += static_cast<double>(k) * sums[criteria::kStatistics + k];
    return sum / sums[criteria::kWeight];
}

std::vector<missing::FoundSurrogate> Growth::find_surrogates(const Open& open,
                                                             const split::Candidate& winner,
                                                             Workspace& ws) const {
    const data::Block& block = *open.block;
    std::vector<char> known(block.n_rows, 1);
    for (const std::uint32_t row : ws.missing_rows) known[row] = 0;
    std::vector<missing::FoundSurrogate> found;
    missing::SurrogateRuns runs;
    const std::size_t width = ws.finder->width();
    missing::AgreementRule rule{.as_rpart = options.as_rpart};
    rule.left = case_weight_of(block, std::span(ws.rows).first(ws.counts[0]));
    rule.right = case_weight_of(block, std::span(ws.rows).subspan(ws.counts[0], ws.counts[1]));
    if (options.as_rpart)
        rule.zero_is_left = mean_of(ws.branch_sums.data(), *ws.finder) <
                            mean_of(ws.branch_sums.data() + width, *ws.finder);
    for (const std::uint32_t column : *open.columns) {
        if (column == winner.column && winner.question != split::Question::sum) continue;
        progress.check(ws.is_caller);
        runs = missing::SurrogateRuns{};
        // In rpart a cut lies between neighbouring values of the node, whether the primary column
        // knows their rows or not.
        const bool all_open =
            options.as_rpart && data.columns[column].scale != data::Scale::nominal;
        const auto add = [&](std::uint32_t row, bool opens) {
            if (!known[row] && !all_open) return false;
            if (opens) {
                runs.left.push_back(0.0);
                runs.right.push_back(0.0);
                runs.n_left.push_back(0.0);
                runs.n_right.push_back(0.0);
                runs.first_row.push_back(row);
                runs.last_row.push_back(row);
            }
            runs.last_row.back() = row;
            if (!known[row]) return true;
            const bool right = ws.sides[row] == 1;
            (right ? runs.right : runs.left).back() += case_weight_of(block, {&row, 1});
            (right ? runs.n_right : runs.n_left).back() += block.copies_of(row);
            return true;
        };
        const auto by_word = [&]<class Word>() {
            const Word* list = block.list<Word>(column);
            bool pending = true;  // a new value began since the last row that counted
            const std::uint32_t known_end = open.end - n_missing_of(open, column);
            for (std::uint32_t i = open.begin; i < known_end; ++i) {
                if ((list[i] & data::Entry<Word>::kSameValue) == 0) pending = true;
                if (add(data::Entry<Word>::row(list[i]), pending)) pending = false;
            }
        };
        if (block.is_narrow()) by_word.template operator()<data::Narrow>();
        else by_word.template operator()<data::Wide>();
        missing::FoundSurrogate best =
            best_surrogate(runs, data.columns[column], column, block.table_row, rule);
        if (best.surrogate.agreement > 0.0) found.push_back(std::move(best));
    }
    std::stable_sort(found.begin(), found.end(), [](const auto& a, const auto& b) {
        return a.surrogate.agreement > b.surrogate.agreement;
    });
    if (found.size() > options.max_surrogates) found.resize(options.max_surrogates);
    return found;
}

std::uint32_t Growth::branch_of_missing(const Open& open, const split::Candidate& winner,
                                        const tree::TreeNode& node, std::uint32_t row) const {
    const data::Block& block = *open.block;
    if (!winner.missing_branch_of_class.empty())
        return static_cast<std::uint32_t>(winner.missing_branch_of_class[block.classes[row]]);
    for (const tree::Surrogate& surrogate : node.surrogates) {
        const int branch =
            surrogate_branch(surrogate, data.columns[surrogate.column], block.table_row[row]);
        if (branch >= 0) return static_cast<std::uint32_t>(branch);
    }
    return static_cast<std::uint32_t>(winner.missing_branch);
}

void Growth::partition(const Open& open, const split::Candidate& winner, Workspace& ws, bool shared,
                       std::size_t first_child, std::span<Open> opened) {
    const bool lists = open.block->holding == data::Holding::lists;
    const std::vector<std::uint32_t>& columns = *open.columns;
    const bool counts_missing = lists && !open.n_missing.empty();
    if (counts_missing)
        for (Open& child : opened) child.n_missing.assign(data.columns.size(), 0);
    const std::size_t n_lists = lists ? columns.size() : 1;
    const auto one = [&](std::size_t i, data::PartitionScratch& scratch) {
        const std::uint32_t column = columns[i];
        const std::uint32_t n_missing = counts_missing ? n_missing_of(open, column) : 0;
        if (lists && column == winner.column && winner.question == split::Question::cut &&
            ws.missing_rows.empty())
            return;  // a cut leaves its own list in order
        if (n_missing > 0) scratch.missing_of_child.assign(ws.counts.size(), 0);
        const auto by = [&]<class Word, class Side>(const Side* side) {
            partition_list(open.block->list<Word>(column) + open.begin, open.size(), n_missing,
                           side, ws.counts, scratch);
        };
        const auto by_word = [&]<class Word>() {
            if (ws.sides.is_narrow)
                by.template operator()<Word, std::uint8_t>(ws.sides.narrow.data());
            else by.template operator()<Word, std::uint32_t>(ws.sides.wide.data());
        };
        if (open.block->is_narrow()) by_word.template operator()<data::Narrow>();
        else by_word.template operator()<data::Wide>();
        if (n_missing > 0)
            for (Open& child : opened)
                child.n_missing[column] = scratch.missing_of_child[child.node - first_child];
    };
    if (shared)
        team.for_each(n_lists, [&](std::size_t i, std::size_t thread) {
            one(i, workspaces[thread].partition);
        });
    else
        for (std::size_t i = 0; i < n_lists; ++i) {
            look_up(open.size());
            one(i, ws.partition);
        }
}

void Growth::count_missing(const Open& open, Open& child) const {
    if (open.n_missing.empty()) return;
    child.n_missing.assign(data.columns.size(), 0);
    for (const std::uint32_t column : *open.columns) {
        if (open.n_missing[column] == 0) continue;
        for (const std::uint32_t row : child.block->table_row)
            child.n_missing[column] += data.columns[column].is_missing(row) ? 1 : 0;
    }
}

}  // namespace treewright::grow
