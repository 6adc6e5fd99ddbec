/// The form of a tree that SHAP values are computed from (tree/shap.hpp has the method): questions
/// with two branches, each with the share of the training weight that went to the first.
///
/// A question with several branches becomes several about the same column: half of the branches
/// against the other half, and so on. As all of them are known or unknown together, the row takes
/// its own branch where the column is known, and each branch by its share where it is not.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "treewright/base/simd.hpp"

namespace treewright::tree {

/// A term of a leaf's linear model: coefficient x (number - fill).
struct ShapTerm {
    std::uint32_t column = 0;
    std::uint32_t number = 0;  ///< which of the model's numbers is multiplied
    double coefficient = 0.0;
    double fill = 0.0;  ///< stands for a number that is missing or not known
};

/// A tree as a model gives it: children are contiguous and after their parent.
struct ShapSource {
    struct Node {
        std::int32_t first_child = -1;
        std::uint32_t n_branches = 0;
        std::uint32_t column = 0;  ///< asked; of a question about several, one of them
        double cover = 0.0;        ///< training weight
    };
    struct Limits {
        double low = -std::numeric_limits<double>::infinity();
        double high = std::numeric_limits<double>::infinity();
    };

    std::vector<Node> nodes;
    std::size_t first_output = 0;
    std::size_t n_outputs = 1;
    std::vector<double> value;  ///< nodes x outputs; of a linear model, where its terms are 0
    std::vector<std::uint32_t> term_start;  ///< nodes + 1; empty: no linear models
    std::vector<ShapTerm> terms;
    std::vector<Limits> limits;          ///< of each node's linear model
    std::vector<std::uint32_t> further;  ///< columns that decide answers beside the asked ones

    [[nodiscard]] std::span<const ShapTerm> terms_of(std::size_t node) const {
        if (term_start.empty()) return {};
        return std::span(terms).subspan(term_start[node], term_start[node + 1] - term_start[node]);
    }
};

class ShapTree {
public:
    /// `place` of each column among those that the model asks.
    ShapTree(const ShapSource& source, std::span<const std::uint32_t> place);

    static constexpr std::size_t kFree = 0;  ///< terms of those that are the first to ask: z = 1
    static constexpr std::size_t kKnown =
        1;  ///< of a column that is known for certain, as where z = 0
    static constexpr std::size_t kUnknown = 2;  ///< or not known for certain

    /// How a column was last asked on the way to a place in the tree.
    struct Before {
        std::int32_t asker = -1;  ///< none: -1
        bool second = false;      ///< the way leaves that one by its second branch
        double passed = 1.0;      ///< z: share that passed all questions about the column
        std::size_t slot = kFree;
        std::size_t terms = kFree;  ///< its slot, or that of z = 0 or 1
    };
    /// A question, or a leaf with a linear model.
    struct Asker {
        std::uint32_t node = 0;      ///< its number in the source
        std::int32_t middle = 0;     ///< branches from this one on are the second side; leaf: 0
        std::int32_t child[2] = {};  ///< number among askers; a plain leaf: ~number
        std::uint32_t place = 0;     ///< of its column among the asked ones
        double share = 0.5;          ///< of the first side, of what is not known
        double cover = 0.5;          ///< of the first side, of the training rows
        Before before;
        std::uint32_t first_line = 0;  ///< of a leaf: its lines
        std::uint32_t n_lines = 0;

        [[nodiscard]] bool is_leaf() const { return middle == 0; }
    };
    /// A term of a leaf's linear model.
    struct Line {
        ShapTerm term;
        std::uint32_t place = 0;
        Before before;
    };

    std::vector<Asker> askers;  ///< parents first
    std::vector<Line> lines;
    std::vector<Eight> leaves;      ///< outputs x plain leaves: what each answers, in every lane
    std::vector<double> constants;  ///< by asker that is a leaf: what it answers without its terms
    std::vector<ShapSource::Limits> limits;  ///< the same
    std::size_t n_leaves = 0;
    std::size_t first_output = 0;
    std::size_t n_outputs = 1;
    std::size_t most_columns = 0;  ///< on one path, with the linear model of its leaf
    std::size_t n_slots = 3;
    bool has_slots = false;             ///< any z is neither 0 nor 1
    std::vector<std::uint32_t> places;  ///< of all its columns, ascending

    /// What the tree answers if no column is known.
    [[nodiscard]] double expected(std::size_t output) const;
    /// Replaces the shares (by asker), as where another row than the training rows stands for
    /// what is not known.
    void set_shares(std::span<const double> share);

private:
    /// How an asker is reached.
    struct Way {
        std::int32_t from;
        bool second;
        std::size_t n_columns;  ///< different ones asked up to and at the asker
    };
    [[nodiscard]] Before look_up(const std::vector<Way>& ways, std::size_t asker,
                                 std::uint32_t place);
    void pass_shares();
};

}  // namespace treewright::tree
