/// Questions as a tree stores them: slices of its branches and cuts, and the branches they lead to.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "treewright/data/column.hpp"
#include "treewright/tree/tree.hpp"

namespace treewright::tree {

/// Appends a slice and returns where it starts.
inline std::int64_t append_branches(CodeBranches& all, const CodeBranches& slice) {
    const auto start = static_cast<std::int64_t>(all.code.size());
    all.code.insert(all.code.end(), slice.code.begin(), slice.code.end());
    all.branch.insert(all.branch.end(), slice.branch.begin(), slice.branch.end());
    return start;
}

inline std::int64_t append_cuts(Cuts& all, const Cuts& slice) {
    const auto start = static_cast<std::int64_t>(all.real.size());
    all.real.insert(all.real.end(), slice.real.begin(), slice.real.end());
    all.whole.insert(all.whole.end(), slice.whole.begin(), slice.whole.end());
    return start;
}

/// Branch of a code in a slice of ascending codes; -1 if it is not there.
inline std::int32_t branch_of_code(std::span<const std::int32_t> codes,
                                   std::span<const std::int32_t> branches, std::int64_t code) {
    const auto at = std::lower_bound(codes.begin(), codes.end(), code);
    if (at == codes.end() || *at != code) return -1;
    return branches[static_cast<std::size_t>(at - codes.begin())];
}

/// Branch that a surrogate gives a row of the table; -1 if the value is missing or unseen.
inline int surrogate_branch(const Surrogate& surrogate, const data::Column& column,
                            std::size_t row) {
    if (column.is_missing(row)) return -1;
    if (!surrogate.is_cut) {
        return branch_of_code(surrogate.branches.code, surrogate.branches.branch,
                              column.whole(row));
    }
    const bool below = column.is_real() ? column.real(row) <= surrogate.threshold
                                        : column.whole(row) <= surrogate.threshold_int;
    return below != surrogate.reversed ? 0 : 1;
}

}  // namespace treewright::tree
