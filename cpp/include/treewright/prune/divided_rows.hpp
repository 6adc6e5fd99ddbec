/// How rows are divided among the branches of a tree when they are sent down it again: whole where
/// the value asked for is known, in parts where it is missing (C4.5's divided cases).
#pragma once

#include <cstdint>
#include <vector>

#include "treewright/data/dataset.hpp"
#include "treewright/tree/plan.hpp"
#include "treewright/tree/tree.hpp"

namespace treewright::prune {

/// A part of a row that was divided above.
struct Part {
    std::uint32_t row;
    double weight;
};

/// The rows of a node: a range of `Shares::order`, whole, and parts of divided rows.
struct Share {
    std::size_t begin = 0;
    std::size_t end = 0;
    std::vector<Part> parts;

    [[nodiscard]] bool empty() const { return begin == end && parts.empty(); }
    [[nodiscard]] std::size_t n_whole() const { return end - begin; }
    [[nodiscard]] std::size_t size() const { return n_whole() + parts.size(); }
};

/// The division of a share by a question. Whole rows are sorted by branch, missing values
/// first:
///     order:  ... | gaps | branch 0 | branch 1 | ...
///     start:        0      1          2          3
struct Division {
    std::vector<std::size_t> start;
    std::vector<std::int32_t> branch_of_part;  ///< -1: goes down all
    std::vector<double> known;  ///< fraction of the rows with the value that each branch gets
};

/// Divides weights by their sum; where that is 0, all get equal fractions.
void make_fractions(std::vector<double>& weights);

/// How many rows of each node there are, and their class weights, node by node.
struct Counts {
    std::vector<std::int64_t> n_rows;
    std::vector<double> weights;
};

/// The rows of positive weight, in an order that changes as they are divided.
class Shares {
public:
    explicit Shares(const data::Dataset& data);

    [[nodiscard]] std::vector<std::uint32_t>& order() { return sequence; }
    [[nodiscard]] const std::vector<std::uint32_t>& order() const { return sequence; }
    [[nodiscard]] double weight_of(std::size_t row) const {
        return data.weight.empty() ? 1.0 : data.weight[row];
    }
    /// How many rows a row stands for.
    [[nodiscard]] double copies_of(std::size_t row) const {
        return data.copies.empty() ? 1.0 : data.copies[row];
    }
    [[nodiscard]] std::size_t class_of(std::size_t row) const {
        return static_cast<std::size_t>(data.target.classes[row]);
    }
    [[nodiscard]] const std::vector<data::Column>& columns() const { return rows.columns; }
    /// Branch of a row at a place in a plan; -1 = all branches.
    [[nodiscard]] int branch_of(std::size_t row, const tree::Plan& plan,
                                std::uint32_t question) const {
        return plan.branch_of(rows, row, question);
    }
    /// All rows.
    [[nodiscard]] Share everything() const { return {0, sequence.size(), {}}; }

    /// Rows in a share, each as often as its copies say, parts as parts.
    [[nodiscard]] double n_copies(const Share& share) const;
    /// The same for whole rows.
    [[nodiscard]] double n_copies(std::size_t begin, std::size_t end) const {
        if (data.copies.empty()) return static_cast<double>(end - begin);
        double total = 0.0;
        for (std::size_t i = begin; i < end; ++i) total += copies_of(sequence[i]);
        return total;
    }
    /// Class weights of a share.
    double* count(const Share& share, double* into) const;
    /// Adds the class weights of whole rows.
    void add_whole(std::size_t begin, std::size_t end, double* into) const;
    /// Sends a share through the question at a place in a plan.
    [[nodiscard]] Division divide(const Share& share, const tree::Plan& plan,
                                  std::uint32_t question, std::size_t n_branches);
    [[nodiscard]] Share branch_of(const Share& share, const Division& division,
                                  std::int32_t branch) const;

private:
    const data::Dataset& data;
    std::size_t n_classes;
    tree::Rows rows;
    std::vector<std::uint32_t> sequence;
    std::vector<std::uint32_t> scratch;
    std::vector<std::uint32_t> part_rows;
    std::vector<std::int32_t> branch_at;  ///< branch of `order[i]` at the question being asked
};

}  // namespace treewright::prune
