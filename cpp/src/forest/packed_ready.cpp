#include "treewright/forest/packed_ready.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "treewright/forest/packed_walk.hpp"

namespace treewright::forest {
namespace {

/// Classes from which the leaves of a tree may be listed by the classes that they have: a leaf of
/// a grown tree has few of a hundred, and adding 0 changes no sum.
constexpr std::uint32_t kManyClasses = 8;
/// Classes of a leaf, on average, of as many as this for which a list pays.
constexpr std::size_t kClassesPerListed = 4;

HotNode heated(const PackedNode& node) {
    HotNode hot{static_cast<float>(node.threshold), node.first_child << 8 | column_of(node)};
    if (node.is_leaf()) {
        const std::uint32_t bits = HotNode::kNaN | node.leaf();
        std::memcpy(&hot.threshold, &bits, sizeof bits);
    } else if (static_cast<double>(hot.threshold) > node.threshold) {
        hot.threshold = std::nextafter(hot.threshold, -std::numeric_limits<float>::infinity());
    }
    return hot;
}

/// Lists the classes of the leaves, if there are few in a leaf.
void list_answers(const PackedTree& tree, std::uint32_t n_classes, Vote vote, ReadyTree& ready) {
    const std::size_t n_leaves = tree.counts.size() / n_classes;
    const std::size_t most = tree.counts.size() / kClassesPerListed;
    std::size_t n_listed = 0;
    for (const std::uint32_t count : tree.counts) n_listed += count != 0;
    if (n_listed > most || most > std::numeric_limits<std::uint32_t>::max()) return;
    ready.listed.reserve(n_listed);
    ready.start.reserve(n_leaves + 1);
    ready.start.push_back(0);
    for (std::size_t leaf = 0; leaf < n_leaves; ++leaf) {
        const std::uint32_t* counts = tree.counts.data() + leaf * n_classes;
        const std::size_t first = ready.listed.size();
        std::uint64_t total = 0;
        for (std::uint32_t k = 0; k < n_classes; ++k) {
            if (counts[k] == 0) continue;
            total += counts[k];
            ready.listed.push_back({static_cast<double>(counts[k]), k});
        }
        if (ready.listed.size() == first) {  // a leaf of no rows has no shares
            ready.start.clear();
            return;
        }
        const auto begin = ready.listed.begin() + static_cast<std::ptrdiff_t>(first);
        if (vote == Vote::hard) {
            const auto winner = std::max_element(
                begin, ready.listed.end(),
                [](const auto& one, const auto& other) { return one.share < other.share; });
            *begin = {1.0, winner->class_number};
            ready.listed.resize(first + 1);
        } else {
            for (auto each = begin; each != ready.listed.end(); ++each)
                each->share /= static_cast<double>(total);
        }
        ready.start.push_back(static_cast<std::uint32_t>(ready.listed.size()));
    }
}

}  // namespace

ReadyTree made_ready(const PackedTree& tree, std::uint32_t n_classes, std::size_t n_columns,
                     Vote vote, bool heats) {
    ReadyTree ready;
    const std::size_t width = n_classes == 0 ? 1 : n_classes;
    if (n_classes >= kManyClasses) list_answers(tree, n_classes, vote, ready);
    if (ready.start.empty())
        ready.answers.resize(n_classes == 0 ? tree.values.size() : tree.counts.size());
    for (std::size_t leaf = 0; leaf < ready.answers.size() / width; ++leaf)
        answer_of(tree, n_classes, vote, static_cast<std::uint32_t>(leaf),
                  ready.answers.data() + leaf * width);
    // A root that is a leaf has no node before it for its link to point at.
    const bool fits = tree.nodes.size() > 1 && tree.nodes.size() <= HotNode::kMostNodes;
    if (!heats || !fits || n_columns > HotNode::kMostColumns) return ready;
    ready.hot.reserve(tree.nodes.size());
    for (const PackedNode& node : tree.nodes) ready.hot.push_back(heated(node));
    return ready;
}

}  // namespace treewright::forest
