#include "treewright/prune/error_based.hpp"

#include <concepts>
#include <numeric>

#include "bindings.hpp"
#include "treewright/base/error.hpp"
#include "treewright/criteria/registry.hpp"
#include "treewright/prune/bottom_up.hpp"
#include "treewright/prune/regrow.hpp"

using namespace treewright;
using namespace treewright::data;
using namespace treewright::criteria;
using namespace treewright::tree;
using namespace treewright::grow;
using namespace treewright::prune;

void bind_prune(nb::module_& module) {
    nb::class_<ErrorPruning>(module, "ErrorPruning", "Settings of error-based pruning.")
        .def(nb::init<>())
        .def_rw("raising", &ErrorPruning::raising)
        .def_rw("slack", &ErrorPruning::slack)
        .def_rw("n_threads", &ErrorPruning::n_threads)
        .def_rw("joint_below", &ErrorPruning::joint_below)
        .def_rw("least_branch", &ErrorPruning::least_branch)
        .def_prop_rw(
            "log_confidence", [](const ErrorPruning& self) { return self.added.log_confidence; },
            [](ErrorPruning& self, double value) { self.added.log_confidence = value; })
        .def_prop_rw(
            "deviate_squared", [](const ErrorPruning& self) { return self.added.deviate_squared; },
            [](ErrorPruning& self, double value) { self.added.deviate_squared = value; })
        .def(
            "set_variant",
            [](ErrorPruning& self, const std::string& name, bool nothing) {
                const bool is_j48 = name == "j48";
                self.added.share_above = is_j48 ? 1.0 : 0.67;
                if (is_j48) self.added.least_right = 0.0;
                self.added.no_error = is_j48 ? 0.0 : 1e-6;
                self.added.one_error = is_j48 ? 1.0 : 0.9999;
                self.added.interpolate_above = name == "c5" ? 1.0 : 0.0;
                self.added.nothing = nothing;
                self.empty_leaves_keep_class = name == "release8";
                self.choosy = name == "c5";
            },
            nb::arg("name"), nb::arg("nothing"))
        .def(
            "set_prices",
            [](ErrorPruning& self, const Flat<double>& cost, const Flat<double>& price,
               const Flat<double>& added) {
                const auto copied = [](const Flat<double>& array) {
                    return std::vector<double>(array.data(), array.data() + array.size());
                };
                self.prices = {copied(cost), copied(price), copied(added)};
            },
            nb::arg("cost"), nb::arg("price"), nb::arg("added"),
            nb::sig("def set_prices(self, cost: NDArray[numpy.float64], price: "
                    "NDArray[numpy.float64], added: NDArray[numpy.float64]) -> None"))
        .def(
            "added_errors",
            [](const ErrorPruning& self, double n, double e) { return self.added(n, e); },
            nb::arg("n"), nb::arg("e"))
        .def(
            "errors_at_least",
            [](const ErrorPruning& self, double n, double e) { return self.added.at_least(n, e); },
            nb::arg("n"), nb::arg("e"));
    nb::class_<Regrower::How>(module, "Regrowing", "How branches are grown again.")
        .def(
            "__init__",
            [](Regrower::How* self, const GrowOptions& options, bool collapses,
               std::vector<double> class_factor, bool unseen_to_heaviest) {
                new (self)
                    Regrower::How{options, collapses, std::move(class_factor), unseen_to_heaviest};
            },
            nb::arg("options"), nb::arg("collapses"), nb::arg("class_factor"),
            nb::arg("unseen_to_heaviest"));
    module.def(
        "impurities",
        [](const std::string& criterion,
           const nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>& counts) {
            const std::size_t n_classes = counts.shape(1);
            Target target;
            target.n_classes = {static_cast<std::uint32_t>(n_classes)};
            std::vector<double> impurity(counts.shape(0));
            const auto measure = [&]<class C>() {
                if constexpr (std::derived_from<C, ClassSums>) {
                    const C measured(target);
                    std::vector<double> sums(kStatistics + n_classes);
                    for (std::size_t node = 0; node < impurity.size(); ++node) {
                        const double* line = counts.data() + node * n_classes;
                        std::copy(line, line + n_classes, sums.begin() + kStatistics);
                        sums[kWeight] = std::accumulate(line, line + n_classes, 0.0);
                        impurity[node] = measured.impurity(sums.data());
                    }
                }
            };
            require(with_criterion(criterion, measure), "unknown criterion");
            return to_numpy(std::move(impurity));
        },
        nb::arg("criterion"), nb::arg("counts"),
        nb::sig("def impurities(criterion: str, counts: NDArray[numpy.float64]) -> "
                "NDArray[numpy.float64]"));
    module.def(
        "sums_below",
        [](nb::handle arrays, const Flat<double>& values, const std::optional<Flat<bool>>& stops) {
            const TreeView tree = checked(arrays);
            const std::size_t n = tree.n_nodes();
            require(values.size() == n && (!stops || stops->size() == n),
                    "one value for every node");
            return to_numpy(sums_below(tree.parent, span_of(values), span_of(stops)));
        },
        nb::arg("arrays"), nb::arg("values"), nb::arg("stops").none(),
        nb::sig("def sums_below(arrays: object, values: NDArray[numpy.float64], "
                "stops: NDArray[numpy.bool_] | None) -> NDArray[numpy.float64]"));
    module.def(
        "cut_from_below",
        [](nb::handle arrays, const Flat<double>& figure,
           const std::optional<Flat<double>>& questions, const Flat<double>& bound, double slack,
           bool only_leaf_parents) {
            const TreeView tree = checked(arrays);
            const std::size_t n = figure.size();
            require(
                tree.n_nodes() == n && bound.size() == n && (!questions || questions->size() == n),
                "one value for every node");
            CutNodes cut = cut_from_below({tree.first_child,
                                           tree.n_branches,
                                           {figure.data(), n},
                                           span_of(questions),
                                           {bound.data(), n},
                                           slack,
                                           only_leaf_parents});
            return nb::make_tuple(to_numpy(std::move(cut.node)), to_numpy(std::move(cut.subtree)));
        },
        nb::arg("arrays"), nb::arg("figure"), nb::arg("questions").none(), nb::arg("bound"),
        nb::arg("slack"), nb::arg("only_leaf_parents"),
        nb::sig("def cut_from_below(arrays: object, figure: NDArray[numpy.float64], questions: "
                "NDArray[numpy.float64] | None, bound: NDArray[numpy.float64], slack: float, "
                "only_leaf_parents: bool) -> tuple[NDArray[numpy.int64], NDArray[numpy.float64]]"));
    module.def(
        "weakest_links",
        [](nb::handle arrays, const Flat<double>& risk) {
            const TreeView tree = checked(arrays);
            require(tree.n_nodes() == risk.size(), "one value for every node");
            return to_numpy(weakest_links(tree.first_child, tree.n_branches, span_of(risk)));
        },
        nb::arg("arrays"), nb::arg("risk"),
        nb::sig("def weakest_links(arrays: object, risk: NDArray[numpy.float64]) -> "
                "NDArray[numpy.float64]"));
    module.def(
        "prune_by_error",
        [](const BoundColumns& columns, const BoundTarget& target, const nb::list& followers,
           nb::handle arrays, const ErrorPruning& options, const Regrower::How* regrow) {
            const Dataset data = dataset_of(columns, target);
            std::vector<Dataset> sets;
            for (const nb::handle each : followers) {
                const auto pair = nb::cast<nb::tuple>(each);
                sets.push_back(dataset_of(nb::cast<const BoundColumns&>(pair[0]),
                                          nb::cast<const BoundTarget&>(pair[1])));
            }
            Progress progress = make_progress(std::nullopt);
            const TreeView view = checked(arrays);
            const Tree tree = assembled(view, progress);
            const std::size_t n_classes = data.target.width();
            require(data.target.is_classification() && tree.width == n_classes,
                    "a weight for every class");
            Pruned pruned;
            {
                const nb::gil_scoped_release release;
                const Plan plan(view, 1, progress);
                plan.require_columns({data.n_rows, data.columns});
                for (const Dataset& each : sets) plan.require_columns({each.n_rows, each.columns});
                std::optional<Regrower> regrower;
                if (regrow != nullptr) regrower.emplace(data, *regrow);
                pruned = prune_by_error(data, sets, tree, plan, options,
                                        regrower ? &*regrower : nullptr, progress);
            }
            nb::dict out;
            const std::size_t n_nodes = pruned.source.size();
            const std::size_t width = pruned.value.size() / n_nodes;
            std::vector<std::int32_t> node;
            std::vector<std::uint8_t> raised;
            std::vector<double> figures;
            for (const Pruned::Step& step : pruned.steps) {
                node.push_back(step.node);
                raised.push_back(step.raised ? 1 : 0);
                figures.insert(figures.end(),
                               {step.before, step.after, step.change.leaves, step.change.wrong});
            }
            const std::size_t n_steps = node.size();
            out["source"] = to_numpy(std::move(pruned.source));
            out["first_child"] = to_numpy(std::move(pruned.first_child));
            out["n_branches"] = to_numpy(std::move(pruned.n_branches));
            out["parent"] = to_numpy(std::move(pruned.parent));
            out["n_rows"] = to_numpy(std::move(pruned.n_rows));
            out["value"] = to_numpy(std::move(pruned.value), {n_nodes, width});
            out["step_node"] = to_numpy(std::move(node));
            out["step_raised"] = to_numpy(std::move(raised));
            out["step_figures"] = to_numpy(std::move(figures), {n_steps, 4});
            out["followed"] = to_numpy(std::move(pruned.followed), {n_steps, sets.size()});
            out["errors_left"] = to_numpy(std::move(pruned.errors_left));
            out["n_sent"] = pruned.n_sent;
            out["origin"] = to_numpy(std::move(pruned.origin));
            out["regrown"] = arrays_of(std::move(pruned.regrown), progress);
            return out;
        },
        nb::arg("columns"), nb::arg("target"), nb::arg("followers"), nb::arg("arrays"),
        nb::arg("options"), nb::arg("regrow").none(),
        nb::sig("def prune_by_error(columns: Columns, target: Target, followers: "
                "list[tuple[Columns, Target]], arrays: object, options: ErrorPruning, "
                "regrow: Regrowing | None) -> dict[str, object]"));
}
