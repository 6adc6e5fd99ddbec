#include "treewright/tree/sound_cuts.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "treewright/base/prefetch.hpp"

namespace treewright::tree {
namespace {

/// Whether all numbers are finite: then their differences from themselves are 0.
bool all_finite(std::span<const double> numbers) {
    bool is_off = false;
    for (const double x : numbers) is_off |= !(std::abs(x) <= std::numeric_limits<double>::max());
    return !is_off;
}

template <class T>
bool all_are(std::span<const T> entries, T wanted) {
    bool is_off = false;
    for (const T entry : entries) is_off |= entry != wanted;
    return !is_off;
}

template <class T>
bool none_below(std::span<const T> entries, T least) {
    bool is_off = false;
    for (const T entry : entries) is_off |= !(entry >= least);  // a NaN neither
    return !is_off;
}

/// One entry a node, and none in the arrays of other questions.
bool fits(const TreeView& tree) {
    const std::size_t n = tree.n_nodes();
    const auto sizes = {
        tree.n_branches.size(),  tree.parent.size(),         tree.column.size(),
        tree.kind.size(),        tree.threshold.size(),      tree.threshold_int.size(),
        tree.code_offset.size(), tree.code_count.size(),     tree.rest_branch.size(),
        tree.cut_offset.size(),  tree.cut_count.size(),      tree.term_offset.size(),
        tree.term_count.size(),  tree.missing_branch.size(), tree.unseen_branch.size(),
        tree.n_rows.size(),      tree.weight.size(),         tree.impurity.size(),
        tree.gain.size(),        tree.score.size(),          tree.surrogate_start.size() - 1};
    const auto lists = {tree.code.size(),
                        tree.branch_of_code.size(),
                        tree.cut.size(),
                        tree.cut_int.size(),
                        tree.term_column.size(),
                        tree.term_coefficient.size(),
                        tree.term_share.size(),
                        tree.surrogate_column.size(),
                        tree.surrogate_threshold.size(),
                        tree.surrogate_threshold_int.size(),
                        tree.surrogate_kind.size(),
                        tree.surrogate_code_offset.size(),
                        tree.surrogate_code_count.size(),
                        tree.surrogate_reversed.size(),
                        tree.surrogate_agreement.size()};
    return n > 0 && n < (std::size_t{1} << 31) && tree.value.size() == n * tree.width &&
           std::all_of(sizes.begin(), sizes.end(), [&](std::size_t size) { return size == n; }) &&
           std::all_of(lists.begin(), lists.end(), [](std::size_t size) { return size == 0; });
}

/// Whether a node is a leaf or a cut whose branches lead to nodes after it that know their parent.
bool is_linked(const TreeView& tree, std::size_t i,
               const std::optional<std::vector<CutColumn>>& columns) {
    const std::int32_t n_branches = tree.n_branches[i];
    const std::int32_t first = tree.first_child[i];
    const std::int32_t column = tree.column[i];
    if (tree.kind[i] == 0) return n_branches == 0 && first == -1 && column == -1;
    const std::int32_t missing = tree.missing_branch[i];
    // A branch for each side, and perhaps one for missing values alone.
    if (tree.kind[i] != 1 || n_branches != (missing == 2 ? 3 : 2) || column < 0) return false;
    for (const std::int32_t branch : {missing, tree.unseen_branch[i], tree.rest_branch[i]})
        if (branch < -1 || branch >= n_branches) return false;
    if (columns) {
        if (static_cast<std::size_t>(column) >= columns->size()) return false;
        const CutColumn cut_as = (*columns)[static_cast<std::size_t>(column)];
        if (cut_as != (std::isnan(tree.threshold[i]) ? CutColumn::whole : CutColumn::real))
            return false;
    }
    if (first <= static_cast<std::int64_t>(i) ||
        static_cast<std::size_t>(first) + static_cast<std::size_t>(n_branches) > tree.n_nodes())
        return false;
    for (std::int32_t b = 0; b < n_branches; ++b)
        if (tree.parent[static_cast<std::size_t>(first + b)] != static_cast<std::int64_t>(i))
            return false;
    return true;
}

/// The same for the other entries of the nodes from `begin` to `end`, array by array.
bool has_sound_figures(const TreeView& tree, std::size_t begin, std::size_t end) {
    const auto part = [&](const auto& array) { return array.subspan(begin, end - begin); };
    return all_are<std::int64_t>(part(tree.code_offset), -1) &&
           all_are<std::int32_t>(part(tree.code_count), 0) &&
           all_are<std::int64_t>(part(tree.cut_offset), -1) &&
           all_are<std::int32_t>(part(tree.cut_count), 0) &&
           all_are<std::int64_t>(part(tree.term_offset), -1) &&
           all_are<std::int32_t>(part(tree.term_count), 0) &&
           all_are<std::int32_t>(part(tree.surrogate_start), 0) &&
           none_below<std::int64_t>(part(tree.n_rows), 0) && all_finite(part(tree.weight)) &&
           none_below(part(tree.weight), 0.0) && all_finite(part(tree.impurity)) &&
           all_finite(part(tree.gain)) &&
           none_below(part(tree.score), -std::numeric_limits<double>::infinity()) &&
           all_finite(tree.value.subspan(begin * tree.width, (end - begin) * tree.width));
}

}  // namespace

bool has_sound_cuts(const TreeView& tree, const std::optional<std::vector<CutColumn>>& columns,
                    Progress& progress) {
    if (!fits(tree) || tree.parent[0] != -1 || tree.surrogate_start.back() != 0) return false;
    constexpr std::size_t kBlock = 1 << 12;  // stays in the cache
    constexpr std::size_t kAhead = 16;
    const std::size_t n = tree.n_nodes();
    std::size_t n_children = 0;
    for (std::size_t begin = 0; begin < n; begin += kBlock) {
        progress.check(true);
        const std::size_t end = std::min(n, begin + kBlock);
        for (std::size_t i = begin; i < end; ++i) {
            // Children are scattered: their parents are prefetched, wherever an entry may point.
            const auto child =
                static_cast<std::uint32_t>(tree.first_child[std::min(i + kAhead, n - 1)]);
            prefetch(tree.parent.data() + (child < n ? child : 0));
            if (!is_linked(tree, i, columns)) return false;
            n_children += static_cast<std::size_t>(tree.n_branches[i]);
        }
        if (!has_sound_figures(tree, begin, end)) return false;
    }
    return n_children == n - 1;
}

}  // namespace treewright::tree
