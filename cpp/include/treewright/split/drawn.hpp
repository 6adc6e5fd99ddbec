/// Extremely randomised splits (Geurts, Ernst, Wehenkel 2006): a drawn cut instead of the best one.
#pragma once

#include "treewright/base/random.hpp"
#include "treewright/split/judge.hpp"
#include "treewright/split/numeric/threshold.hpp"

namespace treewright::split {

/// Judges the one split that sends the marked runs to branch 0, missing rows on the better side; of
/// sides that tie, branch 1.
template <criteria::Criterion C>
void judge_marked(Judge<C>& judge, const std::vector<std::uint32_t>& branch_of_run,
                  const Monotone* monotone, SearchScratch& scratch, Candidate& best) {
    const Tally& tally = judge.tally;
    const std::size_t width = tally.width;
    scratch.left.assign(width, 0.0);
    scratch.right.assign(width, 0.0);
    for (std::size_t i = 0; i < tally.n_runs(); ++i)
        add_to(branch_of_run[i] == 0 ? scratch.left.data() : scratch.right.data(), tally.run(i),
               width);
    const bool third = judge.has_missing_branch();
    if (third && !judge.admits(tally.missing.data())) return;
    double best_purity = -std::numeric_limits<double>::infinity();
    for (const bool missing_left : {false, true}) {
        if (missing_left && !judge.tries_sides()) break;
        double* with = missing_left ? scratch.left.data() : scratch.right.data();
        if (judge.tries_sides()) add_to(with, tally.missing.data(), width);
        if (judge.admits(scratch.left.data()) && judge.admits(scratch.right.data()) &&
            (!monotone ||
             respects(judge.criterion, *monotone, scratch.left.data(), scratch.right.data()))) {
            const double purity = judge.criterion.pair(scratch.left.data(), scratch.right.data()) +
                                  (third ? judge.criterion.purity(tally.missing.data()) : 0.0);
            if (judge.beats(purity, best_purity)) {
                best_purity = purity;
                best.guard = Guard::none;
                best.missing_branch =
                    third ? 2 : (judge.tries_sides() ? (missing_left ? 0 : 1) : -1);
            }
        }
        if (judge.tries_sides()) subtract_from(with, tally.missing.data(), width);
    }
    if (best.guard != Guard::none) return;
    best.n_cuts = 1;
    best.n_branches = third ? 3 : 2;
    judge.settle(best_purity, best);
}

/// A threshold uniform between the least and the greatest value of a node. Infinite ends are
/// replaced by the largest finite numbers.
inline double draw_between(double least, double greatest, Generator& generator) {
    constexpr double kMost = std::numeric_limits<double>::max();
    const double low = std::max(least, -kMost);
    const double high = std::min(greatest, kMost);
    const double share = generator.uniform();
    const double drawn = low * (1.0 - share) + high * share;
    return drawn < high ? drawn : low;
}

/// A drawn threshold; `value_of(row)` reads the column.
template <criteria::Criterion C, class ValueOf>
void random_threshold(Judge<C>& judge, const Monotone* monotone, Generator generator,
                      const ValueOf& value_of, SearchScratch& scratch, Candidate& best) {
    const Tally& tally = judge.tally;
    if (tally.n_runs() < 2) return;
    best.guard = Guard::limits;
    const double drawn =
        draw_between(value_of(tally.row.front()), value_of(tally.row.back()), generator);
    std::size_t n_below = 1;
    std::uint32_t position = tally.n_entries[0];
    while (n_below + 1 < tally.n_runs() && value_of(tally.row[n_below]) <= drawn)
        position += tally.n_entries[n_below++];
    scratch.order.assign(tally.n_runs(), 1);
    std::fill_n(scratch.order.begin(), n_below, 0U);
    judge_marked(judge, scratch.order, monotone, scratch, best);
    if (best.guard != Guard::none) return;
    best.question = Question::cut;
    best.cut_position = position;
    best.cut_code = tally.code.empty() ? 0 : tally.code[n_below - 1];
    best.row_below = tally.last_row[n_below - 1];
    best.row_above = tally.row[n_below];
    best.is_drawn = true;
    best.drawn = drawn;
}

/// The number of entries of a list below the cut that is drawn for it: at least those of the first
/// value, at most all but those of the last; 0 if there is one value alone.
template <class Word, class ValueOf>
std::uint32_t entries_below(const Word* list, std::uint32_t n, double drawn,
                            const ValueOf& value_of) {
    const Word* above = std::partition_point(list, list + n, [&](Word entry) {
        return value_of(data::Entry<Word>::row(entry)) <= drawn;
    });
    auto at = static_cast<std::uint32_t>(above - list);
    const auto starts = [&](std::uint32_t i) {
        return (list[i] & data::Entry<Word>::kSameValue) == 0;
    };
    if (at == 0) {
        at = 1;
        while (at < n && !starts(at)) ++at;
        return at < n ? at : 0;
    }
    if (at == n) do
            --at;
        while (at > 0 && !starts(at));
    return at;
}

/// The rows of a node on either side of a drawn cut.
struct Parted {
    std::vector<data::Wide> entries;  ///< those below come first; in no order, without ties
    std::vector<data::Wide> above;
    std::uint32_t n_below = 0;  ///< 0: the node has one value alone
    double drawn = 0.0;
    std::uint32_t code_below = 0;  ///< the greatest code below
    std::uint32_t row_below = 0;   ///< rows that have the values on either side of the cut
    std::uint32_t row_above = 0;
};

/// Draws a cut for a column of codes and parts the rows of a node by it, as entries_below does
/// where they are sorted. `value_of_code` reads the codebook, `value_of_row` the column. False if a
/// value is missing.
template <class Word, class Code, class ValueOfCode, class ValueOfRow>
bool part_by_drawn_code(const NodeRange& node, const std::vector<Code>& code_of_row,
                        std::size_t n_codes, Generator& generator, const ValueOfCode& value_of_code,
                        const ValueOfRow& value_of_row, Parted& parted) {
    /// Rows whose values are sooner compared than a codebook is searched.
    constexpr std::uint32_t kFewRows = 24;
    const Word* list = node.block->list<Word>(0) + node.begin;
    const std::uint32_t n = node.size();
    const auto row_at = [&](std::uint32_t i) { return data::Entry<Word>::row(list[i]); };
    std::size_t least = n_codes;
    std::size_t most = 0;
    for (std::uint32_t i = 0; i < n; ++i) {
        const std::size_t code = code_of_row[row_at(i)];
        least = std::min(least, code);
        most = std::max(most, code);
    }
    if (most == n_codes) return false;
    parted.n_below = 0;
    if (least == most) return true;
    parted.drawn = draw_between(value_of_code(least), value_of_code(most), generator);
    std::size_t last = least;  // code below: not below the least, nor the greatest
    if (n <= kFewRows) {
        for (std::uint32_t i = 0; i < n; ++i) {
            const std::size_t code = code_of_row[row_at(i)];
            if (code > last && code < most && value_of_row(row_at(i)) <= parted.drawn) last = code;
        }
    } else {
        std::size_t beyond = most;
        while (beyond - last > 1) {
            const std::size_t middle = last + (beyond - last) / 2;
            (value_of_code(middle) <= parted.drawn ? last : beyond) = middle;
        }
    }
    last = std::min(last, most - 1);
    parted.entries.resize(n);
    parted.above.resize(n);
    std::uint32_t n_below = 0;
    std::uint32_t n_above = 0;
    std::uint64_t nearest_below = 0;  // code << 32 | row
    std::uint64_t nearest_above = ~std::uint64_t{0};
    for (std::uint32_t i = 0; i < n; ++i) {  // no branch on the data
        const std::uint32_t row = row_at(i);
        const std::uint64_t code = code_of_row[row];
        const bool is_below = code <= last;
        parted.entries[n_below] = row << 2;
        parted.above[n_above] = row << 2;
        n_below += is_below ? 1 : 0;
        n_above += is_below ? 0 : 1;
        const std::uint64_t key = code << 32 | row;
        nearest_below = std::max(nearest_below, is_below ? key : 0);
        nearest_above = std::min(nearest_above, is_below ? ~std::uint64_t{0} : key);
    }
    std::copy_n(parted.above.begin(), n_above,
                parted.entries.begin() + static_cast<std::ptrdiff_t>(n_below));
    parted.n_below = n_below;
    parted.code_below = static_cast<std::uint32_t>(nearest_below >> 32);
    parted.row_below = static_cast<std::uint32_t>(nearest_below);
    parted.row_above = static_cast<std::uint32_t>(nearest_above);
    return true;
}

/// Each value is sent to a side by a fair coin; neither side stays empty.
template <criteria::Criterion C>
void random_subset(Judge<C>& judge, Generator generator, SearchScratch& scratch, Candidate& best) {
    const Tally& tally = judge.tally;
    if (tally.n_runs() < 2) return;
    best.guard = Guard::limits;
    best.branch_of_run.assign(tally.n_runs(), 1);
    std::size_t n_left = 0;
    for (std::uint32_t& branch : best.branch_of_run) {
        branch = static_cast<std::uint32_t>(generator.next() >> 63);
        n_left += branch == 0 ? 1 : 0;
    }
    const auto any = static_cast<std::size_t>(generator.below(tally.n_runs()));
    if (n_left == 0) best.branch_of_run[any] = 0;
    if (n_left == tally.n_runs()) best.branch_of_run[any] = 1;
    scratch.order = best.branch_of_run;
    judge_marked(judge, scratch.order, nullptr, scratch, best);
    if (best.guard == Guard::none) best.question = Question::categories;
}

}  // namespace treewright::split
