#include <nanobind/stl/function.h>

#include "bindings.hpp"
#include "treewright/base/error.hpp"
#include "treewright/criteria/registry.hpp"
#include "treewright/forest/single_tree.hpp"
#include "treewright/grow/engines.hpp"
#include "treewright/grow/grower.hpp"
#include "treewright/grow/question.hpp"
#include "treewright/missing/registry.hpp"
#include "treewright/split/selection.hpp"
#include "treewright/tree/question.hpp"

using namespace treewright;
using namespace treewright::data;
using namespace treewright::criteria;
using namespace treewright::tree;
using namespace treewright::split;
using namespace treewright::missing;
using namespace treewright::grow;

void require_sound(const GrowOptions& options, const Dataset& data) {
    const std::size_t n_columns = data.columns.size();
    const auto are_there = [&](const std::vector<std::uint32_t>& columns) {
        return std::all_of(columns.begin(), columns.end(),
                           [&](std::uint32_t column) { return column < n_columns; });
    };
    require(are_there(options.columns) && are_there(options.oblique.columns), "columns there are");
    require(options.monotonic.empty() || options.monotonic.size() == n_columns,
            "a direction for every column");
    require(options.costs.empty() || options.costs.size() == n_columns, "a cost for every column");
}

Progress make_progress(const std::optional<nb::callable>& report) {
    return Progress([report](std::uint64_t done) {
        const nb::gil_scoped_acquire acquire;
        if (PyErr_CheckSignals() != 0) throw nb::python_error();  // whatever the handler raised
        // Signals are the main thread's. Another thread is stopped by an exception set for it,
        // which Python raises when it next runs an instruction there: this one.
        const nb::dict scope;
        if (!nb::steal(PyRun_String("0", Py_eval_input, scope.ptr(), scope.ptr())))
            throw nb::python_error();
        if (report) (*report)(done);
    });
}

namespace {

/// Named settings from Python; a name the core does not know is a broken contract.
template <class Enum>
Enum named(const std::string& name, std::initializer_list<std::pair<const char*, Enum>> names) {
    for (const auto& [known, value] : names)
        if (name == known) return value;
    throw InvariantError("unknown option: " + name);
}

template <class T>
std::vector<T> copied(const Flat<T>& array) {
    return std::vector<T>(array.data(), array.data() + array.size());
}

/// The cuts between the bins of a column, as `cut` and `cut_int` of a tree have them.
nb::tuple bin_cuts(const BoundColumns& columns, std::size_t index,
                   std::optional<Flat<double>> copies, std::uint32_t n_bins) {
    require(index < columns.rows.columns.size() && n_bins > 0, "a column and its bins");
    const Column& column = columns.rows.columns[index];
    std::vector<double> counts = copies ? copied(*copies) : std::vector<double>{};
    require(counts.empty() || counts.size() == columns.rows.n_rows, "copies for every row");
    Cuts cuts;
    Progress progress = make_progress(std::nullopt);
    {
        const nb::gil_scoped_release release;
        std::vector<std::uint32_t> rows;
        for (std::size_t row = 0; row < columns.rows.n_rows; ++row)
            if (counts.empty() || counts[row] > 0.0)
                rows.push_back(static_cast<std::uint32_t>(row));
        OrderScratch scratch;
        Order order = order_of(column, rows, scratch, progress);
        const Bins bins = bin_by_rank(order, counts, n_bins);
        for (std::size_t bin = 0; bin + 1 < bins.last_row.size(); ++bin) {
            cuts.real.emplace_back();
            cuts.whole.emplace_back();
            place_between(column, {bins.last_row[bin], bins.first_row[bin + 1]}, GrowOptions{},
                          cuts.real.back(), cuts.whole.back());
        }
    }
    return nb::make_tuple(to_numpy(std::move(cuts.real)), to_numpy(std::move(cuts.whole)));
}

const char* name_of(Guard guard) {
    switch (guard) {
        case Guard::none: return "none";
        case Guard::constant: return "constant";
        case Guard::limits: return "limits";
        case Guard::no_gain: return "no_gain";
        case Guard::average_gain: return "average_gain";
        case Guard::many_values: return "many_values";
        case Guard::few_columns: return "few_columns";
        case Guard::few_rows: return "few_rows";
        case Guard::one_column: return "one_column";
        case Guard::no_cut: return "no_cut";
        case Guard::insignificant: return "insignificant";
    }
    return "none";
}

nb::dict dict_of(const Inspection& seen) {
    nb::dict out;
    out["rows"] = to_numpy(std::vector<std::uint32_t>(seen.rows));
    out["weight"] = to_numpy(std::vector<double>(seen.weight));
    out["chosen"] = seen.chosen;
    nb::list candidates;
    for (const InspectedCandidate& each : seen.candidates) {
        const Candidate& c = each.candidate;
        nb::dict item;
        item["column"] = c.column;
        item["kind"] = static_cast<int>(c.question);
        item["guard"] = name_of(c.guard);
        item["gain"] = c.gain;
        item["score"] = c.score;
        item["split_information"] = c.split_information;
        item["rest_branch"] = c.has_rest ? 1 : -1;
        item["n_cuts"] = c.n_cuts;
        item["n_branches"] = c.n_branches;
        item["missing_branch"] = c.missing_branch;
        item["threshold"] = each.threshold;
        item["threshold_int"] = each.threshold_int;
        item["code"] = to_numpy(std::vector<std::int32_t>(each.branches.code));
        item["branch_of_code"] = to_numpy(std::vector<std::int32_t>(each.branches.branch));
        item["term_column"] = to_numpy(std::vector<std::int32_t>(c.terms.column));
        item["term_coefficient"] = to_numpy(std::vector<double>(c.terms.coefficient));
        item["cut"] = to_numpy(std::vector<double>(each.cuts.real));
        item["cut_int"] = to_numpy(std::vector<std::int64_t>(each.cuts.whole));
        item["log_p"] = c.log_p;
        item["log_adjusted_p"] = c.log_adjusted_p;
        candidates.append(item);
    }
    out["candidates"] = candidates;
    return out;
}

}  // namespace

