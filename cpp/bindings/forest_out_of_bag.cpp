#include "treewright/forest/out_of_bag.hpp"

#include "bindings.hpp"
#include "treewright/base/error.hpp"
#include "treewright/forest/packed_shape.hpp"

using namespace treewright;
using namespace treewright::data;
using namespace treewright::forest;

namespace {

template <class T>
using Written = nb::ndarray<T, nb::c_contig, nb::device::cpu>;

/// Losses and weights side by side: items x 2.
nb::object to_table(const std::vector<Loss>& losses) {
    std::vector<double> table;
    table.reserve(2 * losses.size());
    for (const Loss& each : losses) {
        table.push_back(each.loss);
        table.push_back(each.weight);
    }
    return to_numpy(std::move(table), {losses.size(), 2});
}

nb::tuple add(const PackedForest& forest, const BoundColumns& columns, const BoundTarget& target,
              std::optional<Flat<double>> weight, const Sampling& sampling,
              std::uint64_t first_tree, bool hard_vote, std::size_t n_threads,
              Written<double> answers, Written<std::uint32_t> n_trees) {
    const Dataset data = dataset_of(columns, target);
    const auto given = span_of(weight);
    const bool is_classification = data.target.is_classification();
    require(data.target.n_outputs == 1 && columns.rows.columns.size() == forest.n_columns &&
                forest.n_classes == (is_classification ? data.target.n_classes[0] : 0),
            "what the forest was grown on");
    require(sampling.n_rows() == data.n_rows && (given.empty() || given.size() == data.n_rows) &&
                answers.size() == data.n_rows * forest.width() && n_trees.size() == data.n_rows,
            "something for every row");
    Progress progress = make_progress(std::nullopt);
    OutOfBagLosses losses;
    {
        const nb::gil_scoped_release release;
        losses =
            add_out_of_bag(forest, {columns.rows, data.target, given, sampling, first_tree},
                           hard_vote ? Vote::hard : Vote::soft, n_threads, progress,
                           {{answers.data(), answers.size()}, {n_trees.data(), n_trees.size()}});
    }
    return nb::make_tuple(to_table(losses.tree), to_table(losses.forest));
}

}  // namespace

void bind_forest_out_of_bag(nb::module_& module) {
    module.def(
        "add_out_of_bag", &add, nb::arg("forest"), nb::arg("columns"), nb::arg("target"),
        nb::arg("weight").none(), nb::arg("sampling"), nb::arg("first_tree"), nb::arg("hard_vote"),
        nb::arg("n_threads"), nb::arg("answers"), nb::arg("n_trees"),
        nb::sig("def add_out_of_bag(forest: PackedForest, columns: Columns, target: Target, "
                "weight: NDArray[numpy.float64] | None, sampling: Sampling, first_tree: int, "
                "hard_vote: bool, n_threads: int, answers: NDArray[numpy.float64], n_trees: "
                "NDArray[numpy.uint32]) -> tuple[NDArray[numpy.float64], NDArray[numpy.float64]]"),
        "Add the trees to `answers` and `n_trees`; give the losses of each and of all up to it.");
    module.def(
        "depths",
        [](const PackedForest& forest) {
            std::vector<std::int64_t> depths;
            for (const PackedTree& tree : forest.trees) depths.push_back(depth_of(tree));
            return to_numpy(std::move(depths));
        },
        nb::arg("forest"), nb::sig("def depths(forest: PackedForest) -> NDArray[numpy.int64]"));
    module.def(
        "questions_by_column",
        [](const PackedForest& forest) { return to_numpy(questions_by_column(forest)); },
        nb::arg("forest"),
        nb::sig("def questions_by_column(forest: PackedForest) -> NDArray[numpy.uint64]"));
}
