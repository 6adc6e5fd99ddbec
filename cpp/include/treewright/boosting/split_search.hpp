/// The best split of a node by its histogram.
///
/// A leaf of gradient sum G and hessian sum H that predicts -G / (H + l2) lowers the loss, to
/// second order, by G^2 / (2 (H + l2)) (Friedman 2001; Chen and Guestrin, XGBoost, KDD 2016, eq. 6
/// and 7). The gain of a split is twice the further decrease of the loss compared with the node as
/// a leaf.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "treewright/boosting/histogram.hpp"

namespace treewright::boosting {

struct BoostLimits {
    double l2 = 0.0;
    double min_gain = 0.0;
    double min_hessian = 1e-3;
    std::int64_t min_leaf = 20;       ///< rows of a leaf
    std::int64_t min_split = 2;       ///< rows of a node that is split
    double min_weight = 0.0;          ///< of a leaf, where rows are weighted
    double nominal_smoothing = 10.0;  ///< added to hessians when categories are ordered
    double nominal_l2 = 10.0;         ///< added to l2 for a set of categories
    std::int64_t min_category = 1;    ///< rows a category needs to be ordered on its own
    std::size_t max_categories = 64;  ///< on the smaller side of a split
};

/// Weights are summed as whole numbers, so that the order of rows does not matter.
constexpr double kWeightUnit = 0x1p-20;

/// The range of predictions that ancestors allow a node, where columns are monotonic.
struct Bounds {
    double lower = -std::numeric_limits<double>::infinity();
    double upper = std::numeric_limits<double>::infinity();
};

struct BoostSplit {
    double gain = 0.0;  ///< 0: none
    std::uint32_t column = 0;
    bool is_nominal = false;
    bool missing_first = false;
    std::uint32_t cut = 0;
    std::vector<std::uint32_t> codes;  ///< categories of the first child, ascending
    Sums first;                        ///< of the first child

    [[nodiscard]] bool exists() const { return gain > 0.0; }

    /// None, with the memory of its codes.
    void reset() {
        std::vector<std::uint32_t> kept = std::move(codes);
        kept.clear();
        *this = {};
        codes = std::move(kept);
    }
};

/// Input of the search of the columns of a node.
struct SearchNode {
    SearchNode() = default;
    SearchNode(const Sums& total, const FixedPoint& fixed, const Bounds& bounds,
               const BoostLimits& limits);

    Sums total;
    FixedPoint fixed;
    Bounds bounds;
    const BoostLimits* limits = nullptr;
    /// Gain of the node as a leaf, and what a split must bring beyond it.
    double of_parent = 0.0;
    /// Weight of the rows of each code that has any, in units of kWeightUnit; empty: it does not
    /// matter.
    std::span<const std::int64_t> weight = {};

    /// Whether both children of a node weigh enough.
    [[nodiscard]] bool are_heavy(std::int64_t first, std::int64_t all) const;
};

/// The sums of the first child of each cut of a column.
struct CutSums {
    std::vector<std::int64_t> gradient;
    std::vector<std::int64_t> hessian;
    std::vector<std::int64_t> n_rows;

    void make_room(std::size_t n) {
        n += kGainsAtATime;
        if (gradient.size() >= n) return;
        gradient.resize(n);
        hessian.resize(n);
        n_rows.resize(n);
    }
    void set(std::size_t cut, const Sums& sums) {
        gradient[cut] = sums.gradient;
        hessian[cut] = sums.hessian;
        n_rows[cut] = sums.n_rows;
    }
    [[nodiscard]] Sums at(std::size_t cut) const {
        return {gradient[cut], hessian[cut], n_rows[cut]};
    }
};

/// The categories of a column that have rows enough, in the order in which subsets are prefixes.
struct CategoryOrder {
    std::vector<double> key;           ///< G / H of a category
    std::vector<std::uint32_t> place;  ///< of it, among the codes that have rows
    std::size_t n = 0;
    std::vector<std::pair<double, std::uint32_t>> by_key;  ///< working memory
    std::vector<std::uint8_t> is_first;                    ///< likewise

    void make_room(std::size_t n_codes) {
        if (key.size() >= n_codes) return;
        key.resize(n_codes);
        place.resize(n_codes);
        by_key.resize(n_codes);
        is_first.resize(n_codes);
    }
    [[nodiscard]] std::uint32_t at(std::size_t i, bool backward) const {
        return place[backward ? n - 1 - i : i];
    }
    /// Lists the codes of the first `n_chosen`, or (backward) the last, ascending.
    void list_first(const CodeSums& own, std::size_t n_chosen, bool backward,
                    std::vector<std::uint32_t>& codes) {
        std::fill_n(is_first.begin(), own.n, std::uint8_t{0});
        for (std::size_t i = 0; i < n_chosen; ++i) is_first[at(i, backward)] = 1;
        codes.resize(n_chosen + 1);
        std::size_t n_listed = 0;
        for (std::size_t i = 0; i < own.n; ++i) {
            codes[n_listed] = own.code[i];
            n_listed += is_first[i];
        }
        codes.resize(n_chosen);
    }
};

/// Working memory of a thread.
struct SearchScratch {
    CodeSums own;  ///< of the column at hand
    CutSums cuts;
    std::vector<double> gain;
    CategoryOrder order;
    std::vector<std::int64_t> weight;  ///< of each code that has rows

    /// Memory for so many gains.
    [[nodiscard]] double* gains_of(std::size_t n) {
        n += kGainsAtATime;
        if (gain.size() < n) gain.resize(n);
        return gain.data();
    }
};

/// Improves `best` by the cuts of a column, whose sums are in `scratch`. `sign` is the direction of
/// the monotonic constraint, or 0.
void search_cuts(const SearchNode& node, std::uint32_t column, int sign, SearchScratch& scratch,
                 BoostSplit& best);
/// The same where the sums are running already; limits on weights are not obeyed.
template <class Entry>
void search_running(const SearchNode& node, std::uint32_t column, int sign,
                    const RunningSums<Entry>& running, SearchScratch& scratch, BoostSplit& best);
void search_subsets(const SearchNode& node, std::uint32_t column, SearchScratch& scratch,
                    BoostSplit& best);

/// The largest of some gains, 0 at least; NaN is none.
[[nodiscard]] double largest_gain(const double* gain, std::size_t n);

/// -G / (H + l2), within the bounds.
[[nodiscard]] double leaf_answer(const Sums& sums, const FixedPoint& fixed, double l2,
                                 const Bounds& bounds);

}  // namespace treewright::boosting
