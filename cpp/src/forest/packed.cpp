#include "treewright/forest/packed.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include "treewright/base/huge_pages.hpp"
#include "treewright/base/parallel.hpp"
#include "treewright/base/prefetch.hpp"
#include "treewright/base/rows_per_item.hpp"
#include "treewright/forest/packed_ready.hpp"
#include "treewright/forest/packed_walk.hpp"
#include "treewright/tree/in_flight.hpp"

namespace treewright::forest {
namespace {

/// Rows that are sent through a chunk of trees before the next rows are.
constexpr std::size_t kRowsPerBlock = 8192;
/// Sums that stay in the cache while the trees add to them, unless a row has too many.
constexpr std::size_t kSumsAtOnce = std::size_t{1} << 16;
constexpr std::size_t kFewRows = 256;
/// Trees that are prepared together.
constexpr std::size_t kTreesPerChunk = 32;
/// Rows from which preparing trees pays.
constexpr std::size_t kManyRows = 1024;
/// Steps between two checks whether all rows have arrived.
constexpr int kStepsPerLook = 4;

/// Contiguous rows of a table, missing values as NaN.
template <class T>
struct RowMatrix {
    const T* cells = nullptr;
    std::size_t stride = 0;
    bool has_gaps = false;
    std::vector<T> copied;

    void read(const tree::Rows& rows, std::size_t begin, std::size_t end) {
        if (!borrow(rows, begin)) copy(rows, begin, end);
        has_gaps = false;
        for (std::size_t i = 0; i < (end - begin) * stride; ++i) has_gaps |= cells[i] != cells[i];
    }

private:
    /// A matrix of this type is used in place.
    bool borrow(const tree::Rows& rows, std::size_t begin) {
        stride = rows.columns.size();
        const std::byte* first = rows.columns[0].data;
        for (std::size_t c = 0; c < stride; ++c) {
            const data::Column& column = rows.columns[c];
            const bool is_same = std::is_same_v<T, float> ? column.type == data::ValueType::f32
                                                          : column.type == data::ValueType::f64;
            if (!is_same || column.data != first + c * sizeof(T) ||
                column.stride != static_cast<std::ptrdiff_t>(stride * sizeof(T)))
                return false;
        }
        cells = reinterpret_cast<const T*>(first) + begin * stride;
        return true;
    }

