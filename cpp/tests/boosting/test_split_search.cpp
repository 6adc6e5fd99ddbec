/// The best split of a column: cuts by running sums, and the divisions of two categories.
#include <cstdint>
#include <vector>

#include "check.hpp"
#include "treewright/base/random.hpp"
#include "treewright/boosting/gradients.hpp"
#include "treewright/boosting/histogram.hpp"
#include "treewright/boosting/split_search.hpp"

using namespace treewright;
using namespace treewright::boosting;

namespace {

constexpr int kCountBits = 9;

/// The sums of the codes of a column, missing values last, some of them without rows.
template <class Entry>
std::vector<Entry> some_entries(std::uint32_t n_all, Generator& draw) {
    std::vector<Entry> entries(n_all);
    for (Entry& entry : entries) {
        Sums sums;
        sums.n_rows = static_cast<std::int64_t>(draw.below(3));
        for (std::int64_t row = 0; row < sums.n_rows; ++row) {
            sums.gradient += static_cast<std::int64_t>(draw.below(2000)) - 1000;
            sums.hessian += static_cast<std::int64_t>(draw.below(250));
        }
        entry = Entry::of(sums, kCountBits);
    }
    return entries;
}

template <class Entry>
Sums total_of(const std::vector<Entry>& entries) {
    Entry all{};
    for (const Entry& entry : entries) all += entry;
    return all.sums(kCountBits);
}

FixedPoint some_units() {
    return {kCountBits, 0x1p-10, 0x1p-8, 1};
}

CodeSums code_sums(const auto& entries) {
    CodeSums sums;
    sums.reset(static_cast<std::uint32_t>(entries.size()));
    for (std::uint32_t code = 0; code < entries.size(); ++code)
        sums.add(code, entries[code].sums(kCountBits));
    return sums;
}

/// One cut after the other, each gain by its formula; of equal gains the first.
template <class Entry>
BoostSplit by_trying(const std::vector<Entry>& entries, const SearchNode& node) {
    const CodeSums own = code_sums(entries);
    const FixedPoint unit = node.fixed;
    const auto gain_of = [&](const Sums& first) {
        const Sums second = node.total - first;
        const double ag = static_cast<double>(first.gradient) * unit.gradient_unit;
        const double bg = static_cast<double>(second.gradient) * unit.gradient_unit;
        const double a = static_cast<double>(first.hessian) * unit.hessian_unit;
        const double b = static_cast<double>(second.hessian) * unit.hessian_unit;
        const BoostLimits& limits = *node.limits;
        if (first.n_rows < limits.min_leaf || second.n_rows < limits.min_leaf) return 0.0;
        if (a < limits.min_hessian || b < limits.min_hessian) return 0.0;
        const double ah = a + limits.l2;
        const double bh = b + limits.l2;
        return (ag * ag * bh + bg * bg * ah) / (ah * bh) - node.of_parent;
    };
    BoostSplit best;
    Sums first;
    for (std::size_t cut = 0; cut + 1 < own.n; ++cut) {
        first += own.sums[cut];
        for (const bool missing_first : {false, true}) {
            if (missing_first && (!own.has_missing() || cut + 2 == own.n)) continue;
            Sums with = first;
            if (missing_first) with += own.sums[own.n - 1];
            if (!(gain_of(with) > best.gain)) continue;
            best.gain = gain_of(with);
            best.cut = own.code[cut];
            best.first = with;
            best.missing_first =
                own.has_missing() ? missing_first : 2 * with.n_rows >= node.total.n_rows;
        }
    }
    return best;
}

void check_alike(const BoostSplit& a, const BoostSplit& b) {
    CHECK(a.gain == b.gain);
    CHECK(a.cut == b.cut);
    CHECK(a.missing_first == b.missing_first);
    CHECK(a.first.gradient == b.first.gradient);
    CHECK(a.first.hessian == b.first.hessian);
    CHECK(a.first.n_rows == b.first.n_rows);
}

template <class Entry>
void check_cuts(std::uint32_t n_all, Generator& draw) {
    const std::vector<Entry> entries = some_entries<Entry>(n_all, draw);
    BoostLimits limits;
    limits.l2 = 1.0;
    limits.min_leaf = static_cast<std::int64_t>(1 + draw.below(3));
    const SearchNode node(total_of(entries), some_units(), {}, limits);
    const BoostSplit expected = by_trying(entries, node);
    SearchScratch scratch;
    scratch.own = code_sums(entries);
    BoostSplit of_codes;
    search_cuts(node, 0, 0, scratch, of_codes);
    check_alike(of_codes, expected);
    RunningSums<Entry> running;
    {
        typename RunningSums<Entry>::Filling filling(running, n_all, kCountBits);
        for (std::uint32_t code = 0; code < n_all; ++code) filling.add(code, entries[code]);
    }
    BoostSplit of_running;
    search_running(node, 0, 0, running, scratch, of_running);
    check_alike(of_running, expected);
}

}  // namespace

CASE(cuts_by_running_sums_are_those_of_one_cut_after_the_other) {
    Generator draw(7);
    for (std::uint32_t n_all = 1; n_all < 60; ++n_all)
        for (int repeat = 0; repeat < 5; ++repeat) {
            check_cuts<WideEntry>(n_all, draw);
            check_cuts<NarrowEntry>(n_all, draw);
        }
}

CASE(two_categories_are_divided_if_that_beats_what_was_found_before_and_only_then) {
    BoostLimits limits;
    limits.min_leaf = 1;
    limits.l2 = 1.0;
    std::vector<WideEntry> entries(3);
    entries[0] = WideEntry::of({5000, 300, 4}, kCountBits);
    entries[1] = WideEntry::of({-4000, 200, 3}, kCountBits);
    const SearchNode node(total_of(entries), some_units(), {}, limits);
    SearchScratch scratch;
    scratch.own = code_sums(entries);
    BoostSplit found;
    search_subsets(node, 2, scratch, found);
    CHECK(found.exists() && found.is_nominal && found.column == 2);
    CHECK(found.codes == std::vector<std::uint32_t>{1});  // the smaller G / H
    CHECK(found.first.n_rows == 3);
    BoostSplit better;
    better.gain = found.gain;
    search_subsets(node, 2, scratch, better);
    CHECK(!better.is_nominal && better.gain == found.gain);
}
