/// What becomes of rows without a value, as far as growing, predicting and Python must know: a
/// record beside each policy. Nothing compares names; Python reads them all (grow/missing.py).
#pragma once

#include <cstdint>
#include <string_view>

namespace treewright::missing {

struct Traits {
    std::string_view name;
    /// Rows follow all branches, in proportion to their weights.
    bool divides = false;
    /// The search itself says where such rows go, and they count in the gain.
    bool is_judged = false;
    /// Each side of a question is tried for them.
    bool tries_sides = false;
    /// They are a value, or a branch, of their own.
    bool has_own_branch = false;
    /// They are given a value of the column.
    bool fills = false;
    /// The value depends on the row's class: one target of classes is needed.
    bool fills_by_class = false;
    /// Similar questions stand in.
    bool uses_surrogates = false;
    /// They go to one branch that the node has chosen: without gaps in training nothing depends on
    /// the policy.
    bool sends_to_one_side = false;

    bool operator==(const Traits&) const = default;
};

/// One of the policies: its traits, and its place in the list (missing/registry.hpp).
struct Policy : Traits {
    std::uint8_t place;

    bool operator==(const Policy&) const = default;
};

[[nodiscard]] Policy policy_named(std::string_view name);

}  // namespace treewright::missing
