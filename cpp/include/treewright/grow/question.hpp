/// From a candidate, which refers to rows and runs, to a question on raw values.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "treewright/data/bins.hpp"
#include "treewright/data/block.hpp"
#include "treewright/grow/options.hpp"
#include "treewright/split/candidate.hpp"
#include "treewright/split/numeric/threshold_between.hpp"
#include "treewright/tree/tree.hpp"

namespace treewright::grow {

/// `rows` are rows of the table.
inline void place_between(const data::Column& column, const split::CutRows& rows,
                          const GrowOptions& options, double& threshold,
                          std::int64_t& threshold_int) {
    threshold = std::numeric_limits<double>::quiet_NaN();
    threshold_int = 0;
    const bool is_number = column.type != data::ValueType::code;
    const split::ThresholdAt at =
        options.as_rpart && is_number ? split::ThresholdAt::before_midpoint : options.threshold_at;
    if (!column.is_real()) {
        threshold_int = threshold_between(column.whole(rows.below), column.whole(rows.above), at);
        return;
    }
    const double below = column.real(rows.below) + 0.0;
    const double above = column.real(rows.above) + 0.0;
    threshold = threshold_between(below, above, at);
    // Release 8: a value halfway between two others may then be the threshold itself.
    const auto rounded = static_cast<double>(static_cast<float>(threshold));
    if (options.single_precision && rounded >= below && rounded < above) threshold = rounded;
}

/// The rows of the table on either side of a cut; where values were binned, those at the ends of
/// the bin below and the next: the cut is that of the bin, whichever of its rows the node has.
inline split::CutRows ends_of(const split::CutRows& cut, const data::Column& column,
                              const data::Block& block, const data::Bins& bins) {
    const std::uint32_t below = block.table_row[cut.below];
    if (bins.last_row.empty()) return {below, block.table_row[cut.above]};
    const std::size_t bin = bin_of(bins, column, below);
    return {bins.last_row[bin], bins.first_row[bin + 1]};
}

/// The threshold of a question that every known value meets: "is the value known?"
inline void place_open(const data::Column& column, double& threshold, std::int64_t& threshold_int) {
    threshold = std::numeric_limits<double>::quiet_NaN();
    if (column.is_real()) threshold = std::numeric_limits<double>::infinity();
    else if (column.type == data::ValueType::code)
        threshold_int = static_cast<std::int64_t>(column.n_codes) - 1;
    else threshold_int = std::numeric_limits<std::int64_t>::max();
}

inline void place_threshold(const split::Candidate& candidate, const data::Column& column,
                            const data::Block& block, const data::Bins& bins,
                            const GrowOptions& options, double& threshold,
                            std::int64_t& threshold_int) {
    threshold = std::numeric_limits<double>::quiet_NaN();
    threshold_int = 0;
    if (candidate.question != split::Question::cut) return;
    if (candidate.is_open) {
        place_open(column, threshold, threshold_int);
        return;
    }
    const split::CutRows rows =
        ends_of({candidate.row_below, candidate.row_above}, column, block, bins);
    place_between(column, rows, options, threshold, threshold_int);
    if (!candidate.is_drawn) return;
    if (column.is_real()) {
        const bool separates =
            column.real(block.table_row[candidate.row_below]) <= candidate.drawn &&
            candidate.drawn < column.real(block.table_row[candidate.row_above]);
        if (separates) threshold = candidate.drawn + 0.0;  // never -0
        return;
    }
    const std::int64_t below = column.whole(block.table_row[candidate.row_below]);
    const std::int64_t above = column.whole(block.table_row[candidate.row_above]);
    const double floor = std::floor(candidate.drawn);
    if (floor >= static_cast<double>(below) && floor < static_cast<double>(above))
        threshold_int = static_cast<std::int64_t>(floor);
}

/// The cuts of a question that asks for an interval, ascending.
inline tree::Cuts cuts_of(const split::Candidate& candidate, const data::Column& column,
                          const data::Block& block, const data::Bins& bins,
                          const GrowOptions& options) {
    tree::Cuts found;
    for (const split::CutRows& cut : candidate.cuts) {
        found.real.emplace_back();
        found.whole.emplace_back();
        place_between(column, ends_of(cut, column, block, bins), options, found.real.back(),
                      found.whole.back());
    }
    return found;
}

/// Branches of the values that occur in the node, or of all declared values, by ascending code; for
/// a question "x = v" only v, since a column of many values would list its rest at every node.
inline tree::CodeBranches branches_of(const split::Candidate& candidate, const data::Column& column,
                                      const data::Block& block) {
    tree::CodeBranches found;
    if (candidate.question != split::Question::categories) return found;
    if (candidate.is_declared) {
        for (std::int32_t code = 0; code < static_cast<std::int32_t>(column.n_codes); ++code) {
            found.code.push_back(code);
            found.branch.push_back(code);
        }
        return found;
    }
    if (candidate.other_branch >= 0) {
        found.branch.assign(column.n_codes, candidate.other_branch);
        for (std::int32_t code = 0; code < static_cast<std::int32_t>(column.n_codes); ++code)
            found.code.push_back(code);
        for (std::size_t run = 0; run < candidate.row_of_run.size(); ++run) {
            const auto code = column.whole(block.table_row[candidate.row_of_run[run]]);
            found.branch[static_cast<std::size_t>(code)] =
                static_cast<std::int32_t>(candidate.branch_of_run[run]);
        }
        return found;
    }
    for (std::size_t run = 0; run < candidate.row_of_run.size(); ++run) {
        const std::uint32_t row = block.table_row[candidate.row_of_run[run]];
        if (column.is_missing(row) || (candidate.has_rest && candidate.branch_of_run[run] == 1))
            continue;
        found.code.push_back(static_cast<std::int32_t>(column.whole(row)));
        found.branch.push_back(static_cast<std::int32_t>(candidate.branch_of_run[run]));
    }
    return found;  // runs ascend by value, so codes do
}

/// Gives a multiway split one branch per declared value, in their order, whether the node has rows
/// of it or not (ID3, C4.5). Missing rows that are a branch of their own come last. "Is the value
/// known?" has its two branches for all values as it is.
inline void declare_branches(split::Candidate& candidate, const data::Column& column,
                             const data::Block& block) {
    if (candidate.question != split::Question::categories || candidate.is_declared ||
        candidate.is_open)
        return;
    std::vector<std::uint32_t> declared(candidate.n_branches, column.n_codes);
    bool own = false;
    for (std::size_t run = 0; run < candidate.row_of_run.size(); ++run) {
        const std::uint32_t row = block.table_row[candidate.row_of_run[run]];
        const bool missing = column.is_missing(row);
        own = own || missing;
        if (!missing)
            declared[candidate.branch_of_run[run]] = static_cast<std::uint32_t>(column.whole(row));
    }
    for (std::uint32_t& branch : candidate.branch_of_run) branch = declared[branch];
    const auto renamed = [&](std::int32_t& branch) {
        if (branch >= 0) branch = static_cast<std::int32_t>(declared[std::size_t(branch)]);
    };
    renamed(candidate.missing_branch);
    for (std::int32_t& branch : candidate.missing_branch_of_class) renamed(branch);
    candidate.n_branches = column.n_codes + (own ? 1 : 0);
    candidate.is_declared = true;
}

}  // namespace treewright::grow
