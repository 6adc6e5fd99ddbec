/// The loops over the questions of a tree that explain eight rows at once, a lane each;
/// tree/shap.hpp has the method.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "treewright/base/quadrature.hpp"
#include "treewright/base/simd.hpp"
#include "treewright/tree/shap_tree.hpp"

namespace treewright::tree {

inline constexpr std::size_t kMostPoints = 8;        ///< of the integral, evaluated in one pass
inline constexpr std::size_t kGroups = 64 / kLanes;  ///< of eight rows in a block

/// Rows of a block whose own values for the column lead here, by their next side.
struct Known {
    std::uint64_t first;
    std::uint64_t second;
};

/// Some points of the integral, with their terms for askers.
struct Pass {
    std::size_t n_points = 0;
    std::vector<double> weight;
    std::vector<double> known;  ///< terms x points
    std::vector<double> slope;  ///< of `known` over t

    void set(const ShapTree& tree, const Quadrature& points, std::size_t begin, std::size_t end);
};

/// What the loops over askers read and write.
struct Lanes {
    const ShapTree& tree;
    const Pass& pass;
    const Known* rows;
    const Eight* constants;  ///< by asker that is a leaf
    const Eight* parts;      ///< lines x groups
    Eight* lean;
    Eight* reach;
    Eight* value;
    /// Askers that some row of the block may reach, parents first, and which rows may reach an
    /// asker; null: all may reach all.
    const std::vector<std::uint32_t>* order = nullptr;
    const std::uint64_t* possible = nullptr;
};

/// Finds the askers that some of `rows` may reach beside another row: most of a large tree cannot
/// be reached by the own values of the one or the other.
void find_possible(const ShapTree& tree, std::span<const Known> known, std::uint64_t rows,
                   std::vector<std::uint32_t>& order, std::vector<std::uint64_t>& possible);

/// Explains the first groups of eight rows of a block: adds weight x value to sums[place x stride +
/// group], outputs apart by `output_stride`. `lanes.reach` is overwritten.
void explain_block(const Lanes& lanes, const Eight* weight, std::size_t n_groups, Eight* sums,
                   std::size_t stride, std::size_t output_stride);

}  // namespace treewright::tree
