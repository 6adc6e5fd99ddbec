#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>

#include "treewright/base/avx512.hpp"
#include "treewright/boosting/split_search.hpp"
#include "treewright/split/ties.hpp"

namespace treewright::boosting {
namespace {

struct Reals {
    double g;
    double h;
};

Reals reals_of(const Sums& sums, const FixedPoint& fixed) {
    return {static_cast<double>(sums.gradient) * fixed.gradient_unit,
            static_cast<double>(sums.hessian) * fixed.hessian_unit};
}

/// Twice the decrease of the loss by a leaf that predicts v: v minimises it if there are no bounds.
double decrease(const Reals& sums, double l2, double v) {
    return -(2.0 * sums.g * v + (sums.h + l2) * v * v);
}

double best_answer(const Reals& sums, double l2, const Bounds& bounds) {
    const double weight = sums.h + l2;
    const double v = weight > 0.0 ? -sums.g / weight : 0.0;
    return std::clamp(v, bounds.lower, bounds.upper);
}

/// Shared by the gains of all cuts of one node.
struct CutLimits {
    Sums total;
    Sums more;  ///< that every first child gets
    FixedPoint fixed;
    double l2;
    double of_parent;
    double min_hessian;
    std::int64_t min_leaf;
};

/// The sums of the first children of cuts, as CutSums has them.
struct OfCuts {
    const std::int64_t* gradient;
    const std::int64_t* hessian;
    const std::int64_t* n_rows;

    explicit OfCuts(const CutSums& cuts)
        : gradient(cuts.gradient.data()),
          hessian(cuts.hessian.data()),
          n_rows(cuts.n_rows.data()) {}
    [[nodiscard]] Sums at(std::size_t cut) const {
        return {gradient[cut], hessian[cut], n_rows[cut]};
    }
};

/// The same by running sums.
template <class Entry>
struct OfRunning;

template <>
struct OfRunning<WideEntry> {
    const std::int64_t* gradient;
    const std::int64_t* rest;
    int count_bits;

    explicit OfRunning(const RunningSums<WideEntry>& sums)
        : gradient(sums.words[0].data()), rest(sums.words[1].data()), count_bits(sums.count_bits) {}
    [[nodiscard]] Sums at(std::size_t cut) const {
        return WideEntry::sums(gradient[cut], rest[cut], count_bits);
    }
};

template <>
struct OfRunning<NarrowEntry> {
    const std::int64_t* both;
    int count_bits;

    explicit OfRunning(const RunningSums<NarrowEntry>& sums)
        : both(sums.words[0].data()), count_bits(sums.count_bits) {}
    [[nodiscard]] Sums at(std::size_t cut) const {
        return NarrowEntry::sums(both[cut], count_bits);
    }
};

/// The gains of Judge::gain, without branches, `Step` at a time, some beyond the last if it must
/// be. The limits are copied, so that they cannot alias the output.
template <std::size_t Step, class Cuts>
inline void fill_gains(const CutLimits node, const Cuts cuts, std::size_t n, double* gain) {
    const double g_unit = node.fixed.gradient_unit;
    const double h_unit = node.fixed.hessian_unit;
    const auto gain_of = [&](std::size_t i) {
        const Sums own = cuts.at(i);
        const std::int64_t g = own.gradient + node.more.gradient;
        const std::int64_t h = own.hessian + node.more.hessian;
        const std::int64_t rows = own.n_rows + node.more.n_rows;
        const double ag = static_cast<double>(g) * g_unit;
        const double bg = static_cast<double>(node.total.gradient - g) * g_unit;
        const double a = static_cast<double>(h) * h_unit;
        const double b = static_cast<double>(node.total.hessian - h) * h_unit;
        const double ah = a + node.l2;
        const double bh = b + node.l2;
        const double value = (ag * ag * bh + bg * bg * ah) / (ah * bh) - node.of_parent;
        const bool is_allowed = (rows >= node.min_leaf) &
                                (node.total.n_rows - rows >= node.min_leaf) &
                                (a >= node.min_hessian) & (b >= node.min_hessian);
        return is_allowed ? value : 0.0;
    };
    for (std::size_t begin = 0; begin < n; begin += Step)
        for (std::size_t k = 0; k < Step; ++k) gain[begin + k] = gain_of(begin + k);
}

#ifdef TREEWRIGHT_AVX512
template <class Cuts>
TREEWRIGHT_WIDE void fill_gains_wide(const CutLimits& node, const Cuts& cuts, std::size_t n,
                                     double* gain) {
    fill_gains<kGainsAtATime>(node, cuts, n, gain);
}

TREEWRIGHT_WIDE double largest_gain_wide(const double* gain, std::size_t n) {
    __m512d most = _mm512_setzero_pd();
    std::size_t i = 0;
    // Of a number and NaN the second operand is taken.
    for (; i + 8 <= n; i += 8) most = _mm512_max_pd(_mm512_loadu_pd(gain + i), most);
    const auto rest = static_cast<__mmask8>((1U << (n - i)) - 1U);
    most = _mm512_max_pd(_mm512_maskz_loadu_pd(rest, gain + i), most);
    return _mm512_reduce_max_pd(most);
}
#endif

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
        // Without a hessian, or l2 in its place, a child has no prediction.
        least_hessian =
            l2 > 0.0 ? limits.min_hessian : std::max(limits.min_hessian, node.fixed.hessian_unit);
    }

