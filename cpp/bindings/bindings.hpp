/// What the binding files share. Only this folder includes nanobind.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <span>

#include "treewright/base/progress.hpp"
#include "treewright/data/column.hpp"
#include "treewright/data/dataset.hpp"
#include "treewright/tree/plan.hpp"
#include "treewright/tree/shap.hpp"

namespace nb = nanobind;

/// Typed columns on loan from NumPy; keeps their arrays alive.
struct BoundColumns {
    treewright::tree::Rows rows;
    std::vector<nb::object> owners;
};

template <class T>
using Flat = nb::ndarray<const T, nb::c_contig, nb::device::cpu>;

template <class T>
std::span<const T> span_of(const Flat<T>& array) {
    return {array.data(), array.size()};
}
template <class T>
std::span<const T> span_of(const std::optional<Flat<T>>& array) {
    return array ? span_of(*array) : std::span<const T>();
}

/// What to learn, on loan from NumPy as the columns are.
struct BoundTarget {
    std::vector<std::uint32_t> n_classes;
    Flat<std::int32_t> classes;
    Flat<double> values;
    Flat<double> weight;
    Flat<double> copies;
    std::size_t n_outputs = 1;
    std::size_t n_rows = 0;
};

treewright::data::Dataset dataset_of(const BoundColumns& columns, const BoundTarget& target);
/// Asks Python whether to stop: signals (Ctrl-C) and, if given, a progress callback.
treewright::Progress make_progress(const std::optional<nb::callable>& report);
/// Rebuilds the node records from the arrays of tree/arrays.py, which Python has validated.
treewright::tree::Tree tree_of(const nb::dict& arrays);
/// The arrays of the contract in tree/arrays.py, by name.
nb::dict arrays_of(treewright::tree::Tree tree);

/// Rows to explain, with the numbers that linear models in leaves multiply.
struct BoundShapRows {
    const BoundColumns& columns;
    std::optional<Flat<double>> numbers;
};
/// Rows that stand for what is not known, and what each counts for each row; null: none.
struct BoundBackground {
    const BoundColumns* columns;
    std::optional<Flat<double>> numbers;
    std::optional<Flat<double>> pair_weight;
};
/// SHAP values (rows x outputs x columns, x columns for interactions), the expected answers, the
/// first divided row or -1, and how many columns asked together were too many or 0.
nb::object shap_of(const treewright::tree::ShapModel& model, const BoundShapRows& rows,
                   std::size_t n_threads, bool interactions, const BoundBackground& background);

void bind_data(nb::module_& module);
void bind_grow(nb::module_& module);
void bind_tree(nb::module_& module);
void bind_tree_shap(nb::module_& module);
void bind_prune(nb::module_& module);
void bind_forest(nb::module_& module);
void bind_forest_importance(nb::module_& module);
void bind_forest_out_of_bag(nb::module_& module);
void bind_forest_leaf_rows(nb::module_& module);
void bind_boosting(nb::module_& module);
void bind_adaboost(nb::module_& module);

template <class T>
nb::object to_numpy(std::vector<T> values, std::initializer_list<std::size_t> shape) {
    auto* owned = new std::vector<T>(std::move(values));
    nb::capsule owner(owned, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
    return nb::cast(nb::ndarray<nb::numpy, T>(owned->data(), shape, owner));
}
template <class T>
nb::object to_numpy(std::vector<T> values) {
    const std::size_t n = values.size();
    return to_numpy(std::move(values), {n});
}
