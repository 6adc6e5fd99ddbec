#include "bindings.hpp"
#include "treewright/base/error.hpp"
#include "treewright/forest/proximity.hpp"
#include "treewright/forest/quantiles.hpp"

using namespace treewright;
using namespace treewright::forest;

namespace {

std::size_t rows_of(const Flat<std::int32_t>& leaves) {
    require(leaves.ndim() == 2, "leaves by row and tree");
    return leaves.shape(0);
}

}  // namespace

void bind_forest_leaf_rows(nb::module_& module) {
    nb::class_<LeafRows>(module, "LeafTargets",
                         "The targets of the training rows in each leaf of each tree, by rank.")
        .def(
            "__init__",
            [](LeafRows* self, Flat<std::uint32_t> rank_of_row, std::uint32_t n_ranks,
               std::optional<Flat<double>> weight) {
                const auto ranks = span_of(rank_of_row);
                const auto given = span_of(weight);
                new (self)
                    LeafRows({ranks.begin(), ranks.end()}, n_ranks, {given.begin(), given.end()});
            },
            nb::arg("rank_of_row"), nb::arg("n_ranks"), nb::arg("weight").none(),
            nb::sig("def __init__(self, rank_of_row: NDArray[numpy.uint32], n_ranks: int, weight: "
                    "NDArray[numpy.float64] | None) -> None"))
        .def(
            "add_tree",
            [](LeafRows& self, Flat<std::int32_t> leaf_of_row,
               std::optional<Flat<std::uint32_t>> times) {
                const nb::gil_scoped_release release;
                self.add_tree(span_of(leaf_of_row), span_of(times));
            },
            nb::arg("leaf_of_row"), nb::arg("times").none(),
            nb::sig("def add_tree(self, leaf_of_row: NDArray[numpy.int32], times: "
                    "NDArray[numpy.uint32] | None) -> None"))
        .def(
            "quantiles",
            [](const LeafRows& self, Flat<double> values, Flat<std::int32_t> leaves,
               Flat<double> levels, std::size_t n_threads) {
                const std::size_t n_rows = rows_of(leaves);
                Progress progress = make_progress(std::nullopt);
                std::vector<double> out = cleared<double>(n_rows * levels.size(), progress);
                {
                    const nb::gil_scoped_release release;
                    quantiles(self, span_of(values), span_of(leaves), span_of(levels), n_threads,
                              progress, out);
                }
                return to_numpy(std::move(out), {n_rows, levels.size()});
            },
            nb::arg("values"), nb::arg("leaves"), nb::arg("levels"), nb::arg("n_threads"),
            nb::sig("def quantiles(self, values: NDArray[numpy.float64], leaves: "
                    "NDArray[numpy.int32], levels: NDArray[numpy.float64], n_threads: int) -> "
                    "NDArray[numpy.float64]"));

    module.def(
        "own_shares",
        [](const LeafRows& trained, Flat<std::int32_t> leaves, bool stands_there,
           std::optional<Flat<std::uint32_t>> groups, std::size_t n_threads) {
            std::vector<double> out(2 * trained.n_rows());
            Progress progress = make_progress(std::nullopt);
            {
                const nb::gil_scoped_release release;
                own_shares(trained, span_of(leaves), stands_there, span_of(groups), n_threads,
                           progress, out);
            }
            return to_numpy(std::move(out), {trained.n_rows(), 2});
        },
        nb::arg("trained"), nb::arg("leaves"), nb::arg("stands_there"), nb::arg("groups").none(),
        nb::arg("n_threads"),
        nb::sig("def own_shares(trained: LeafTargets, leaves: NDArray[numpy.int32], stands_there: "
                "bool, groups: NDArray[numpy.uint32] | None, n_threads: int) -> "
                "NDArray[numpy.float64]"));

    nb::class_<Proximities>(module, "Proximities", "In how many trees rows meet in a leaf.")
        .def(nb::init<std::uint32_t, std::size_t>(), nb::arg("n_rows"), nb::arg("n_trees"))
        .def(
            "add_tree",
            [](Proximities& self, Flat<std::int32_t> leaf_of_row,
               std::optional<Flat<std::uint32_t>> asked) {
                const nb::gil_scoped_release release;
                self.add_tree(span_of(leaf_of_row), span_of(asked));
            },
            nb::arg("leaf_of_row"), nb::arg("asked").none(),
            nb::sig("def add_tree(self, leaf_of_row: NDArray[numpy.int32], asked: "
                    "NDArray[numpy.uint32] | None) -> None"))
        .def(
            "reaching",
            [](const Proximities& self, Flat<std::int32_t> leaves, double least,
               std::size_t n_threads) {
                Proximities::Met met;
                Progress progress = make_progress(std::nullopt);
                {
                    const nb::gil_scoped_release release;
                    met = self.reaching(span_of(leaves), least, n_threads, progress);
                }
                return nb::make_tuple(to_numpy(std::move(met.start)), to_numpy(std::move(met.row)),
                                      to_numpy(std::move(met.share)));
            },
            nb::arg("leaves"), nb::arg("least"), nb::arg("n_threads"),
            nb::sig("def reaching(self, leaves: NDArray[numpy.int32], least: float, n_threads: "
                    "int) -> tuple[NDArray[numpy.int64], NDArray[numpy.int32], "
                    "NDArray[numpy.float64]]"))
        .def(
            "nearest",
            [](const Proximities& self, Flat<std::int32_t> leaves, std::size_t k,
               std::int64_t first, std::size_t n_threads) {
                const std::size_t n_rows = rows_of(leaves);
                std::vector<std::int32_t> row(n_rows * k);
                std::vector<double> share(n_rows * k);
                Progress progress = make_progress(std::nullopt);
                {
                    const nb::gil_scoped_release release;
                    self.nearest(span_of(leaves), k, first, n_threads, progress, row, share);
                }
                return nb::make_tuple(to_numpy(std::move(row), {n_rows, k}),
                                      to_numpy(std::move(share), {n_rows, k}));
            },
            nb::arg("leaves"), nb::arg("k"), nb::arg("first"), nb::arg("n_threads"),
            nb::sig(
                "def nearest(self, leaves: NDArray[numpy.int32], k: int, first: int, n_threads: "
                "int) -> tuple[NDArray[numpy.int32], NDArray[numpy.float64]]"));
}
