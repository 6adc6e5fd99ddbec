/// A tree of a boosted ensemble, comparing codes: one tree for one output of one round.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace treewright::boosting {

struct BoostNode {
    std::int32_t first_child = -1;  ///< -1: a leaf; the second child follows it
    std::uint32_t column = 0;
    std::uint32_t cut = 0;     ///< numbers: codes up to it go to the first child
    std::int32_t subset = -1;  ///< categories: where their bits start; set: the first child
    bool missing_first = false;
    std::uint32_t n_rows = 0;
    double weight = 0.0;  ///< sum of hessians
    double gain = 0.0;
    double value = 0.0;  ///< what a leaf adds to the score

    [[nodiscard]] bool is_leaf() const { return first_child < 0; }
};

/// A term of a leaf's line: coefficient x (number - center).
struct LineTerm {
    std::uint32_t column = 0;
    double coefficient = 0.0;
    double center = 0.0;
};

struct Limits {
    double low = 0.0;
    double high = 0.0;
};

struct BoostTree {
    std::vector<BoostNode> nodes;
    std::vector<std::uint64_t> subsets;
    /// Terms of node i are line_terms[line_start[i] .. line_start[i + 1]); empty: no leaf has any.
    std::vector<std::uint32_t> line_start;
    std::vector<LineTerm> line_terms;
    std::vector<Limits> line_limits;  ///< by node: what its line may add

    /// The branch of a row, by its code in the node's column.
    [[nodiscard]] bool goes_second(const BoostNode& node, std::uint32_t code,
                                   std::uint32_t missing) const {
        if (code == missing) return !node.missing_first;
        if (node.subset < 0) return code > node.cut;
        return (subsets[static_cast<std::size_t>(node.subset) + code / 64] >> (code % 64) & 1) == 0;
    }

    [[nodiscard]] bool has_lines() const { return !line_terms.empty(); }
    [[nodiscard]] std::span<const LineTerm> line_of(std::size_t node) const {
        if (line_start.empty()) return {};
        return std::span(line_terms)
            .subspan(line_start[node], line_start[node + 1] - line_start[node]);
    }

    /// What a leaf's line adds to its value; number(column) returns the row's number. Missing and
    /// infinite numbers add nothing, and neither does a sum that overflows.
    template <class NumberOf>
    [[nodiscard]] double line_part(std::size_t node, NumberOf&& number) const {
        if (line_of(node).empty()) return 0.0;
        const Limits& limits = line_limits[node];
        return std::clamp(line_sum(node, number), limits.low, limits.high);
    }
    /// The same without limits.
    template <class NumberOf>
    [[nodiscard]] double line_sum(std::size_t node, NumberOf&& number) const {
        double sum = 0.0;
        for (const LineTerm& term : line_of(node)) {
            const double x = number(term.column);
            if (std::isfinite(x)) sum += term.coefficient * (x - term.center);
        }
        return std::isfinite(sum) ? sum : 0.0;
    }

    /// Largest absolute prediction of a leaf, lines included; infinite where one is not finite.
    [[nodiscard]] double largest_answer() const {
        double most = 0.0;
        for (std::size_t i = 0; i < nodes.size(); ++i) {
            if (!nodes[i].is_leaf()) continue;
            double own = std::abs(nodes[i].value);
            if (has_lines()) own += std::max(line_limits[i].high, -line_limits[i].low);
            most =
                std::isfinite(own) ? std::max(most, own) : std::numeric_limits<double>::infinity();
            if (std::isinf(most)) break;
        }
        return most;
    }

    /// Multiplies all predictions by `factor`, which is above 0.
    void multiply(double factor) {
        for (BoostNode& node : nodes) node.value *= factor;
        for (LineTerm& term : line_terms) term.coefficient *= factor;
        for (Limits& limits : line_limits) {
            limits.low *= factor;
            limits.high *= factor;
        }
    }
};

}  // namespace treewright::boosting