    [[nodiscard]] bool allows(const Sums& first) const {
        return first.n_rows >= limits.min_leaf &&
               node.total.n_rows - first.n_rows >= limits.min_leaf;
    }

    /// The gain of a split above the required minimum; 0 if it is not allowed.
    [[nodiscard]] double gain(const Sums& first) const {
        const Reals a = reals_of(first, node.fixed);
        const Reals b = reals_of(node.total - first, node.fixed);
        if (a.h < least_hessian || b.h < least_hessian) return 0.0;
        if (is_bounded) return bounded_gain(a, b);
        const double ah = a.h + l2;
        const double bh = b.h + l2;
        return (a.g * a.g * bh + b.g * b.g * ah) / (ah * bh) - node.of_parent;
    }

    /// Gains of cuts whose first children have `more` beside their own sums; 0 if not allowed.
    template <class Cuts>
    void gains(const Cuts& cuts, std::size_t n, const Sums& more, double* gain) const {
        if (is_bounded) {
            for (std::size_t i = 0; i < n; ++i) {
                Sums first = cuts.at(i);
                first += more;
                gain[i] = allows(first) ? this->gain(first) : 0.0;
            }
            return;
        }
        const CutLimits common{node.total,     more,          node.fixed,     l2,
                               node.of_parent, least_hessian, limits.min_leaf};
#ifdef TREEWRIGHT_AVX512
        if (has_avx512()) return fill_gains_wide(common, cuts, n, gain);
#endif
        fill_gains<1>(common, cuts, n, gain);
    }

private:
    [[nodiscard]] double bounded_gain(const Reals& a, const Reals& b) const {
        const double va = best_answer(a, l2, node.bounds);
        const double vb = best_answer(b, l2, node.bounds);
        if ((sign > 0 && va > vb) || (sign < 0 && va < vb)) return 0.0;
        return decrease(a, l2, va) + decrease(b, l2, vb) - node.of_parent;
    }

    const SearchNode& node;
    const BoostLimits& limits;
    double l2;
    int sign;
    bool is_bounded;
    double least_hessian = 0.0;
};

}  // namespace

SearchNode::SearchNode(const Sums& total, const FixedPoint& fixed, const Bounds& bounds,
                       const BoostLimits& limits)
    : total(total), fixed(fixed), bounds(bounds), limits(&limits) {
    const Reals all = reals_of(total, fixed);
    const double v = best_answer(all, limits.l2, bounds);
    of_parent = decrease(all, limits.l2, v) * (1.0 + split::kHistogramTie) + limits.min_gain;
}

bool SearchNode::are_heavy(std::int64_t first, std::int64_t all) const {
    const double least = limits->min_weight / kWeightUnit;
    return static_cast<double>(first) >= least && static_cast<double>(all - first) >= least;
}

double largest_gain(const double* gain, std::size_t n) {
#ifdef TREEWRIGHT_AVX512
    if (has_avx512()) return largest_gain_wide(gain, n);
#endif
    double most = 0.0;
    for (std::size_t i = 0; i < n; ++i) most = gain[i] > most ? gain[i] : most;
    return most;
}

double leaf_answer(const Sums& sums, const FixedPoint& fixed, double l2, const Bounds& bounds) {
    return best_answer(reals_of(sums, fixed), l2, bounds);
}

