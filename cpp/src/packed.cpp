#include "treewright/tree/packed.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <type_traits>

#include "treewright/base/parallel.hpp"

namespace treewright {
namespace {

/// Rows that walk down a tree at the same time, so that one waits for memory while others step.
constexpr std::size_t kInFlight = 16;
/// Rows that go through all trees before the next ones do: they stay in the cache.
constexpr std::size_t kRowsPerBlock = 4096;
/// Steps between two looks at whether all rows have arrived.
constexpr int kStepsPerLook = 4;

/// Some rows of a table, one after the other, gaps as NaN.
template <class T>
struct RowMatrix {
    std::vector<T> cells;
    std::size_t stride = 0;
    bool has_gaps = false;

    void copy(const Rows& rows, std::size_t begin, std::size_t end) {
        stride = rows.columns.size();
        cells.resize((end - begin) * stride);
        has_gaps = false;
        for (std::size_t c = 0; c < stride; ++c) {
            const Column& column = rows.columns[c];
            T* to = cells.data() + c;
            bool gap = false;
            const auto each = [&](auto value_at) {
                for (std::size_t row = begin; row < end; ++row, to += stride) {
                    const T value = value_at(row);
                    gap |= value != value;
                    *to = value;
                }
            };
            if (column.type == ValueType::f32)
                each([&](std::size_t row) { return static_cast<T>(column.at<float>(row)); });
            else if (column.type == ValueType::f64)
                each([&](std::size_t row) { return static_cast<T>(column.at<double>(row)); });
            else each([&](std::size_t row) { return static_cast<T>(column.number(row)); });
            has_gaps |= gap;
        }
    }
};

template <class T>
inline std::uint32_t step(const PackedNode& node, const T* row) {
    const double value = static_cast<double>(row[node.column & ~PackedNode::kMissingFirst]);
    return node.first_child + (value <= node.threshold ? 0U : 1U);
}

/// One row, gaps allowed.
template <class T>
std::uint32_t leaf_with_gaps(const std::vector<PackedNode>& nodes, const T* row) {
    std::uint32_t at = 0;
    while (!nodes[at].is_leaf()) {
        const PackedNode& node = nodes[at];
        const auto value = static_cast<double>(row[node.column & ~PackedNode::kMissingFirst]);
        const bool first = value == value ? value <= node.threshold
                                          : (node.column & PackedNode::kMissingFirst) != 0;
        at = node.first_child + (first ? 0U : 1U);
    }
    return at;
}

/// Calls arrived(row, node) for each of n rows.
template <class T, class Arrived>
void walk(const PackedTree& tree, const RowMatrix<T>& rows, std::size_t n, Arrived&& arrived) {
    const PackedNode* nodes = tree.nodes.data();
    std::size_t row = 0;
    if (!rows.has_gaps) {
        for (; row + kInFlight <= n; row += kInFlight) {
            std::array<std::uint32_t, kInFlight> at{};
            const T* cells = rows.cells.data() + row * rows.stride;
            bool moving = true;
            while (moving) {
                std::uint32_t moved = 0;
                for (int look = 0; look < kStepsPerLook; ++look)
                    for (std::size_t i = 0; i < kInFlight; ++i) {
                        const std::uint32_t next = step(nodes[at[i]], cells + i * rows.stride);
                        if (look + 1 == kStepsPerLook) moved |= next ^ at[i];
                        at[i] = next;
                    }
                moving = moved != 0;
            }
            for (std::size_t i = 0; i < kInFlight; ++i) arrived(row + i, nodes[at[i]], at[i]);
        }
    }
    for (; row < n; ++row) {
        const std::uint32_t at = leaf_with_gaps(tree.nodes, rows.cells.data() + row * rows.stride);
        arrived(row, nodes[at], at);
    }
}

bool all_single(const Rows& rows) {
    return std::all_of(rows.columns.begin(), rows.columns.end(),
                       [](const Column& column) { return column.type == ValueType::f32; });
}

/// Calls work(rows, begin, n) for blocks of rows, read as floats where no value is lost by it.
template <class Work>
void for_each_block(const Rows& rows, std::size_t n_threads, Progress& progress, Work&& work) {
    const std::size_t n_blocks = (rows.n_rows + kRowsPerBlock - 1) / kRowsPerBlock;
    Team team(std::min(n_threads, n_blocks));
    const auto by_type = [&]<class T>(T) {
        std::vector<RowMatrix<T>> matrices(team.size());
        team.for_each(n_blocks, [&](std::size_t block, std::size_t thread) {
            progress.check(thread == 0);
            const std::size_t begin = block * kRowsPerBlock;
            const std::size_t end = std::min(rows.n_rows, begin + kRowsPerBlock);
            matrices[thread].copy(rows, begin, end);
            work(matrices[thread], begin, end - begin);
        });
    };
    if (all_single(rows)) by_type(float{});
    else by_type(double{});
}

}  // namespace

void PackedForest::add_answers(const Rows& rows, std::size_t first, std::size_t last, Vote vote,
                               std::size_t n_threads, Progress& progress,
                               std::span<double> sums) const {
    const std::size_t n_out = width();
    for_each_block(
        rows, n_threads, progress, [&](const auto& matrix, std::size_t begin, std::size_t n) {
            double* out = sums.data() + begin * n_out;
            for (std::size_t t = first; t < last; ++t) {
                const PackedTree& tree = trees[t];
                if (n_classes == 0) {
                    walk(tree, matrix, n,
                         [&](std::size_t row, const PackedNode& node, std::uint32_t) {
                             out[row] += tree.values[node.leaf()];
                         });
                    continue;
                }
                walk(tree, matrix, n, [&](std::size_t row, const PackedNode& node, std::uint32_t) {
                    const std::uint32_t* counts =
                        tree.counts.data() + std::size_t{node.leaf()} * n_classes;
                    double* of_row = out + row * n_out;
                    if (vote == Vote::hard) {
                        of_row[std::max_element(counts, counts + n_classes) - counts] += 1.0;
                        return;
                    }
                    std::uint64_t total = 0;
                    for (std::uint32_t k = 0; k < n_classes; ++k) total += counts[k];
                    for (std::uint32_t k = 0; k < n_classes; ++k)
                        of_row[k] += static_cast<double>(counts[k]) / static_cast<double>(total);
                });
            }
        });
}

void PackedForest::apply(const Rows& rows, std::size_t n_threads, Progress& progress,
                         std::span<std::int32_t> out) const {
    for_each_block(
        rows, n_threads, progress, [&](const auto& matrix, std::size_t begin, std::size_t n) {
            for (std::size_t t = 0; t < trees.size(); ++t)
                walk(trees[t], matrix, n,
                     [&](std::size_t row, const PackedNode&, std::uint32_t at) {
                         out[(begin + row) * trees.size() + t] = static_cast<std::int32_t>(at);
                     });
        });
}

namespace {

/// Weight, mean and sum of squares of two sets of numbers together (Chan, Golub, LeVeque 1983).
struct Moments {
    double weight = 0.0;
    double mean = 0.0;
    double squares = 0.0;

