#include "treewright/forest/leaf_rows.hpp"

#include <algorithm>
#include <limits>

#include "treewright/base/error.hpp"

namespace treewright::forest {
namespace {

/// No tree has as many; memory is taken for each number up to the largest.
constexpr std::int32_t kMostNodes = 1 << 28;

}  // namespace

LeafRows::LeafRows(std::vector<std::uint32_t> label_of_row, std::uint32_t n_labels,
                   std::vector<double> weight)
    : label_of_row(std::move(label_of_row)), label_limit(n_labels), weight(std::move(weight)) {
    require(this->weight.empty() || this->weight.size() == n_rows(), "a weight for every row");
    for (const std::uint32_t label : this->label_of_row)
        require(label < n_labels, "labels below their number");
}

void LeafRows::add_tree(std::span<const std::int32_t> leaf_of_row,
                        std::span<const std::uint32_t> times) {
    require(leaf_of_row.size() == n_rows(), "a leaf for every row");
    require(times.empty() || times.size() == n_rows(), "a number of times for every row");
    const auto times_of = [&](std::size_t row) -> std::uint32_t {
        if (!weight.empty() && !(weight[row] > 0.0)) return 0;
        return times.empty() ? 1U : times[row];
    };
    std::int32_t last = -1;
    for (const std::int32_t leaf : leaf_of_row) {
        require(leaf >= 0 && leaf < kMostNodes, "leaves are nodes of a tree");
        last = std::max(last, leaf);
    }
    // A counting sort by leaf, stable in the rows.
    Tree tree;
    tree.start.assign(static_cast<std::size_t>(last) + 2, 0);
    std::uint64_t total = 0;
    for (std::size_t row = 0; row < n_rows(); ++row) {
        const std::uint32_t n = times_of(row);
        tree.start[static_cast<std::size_t>(leaf_of_row[row]) + 1] += n;
        total += n;
    }
    require(total < std::numeric_limits<std::uint32_t>::max(), "fewer than 2^32 rows in a tree");
    for (std::size_t i = 1; i < tree.start.size(); ++i) tree.start[i] += tree.start[i - 1];
    tree.labels.resize(total);
    if (!weight.empty()) tree.weights.resize(total);
    std::vector<std::uint32_t> next(tree.start.begin(), tree.start.end() - 1);
    for (std::size_t row = 0; row < n_rows(); ++row) {
        std::uint32_t& at = next[static_cast<std::size_t>(leaf_of_row[row])];
        for (std::uint32_t n = times_of(row); n > 0; --n, ++at) {
            tree.labels[at] = label_of_row[row];
            if (!weight.empty()) tree.weights[at] = weight[row];
        }
    }
    trees.push_back(std::move(tree));
}

}  // namespace treewright::forest
