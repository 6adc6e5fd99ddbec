#include <algorithm>
#include <cstring>

#include "bindings.hpp"
#include "nanobind/stl/pair.h"
#include "treewright/base/error.hpp"
#include "treewright/forest/forest.hpp"
#include "treewright/grow/engines.hpp"

using namespace treewright;
using namespace treewright::data;
using namespace treewright::tree;
using namespace treewright::grow;
using namespace treewright::forest;

namespace {

Vote vote_of(const std::string& name) {
    if (name == "hard") return Vote::hard;
    require(name == "soft", "unknown way to vote");
    return Vote::soft;
}

/// Nodes between two checks for an interrupt.
constexpr std::size_t kNodesPerCheck = 1 << 14;

/// One array of all trees, and where each tree's part starts.
template <class Part>
auto joined(const std::vector<PackedTree>& trees, Progress& progress, Part&& part) {
    std::decay_t<decltype(part(trees[0]))> all;
    std::size_t n = 0;
    for (const PackedTree& tree : trees) n += part(tree).size();
    all.reserve(n);
    std::vector<std::int64_t> start = {0};
    for (const PackedTree& tree : trees) {
        progress.check(true);
        const auto& own = part(tree);
        all.insert(all.end(), own.begin(), own.end());
        start.push_back(static_cast<std::int64_t>(all.size()));
    }
    return std::pair{std::move(all), std::move(start)};
}

nb::dict state_of(const PackedForest& forest) {
    nb::dict out;
    Progress progress = make_progress(std::nullopt);
    const auto put = [&](const std::string& name, auto&& part) {
        auto [all, start] = joined(forest.trees, progress, part);
        out[(name + "_start").c_str()] = to_numpy(std::move(start));
        using T = typename std::decay_t<decltype(all)>::value_type;
        if constexpr (std::is_same_v<T, PackedNode>) {
            std::vector<double> threshold;
            std::vector<std::uint32_t> child_and_column;
            threshold.reserve(all.size());
            child_and_column.reserve(2 * all.size());
            for (std::size_t i = 0; i < all.size(); ++i) {
                if (i % kNodesPerCheck == 0) progress.check(true);
                threshold.push_back(all[i].threshold);
                child_and_column.push_back(all[i].first_child);
                child_and_column.push_back(all[i].column);
            }
            out["threshold"] = to_numpy(std::move(threshold));
            out["child_and_column"] = to_numpy(std::move(child_and_column));
        } else {
            out[name.c_str()] = to_numpy(std::move(all));
        }
    };
    put("node", [](const PackedTree& tree) -> const auto& { return tree.nodes; });
    put("counts", [](const PackedTree& tree) -> const auto& { return tree.counts; });
    put("values", [](const PackedTree& tree) -> const auto& { return tree.values; });
    put("spread", [](const PackedTree& tree) -> const auto& { return tree.spread; });
    put("importance", [](const PackedTree& tree) -> const auto& { return tree.importance; });
    return out;
}

/// Reads what state_of has written; whatever was done to it, the forest is sound or refused.
bool restore(PackedForest& forest, const nb::dict& state) {
    const auto get = [&]<class T>(const char* name) { return nb::cast<Flat<T>>(state[name]); };
    const auto threshold = get.operator()<double>("threshold");
    const auto links = get.operator()<std::uint32_t>("child_and_column");
    const auto node_start = get.operator()<std::int64_t>("node_start");
    if (node_start.size() == 0 || links.size() != 2 * threshold.size()) return false;
    const std::size_t n_trees = node_start.size() - 1;
    const auto slice = [&](const auto& starts, std::size_t tree, std::size_t size,
                           std::size_t& begin, std::size_t& end) {
        if (starts.size() != n_trees + 1) return false;
        const std::int64_t from = starts.data()[tree];
        const std::int64_t to = starts.data()[tree + 1];
        if (from < 0 || to < from || static_cast<std::size_t>(to) > size) return false;
        begin = static_cast<std::size_t>(from);
        end = static_cast<std::size_t>(to);
        return true;
    };
    const auto counts = get.operator()<std::uint32_t>("counts");
    const auto values = get.operator()<double>("values");
    const auto spread = get.operator()<double>("spread");
    const auto importance = get.operator()<double>("importance");
    const auto counts_start = get.operator()<std::int64_t>("counts_start");
    const auto values_start = get.operator()<std::int64_t>("values_start");
    const auto spread_start = get.operator()<std::int64_t>("spread_start");
    const auto importance_start = get.operator()<std::int64_t>("importance_start");
    forest.trees.resize(n_trees);
    Progress progress = make_progress(std::nullopt);
    for (std::size_t t = 0; t < n_trees; ++t) {
        progress.check(true);
        PackedTree& tree = forest.trees[t];
        std::size_t begin = 0;
        std::size_t end = 0;
        if (!slice(node_start, t, threshold.size(), begin, end)) return false;
        set_nodes(tree, span_of(threshold).subspan(begin, end - begin),
                  span_of(links).subspan(2 * begin, 2 * (end - begin)));
        const auto take = [&](const auto& starts, const auto& from, auto& to) {
            if (!slice(starts, t, from.size(), begin, end)) return false;
            to.assign(from.data() + begin, from.data() + end);
            return true;
        };
        if (!take(counts_start, counts, tree.counts) || !take(values_start, values, tree.values) ||
            !take(spread_start, spread, tree.spread) ||
            !take(importance_start, importance, tree.importance) ||
            !is_sound(tree, forest.n_classes, forest.n_columns))
            return false;
    }
    return true;
}

std::size_t bytes_of(const PackedForest& forest) {
    std::size_t bytes = sizeof(PackedForest);
    for (const PackedTree& tree : forest.trees)
        bytes += sizeof(PackedTree) + tree.nodes.capacity() * sizeof(PackedNode) +
                 tree.counts.capacity() * sizeof(std::uint32_t) +
                 (tree.values.capacity() + tree.spread.capacity() + tree.importance.capacity()) *
                     sizeof(double);
    return bytes;
}

}  // namespace