/// Clears the gains of cuts one of whose children weighs too little.
static void leave_out_light(const SearchNode& node, std::size_t n_cuts, double* gain,
                            double* gain_with) {
    const std::int64_t all = std::reduce(node.weight.begin(), node.weight.end());
    std::int64_t first = 0;
    for (std::size_t cut = 0; cut < n_cuts; ++cut) {
        first += node.weight[cut];
        if (!node.are_heavy(first, all)) gain[cut] = 0.0;
        if (gain_with != nullptr && cut + 1 < n_cuts &&
            !node.are_heavy(first + node.weight.back(), all))
            gain_with[cut] = 0.0;
    }
}

/// Searches the cuts after `code`: each of the codes that have rows but the last. The last cut
/// separates known from missing values, which have the sums `missing`, if there are any.
template <class Cuts>
static void search_after(std::span<const std::uint32_t> code, const Cuts& cuts, const Sums* missing,
                         const SearchNode& node, std::uint32_t column, int sign,
                         SearchScratch& scratch, BoostSplit& best) {
    const std::size_t n_cuts = code.size();
    const std::size_t n_with = missing != nullptr ? n_cuts - 1 : 0;
    const Judge judge(node, node.limits->l2, sign);
    double* gain = scratch.gains_of(2 * n_cuts + kGainsAtATime);
    double* gain_with = missing != nullptr ? gain + n_cuts + kGainsAtATime : nullptr;
    judge.gains(cuts, n_cuts, Sums{}, gain);
    if (missing != nullptr) judge.gains(cuts, n_with, *missing, gain_with);
    if (!node.weight.empty()) leave_out_light(node, n_cuts, gain, gain_with);
    double most = largest_gain(gain, n_cuts);
    if (n_with > 0) most = std::max(most, largest_gain(gain_with, n_with));
    if (!(most > best.gain)) return;
    // The first of equal gains; of one cut, missing values in the second child.
    std::size_t chosen = 0;
    while (gain[chosen] != most && !(chosen < n_with && gain_with[chosen] == most)) ++chosen;
    best.gain = most;
    best.missing_first = gain[chosen] != most;
    best.column = column;
    best.is_nominal = false;
    best.cut = code[chosen];
    best.first = cuts.at(chosen);
    if (best.missing_first) best.first += *missing;
    // Missing values, of which this node has none, follow the larger part.
    if (missing == nullptr) best.missing_first = 2 * best.first.n_rows >= node.total.n_rows;
}

void search_cuts(const SearchNode& node, std::uint32_t column, int sign, SearchScratch& scratch,
                 BoostSplit& best) {
    const CodeSums& own = scratch.own;
    if (own.n < 2) return;
    const std::size_t n_cuts = own.n - 1;
    CutSums& cuts = scratch.cuts;
    cuts.make_room(n_cuts);
    Sums first;
    for (std::size_t cut = 0; cut < n_cuts; ++cut) {
        first += own.sums[cut];
        cuts.set(cut, first);
    }
    search_after({own.code.data(), n_cuts}, OfCuts(cuts),
                 own.has_missing() ? &own.sums[n_cuts] : nullptr, node, column, sign, scratch,
                 best);
}

template <class Entry>
void search_running(const SearchNode& node, std::uint32_t column, int sign,
                    const RunningSums<Entry>& running, SearchScratch& scratch, BoostSplit& best) {
    if (running.n < 2) return;
    const std::size_t n_cuts = running.n - 1;
    const OfRunning<Entry> cuts(running);
    const Sums last = cuts.at(n_cuts) - cuts.at(n_cuts - 1);
    search_after({running.code.data(), n_cuts}, cuts, running.has_missing() ? &last : nullptr, node,
                 column, sign, scratch, best);
}

template void search_running<WideEntry>(const SearchNode&, std::uint32_t, int,
                                        const RunningSums<WideEntry>&, SearchScratch&, BoostSplit&);
template void search_running<NarrowEntry>(const SearchNode&, std::uint32_t, int,
                                          const RunningSums<NarrowEntry>&, SearchScratch&,
                                          BoostSplit&);

/// So few categories are ordered by counting those that come before each: no branch depends on the
/// keys, while sorting takes the wrong one every other time.
static constexpr std::size_t kFewToOrder = 16;