void bind_grow(nb::module_& module) {
    module.attr("FEW_VALUES") = treewright::split::kFewValues;
    nb::class_<Merging>(module, "Merging", "CHAID's way of merging values.")
        .def(nb::init<>())
        .def_rw("is_on", &Merging::is_on)
        .def_rw("alpha_merge", &Merging::alpha_merge)
        .def_rw("alpha_split", &Merging::alpha_split)
        .def_rw("alpha_resplit", &Merging::alpha_resplit)
        .def_rw("exhaustive", &Merging::exhaustive)
        .def_rw("floats_last", &Merging::floats_last)
        .def_rw("adjusts", &Merging::adjusts);

    nb::class_<GrowOptions>(module, "GrowOptions", "Every knob of one tree.")
        .def(nb::init<>())
        .def_rw("criterion", &GrowOptions::criterion)
        .def_rw("class_boundaries", &GrowOptions::class_boundaries)
        .def_rw("empty_branches", &GrowOptions::empty_branches)
        .def_rw("strict_gain", &GrowOptions::strict_gain)
        .def_rw("guard_many_values", &GrowOptions::guard_many_values)
        .def_rw("idle_values", &GrowOptions::idle_values)
        .def_rw("mdl_penalty", &GrowOptions::mdl_penalty)
        .def_rw("c45_sides", &GrowOptions::c45_sides)
        .def_rw("declared_classes", &GrowOptions::declared_classes)
        .def_rw("min_gap", &GrowOptions::min_gap)
        .def_rw("penalty_by_interval", &GrowOptions::penalty_by_interval)
        .def_rw("min_information", &GrowOptions::min_information)
        .def_rw("as_rpart", &GrowOptions::as_rpart)
        .def_rw("single_precision", &GrowOptions::single_precision)
        .def_rw("two_branches_suffice", &GrowOptions::two_branches_suffice)
        .def_rw("pure_share", &GrowOptions::pure_share)
        .def_rw("max_depth", &GrowOptions::max_depth)
        .def_rw("max_leaf_nodes", &GrowOptions::max_leaf_nodes)
        .def_rw("most_nodes", &GrowOptions::most_nodes)
        .def_rw("min_split", &GrowOptions::min_split)
        .def_rw("min_leaf", &GrowOptions::min_leaf)
        .def_rw("min_leaf_weight", &GrowOptions::min_leaf_weight)
        .def_rw("min_branch_share", &GrowOptions::min_branch_share)
        .def_rw("min_impurity", &GrowOptions::min_impurity)
        .def_rw("min_gain", &GrowOptions::min_gain)
        .def_rw("max_p_value", &GrowOptions::max_p_value)
        .def_rw("max_columns", &GrowOptions::max_columns)
        .def_rw("columns", &GrowOptions::columns)
        .def_rw("random_ties", &GrowOptions::random_ties)
        .def_rw("costs", &GrowOptions::costs)
        .def_rw("cost_exponent", &GrowOptions::cost_exponent)
        .def_rw("monotonic", &GrowOptions::monotonic)
        .def_rw("max_surrogates", &GrowOptions::max_surrogates)
        .def_rw("merging", &GrowOptions::merging)
        .def_rw("cal5_threshold", &GrowOptions::cal5_threshold)
        .def_rw("cal5_alpha", &GrowOptions::cal5_alpha)
        .def_rw("evidence", &GrowOptions::evidence)
        .def_prop_rw(
            "n_bins", [](const GrowOptions& self) { return self.block.n_bins; },
            [](GrowOptions& self, std::uint32_t n_bins) { self.block.n_bins = n_bins; })
        .def_rw("seed", &GrowOptions::seed)
        .def_rw("tree", &GrowOptions::tree)
        .def_rw("n_threads", &GrowOptions::n_threads)
        .def_rw("fuse", &GrowOptions::fuse)
        .def("set_splitter",
             [](GrowOptions& self, const std::string& name) {
                 self.splitter = named<Splitter>(
                     name, {{"best", Splitter::best}, {"random", Splitter::random}});
             })
        .def("set_nominal",
             [](GrowOptions& self, const std::string& name) {
                 self.nominal = named<Nominal>(name, {{"multiway", Nominal::multiway},
                                                      {"subset", Nominal::subset},
                                                      {"one_vs_rest", Nominal::one_vs_rest},
                                                      {"groups", Nominal::groups}});
             })
        .def("set_numeric",
             [](GrowOptions& self, const std::string& name) {
                 self.numeric = named<Numeric>(name, {{"threshold", Numeric::threshold},
                                                      {"mdlp", Numeric::mdlp},
                                                      {"cal5", Numeric::cal5}});
             })
        .def("set_missing",
             [](GrowOptions& self, const std::string& name) { self.missing = policy_named(name); })
        .def("set_threshold_at",
             [](GrowOptions& self, const std::string& name) {
                 self.threshold_at =
                     named<ThresholdAt>(name, {{"midpoint", ThresholdAt::midpoint},
                                               {"observed", ThresholdAt::observed},
                                               {"training", ThresholdAt::training}});
             })
        .def("set_selection",
             [](GrowOptions& self, const std::string& name) {
                 self.selection = named<Selection>(
                     name, {{"gain", Selection::gain},
                            {"gain_ratio", Selection::gain_ratio},
                            {"guarded_gain_ratio", Selection::guarded_gain_ratio},
                            {"c5_gain_ratio", Selection::c5_gain_ratio},
                            {"guarded_c5_gain_ratio", Selection::guarded_c5_gain_ratio}});
             })
        .def("set_cost_rule",
             [](GrowOptions& self, const std::string& name) {
                 self.cost_rule = named<CostRule>(name, {{"none", CostRule::none},
                                                         {"tan_schlimmer", CostRule::tan_schlimmer},
                                                         {"nunez", CostRule::nunez},
                                                         {"rpart", CostRule::rpart}});
             })
        .def(
            "set_oblique",
            [](GrowOptions& self, const std::string& search, std::vector<std::uint32_t> columns,
               std::size_t n_restarts, std::size_t n_jumps, std::size_t n_projections) {
                self.oblique.search = named<ObliqueSearch>(
                    search, {{"none", ObliqueSearch::none},
                             {"oc1", ObliqueSearch::oc1},
                             {"hhcart", ObliqueSearch::hhcart},
                             {"hhcart_dominant", ObliqueSearch::hhcart_dominant},
                             {"cart_lc", ObliqueSearch::cart_lc},
                             {"random_projections", ObliqueSearch::random_projections}});
                self.oblique.columns = std::move(columns);
                self.oblique.n_restarts = n_restarts;
                self.oblique.n_jumps = n_jumps;
                self.oblique.n_projections = n_projections;
            },
            nb::arg("search"), nb::arg("columns"), nb::arg("n_restarts"), nb::arg("n_jumps"),
            nb::arg("n_projections"))
        .def(
            "set_tally",
            [](GrowOptions& self, const std::string& way, std::size_t min_code_width, bool wide) {
                self.block.wide = wide;
                self.block.min_code_width = min_code_width;
                self.block.holding = way == "lists" ? Holding::lists : Holding::codes;
                self.tally = named<TallyWay>(way, {{"lists", TallyWay::automatic},
                                                   {"codes", TallyWay::automatic},
                                                   {"counting", TallyWay::counting},
                                                   {"sorting", TallyWay::sorting}});
            },
            nb::arg("way"), nb::arg("min_code_width"), nb::arg("wide"));

    module.def(
        "missing_policies",
        [] {
            nb::list all;
            for (const missing::Traits& traits : missing::all_traits()) {
                nb::dict one;
                one["name"] = std::string(traits.name);
                one["divides"] = traits.divides;
                one["is_judged"] = traits.is_judged;
                one["tries_sides"] = traits.tries_sides;
                one["has_own_branch"] = traits.has_own_branch;
                one["fills"] = traits.fills;
                one["fills_by_class"] = traits.fills_by_class;
                one["uses_surrogates"] = traits.uses_surrogates;
                all.append(one);
            }
            return all;
        },
        nb::sig("def missing_policies() -> list[dict[str, typing.Any]]"));

    module.def(
        "criteria",
        [] {
            nb::list all;
            for (const criteria::Traits& traits : criteria::all_traits()) {
                nb::dict one;
                one["name"] = std::string(traits.name);
                one["task"] = traits.task == criteria::Task::classes ? "classes" : "numbers";
                one["impurity"] = std::string(traits.impurity);
                one["score"] = std::string(traits.score);
                one["power_of_unit"] = traits.power_of_unit;
                one["power_of_variance"] = traits.power_of_variance;
                one["is_bounded"] = traits.is_bounded;
                one["is_in_bits"] = traits.is_in_bits;
                one["sums_over_rows"] = traits.sums_over_rows;
                one["is_binary"] = traits.is_binary;
                one["is_additive"] = traits.is_additive;
                one["is_deviance"] = traits.is_deviance;
                one["needs_order"] = traits.needs_order;
                one["is_fused"] = traits.is_fused;
                one["grows_on_rows"] = traits.grows_on_rows;
                one["judges_stumps"] = traits.judges_stumps;
                one["compares_last_bits"] = traits.compares_last_bits;
                one["is_offered"] = traits.is_offered;
                all.append(one);
            }
            return all;
        },
        nb::sig("def criteria() -> list[dict[str, typing.Any]]"));

    module.def(
        "grow",
        [](const BoundColumns& columns, const BoundTarget& target, const GrowOptions& options,
           std::optional<nb::callable> report, const std::optional<std::string>& engine) {
            const Dataset data = dataset_of(columns, target);
            require_sound(options, data);
            std::optional<Engine> asked;
            if (engine)
                asked = named<Engine>(
                    *engine, {{"general", Engine::general}, {"best_cuts", Engine::best_cuts}});
            require(!asked || *asked == Engine::general || engine_of_tree(options, data) == *asked,
                    "an engine that serves options and data");
            Progress progress = make_progress(report);
            forest::SingleTree grown;
            {
                const nb::gil_scoped_release release;
                grown = forest::grow_single(data, options, progress, asked);
            }
            const std::string name(treewright::grow::name_of(grown.engine));
            return nb::make_tuple(dict_of(std::move(grown.arrays), grown.width), name);
        },
        nb::arg("columns"), nb::arg("target"), nb::arg("options"), nb::arg("report").none(),
        nb::arg("engine") = nb::none(),
        nb::sig("def grow(columns: Columns, target: Target, options: GrowOptions, report: "
                "object | None, engine: str | None = None) -> tuple[dict[str, object], str]"));

    module.def("bin_cuts", &bin_cuts, nb::arg("columns"), nb::arg("column"),
               nb::arg("copies").none(), nb::arg("n_bins"),
               nb::sig("def bin_cuts(columns: Columns, column: int, copies: "
                       "NDArray[numpy.float64] | None, n_bins: int) -> "
                       "tuple[NDArray[numpy.float64], NDArray[numpy.int64]]"));

    module.def(
        "inspect",
        [](const BoundColumns& columns, const BoundTarget& target, const GrowOptions& options,
           const std::vector<std::uint32_t>& path) {
            const Dataset data = dataset_of(columns, target);
            require_sound(options, data);
            Progress progress = make_progress(std::nullopt);
            Inspection seen;
            {
                const nb::gil_scoped_release release;
                seen = inspect(data, options, path, progress);
            }
            return dict_of(seen);
        },
        nb::arg("columns"), nb::arg("target"), nb::arg("options"), nb::arg("path"),
        nb::sig("def inspect(columns: Columns, target: Target, options: GrowOptions, path: "
                "list[int]) -> dict[str, object]"));
}
