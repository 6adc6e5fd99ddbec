/// CART's surrogate splits (Breiman et al. 1984, section 5.3): the questions on other columns that
/// send the most rows the same way as the primary one, better than sending all to the heavier side.
#pragma once

#include <algorithm>
#include <vector>

#include "treewright/data/dataset.hpp"
#include "treewright/data/partition.hpp"
#include "treewright/missing/concept.hpp"
#include "treewright/split/ties.hpp"
#include "treewright/tree/tree.hpp"

namespace treewright::missing {

/// CART: where a value is missing, the questions that part the rows most alike stand in (Breiman et
/// al. 1984, section 5.3). They are looked for once the split is chosen.
struct Surrogates : LeavesOut {
    static constexpr Traits traits{.name = "surrogates", .uses_surrogates = true};
};

/// A surrogate with the rows that fix its threshold.
struct FoundSurrogate {
    tree::Surrogate surrogate;
    std::uint32_t row_below = 0;  ///< rows of the block
    std::uint32_t row_above = 0;
};

/// Ascending values of one column among the node's rows known in both columns.
struct SurrogateRuns {
    std::vector<double> left;  ///< weight that the primary split sends to branch 0, per run
    std::vector<double> right;
    std::vector<double> n_left;  ///< rows, for the two on each side that rpart asks for
    std::vector<double> n_right;
    std::vector<std::uint32_t> first_row;
    std::vector<std::uint32_t> last_row;
};

/// How agreement is counted. CART: among the rows known in both columns. rpart (surrogatestyle 0):
/// as a share of all rows known in the primary column, so that a surrogate's own gaps count against
/// it; and it has rules of its own for categories.
struct AgreementRule {
    bool as_rpart = false;
    double left = 0.0;  ///< weight of all rows that the primary split sends to branch 0
    double right = 0.0;
    bool zero_is_left = true;  ///< whether branch 0 is the one that rpart calls left
};

/// Sends each category to its heavier side and returns the weight that agrees with the primary
/// split, 0 if the question is not admitted. In rpart a category with equal weights follows the
/// heavier side of the column, the right one if those are equal too; and a surrogate must agree and
/// disagree in two rows at least (its check for two rows on each side counts those, and so refuses
/// copies of the primary column).
inline double best_categories(const SurrogateRuns& runs, const data::Column& column,
                              const std::vector<std::uint32_t>& table_row,
                              const AgreementRule& rule, double all_left, double all_right,
                              FoundSurrogate& found) {
    double agree = 0.0;
    double n_agree = 0.0;
    double n_disagree = 0.0;
    bool both[2] = {false, false};
    const bool evens_go_right =
        rule.as_rpart && (all_left == all_right ? rule.zero_is_left : all_right > all_left);
    found.surrogate.is_cut = false;
    for (std::size_t i = 0; i < runs.left.size(); ++i) {
        const bool right =
            runs.right[i] > runs.left[i] || (runs.right[i] == runs.left[i] && evens_go_right);
        both[right ? 1 : 0] = true;
        agree += std::max(runs.left[i], runs.right[i]);
        n_agree += right ? runs.n_right[i] : runs.n_left[i];
        n_disagree += right ? runs.n_left[i] : runs.n_right[i];
        found.surrogate.branches.code.push_back(
            static_cast<std::int32_t>(column.whole(table_row[runs.first_row[i]])));
        found.surrogate.branches.branch.push_back(right ? 1 : 0);
    }
    const bool admitted = rule.as_rpart ? n_agree >= 2.0 && n_disagree >= 2.0 : both[0] && both[1];
    return admitted ? agree : 0.0;
}

/// The best question on a column, or agreement 0 if it does not beat the majority.
inline FoundSurrogate best_surrogate(const SurrogateRuns& runs, const data::Column& column,
                                     std::uint32_t index,
                                     const std::vector<std::uint32_t>& table_row,
                                     const AgreementRule& rule) {
    FoundSurrogate found;
    found.surrogate.column = index;
    double all_left = 0.0;
    double all_right = 0.0;
    double rows = 0.0;
    for (std::size_t i = 0; i < runs.left.size(); ++i) {
        all_left += runs.left[i];
        all_right += runs.right[i];
        rows += runs.n_left[i] + runs.n_right[i];
    }
    if (!(all_left + all_right > 0.0)) return found;
    const auto beats = [](double agree, double best) {
        return agree > best * (1.0 + split::kAgreementTie);
    };
    const auto settle = [&](double agree) {
        const double left = rule.as_rpart ? rule.left : all_left;
        const double right = rule.as_rpart ? rule.right : all_right;
        if (beats(agree, std::max(left, right))) found.surrogate.agreement = agree / (left + right);
        return found;
    };
    if (column.scale == data::Scale::nominal)
        return settle(best_categories(runs, column, table_row, rule, all_left, all_right, found));
    double best = std::max(all_left, all_right);
    double left_below = 0.0;
    double right_below = 0.0;
    double rows_below = 0.0;
    for (std::size_t i = 0; i + 1 < runs.left.size(); ++i) {
        left_below += runs.left[i];
        right_below += runs.right[i];
        rows_below += runs.n_left[i] + runs.n_right[i];
        if (rows_below < 2.0 || rows - rows_below < 2.0) continue;
        const double same = left_below + (all_right - right_below);
        const double opposite = right_below + (all_left - left_below);
        const double agree = std::max(same, opposite);
        if (!beats(agree, best)) continue;
        best = agree;
        found.surrogate.reversed = opposite > same;
        found.row_below = runs.last_row[i];
        found.row_above = runs.first_row[i + 1];
    }
    return settle(best);
}

}  // namespace treewright::missing
