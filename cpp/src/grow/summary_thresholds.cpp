/// C4.5's thresholds, moved down to values that occur.
#include "treewright/grow/summary.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

namespace treewright::grow {
namespace {

/// The largest of the ascending values that is not above the threshold, if it is finite.
template <class Value>
void move_down(const std::vector<Value>& values, Value& threshold) {
    const auto above = std::upper_bound(values.begin(), values.end(), threshold);
    if (above != values.begin() && std::isfinite(static_cast<double>(*(above - 1))))
        threshold = *(above - 1) + Value{0};  // -0.0 is 0.0
}

/// The known values of a column in rows that count, ascending.
template <class Value, class Read>
std::vector<Value> sorted_values(const data::Dataset& data, const data::Column& column,
                                 Progress& progress, Read read) {
    std::vector<Value> values;
    for (std::size_t row = 0; row < data.n_rows; ++row)
        if (!column.is_missing(row) && (data.weight.empty() || data.weight[row] > 0.0))
            values.push_back(read(row));
    sort_in_blocks(progress, values.begin(), values.end());
    return values;
}

std::vector<double> sorted_reals(const data::Dataset& data, const data::Column& column,
                                 Progress& progress) {
    return sorted_values<double>(data, column, progress,
                                 [&](std::size_t row) { return column.real(row); });
}
std::vector<std::int64_t> sorted_wholes(const data::Dataset& data, const data::Column& column,
                                        Progress& progress) {
    return sorted_values<std::int64_t>(data, column, progress,
                                       [&](std::size_t row) { return column.whole(row); });
}

}  // namespace

void move_threshold_down(const data::Dataset& data, const data::Column& column, double& threshold,
                         std::int64_t& threshold_int, Progress& progress) {
    if (column.is_real()) move_down(sorted_reals(data, column, progress), threshold);
    else move_down(sorted_wholes(data, column, progress), threshold_int);
}

void move_cuts_down(const data::Dataset& data, const data::Column& column, tree::Cuts& cuts,
                    Progress& progress) {
    if (column.is_real()) {
        const auto values = sorted_reals(data, column, progress);
        for (double& cut : cuts.real) move_down(values, cut);
    } else {
        const auto values = sorted_wholes(data, column, progress);
        for (std::int64_t& cut : cuts.whole) move_down(values, cut);
    }
}

void move_thresholds_down(const data::Dataset& data, tree::Tree& tree, Progress& progress) {
    for (std::size_t c = 0; c < data.columns.size(); ++c) {
        progress.check(true);
        const data::Column& column = data.columns[c];
        std::vector<double*> reals;
        std::vector<std::int64_t*> wholes;
        for (tree::TreeNode& node : tree.nodes) {
            if (node.column != static_cast<std::int32_t>(c)) continue;
            if (node.kind == 1) {
                reals.push_back(&node.threshold);
                wholes.push_back(&node.threshold_int);
            }
            for (std::int32_t i = 0; i < node.cut_count; ++i) {
                const auto at = static_cast<std::size_t>(node.cut_offset + i);
                reals.push_back(&tree.cuts.real[at]);
                wholes.push_back(&tree.cuts.whole[at]);
            }
        }
        if (reals.empty()) continue;
        if (column.is_real()) {
            const auto values = sorted_reals(data, column, progress);
            for (double* threshold : reals) move_down(values, *threshold);
        } else {
            const auto values = sorted_wholes(data, column, progress);
            for (std::int64_t* threshold : wholes) move_down(values, *threshold);
        }
    }
}

}  // namespace treewright::grow