    [[nodiscard]] Moments with(const Moments& other) const {
        const double all = weight + other.weight;
        const double apart = other.mean - mean;
        return {all, mean + apart * other.weight / all,
                squares + other.squares + apart * apart * weight * other.weight / all};
    }
};

void summarise_classes(const PackedTree& packed, std::uint32_t n_classes, Tree& tree) {
    for (std::size_t i = tree.nodes.size(); i-- > 0;) {
        TreeNode& node = tree.nodes[i];
        double* value = tree.value.data() + i * n_classes;
        if (node.first_child < 0) {
            const std::size_t leaf = packed.nodes[i].leaf();
            for (std::size_t k = 0; k < n_classes; ++k)
                value[k] = packed.counts[leaf * n_classes + k];
        } else {
            const double* left =
                tree.value.data() + static_cast<std::size_t>(node.first_child) * n_classes;
            for (std::size_t k = 0; k < n_classes; ++k) value[k] = left[k] + left[n_classes + k];
        }
        double squares = 0.0;
        for (std::size_t k = 0; k < n_classes; ++k) {
            node.weight += value[k];
            squares += value[k] * value[k];
        }
        node.impurity = std::max(0.0, 1.0 - squares * (1.0 / node.weight) / node.weight);
    }
}

void summarise_values(const PackedTree& packed, Tree& tree) {
    std::vector<Moments> moments(tree.nodes.size());
    for (std::size_t i = tree.nodes.size(); i-- > 0;) {
        TreeNode& node = tree.nodes[i];
        if (node.first_child < 0) {
            const std::size_t leaf = packed.nodes[i].leaf();
            moments[i] = {static_cast<double>(packed.counts[leaf]), packed.values[leaf],
                          packed.spread.empty() ? 0.0 : packed.spread[leaf]};
        } else {
            const auto first = static_cast<std::size_t>(node.first_child);
            moments[i] = moments[first].with(moments[first + 1]);
        }
        node.weight = moments[i].weight;
        tree.value[i] = moments[i].mean;
        node.impurity = moments[i].squares / moments[i].weight;
    }
}

}  // namespace

Tree unpack(const PackedTree& packed, std::uint32_t n_classes, const std::vector<bool>& is_real) {
    Tree tree;
    tree.width = n_classes == 0 ? 1 : n_classes;
    tree.nodes.resize(packed.nodes.size());
    tree.value.resize(packed.nodes.size() * tree.width, 0.0);
    for (std::size_t i = 0; i < packed.nodes.size(); ++i) {
        const PackedNode& from = packed.nodes[i];
        TreeNode& node = tree.nodes[i];
        if (from.is_leaf()) continue;
        const std::uint32_t column = from.column & ~PackedNode::kMissingFirst;
        node.kind = 1;
        node.column = static_cast<std::int32_t>(column);
        node.n_branches = 2;
        node.first_child = static_cast<std::int32_t>(from.first_child);
        node.missing_branch = (from.column & PackedNode::kMissingFirst) != 0 ? 0 : 1;
        node.threshold = is_real[column] ? from.threshold : std::nan("");
        node.threshold_int = is_real[column] ? 0 : static_cast<std::int64_t>(from.threshold);
        for (std::uint32_t b = 0; b < 2; ++b)
            tree.nodes[from.first_child + b].parent = static_cast<std::int32_t>(i);
    }
    if (n_classes > 0) summarise_classes(packed, n_classes, tree);
    else summarise_values(packed, tree);
    for (TreeNode& node : tree.nodes) {
        node.n_rows = static_cast<std::int64_t>(node.weight);
        if (node.first_child < 0) continue;
        double left_over = 0.0;
        for (std::int32_t b = 0; b < 2; ++b) {
            const TreeNode& child = tree.nodes[static_cast<std::size_t>(node.first_child + b)];
            left_over += child.impurity * child.weight;
        }
        node.gain = node.score = std::max(0.0, node.impurity - left_over / node.weight);
    }
    return tree;
}

bool is_sound(const PackedTree& tree, std::uint32_t n_classes, std::size_t n_columns) {
    const std::size_t n = tree.nodes.size();
    const std::size_t per_leaf = n_classes == 0 ? 1 : n_classes;
    if (n == 0 || n % 2 == 0 || n > 0x7fffffff || tree.counts.size() % per_leaf != 0) return false;
    const std::size_t n_leaves = tree.counts.size() / per_leaf;
    if (n_leaves != (n + 1) / 2 || tree.importance.size() != n_columns) return false;
    if (n_classes == 0 && tree.values.size() != n_leaves) return false;
    if (!tree.spread.empty() && tree.spread.size() != n_leaves) return false;
    std::size_t next = 1;  // breadth-first: the children of one node after those of the last
    for (std::size_t i = 0; i < n; ++i) {
        const PackedNode& node = tree.nodes[i];
        if (node.is_leaf()) {
            if (node.leaf() >= n_leaves || node.first_child != static_cast<std::uint32_t>(i) - 1 ||
                node.column != 0)
                return false;
            continue;
        }
        if (node.first_child != next || (node.column & ~PackedNode::kMissingFirst) >= n_columns)
            return false;
        next += 2;
    }
    return next == n;
}

void renumber(PackedTree& tree) {
    std::vector<std::uint32_t> order = {0};
    std::vector<PackedNode> nodes;
    nodes.reserve(tree.nodes.size());
    order.reserve(tree.nodes.size());
    for (std::size_t i = 0; i < order.size(); ++i) {
        PackedNode node = tree.nodes[order[i]];
        if (node.is_leaf()) {
            node.first_child = static_cast<std::uint32_t>(i) - 1;
        } else {
            const std::uint32_t first = node.first_child;
            node.first_child = static_cast<std::uint32_t>(order.size());
            order.push_back(first);
            order.push_back(first + 1);
        }
        nodes.push_back(node);
    }
    tree.nodes = std::move(nodes);
    tree.counts.shrink_to_fit();
    tree.values.shrink_to_fit();
}

}  // namespace treewright
