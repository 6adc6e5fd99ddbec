#include <algorithm>
#include <cmath>

#include "treewright/boost/search.hpp"

namespace treewright {
namespace {

/// A gain below this share of what the node gains as a leaf is rounding: its rows are alike.
constexpr double kRounding = 1e-12;

struct Reals {
    double g;
    double h;
};

Reals reals_of(const Sums& sums, const FixedPoint& fixed) {
    return {static_cast<double>(sums.gradient) * fixed.gradient_unit,
            static_cast<double>(sums.hessian) * fixed.hessian_unit};
}

/// Twice the decrease of the loss by a leaf that answers v: v minimises it if there are no bounds.
double decrease(const Reals& sums, double l2, double v) {
    return -(2.0 * sums.g * v + (sums.h + l2) * v * v);
}

double best_answer(const Reals& sums, double l2, const Bounds& bounds) {
    const double weight = sums.h + l2;
    const double v = weight > 0.0 ? -sums.g / weight : 0.0;
    return std::clamp(v, bounds.lower, bounds.upper);
}

/// Judges splits of one node.
class Judge {
public:
    Judge(const SearchNode& node, double l2, int sign)
        : node(node),
          limits(*node.limits),
          l2(l2),
          sign(sign),
          is_bounded(sign != 0 || !std::isinf(node.bounds.lower) ||
                     !std::isinf(node.bounds.upper)) {
        const Reals all = reals_of(node.total, node.fixed);
        const double v = best_answer(all, limits.l2, node.bounds);
        of_parent = decrease(all, limits.l2, v) * (1.0 + kRounding) + limits.min_gain;
    }

    [[nodiscard]] bool allows(const Sums& first) const {
        return first.n_rows >= limits.min_leaf &&
               node.total.n_rows - first.n_rows >= limits.min_leaf;
    }

    /// The gain of a split, beyond the least that is asked for; 0 if it is not allowed.
    [[nodiscard]] double gain(const Sums& first) const {
        const Reals a = reals_of(first, node.fixed);
        const Reals b = reals_of(node.total - first, node.fixed);
        if (a.h < limits.min_hessian || b.h < limits.min_hessian) return 0.0;
        if (is_bounded) return bounded_gain(a, b);
        const double ah = a.h + l2;
        const double bh = b.h + l2;
        return (a.g * a.g * bh + b.g * b.g * ah) / (ah * bh) - of_parent;
    }

private:
    [[nodiscard]] double bounded_gain(const Reals& a, const Reals& b) const {
        const double va = best_answer(a, l2, node.bounds);
        const double vb = best_answer(b, l2, node.bounds);
        if ((sign > 0 && va > vb) || (sign < 0 && va < vb)) return 0.0;
        return decrease(a, l2, va) + decrease(b, l2, vb) - of_parent;
    }

    const SearchNode& node;
    const BoostLimits& limits;
    double l2;
    int sign;
    bool is_bounded;
    double of_parent = 0.0;
};

}  // namespace

double leaf_answer(const Sums& sums, const FixedPoint& fixed, double l2, const Bounds& bounds) {
    return best_answer(reals_of(sums, fixed), l2, bounds);
}

void search_cuts(const SearchNode& node, std::span<const Sums> sums, std::uint32_t column, int sign,
                 BoostSplit& best) {
    const Judge judge(node, node.limits->l2, sign);
    const Sums missing = sums.back();
    const auto n_codes = static_cast<std::uint32_t>(sums.size() - 1);
    const auto consider = [&](const Sums& first, std::uint32_t cut, bool missing_first) {
        if (!judge.allows(first)) return;
        const double gain = judge.gain(first);
        if (!(gain > best.gain)) return;
        best.gain = gain;
        best.column = column;
        best.is_nominal = false;
        best.missing_first = missing_first;
        best.cut = cut;
        best.first = first;
    };
    Sums first;
    for (std::uint32_t cut = 0; cut + 1 < n_codes; ++cut) {
        first += sums[cut];
        if (sums[cut].n_rows == 0) continue;  // the same split as the cut before
        consider(first, cut, false);
        if (missing.n_rows > 0) {
            Sums with = first;
            with += missing;
            consider(with, cut, true);
        }
    }
    if (missing.n_rows > 0 && n_codes > 0) consider(node.total - missing, n_codes - 1, false);
    // Rows without the value, of which this node has none, follow the larger part.
    if (best.column == column && !best.is_nominal && missing.n_rows == 0 && best.exists())
        best.missing_first = 2 * best.first.n_rows >= node.total.n_rows;
}

void search_subsets(const SearchNode& node, std::span<const Sums> sums, std::uint32_t column,
                    SearchScratch& scratch, BoostSplit& best) {
    const BoostLimits& limits = *node.limits;
    const Judge judge(node, limits.l2 + limits.nominal_l2, 0);
    auto& order = scratch.order;
    order.clear();
    // Among all subsets the best is a prefix in the order of G / H (Fisher 1958; Breiman et al.
    // 1984, section 9.4); smoothing keeps categories of few rows from the ends. What is missing is
    // a category like any other.
    for (std::uint32_t code = 0; code < sums.size(); ++code) {
        if (sums[code].n_rows < limits.min_category) continue;
        const Reals reals = reals_of(sums[code], node.fixed);
        order.emplace_back(reals.g / (reals.h + limits.nominal_smoothing), code);
    }
    if (order.size() < 2) return;
    std::sort(order.begin(), order.end());
    std::size_t best_n = 0;
    bool from_end = false;
    double best_gain = best.gain;
    Sums best_first;
    for (const bool backward : {false, true}) {
        Sums first;
        const std::size_t most = std::min(limits.max_categories, order.size() - 1);
        for (std::size_t i = 0; i < most; ++i) {
            first += sums[order[backward ? order.size() - 1 - i : i].second];
            if (!judge.allows(first)) continue;
            const double gain = judge.gain(first);
            if (!(gain > best_gain)) continue;
            best_gain = gain;
            best_n = i + 1;
            from_end = backward;
            best_first = first;
        }
    }
    if (best_n == 0) return;
    best.gain = best_gain;
    best.column = column;
    best.is_nominal = true;
    best.cut = 0;
    best.first = best_first;
    best.codes.clear();
    for (std::size_t i = 0; i < best_n; ++i)
        best.codes.push_back(order[from_end ? order.size() - 1 - i : i].second);
    std::sort(best.codes.begin(), best.codes.end());
    const auto missing = static_cast<std::uint32_t>(sums.size() - 1);
    best.missing_first = !best.codes.empty() && best.codes.back() == missing;
    if (best.missing_first) best.codes.pop_back();
}

}  // namespace treewright
