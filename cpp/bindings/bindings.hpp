/// What the binding files share. Only this folder includes nanobind.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "treewright/data/column.hpp"
#include "treewright/tree/plan.hpp"

namespace nb = nanobind;

/// Typed columns on loan from NumPy; keeps their arrays alive.
struct BoundColumns {
    treewright::Rows rows;
    std::vector<nb::object> owners;
};

void bind_columns(nb::module_& module);
void bind_grow(nb::module_& module);
void bind_plan(nb::module_& module);

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