void bind_forest(nb::module_& module) {
    nb::class_<Sampling>(module, "Sampling", "Which rows each tree of a forest sees.")
        .def(
            "__init__",
            [](Sampling* self, const BoundColumns& columns, const BoundTarget& target,
               std::optional<Flat<double>> weight, std::optional<Flat<std::uint32_t>> groups,
               std::vector<std::uint64_t> n_draws, bool with_replacement, std::uint64_t seed,
               std::size_t n_threads) {
                const Dataset data = dataset_of(columns, target);
                const std::span<const double> given = span_of(weight);
                require(given.empty() || given.size() == data.n_rows, "a weight for every row");
                const std::span<const std::uint32_t> together = span_of(groups);
                Progress progress = make_progress(std::nullopt);
                const nb::gil_scoped_release release;
                Team team(n_threads, progress);
                new (self) Sampling(data, given, together, n_draws, with_replacement, seed, team);
            },
            nb::arg("columns"), nb::arg("target"), nb::arg("weight").none(),
            nb::arg("groups").none(), nb::arg("n_draws"), nb::arg("with_replacement"),
            nb::arg("seed"), nb::arg("n_threads"),
            nb::sig("def __init__(self, columns: Columns, target: Target, weight: "
                    "NDArray[numpy.float64] | None, groups: NDArray[numpy.uint32] | None, n_draws: "
                    "list[int], with_replacement: bool, seed: int, n_threads: int) -> None"))
        .def(
            "draw",
            [](const Sampling& self, std::uint64_t tree) {
                std::vector<std::uint32_t> copies;
                {
                    const nb::gil_scoped_release release;
                    self.draw(tree, copies);
                }
                return to_numpy(std::move(copies));
            },
            nb::arg("tree"), nb::sig("def draw(self, tree: int) -> NDArray[numpy.uint32]"))
        .def(
            "left_out",
            [](const Sampling& self, std::uint64_t tree) {
                std::vector<std::uint32_t> is_out;
                {
                    const nb::gil_scoped_release release;
                    self.left_out(tree, is_out);
                }
                return to_numpy(std::move(is_out));
            },
            nb::arg("tree"), nb::sig("def left_out(self, tree: int) -> NDArray[numpy.uint32]"))
        .def(
            "draw_by",
            [](const Sampling& self, Flat<double> weight, std::uint64_t tree) {
                std::vector<std::uint32_t> copies;
                {
                    const nb::gil_scoped_release release;
                    self.draw_by(std::span(weight.data(), weight.size()), tree, copies);
                }
                return to_numpy(std::move(copies));
            },
            nb::arg("weight"), nb::arg("tree"),
            nb::sig("def draw_by(self, weight: NDArray[numpy.float64], tree: int) -> "
                    "NDArray[numpy.uint32]"));

    nb::class_<ForestOptions>(module, "ForestOptions", "How many trees, and what tells them apart.")
        .def(nb::init<>())
        .def_rw("first_tree", &ForestOptions::first_tree)
        .def_rw("n_trees", &ForestOptions::n_trees)
        .def_rw("n_threads", &ForestOptions::n_threads)
        .def_rw("columns_per_tree", &ForestOptions::columns_per_tree)
        .def_rw("repeats_columns", &ForestOptions::repeats_columns)
        .def_rw("balances", &ForestOptions::balances)
        .def_rw("min_leaf_share", &ForestOptions::min_leaf_share)
        .def("set_engine",
             [](ForestOptions& self, const std::string& name) {
                 require(name == "best_cuts" || name == "rows", "a grower of best cuts");
                 self.engine = name == "rows" ? Engine::rows : Engine::best_cuts;
             })
        .def("set_factor", [](ForestOptions& self, Flat<double> factor) {
            self.factor.assign(factor.data(), factor.data() + factor.size());
        });

    nb::class_<PackedForest>(module, "PackedForest", "Trees of cuts on numbers, packed.")
        .def(
            "__init__",
            [](PackedForest* self, const nb::dict& state, std::uint32_t n_classes,
               std::size_t n_columns) {
                PackedForest forest;
                forest.n_classes = n_classes;
                forest.n_columns = n_columns;
                if (!restore(forest, state)) throw nb::value_error("not the trees of a forest");
                new (self) PackedForest(std::move(forest));
            },
            nb::arg("state"), nb::arg("n_classes"), nb::arg("n_columns"),
            nb::sig("def __init__(self, state: dict[str, object], n_classes: int, n_columns: int) "
                    "-> None"))
        .def("state", &state_of, nb::sig("def state(self) -> dict[str, object]"))
        .def_prop_ro("n_trees", [](const PackedForest& self) { return self.trees.size(); })
        .def_prop_ro("nbytes", &bytes_of)
        .def_prop_ro(
            "n_nodes",
            [](const PackedForest& self) {
                std::vector<std::int64_t> n_nodes;
                for (const PackedTree& tree : self.trees)
                    n_nodes.push_back(static_cast<std::int64_t>(tree.nodes.size()));
                return to_numpy(std::move(n_nodes));
            },
            nb::sig("def n_nodes(self) -> NDArray[numpy.int64]"))
        .def_prop_ro(
            "importances",
            [](const PackedForest& self) {
                Progress progress = make_progress(std::nullopt);
                auto all = joined(self.trees, progress, [](const PackedTree& tree) -> const auto& {
                               return tree.importance;
                           }).first;
                require(all.size() == self.trees.size() * self.n_columns, "trees not compacted");
                return to_numpy(std::move(all), {self.trees.size(), self.n_columns});
            },
            nb::sig("def importances(self) -> NDArray[numpy.float64]"))
        .def("compacted",
             [](const PackedForest& self) {
                 PackedForest small;
                 small.n_classes = self.n_classes;
                 small.n_columns = self.n_columns;
                 Progress progress = make_progress(std::nullopt);
                 for (const PackedTree& tree : self.trees) {
                     progress.check(true);
                     small.trees.push_back(compacted(tree, self.n_classes));
                 }
                 return small;
             })
        .def_prop_ro("is_compact",
                     [](const PackedForest& self) {
                         return std::any_of(self.trees.begin(), self.trees.end(), is_compact);
                     })
        .def(
            "joined",
            [](const PackedForest& self, const PackedForest& more) {
                PackedForest both = self;
                both.trees.insert(both.trees.end(), more.trees.begin(), more.trees.end());
                return both;
            },
            nb::arg("more"))
        .def(
            "first",
            [](const PackedForest& self, std::size_t n_trees) {
                require(n_trees <= self.trees.size(), "no more trees than there are");
                PackedForest some;
                some.n_classes = self.n_classes;
                some.n_columns = self.n_columns;
                some.trees.assign(self.trees.begin(),
                                  self.trees.begin() + static_cast<std::ptrdiff_t>(n_trees));
                return some;
            },
            nb::arg("n_trees"))
        .def(
            "tree",
            [](const PackedForest& self, std::size_t tree, const std::vector<bool>& is_real,
               bool in_bits) {
                require(tree < self.trees.size() && is_real.size() == self.n_columns &&
                            !is_compact(self.trees[tree]),
                        "a tree of the forest");
                Progress progress = make_progress(std::nullopt);
                UnpackedTree made =
                    unpack(self.trees[tree], self.n_classes, is_real, in_bits, progress);
                return dict_of(std::move(made.arrays), made.width);
            },
            nb::arg("tree"), nb::arg("is_real"), nb::arg("in_bits") = false,
            nb::sig("def tree(self, tree: int, is_real: list[bool], in_bits: bool = False) -> "
                    "dict[str, object]"))
        .def(
            "unpacked",
            [](const PackedForest& self, const std::vector<bool>& is_real, bool in_bits,
               std::size_t n_threads) {
                require(is_real.size() == self.n_columns &&
                            std::none_of(self.trees.begin(), self.trees.end(), is_compact),
                        "columns of the forest");
                std::vector<UnpackedTree> made(self.trees.size());
                Progress progress = make_progress(std::nullopt);
                {
                    const nb::gil_scoped_release release;
                    Team team(std::min(n_threads, made.size()), progress);
                    team.for_each(made.size(), [&](std::size_t tree, std::size_t) {
                        made[tree] =
                            unpack(self.trees[tree], self.n_classes, is_real, in_bits, progress);
                    });
                }
                nb::list trees;
                for (UnpackedTree& each : made)
                    trees.append(dict_of(std::move(each.arrays), each.width));
                return trees;
            },
            nb::arg("is_real"), nb::arg("in_bits"), nb::arg("n_threads"),
            nb::sig("def unpacked(self, is_real: list[bool], in_bits: bool, n_threads: int) -> "
                    "list[dict[str, object]]"))
        .def_prop_ro("must_be_unpacked",
                     [](const PackedForest& self) {
                         return !self.trees.empty() && self.trees[0].must_be_unpacked();
                     })
        .def(
            "add_answers",
            [](const PackedForest& self, const BoundColumns& columns, std::size_t first,
               std::size_t last, const std::string& vote, std::size_t n_threads) {
                require(first <= last && last <= self.trees.size() &&
                            columns.rows.columns.size() == self.n_columns,
                        "trees and columns of the forest");
                Progress progress = make_progress(std::nullopt);
                std::vector<double> sums =
                    cleared<double>(columns.rows.n_rows * self.width(), progress);
                {
                    const nb::gil_scoped_release release;
                    self.add_answers(columns.rows, first, last, vote_of(vote), n_threads, progress,
                                     sums);
                }
                return to_numpy(std::move(sums), {columns.rows.n_rows, self.width()});
            },
            nb::arg("columns"), nb::arg("first"), nb::arg("last"), nb::arg("vote"),
            nb::arg("n_threads"),
            nb::sig("def add_answers(self, columns: Columns, first: int, last: int, vote: str, "
                    "n_threads: int) -> NDArray[numpy.float64]"))
        .def(
            "apply",
            [](const PackedForest& self, const BoundColumns& columns, std::size_t n_threads) {
                require(columns.rows.columns.size() == self.n_columns, "columns of the forest");
                Progress progress = make_progress(std::nullopt);
                std::vector<std::int32_t> out =
                    cleared<std::int32_t>(columns.rows.n_rows * self.trees.size(), progress);
                {
                    const nb::gil_scoped_release release;
                    self.apply(columns.rows, n_threads, progress, out);
                }
                return to_numpy(std::move(out), {columns.rows.n_rows, self.trees.size()});
            },
            nb::arg("columns"), nb::arg("n_threads"),
            nb::sig("def apply(self, columns: Columns, n_threads: int) -> NDArray[numpy.int32]"));

    module.def("columns_of_tree", &columns_of_tree, nb::arg("options"), nb::arg("forest"),
               nb::arg("tree"));

    module.def(
        "weights_of_tree",
        [](const BoundColumns& columns, const BoundTarget& target, const ForestOptions& forest,
           Flat<std::uint32_t> copies) {
            const Dataset data = dataset_of(columns, target);
            require(copies.size() == data.n_rows &&
                        (forest.factor.empty() || forest.factor.size() == data.n_rows),
                    "numbers for every row");
            return to_numpy(weights_of(std::span(copies.data(), copies.size()), data, forest));
        },
        nb::arg("columns"), nb::arg("target"), nb::arg("forest"), nb::arg("copies"),
        nb::sig("def weights_of_tree(columns: Columns, target: Target, forest: ForestOptions, "
                "copies: NDArray[numpy.uint32]) -> NDArray[numpy.float64]"));

    module.def(
        "grow_packed",
        [](const BoundColumns& columns, const BoundTarget& target, const GrowOptions& options,
           const ForestOptions& forest, const Sampling* sampling,
           std::optional<nb::callable> report)
            -> std::optional<std::pair<PackedForest, std::string>> {
            const Dataset data = dataset_of(columns, target);
            require_sound(options, data);
            require(forest.factor.empty() || forest.factor.size() == data.n_rows,
                    "a factor for every row");
            Progress progress = make_progress(report);
            PackedForest grown;
            grown.n_columns = data.columns.size();
            grown.n_classes = data.target.is_classification() ? data.target.n_classes[0] : 0;
            const nb::gil_scoped_release release;
            const Engine engine =
                grow_packed(data, options, forest, sampling, progress, grown.trees);
            if (engine == Engine::general) return std::nullopt;
            return std::pair{std::move(grown), std::string(name_of(engine))};
        },
        nb::arg("columns"), nb::arg("target"), nb::arg("options"), nb::arg("forest"),
        nb::arg("sampling").none(), nb::arg("report").none(),
        nb::sig("def grow_packed(columns: Columns, target: Target, options: GrowOptions, forest: "
                "ForestOptions, sampling: Sampling | None, report: object | None) -> "
                "tuple[PackedForest, str] | None"));

    module.def(
        "grow_trees",
        [](const BoundColumns& columns, const BoundTarget& target, const GrowOptions& options,
           const ForestOptions& forest, const Sampling* sampling,
           std::optional<nb::callable> report) {
            const Dataset data = dataset_of(columns, target);
            require_sound(options, data);
            require(forest.factor.empty() || forest.factor.size() == data.n_rows,
                    "a factor for every row");
            Progress progress = make_progress(report);
            std::vector<Tree> trees;
            {
                const nb::gil_scoped_release release;
                trees = grow_trees(data, options, forest, sampling, progress);
            }
            nb::list out;
            for (Tree& tree : trees) out.append(arrays_of(std::move(tree), progress));
            return out;
        },
        nb::arg("columns"), nb::arg("target"), nb::arg("options"), nb::arg("forest"),
        nb::arg("sampling").none(), nb::arg("report").none(),
        nb::sig("def grow_trees(columns: Columns, target: Target, options: GrowOptions, forest: "
                "ForestOptions, sampling: Sampling | None, report: object | None) -> "
                "list[dict[str, object]]"));
}