/// Puts the places of categories in the order of their keys, the lower place first of equal keys.
static void put_in_order(CategoryOrder& order) {
    const std::size_t n = order.n;
    if (n > kFewToOrder) {
        const double* const key = order.key.data();
        auto* const by_key = order.by_key.data();
        for (std::uint32_t i = 0; i < n; ++i) by_key[i] = {key[i], order.place[i]};
        std::sort(by_key, by_key + n);
        for (std::size_t i = 0; i < n; ++i) order.place[i] = by_key[i].second;
        return;
    }
    std::uint32_t n_before[kFewToOrder] = {};
    std::uint32_t place[kFewToOrder];
    for (std::size_t i = 1; i < n; ++i)
        for (std::size_t j = 0; j < i; ++j) {
            const std::uint32_t is_after = order.key[j] <= order.key[i] ? 1 : 0;
            n_before[i] += is_after;
            n_before[j] += 1 - is_after;
        }
    std::copy_n(order.place.data(), n, place);
    for (std::size_t i = 0; i < n; ++i) order.place[n_before[i]] = place[i];
}

/// Among all subsets the best is a prefix in the order of G / H (Fisher 1958; Breiman et al. 1984,
/// section 9.4); smoothing keeps categories of few rows from the ends. "Missing" is a category like
/// any other.
static void order_categories(const SearchNode& node, const CodeSums& own, CategoryOrder& order) {
    const BoostLimits& limits = *node.limits;
    order.make_room(own.n);
    order.n = 0;
    for (std::uint32_t i = 0; i < own.n; ++i) {
        const Reals reals = reals_of(own.sums[i], node.fixed);
        const double key = reals.g / (reals.h + limits.nominal_smoothing);
        order.key[order.n] = std::isnan(key) ? 0.0 : key;  // 0 / 0: it says nothing
        order.place[order.n] = i;
        order.n += own.sums[i].n_rows >= limits.min_category ? 1 : 0;
    }
    put_in_order(order);
}

/// The best of some divisions, and where it was found.
struct BestPrefix {
    double gain;
    std::size_t n = 0;  ///< categories of the first child; 0: none is better
    bool from_end = false;
    Sums first;
};

/// Improves `best` by the prefixes of an order, or (backward) its suffixes. Which of them are
/// better is as good as random: no branch depends on it.
static void search_prefixes(const SearchNode& node, const Judge& judge, bool backward,
                            std::size_t n_prefixes, const SearchScratch& scratch,
                            BestPrefix& best) {
    const CategoryOrder& order = scratch.order;
    const std::int64_t all = std::reduce(node.weight.begin(), node.weight.end());
    std::int64_t weight = 0;
    Sums first;
    double most = best.gain;
    std::size_t best_n = 0;
    for (std::size_t i = 0; i < n_prefixes; ++i) {
        const std::uint32_t place = order.at(i, backward);
        first += scratch.own.sums[place];
        if (!node.weight.empty()) {
            weight += node.weight[place];
            if (!node.are_heavy(weight, all)) continue;
        }
        const double gain = judge.allows(first) ? judge.gain(first) : 0.0;
        const bool is_better = gain > most;
        most = is_better ? gain : most;
        best_n = is_better ? i + 1 : best_n;
    }
    if (best_n == 0) return;
    best = {most, best_n, backward, {}};
    for (std::size_t i = 0; i < best_n; ++i) best.first += scratch.own.sums[order.at(i, backward)];
}

void search_subsets(const SearchNode& node, std::uint32_t column, SearchScratch& scratch,
                    BoostSplit& best) {
    const CodeSums& own = scratch.own;
    if (own.n < 2) return;
    const BoostLimits& limits = *node.limits;
    const Judge judge(node, limits.l2 + limits.nominal_l2, 0);
    // Two categories have one division, whose gain does not depend on which of them comes first.
    if (own.n == 2 && !(judge.allows(own.sums[0]) && judge.gain(own.sums[0]) > best.gain)) return;
    CategoryOrder& order = scratch.order;
    order_categories(node, own, order);
    if (order.n < 2) return;
    const std::size_t most = std::min(limits.max_categories, order.n - 1);
    // Where every category is in the order, what is left of a prefix is a suffix of the same gain,
    // to the last bit: the other way round would find the same divisions.
    const bool is_whole = order.n == own.n && most + 1 == order.n;
    BestPrefix found{best.gain, 0, false, {}};
    for (const bool backward : {false, true})
        if (!backward || !is_whole) search_prefixes(node, judge, backward, most, scratch, found);
    if (found.n == 0) return;
    best.gain = found.gain;
    best.first = found.first;
    best.column = column;
    best.is_nominal = true;
    best.cut = 0;
    order.list_first(own, found.n, found.from_end, best.codes);
    best.missing_first = !best.codes.empty() && best.codes.back() == own.missing;
    if (best.missing_first) best.codes.pop_back();
}

}  // namespace treewright::boosting
