#include "treewright/forest/fast/parallel_subtrees.hpp"

#include <numeric>

namespace treewright::forest {
namespace {

std::uint32_t n_leaves_of(const FastPart& part) {
    return static_cast<std::uint32_t>((part.tree.nodes.size() + 1) / 2);  // every cut has two sides
}

PackedNode with_leaf(const PackedNode& node, std::uint32_t leaf) {
    PackedNode made = PackedNode::make_leaf(0, leaf);
    made.first_child = node.first_child;
    return made;
}

/// Puts numbers of the top and those of the parts in their order: `before(part)` of the top come
/// before those of a part.
template <class T, class Before, class Of>
void interleave(std::vector<T>& of_top, const std::vector<FastPart>& parts, const Before& before,
                const Of& of) {
    std::vector<T> all;
    std::size_t size = of_top.size();
    for (const FastPart& part : parts) size += of(part).size();
    all.reserve(size);
    std::size_t done = 0;
    for (const FastPart& part : parts) {
        const std::size_t until = before(part);
        all.insert(all.end(), of_top.begin() + static_cast<std::ptrdiff_t>(done),
                   of_top.begin() + static_cast<std::ptrdiff_t>(until));
        done = until;
        all.insert(all.end(), of(part).begin(), of(part).end());
    }
    all.insert(all.end(), of_top.begin() + static_cast<std::ptrdiff_t>(done), of_top.end());
    of_top = std::move(all);
}

}  // namespace

void ParallelSubtrees::add(const FastNodes& top, const FastNode& node) {
    FastPart& part = parts.emplace_back();
    part.node = node;
    const auto copy = [](const auto& pool, std::uint32_t from, std::uint32_t n) {
        return std::vector(pool.begin() + from, pool.begin() + from + n);
    };
    part.columns = copy(top.columns, node.columns, node.n_columns);
    if (top.n_classes > 2) part.classes = copy(top.classes, node.classes, top.n_classes);
    if (top.n_classes > 2 && top.is_weighed)
        part.class_weights = copy(top.class_weights, node.classes, top.n_classes);
    part.leaves_before = top.n_leaves;
    part.credits_before = top.credits.size();
    part.rows_before = top.tree.shown.leaf_rows.size();
}

void ParallelSubtrees::grow(const std::function<void(FastPart& part, std::size_t thread)>& grow) {
    std::vector<std::size_t> order(parts.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return parts[a].node.size() > parts[b].node.size();
    });
    share(parts.size(), [&](std::size_t i, std::size_t thread) { grow(parts[order[i]], thread); });
}

void ParallelSubtrees::join(FastNodes& top) {
    std::vector<std::uint32_t> first_leaf;  // by part
    std::uint32_t n_of_parts = 0;
    for (const FastPart& part : parts) {
        first_leaf.push_back(part.leaves_before + n_of_parts);
        n_of_parts += n_leaves_of(part);
    }
    join_nodes(top, first_leaf);
    join_leaves(top);
    join_credits(top);
    parts.clear();
}

