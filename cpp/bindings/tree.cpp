#include <string_view>

#include "bindings.hpp"
#include "treewright/base/error.hpp"
#include "treewright/tree/sound_cuts.hpp"

using namespace treewright;
using namespace treewright::tree;

namespace {

/// Arrays of NumPy that a view reads, perhaps from a thread without Python's lock.
struct LentArrays {
    std::vector<nb::ndarray<>> arrays;

    LentArrays() = default;
    LentArrays(const LentArrays&) = delete;
    LentArrays& operator=(const LentArrays&) = delete;
    ~LentArrays() {
        const nb::gil_scoped_acquire acquire;
        arrays.clear();
    }
};

/// The arrays of a tree by name; nothing if one has another type or shape. With `converts`, arrays
/// of other types are copied where that is possible.
std::optional<TreeView> view_of(const nb::dict& named, bool converts) {
    TreeView view;
    const auto lent = std::make_shared<LentArrays>();
    bool fits = true;
    view.for_each([&]<class T>(const char* name, std::span<const T>& array) {
        Flat<std::conditional_t<std::is_same_v<T, std::uint8_t>, bool, T>> found;
        const std::size_t n_dimensions = std::string_view(name) == "value" ? 2 : 1;
        const nb::object given = named[name];
        fits = fits && nb::try_cast(given, found, converts) && found.ndim() == n_dimensions;
        if (!fits) return;
        array = {reinterpret_cast<const T*>(found.data()), found.size()};
        if (n_dimensions == 2) view.width = found.shape(1);
        lent->arrays.emplace_back(found);
    });
    if (!fits) return std::nullopt;
    view.owner = lent;
    return view;
}

}  // namespace

TreeView checked(nb::handle arrays) {
    const auto named = nb::cast<nb::dict>(arrays.attr("checked")());
    std::optional<TreeView> view = view_of(named, true);
    require(view.has_value(), "arrays of the types that trees have");
    return std::move(*view);
}

nb::dict arrays_of(Tree tree, Progress& progress) {
    const std::size_t width = tree.width;
    return dict_of(flattened(std::move(tree), progress), width);
}

nb::dict dict_of(TreeArrays arrays, std::size_t width) {
    const std::size_t n_nodes = arrays.first_child.size();
    nb::dict out;
    arrays.for_each([&](const char* name, auto& array) {
        const std::string_view called(name);
        if (called == "value") out[name] = to_numpy(std::move(array), {n_nodes, width});
        else if (called != "unseen_branch") out[name] = to_numpy(std::move(array));
    });
    return out;
}

namespace {

Combine combine_of(const std::string& name) {
    if (name == "leaf_counts") return Combine::leaf_counts;
    require(name == "branch_fractions", "unknown way to combine leaves");
    return Combine::branch_fractions;
}

nb::object predict(const Plan& plan, const Rows& rows, const std::string& combine,
                   std::size_t n_threads) {
    Progress progress = make_progress(std::nullopt);
    std::vector<double> out = cleared<double>(rows.n_rows * plan.width(), progress);
    const Combine how = combine_of(combine);
    {
        const nb::gil_scoped_release release;
        plan.predict(rows, how, n_threads, progress, out);
    }
    return to_numpy(std::move(out), {rows.n_rows, plan.width()});
}

nb::object apply(const Plan& plan, const Rows& rows, std::size_t n_threads) {
    Progress progress = make_progress(std::nullopt);
    std::vector<std::int64_t> out = cleared<std::int64_t>(rows.n_rows, progress);
    {
        const nb::gil_scoped_release release;
        plan.apply(rows, n_threads, progress, out);
    }
    return to_numpy(std::move(out));
}

using Plans = std::vector<const Plan*>;

nb::object add_up(const Plans& plans, const BoundColumns& columns, const std::string& combine,
                  std::size_t n_threads) {
    require(!plans.empty(), "a plan");
    refuse_none(plans);
    Progress progress = make_progress(std::nullopt);
    const std::size_t n_rows = columns.rows.n_rows;
    std::vector<double> sums = cleared<double>(n_rows * plans[0]->width(), progress);
    const Combine how = combine_of(combine);
    {
        const nb::gil_scoped_release release;
        Plan::add_up(plans, columns.rows, how, n_threads, progress, sums);
    }
    return to_numpy(std::move(sums), {n_rows, plans[0]->width()});
}

nb::object apply_all(const Plans& plans, const BoundColumns& columns, std::size_t n_threads) {
    refuse_none(plans);
    Progress progress = make_progress(std::nullopt);
    const std::size_t n_rows = columns.rows.n_rows;
    auto leaves = cleared<std::int32_t>(n_rows * plans.size(), progress);
    {
        const nb::gil_scoped_release release;
        Plan::apply_all(plans, columns.rows, n_threads, progress, leaves);
    }
    return to_numpy(std::move(leaves), {n_rows, plans.size()});
}

}  // namespace

