/// Best test "x in S" over subsets of the values.
///
/// Missing rows are tried on both sides; "missing" against all values is another question, offered
/// beside this one (split/known.hpp), and with it the theorem below covers them as one more value.
///
/// Two classes, or one numeric target: order the values by their share of the second class (their
/// mean) and cut that order; one of these cuts is the best subset for every criterion whose purity
/// is convex in the sums (Breiman et al. 1984, theorem 4.5; Fisher 1958). The theorem is for
/// splits without a smallest branch; with limits the best *ordered* cut that satisfies them is
/// taken. Otherwise: all 2^(values - 1) - 1 subsets up to ten values; beyond, the best cut of the
/// orders by the share of each class (or the mean of each output) in turn, which is a heuristic.
#pragma once

#include <numeric>

#include "treewright/criteria/twoing.hpp"
#include "treewright/split/judge.hpp"

namespace treewright::split {

inline constexpr std::size_t kMostEnumerated = 10;

/// How the subsets are gone through: rpart orders categories by the share of the first class, not
/// of the second, tries each subset and its complement (whose rounding may differ), and all of them
/// whatever their number; here up to a number that takes seconds.
struct SubsetOrder {
    bool as_rpart = false;
    [[nodiscard]] std::size_t most_enumerated() const { return as_rpart ? 22 : kMostEnumerated; }
};

/// Whether one ordering of the values contains the best subset. Criteria that use the spread
/// itself are not convex in weight and sum alone.
template <criteria::Criterion C>
bool ordering_is_exact(const C& criterion) {
    if (std::is_base_of_v<criteria::SquareSums, C>) return false;
    if constexpr (std::is_base_of_v<criteria::ClassSums, C>)
        return criterion.n_outputs == 1 && criterion.width() <= criteria::kStatistics + 2;
    else return criterion.n_outputs == 1;
}

/// Whether each value could be a branch alone: if not (Poisson, all counts 0), the best cut of an
/// order may be forbidden, and the best of those allowed need not be a cut.
template <criteria::Criterion C>
bool every_value_may_stand_alone(const Judge<C>& judge) {
    for (std::size_t i = 0; i < judge.tally.n_runs(); ++i)
        if (std::isinf(judge.criterion.purity(judge.tally.run(i)))) return false;
    return true;
}

/// Keeps the best of the subsets offered to it.
template <criteria::Criterion C>
struct SubsetRace {
    Judge<C>& judge;
    SearchScratch& scratch;
    Candidate& best;
    double best_purity = -std::numeric_limits<double>::infinity();

    /// scratch.left holds the sums of the subset, without the missing rows. Returns true if this
    /// subset is the best so far, missing rows on either side.
    bool offer() {
        const std::size_t width = judge.tally.width;
        double* left = scratch.left.data();
        double* right = scratch.right.data();
        bool improved = false;
        bool tried = false;
        for (const bool missing_left : {false, true}) {
            if (missing_left && !judge.tries_sides()) break;
            if (missing_left) add_to(left, judge.tally.missing.data(), width);
            difference(right, judge.total.data(), left, width);
            if (judge.admits(left) && judge.admits(right)) {
                tried = true;
                const double purity = judge.criterion.pair(left, right);
                if (judge.beats(purity, best_purity)) {
                    best_purity = purity;
                    best.missing_branch = judge.tries_sides() ? (missing_left ? 0 : 1) : -1;
                    improved = true;
                }
            }
            if (missing_left) subtract_from(left, judge.tally.missing.data(), width);
        }
        best.n_cuts += tried ? 1 : 0;
        return improved;
    }
};

/// Cuts the order of the values by statistic / weight.
template <criteria::Criterion C>
void race_order(SubsetRace<C>& race, std::size_t statistic) {
    const Tally& tally = race.judge.tally;
    auto& order = race.scratch.order;
    auto& key = race.scratch.key;
    order.resize(tally.n_runs());
    key.resize(tally.n_runs());
    std::iota(order.begin(), order.end(), 0U);
    for (std::size_t i = 0; i < tally.n_runs(); ++i)
        key[i] = tally.run(i)[statistic] / tally.run(i)[criteria::kWeight];
    std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
        return key[a] != key[b] ? key[a] < key[b] : a < b;
    });
    race.scratch.left.assign(tally.width, 0.0);
    std::size_t best_count = 0;
    for (std::size_t n = 1; n < order.size(); ++n) {
        add_to(race.scratch.left.data(), tally.run(order[n - 1]), tally.width);
        if (race.offer()) best_count = n;
    }
    if (best_count == 0) return;
    race.best.branch_of_run.assign(tally.n_runs(), 1);
    for (std::size_t n = 0; n < best_count; ++n) race.best.branch_of_run[order[n]] = 0;
}

/// All subsets that leave out the last value, in Gray-code order: one value changes at a time; or
/// those with it, too.
template <criteria::Criterion C>
void race_all(SubsetRace<C>& race, bool with_last) {
    const Tally& tally = race.judge.tally;
    const std::size_t n_free = tally.n_runs() - (with_last ? 0 : 1);
    race.scratch.left.assign(tally.width, 0.0);
    std::uint32_t best_mask = 0;
    for (std::uint32_t step = 1; step < (1U << n_free); ++step) {
        const std::uint32_t mask = step ^ (step >> 1);
        const auto changed = static_cast<std::size_t>(__builtin_ctz(step));
        if ((mask >> changed & 1U) != 0)
            add_to(race.scratch.left.data(), tally.run(changed), tally.width);
        else subtract_from(race.scratch.left.data(), tally.run(changed), tally.width);
        if (race.offer()) best_mask = mask;
    }
    if (with_last) race.best.n_cuts /= 2;  // a subset and its complement are one question
    if (best_mask == 0) return;
    race.best.branch_of_run.assign(tally.n_runs(), 1);
    for (std::size_t i = 0; i < n_free; ++i)
        if ((best_mask >> i & 1U) != 0) race.best.branch_of_run[i] = 0;
}

template <criteria::Criterion C>
void best_subset(Judge<C>& judge, SearchScratch& scratch, Candidate& best, SubsetOrder how = {}) {
    const Tally& tally = judge.tally;
    if (tally.n_runs() < 2) return;
    best.guard = Guard::limits;
    scratch.right.assign(tally.width, 0.0);
    SubsetRace<C> race{judge, scratch, best};
    const bool enumerates = tally.n_runs() <= how.most_enumerated();
    const bool by_first_class = how.as_rpart && std::is_base_of_v<criteria::ClassSums, C>;
    if (ordering_is_exact(judge.criterion) && (!enumerates || every_value_may_stand_alone(judge))) {
        race_order(race, by_first_class ? criteria::kStatistics : tally.width - 1);
    } else if (enumerates) {
        race_all(race, how.as_rpart);
    } else {
        for (std::size_t k = criteria::kStatistics; k < tally.width; ++k) race_order(race, k);
    }
    if (best.branch_of_run.empty()) return;
    if (best.branch_of_run[0] ==
        1) {  // branch 0 holds the lowest value, whichever way it was found
        for (std::uint32_t& branch : best.branch_of_run) branch = 1 - branch;
        if (best.missing_branch >= 0) best.missing_branch = 1 - best.missing_branch;
    }
    best.guard = Guard::none;
    best.question = Question::categories;
    best.n_branches = 2;
    judge.settle(race.best_purity, best);
}

}  // namespace treewright::split
