// Long because a booster, the rows it is judged by and the model it makes are bound together.

#include <chrono>
#include <cstring>
#include <iterator>

#include "bindings.hpp"
#include "treewright/base/error.hpp"
#include "treewright/boosting/booster.hpp"
#include "treewright/boosting/coding/bins.hpp"
#include "treewright/boosting/ensemble.hpp"
#include "treewright/boosting/row_sampling.hpp"
#include "treewright/boosting/shap.hpp"

using namespace treewright;
using namespace treewright::data;
using namespace treewright::boosting;
using namespace std::string_literals;

namespace {

/// A booster with the columns it was started from.
struct BoundBooster {
    std::unique_ptr<Booster> core;
    BoundColumns columns;
};

struct BoundCodedRows {
    CodedRows coded;
    BoundColumns columns;
};

/// A booster with rows to judge it by; Python keeps both alive.
struct BoundJudged {
    BoostGrowth growth;
    std::unique_ptr<JudgedBooster> core;
};

/// Numbers of each look as an array, looks x rows x outputs.
nb::object stacked(const std::vector<std::vector<double>>& looks, std::size_t width) {
    std::vector<double> all;
    for (const auto& own : looks) all.insert(all.end(), own.begin(), own.end());
    const std::size_t n_each = looks.empty() ? 0 : looks[0].size();
    return to_numpy(std::move(all), {looks.size(), n_each / width, width});
}

std::vector<double> to_vector(const Flat<double>& given) {
    return {given.data(), given.data() + given.size()};
}

void add_lines(const BoostTree& tree, nb::dict& out) {
    std::vector<std::uint32_t> column;
    std::vector<double> coefficient;
    std::vector<double> center;
    for (const LineTerm& term : tree.line_terms) {
        column.push_back(term.column);
        coefficient.push_back(term.coefficient);
        center.push_back(term.center);
    }
    out["line_start"] = to_numpy(std::vector<std::uint32_t>(tree.line_start));
    out["line_column"] = to_numpy(std::move(column));
    out["line_coefficient"] = to_numpy(std::move(coefficient));
    out["line_center"] = to_numpy(std::move(center));
    std::vector<double> limits;
    for (const Limits& own : tree.line_limits) limits.insert(limits.end(), {own.low, own.high});
    out["line_limits"] = to_numpy(std::move(limits), {tree.line_limits.size(), 2});
}

nb::dict tree_arrays(const BoostTree& tree) {
    const std::size_t n = tree.nodes.size();
    std::vector<std::int32_t> first_child(n);
    std::vector<std::int32_t> column(n);
    std::vector<std::int32_t> cut(n);
    std::vector<std::int32_t> subset(n);
    std::vector<std::uint8_t> missing_first(n);
    std::vector<std::uint32_t> n_rows(n);
    std::vector<double> weight(n);
    std::vector<double> gain(n);
    std::vector<double> value(n);
    for (std::size_t i = 0; i < n; ++i) {
        const BoostNode& node = tree.nodes[i];
        first_child[i] = node.first_child;
        column[i] = static_cast<std::int32_t>(node.column);
        cut[i] = static_cast<std::int32_t>(node.cut);
        subset[i] = node.subset;
        missing_first[i] = node.missing_first ? 1 : 0;
        n_rows[i] = node.n_rows;
        weight[i] = node.weight;
        gain[i] = node.gain;
        value[i] = node.value;
    }
    nb::dict out;
    out["first_child"] = to_numpy(std::move(first_child));
    out["column"] = to_numpy(std::move(column));
    out["cut"] = to_numpy(std::move(cut));
    out["subset"] = to_numpy(std::move(subset));
    out["missing_first"] = to_numpy(std::move(missing_first));
    out["n_rows"] = to_numpy(std::move(n_rows));
    out["weight"] = to_numpy(std::move(weight));
    out["gain"] = to_numpy(std::move(gain));
    out["value"] = to_numpy(std::move(value));
    out["subset_bits"] = to_numpy(std::vector<std::uint64_t>(tree.subsets));
    if (tree.has_lines()) add_lines(tree, out);
    return out;
}

/// Lines are written only where there are any.
bool read_lines(const nb::dict& arrays, BoostTree& tree) {
    if (!arrays.contains("line_start")) return true;
    const auto start = nb::cast<Flat<std::uint32_t>>(arrays["line_start"]);
    const auto column = nb::cast<Flat<std::uint32_t>>(arrays["line_column"]);
    const auto coefficient = nb::cast<Flat<double>>(arrays["line_coefficient"]);
    const auto center = nb::cast<Flat<double>>(arrays["line_center"]);
    const auto limits = nb::cast<Flat<double>>(arrays["line_limits"]);
    if (coefficient.size() != column.size() || center.size() != column.size() ||
        limits.size() % 2 != 0)
        return false;
    for (std::size_t i = 0; i < limits.size(); i += 2)
        tree.line_limits.push_back({limits.data()[i], limits.data()[i + 1]});
    tree.line_start.assign(start.data(), start.data() + start.size());
    for (std::size_t i = 0; i < column.size(); ++i)
        tree.line_terms.push_back({column.data()[i], coefficient.data()[i], center.data()[i]});
    return true;
}

bool read_tree(const nb::dict& arrays, BoostTree& tree) {
    const auto get = [&]<class T>(const char* name) { return nb::cast<Flat<T>>(arrays[name]); };
    const auto first_child = get.operator()<std::int32_t>("first_child");
    const auto column = get.operator()<std::int32_t>("column");
    const auto cut = get.operator()<std::int32_t>("cut");
    const auto subset = get.operator()<std::int32_t>("subset");
    const auto missing_first = get.operator()<std::uint8_t>("missing_first");
    const auto n_rows = get.operator()<std::uint32_t>("n_rows");
    const auto weight = get.operator()<double>("weight");
    const auto gain = get.operator()<double>("gain");
    const auto value = get.operator()<double>("value");
    const auto bits = get.operator()<std::uint64_t>("subset_bits");
    const std::size_t n = first_child.size();
    for (const std::size_t size : {column.size(), cut.size(), subset.size(), missing_first.size(),
                                   n_rows.size(), weight.size(), gain.size(), value.size()})
        if (size != n) return false;
    for (std::size_t i = 0; i < n; ++i)
        tree.nodes.push_back({first_child.data()[i], static_cast<std::uint32_t>(column.data()[i]),
                              static_cast<std::uint32_t>(cut.data()[i]), subset.data()[i],
                              missing_first.data()[i] != 0, n_rows.data()[i], weight.data()[i],
                              gain.data()[i], value.data()[i]});
    tree.subsets.assign(bits.data(), bits.data() + bits.size());
    return read_lines(arrays, tree);
}

/// Adds trees to the scores of rows, coded or not, from where they start: by row, or the same for
/// all.
template <class Given>
nb::object add_scores(const BoostForest& forest, const Given& rows, std::size_t n_rows,
                      std::size_t first, std::size_t last, const Flat<double>& start,
                      std::size_t n_threads) {
    require(first <= last && last <= forest.trees.size(), "trees there are");
    const std::size_t n = n_rows * forest.n_outputs;
    std::vector<double> scores(n);
    require(start.size() == forest.n_outputs || start.size() == n, "where the scores start");
    for (std::size_t i = 0; i < n; ++i)
        scores[i] = start.data()[start.size() == n ? i : i % forest.n_outputs];
    Progress progress = make_progress({});
    {
        const nb::gil_scoped_release release;
        forest.add_scores(rows, first, last, n_threads, progress, scores);
    }
    return to_numpy(std::move(scores), {n_rows, forest.n_outputs});
}

}  // namespace

