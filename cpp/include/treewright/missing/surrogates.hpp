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

/// The best question on a column, or agreement 0 if it does not beat the majority.
inline FoundSurrogate best_surrogate(const SurrogateRuns& runs, const data::Column& column,
                                     std::uint32_t index,
                                     const std::vector<std::uint32_t>& table_row) {
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
    const double all = all_left + all_right;
    double best = std::max(all_left, all_right);
    if (!(all > 0.0)) return found;
    if (column.scale == data::Scale::nominal) {
        double agree = 0.0;
        bool both[2] = {false, false};
        found.surrogate.is_cut = false;
        for (std::size_t i = 0; i < runs.left.size(); ++i) {
            const bool right = runs.right[i] > runs.left[i];
            both[right ? 1 : 0] = true;
            agree += std::max(runs.left[i], runs.right[i]);
            found.surrogate.branches.code.push_back(
                static_cast<std::int32_t>(column.whole(table_row[runs.first_row[i]])));
            found.surrogate.branches.branch.push_back(right ? 1 : 0);
        }
        if (both[0] && both[1] && agree > best * (1.0 + split::kAgreementTie))
            found.surrogate.agreement = agree / all;
        return found;
    }
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
        if (!(agree > best * (1.0 + split::kAgreementTie))) continue;
        best = agree;
        found.surrogate.agreement = agree / all;
        found.surrogate.reversed = opposite > same;
        found.row_below = runs.last_row[i];
        found.row_above = runs.first_row[i + 1];
    }
    return found;
}

}  // namespace treewright::missing
