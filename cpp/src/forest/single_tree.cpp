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
#include "treewright/forest/packed_questions.hpp"
#include "treewright/grow/fragment.hpp"
#include "treewright/grow/grower.hpp"
#include "treewright/grow/needed_columns.hpp"
#include "treewright/grow/summary.hpp"

namespace treewright::forest {
namespace {

/// What the tree is made in, freed by a thread of its own if growing is stopped.
struct Making {
    PackedTree packed;
    std::vector<std::uint32_t> n_rows;  ///< by packed node, as the next two
    std::vector<std::uint32_t> first_row;
    std::vector<std::uint32_t> number;     ///< in the tree
    std::vector<std::uint32_t> asked;      ///< nodes in the order of their questions, if on names
    std::vector<std::uint32_t> packed_of;  ///< the other way round
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

/// Notes which nodes ask for names, in the order in which they were divided: that of their
/// children.
void note_questions(Making& making) {
    const std::vector<PackedNode>& nodes = making.packed.nodes;
    for (std::uint32_t i = 0; i < nodes.size(); ++i)
        if (asks_for_names(nodes[i])) making.asked.push_back(i);
    std::sort(making.asked.begin(), making.asked.end(), [&](std::uint32_t a, std::uint32_t b) {
        return nodes[a].first_child < nodes[b].first_child;
    });
}

/// Numbers the nodes as the general grower does: first those that all threads divide together, then
/// the subtrees below, each of them depth first. The children of a node are neighbours. Best first
/// both growers number them as they come.
void number_nodes(Making& making, std::size_t n_columns, bool is_best_first) {
    const PackedTree& packed = making.packed;
    if (is_best_first) {
        making.number.resize(packed.nodes.size());
        std::iota(making.number.begin(), making.number.end(), 0U);
        note_questions(making);
        return;
    }
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
            if (asks_for_names(node)) making.asked.push_back(static_cast<std::uint32_t>(at.node));
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

/// The questions on names, in the order in which the general grower asks them.
void list_names(Making& making) {
    tree::TreeArrays& arrays = making.made.arrays;
    const PackedNames& names = making.packed.names;
    for (const std::uint32_t from : making.asked) {
        const PackedNode& node = making.packed.nodes[from];
        if (!asks_for_names(node)) continue;
        const auto question = static_cast<std::size_t>(node.threshold);
        const std::uint32_t begin = question == 0 ? 0 : names.end[question - 1];
        const std::uint32_t at = making.number[from];
        arrays.code_offset[at] = static_cast<std::int64_t>(arrays.code.size());
        arrays.code_count[at] = static_cast<std::int32_t>(names.end[question] - begin);
        arrays.rest_branch[at] = names.rest[question];
        for (std::uint32_t i = begin; i < names.end[question]; ++i) {
            arrays.code.push_back(names.code[i]);
            arrays.branch_of_code.push_back(names.branch[i]);
        }
    }
}

void number_backwards(Making& making) {
    making.packed_of.resize(making.number.size());
    for (std::uint32_t i = 0; i < making.number.size(); ++i) making.packed_of[making.number[i]] = i;
}

/// The tree of the packed one, with all figures of its nodes.
void show(Making& making, const data::Dataset& data, const grow::GrowOptions& options,
          Progress& progress) {
    const PackedTree& packed = making.packed;
    const std::size_t n = packed.nodes.size();
    const std::uint32_t n_classes = data.target.is_classification() ? data.target.n_classes[0] : 0;
    count_rows(making, n_classes);
    number_nodes(making, options.columns.size(), options.max_leaf_nodes > 0);
    number_backwards(making);
    tree::TreeArrays& arrays = making.made.arrays;
    list_questions(
        packed, [&](std::size_t from) { return making.number[from]; },
        [&](std::size_t i) { return making.packed_of[i]; },
        [&](std::uint32_t column) { return data.columns[column].is_real(); }, progress, arrays);
    list_names(making);
    making.made.width = std::max<std::size_t>(n_classes, 1);
    arrays.n_rows.resize(n);
    arrays.weight.resize(n);
    arrays.impurity.resize(n);
    arrays.gain.resize(n);
    arrays.value.resize(n * making.made.width);
    if (n_classes == 0) making.rows.leaf_range.resize(n);
    in_blocks(progress, n, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
            const std::uint32_t from = making.packed_of[i];
            arrays.n_rows[i] = making.n_rows[from];
            if (!packed.nodes[from].is_leaf()) {
                arrays.gain[i] = packed.shown.nodes[from].gain;
                continue;
            }
            const std::size_t leaf = packed.nodes[from].leaf();
            if (n_classes > 0)
                std::copy_n(packed.counts.begin() + static_cast<std::ptrdiff_t>(leaf * n_classes),
                            n_classes,
                            arrays.value.begin() + static_cast<std::ptrdiff_t>(i * n_classes));
            else
                making.rows.leaf_range[i] = {making.first_row[leaf],
                                             making.first_row[leaf] + packed.counts[leaf]};
        }
    });
    if (n_classes > 0) grow::sum_up_counts(arrays, data, options, progress);
    else grow::sum_up(arrays, making.rows, data, options, progress);
    arrays.score = arrays.gain;
    for (std::size_t i = 0; i < n; ++i)
        if (const double share = packed.shown.nodes[making.packed_of[i]].share; share > 0.0)
            arrays.score[i] -= arrays.impurity[i] * share;
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

SingleTree grow_single(const data::Dataset& data, const grow::GrowOptions& wanted,
                       Progress& progress, std::optional<grow::Engine> engine) {
    const grow::GrowOptions options = grow::with_needed_columns(wanted, data);
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
    tree::Tree grown = grow::grow(data, options, progress);
    const std::size_t width = grown.width;
    return {flattened(std::move(grown), progress), width, grow::Engine::general};
}

}  // namespace treewright::forest