void bind_boosting(nb::module_& module) {
    module.attr("MOST_CATEGORIES") = kMostCategories;
    module.def("losses", [] {
        std::vector<std::string> names;
        [&]<class... L>(std::tuple<L...>*) {
            (names.emplace_back(L::name), ...);
        }(static_cast<Losses*>(nullptr));
        return names;
    });
    nb::class_<BoostGrowth>(module, "BoostGrowth", "How a tree of a round is grown.")
        .def(nb::init<>())
        .def_rw("max_leaves", &BoostGrowth::max_leaves)
        .def_rw("max_depth", &BoostGrowth::max_depth)
        .def_rw("depth_wise", &BoostGrowth::depth_wise)
        .def_rw("by_squared_error", &BoostGrowth::by_squared_error)
        .def_rw("min_gain_per_leaf", &BoostGrowth::min_gain_per_leaf)
        .def_rw("columns_per_node", &BoostGrowth::columns_per_node)
        .def_rw("monotonic", &BoostGrowth::monotonic)
        .def_rw("interactions", &BoostGrowth::interactions)
        .def_rw("has_lines", &BoostGrowth::has_lines)
        .def_rw("line_l2", &BoostGrowth::line_l2)
        .def_prop_rw(
            "l2", [](const BoostGrowth& self) { return self.limits.l2; },
            [](BoostGrowth& self, double l2) { self.limits.l2 = l2; })
        .def_prop_rw(
            "min_gain", [](const BoostGrowth& self) { return self.limits.min_gain; },
            [](BoostGrowth& self, double gain) { self.limits.min_gain = gain; })
        .def_prop_rw(
            "min_hessian", [](const BoostGrowth& self) { return self.limits.min_hessian; },
            [](BoostGrowth& self, double hessian) { self.limits.min_hessian = hessian; })
        .def_prop_rw(
            "min_leaf", [](const BoostGrowth& self) { return self.limits.min_leaf; },
            [](BoostGrowth& self, std::int64_t rows) { self.limits.min_leaf = rows; })
        .def_prop_rw(
            "min_split", [](const BoostGrowth& self) { return self.limits.min_split; },
            [](BoostGrowth& self, std::int64_t rows) { self.limits.min_split = rows; })
        .def_prop_rw(
            "min_weight", [](const BoostGrowth& self) { return self.limits.min_weight; },
            [](BoostGrowth& self, double weight) { self.limits.min_weight = weight; })
        .def_prop_rw(
            "nominal_smoothing",
            [](const BoostGrowth& self) { return self.limits.nominal_smoothing; },
            [](BoostGrowth& self, double more) { self.limits.nominal_smoothing = more; })
        .def_prop_rw(
            "nominal_l2", [](const BoostGrowth& self) { return self.limits.nominal_l2; },
            [](BoostGrowth& self, double more) { self.limits.nominal_l2 = more; })
        .def_prop_rw(
            "min_category", [](const BoostGrowth& self) { return self.limits.min_category; },
            [](BoostGrowth& self, std::int64_t rows) { self.limits.min_category = rows; })
        .def_prop_rw(
            "max_categories", [](const BoostGrowth& self) { return self.limits.max_categories; },
            [](BoostGrowth& self, std::size_t most) { self.limits.max_categories = most; });

    nb::class_<RoundSample>(module, "RoundSample", "Which rows and columns a round sees.")
        .def(nb::init<>())
        .def_rw("share", &RoundSample::share)
        .def_rw("top_share", &RoundSample::top_share)
        .def_rw("n_columns", &RoundSample::n_columns);

    module.def(
        "rows_of_round",
        [](Flat<std::uint64_t> hashes, double share, std::uint64_t key) {
            std::vector<std::uint32_t> content(hashes.size());
            for (std::size_t row = 0; row < content.size(); ++row)
                content[row] = static_cast<std::uint32_t>(hashes.data()[row] >> 32);
            Progress progress = make_progress({});
            Team alone(1, progress);
            RowSet drawn = draw_contents(content, share, key_of_rows(key), {}, alone);
            if (drawn.size() == 0) drawn = first_content(content, key_of_rows(key));
            return to_numpy(drawn.list(alone));
        },
        nb::arg("hashes"), nb::arg("share"), nb::arg("key"),
        "The rows that a round draws, by the hashes of their contents (content_hashes).",
        nb::sig("def rows_of_round(hashes: NDArray[numpy.uint64], share: float, key: int) -> "
                "NDArray[numpy.uint32]"));

    nb::class_<BoundBooster>(module, "Booster", "Boosting, round by round.")
        .def(
            "__init__",
            [](BoundBooster* self, const BoundColumns& columns, const BoundTarget& target,
               std::size_t max_bins, const std::string& loss, double parameter,
               const RoundSample& sample, std::size_t n_outputs, Flat<double> scores,
               std::size_t n_threads, const BoostForest* like) {
                const Dataset data = dataset_of(columns, target);
                // All rows start alike, or each from its own.
                std::vector<double> start;
                start.reserve(n_outputs * data.n_rows);
                if (scores.size() == n_outputs && data.n_rows > 1)
                    for (std::size_t k = 0; k < n_outputs; ++k)
                        start.insert(start.end(), data.n_rows, scores.data()[k]);
                else start = to_vector(scores);
                BoundBooster made{nullptr, columns};
                Progress progress = make_progress({});
                {
                    const nb::gil_scoped_release release;
                    Team team(n_threads, progress);
                    Codebook book =
                        like != nullptr ? like->book : learn_codebook(data, max_bins, team);
                    require(book.columns.size() == data.columns.size(), "the columns of the model");
                    made.core = std::make_unique<Booster>(data, std::move(book),
                                                          objective_named(loss, parameter), sample,
                                                          n_outputs, std::move(start), team);
                }
                new (self) BoundBooster(std::move(made));
            },
            nb::keep_alive<1, 3>(), nb::arg("columns"), nb::arg("target"), nb::arg("max_bins"),
            nb::arg("loss"), nb::arg("parameter"), nb::arg("sample"), nb::arg("n_outputs"),
            nb::arg("scores"), nb::arg("n_threads"), nb::arg("like").none(),
            nb::sig("def __init__(self, columns: Columns, target: Target, max_bins: int, loss: "
                    "str, parameter: float, sample: RoundSample, n_outputs: int, scores: "
                    "NDArray[numpy.float64], n_threads: int, like: BoostForest | None) -> None"))
        .def(
            "rounds",
            [](BoundBooster& self, const BoostGrowth& growth, double learning_rate,
               Flat<std::uint64_t> keys, double most_score, std::size_t n_threads) {
                using Clock = std::chrono::steady_clock;
                std::vector<double> seconds;
                Progress progress = make_progress({});
                {
                    const nb::gil_scoped_release release;
                    Team team(n_threads, progress);
                    for (const std::uint64_t key : span_of(keys)) {
                        const auto began = Clock::now();
                        self.core->round(growth, learning_rate, key, team, progress);
                        seconds.push_back(
                            std::chrono::duration<double>(Clock::now() - began).count());
                        if (!(self.core->reach() < most_score)) break;
                    }
                }
                return to_numpy(std::move(seconds));
            },
            nb::arg("growth"), nb::arg("learning_rate"), nb::arg("keys"), nb::arg("most_score"),
            nb::arg("n_threads"),
            "Makes a round for each key, until scores reach too far; returns the seconds of each.",
            nb::sig("def rounds(self, growth: BoostGrowth, learning_rate: float, keys: "
                    "NDArray[numpy.uint64], most_score: float, n_threads: int) -> "
                    "NDArray[numpy.float64]"))
        .def(
            "draw_by",
            [](BoundBooster& self, Flat<std::uint64_t> hashes) {
                self.core->draw_by(span_of(hashes));
            },
            nb::arg("hashes"), nb::sig("def draw_by(self, hashes: NDArray[numpy.uint64]) -> None"))
        .def_prop_ro("reach", [](const BoundBooster& self) { return self.core->reach(); })
        .def(
            "set_gradients",
            [](BoundBooster& self, Flat<double> gradient, Flat<double> hessian) {
                self.core->set_gradients({gradient.data(), gradient.size()},
                                         {hessian.data(), hessian.size()});
            },
            nb::arg("gradient"), nb::arg("hessian"),
            nb::sig("def set_gradients(self, gradient: NDArray[numpy.float64], hessian: "
                    "NDArray[numpy.float64]) -> None"))
        .def(
            "set_thresholds",
            [](BoundBooster& self, Flat<double> thresholds, std::size_t n_steps,
               std::size_t n_threads) {
                constexpr double kFar = std::numeric_limits<double>::infinity();
                std::vector<double> bounds{-kFar};
                bounds.insert(bounds.end(), thresholds.data(),
                              thresholds.data() + thresholds.size());
                bounds.push_back(kFar);
                Progress progress = make_progress({});
                const nb::gil_scoped_release release;
                Team team(n_threads, progress);
                self.core->set_bounds(std::move(bounds), n_steps, team);
            },
            nb::arg("thresholds"), nb::arg("n_steps"), nb::arg("n_threads"),
            nb::sig("def set_thresholds(self, thresholds: NDArray[numpy.float64], n_steps: int, "
                    "n_threads: int) -> None"))
        .def_prop_ro(
            "thresholds",
            [](const BoundBooster& self) {
                const std::span<const double> bounds = self.core->class_bounds();
                if (bounds.empty()) return to_numpy(std::vector<double>{});
                return to_numpy(std::vector<double>(bounds.begin() + 1, bounds.end() - 1));
            },
            nb::sig("def thresholds(self) -> NDArray[numpy.float64]"))
        .def_prop_ro(
            "scores",
            [](const BoundBooster& self) {
                return to_numpy(std::vector<double>(self.core->scores),
                                {self.core->outputs(), self.core->n_rows()});
            },
            nb::sig("def scores(self) -> NDArray[numpy.float64]"))
        .def_prop_ro("n_trees", [](const BoundBooster& self) { return self.core->trees.size(); })
        .def(
            "leaf_counts",
            [](const BoundBooster& self, std::size_t first) {
                const auto& trees = self.core->trees;
                const std::size_t width = self.core->outputs();
                require(first <= trees.size() && (trees.size() - first) % width == 0,
                        "the first tree of a round");
                std::vector<std::size_t> n_leaves((trees.size() - first) / width);
                for (std::size_t t = first; t < trees.size(); ++t)
                    n_leaves[(t - first) / width] += (trees[t].nodes.size() + 1) / 2;
                return n_leaves;
            },
            nb::arg("first"), "Leaves of each round, from the one of this tree on.")
        .def(
            "forest",
            [](const BoundBooster& self, std::size_t first, std::size_t last) {
                const auto& trees = self.core->trees;
                require(first <= last && last <= trees.size(), "trees there are");
                return BoostForest(self.core->codebook(),
                                   {trees.begin() + static_cast<std::ptrdiff_t>(first),
                                    trees.begin() + static_cast<std::ptrdiff_t>(last)},
                                   self.core->outputs(), Origin::grown);
            },
            nb::arg("first"), nb::arg("last"))
        .def(
            "give_forest",
            [](BoundBooster& self) {
                auto& trees = self.core->trees;
                return BoostForest(
                    self.core->codebook(),
                    {std::make_move_iterator(trees.begin()), std::make_move_iterator(trees.end())},
                    self.core->outputs(), Origin::grown);
            },
            "All trees, which the booster gives away: it is not asked for them again.");

    nb::class_<BoundCodedRows>(module, "CodedRows", "Rows coded once, for trees to come.");

    nb::class_<RoundsAhead>(module, "RoundsAhead", "Rounds to make, and after which to look.")
        .def(
            "__init__",
            [](RoundsAhead* self, double learning_rate, Flat<std::uint64_t> keys,
               const std::vector<std::size_t>& looks) {
                const std::span<const std::uint64_t> own = span_of(keys);
                new (self) RoundsAhead{learning_rate, {own.begin(), own.end()}, looks};
            },
            nb::arg("learning_rate"), nb::arg("keys"), nb::arg("looks"),
            nb::sig("def __init__(self, learning_rate: float, keys: NDArray[numpy.uint64], looks: "
                    "list[int]) -> None"));

    nb::class_<BoundJudged>(module, "JudgedBooster", "A booster and its held-out rows.")
        .def(
            "__init__",
            [](BoundJudged* self, BoundBooster& booster, const BoostGrowth& growth,
               const BoundCodedRows& rows, Flat<double> start) {
                require(start.size() == rows.coded.rows.n_rows * booster.core->outputs(),
                        "a score for every row and output");
                new (self) BoundJudged{growth, nullptr};
                self->core = std::make_unique<JudgedBooster>(JudgedBooster{
                    *booster.core, self->growth, rows.coded, to_vector(start), {}, {}});
            },
            nb::keep_alive<1, 2>(), nb::keep_alive<1, 4>(), nb::arg("booster"), nb::arg("growth"),
            nb::arg("rows"), nb::arg("start"),
            nb::sig("def __init__(self, booster: Booster, growth: BoostGrowth, rows: CodedRows, "
                    "start: NDArray[numpy.float64]) -> None"))
        .def_prop_ro(
            "found",
            [](const BoundJudged& self) {
                return stacked(self.core->found, self.core->booster.outputs());
            },
            "Scores at each look of the last rounds made: looks x rows x outputs.",
            nb::sig("def found(self) -> NDArray[numpy.float64]"))
        .def_prop_ro(
            "found_thresholds",
            [](const BoundJudged& self) {
                std::vector<std::vector<double>> inner;
                for (const auto& bounds : self.core->found_bounds) {
                    if (bounds.empty()) break;
                    inner.emplace_back(bounds.begin() + 1, bounds.end() - 1);
                }
                const std::size_t width = inner.empty() ? 1 : inner[0].size();
                return stacked(inner, width);
            },
            "Thresholds of ordered classes at each look: looks x 1 x thresholds.",
            nb::sig("def found_thresholds(self) -> NDArray[numpy.float64]"));

    module.def(
        "make_side_by_side",
        [](const std::vector<BoundJudged*>& boosters, const std::vector<RoundsAhead*>& ahead,
           double most_score, std::size_t n_threads) {
            refuse_none(boosters);
            refuse_none(ahead);
            require(boosters.size() == ahead.size(), "rounds for each booster");
            std::vector<JudgedBooster*> own;
            for (const BoundJudged* each : boosters) own.push_back(each->core.get());
            std::vector<RoundsAhead> of_each;
            for (const RoundsAhead* each : ahead) of_each.push_back(*each);
            Progress progress = make_progress({});
            const nb::gil_scoped_release release;
            make_side_by_side(own, of_each, most_score, n_threads, progress);
        },
        nb::arg("boosters"), nb::arg("ahead"), nb::arg("most_score"), nb::arg("n_threads"),
        "Makes rounds in several boosters, each on a thread of its own.",
        nb::sig("def make_side_by_side(boosters: list[JudgedBooster], ahead: "
                "list[RoundsAhead], most_score: float, n_threads: int) -> None"));

    nb::class_<BoostForest>(module, "BoostForest", "Boosted trees that ask codes.")
        .def(
            "__init__",
            [](BoostForest* self, const nb::list& cuts, const std::vector<std::uint32_t>& n_codes,
               const nb::list& trees, std::size_t n_outputs) {
                Codebook book;
                if (nb::len(cuts) != n_codes.size()) throw nb::value_error("cuts of every column");
                for (std::size_t c = 0; c < n_codes.size(); ++c) {
                    CodedColumn coded;
                    coded.n_codes = n_codes[c];
                    coded.is_nominal = cuts[c].is_none();
                    if (!coded.is_nominal) coded.cuts = to_vector(nb::cast<Flat<double>>(cuts[c]));
                    book.columns.push_back(std::move(coded));
                }
                std::vector<BoostTree> read(nb::len(trees));
                for (std::size_t t = 0; t < read.size(); ++t)
                    if (!read_tree(nb::cast<nb::dict>(trees[t]), read[t]))
                        throw nb::value_error("arrays of one length");
                try {
                    new (self) BoostForest(std::move(book), std::move(read), n_outputs);
                } catch (const InvariantError& error) {
                    throw nb::value_error(("not boosted trees: "s + error.what()).c_str());
                }
            },
            nb::arg("cuts"), nb::arg("n_codes"), nb::arg("trees"), nb::arg("n_outputs"),
            nb::sig("def __init__(self, cuts: list[object], n_codes: list[int], trees: "
                    "list[dict[str, object]], n_outputs: int) -> None"))
        .def_prop_ro("n_trees", [](const BoostForest& self) { return self.trees.size(); })
        .def(
            "part",
            [](const BoostForest& self, std::size_t first, std::size_t last) {
                require(first <= last && last <= self.trees.size(), "trees there are");
                return BoostForest(self.book,
                                   {self.trees.begin() + static_cast<std::ptrdiff_t>(first),
                                    self.trees.begin() + static_cast<std::ptrdiff_t>(last)},
                                   self.n_outputs);
            },
            nb::arg("first"), nb::arg("last"))
        .def(
            "joined",
            [](const BoostForest& self, const BoostForest& more) {
                std::vector<BoostTree> all = self.trees;
                all.insert(all.end(), more.trees.begin(), more.trees.end());
                return BoostForest(self.book, std::move(all), self.n_outputs);
            },
            nb::arg("more"))
        .def_ro("n_outputs", &BoostForest::n_outputs)
        .def_prop_ro("has_lines", &BoostForest::has_lines)
        .def(
            "code",
            [](const BoostForest& self, const BoundColumns& columns, std::size_t n_threads) {
                BoundCodedRows made{{}, columns};
                Progress progress = make_progress({});
                {
                    const nb::gil_scoped_release release;
                    made.coded = self.code(columns.rows, n_threads, progress);
                }
                return made;
            },
            nb::arg("columns"), nb::arg("n_threads"))
        .def_prop_ro(
            "cuts",
            [](const BoostForest& self) {
                nb::list out;
                for (const CodedColumn& coded : self.book.columns)
                    if (coded.is_nominal) out.append(nb::none());
                    else out.append(to_numpy(std::vector<double>(coded.cuts)));
                return out;
            },
            nb::sig("def cuts(self) -> list[NDArray[numpy.float64] | None]"))
        .def_prop_ro("n_codes",
                     [](const BoostForest& self) {
                         std::vector<std::uint32_t> out;
                         for (const CodedColumn& coded : self.book.columns)
                             out.push_back(coded.n_codes);
                         return out;
                     })
        .def(
            "tree",
            [](const BoostForest& self, std::size_t index) {
                require(index < self.trees.size(), "a tree there is");
                return tree_arrays(self.trees[index]);
            },
            nb::arg("index"), nb::sig("def tree(self, index: int) -> dict[str, object]"))
        .def(
            "add_scores",
            [](const BoostForest& self, const BoundColumns& columns, std::size_t first,
               std::size_t last, Flat<double> start, std::size_t n_threads) {
                return add_scores(self, columns.rows, columns.rows.n_rows, first, last, start,
                                  n_threads);
            },
            nb::arg("rows"), nb::arg("first"), nb::arg("last"), nb::arg("start"),
            nb::arg("n_threads"),
            nb::sig("def add_scores(self, rows: Columns, first: int, last: int, start: "
                    "NDArray[numpy.float64], n_threads: int) -> NDArray[numpy.float64]"))
        .def(
            "add_scores",
            [](const BoostForest& self, const BoundCodedRows& rows, std::size_t first,
               std::size_t last, Flat<double> start, std::size_t n_threads) {
                return add_scores(self, rows.coded, rows.coded.rows.n_rows, first, last, start,
                                  n_threads);
            },
            nb::arg("rows"), nb::arg("first"), nb::arg("last"), nb::arg("start"),
            nb::arg("n_threads"),
            nb::sig("def add_scores(self, rows: CodedRows, first: int, last: int, start: "
                    "NDArray[numpy.float64], n_threads: int) -> NDArray[numpy.float64]"))
        .def(
            "linked_dependence",
            [](const BoostForest& self, const BoundColumns& rows,
               const std::optional<Flat<double>>& weight,
               std::vector<std::vector<std::uint32_t>> columns, const nb::list& points,
               const std::string& link, double factor, Flat<double> base, std::size_t n_threads) {
                const BoostedTrees trees(self, 0, self.trees.size(), Cover::rows);
                const tree::LinkedOptions options{link == "log"       ? tree::Link::log
                                                  : link == "softmax" ? tree::Link::softmax
                                                                      : tree::Link::logistic,
                                                  factor, span_of(base), span_of(weight),
                                                  n_threads};
                return linked_dependence_of(trees, rows, options, std::move(columns), points);
            },
            nb::arg("rows"), nb::arg("weight").none(), nb::arg("columns"), nb::arg("points"),
            nb::arg("link"), nb::arg("factor"), nb::arg("base"), nb::arg("n_threads"),
            nb::sig("def linked_dependence(self, rows: Columns, weight: NDArray[numpy.float64] | "
                    "None, columns: list[list[int]], points: list[Columns], link: str, "
                    "factor: float, base: NDArray[numpy.float64], n_threads: int) -> "
                    "list[NDArray[numpy.float64] | None]"))
        .def(
            "largest_sum",
            [](const BoostForest& self, Flat<double> base) {
                const BoostedTrees trees(self, 0, self.trees.size(), Cover::rows);
                return tree::largest_sum(trees, span_of(base));
            },
            nb::arg("base"),
            nb::sig("def largest_sum(self, base: NDArray[numpy.float64]) -> float"))
        .def(
            "dependence",
            [](const BoostForest& self, const BoundColumns& rows,
               const std::optional<Flat<double>>& weight,
               std::vector<std::vector<std::uint32_t>> columns, const nb::list& points, bool by_row,
               std::size_t n_threads) {
                const BoostedTrees trees(self, 0, self.trees.size(), Cover::rows);
                return dependence_of(trees, rows, weight, std::move(columns), points, by_row,
                                     n_threads);
            },
            nb::arg("rows"), nb::arg("weight").none(), nb::arg("columns"), nb::arg("points"),
            nb::arg("by_row"), nb::arg("n_threads"), nb::sig(kDependenceSignature))
        .def(
            "shap",
            [](const BoostForest& self, const BoundColumns& columns, std::size_t first,
               std::size_t last, std::size_t n_threads, bool by_hessian, bool interactions,
               const BoundColumns* background, const std::optional<Flat<double>>& pair_weight) {
                const BoostedTrees trees(self, first, last,
                                         by_hessian ? Cover::hessian : Cover::rows);
                return shap_of(trees, {columns, {}}, n_threads, interactions,
                               {background, {}, pair_weight});
            },
            nb::arg("columns"), nb::arg("first"), nb::arg("last"), nb::arg("n_threads"),
            nb::arg("by_hessian") = false, nb::arg("interactions") = false,
            nb::arg("background").none() = nb::none(), nb::arg("pair_weight") = nb::none(),
            nb::sig("def shap(self, columns: Columns, first: int, last: int, n_threads: int, "
                    "by_hessian: bool = False, interactions: bool = False, "
                    "background: Columns | None = None, "
                    "pair_weight: NDArray[numpy.float64] | None = None) -> "
                    "tuple[NDArray[numpy.float64], NDArray[numpy.float64], int, int]"))
        .def(
            "apply",
            [](const BoostForest& self, const BoundColumns& columns, std::size_t n_threads) {
                Progress progress = make_progress({});
                std::vector<std::int32_t> leaves =
                    cleared<std::int32_t>(columns.rows.n_rows * self.trees.size(), progress);
                {
                    const nb::gil_scoped_release release;
                    self.apply(columns.rows, n_threads, progress, leaves);
                }
                return to_numpy(std::move(leaves), {columns.rows.n_rows, self.trees.size()});
            },
            nb::arg("columns"), nb::arg("n_threads"),
            nb::sig("def apply(self, columns: Columns, n_threads: int) -> NDArray[numpy.int32]"));
}
