#include "treewright/forest/single_tree.hpp"

#include <algorithm>
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

#include "treewright/base/discard.hpp"
#include "treewright/base/error.hpp"
#include "treewright/forest/fast/grower.hpp"
#include "treewright/forest/packed.hpp"
#include "treewright/grow/fragment.hpp"
#include "treewright/grow/grower.hpp"
#include "treewright/grow/summary.hpp"

namespace treewright::forest {
namespace {

/// What the tree is made in, freed by a thread of its own if growing is stopped.
struct Making {
    PackedTree packed;
    std::vector<std::uint32_t> n_rows;  ///< by packed node, as the next two
    std::vector<std::uint32_t> first_row;
    std::vector<std::uint32_t> number;  ///< in the tree
    grow::NodeRows rows;
    SingleTree made;
};

std::size_t first_child_of(const PackedNode& node) {
    return node.first_child;
}

void count_rows(Making& making, std::uint32_t n_classes) {
    const PackedTree& packed = making.packed;
    const std::size_t per_leaf = std::max<std::size_t>(n_classes, 1);
    making.n_rows.resize(packed.nodes.size());
    for (std::size_t i = packed.nodes.size(); i-- > 0;) {
        const PackedNode& node = packed.nodes[i];
        if (node.is_leaf()) {
            const auto counts =
                packed.counts.begin() + static_cast<std::ptrdiff_t>(node.leaf() * per_leaf);
            making.n_rows[i] =
                std::accumulate(counts, counts + static_cast<std::ptrdiff_t>(per_leaf), 0U);
        } else {
            const std::size_t first = first_child_of(node);
            making.n_rows[i] = making.n_rows[first] + making.n_rows[first + 1];
        }
    }
}

/// Numbers the nodes as the general grower does: first those that all threads divide together, then
/// the subtrees below, each of them depth first. The children of a node are neighbours.
void number_nodes(Making& making, std::size_t n_columns) {
    const PackedTree& packed = making.packed;
    struct Place {
        std::size_t node;
        std::size_t n_columns;  ///< that its parent has left
    };
    std::vector<Place> open = {{0, n_columns}};
    std::vector<Place> alone;
    std::uint32_t n = 1;
    making.number.resize(packed.nodes.size());
    making.number[0] = 0;
    const auto number_below = [&](bool stops) {
        while (!open.empty()) {
            const Place at = open.back();
            open.pop_back();
            const PackedNode& node = packed.nodes[at.node];
            if (node.is_leaf()) continue;
            if (stops && !grow::is_shared_work(making.n_rows[at.node], at.n_columns)) {
                alone.push_back(at);
                continue;
            }
            const std::size_t first = first_child_of(node);
            for (std::size_t b = 0; b < 2; ++b) making.number[first + b] = n++;
            for (std::size_t b = 2; b-- > 0;)
                open.push_back({first + b, packed.shown.nodes[at.node].n_columns});
        }
    };
    number_below(true);
    for (const Place& root : alone) {
        open.push_back(root);
        number_below(false);
    }
}

void ask(Making& making, const data::Dataset& data, std::size_t i) {
    const PackedNode& from = making.packed.nodes[i];
    tree::Tree& tree = making.made.tree;
    tree::TreeNode& node = tree.nodes[making.number[i]];
    const std::uint32_t column = from.column & ~PackedNode::kMissingFirst;
    const std::size_t first = first_child_of(from);
    node.kind = 1;
    node.column = static_cast<std::int32_t>(column);
    node.n_branches = 2;
    node.first_child = static_cast<std::int32_t>(making.number[first]);
    node.missing_branch = (from.column & PackedNode::kMissingFirst) != 0 ? 0 : 1;
    node.gain = node.score = making.packed.shown.nodes[i].gain;
    set_threshold(from.threshold, data.columns[column].is_real(), node);
    for (std::size_t b = 0; b < 2; ++b)
        tree.nodes[making.number[first + b]].parent = static_cast<std::int32_t>(making.number[i]);
}

/// The tree of the packed one, with all figures of its nodes.
void show(Making& making, const data::Dataset& data, const grow::GrowOptions& options,
          Progress& progress) {
    const PackedTree& packed = making.packed;
    const std::uint32_t n_classes =
        data.target.is_classification() ? data.target.n_classes[0] : 0;
    count_rows(making, n_classes);
    number_nodes(making, options.columns.size());
    tree::Tree& tree = making.made.tree;
    tree.nodes.resize(packed.nodes.size());
    tree.width = std::max<std::size_t>(n_classes, 1);
    if (n_classes > 0) tree.value.resize(packed.nodes.size() * n_classes, 0.0);
    else making.rows.leaf_range.resize(packed.nodes.size());
    in_blocks(progress, packed.nodes.size(), [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
            const std::uint32_t at = making.number[i];
            tree.nodes[at].n_rows = making.n_rows[i];
            if (!packed.nodes[i].is_leaf()) {
                ask(making, data, i);
                continue;
            }
            const std::size_t leaf = packed.nodes[i].leaf();
            if (n_classes > 0)
                std::copy_n(packed.counts.begin() + static_cast<std::ptrdiff_t>(leaf * n_classes),
                            n_classes,
                            tree.value.begin() + static_cast<std::ptrdiff_t>(
                                                     std::size_t{at} * n_classes));
            else
                making.rows.leaf_range[at] = {making.first_row[leaf],
                                              making.first_row[leaf] + packed.counts[leaf]};
        }
    });
    if (n_classes > 0) sum_up_counts(tree, data, options, progress);
    else sum_up(tree, making.rows, data, options, progress);
}

/// Grows the packed tree; false if the fast grower does not serve what the columns hold.
bool grow_packed(Making& making, const data::Dataset& data, const grow::GrowOptions& options,
                 Progress& progress) {
    Team team(options.n_threads, progress);
    const std::unique_ptr<FastData> shared = make_single_data(data, options, team);
    if (shared == nullptr) return false;
    const std::unique_ptr<FastGrower> grower = make_fast_grower(*shared, options, progress);
    const std::vector<std::uint32_t> once(data.n_rows, 1);
    making.packed = grower->grow(once, options.tree, true, team);
    return true;
}

}  // namespace

SingleTree grow_single(const data::Dataset& data, const grow::GrowOptions& options,
                       Progress& progress, std::optional<grow::Engine> engine) {
    const grow::Engine asked = engine ? *engine : grow::engine_of_tree(options, data);
    if (asked == grow::Engine::best_cuts) {
        auto making = std::make_unique<Making>();
        bool is_served = false;
        fill_or_discard(making, [&](Making& made) {
            is_served = grow_packed(made, data, options, progress);
            if (!is_served) return;
            std::vector<std::uint32_t>& rows = made.packed.shown.leaf_rows;
            made.rows.leaf_rows = std::move(rows);
            made.first_row.resize(made.packed.counts.size());
            std::exclusive_scan(made.packed.counts.begin(), made.packed.counts.end(),
                                made.first_row.begin(), 0U);
            show(made, data, options, progress);
        });
        if (is_served) {
            making->made.engine = grow::Engine::best_cuts;
            return std::move(making->made);
        }
    }
    return {grow::grow(data, options, progress), grow::Engine::general};
}

}  // namespace treewright::forest
