#include <algorithm>
#include <memory>
#include <utility>

#include "bindings.hpp"
#include "treewright/adaboost/rows.hpp"
#include "treewright/adaboost/stump_votes.hpp"
#include "treewright/adaboost/stumps.hpp"
#include "treewright/adaboost/weighted_median.hpp"
#include "treewright/base/error.hpp"

using namespace treewright;
using namespace treewright::data;
using namespace treewright::tree;
using namespace treewright::grow;
using namespace treewright::adaboost;

namespace {

/// Predictions that come from Python: classes there are, for every row.
std::span<const std::int32_t> checked(const AdaBoostRows& rows, const Flat<std::int32_t>& given) {
    const std::span<const std::int32_t> predicted = span_of(given);
    require(predicted.size() == rows.n_rows(), "a prediction for every row");
    std::uint32_t most = 0;  // negative ones are larger than any
    for (const std::int32_t k : predicted) most = std::max(most, static_cast<std::uint32_t>(k));
    require(predicted.empty() || most < rows.class_count(), "a class there is");
    return predicted;
}

/// The search for stumps, and those found.
struct BoundStumps {
    std::unique_ptr<StumpSearch> search;
    std::size_t n_cells = 0;
    std::vector<Tree> found;
};

/// Starting threads costs about as much as a round on this many cells.
constexpr std::size_t kFewCells = 100'000;

/// The nodes of all stumps in one tree's arrays, and where each stump's start.
nb::tuple joined(const std::vector<Tree>& stumps, std::size_t n_stumps) {
    require(n_stumps > 0 && n_stumps <= stumps.size(), "stumps there are");
    Tree all;
    all.width = stumps[0].width;
    std::vector<std::int64_t> start = {0};
    for (std::size_t i = 0; i < n_stumps; ++i) {
        const Tree& stump = stumps[i];
        const auto base = static_cast<std::int32_t>(all.nodes.size());
        const auto first_code = static_cast<std::int64_t>(all.branches.code.size());
        for (TreeNode node : stump.nodes) {
            if (node.first_child >= 0) node.first_child += base;
            if (node.parent >= 0) node.parent += base;
            if (node.code_offset >= 0) node.code_offset += first_code;
            all.nodes.push_back(node);
        }
        all.branches.code.insert(all.branches.code.end(), stump.branches.code.begin(),
                                 stump.branches.code.end());
        all.branches.branch.insert(all.branches.branch.end(), stump.branches.branch.begin(),
                                   stump.branches.branch.end());
        all.value.insert(all.value.end(), stump.value.begin(), stump.value.end());
        start.push_back(static_cast<std::int64_t>(all.nodes.size()));
    }
    Progress progress = make_progress(std::nullopt);
    return nb::make_tuple(arrays_of(std::move(all), progress), to_numpy(std::move(start)));
}

void make_votes(StumpVotes* self, const nb::dict& arrays, std::vector<std::uint32_t> n_codes,
                std::uint32_t n_classes) {
    const auto get = [&]<class T>(const char* name) { return nb::cast<Flat<T>>(arrays[name]); };
    const auto column = get.operator()<std::int32_t>("column");
    const auto kind = get.operator()<std::int8_t>("kind");
    const auto threshold = get.operator()<double>("threshold");
    const auto threshold_int = get.operator()<std::int64_t>("threshold_int");
    const auto code_offset = get.operator()<std::int64_t>("code_offset");
    const auto code_count = get.operator()<std::int32_t>("code_count");
    const auto rest = get.operator()<std::int32_t>("rest_branch");
    const auto missing = get.operator()<std::int32_t>("missing_branch");
    const auto unseen = get.operator()<std::int32_t>("unseen_branch");
    const auto said = get.operator()<std::int32_t>("said");
    const auto vote = get.operator()<double>("vote");
    const auto codes = get.operator()<std::int32_t>("code");
    const auto branches = get.operator()<std::int32_t>("branch_of_code");
    std::vector<VotingStump> stumps(column.size());
    for (const std::size_t size :
         {kind.size(), threshold.size(), threshold_int.size(), code_offset.size(),
          code_count.size(), rest.size(), missing.size(), unseen.size(), vote.size()})
        require(size == stumps.size(), "an entry for every stump");
    require(said.size() == 3 * stumps.size() && codes.size() == branches.size(),
            "classes and branches of every stump");
    for (std::size_t i = 0; i < stumps.size(); ++i) {
        VotingStump& stump = stumps[i];
        stump.column = kind.data()[i] == 0 ? -1 : column.data()[i];
        stump.is_cut = kind.data()[i] == 1;
        stump.threshold = threshold.data()[i];
        stump.threshold_int = threshold_int.data()[i];
        stump.rest_branch = rest.data()[i];
        stump.missing_branch = missing.data()[i];
        stump.unseen_branch = unseen.data()[i];
        stump.vote = vote.data()[i];
        for (std::size_t branch = 0; branch < 3; ++branch)
            stump.said[branch] = said.data()[3 * i + branch];
        require(kind.data()[i] >= 0 && kind.data()[i] <= 2, "a cut or categories");
        if (kind.data()[i] != 2) continue;
        const std::int64_t offset = code_offset.data()[i];
        const std::int64_t count = code_count.data()[i];
        require(
            offset >= 0 && count >= 0 && offset + count <= static_cast<std::int64_t>(codes.size()),
            "codes that are listed");
        stump.codes = {codes.data() + offset, static_cast<std::size_t>(count)};
        stump.branches = {branches.data() + offset, static_cast<std::size_t>(count)};
    }
    new (self) StumpVotes(stumps, std::move(n_codes), n_classes);
}

void bind_votes(nb::module_& module) {
    nb::class_<StumpVotes>(module, "StumpVotes", "Many stumps that vote, packed for prediction.")
        .def("__init__", &make_votes, nb::arg("arrays"), nb::arg("n_codes"), nb::arg("n_classes"),
             nb::sig("def __init__(self, arrays: dict[str, object], n_codes: list[int], n_classes: "
                     "int) -> None"))
        .def(
            "add_all",
            [](const StumpVotes& self, const BoundColumns& columns, std::size_t n_threads) {
                Progress progress = make_progress(std::nullopt);
                std::vector<double> sums =
                    cleared<double>(columns.rows.n_rows * self.n_classes(), progress);
                {
                    const nb::gil_scoped_release release;
                    self.add_all(columns.rows, n_threads, progress, sums);
                }
                return to_numpy(std::move(sums), {columns.rows.n_rows, self.n_classes()});
            },
            nb::arg("columns"), nb::arg("n_threads"),
            nb::sig("def add_all(self, columns: Columns, n_threads: int) -> "
                    "NDArray[numpy.float64]"))
        .def(
            "add",
            [](const StumpVotes& self, const BoundColumns& columns, std::size_t first,
               std::size_t last) {
                Progress progress = make_progress(std::nullopt);
                std::vector<double> sums =
                    cleared<double>(columns.rows.n_rows * self.n_classes(), progress);
                {
                    const nb::gil_scoped_release release;
                    self.add(columns.rows, first, last, progress, sums);
                }
                return to_numpy(std::move(sums), {columns.rows.n_rows, self.n_classes()});
            },
            nb::arg("columns"), nb::arg("first"), nb::arg("last"),
            nb::sig("def add(self, columns: Columns, first: int, last: int) -> "
                    "NDArray[numpy.float64]"))
        .def(
            "branches",
            [](const StumpVotes& self, const BoundColumns& columns) {
                const std::size_t n_rows = columns.rows.n_rows;
                Progress progress = make_progress(std::nullopt);
                std::vector<std::int32_t> branches =
                    cleared<std::int32_t>(n_rows * self.n_stumps(), progress);
                {
                    const nb::gil_scoped_release release;
                    self.branches(columns.rows, progress, branches);
                }
                return to_numpy(std::move(branches), {n_rows, self.n_stumps()});
            },
            nb::arg("columns"),
            nb::sig("def branches(self, columns: Columns) -> NDArray[numpy.int32]"));
}

}  // namespace

