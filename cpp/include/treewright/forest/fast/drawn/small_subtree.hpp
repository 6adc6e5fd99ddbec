/// The subtree below a node of few rows. Deciding on one node is a chain of dependent steps,
/// and whether there is a next node is known only at its end; so the nodes of a small subtree
/// ("twig") are grown level by level, some side by side for instruction-level parallelism, and
/// written to the tree when all are known, in the order of depth-first growth: leaves have the same
/// numbers and importances the same rounding errors.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "treewright/forest/fast/nodes.hpp"

namespace treewright::forest {

/// A node of the twig, to be written to the tree later.
struct TwigNode {
    double weight;
    double sum;
    std::uint32_t begin;
    std::uint32_t end;
    bool grows;  ///< was evaluated; otherwise it is a leaf from the start
    GapSide gaps = GapSide::heavier;
    std::uint32_t first_child = 0;  ///< in the twig; 0: there is none
    // ---- of the cut, if there are children
    std::uint32_t column;
    double decrease;
    double threshold;

    [[nodiscard]] FastCut cut() const { return {column, false, decrease, gaps}; }
};

class SmallSubtree {
public:
    static constexpr std::uint32_t kMostRows = 512;  ///< of its root

    void begin(const OpenNode& root) {
        n_nodes = n_open = n_taken = 0;
        add(root, true);
    }

    /// The next nodes to be evaluated, at most so many, whose `node` is their number in the twig;
    /// none if it is complete.
    [[nodiscard]] std::span<OpenNode> take(std::uint32_t most) {
        const std::uint32_t from = n_taken;
        n_taken = std::min(from + most, n_open);
        return {open.data() + from, n_taken - from};
    }

    void divide(const OpenNode& node, const FastCut& cut, double threshold,
                const OpenNode* children, const bool* grows) {
        TwigNode& from = twig[node.node];
        from.first_child = n_nodes;
        from.column = cut.column;
        from.decrease = cut.decrease;
        from.gaps = cut.gaps;
        from.threshold = threshold;
        for (int b = 0; b < 2; ++b) add(children[b], grows[b]);
    }

    [[nodiscard]] std::size_t size() const { return n_nodes; }

    /// Calls split(number, node, children, first), where `first` is the number of the first child,
    /// and close(number, node, is a leaf) for the nodes in depth-first order, first child
    /// first. The root is number `root`, others are numbered from `first` on.
    template <class Split, class Close>
    void tell(std::uint32_t root, std::uint32_t first, const Split& split, const Close& close) {
        Place untold[kMostRows + 2];
        Place* last = untold;
        *last++ = {0, root};
        while (last != untold) {
            const auto [at, number] = *--last;
            const TwigNode& here = twig[at];
            if (here.first_child == 0) {
                close(number, here, true);
                continue;
            }
            const TwigNode* children = &twig[here.first_child];
            split(number, here, children, first);
            for (std::uint32_t b = 0; b < 2; ++b) close(first + b, children[b], !children[b].grows);
            for (std::uint32_t b = 2; b-- > 0;) {
                *last = {here.first_child + b, first + b};
                last += children[b].grows ? 1 : 0;
            }
            first += 2;
        }
    }

private:
    /// Where a node is in the twig, and its number in the tree.
    struct Place {
        std::uint32_t at;
        std::uint32_t number;
    };

    void add(const OpenNode& node, bool grows) {
        open[n_open] = node;  // one that does not grow is overwritten
        open[n_open].node = n_nodes;
        n_open += grows ? 1 : 0;
        TwigNode& own = twig[n_nodes++];
        own.weight = node.weight;
        own.sum = node.sum;
        own.begin = node.begin;
        own.end = node.end;
        own.grows = grows;
        own.first_child = 0;
    }

    std::vector<TwigNode> twig = std::vector<TwigNode>(2 * kMostRows);
    std::vector<OpenNode> open = std::vector<OpenNode>(kMostRows + 1);  ///< as they come
    std::uint32_t n_nodes = 0;
    std::uint32_t n_open = 0;
    std::uint32_t n_taken = 0;
};

}  // namespace treewright::forest
