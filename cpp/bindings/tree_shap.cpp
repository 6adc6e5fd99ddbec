#include "bindings.hpp"
#include "treewright/base/error.hpp"
#include "treewright/tree/dependence.hpp"
#include "treewright/tree/shap_plans.hpp"

using namespace treewright;
using namespace treewright::tree;

nb::object shap_of(const ShapModel& model, const BoundShapRows& rows, std::size_t n_threads,
                   bool interactions, const BoundBackground& background) {
    const ShapRows given{rows.columns.rows, span_of(rows.numbers)};
    const ShapRows beside{(background.columns != nullptr ? *background.columns : rows.columns).rows,
                          span_of(background.numbers)};
    ShapOptions options;
    options.interactions = interactions;
    options.n_threads = n_threads;
    if (background.columns != nullptr) {
        options.background = &beside;
        options.pair_weight = span_of(background.pair_weight);
    }
    Progress progress = make_progress({});
    ShapResult found;
    {
        const nb::gil_scoped_release release;
        found = shap_values(model, given, options, progress);
    }
    const std::size_t n_rows = given.rows.n_rows;
    nb::object values =
        interactions
            ? to_numpy(std::move(found.values),
                       {n_rows, model.n_outputs, model.n_columns, model.n_columns})
            : to_numpy(std::move(found.values), {n_rows, model.n_outputs, model.n_columns});
    return nb::make_tuple(std::move(values), to_numpy(std::move(found.expected)), found.divided_row,
                          found.most_together);
}

namespace {

std::vector<Setting> settings_of(std::vector<std::vector<std::uint32_t>> columns,
                                 const nb::list& points) {
    require(columns.size() == points.size(), "points for every setting");
    std::vector<Setting> settings;
    for (std::size_t s = 0; s < columns.size(); ++s)
        settings.push_back({std::move(columns[s]), &nb::cast<const BoundColumns&>(points[s]).rows});
    return settings;
}

/// Outputs x points, with `n_rows` (where it is not 0) before them.
nb::list numbers_of(Dependence found, std::span<const Setting> settings, std::size_t n_outputs,
                    std::size_t n_rows) {
    nb::list result;
    for (std::size_t s = 0; s < found.size(); ++s) {
        const std::size_t n_points = settings[s].points->n_rows;
        if (found[s].empty()) result.append(nb::none());
        else if (n_rows > 0)
            result.append(to_numpy(std::move(found[s]), {n_rows, n_outputs, n_points}));
        else result.append(to_numpy(std::move(found[s]), {n_outputs, n_points}));
    }
    return result;
}

}  // namespace

nb::list dependence_of(const ShapModel& model, const BoundColumns& rows,
                       const std::optional<Flat<double>>& weight,
                       std::vector<std::vector<std::uint32_t>> columns, const nb::list& points,
                       bool by_row, std::size_t n_threads) {
    const std::vector<Setting> settings = settings_of(std::move(columns), points);
    const DependenceOptions options{span_of(weight), by_row, n_threads};
    Progress progress = make_progress({});
    Dependence found;
    {
        const nb::gil_scoped_release release;
        found = partial_dependence(model, rows.rows, settings, options, progress);
    }
    return numbers_of(std::move(found), settings, model.n_outputs, by_row ? rows.rows.n_rows : 0);
}

nb::list linked_dependence_of(const ShapModel& model, const BoundColumns& rows,
                              const LinkedOptions& options,
                              std::vector<std::vector<std::uint32_t>> columns,
                              const nb::list& points) {
    const std::vector<Setting> settings = settings_of(std::move(columns), points);
    Progress progress = make_progress({});
    Dependence found;
    {
        const nb::gil_scoped_release release;
        found = linked_dependence(model, rows.rows, settings, options, progress);
    }
    return numbers_of(std::move(found), settings, model.n_outputs, 0);
}

