#include "treewright/forest/importance.hpp"

#include <numeric>

#include "bindings.hpp"
#include "treewright/base/error.hpp"
#include "treewright/data/row_hash.hpp"

using namespace treewright;
using namespace treewright::data;
using namespace treewright::forest;

namespace {

/// Calls measure(table, progress) without the lock of Python; gives trees x columns.
template <class Measure>
nb::object measured(const PackedForest& forest, const BoundColumns& columns,
                    const BoundTarget& target, const Sampling& sampling,
                    const std::optional<Flat<double>>& weight, std::size_t n_threads,
                    Measure&& measure) {
    const Dataset data = dataset_of(columns, target);
    const std::size_t n_classes =
        data.target.is_classification() ? data.target.n_classes[0] : std::size_t{0};
    require(data.columns.size() == forest.n_columns && data.n_rows == sampling.n_rows() &&
                data.target.n_outputs == 1 && n_classes == forest.n_classes,
            "the table of the forest");
    require(!weight || weight->size() == data.n_rows, "a weight for every row");
    const DrawnTable table{data, sampling, span_of(weight), n_threads};
    Progress progress = make_progress(std::nullopt);
    std::vector<double> out;
    {
        const nb::gil_scoped_release release;
        out = measure(table, progress);
    }
    return to_numpy(std::move(out), {forest.trees.size(), forest.n_columns});
}

}  // namespace

void bind_forest_importance(nb::module_& module) {
    module.def(
        "permutation_importances",
        [](const PackedForest& forest, const BoundColumns& columns, const BoundTarget& target,
           const Sampling& sampling, std::optional<Flat<double>> weight, std::uint64_t seed,
           std::size_t n_repeats, std::size_t n_threads) {
            return measured(forest, columns, target, sampling, weight, n_threads,
                            [&](const DrawnTable& table, Progress& progress) {
                                return permutation_importances(forest, table, seed, n_repeats,
                                                               progress);
                            });
        },
        nb::arg("forest"), nb::arg("columns"), nb::arg("target"), nb::arg("sampling"),
        nb::arg("weight").none(), nb::arg("seed"), nb::arg("n_repeats"), nb::arg("n_threads"),
        nb::sig("def permutation_importances(forest: PackedForest, columns: Columns, target: "
                "Target, sampling: Sampling, weight: NDArray[numpy.float64] | None, seed: int, "
                "n_repeats: int, n_threads: int) -> NDArray[numpy.float64]"));

    module.def(
        "debiased_importances",
        [](const PackedForest& forest, const BoundColumns& columns, const BoundTarget& target,
           const Sampling& sampling, std::optional<Flat<double>> weight, std::size_t n_threads) {
            for (const PackedTree& tree : forest.trees)
                require(!is_compact(tree), "trees that know their rows");
            return measured(forest, columns, target, sampling, weight, n_threads,
                            [&](const DrawnTable& table, Progress& progress) {
                                return debiased_importances(forest, table, progress);
                            });
        },
        nb::arg("forest"), nb::arg("columns"), nb::arg("target"), nb::arg("sampling"),
        nb::arg("weight").none(), nb::arg("n_threads"),
        nb::sig("def debiased_importances(forest: PackedForest, columns: Columns, target: Target, "
                "sampling: Sampling, weight: NDArray[numpy.float64] | None, n_threads: int) -> "
                "NDArray[numpy.float64]"));

    module.def(
        "canonical_order",
        [](const BoundColumns& columns, const BoundTarget& target, std::size_t n_threads) {
            const Dataset data = dataset_of(columns, target);
            std::vector<std::uint32_t> order;
            Progress progress = make_progress(std::nullopt);
            {
                const nb::gil_scoped_release release;
                Team team(n_threads, progress);
                order = canonical_order(data, {}, team);
            }
            return to_numpy(std::move(order));
        },
        nb::arg("columns"), nb::arg("target"), nb::arg("n_threads"),
        nb::sig("def canonical_order(columns: Columns, target: Target, n_threads: int) -> "
                "NDArray[numpy.uint32]"));

    module.def(
        "content_hashes",
        [](const BoundColumns& columns, const BoundTarget& target) {
            const Dataset data = dataset_of(columns, target);
            std::vector<std::uint64_t> hashes(data.n_rows);
            {
                const nb::gil_scoped_release release;
                for (std::size_t row = 0; row < hashes.size(); ++row)
                    hashes[row] = content_hash(data, row);
            }
            return to_numpy(std::move(hashes));
        },
        nb::arg("columns"), nb::arg("target"),
        nb::sig("def content_hashes(columns: Columns, target: Target) -> NDArray[numpy.uint64]"));

    module.def(
        "shuffled",
        [](std::size_t n, std::uint64_t seed, std::uint64_t tree, std::uint64_t column,
           std::uint64_t repeat) {
            std::vector<std::int64_t> places(n);
            std::iota(places.begin(), places.end(), 0);
            shuffle(std::span(places), shuffle_key(seed, tree, column, repeat));
            return to_numpy(std::move(places));
        },
        nb::arg("n"), nb::arg("seed"), nb::arg("tree"), nb::arg("column"), nb::arg("repeat"),
        nb::sig("def shuffled(n: int, seed: int, tree: int, column: int, repeat: int) -> "
                "NDArray[numpy.int64]"));
}
