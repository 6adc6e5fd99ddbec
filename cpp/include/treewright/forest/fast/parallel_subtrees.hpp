/// One tree of the fast grower, grown by several threads. Large nodes, the top of the tree, are
/// split by all of them together; below, the tree is cut into parts, subtrees that one thread each
/// grows apart. Parts are joined in the order in which one thread would have grown them: leaves
/// have the same numbers and importances the same rounding errors, so that the tree is the same,
/// bit for bit.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "treewright/base/parallel.hpp"
#include "treewright/forest/fast/nodes.hpp"

namespace treewright::forest {

class ParallelSubtrees {
public:
    /// Begins a tree of so many rows, with the threads of a team; with one thread, or few rows,
    /// there are no parts.
    void begin(Team& threads, std::size_t n_rows) {
        parts.clear();
        const bool pays = threads.size() > 1 && n_rows >= 2 * kLeastRows;
        team = pays ? &threads : nullptr;
        most_rows = pays ? std::max(n_rows / (kPerThread * threads.size()), kLeastRows) : 0;
    }
    /// Whether other threads are available for this tree.
    [[nodiscard]] bool is_shared() const { return team != nullptr; }
    [[nodiscard]] std::size_t n_threads() const { return team != nullptr ? team->size() : 1; }

    /// Whether a node is worth dividing by all threads together.
    [[nodiscard]] bool shares(const FastNode& node) const { return is_shared() && !takes(node); }
    /// Whether a node is the root of a part.
    [[nodiscard]] bool takes(const OpenNode& node) const { return node.size() <= most_rows; }
    void add(const FastNodes& top, const FastNode& node);

    /// Calls work(item, thread) for all items by all threads.
    template <class Work>
    void share(std::size_t n_items, Work&& work) {
        if (team != nullptr) team->for_each(n_items, work);
        else
            for (std::size_t item = 0; item < n_items; ++item) work(item, std::size_t{0});
    }
    /// Calls grow(part, thread) for all parts, large ones first.
    void grow(const std::function<void(FastPart& part, std::size_t thread)>& grow);

    /// Joins the parts to the tree of the top; none are left afterwards.
    void join(FastNodes& top);

private:
    /// Minimum number of parts per thread: the last ones to be grown are then small.
    static constexpr std::size_t kPerThread = 8;
    /// Minimum rows of a part that is worth a thread, unless its node is smaller from the start.
    static constexpr std::size_t kLeastRows = 8192;

    void join_nodes(FastNodes& top, const std::vector<std::uint32_t>& first_leaf);
    void join_leaves(FastNodes& top);
    void join_credits(FastNodes& top);

    Team* team = nullptr;
    std::size_t most_rows = 0;
    std::vector<FastPart> parts;
};

}  // namespace treewright::forest
