/// Many stumps that vote, packed for prediction.
///
/// All stumps of a column together are a step function of its value: between two neighbouring
/// thresholds the vote of each of them is the same. So a row costs one search per column, however
/// many stumps there are:
///
///   thresholds      2.5     4.5   5.5
///   votes for "-" |  0.0  |  ..  |  ..  |  ..      one line of votes for each interval, one for
///   votes for "+" |  2.2  |  ..  |  ..  |  ..      a missing value; nominal: one for each category
///
/// Votes lie on a grid on which a double adds exactly (the caller ensures it): the table gives the
/// same result as adding the stumps one by one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "treewright/data/column.hpp"
#include "treewright/tree/plan.hpp"

namespace treewright::adaboost {

/// One stump: a cut or branches of categories, and the class that each branch votes for.
struct VotingStump {
    std::int32_t column = -1;  ///< -1: no question, every row goes to branch 2
    bool is_cut = true;
    double threshold = 0.0;
    std::int64_t threshold_int = 0;
    std::span<const std::int32_t> codes;  ///< ascending
    std::span<const std::int32_t> branches;
    std::int32_t rest_branch = -1;     ///< of known categories not listed; -1: as an unseen one
    std::int32_t missing_branch = -1;  ///< -1: 2
    std::int32_t unseen_branch = -1;
    std::int32_t said[3] = {0, 0, 0};  ///< class of each branch, and of a row that follows both
    double vote = 0.0;
};

class StumpVotes {
public:
    /// Throws InvariantError for a stump that does not match the columns. The data behind the spans
    /// of the stumps are copied.
    StumpVotes(std::span<const VotingStump> stumps, std::vector<std::uint32_t> n_codes,
               std::uint32_t n_classes);
    StumpVotes(const StumpVotes&) = delete;  // the stumps point into vectors of this object
    StumpVotes& operator=(const StumpVotes&) = delete;

    [[nodiscard]] std::size_t n_classes() const { return width; }
    [[nodiscard]] std::size_t n_stumps() const { return stumps.size(); }
    [[nodiscard]] std::size_t n_columns() const { return n_codes.size(); }

    /// Adds the votes of all stumps for each class: rows x classes.
    void add_all(const tree::Rows& rows, std::size_t n_threads, Progress& progress,
                 std::span<double> sums) const;
    /// The same for some of the stumps, one by one.
    void add(const tree::Rows& rows, std::size_t first, std::size_t last, Progress& progress,
             std::span<double> sums) const;
    /// Branch of each row at each stump, rows x stumps; 2 where it follows both.
    void branches(const tree::Rows& rows, Progress& progress, std::span<std::int32_t> branch) const;

private:
    /// The votes of one column's stumps: a line for each interval or category, then one for a
    /// missing value and one for an unseen category.
    struct Steps {
        std::uint32_t column = 0;
        bool is_nominal = false;
        std::vector<double> thresholds;
        std::vector<std::int64_t> whole_thresholds;
        std::vector<double> votes;
    };
    template <class Value>
    void lay_steps(std::span<const std::size_t> which, std::vector<Value>& thresholds,
                   Value VotingStump::*threshold, std::vector<double>& votes) const;
    void lay_categories(std::span<const std::size_t> which, std::uint32_t count,
                        std::vector<double>& votes) const;
    void add_steps(const Steps& steps, const tree::Rows& rows, std::size_t begin, std::size_t end,
                   double* sums) const;
    [[nodiscard]] int branch_of(const VotingStump& stump, const tree::Rows& rows,
                                std::size_t row) const;

    std::size_t width;
    std::vector<std::uint32_t> n_codes;  ///< of each column; 0: it is no column of codes
    std::vector<VotingStump> stumps;
    std::vector<std::int32_t> all_codes;
    std::vector<std::int32_t> all_branches;
    std::vector<Steps> steps;
    std::vector<double> constant;  ///< votes of stumps that ask nothing
};

}  // namespace treewright::adaboost
