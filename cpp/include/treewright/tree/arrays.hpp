/// A tree as flat arrays, one entry for each node: the form that Python keeps (tree/arrays.py) and
/// that plans are made of.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "treewright/base/progress.hpp"
#include "treewright/tree/tree.hpp"

namespace treewright::tree {

/// The arrays by the names that they have in Python; `value` is nodes x width.
template <template <class> class Of>
struct Arrays {
    Of<std::int32_t> first_child, n_branches, parent, column;
    Of<std::int8_t> kind;
    Of<double> threshold;  ///< NaN unless a cut of decimals or a sum
    Of<std::int64_t> threshold_int;
    Of<std::int64_t> code_offset;
    Of<std::int32_t> code_count, rest_branch;
    Of<std::int64_t> cut_offset;
    Of<std::int32_t> cut_count;
    Of<std::int64_t> term_offset;
    Of<std::int32_t> term_count;
    Of<std::int32_t> missing_branch, unseen_branch;
    Of<std::int64_t> n_rows;
    Of<double> weight, impurity, gain, score;
    Of<double> value;
    Of<std::int32_t> code, branch_of_code;
    Of<double> cut;
    Of<std::int64_t> cut_int;
    Of<std::int32_t> term_column;
    Of<double> term_coefficient, term_share;
    Of<std::int32_t> surrogate_start, surrogate_column;
    Of<double> surrogate_threshold;
    Of<std::int64_t> surrogate_threshold_int;
    Of<std::int8_t> surrogate_kind;
    Of<std::int64_t> surrogate_code_offset;
    Of<std::int32_t> surrogate_code_count;
    Of<std::uint8_t> surrogate_reversed;  ///< 0 or 1
    Of<double> surrogate_agreement;

    /// Calls f(name, array) for every one.
    template <class F>
    void for_each(F&& f) {
        f("first_child", first_child), f("n_branches", n_branches), f("parent", parent);
        f("column", column), f("kind", kind), f("threshold", threshold);
        f("threshold_int", threshold_int), f("code_offset", code_offset);
        f("code_count", code_count), f("rest_branch", rest_branch), f("cut_offset", cut_offset);
        f("cut_count", cut_count), f("term_offset", term_offset), f("term_count", term_count);
        f("missing_branch", missing_branch), f("unseen_branch", unseen_branch);
        f("n_rows", n_rows), f("weight", weight), f("impurity", impurity), f("gain", gain);
        f("score", score), f("value", value), f("code", code);
        f("branch_of_code", branch_of_code), f("cut", cut), f("cut_int", cut_int);
        f("term_column", term_column), f("term_coefficient", term_coefficient);
        f("term_share", term_share), f("surrogate_start", surrogate_start);
        f("surrogate_column", surrogate_column), f("surrogate_threshold", surrogate_threshold);
        f("surrogate_threshold_int", surrogate_threshold_int);
        f("surrogate_kind", surrogate_kind), f("surrogate_code_offset", surrogate_code_offset);
        f("surrogate_code_count", surrogate_code_count);
        f("surrogate_reversed", surrogate_reversed);
        f("surrogate_agreement", surrogate_agreement);
    }
};

template <class T>
using Owned = std::vector<T>;
template <class T>
using OnLoan = std::span<const T>;

using TreeArrays = Arrays<Owned>;

/// Arrays on loan. Whoever follows an index in them relies on the check of invariants made before.
struct TreeView : Arrays<OnLoan> {
    std::size_t width = 0;              ///< of a line of `value`
    std::shared_ptr<const void> owner;  ///< of the arrays: whoever reads them later keeps it

    [[nodiscard]] std::size_t n_nodes() const { return first_child.size(); }
};

/// The arrays of a tree, but for `unseen_branch`, which stays empty. The tree is used up.
[[nodiscard]] TreeArrays flattened(Tree tree, Progress& progress);

/// The other way round.
[[nodiscard]] Tree assembled(const TreeView& arrays, Progress& progress);

/// The arrays of a tree as a view that owns them.
[[nodiscard]] TreeView view_of(const Tree& tree, std::vector<std::int32_t> unseen_branch,
                               Progress& progress);

/// A surrogate of a tree.
[[nodiscard]] Surrogate surrogate_at(const TreeView& tree, std::size_t place);

}  // namespace treewright::tree
