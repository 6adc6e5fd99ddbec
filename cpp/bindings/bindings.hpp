/// What the binding files share. Only this folder includes nanobind.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <span>

#include "treewright/base/error.hpp"
#include "treewright/base/progress.hpp"
#include "treewright/data/column.hpp"
#include "treewright/data/dataset.hpp"
#include "treewright/grow/options.hpp"
#include "treewright/tree/dependence.hpp"
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
    Flat<double> case_weight;
    Flat<double> copies;
    treewright::data::Impurity impurity;
    std::size_t n_outputs = 1;
    std::size_t n_rows = 0;
};

treewright::data::Dataset dataset_of(const BoundColumns& columns, const BoundTarget& target);
/// Refuses options that speak of columns the table does not have.
void require_sound(const treewright::grow::GrowOptions& options,
                   const treewright::data::Dataset& data);
/// Asks Python whether to stop: signals (Ctrl-C) and, if given, a progress callback.
treewright::Progress make_progress(const std::optional<nb::callable>& report);
/// The arrays of a tree, kept alive. They vouch for themselves: `arrays.checked()`
/// (tree/arrays.py) gives them once every invariant was checked, so that no code here follows a bad
/// index.
treewright::tree::TreeView checked(nb::handle arrays);
/// The arrays of the contract in tree/arrays.py, by name.
nb::dict arrays_of(treewright::tree::Tree tree, treewright::Progress& progress);
nb::dict dict_of(treewright::tree::TreeArrays arrays, std::size_t width);

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
/// Partial dependence by setting: outputs x points, or rows x outputs x points; None where a
/// question is decided by a set column and others together.
nb::list dependence_of(const treewright::tree::ShapModel& model, const BoundColumns& rows,
                       const std::optional<Flat<double>>& weight,
                       std::vector<std::vector<std::uint32_t>> columns, const nb::list& points,
                       bool by_row, std::size_t n_threads);
/// The same of what a link makes of the sums: always outputs x points.
nb::list linked_dependence_of(const treewright::tree::ShapModel& model, const BoundColumns& rows,
                              const treewright::tree::LinkedOptions& options,
                              std::vector<std::vector<std::uint32_t>> columns,
                              const nb::list& points);
inline constexpr const char* kDependenceSignature =
    "def dependence(self, rows: Columns, weight: NDArray[numpy.float64] | None, "
    "columns: list[list[int]], points: list[Columns], by_row: bool, n_threads: int) -> "
    "list[NDArray[numpy.float64] | None]";

/// None in a list of objects comes as a null pointer.
template <class T>
void refuse_none(const std::vector<T*>& objects) {
    for (const T* each : objects) treewright::require(each != nullptr, "no None in a list");
}

void bind_data(nb::module_& module);
void bind_data_delimited(nb::module_& module);
void bind_data_objects(nb::module_& module);
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
void bind_state(nb::module_& module);

/// Room for a result, cleared piece by piece: memory that is first touched takes a while to get.
template <class T>
std::vector<T> cleared(std::size_t n, treewright::Progress& progress) {
    std::vector<T> values;
    values.reserve(n);
    treewright::in_blocks(progress, n, [&](std::size_t, std::size_t end) { values.resize(end); });
    return values;
}

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
