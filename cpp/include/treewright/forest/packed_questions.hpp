/// The questions of a packed tree as the arrays that Python keeps (tree/arrays.hpp), whose nodes
/// may have other numbers.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "treewright/base/progress.hpp"
#include "treewright/forest/packed.hpp"
#include "treewright/tree/arrays.hpp"

namespace treewright::forest {

[[nodiscard]] inline bool asks_for_names(const PackedNode& node) {
    return !node.is_leaf() && (node.column & PackedNode::kNames) != 0;
}

/// Fills the arrays of shape and questions, entry after entry, but for the names that questions on
/// them list. `number_of` says which number a packed node gets, `packed_of` the other way round;
/// `is_real` tells columns of decimals from those of integers.
template <class NumberOf, class PackedOf, class IsReal>
void list_questions(const PackedTree& packed, const NumberOf& number_of, const PackedOf& packed_of,
                    const IsReal& is_real, Progress& progress, tree::TreeArrays& arrays) {
    const std::size_t n = packed.nodes.size();
    arrays.parent.assign(n, -1);
    constexpr std::size_t kAtOnce = 512;  // of all arrays in turn: nodes are read once
    for (std::size_t begin = 0; begin < n; begin += kAtOnce) {
        if (begin % (8 * kAtOnce) == 0) progress.check(true);
        const std::size_t end = std::min(n, begin + kAtOnce);
        for (std::size_t i = begin; i < end; ++i) {
            const PackedNode& node = packed.nodes[packed_of(i)];
            if (node.is_leaf()) continue;
            for (std::size_t b = 0; b < 2; ++b)
                arrays.parent[number_of(node.first_child + b)] = static_cast<std::int32_t>(i);
        }
        // `of_leaf` stands where there is no question.
        const auto each = [&]<class T>(std::vector<T>& values, T of_leaf, const auto& of_cut) {
            if (begin == 0) values.reserve(n);
            for (std::size_t i = begin; i < end; ++i) {
                const PackedNode& node = packed.nodes[packed_of(i)];
                values.push_back(node.is_leaf() ? of_leaf : static_cast<T>(of_cut(node)));
            }
        };
        constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
        each(arrays.first_child, -1,
             [&](const PackedNode& node) { return number_of(node.first_child); });
        each(arrays.n_branches, 0, [](const PackedNode&) { return 2; });
        each(arrays.column, -1, [](const PackedNode& node) { return column_of(node); });
        each(arrays.kind, std::int8_t{0},
             [](const PackedNode& node) { return asks_for_names(node) ? 2 : 1; });
        each(arrays.threshold, kNaN, [&](const PackedNode& node) {
            return !asks_for_names(node) && is_real(column_of(node)) ? node.threshold : kNaN;
        });
        each(arrays.threshold_int, std::int64_t{0}, [&](const PackedNode& node) {
            return asks_for_names(node) || is_real(column_of(node))
                       ? 0
                       : whole_threshold(node.threshold);
        });
        each(arrays.missing_branch, -1, [](const PackedNode& node) {
            return (node.column & PackedNode::kMissingFirst) != 0 ? 0 : 1;
        });
    }
    for (auto* none : {&arrays.code_offset, &arrays.cut_offset, &arrays.term_offset})
        none->assign(n, -1);
    for (auto* none : {&arrays.code_count, &arrays.cut_count, &arrays.term_count})
        none->assign(n, 0);
    arrays.rest_branch.assign(n, -1);
    arrays.surrogate_start.assign(n + 1, 0);
}

}  // namespace treewright::forest