void bind_tree(nb::module_& module) {
    module.def("add_up", &add_up, nb::arg("plans"), nb::arg("columns"), nb::arg("combine"),
               nb::arg("n_threads"),
               nb::sig("def add_up(plans: list[Plan], columns: Columns, combine: str, n_threads: "
                       "int) -> NDArray[numpy.float64]"));
    module.def("apply_all", &apply_all, nb::arg("plans"), nb::arg("columns"), nb::arg("n_threads"),
               nb::sig("def apply_all(plans: list[Plan], columns: Columns, n_threads: int) -> "
                       "NDArray[numpy.int32]"));
    module.def(
        "has_sound_cuts",
        [](const nb::dict& arrays, const std::optional<std::vector<std::string>>& cut_as) {
            const std::optional<TreeView> view = view_of(arrays, false);
            if (!view) return false;
            Progress progress = make_progress(std::nullopt);
            std::optional<std::vector<CutColumn>> columns;
            if (cut_as) columns.emplace();
            for (std::size_t i = 0; cut_as && i < cut_as->size(); ++i)
                columns->push_back((*cut_as)[i] == "real"    ? CutColumn::real
                                   : (*cut_as)[i] == "whole" ? CutColumn::whole
                                                             : CutColumn::none);
            const nb::gil_scoped_release release;
            return has_sound_cuts(*view, columns, progress);
        },
        nb::arg("arrays"), nb::arg("cut_as").none(),
        nb::sig("def has_sound_cuts(arrays: dict[str, object], cut_as: list[str] | None) -> "
                "bool"));
    nb::class_<Plan>(module, "Plan", "A tree packed for prediction.")
        .def(
            "__init__",
            [](Plan* self, nb::handle arrays, std::vector<std::uint32_t> n_classes,
               const std::optional<Flat<double>>& value, std::size_t n_threads) {
                Progress progress = make_progress(std::nullopt);
                TreeView tree = checked(arrays);
                if (value) {
                    require(value->size() == tree.value.size(), "a line of values for every node");
                    tree.value = span_of(*value);
                    const auto lent = std::make_shared<LentArrays>();
                    lent->arrays.emplace_back(*value);
                    using Both =
                        std::pair<std::shared_ptr<const void>, std::shared_ptr<const void>>;
                    tree.owner = std::make_shared<Both>(tree.owner, lent);
                }
                const nb::gil_scoped_release release;
                new (self) Plan(tree, std::move(n_classes), n_threads, progress);
            },
            nb::arg("arrays"), nb::arg("n_classes"), nb::arg("value").none(),
            nb::arg("n_threads") = 1,
            nb::sig("def __init__(self, arrays: object, n_classes: list[int], value: "
                    "NDArray[numpy.float64] | None, n_threads: int = 1) -> None"))
        .def(
            "predict",
            [](const Plan& self, const BoundColumns& columns, const std::string& combine,
               std::size_t n_threads) { return predict(self, columns.rows, combine, n_threads); },
            nb::arg("columns"), nb::arg("combine"), nb::arg("n_threads"),
            nb::sig("def predict(self, columns: Columns, combine: str, n_threads: int) -> "
                    "NDArray[numpy.float64]"))
        .def(
            "apply",
            [](const Plan& self, const BoundColumns& columns, std::size_t n_threads) {
                return apply(self, columns.rows, n_threads);
            },
            nb::arg("columns"), nb::arg("n_threads"),
            nb::sig("def apply(self, columns: Columns, n_threads: int) -> NDArray[numpy.int64]"))
        .def(
            "parts",
            [](const Plan& self, const BoundColumns& columns) {
                std::vector<std::int64_t> start;
                std::vector<std::int64_t> leaf;
                std::vector<double> share;
                Progress progress = make_progress(std::nullopt);
                {
                    const nb::gil_scoped_release release;
                    self.parts(columns.rows, progress, start, leaf, share);
                }
                return nb::make_tuple(to_numpy(std::move(start)), to_numpy(std::move(leaf)),
                                      to_numpy(std::move(share)));
            },
            nb::arg("columns"),
            nb::sig("def parts(self, columns: Columns) -> tuple[NDArray[numpy.int64], "
                    "NDArray[numpy.int64], NDArray[numpy.float64]]"))
        .def(
            "paths",
            [](const Plan& self, const BoundColumns& columns) {
                std::vector<std::int64_t> start;
                std::vector<std::int32_t> visited;
                Progress progress = make_progress(std::nullopt);
                {
                    const nb::gil_scoped_release release;
                    visited = self.paths(columns.rows, progress, start);
                }
                return nb::make_tuple(to_numpy(std::move(start)), to_numpy(std::move(visited)));
            },
            nb::arg("columns"),
            nb::sig("def paths(self, columns: Columns) -> tuple[NDArray[numpy.int64], "
                    "NDArray[numpy.int32]]"));
}