void ParallelSubtrees::join_nodes(FastNodes& top, const std::vector<std::uint32_t>& first_leaf) {
    std::vector<PackedNode>& nodes = top.tree.nodes;
    // A leaf of the top comes after the leaves of the parts before it.
    for (PackedNode& node : nodes) {
        if (!node.is_leaf()) continue;
        const auto next = std::upper_bound(
            parts.begin(), parts.end(), node.leaf(),
            [](std::uint32_t leaf, const FastPart& part) { return leaf < part.leaves_before; });
        if (next == parts.begin()) continue;
        const auto i = static_cast<std::size_t>(next - parts.begin()) - 1;
        node = with_leaf(
            node, node.leaf() - parts[i].leaves_before + first_leaf[i] + n_leaves_of(parts[i]));
    }
    std::vector<std::size_t> start;  // of a part's nodes behind its root, which the top has
    std::size_t size = nodes.size();
    for (const FastPart& part : parts) {
        start.push_back(size);
        size += part.tree.nodes.size() - 1;
    }
    nodes.resize(size);
    std::vector<ShownNode>& shown = top.tree.shown.nodes;
    if (top.is_shown) shown.resize(size);
    std::vector<double> first_question;  // of a part's names
    for (const FastPart& part : parts) {
        first_question.push_back(static_cast<double>(top.tree.names.size()));
        top.tree.names.append(part.tree.names);
    }
    share(parts.size(), [&](std::size_t i, std::size_t) {
        const std::vector<PackedNode>& own = parts[i].tree.nodes;
        const auto moved = [&](PackedNode node) {
            if (node.is_leaf()) return with_leaf(node, node.leaf() + first_leaf[i]);
            node.first_child += static_cast<std::uint32_t>(start[i] - 1);
            if ((node.column & PackedNode::kNames) != 0) node.threshold += first_question[i];
            return node;
        };
        nodes[parts[i].node.node] = moved(own[0]);
        for (std::size_t j = 1; j < own.size(); ++j) nodes[start[i] + j - 1] = moved(own[j]);
        if (!top.is_shown) return;
        const std::vector<ShownNode>& own_shown = parts[i].tree.shown.nodes;
        shown[parts[i].node.node] = own_shown[0];
        std::copy(own_shown.begin() + 1, own_shown.end(),
                  shown.begin() + static_cast<std::ptrdiff_t>(start[i]));
    });
}

void ParallelSubtrees::join_leaves(FastNodes& top) {
    const std::size_t per_leaf = top.n_classes == 0 ? 1 : top.n_classes;
    const auto leaves_before = [](const FastPart& part) { return part.leaves_before; };
    const auto numbers_before = [&](const FastPart& part) { return per_leaf * part.leaves_before; };
    if (top.is_weighed)
        interleave(top.tree.weights, parts, numbers_before,
                   [](const FastPart& part) -> const auto& { return part.tree.weights; });
    else
        interleave(top.tree.counts, parts, numbers_before,
                   [](const FastPart& part) -> const auto& { return part.tree.counts; });
    if (top.is_unpacked)
        interleave(top.tree.names.n_rows, parts, leaves_before,
                   [](const FastPart& part) -> const auto& { return part.tree.names.n_rows; });
    if (top.n_classes > 0) return;
    if (top.is_shown) {
        interleave(
            top.tree.shown.leaf_rows, parts, [](const FastPart& part) { return part.rows_before; },
            [](const FastPart& part) -> const auto& { return part.tree.shown.leaf_rows; });
        return;
    }
    const std::size_t n_of_top = top.tree.values.size();
    interleave(top.tree.values, parts, leaves_before,
               [](const FastPart& part) -> const auto& { return part.tree.values; });
    const auto has_spread = [](const PackedTree& tree) { return !tree.spread.empty(); };
    if (!has_spread(top.tree) && std::none_of(parts.begin(), parts.end(), [&](const auto& part) {
            return has_spread(part.tree);
        }))
        return;
    top.tree.spread.resize(n_of_top);
    for (FastPart& part : parts) part.tree.spread.resize(part.tree.values.size());
    interleave(top.tree.spread, parts, leaves_before,
               [](const FastPart& part) -> const auto& { return part.tree.spread; });
}

void ParallelSubtrees::join_credits(FastNodes& top) {
    std::vector<FastCredit> of_top;
    std::swap(of_top, top.credits);
    const auto add = [&](const std::vector<FastCredit>& credits, std::size_t from, std::size_t to) {
        for (std::size_t i = from; i < to; ++i)
            top.tree.importance[credits[i].column] += credits[i].decrease;
    };
    std::size_t done = 0;
    for (const FastPart& part : parts) {
        add(of_top, done, part.credits_before);
        done = part.credits_before;
        add(part.credits, 0, part.credits.size());
    }
    add(of_top, done, of_top.size());
}

}  // namespace treewright::forest
