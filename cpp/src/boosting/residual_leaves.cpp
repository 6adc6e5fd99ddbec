#include "treewright/boosting/residual_leaves.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "treewright/base/error.hpp"
#include "treewright/base/exact_sum.hpp"
#include "treewright/boosting/row_blocks.hpp"

namespace treewright::boosting {
namespace {

double value_of(const Residual& one) {
    return one.value;
}
double value_of(double one) {
    return one;
}
double weight_of(const Residual& one) {
    return one.weight;
}
double weight_of(double) {
    return 1.0;
}

/// Which of n sorted values are the quantile of a level, or lie on either side of it.
struct Ranks {
    std::size_t low;
    std::size_t high;
};

Ranks ranks_of(std::size_t n, double level) {
    const double up_to = level * static_cast<double>(n);
    const auto whole = static_cast<std::size_t>(up_to);
    const std::size_t high = std::min(whole, n - 1);
    const bool is_between = static_cast<double>(whole) == up_to && whole > 0;
    return {is_between ? whole - 1 : high, high};
}

/// The mean of the values of two neighbouring ranks; `n_below` values are left out below.
double middle_of(std::vector<double>& values, const Ranks& ranks, std::size_t n_below) {
    const auto at = [&](std::size_t rank) {
        return values.begin() + static_cast<std::ptrdiff_t>(rank - n_below);
    };
    std::nth_element(values.begin(), at(ranks.low), values.end());
    if (ranks.high == ranks.low) return *at(ranks.low);
    return (*at(ranks.low) + *std::min_element(at(ranks.high), values.end())) / 2.0;
}

template <AnswersByResiduals L, class One>
double answer_of(const L& loss, std::vector<One>& residuals) {
    const double answer = quantile_of(residuals, loss.residual_level());
    if constexpr (requires { loss.limited(answer); }) {
        ExactSum sum;
        ExactSum all;
        for (const One& one : residuals) {
            sum.add_product(weight_of(one), loss.limited(value_of(one) - answer));
            all.add(weight_of(one));
        }
        return answer + sum.value() / all.value();
    }
    return answer;
}

template <class One>
double answer_of_any(const AnyLoss& loss, std::vector<One>& residuals) {
    return std::visit(
        [&](const auto& own) -> double {
            if constexpr (std::decay_t<decltype(own)>::traits.answers_by_residuals)
                return answer_of(own, residuals);
            else throw InvariantError("a loss that answers by residuals");
        },
        loss);
}

}  // namespace

double quantile_of(std::vector<Residual>& residuals, double level) {
    std::sort(residuals.begin(), residuals.end(),
              [](const Residual& a, const Residual& b) { return a.value < b.value; });
    double all = 0.0;
    for (const Residual& one : residuals) all += one.weight;
    double below = 0.0;
    for (std::size_t i = 0; i < residuals.size(); ++i) {
        below += residuals[i].weight;
        if (below > level * all || i + 1 == residuals.size()) return residuals[i].value;
        if (below == level * all) return (residuals[i].value + residuals[i + 1].value) / 2.0;
    }
    return 0.0;
}

double quantile_of(std::vector<double>& values, double level) {
    return middle_of(values, ranks_of(values.size(), level), 0);
}

double quantile_of_distances(std::span<const double> y, const double* scores, double level,
                             Team& team) {
    constexpr std::size_t kLooked = 2048;
    const std::size_t n = y.size();
    const auto distance = [&](std::size_t row) { return std::abs(y[row] - scores[row]); };
    const Ranks ranks = ranks_of(n, level);
    // A sample of rows gives a range that almost surely contains the quantile: six standard
    // deviations around the sample's own quantile. Only the distances in it are sorted.
    double low = -1.0;
    double high = std::numeric_limits<double>::infinity();
    if (n > 8 * kLooked) {
        std::vector<double> some(kLooked);
        for (std::size_t i = 0; i < kLooked; ++i) some[i] = distance(i * n / kLooked);
        std::sort(some.begin(), some.end());
        const double at = level * kLooked;
        const double reach = 6.0 * std::sqrt(kLooked * level * (1.0 - level)) + 2.0;
        if (at - reach > 0.0) low = some[static_cast<std::size_t>(at - reach)];
        if (at + reach < kLooked) high = some[static_cast<std::size_t>(at + reach)];
    }
    for (const bool is_first : {true, false}) {
        std::vector<std::vector<double>> inside(team.size());
        std::vector<std::size_t> n_below(team.size());
        by_blocks(n, team, [&](std::size_t begin, std::size_t end, std::size_t thread) {
            double found[kRowsPerBlock];
            std::size_t n_found = 0;
            std::size_t below = 0;
            for (std::size_t row = begin; row < end; ++row) {
                const double own = distance(row);
                below += own < low ? 1 : 0;
                found[n_found] = own;
                n_found += own >= low && own <= high ? 1 : 0;
            }
            n_below[thread] += below;
            inside[thread].insert(inside[thread].end(), found, found + n_found);
        });
        std::vector<double> all;
        std::size_t below = 0;
        for (std::size_t thread = 0; thread < team.size(); ++thread) {
            all.insert(all.end(), inside[thread].begin(), inside[thread].end());
            below += n_below[thread];
        }
        if (below <= ranks.low && ranks.high < below + all.size())
            return middle_of(all, ranks, below);
        require(is_first, "distances that are numbers");
        low = -1.0;  // the sample was not representative: use all rows
        high = std::numeric_limits<double>::infinity();
    }
    return 0.0;
}

double answer_of_residuals(const AnyLoss& loss, std::vector<Residual>& residuals) {
    return answer_of_any(loss, residuals);
}

double answer_of_residuals(const AnyLoss& loss, std::vector<double>& residuals) {
    return answer_of_any(loss, residuals);
}

}  // namespace treewright::boosting
