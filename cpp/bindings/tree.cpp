#include "bindings.hpp"
#include "treewright/base/error.hpp"

using namespace treewright;
using namespace treewright::tree;

namespace {

/// Nodes between two checks for an interrupt.
constexpr std::size_t kNodesPerCheck = 1 << 12;

}  // namespace

Tree tree_of(const nb::dict& arrays, Progress& progress) {
    const auto get = [&]<class T>(const char* name) { return nb::cast<Flat<T>>(arrays[name]); };
    const auto first_child = get.operator()<std::int32_t>("first_child");
    const auto n_branches = get.operator()<std::int32_t>("n_branches");
    const auto parent = get.operator()<std::int32_t>("parent");
    const auto column = get.operator()<std::int32_t>("column");
    const auto kind = get.operator()<std::int8_t>("kind");
    const auto threshold = get.operator()<double>("threshold");
    const auto threshold_int = get.operator()<std::int64_t>("threshold_int");
    const auto code_offset = get.operator()<std::int64_t>("code_offset");
    const auto missing_branch = get.operator()<std::int32_t>("missing_branch");
    const auto weight = get.operator()<double>("weight");
    const auto value = get.operator()<double>("value");
    const auto code_count = get.operator()<std::int32_t>("code_count");
    const auto rest_branch = get.operator()<std::int32_t>("rest_branch");
    const auto codes = get.operator()<std::int32_t>("code");
    const auto branches = get.operator()<std::int32_t>("branch_of_code");
    const auto start = get.operator()<std::int32_t>("surrogate_start");
    const auto s_column = get.operator()<std::int32_t>("surrogate_column");
    const auto s_threshold = get.operator()<double>("surrogate_threshold");
    const auto s_threshold_int = get.operator()<std::int64_t>("surrogate_threshold_int");
    const auto s_kind = get.operator()<std::int8_t>("surrogate_kind");
    const auto s_offset = get.operator()<std::int64_t>("surrogate_code_offset");
    const auto s_count = get.operator()<std::int32_t>("surrogate_code_count");
    const auto s_reversed = get.operator()<bool>("surrogate_reversed");

    const auto cut_offset = get.operator()<std::int64_t>("cut_offset");
    const auto cut_count = get.operator()<std::int32_t>("cut_count");
    const auto term_offset = get.operator()<std::int64_t>("term_offset");
    const auto term_count = get.operator()<std::int32_t>("term_count");
    const auto copied = [&]<class T>(const char* name) {
        const auto array = nb::cast<Flat<T>>(arrays[name]);
        return std::vector<T>(array.data(), array.data() + array.size());
    };

    Tree tree;
    tree.cuts.real = copied.operator()<double>("cut");
    tree.cuts.whole = copied.operator()<std::int64_t>("cut_int");
    tree.terms.column = copied.operator()<std::int32_t>("term_column");
    tree.terms.coefficient = copied.operator()<double>("term_coefficient");
    const std::size_t n = first_child.size();
    tree.width = value.shape(1);
    tree.value.assign(value.data(), value.data() + value.size());
    tree.branches.code.assign(codes.data(), codes.data() + codes.size());
    tree.branches.branch.assign(branches.data(), branches.data() + branches.size());
    tree.nodes.reserve(n);
    for (std::size_t i = 0; i < n; ++i) {
        if (i % kNodesPerCheck == 0) progress.check(true);
        TreeNode& node = tree.nodes.emplace_back();
        node.first_child = first_child.data()[i];
        node.n_branches = n_branches.data()[i];
        node.parent = parent.data()[i];
        node.column = column.data()[i];
        node.kind = kind.data()[i];
        node.threshold = threshold.data()[i];
        node.threshold_int = threshold_int.data()[i];
        node.code_offset = code_offset.data()[i];
        node.code_count = code_count.data()[i];
        node.rest_branch = rest_branch.data()[i];
        node.cut_offset = cut_offset.data()[i];
        node.cut_count = cut_count.data()[i];
        node.term_offset = term_offset.data()[i];
        node.term_count = term_count.data()[i];
        node.missing_branch = missing_branch.data()[i];
        node.weight = weight.data()[i];
        for (std::int32_t k = start.data()[i]; k < start.data()[i + 1]; ++k) {
            Surrogate s;
            s.column = static_cast<std::uint32_t>(s_column.data()[k]);
            s.is_cut = s_kind.data()[k] == 1;
            s.reversed = s_reversed.data()[k];
            s.threshold = s_threshold.data()[k];
            s.threshold_int = s_threshold_int.data()[k];
            if (!s.is_cut) {
                const auto begin = s_offset.data()[k];
                const auto end = begin + s_count.data()[k];
                s.branches.code.assign(codes.data() + begin, codes.data() + end);
                s.branches.branch.assign(branches.data() + begin, branches.data() + end);
            }
            node.surrogates.push_back(std::move(s));
        }
    }
    return tree;
}