    void copy(const tree::Rows& rows, std::size_t begin, std::size_t end) {
        copied.resize((end - begin) * stride);
        for (std::size_t c = 0; c < stride; ++c) {
            const data::Column& column = rows.columns[c];
            T* to = copied.data() + c;
            const auto each = [&](auto value_at) {
                for (std::size_t row = begin; row < end; ++row, to += stride) *to = value_at(row);
            };
            if (column.type == data::ValueType::f32)
                each([&](std::size_t row) { return static_cast<T>(column.at<float>(row)); });
            else if (column.type == data::ValueType::f64)
                each([&](std::size_t row) { return static_cast<T>(column.at<double>(row)); });
            else each([&](std::size_t row) { return static_cast<T>(column.number(row)); });
        }
        cells = copied.data();
    }
};

template <class Node, class T>
inline __attribute__((always_inline)) std::uint32_t step(const Node& node, const T* row) {
    return child_of(node) + (row[column_of(node)] <= node.threshold ? 0U : 1U);
}

/// The same where values may be missing: no branch on the data either.
template <class T>
inline __attribute__((always_inline)) std::uint32_t step_with_gaps(const PackedNode& node,
                                                                   const T* row) {
    return next_of(node, static_cast<double>(row[column_of(node)]));
}

/// The leaves of kInFlight rows; `next` gives the node after one.
template <class Next>
inline __attribute__((always_inline)) void walk_together(Next&& next, std::uint32_t* at) {
    std::fill_n(at, kInFlight, 0U);
    std::uint32_t moved = 1;
    while (moved != 0) {
        for (int look = 1; look < kStepsPerLook; ++look)
            for (std::size_t i = 0; i < kInFlight; ++i) at[i] = next(at[i], i);
        moved = 0;
        for (std::size_t i = 0; i < kInFlight; ++i) {
            const std::uint32_t to = next(at[i], i);
            moved |= to ^ at[i];
            at[i] = to;
        }
    }
}

/// The same by the nodes that serve the rows.
template <class T, class RowAt>
inline __attribute__((always_inline)) void walk_rows(const std::vector<PackedNode>& nodes,
                                                     const std::vector<HotNode>& hot, bool has_gaps,
                                                     RowAt&& row_at, std::uint32_t* at) {
    const auto by = [&](const auto* of) {
        walk_together([&](std::uint32_t node, std::size_t i) { return step(of[node], row_at(i)); },
                      at);
    };
    if (has_gaps)
        walk_together(
            [&, of = nodes.data()](std::uint32_t node, std::size_t i) {
                return step_with_gaps(of[node], row_at(i));
            },
            at);
    else if (std::is_same_v<T, float> && !hot.empty()) by(hot.data());
    else by(nodes.data());
}

/// The leaf of one row; missing values allowed.
template <class T>
std::uint32_t leaf_of(const std::vector<PackedNode>& nodes, const T* row) {
    std::uint32_t at = 0;
    while (!nodes[at].is_leaf()) at = step_with_gaps(nodes[at], row);
    return at;
}

/// Calls arrived(row, node) for each of the rows from `begin` to `end`.
template <class T, class Arrived>
void walk(const PackedTree& tree, const std::vector<HotNode>& hot, const RowMatrix<T>& rows,
          std::size_t begin, std::size_t end, Arrived&& arrived) {
    const T* cells = rows.cells + begin * rows.stride;
    const std::size_t n = end - begin;
    if (n < kInFlight) {
        for (std::size_t i = 0; i < n; ++i)
            arrived(begin + i, leaf_of(tree.nodes, cells + i * rows.stride));
        return;
    }
    std::vector<std::uint32_t> node(n);
    std::vector<std::uint32_t> walking(n);
    const auto by = [&](auto&& next) {
        tree::walk_in_waves(cells, rows.stride, n, next, node.data(), walking.data());
    };
    const PackedNode* packed = tree.nodes.data();
    const HotNode* heated = hot.data();
    if (rows.has_gaps)
        by([packed](std::uint32_t at, const T* row) { return step_with_gaps(packed[at], row); });
    else if (std::is_same_v<T, float> && !hot.empty())
        by([heated](std::uint32_t at, const T* row) { return step(heated[at], row); });
    else by([packed](std::uint32_t at, const T* row) { return step(packed[at], row); });
    for (std::size_t i = 0; i < n; ++i) arrived(begin + i, node[i]);
}

/// The leaves of one row in kInFlight trees.
template <class T>
void walk_trees(const PackedTree* trees, const T* row, std::uint32_t* at) {
    const PackedNode* nodes[kInFlight];
    for (std::size_t i = 0; i < kInFlight; ++i) nodes[i] = trees[i].nodes.data();
    std::fill_n(at, kInFlight, 0U);
    std::uint32_t moved = 1;
    while (moved != 0) {
        moved = 0;
        for (std::size_t i = 0; i < kInFlight; ++i) {
            const std::uint32_t next = step(nodes[i][at[i]], row);
            moved |= next ^ at[i];
            at[i] = next;
        }
    }
}

/// Leaves of some of the rows.
template <class T>
void find_leaves(const PackedTree& tree, const RowMatrix<T>& rows,
                 std::span<const std::uint32_t> which, std::span<std::uint32_t> leaf) {
    const auto row_of = [&](std::size_t i) { return rows.cells + which[i] * rows.stride; };
    std::size_t done = 0;
    for (; done + kInFlight <= which.size(); done += kInFlight) {
        std::uint32_t at[kInFlight];
        const T* cells[kInFlight];
        for (std::size_t i = 0; i < kInFlight; ++i) cells[i] = row_of(done + i);
        walk_rows<T>(tree.nodes, {}, rows.has_gaps, [&](std::size_t i) { return cells[i]; }, at);
        for (std::size_t i = 0; i < kInFlight; ++i) leaf[done + i] = tree.nodes[at[i]].leaf();
    }
    for (; done < which.size(); ++done)
        leaf[done] = tree.nodes[leaf_of(tree.nodes, row_of(done))].leaf();
}

bool all_single(const tree::Rows& rows) {
    return std::all_of(rows.columns.begin(), rows.columns.end(), [](const data::Column& column) {
        return column.type == data::ValueType::f32;
    });
}

}  // namespace

void answer_of(const PackedTree& tree, std::uint32_t n_classes, Vote vote, std::uint32_t leaf,
               double* answer) {
    if (n_classes == 0) {
        answer[0] = tree.values[leaf];
        return;
    }
    const std::uint32_t* counts = tree.counts.data() + std::size_t{leaf} * n_classes;
    if (vote == Vote::hard) {
        std::fill_n(answer, n_classes, 0.0);
        answer[std::max_element(counts, counts + n_classes) - counts] = 1.0;
        return;
    }
    std::uint64_t total = 0;
    for (std::uint32_t k = 0; k < n_classes; ++k) total += counts[k];
    for (std::uint32_t k = 0; k < n_classes; ++k)
        answer[k] = static_cast<double>(counts[k]) / static_cast<double>(total);
}

namespace {

/// Calls work(rows, begin, n) for blocks of `at_once` rows, read as floats where that is exact.
template <class Work>
void for_each_block(const tree::Rows& rows, Team& team, std::size_t at_once, Work&& work) {
    const std::size_t n_blocks = (rows.n_rows + at_once - 1) / at_once;
    const auto by_type = [&]<class T>(T) {
        std::vector<RowMatrix<T>> matrices(team.size());
        team.for_each(n_blocks, [&](std::size_t block, std::size_t thread) {
            const std::size_t begin = block * at_once;
            const std::size_t end = std::min(rows.n_rows, begin + at_once);
            matrices[thread].read(rows, begin, end);
            work(matrices[thread], begin, end - begin);
        });
    };
    if (all_single(rows)) by_type(float{});
    else by_type(double{});
}

/// Number of threads that pays for that many rows.
std::size_t threads_for(const tree::Rows& rows, std::size_t n_threads) {
    return std::min(n_threads, (rows.n_rows + kRowsPerBlock - 1) / kRowsPerBlock);
}

}  // namespace

std::size_t n_walk_blocks(const tree::Rows& rows) {
    return (rows.n_rows + kRowsPerBlock - 1) / kRowsPerBlock;
}

void walk_blocks(const tree::Rows& rows, Team& team,
                 const std::function<void(const WalkBlock& block)>& work) {
    // Blocks that do not depend on the number of threads.
    const auto each = [&](const auto& matrix, std::size_t begin, std::size_t n) {
        work(
            {begin / kRowsPerBlock, begin, n,
             [&matrix](const PackedTree& tree, std::span<const std::uint32_t> which,
                       std::span<std::uint32_t> leaf) { find_leaves(tree, matrix, which, leaf); }});
    };
    for_each_block(rows, team, kRowsPerBlock, each);
}

void PackedForest::add_answers(const tree::Rows& rows, std::size_t first, std::size_t last,
                               Vote vote, std::size_t n_threads, Progress& progress,
                               std::span<double> sums) const {
    const std::size_t n_out = width();
    if (rows.n_rows < kManyRows) {
        Team team(1, progress);
        std::vector<double> answer(n_out);
        for_each_block(rows, team, kManyRows, [&](const auto& matrix, std::size_t, std::size_t n) {
            const auto add = [&](std::size_t t, std::size_t row, std::uint32_t at) {
                answer_of(trees[t], n_classes, vote, trees[t].nodes[at].leaf(), answer.data());
                for (std::size_t k = 0; k < n_out; ++k) sums[row * n_out + k] += answer[k];
            };
            std::size_t t = first;
            if (n < kInFlight && !matrix.has_gaps)
                for (; t + kInFlight <= last; t += kInFlight)
                    for (std::size_t row = 0; row < n; ++row) {
                        std::uint32_t at[kInFlight];
                        walk_trees(trees.data() + t, matrix.cells + row * matrix.stride, at);
                        for (std::size_t i = 0; i < kInFlight; ++i) add(t + i, row, at[i]);
                    }
            for (; t < last; ++t)
                walk(trees[t], {}, matrix, 0, n,
                     [&](std::size_t row, std::uint32_t at) { add(t, row, at); });
        });
        return;
    }
    Team team(threads_for(rows, n_threads), progress);
    const std::size_t rows_per_block = rows_per_item(rows.n_rows, kRowsPerBlock, team.size());
    const bool heats = all_single(rows);
    std::vector<ReadyTree> ready(std::min(kTreesPerChunk, last - first));
    for (std::size_t from = first; from < last; from += kTreesPerChunk) {
        const std::size_t n_trees = std::min(kTreesPerChunk, last - from);
        team.for_each(n_trees, [&](std::size_t i, std::size_t) {
            ready[i] = made_ready(trees[from + i], n_classes, n_columns, vote, heats);
        });
        // Leaves that list few classes touch few sums: then the tree is what should stay in the
        // cache (20 trees of 100 classes: 60 instead of 80 ms).
        const bool adds_lines =
            std::any_of(ready.begin(), ready.begin() + static_cast<std::ptrdiff_t>(n_trees),
                        [](const ReadyTree& tree) { return tree.start.empty(); });
        const std::size_t rows_at_once =
            adds_lines ? std::clamp(kSumsAtOnce / n_out, kFewRows, kRowsPerBlock) : kRowsPerBlock;
        const auto add = [&](const auto& matrix, std::size_t begin, std::size_t n) {
            double* out = sums.data() + begin * n_out;
            for (std::size_t row = 0; row < n; row += rows_at_once)
                for (std::size_t i = 0; i < n_trees; ++i) {
                    progress.check(true);
                    const PackedTree& tree = trees[from + i];
                    const std::vector<HotNode>& hot = ready[i].hot;
                    walk(tree, hot, matrix, row, std::min(n, row + rows_at_once),
                         [&](std::size_t at_row, std::uint32_t at) {
                             const std::size_t leaf =
                                 hot.empty() ? tree.nodes[at].leaf() : hot[at].leaf();
                             ready[i].add(leaf, n_out, out + at_row * n_out);
                         });
                }
        };
        for_each_block(rows, team, rows_per_block, add);
    }
}

void PackedForest::apply(const tree::Rows& rows, std::size_t n_threads, Progress& progress,
                         std::span<std::int32_t> out) const {
    Team team(threads_for(rows, n_threads), progress);
    const std::size_t rows_per_block = rows_per_item(rows.n_rows, kRowsPerBlock, team.size());
    const auto find = [&](const auto& matrix, std::size_t begin, std::size_t n) {
        for (std::size_t t = 0; t < trees.size(); ++t) {
            progress.check(true);
            walk(trees[t], {}, matrix, 0, n, [&](std::size_t row, std::uint32_t at) {
                out[(begin + row) * trees.size() + t] = static_cast<std::int32_t>(at);
            });
        }
    };
    for_each_block(rows, team, rows_per_block, find);
}

bool is_sound(const PackedTree& tree, std::uint32_t n_classes, std::size_t n_columns) {
    const std::size_t n = tree.nodes.size();
    const std::size_t per_leaf = n_classes == 0 ? 1 : n_classes;
    if (n == 0 || n % 2 == 0 || n > 0x7fffffff || tree.counts.size() % per_leaf != 0) return false;
    std::size_t n_leaves = tree.counts.size() / per_leaf;
    if (is_compact(tree)) {  // leaves share values
        if (n_classes == 0 ? !tree.counts.empty() : !tree.values.empty()) return false;
        if (n_classes == 0) n_leaves = tree.values.size();
        if (!tree.spread.empty()) return false;
    } else {
        if (n_leaves != (n + 1) / 2 || tree.importance.size() != n_columns) return false;
        if (n_classes == 0 && tree.values.size() != n_leaves) return false;
        if (!tree.spread.empty() && tree.spread.size() != n_leaves) return false;
    }
    std::uint32_t next = 1;  // breadth-first: the children of one node after those of the last
    bool wrong = false;
    // Which nodes are leaves is unpredictable, so there is no branch.
    for (std::size_t i = 0; i < n; ++i) {
        const PackedNode& node = tree.nodes[i];
        const bool is_leaf = node.is_leaf();
        const std::uint32_t due = is_leaf ? static_cast<std::uint32_t>(i) - 1 : next;
        const std::uint32_t column = node.column & ~PackedNode::kMissingFirst;
        wrong |= node.first_child != due;
        wrong |= is_leaf & ((node.leaf() >= n_leaves) | (node.column != 0));
        wrong |= !is_leaf & (column >= n_columns);
        next += is_leaf ? 0 : 2;
    }
    return !wrong && next == n;
}

void set_nodes(PackedTree& tree, std::span<const double> threshold,
               std::span<const std::uint32_t> child_and_column) {
    const std::size_t n = threshold.size();
    tree.nodes.clear();
    tree.nodes.reserve(n);
    for (std::size_t i = 0; i < n; ++i)
        tree.nodes.push_back({threshold[i], child_and_column[2 * i], child_and_column[2 * i + 1]});
}

PackedTree depth_first(const PackedTree& tree) {
    PackedTree made = tree;
    made.names = {};
    made.names.n_rows = tree.names.n_rows;
    struct Place {
        std::uint32_t from;
        std::uint32_t to;
    };
    std::vector<Place> open = {{0, 0}};
    std::uint32_t n = 1;
    while (!open.empty()) {
        const Place at = open.back();
        open.pop_back();
        PackedNode& node = made.nodes[at.to];
        node = tree.nodes[at.from];
        const std::uint32_t first = node.first_child;
        node.first_child = node.is_leaf() ? at.to - 1 : n;
        if (node.is_leaf()) continue;
        if ((node.column & PackedNode::kNames) != 0) {
            made.names.append(tree.names, static_cast<std::size_t>(node.threshold));
            node.threshold = static_cast<double>(made.names.size() - 1);
        }
        for (std::uint32_t b = 2; b-- > 0;) open.push_back({first + b, n + b});
        n += 2;
    }
    return made;
}

PackedTree breadth_first(const PackedTree& tree) {
    constexpr std::size_t kAhead = 16;  // children are scattered: prefetched
    PackedTree made;
    std::vector<PackedNode>& nodes = made.nodes;
    const std::size_t n_nodes = tree.nodes.size();
    // Which nodes are leaves is unpredictable, so there is no branch: for a leaf the root is
    // copied, and overwritten.
    nodes.reserve(n_nodes + 2);
    write_ahead(nodes.data(), (n_nodes + 2) * sizeof(PackedNode));
    nodes.resize(n_nodes + 2);
    nodes[0] = tree.nodes[0];
    std::size_t n = 1;
    for (std::size_t i = 0; i < n; ++i) {
        const std::size_t later = i + kAhead < n ? i + kAhead : i;
        prefetch(tree.nodes.data() + nodes[later].first_child);
        const bool is_leaf = nodes[i].is_leaf();
        const std::uint32_t first = nodes[i].first_child;
        nodes[i].first_child = static_cast<std::uint32_t>(is_leaf ? i - 1 : n);
        nodes[n] = tree.nodes[is_leaf ? 0 : first];
        nodes[n + 1] = tree.nodes[is_leaf ? 0 : first + 1];
        n += is_leaf ? 0 : 2;
    }
    nodes.resize(n_nodes);
    made.counts = tree.counts;
    made.values = tree.values;
    made.spread = tree.spread;
    made.importance = tree.importance;
    return made;
}

}  // namespace treewright::forest
