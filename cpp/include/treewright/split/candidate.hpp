/// A proposed split of one node, by one column or by a linear combination, and its score.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "treewright/data/linear_combination.hpp"

namespace treewright::split {

/// Numbered as the kinds of a tree's nodes are.
enum class Question : std::uint8_t { none = 0, cut = 1, categories = 2, intervals = 3, sum = 4 };

/// Why a column's candidate is ruled out.
enum class Guard : std::uint8_t {
    none,
    constant,      ///< fewer than two values in the node
    limits,        ///< every split leaves a branch too small or breaks a constraint
    no_gain,       ///< nothing gained (after C4.5's penalty, where it applies)
    average_gain,  ///< gain below the average of the columns (C4.5)
    many_values,   ///< too many values for the rows of the table (C5.0)
    few_columns,   ///< fewer than two columns of numbers to add
    few_rows,      ///< too few rows to search for a linear combination
    one_column,    ///< the best sum found is as good with one column left
    no_cut,        ///< no cut was accepted (MDLP, CAL5)
    insignificant  ///< the values do not differ significantly in the target (CHAID)
};

/// Rows of the block on either side of a cut.
struct CutRows {
    std::uint32_t below = 0;
    std::uint32_t above = 0;
};

struct Candidate {
    std::uint32_t column = 0;
    Question question = Question::none;
    Guard guard = Guard::constant;
    double gain = -std::numeric_limits<double>::infinity();
    /// The gain of all rows known, not per unit of weight, where splits are compared to the last
    /// bit; otherwise not a number.
    double exact_gain = std::numeric_limits<double>::quiet_NaN();
    double noise = 0.0;  ///< rounding error the gain may carry; smaller differences are ties
    double split_information = 0.0;
    double score = -std::numeric_limits<double>::infinity();
    std::uint32_t n_cuts = 0;  ///< cuts that were tried

    /// cut: the first `cut_position` entries of the node's list go to branch 0. The threshold lies
    /// between the values of two rows of the block, or was drawn.
    std::uint32_t cut_position = 0;
    std::uint32_t cut_code = 0;  ///< the same when the block holds codes: code <= cut_code
    std::uint32_t row_below = 0;
    std::uint32_t row_above = 0;
    bool is_drawn = false;
    double drawn = 0.0;
    bool is_open = false;  ///< every known value goes to branch 0: row_above means nothing

    /// categories, intervals: branch of each run of the tally, a row of the block for each run,
    /// and, when the block holds codes, the runs' codes.
    std::vector<std::uint32_t> branch_of_run;
    std::vector<std::uint32_t> row_of_run;
    std::vector<std::uint32_t> code_of_run;
    std::vector<CutRows> cuts;  ///< intervals, ascending

    double log_p = 0.0;           ///< logarithm of the p-value; merging only
    double log_adjusted_p = 0.0;  ///< the same times the number of groupings

    /// sum: up to `sum_threshold` goes to branch 0. `column` is that of the first term.
    data::LinearTerms terms;
    double sum_threshold = 0.0;

    std::uint32_t n_branches = 0;
    bool is_declared = false;          ///< branch c is declared value c (see declare_branches)
    bool has_rest = false;             ///< "x = v": branch 1 is every other value, seen or not
    std::int32_t other_branch = -1;    ///< groups: of declared values not in the node
    bool owns_missing = false;         ///< the last run is the missing values
    std::int32_t missing_branch = -1;  ///< -1: divided among all, or settled by the policy
    std::vector<std::int32_t> missing_branch_of_class;  ///< most_likely_in_class only

    void reset(std::uint32_t of_column) {
        column = of_column;
        question = Question::none;
        guard = Guard::constant;
        gain = score = -std::numeric_limits<double>::infinity();
        exact_gain = std::numeric_limits<double>::quiet_NaN();
        split_information = noise = 0.0;
        n_cuts = n_branches = 0;
        is_drawn = is_declared = owns_missing = has_rest = is_open = false;
        log_p = log_adjusted_p = 0.0;
        missing_branch = other_branch = -1;
        branch_of_run.clear();
        row_of_run.clear();
        code_of_run.clear();
        cuts.clear();
        missing_branch_of_class.clear();
        terms.clear();
    }
};

}  // namespace treewright::split
