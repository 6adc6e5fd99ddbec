#include <limits>

#include "bindings.hpp"
#include "treewright/base/error.hpp"
#include "treewright/tree/question.hpp"

using namespace treewright;
using namespace treewright::tree;

namespace {

/// Nodes between two checks for an interrupt.
constexpr std::size_t kNodesPerCheck = 1 << 12;
constexpr std::size_t kNodesPerPiece = 1 << 16;

template <class Field>
nb::object column_of(const Tree& tree, Progress& progress, Field&& field) {
    using T = std::decay_t<decltype(field(tree.nodes[0]))>;
    std::vector<T> values;
    values.reserve(tree.nodes.size());
    in_blocks(progress, tree.nodes.size(), [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) values.push_back(field(tree.nodes[i]));
    });
    progress.check(true);
    return to_numpy(std::move(values));
}

}  // namespace

nb::dict checked(nb::handle arrays) {
    return nb::cast<nb::dict>(arrays.attr("checked")());
}

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

nb::dict arrays_of(Tree tree, Progress& progress) {
    progress.check(true);
    nb::dict out;
    std::vector<std::int32_t> start = {0};
    std::vector<std::int32_t> surrogate_column;
    std::vector<double> surrogate_threshold;
    std::vector<std::int64_t> surrogate_threshold_int;
    std::vector<std::int8_t> surrogate_kind;
    std::vector<std::int64_t> surrogate_code_offset;
    std::vector<std::int32_t> surrogate_code_count;
    std::vector<std::uint8_t> surrogate_reversed;
    std::vector<double> surrogate_agreement;
    for (const TreeNode& node : tree.nodes) {
        for (const Surrogate& s : node.surrogates) {
            surrogate_column.push_back(static_cast<std::int32_t>(s.column));
            surrogate_threshold.push_back(s.threshold);
            surrogate_threshold_int.push_back(s.threshold_int);
            surrogate_kind.push_back(s.is_cut ? 1 : 2);
            surrogate_reversed.push_back(s.reversed ? 1 : 0);
            surrogate_agreement.push_back(s.agreement);
            surrogate_code_offset.push_back(s.is_cut ? -1
                                                     : append_branches(tree.branches, s.branches));
            surrogate_code_count.push_back(static_cast<std::int32_t>(s.branches.code.size()));
        }
        start.push_back(static_cast<std::int32_t>(surrogate_column.size()));
    }
    out["first_child"] = column_of(tree, progress, [](const TreeNode& n) { return n.first_child; });
    out["n_branches"] = column_of(tree, progress, [](const TreeNode& n) { return n.n_branches; });
    out["parent"] = column_of(tree, progress, [](const TreeNode& n) { return n.parent; });
    out["column"] = column_of(tree, progress, [](const TreeNode& n) { return n.column; });
    out["kind"] = column_of(tree, progress, [](const TreeNode& n) { return n.kind; });
    out["threshold"] = column_of(tree, progress, [](const TreeNode& n) {
        return n.kind == 1 || n.kind == 4 ? n.threshold : std::numeric_limits<double>::quiet_NaN();
    });
    out["threshold_int"] =
        column_of(tree, progress, [](const TreeNode& n) { return n.threshold_int; });
    out["code_offset"] = column_of(tree, progress, [](const TreeNode& n) { return n.code_offset; });
    out["rest_branch"] = column_of(tree, progress, [](const TreeNode& n) { return n.rest_branch; });
    out["code_count"] = column_of(tree, progress, [](const TreeNode& n) { return n.code_count; });
    out["cut_offset"] = column_of(tree, progress, [](const TreeNode& n) { return n.cut_offset; });
    out["cut_count"] = column_of(tree, progress, [](const TreeNode& n) { return n.cut_count; });
    out["term_offset"] = column_of(tree, progress, [](const TreeNode& n) { return n.term_offset; });
    out["term_count"] = column_of(tree, progress, [](const TreeNode& n) { return n.term_count; });
    out["missing_branch"] =
        column_of(tree, progress, [](const TreeNode& n) { return n.missing_branch; });
    out["n_rows"] = column_of(tree, progress, [](const TreeNode& n) { return n.n_rows; });
    out["weight"] = column_of(tree, progress, [](const TreeNode& n) { return n.weight; });
    out["impurity"] = column_of(tree, progress, [](const TreeNode& n) { return n.impurity; });
    out["gain"] = column_of(tree, progress, [](const TreeNode& n) { return n.gain; });
    out["score"] = column_of(tree, progress, [](const TreeNode& n) { return n.score; });
    const std::size_t n_nodes = tree.nodes.size();
    out["value"] = to_numpy(std::move(tree.value), {n_nodes, tree.width});
    out["code"] = to_numpy(std::move(tree.branches.code));
    out["branch_of_code"] = to_numpy(std::move(tree.branches.branch));
    out["cut"] = to_numpy(std::move(tree.cuts.real));
    out["cut_int"] = to_numpy(std::move(tree.cuts.whole));
    out["term_column"] = to_numpy(std::move(tree.terms.column));
    out["term_coefficient"] = to_numpy(std::move(tree.terms.coefficient));
    out["term_share"] = to_numpy(std::move(tree.terms.share));
    out["surrogate_start"] = to_numpy(std::move(start));
    out["surrogate_column"] = to_numpy(std::move(surrogate_column));
    out["surrogate_threshold"] = to_numpy(std::move(surrogate_threshold));
    out["surrogate_threshold_int"] = to_numpy(std::move(surrogate_threshold_int));
    out["surrogate_kind"] = to_numpy(std::move(surrogate_kind));
    out["surrogate_code_offset"] = to_numpy(std::move(surrogate_code_offset));
    out["surrogate_code_count"] = to_numpy(std::move(surrogate_code_count));
    out["surrogate_reversed"] = to_numpy(std::move(surrogate_reversed));
    out["surrogate_agreement"] = to_numpy(std::move(surrogate_agreement));
    while (!tree.nodes.empty()) {  // piece by piece: millions of them take a while to free
        progress.check(true);
        tree.nodes.resize(tree.nodes.size() - std::min(tree.nodes.size(), kNodesPerPiece));
    }
    return out;
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
            [](Plan* self, nb::handle arrays, std::vector<std::uint32_t> n_classes,
               const std::optional<Flat<double>>& value) {
                Progress progress = make_progress(std::nullopt);
                const nb::dict named = checked(arrays);
                Tree tree = tree_of(named, progress);
                if (value) {
                    require(value->size() == tree.value.size(), "a line of values for every node");
                    tree.value.assign(value->data(), value->data() + value->size());
                }
                const auto unseen = nb::cast<Flat<std::int32_t>>(named["unseen_branch"]);
                const nb::gil_scoped_release release;
                new (self) Plan(tree, {unseen.data(), unseen.data() + unseen.size()},
                                std::move(n_classes), progress);
            },
            nb::arg("arrays"), nb::arg("n_classes"), nb::arg("value").none(),
            nb::sig("def __init__(self, arrays: object, n_classes: list[int], value: "
                    "NDArray[numpy.float64] | None) -> None"))
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
