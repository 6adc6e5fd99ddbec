/// A piece of a tree grown by one thread: one large subtree, or many small ones. What its nodes are
/// summed up from, once all pieces are one tree.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "treewright/tree/tree.hpp"

namespace treewright::grow {

/// The nodes of a fragment, in pieces: a vector of millions would be copied as a whole when it
/// grows, for longer than Ctrl-C should wait.
class NodeList {
public:
    [[nodiscard]] std::size_t size() const { return n; }
    tree::TreeNode& operator[](std::size_t i) { return pieces[i / kPiece][i % kPiece]; }
    const tree::TreeNode& operator[](std::size_t i) const { return pieces[i / kPiece][i % kPiece]; }
    void push_back(tree::TreeNode node) {
        if (n % kPiece == 0) pieces.emplace_back();
        if (n == kPiece * (pieces.size() - 1) && n > 0) pieces.back().reserve(kPiece);
        pieces.back().push_back(std::move(node));
        ++n;
    }
    void emplace_back() { push_back({}); }
    void resize(std::size_t more) {
        while (n < more) emplace_back();
    }
    /// Frees whole pieces of nodes before `end`, which nobody reads again.
    void free_before(std::size_t end) {
        for (; n_freed < end / kPiece; ++n_freed)
            std::vector<tree::TreeNode>().swap(pieces[n_freed]);
    }

private:
    static constexpr std::size_t kPiece = 1 << 12;  ///< most fragments are smaller
    std::vector<std::vector<tree::TreeNode>> pieces;
    std::size_t n = 0;
    std::size_t n_freed = 0;  ///< pieces
};

struct Fragment {
    /// A subtree: its root is a copy of a node of the top of the tree, its other nodes follow.
    struct Subtree {
        std::size_t root;      ///< in this fragment
        std::uint32_t anchor;  ///< in the top
    };
    std::vector<Subtree> subtrees;
    NodeList nodes;  ///< ids are positions in this fragment
    tree::CodeBranches branches;
    data::LinearTerms terms;
    tree::Cuts cuts;
    std::vector<std::uint32_t> leaf_rows;  ///< rows of the table, leaf by leaf
    std::vector<double> leaf_weights;      ///< of those rows, where cases are divided
    std::vector<std::pair<std::size_t, std::size_t>> leaf_range;  ///< per node, into leaf_rows
    std::vector<double> medians;     ///< nodes x outputs; absolute error only
    std::vector<double> deviations;  ///< per node; absolute error only
};

/// What a tree is summed up from, node by node, beside its nodes.
struct NodeRows {
    std::vector<std::pair<std::size_t, std::size_t>> leaf_range;
    std::vector<std::uint32_t> leaf_rows;
    std::vector<double> leaf_weights;
    std::vector<double> medians;
    std::vector<double> deviations;
};

}  // namespace treewright::grow