namespace {

Combine combine_of(const std::string& name) {
    if (name == "leaf_counts") return Combine::leaf_counts;
    require(name == "branch_fractions", "unknown way to combine leaves");
    return Combine::branch_fractions;
}

nb::object predict(const Plan& plan, const Rows& rows, const std::string& combine,
                   std::size_t n_threads) {
    Progress progress = make_progress(std::nullopt);
    std::vector<double> out = cleared<double>(rows.n_rows * plan.width(), progress);
    const Combine how = combine_of(combine);
    {
        const nb::gil_scoped_release release;
        plan.predict(rows, how, n_threads, progress, out);
    }
    return to_numpy(std::move(out), {rows.n_rows, plan.width()});
}

nb::object apply(const Plan& plan, const Rows& rows, std::size_t n_threads) {
    Progress progress = make_progress(std::nullopt);
    std::vector<std::int64_t> out = cleared<std::int64_t>(rows.n_rows, progress);
    {
        const nb::gil_scoped_release release;
        plan.apply(rows, n_threads, progress, out);
    }
    return to_numpy(std::move(out));
}

}  // namespace

void bind_tree(nb::module_& module) {
    nb::class_<Plan>(module, "Plan", "A tree packed for prediction.")
        .def(
            "__init__",
            [](Plan* self, const nb::dict& arrays, std::vector<std::int32_t> unseen_branch,
               std::vector<std::uint32_t> n_classes) {
                Progress progress = make_progress(std::nullopt);
                const Tree tree = tree_of(arrays, progress);
                const nb::gil_scoped_release release;
                new (self) Plan(tree, std::move(unseen_branch), std::move(n_classes), progress);
            },
            nb::arg("arrays"), nb::arg("unseen_branch"), nb::arg("n_classes"),
            nb::sig("def __init__(self, arrays: dict[str, object], unseen_branch: list[int], "
                    "n_classes: list[int]) -> None"))
        .def(
            "predict",
            [](const Plan& self, const BoundColumns& columns, const std::string& combine,
               std::size_t n_threads) { return predict(self, columns.rows, combine, n_threads); },
            nb::arg("columns"), nb::arg("combine"), nb::arg("n_threads"),
            nb::sig("def predict(self, columns: Columns, combine: str, n_threads: int) -> "
                    "NDArray[numpy.float64]"))
        .def(
            "apply",
            [](const Plan& self, const BoundColumns& columns, std::size_t n_threads) {
                return apply(self, columns.rows, n_threads);
            },
            nb::arg("columns"), nb::arg("n_threads"),
            nb::sig("def apply(self, columns: Columns, n_threads: int) -> NDArray[numpy.int64]"))
        .def(
            "parts",
            [](const Plan& self, const BoundColumns& columns) {
                std::vector<std::int64_t> start;
                std::vector<std::int64_t> leaf;
                std::vector<double> share;
                Progress progress = make_progress(std::nullopt);
                {
                    const nb::gil_scoped_release release;
                    self.parts(columns.rows, progress, start, leaf, share);
                }
                return nb::make_tuple(to_numpy(std::move(start)), to_numpy(std::move(leaf)),
                                      to_numpy(std::move(share)));
            },
            nb::arg("columns"),
            nb::sig("def parts(self, columns: Columns) -> tuple[NDArray[numpy.int64], "
                    "NDArray[numpy.int64], NDArray[numpy.float64]]"))
        .def(
            "paths",
            [](const Plan& self, const BoundColumns& columns) {
                std::vector<std::int64_t> start;
                std::vector<std::int32_t> visited;
                Progress progress = make_progress(std::nullopt);
                {
                    const nb::gil_scoped_release release;
                    visited = self.paths(columns.rows, progress, start);
                }
                return nb::make_tuple(to_numpy(std::move(start)), to_numpy(std::move(visited)));
            },
            nb::arg("columns"),
            nb::sig("def paths(self, columns: Columns) -> tuple[NDArray[numpy.int64], "
                    "NDArray[numpy.int32]]"));
}
