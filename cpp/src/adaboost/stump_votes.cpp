#include "treewright/adaboost/stump_votes.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "treewright/base/error.hpp"
#include "treewright/base/parallel.hpp"
#include "treewright/tree/question.hpp"

namespace treewright::adaboost {
namespace {

constexpr int kBoth = 2;
constexpr std::size_t kChunk = 2048;  // rows whose votes stay in the L1 cache

int or_both(std::int32_t branch) {
    return branch < 0 ? kBoth : branch;
}

/// How many thresholds lie below a value: the number of its interval. Without a branch that could
/// be mispredicted.
template <class Value>
std::size_t interval_of(const std::vector<Value>& thresholds, Value value) {
    const Value* base = thresholds.data();
    std::size_t n = thresholds.size();
    while (n > 1) {
        const std::size_t half = n / 2;
        base += base[half - 1] < value ? half : 0;
        n -= half;
    }
    return static_cast<std::size_t>(base - thresholds.data()) + (n == 1 && *base < value ? 1U : 0U);
}

}  // namespace

StumpVotes::StumpVotes(std::span<const VotingStump> given, std::vector<std::uint32_t> codes_of,
                       std::uint32_t n_classes)
    : width(n_classes),
      n_codes(std::move(codes_of)),
      stumps(given.begin(), given.end()),
      constant(n_classes, 0.0) {
    std::size_t n_listed = 0;
    for (const VotingStump& stump : given) {
        require(stump.column < static_cast<std::int32_t>(n_codes.size()), "a column there is");
        require(stump.codes.size() == stump.branches.size(), "a branch for each code");
        for (const std::int32_t branch : stump.branches)
            require(branch == 0 || branch == 1, "two branches");
        for (const std::int32_t branch :
             {stump.rest_branch, stump.missing_branch, stump.unseen_branch})
            require(branch >= -1 && branch <= 1, "two branches");
        for (const std::int32_t said : stump.said)
            require(said >= 0 && static_cast<std::uint32_t>(said) < n_classes, "a class there is");
        require(std::isfinite(stump.vote), "a finite vote");
        n_listed += stump.codes.size();
    }
    all_codes.reserve(n_listed);  // spans point into these
    all_branches.reserve(n_listed);
    std::vector<std::vector<std::size_t>> of_column(n_codes.size());
    for (std::size_t i = 0; i < stumps.size(); ++i) {
        VotingStump& stump = stumps[i];
        const std::size_t at = all_codes.size();
        all_codes.insert(all_codes.end(), stump.codes.begin(), stump.codes.end());
        all_branches.insert(all_branches.end(), stump.branches.begin(), stump.branches.end());
        stump.codes = {all_codes.data() + at, stump.codes.size()};
        stump.branches = {all_branches.data() + at, stump.branches.size()};
        if (stump.column < 0) constant[static_cast<std::size_t>(stump.said[kBoth])] += stump.vote;
        else of_column[static_cast<std::size_t>(stump.column)].push_back(i);
    }
    for (std::uint32_t column = 0; column < n_codes.size(); ++column) {
        const std::vector<std::size_t>& which = of_column[column];
        if (which.empty()) continue;
        Steps laid;
        laid.column = column;
        laid.is_nominal = !stumps[which[0]].is_cut;
        for (const std::size_t i : which)
            require(stumps[i].is_cut != laid.is_nominal, "one kind of question about a column");
        if (laid.is_nominal) lay_categories(which, n_codes[column], laid.votes);
        else if (std::isnan(stumps[which[0]].threshold))
            lay_steps(which, laid.whole_thresholds, &VotingStump::threshold_int, laid.votes);
        else lay_steps(which, laid.thresholds, &VotingStump::threshold, laid.votes);
        steps.push_back(std::move(laid));
    }
}

template <class Value>
void StumpVotes::lay_steps(std::span<const std::size_t> which, std::vector<Value>& thresholds,
                           Value VotingStump::*threshold, std::vector<double>& votes) const {
    for (const std::size_t i : which) thresholds.push_back(stumps[i].*threshold);
    std::sort(thresholds.begin(), thresholds.end());
    thresholds.erase(std::unique(thresholds.begin(), thresholds.end()), thresholds.end());
    const std::size_t n_lines = thresholds.size() + 1;
    votes.assign((n_lines + 1) * width, 0.0);
    const auto at = [&](std::size_t line, std::int32_t said) -> double& {
        return votes[line * width + static_cast<std::size_t>(said)];
    };
    for (const std::size_t i : which) {  // where a vote begins, and where it ends
        const VotingStump& stump = stumps[i];
        const std::size_t next = interval_of(thresholds, stump.*threshold) + 1;
        at(0, stump.said[0]) += stump.vote;
        at(next, stump.said[0]) -= stump.vote;
        at(next, stump.said[1]) += stump.vote;
    }
    for (std::size_t j = width; j < n_lines * width; ++j) votes[j] += votes[j - width];
    for (const std::size_t i : which)
        at(n_lines, stumps[i].said[or_both(stumps[i].missing_branch)]) += stumps[i].vote;
}

void StumpVotes::lay_categories(std::span<const std::size_t> which, std::uint32_t count,
                                std::vector<double>& votes) const {
    votes.assign((count + 2) * width, 0.0);
    for (const std::size_t i : which) {
        const VotingStump& stump = stumps[i];
        const auto give = [&](std::size_t line, int branch) {
            votes[line * width + static_cast<std::size_t>(stump.said[branch])] += stump.vote;
        };
        const int other = or_both(stump.rest_branch < 0 ? stump.unseen_branch : stump.rest_branch);
        std::size_t listed = 0;
        for (std::uint32_t code = 0; code < count; ++code) {
            const bool is_listed = listed < stump.codes.size() &&
                                   stump.codes[listed] == static_cast<std::int32_t>(code);
            give(code, is_listed ? stump.branches[listed] : other);
            listed += is_listed ? 1 : 0;
        }
        give(count, or_both(stump.missing_branch));
        give(count + 1, or_both(stump.unseen_branch));
    }
}

void StumpVotes::add_steps(const Steps& of, const tree::Rows& rows, std::size_t begin,
                           std::size_t end, double* sums) const {
    const data::Column& column = rows.columns[of.column];
    const auto give = [&](std::size_t row, std::size_t line) {
        const double* votes = of.votes.data() + line * width;
        double* into = sums + row * width;
        for (std::size_t k = 0; k < width; ++k) into[k] += votes[k];
    };
    const std::size_t count = n_codes[of.column];
    for (std::size_t row = begin; row < end; ++row) {
        if (of.is_nominal) {
            const std::int64_t code = column.whole(row);
            if (code == data::kMissingCode) give(row, count);
            else if (code < 0 || static_cast<std::size_t>(code) >= count) give(row, count + 1);
            else give(row, static_cast<std::size_t>(code));
        } else if (column.is_missing(row)) {
            give(row, of.votes.size() / width - 1);
        } else if (column.is_real()) {
            give(row, interval_of(of.thresholds, column.real(row)));
        } else {
            give(row, interval_of(of.whole_thresholds, column.whole(row)));
        }
    }
}

void StumpVotes::add_all(const tree::Rows& rows, std::size_t n_threads, Progress& progress,
                         std::span<double> sums) const {
    require(rows.columns.size() == n_codes.size() && sums.size() == rows.n_rows * width,
            "columns of the stumps and a line for every row");
    for (const Steps& of : steps) {
        const bool is_real = rows.columns[of.column].is_real();
        require(of.is_nominal || is_real == of.whole_thresholds.empty(), "a column of its kind");
        require(!of.is_nominal || !is_real, "a column of its kind");
    }
    const std::size_t n_chunks = (rows.n_rows + kChunk - 1) / kChunk;
    Team team(std::min(n_threads, std::max<std::size_t>(n_chunks, 1)), progress);
    team.for_each(n_chunks, [&](std::size_t chunk, std::size_t) {
        const std::size_t begin = chunk * kChunk;
        const std::size_t end = std::min(rows.n_rows, begin + kChunk);
        for (std::size_t row = begin; row < end; ++row)
            for (std::size_t k = 0; k < width; ++k) sums[row * width + k] += constant[k];
        for (const Steps& of : steps) add_steps(of, rows, begin, end, sums.data());
    });
}

int StumpVotes::branch_of(const VotingStump& stump, const tree::Rows& rows, std::size_t row) const {
    if (stump.column < 0) return kBoth;
    const data::Column& column = rows.columns[static_cast<std::size_t>(stump.column)];
    if (!stump.is_cut) {
        const std::int64_t code = column.whole(row);
        if (code == data::kMissingCode) return or_both(stump.missing_branch);
        if (code < 0) return or_both(stump.unseen_branch);
        const std::int32_t branch = tree::branch_of_code(stump.codes, stump.branches, code);
        if (branch >= 0) return branch;
        return or_both(stump.rest_branch < 0 ? stump.unseen_branch : stump.rest_branch);
    }
    if (column.is_missing(row)) return or_both(stump.missing_branch);
    if (column.is_real()) return column.real(row) <= stump.threshold ? 0 : 1;
    return column.whole(row) <= stump.threshold_int ? 0 : 1;
}

void StumpVotes::branches(const tree::Rows& rows, Progress& progress,
                          std::span<std::int32_t> branch) const {
    require(branch.size() == rows.n_rows * stumps.size() && rows.columns.size() == n_codes.size(),
            "a place for every row and stump");
    for (std::size_t row = 0; row < rows.n_rows; ++row) {
        if (row % kChunk == 0) progress.check(true);
        for (std::size_t i = 0; i < stumps.size(); ++i)
            branch[row * stumps.size() + i] = branch_of(stumps[i], rows, row);
    }
}

void StumpVotes::add(const tree::Rows& rows, std::size_t first, std::size_t last,
                     Progress& progress, std::span<double> sums) const {
    require(first <= last && last <= stumps.size() && sums.size() == rows.n_rows * width &&
                rows.columns.size() == n_codes.size(),
            "stumps there are, their columns, and a line for every row");
    for (std::size_t begin = 0; begin < rows.n_rows; begin += kChunk) {
        const std::size_t end = std::min(rows.n_rows, begin + kChunk);
        for (std::size_t i = first; i < last; ++i) {
            progress.check(true);
            for (std::size_t row = begin; row < end; ++row) {
                const int branch = branch_of(stumps[i], rows, row);
                sums[row * width + static_cast<std::size_t>(stumps[i].said[branch])] +=
                    stumps[i].vote;
            }
        }
    }
}

}  // namespace treewright::adaboost
