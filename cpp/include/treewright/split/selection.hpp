/// Selection of the column whose candidate wins the node.
#pragma once

#include <algorithm>
#include <cmath>
#include <span>

#include "treewright/data/dataset.hpp"
#include "treewright/split/candidate.hpp"
#include "treewright/split/chaid/group_test.hpp"
#include "treewright/split/options.hpp"
#include "treewright/split/ties.hpp"

namespace treewright::split {

/// Gain per price of the column: Tan and Schlimmer (1990) gain^2 / cost, Nunez (1991)
/// (2^gain - 1) / (cost + 1)^w, rpart gain / cost.
inline double price(double gain, double cost, const SplitOptions& options) {
    switch (options.cost_rule) {
        case CostRule::none: return gain;
        case CostRule::tan_schlimmer: return gain * gain / cost;
        case CostRule::nunez:
            return (std::exp2(gain) - 1.0) / std::pow(cost + 1.0, options.cost_exponent);
        case CostRule::rpart: return gain / cost;
    }
    return gain;
}

/// The summed cost of a candidate's columns.
inline double cost_of(const Candidate& candidate, const SplitOptions& options) {
    if (candidate.question != Question::sum) return options.costs[candidate.column];
    double cost = 0.0;
    for (const std::int32_t column : candidate.terms.column)
        cost += options.costs[static_cast<std::size_t>(column)];
    return cost;
}

/// C4.5 compares gain ratios only among columns of at least average gain, less 0.001. Nominal
/// columns with as many values as 0.3 x all training rows are left out of the average, unless all
/// columns are such (constants of Quinlan's and Weka's programs).
inline void guard_by_average_gain(std::span<Candidate> candidates, const data::Dataset& data,
                                  double all_weight) {
    const auto has_many_values = [&](const Candidate& c) {
        const data::Column& column = data.columns[c.column];
        return column.scale == data::Scale::nominal &&
               static_cast<double>(column.n_codes) >= 0.3 * all_weight;
    };
    bool all_many = true;
    for (const data::Column& column : data.columns)
        all_many = all_many && column.scale == data::Scale::nominal &&
                   static_cast<double>(column.n_codes) >= 0.3 * all_weight;
    double sum = 0.0;
    double count = 0.0;
    for (const Candidate& c : candidates) {
        if (c.guard != Guard::none || (!all_many && has_many_values(c))) continue;
        sum += c.gain;
        count += 1.0;
    }
    // Where no column is in the average, none is above it: there is no split.
    for (Candidate& c : candidates)
        if (c.guard == Guard::none && (count == 0.0 || c.gain < sum / count - 1e-3))
            c.guard = Guard::average_gain;
}

/// Weight of all rows and of the node's, and the node's rows and impurity.
struct Weights {
    double all = 0.0;
    double node = 0.0;
    double n_rows = 0.0;
    double impurity = 0.0;
};

/// Names of more values than this pay for the choice that they offer.
inline constexpr std::uint32_t kFewValues = 10;

/// What a nominal column pays for the choice that its values offer, as a share of the impurity of
/// `n_rows` rows. Where the target is independent of the column, dividing the rows by k values
/// takes away (k - 1) / (n - 1) of Gini's index or of the variance, on average (the term of the
/// adjusted R^2, Ezekiel 1930; White and Liu 1994 on the bias of selection). The best subset of the
/// values takes 2 / pi of that where values have many rows, and all of it where every row has a
/// value of its own: the factor rises from 0.8 to 2, so that noise stays behind
/// (docs/decisions/019). One value against the rest is the best of k questions, of a share of about
/// 2 log k / (n - 1).
inline double share_of_choice(const Candidate& c, const data::Column& column, double n_rows) {
    if (c.question != Question::categories || c.is_open || column.n_codes <= kFewValues) return 0.0;
    const auto n_values = static_cast<double>(c.branch_of_run.size());
    if (n_values <= 2.0 || n_rows <= 1.0) return 0.0;
    if (c.has_rest) return 2.0 * std::log(n_values / 2.0) / (n_rows - 1.0);
    const double crowd = std::min(n_values / n_rows, 1.0);
    return (n_values - 2.0) / (n_rows - 1.0) * (0.8 + 1.2 * crowd * crowd * crowd);
}

/// C5.0 (GPL edition, formtree.c): columns whose gain is below 0.0001, or which have a value for
/// about every three rows of the table (unless all have, or values are grouped), are ruled out.
inline void bar_as_c5(std::span<Candidate> candidates, const data::Dataset& data,
                      const SplitOptions& options, double all_weight) {
    constexpr double kLeastGain = 1e-4;
    const auto has_many_values = [&](const data::Column& column) {
        // C5.0 counts "not applicable" as a value of every nominal column.
        return column.scale == data::Scale::nominal &&
               static_cast<double>(column.n_codes + 1) >= 0.3 * all_weight;
    };
    const bool any_number = options.nominal == Nominal::groups ||
                            std::all_of(data.columns.begin(), data.columns.end(), has_many_values);
    for (Candidate& c : candidates) {
        if (c.guard != Guard::none) continue;
        if (!(c.gain >= kLeastGain)) c.guard = Guard::no_gain;
        else if (!any_number && has_many_values(data.columns[c.column]))
            c.guard = Guard::many_values;
    }
}

/// Of those left, columns are compared whose gain is at least 0.999 of a threshold: the average
/// gain where the table has up to 500 rows per class, 0.9 log2(columns) / rows from 1,000 rows per
/// class on, and a mixture in between.
inline void guard_as_c5(std::span<Candidate> candidates, double rows_per_class,
                        double node_weight) {
    double sum = 0.0;
    double count = 0.0;
    for (const Candidate& c : candidates) {
        if (c.guard != Guard::none) continue;
        sum += c.gain;
        count += 1.0;
    }
    if (count == 0.0) return;
    const double by_size = std::clamp((std::floor(rows_per_class) - 500.0) / 500.0, 0.0, 1.0);
    const double threshold =
        (1.0 - by_size) * sum / count + by_size * 0.9 * std::log2(count) / node_weight;
    for (Candidate& c : candidates)
        if (c.guard == Guard::none && !(c.gain >= 0.999 * threshold)) c.guard = Guard::average_gain;
}

/// Branches by which C5.0 breaks ties: every split has at least three (one for "not applicable").
inline std::uint32_t branches_as_c5(const Candidate& c, const data::Column& column,
                                    const SplitOptions& options) {
    if (c.question != Question::categories || column.n_codes <= 2) return 3;
    return options.nominal == Nominal::groups ? c.n_branches : column.n_codes + 1;
}

/// The best gain ratio, column by column: one within a thousandth of the best so far wins too if it
/// has fewer branches, or as many and more gain.
inline Candidate* select_as_c5(std::span<Candidate> candidates, const data::Dataset& data,
                               const SplitOptions& options, const Weights& weights) {
    bar_as_c5(candidates, data, options, weights.all);
    if (options.selection == Selection::guarded_c5_gain_ratio) {
        const auto n_classes = std::max(data.target.n_classes[0], options.declared_classes);
        guard_as_c5(candidates, weights.all / static_cast<double>(n_classes), weights.node);
    }
    Candidate* best = nullptr;
    std::uint32_t fewest = 0;
    for (Candidate& c : candidates) {
        if (c.question == Question::none) continue;
        c.score = c.split_information > 0.0 ? c.gain / c.split_information : 0.0;
        if (options.cost_rule != CostRule::none)
            c.score = price(c.score, cost_of(c, options), options);
        if (options.single_precision) c.score = static_cast<float>(c.score);
        if (c.guard != Guard::none || !(c.split_information > 0.0)) continue;
        const std::uint32_t n = branches_as_c5(c, data.columns[c.column], options);
        // Scores and gains that differ by rounding are equal; floats are compared exactly.
        const auto beats = [&](double here, double there, double noise) {
            return here > there + (options.single_precision ? 0.0 : noise);
        };
        const double slack = kScoreTie * c.score + c.noise / c.split_information;
        const auto wins_tie = [&] {
            return beats(c.score, 0.999 * best->score, slack) &&
                   (n < fewest ||
                    (n == fewest && beats(c.gain, best->gain, c.noise + best->noise)));
        };
        if (best != nullptr && !beats(c.score, best->score, 2.0 * slack) && !wins_tie()) continue;
        best = &c;
        fewest = n;
    }
    return best;
}

/// CHAID: the smaller the adjusted p-value, the better; above alpha_split it is no candidate.
inline void score_by_significance(Candidate& c, const Merging& merging) {
    c.score = -c.log_adjusted_p;
    if (c.guard == Guard::none && c.log_adjusted_p > std::log(merging.alpha_split))
        c.guard = Guard::insignificant;
}

/// Scores the candidates (ascending columns) and returns the winner, null if there is none.
/// Scores that differ by less than their rounding error are ties, and ties go to the lower column,
/// or to the first in `order` (places of candidates), where one is given.
inline Candidate* select(std::span<Candidate> candidates, const data::Dataset& data,
                         const SplitOptions& options, const Weights& weights,
                         std::span<const std::uint32_t> order) {
    if (selects_as_c5(options)) return select_as_c5(candidates, data, options, weights);
    const auto bar_without_gain = [&](Question question) {
        for (Candidate& c : candidates)
            if (c.guard == Guard::none && c.question == question && options.strict_gain &&
                !(c.gain > c.noise))
                c.guard = Guard::no_gain;
    };
    // In C4.5 a cut that gains nothing is no candidate; a nominal column still counts as average,
    // and release 8 even asks it: only below it may something be gained (exclusive or).
    bar_without_gain(Question::cut);
    bar_without_gain(Question::intervals);
    if (options.selection == Selection::guarded_gain_ratio)
        guard_by_average_gain(candidates, data, weights.all);
    if (!options.idle_values) bar_without_gain(Question::categories);
    for (Candidate& c : candidates)
        if (c.guard == Guard::none && c.split_information <= options.min_information &&
            options.min_information > 0.0)
            c.guard = Guard::no_gain;

    Candidate* best = nullptr;
    double best_noise = 0.0;
    double most = 0.0;
    for (std::size_t i = 0; i < candidates.size(); ++i) {
        Candidate& c = candidates[order.empty() ? i : order[i]];
        if (c.question == Question::none) continue;
        double score = c.gain;
        double noise = c.noise;
        if (options.guard_many_values)
            score -= weights.impurity * share_of_choice(c, data.columns[c.column], weights.n_rows);
        if (options.merging.is_on) {
            score_by_significance(c, options.merging);
            score = c.score;
            noise = p_slack(score);
        } else if (options.selection != Selection::gain) {
            const double divisor = c.split_information > 0.0 ? c.split_information : 1.0;
            score /= divisor;
            noise /= divisor;
        }
        if (options.cost_rule != CostRule::none) {
            score = price(score, cost_of(c, options), options);
            noise = kScoreTie * std::abs(score);
        }
        if (options.single_precision) score = static_cast<float>(score);
        c.score = score;
        if (c.guard != Guard::none) continue;
        if (!std::isnan(c.exact_gain)) {
            const bool costs = options.cost_rule != CostRule::none;
            score = costs ? price(c.exact_gain, cost_of(c, options), options) : c.exact_gain;
            noise = 0.0;
        }
        if (best != nullptr && !(score > most + noise + best_noise)) continue;
        best = &c;
        best_noise = noise;
        most = score;
    }
    return best;
}

}  // namespace treewright::split