void bind_adaboost(nb::module_& module) {
    nb::class_<AdaBoostRows>(module, "AdaBoostRows", "What AdaBoost keeps of each training row.")
        .def(
            "__init__",
            [](AdaBoostRows* self, Flat<double> weight, std::optional<Flat<std::int32_t>> classes,
               std::uint32_t n_classes) {
                std::vector<std::int32_t> codes;
                if (classes) codes.assign(classes->data(), classes->data() + classes->size());
                new (self) AdaBoostRows({weight.data(), weight.data() + weight.size()},
                                        std::move(codes), n_classes);
            },
            nb::arg("weight"), nb::arg("classes").none(), nb::arg("n_classes"),
            nb::sig("def __init__(self, weight: NDArray[numpy.float64], classes: "
                    "NDArray[numpy.int32] | None, n_classes: int) -> None"))
        .def(
            "shares", [](const AdaBoostRows& self) { return to_numpy(self.shares()); },
            nb::sig("def shares(self) -> NDArray[numpy.float64]"))
        .def(
            "mean",
            [](const AdaBoostRows& self, Flat<double> of_row) {
                return self.mean(span_of(of_row));
            },
            nb::arg("of_row"), nb::sig("def mean(self, of_row: NDArray[numpy.float64]) -> float"))
        .def(
            "error",
            [](const AdaBoostRows& self, Flat<std::int32_t> predicted) {
                return self.error(checked(self, predicted));
            },
            nb::arg("predicted"),
            nb::sig("def error(self, predicted: NDArray[numpy.int32]) -> float"))
        .def(
            "reward",
            [](AdaBoostRows& self, Flat<std::int32_t> predicted, double factor) {
                return self.reward(checked(self, predicted), factor);
            },
            nb::arg("predicted"), nb::arg("factor"),
            nb::sig("def reward(self, predicted: NDArray[numpy.int32], factor: float) -> float"))
        .def(
            "multiply",
            [](AdaBoostRows& self, Flat<double> factor) { return self.multiply(span_of(factor)); },
            nb::arg("factor"),
            nb::sig("def multiply(self, factor: NDArray[numpy.float64]) -> float"))
        .def(
            "vote",
            [](AdaBoostRows& self, Flat<std::int32_t> predicted, double strength) {
                return self.vote(checked(self, predicted), strength);
            },
            nb::arg("predicted"), nb::arg("strength"),
            nb::sig("def vote(self, predicted: NDArray[numpy.int32], strength: float) -> float"));

    nb::class_<BoundStumps>(module, "Stumps", "Stumps found one after the other on the same rows.")
        .def(
            "__init__",
            [](BoundStumps* self, const BoundColumns& columns, const BoundTarget& target,
               const GrowOptions& options) {
                const Dataset data = dataset_of(columns, target);
                require_sound(options, data);
                Progress progress = make_progress(std::nullopt);
                BoundStumps stumps;
                stumps.n_cells = data.n_rows * data.columns.size();
                {
                    const nb::gil_scoped_release release;
                    Team team(options.n_threads, progress);
                    stumps.search = make_stump_search(data, options, team);
                }
                new (self) BoundStumps(std::move(stumps));
            },
            nb::arg("columns"), nb::arg("target"), nb::arg("options"), nb::keep_alive<1, 2>(),
            nb::keep_alive<1, 3>())
        .def(
            "find",
            [](BoundStumps& self, const AdaBoostRows& rows, std::size_t n_threads) {
                Progress progress = make_progress(std::nullopt);
                FoundStump found;
                {
                    const nb::gil_scoped_release release;
                    Team team(self.n_cells <= kFewCells ? 1 : n_threads, progress);
                    found = self.search->find(rows, team);
                }
                self.found.push_back(std::move(found.tree));
                return to_numpy(std::move(found.predicted));
            },
            nb::arg("rows"), nb::arg("n_threads"),
            nb::sig("def find(self, rows: AdaBoostRows, n_threads: int) -> NDArray[numpy.int32]"))
        .def(
            "joined",
            [](const BoundStumps& self, std::size_t n_stumps) {
                return joined(self.found, n_stumps);
            },
            nb::arg("n_stumps"),
            nb::sig("def joined(self, n_stumps: int) -> tuple[dict[str, object], "
                    "NDArray[numpy.int64]]"));

    bind_votes(module);

    module.def(
        "weighted_medians",
        [](Flat<double> predictions, Flat<double> weight, std::size_t n_threads) {
            const std::size_t n_rows = predictions.shape(0);
            require(predictions.ndim() == 2 && predictions.shape(1) == weight.size() &&
                        weight.size() > 0,
                    "a weight for every model");
            std::vector<double> median(n_rows);
            Progress progress = make_progress(std::nullopt);
            {
                const nb::gil_scoped_release release;
                Team team(n_threads, progress);
                weighted_medians(span_of(predictions), span_of(weight), team, median);
            }
            return to_numpy(std::move(median));
        },
        nb::arg("predictions"), nb::arg("weight"), nb::arg("n_threads"),
        nb::sig("def weighted_medians(predictions: NDArray[numpy.float64], weight: "
                "NDArray[numpy.float64], n_threads: int) -> NDArray[numpy.float64]"));
}
