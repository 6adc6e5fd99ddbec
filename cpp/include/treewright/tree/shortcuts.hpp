/// Shortcuts down the long paths of a tree. In a tree as deep as it has leaves, a row would be
/// asked thousands of questions; shortcuts skip most of them at once, where the row's values allow.
///
/// At every node the branch with the most nodes continues the long path. A node has one jump down
/// it, and for each column asked on the way the values with which a row follows all of it. Jumps
/// are as long as the digits of a skew binary number (Myers 1983, "An applicative random-access
/// stack"), so that any place on a path of n nodes is reached in O(log n) jumps and steps, and the
/// jump of a node is composed of two below it.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "treewright/data/column.hpp"

namespace treewright::tree {

class Shortcuts {
public:
    /// Mean path length from which shortcuts pay.
    static constexpr double kDeep = 100.0;

    /// Values of a column, as `key` gives them, with which a row stays on a path.
    struct Stay {
        std::uint32_t column = 0;
        std::int64_t above = std::numeric_limits<std::int64_t>::min();
        std::int64_t up_to = std::numeric_limits<std::int64_t>::max();
        std::vector<std::int32_t> leaving;  ///< codes that do not, ascending
    };
    /// A double as an integer of the same order; it must not be NaN.
    [[nodiscard]] static std::int64_t key(double x);

    [[nodiscard]] bool empty() const { return jumps.empty(); }
    /// Makes room for nodes, which are ends of paths until `lead` is called.
    void make_room(std::size_t n_nodes);
    /// No path goes on from a node.
    void end(std::uint32_t node) { jumps[node] = {node}; }
    /// The long path continues from a node to `next`, below which all jumps are made. Without
    /// `stay` values do not decide which rows follow it.
    void lead(std::uint32_t node, std::uint32_t next, const std::optional<Stay>& stay);
    /// Where the jump of a node leads a row; the node itself if the row does not take it.
    [[nodiscard]] std::uint32_t follow(std::span<const data::Column> columns, std::size_t row,
                                       std::uint32_t node) const {
        const Jump& jump = jumps[node];
        if (jump.length < 2 || !jump.is_known) return node;  // one step is as good
        for (const Stay& stay : jump.stays)
            if (!stays(columns[stay.column], row, stay)) return node;
        return jump.to;
    }

private:
    struct Jump {
        std::uint32_t to;
        std::uint32_t length = 0;   ///< nodes passed
        bool is_known = true;       ///< whether values decide which rows take the jump
        std::vector<Stay> stays{};  ///< for every column asked about
    };

    [[nodiscard]] static bool stays(const data::Column& column, std::size_t row, const Stay& stay);

    std::vector<Jump> jumps;  ///< of each node
};

}  // namespace treewright::tree
