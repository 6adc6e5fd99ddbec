#include "treewright/prune/error_based.hpp"

#include <concepts>
#include <numeric>

#include "bindings.hpp"
#include "treewright/base/error.hpp"
#include "treewright/criteria/registry.hpp"
#include "treewright/prune/regrow.hpp"

using namespace treewright;

void bind_prune(nb::module_& module) {
    nb::class_<ErrorPruning>(module, "ErrorPruning", "Settings of error-based pruning.")
        .def(nb::init<>())
        .def_rw("raising", &ErrorPruning::raising)
        .def_rw("slack", &ErrorPruning::slack)
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
            "added_errors",
            [](const ErrorPruning& self, double n, double e) { return self.added(n, e); },
            nb::arg("n"), nb::arg("e"));
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
        "prune_by_error",
        [](const BoundColumns& columns, const BoundTarget& target, const nb::dict& arrays,
           const Plan& plan, const ErrorPruning& options, const GrowOptions* regrow,
           bool collapse) {
            const Dataset data = dataset_of(columns, target);
            const Tree tree = tree_of(arrays);
            Progress progress = make_progress(std::nullopt);
            Pruned pruned;
            {
                const nb::gil_scoped_release release;
                std::optional<Regrower> regrower;
                if (regrow != nullptr) regrower.emplace(data, *regrow, collapse);
                pruned = prune_by_error(data, tree, plan, options, regrower ? &*regrower : nullptr,
                                        progress);
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
                               {step.subtree, step.leaf, step.branch, step.before.leaves,
                                step.before.wrong, step.after.leaves, step.after.wrong});
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
            out["step_figures"] = to_numpy(std::move(figures), {n_steps, 7});
            out["origin"] = to_numpy(std::move(pruned.origin));
            out["regrown"] = arrays_of(std::move(pruned.regrown));
            return out;
        },
        nb::arg("columns"), nb::arg("target"), nb::arg("arrays"), nb::arg("plan"),
        nb::arg("options"), nb::arg("regrow").none(), nb::arg("collapse"),
        nb::sig("def prune_by_error(columns: Columns, target: Target, arrays: dict[str, object], "
                "plan: Plan, options: ErrorPruning, regrow: GrowOptions | None, collapse: bool) "
                "-> dict[str, object]"));
}