void bind_tree_shap(nb::module_& module) {
    nb::class_<PlanTrees>(module, "ShapTrees", "Trees whose answers are explained together.")
        .def(nb::init<std::size_t, std::size_t, std::size_t>(), nb::arg("n_columns"),
             nb::arg("n_outputs"), nb::arg("n_numbers"))
        .def(
            "add",
            [](PlanTrees& self, const Plan& plan, Flat<double> value) {
                PlanTrees::Member member;
                member.plan = &plan;
                member.value.assign(value.data(), value.data() + value.size());
                self.add(std::move(member));
            },
            nb::arg("plan"), nb::arg("value"), nb::keep_alive<1, 2>(),
            nb::sig("def add(self, plan: Plan, value: NDArray[numpy.float64]) -> None"))
        .def(
            "add_linear",
            [](PlanTrees& self, const Plan& plan, Flat<double> value, Flat<std::int64_t> start,
               Flat<std::int32_t> column, Flat<std::int32_t> number, Flat<double> coefficient,
               Flat<double> fill, Flat<double> limits) {
                PlanTrees::Member member;
                member.plan = &plan;
                member.value.assign(value.data(), value.data() + value.size());
                const std::size_t n_nodes = plan.order().size();
                require(start.size() == n_nodes + 1 && limits.size() == 2 * n_nodes,
                        "linear models by node");
                member.term_start.assign(start.data(), start.data() + start.size());
                const std::size_t n_terms = column.size();
                require(number.size() == n_terms && coefficient.size() == n_terms &&
                            fill.size() == n_terms && member.term_start.back() == n_terms,
                        "terms of the linear models");
                for (std::size_t k = 0; k < n_terms; ++k)
                    member.terms.push_back({static_cast<std::uint32_t>(column.data()[k]),
                                            static_cast<std::uint32_t>(number.data()[k]),
                                            coefficient.data()[k], fill.data()[k]});
                for (std::size_t i = 0; i < n_nodes; ++i)
                    member.limits.push_back({limits.data()[2 * i], limits.data()[2 * i + 1]});
                self.add(std::move(member));
            },
            nb::arg("plan"), nb::arg("value"), nb::arg("start"), nb::arg("column"),
            nb::arg("number"), nb::arg("coefficient"), nb::arg("fill"), nb::arg("limits"),
            nb::keep_alive<1, 2>(),
            nb::sig("def add_linear(self, plan: Plan, value: NDArray[numpy.float64], "
                    "start: NDArray[numpy.int64], column: NDArray[numpy.int32], "
                    "number: NDArray[numpy.int32], coefficient: NDArray[numpy.float64], "
                    "fill: NDArray[numpy.float64], limits: NDArray[numpy.float64]) -> None"))
        .def(
            "dependence",
            [](const PlanTrees& self, const BoundColumns& rows,
               const std::optional<Flat<double>>& weight,
               std::vector<std::vector<std::uint32_t>> columns, const nb::list& points, bool by_row,
               std::size_t n_threads) {
                return dependence_of(self, rows, weight, std::move(columns), points, by_row,
                                     n_threads);
            },
            nb::arg("rows"), nb::arg("weight").none(), nb::arg("columns"), nb::arg("points"),
            nb::arg("by_row"), nb::arg("n_threads"), nb::sig(kDependenceSignature))
        .def(
            "shap",
            [](const PlanTrees& self, const BoundColumns& columns, Flat<double> numbers,
               std::size_t n_threads, bool interactions, const BoundColumns* background,
               const std::optional<Flat<double>>& background_numbers,
               const std::optional<Flat<double>>& pair_weight) {
                return shap_of(self, {columns, numbers}, n_threads, interactions,
                               {background, background_numbers, pair_weight});
            },
            nb::arg("columns"), nb::arg("numbers"), nb::arg("n_threads"),
            nb::arg("interactions") = false, nb::arg("background").none() = nb::none(),
            nb::arg("background_numbers") = nb::none(), nb::arg("pair_weight") = nb::none(),
            nb::sig("def shap(self, columns: Columns, numbers: NDArray[numpy.float64], "
                    "n_threads: int, interactions: bool = False, "
                    "background: Columns | None = None, "
                    "background_numbers: NDArray[numpy.float64] | None = None, "
                    "pair_weight: NDArray[numpy.float64] | None = None) -> "
                    "tuple[NDArray[numpy.float64], NDArray[numpy.float64], int, int]"));
}
