#include "treewright/grow/summary.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <numeric>

#include "treewright/base/error.hpp"
#include "treewright/base/exact_sum.hpp"
#include "treewright/base/simd.hpp"
#include "treewright/criteria/registry.hpp"
#include "treewright/criteria/regression_impurity.hpp"
#include "treewright/grow/column_finder.hpp"
#include "treewright/grow/growth.hpp"
#include "treewright/tree/question.hpp"

namespace treewright::grow {
namespace {

/// Nodes between two checks for an interrupt.
constexpr std::size_t kNodesPerCheck = 1 << 12;

/// Appends a fragment's subtrees to the tree, ids and offsets shifted. Nodes are freed piece by
/// piece on the way: all at once they would take longer than Ctrl-C should wait.
void append(tree::Tree& tree, NodeRows& figures, Fragment& fragment, std::size_t n_outputs,
            Progress& progress) {
    // From a node of the fragment to one of the tree: roots are there already.
    auto shift = static_cast<std::int32_t>(tree.nodes.size());
    const auto code_base = static_cast<std::int64_t>(tree.branches.code.size());
    const std::int64_t term_base = tree.terms.append(fragment.terms);
    const auto cut_base = static_cast<std::int64_t>(tree.cuts.real.size());
    const std::size_t row_base = figures.leaf_rows.size();
    Fragment::Subtree subtree{};
    std::size_t n_begun = 0;
    for (std::size_t i = 0; i < fragment.nodes.size(); ++i) {
        if (i % kNodesPerCheck == 0) {
            progress.check(true);
            fragment.nodes.free_before(i);
        }
        const bool is_root =
            n_begun < fragment.subtrees.size() && fragment.subtrees[n_begun].root == i;
        if (is_root) {
            subtree = fragment.subtrees[n_begun++];
            --shift;
        }
        tree::TreeNode node = std::move(fragment.nodes[i]);
        if (node.first_child >= 0) node.first_child += shift;
        if (node.code_offset >= 0) node.code_offset += code_base;
        if (node.term_offset >= 0) node.term_offset += term_base;
        if (node.cut_offset >= 0) node.cut_offset += cut_base;
        const auto range = std::pair{fragment.leaf_range[i].first + row_base,
                                     fragment.leaf_range[i].second + row_base};
        if (is_root) {
            node.parent = tree.nodes[subtree.anchor].parent;
            tree.nodes[subtree.anchor] = std::move(node);
            figures.leaf_range[subtree.anchor] = range;
            continue;
        }
        const bool is_below_root = static_cast<std::size_t>(node.parent) == subtree.root;
        node.parent =
            is_below_root ? static_cast<std::int32_t>(subtree.anchor) : node.parent + shift;
        tree.nodes.push_back(std::move(node));
        figures.leaf_range.push_back(range);
        if (fragment.medians.empty()) continue;
        const auto line = fragment.medians.begin() + static_cast<std::ptrdiff_t>(i * n_outputs);
        figures.medians.insert(figures.medians.end(), line,
                               line + static_cast<std::ptrdiff_t>(n_outputs));
        figures.deviations.push_back(fragment.deviations[i]);
    }
    append_branches(tree.branches, fragment.branches);
    append_cuts(tree.cuts, fragment.cuts);
    figures.leaf_rows.insert(figures.leaf_rows.end(), fragment.leaf_rows.begin(),
                             fragment.leaf_rows.end());
    figures.leaf_weights.insert(figures.leaf_weights.end(), fragment.leaf_weights.begin(),
                                fragment.leaf_weights.end());
}

/// A node that is summed up, wherever its figures are stored.
struct SummedNode {
    std::int32_t first_child;
    std::int32_t n_branches;
    std::int32_t parent;
    std::int64_t n_rows;
    double lower;
    double upper;
    double& weight;
    double& impurity;
};

struct RecordedNodes {
    tree::Tree& tree;

    [[nodiscard]] std::size_t size() const { return tree.nodes.size(); }
    [[nodiscard]] std::size_t width() const { return tree.width; }
    [[nodiscard]] double* value(std::size_t i) const { return tree.value.data() + i * tree.width; }
    SummedNode operator[](std::size_t i) const {
        tree::TreeNode& node = tree.nodes[i];
        return {node.first_child, node.n_branches, node.parent, node.n_rows,
                node.lower,       node.upper,      node.weight, node.impurity};
    }
};

/// The same as arrays; without bounds.
struct ListedNodes {
    tree::TreeArrays& arrays;
    std::size_t width_of_value;

    [[nodiscard]] std::size_t size() const { return arrays.first_child.size(); }
    [[nodiscard]] std::size_t width() const { return width_of_value; }
    [[nodiscard]] double* value(std::size_t i) const {
        return arrays.value.data() + i * width_of_value;
    }
    SummedNode operator[](std::size_t i) const {
        constexpr double kNone = std::numeric_limits<double>::infinity();
        return {arrays.first_child[i],
                arrays.n_branches[i],
                arrays.parent[i],
                arrays.n_rows[i],
                -kNone,
                kNone,
                arrays.weight[i],
                arrays.impurity[i]};
    }
};

/// Makes the share of the second class, as it is predicted from the class weights, lie within the
/// node's bounds to the last bit: neighbouring leaves have a bound in common, and a rounding error
/// would make one leaf exceed the other. Where no weights of the node's sum do, a power of two
/// stands for it.
void bound_share(const SummedNode& node, double* value) {
    constexpr int kTries = 8;
    const double share = std::clamp(value[1] / node.weight, node.lower, node.upper);
    const auto fits = [&] {
        const double predicted = value[1] / (value[0] + value[1]);
        return predicted >= node.lower && predicted <= node.upper;
    };
    const auto set = [&](double second, double all) {
        value[1] = std::clamp(second, 0.0, all);
        value[0] = all - value[1];
    };
    double up = share * node.weight;
    double down = up;
    for (int i = 0; i < kTries; ++i) {
        set(up, node.weight);
        if (fits()) return;
        set(down, node.weight);
        if (fits()) return;
        up = std::nextafter(up, node.weight);
        down = std::nextafter(down, 0.0);
    }
    const double power = std::ldexp(1.0, std::ilogb(node.weight));
    set(share * power, power);
}

struct LeafRows {
    std::vector<std::pair<std::size_t, std::size_t>>& range;
    std::vector<std::uint32_t>& rows;
    std::vector<double>& weights;  ///< empty: the rows' own
    Progress& progress;

    /// Calls f(row, weight) for the rows of a leaf in ascending order: sums do not depend on the
    /// order in which the rows were listed.
    template <class F>
    void for_each(std::size_t node, const data::Dataset& data, F&& f) {
        const auto [begin, end] = range[node];
        if (weights.empty()) {
            sort_in_blocks(progress, rows.begin() + static_cast<std::ptrdiff_t>(begin),
                           rows.begin() + static_cast<std::ptrdiff_t>(end));
            in_blocks(progress, end - begin, [&, first = begin](std::size_t from, std::size_t to) {
                for (std::size_t i = first + from; i < first + to; ++i)
                    f(rows[i], data.weight.empty() ? 1.0 : data.weight[rows[i]]);
            });
            return;
        }
        std::vector<std::pair<std::uint32_t, double>> sorted;
        for (std::size_t i = begin; i < end; ++i) sorted.emplace_back(rows[i], weights[i]);
        sort_in_blocks(progress, sorted.begin(), sorted.end());
        in_blocks(progress, sorted.size(), [&](std::size_t from, std::size_t to) {
            for (std::size_t i = from; i < to; ++i) f(sorted[i].first, sorted[i].second);
        });
    }
};

/// `count_leaf(node, weight, value)` adds up the class weights of a leaf.
template <class Nodes, class CountLeaf>
void summarise_classes(const Nodes& nodes, const data::Dataset& data, const GrowOptions& options,
                       Progress& progress, const CountLeaf& count_leaf) {
    const split::Reciprocals none(0);
    const std::unique_ptr<Finder> finder = make_finder(data, options, none, progress);
    std::vector<double> sums(finder->width());
    for (std::size_t i = nodes.size(); i-- > 0;) {
        if (i % kNodesPerCheck == 0) progress.check(true);
        const SummedNode node = nodes[i];
        double* value = nodes.value(i);
        if (node.first_child < 0) {
            count_leaf(i, node.weight, value);
        } else {
            for (std::int32_t b = 0; b < node.n_branches; ++b) {
                const auto child = static_cast<std::size_t>(node.first_child + b);
                node.weight += nodes[child].weight;
                for (std::size_t k = 0; k < nodes.width(); ++k) value[k] += nodes.value(child)[k];
            }
        }
        sums[criteria::kCopies] = static_cast<double>(node.n_rows);
        sums[criteria::kWeight] = node.weight;
        std::copy(value, value + nodes.width(), sums.begin() + criteria::kStatistics);
        node.impurity = finder->impurity_of(sums.data());
    }
    if (options.monotonic.empty()) return;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        const SummedNode node = nodes[i];
        double* value = nodes.value(i);
        if (node.weight > 0.0) bound_share(node, value);
    }
}

template <class Nodes>
void summarise_classes(const Nodes& nodes, LeafRows& leaves, const data::Dataset& data,
                       const GrowOptions& options) {
    const data::Target& target = data.target;
    const auto count_leaf = [&](std::size_t leaf, double& all, double* value) {
        leaves.for_each(leaf, data, [&](std::uint32_t row, double weight) {
            all += weight;
            std::size_t start = 0;
            for (std::size_t o = 0; o < target.n_outputs; ++o) {
                value[start + static_cast<std::size_t>(
                                  target.classes[row * target.n_outputs + o])] += weight;
                start += target.n_classes[o];
            }
        });
    };
    summarise_classes(nodes, data, options, leaves.progress, count_leaf);
}

/// One sum for each output, in two doubles (base/exact_sum.hpp); apart, so that a loop over the
/// outputs fills wide registers.
struct OutputSums {
    double* high;
    double* low;

    [[nodiscard]] double value(std::size_t output) const { return high[output] + low[output]; }
};

/// Adds weight * y, output by output.
TREEWRIGHT_SIMD void add_values(OutputSums sums, const double* y, double weight, std::size_t n) {
    if (weight == 1.0) {
        TREEWRIGHT_INDEPENDENT
        for (std::size_t o = 0; o < n; ++o) add_with_error(sums.high[o], sums.low[o], y[o]);
        return;
    }
    TREEWRIGHT_INDEPENDENT
    for (std::size_t o = 0; o < n; ++o) {
        const double product = weight * y[o];
        add_with_error(sums.high[o], sums.low[o], product);
        sums.low[o] += __builtin_fma(weight, y[o], -product);
    }
}

/// Adds weight * (y - mean)^2, output by output.
TREEWRIGHT_SIMD void add_squares(OutputSums sums, const double* y, const double* mean,
                                 double weight, std::size_t n) {
    TREEWRIGHT_INDEPENDENT
    for (std::size_t o = 0; o < n; ++o)
        add_with_error(sums.high[o], sums.low[o], weight * (y[o] - mean[o]) * (y[o] - mean[o]));
}

TREEWRIGHT_SIMD void add_sums(OutputSums sums, OutputSums others, std::size_t n) {
    TREEWRIGHT_INDEPENDENT
    for (std::size_t o = 0; o < n; ++o) {
        add_with_error(sums.high[o], sums.low[o], others.high[o]);
        add_with_error(sums.high[o], sums.low[o], others.low[o]);
    }
}

/// same[o] is cleared where y[o] is not first[o].
TREEWRIGHT_SIMD void compare(std::uint8_t* same, const double* y, const double* first,
                             std::size_t n) {
    TREEWRIGHT_INDEPENDENT
    for (std::size_t o = 0; o < n; ++o) same[o] &= static_cast<std::uint8_t>(y[o] == first[o]);
}

/// Sums about a common origin, so that children can be merged: weight, values, squares about the
/// mean (Chan, Golub, LeVeque 1983), and y log y for the Poisson deviance. They are needed until
/// the parent has been summed up: their places are taken again, so that few are in memory at once,
/// whatever the number of nodes.
class ValueSummaries {
public:
    ValueSummaries(std::size_t n_nodes, std::size_t n_outputs, bool has_logs)
        : n_outputs(n_outputs), stride(1 + (has_logs ? 6 : 4) * n_outputs), place_of_node(n_nodes) {
        places.reserve(n_nodes * stride);  // not touched before it is used
    }
    void take_place(std::size_t node) {
        if (free_places.empty()) {
            free_places.push_back(static_cast<std::uint32_t>(places.size() / stride));
            places.resize(places.size() + stride);
        }
        place_of_node[node] = free_places.back();
        free_places.pop_back();
        std::fill_n(&weight(node), stride, 0.0);
    }
    void give_back(std::size_t node) { free_places.push_back(place_of_node[node]); }

    [[nodiscard]] double& weight(std::size_t node) { return places[place_of_node[node] * stride]; }
    [[nodiscard]] OutputSums values(std::size_t node) { return sums_at(node, 0); }
    [[nodiscard]] OutputSums squares(std::size_t node) { return sums_at(node, 2); }
    [[nodiscard]] OutputSums logs(std::size_t node) { return sums_at(node, 4); }

private:
    [[nodiscard]] OutputSums sums_at(std::size_t node, std::size_t which) {
        double* first = &weight(node) + 1 + which * n_outputs;
        return {first, first + n_outputs};
    }

    std::size_t n_outputs;
    std::size_t stride;
    std::vector<double> places;
    std::vector<std::uint32_t> place_of_node;
    std::vector<std::uint32_t> free_places;
};

template <class Nodes>
void summarise_values(const Nodes& nodes, LeafRows& leaves, const data::Dataset& data,
                      const GrowOptions& options) {
    const data::Target& target = data.target;
    const std::size_t n_outputs = target.n_outputs;
    const criteria::Traits criterion = criteria::traits_of(options.criterion);
    ValueSummaries summaries(nodes.size(), n_outputs, criterion.is_deviance);
    std::vector<double> first(n_outputs);  // of the leaf at hand, by output
    std::vector<double> means(n_outputs);
    std::vector<std::uint8_t> same(n_outputs);
    const auto sum_up_leaf = [&](std::size_t i) {
        double& weight_of_leaf = summaries.weight(i);
        const OutputSums values = summaries.values(i);
        bool is_first = true;
        leaves.for_each(i, data, [&](std::uint32_t row, double weight) {
            const double* y = target.values.data() + row * n_outputs;
            if (is_first) std::copy(y, y + n_outputs, first.begin());
            if (is_first) std::fill(same.begin(), same.end(), std::uint8_t{1});
            else compare(same.data(), y, first.data(), n_outputs);
            is_first = false;
            weight_of_leaf += weight;
            add_values(values, y, weight, n_outputs);
        });
        for (std::size_t o = 0; o < n_outputs; ++o)
            means[o] = is_first ? 0.0 : same[o] ? first[o] : values.value(o) / weight_of_leaf;
        const auto [begin, end] = leaves.range[i];
        if (end - begin == 1 && !criterion.is_deviance) return;  // a row is its own mean
        leaves.for_each(i, data, [&](std::uint32_t row, double weight) {
            const double* y = target.values.data() + row * n_outputs;
            add_squares(summaries.squares(i), y, means.data(), weight, n_outputs);
            for (std::size_t o = 0; criterion.is_deviance && o < n_outputs; ++o) {
                const OutputSums logs = summaries.logs(i);
                if (y[o] > 0.0)
                    add_with_error(logs.high[o], logs.low[o], weight * y[o] * std::log(y[o]));
            }
        });
    };
    const auto merge_children = [&](std::size_t i) {
        const SummedNode node = nodes[i];
        const auto first_child = static_cast<std::size_t>(node.first_child);
        const std::size_t end = first_child + static_cast<std::size_t>(node.n_branches);
        double& weight = summaries.weight(i);
        const OutputSums values = summaries.values(i);
        for (std::size_t child = first_child; child < end; ++child) {
            weight += summaries.weight(child);
            add_sums(values, summaries.values(child), n_outputs);
            if (criterion.is_deviance)
                add_sums(summaries.logs(i), summaries.logs(child), n_outputs);
        }
        for (std::size_t o = 0; o < n_outputs; ++o) means[o] = values.value(o) / weight;
        for (std::size_t child = first_child; child < end; ++child) {
            if (!(summaries.weight(child) > 0.0)) continue;
            add_sums(summaries.squares(i), summaries.squares(child), n_outputs);
            add_squares(summaries.squares(i), nodes.value(child), means.data(),
                        summaries.weight(child), n_outputs);
        }
        for (std::size_t child = first_child; child < end; ++child) summaries.give_back(child);
    };
    for (std::size_t i = nodes.size(); i-- > 0;) {
        if (i % kNodesPerCheck == 0) leaves.progress.check(true);
        const SummedNode node = nodes[i];
        summaries.take_place(i);
        if (node.first_child < 0) sum_up_leaf(i);
        else merge_children(i);
        const double weight = summaries.weight(i);
        const OutputSums squares = summaries.squares(i);
        node.weight = weight;
        for (std::size_t o = 0; o < n_outputs; ++o) {
            const double mean = means[o];
            nodes.value(i)[o] = weight > 0.0 ? mean : 0.0;
            double impurity = 0.0;
            if (weight > 0.0)
                impurity = criteria::impurity_of_squares(criterion, squares.value(o), weight);
            if (target.impurity && weight > 0.0)
                impurity =
                    criteria::given_impurity(target.impurity, weight, mean, squares.value(o));
            if (criterion.is_deviance && mean > 0.0 && weight > 0.0)
                impurity =
                    (summaries.logs(i).value(o) - summaries.values(i).value(o) * std::log(mean)) /
                    weight;
            if (!target.impurity) impurity = std::max(0.0, impurity);  // but for rounding
            node.impurity += impurity / static_cast<double>(n_outputs);
        }
    }
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        if (i % kNodesPerCheck == 0) leaves.progress.check(true);
        const SummedNode node = nodes[i];
        for (std::size_t o = 0; o < n_outputs; ++o) {
            double& value = nodes.value(i)[o];
            if (node.weight <= 0.0 && node.parent >= 0)  // an empty branch predicts as its parent
                value = nodes.value(static_cast<std::size_t>(node.parent))[o];
            if (!options.monotonic.empty()) value = std::clamp(value, node.lower, node.upper);
        }
    }
}

/// The figures of a tree whose nodes have their questions; `rows` are those of the leaves.
void sum_up(tree::Tree& tree, NodeRows& rows, const data::Dataset& data, const GrowOptions& options,
            Progress& progress) {
    const std::size_t n_outputs = data.target.n_outputs;
    LeafRows leaves{rows.leaf_range, rows.leaf_rows, rows.leaf_weights, progress};
    const std::vector<double>& medians = rows.medians;
    const std::vector<double>& deviations = rows.deviations;
    tree.width = data.target.width();
    tree.value.reserve(tree.nodes.size() * tree.width);
    in_blocks(progress, tree.nodes.size() * tree.width,
              [&](std::size_t, std::size_t end) { tree.value.resize(end, 0.0); });
    if (data.target.is_classification()) {
        summarise_classes(RecordedNodes{tree}, leaves, data, options);
    } else {
        summarise_values(RecordedNodes{tree}, leaves, data, options);
        progress.check(true);
        if (!medians.empty())
            for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
                tree.nodes[i].impurity = deviations[i];
                const bool empty = tree.nodes[i].weight <= 0.0 && tree.nodes[i].parent >= 0;
                const auto from = empty ? static_cast<std::size_t>(tree.nodes[i].parent) : i;
                for (std::size_t o = 0; o < n_outputs; ++o) {
                    double& value = tree.value[i * n_outputs + o];
                    value = medians[from * n_outputs + o];
                    if (!options.monotonic.empty())
                        value = std::clamp(value, tree.nodes[i].lower, tree.nodes[i].upper);
                }
            }
    }
}

}  // namespace

void join(Parts& parts, const data::Dataset& data, const GrowOptions& options, Progress& progress) {
    Fragment& top = parts.top;
    tree::Tree& tree = parts.tree;
    const std::size_t n_outputs = data.target.n_outputs;
    std::size_t n_nodes = top.nodes.size();
    for (const Fragment& fragment : parts.fragments)
        n_nodes += fragment.nodes.size() - fragment.subtrees.size();
    tree.nodes.reserve(n_nodes);
    for (std::size_t i = 0; i < top.nodes.size(); ++i) {
        if (i % kNodesPerCheck == 0) {
            progress.check(true);
            top.nodes.free_before(i);
        }
        tree.nodes.push_back(std::move(top.nodes[i]));
    }
    tree.branches = std::move(top.branches);
    tree.terms = std::move(top.terms);
    tree.cuts = std::move(top.cuts);
    NodeRows& figures = parts.rows;
    figures = {std::move(top.leaf_range), std::move(top.leaf_rows), std::move(top.leaf_weights),
               std::move(top.medians), std::move(top.deviations)};
    figures.leaf_range.reserve(n_nodes);
    for (Fragment& fragment : parts.fragments) {
        append(tree, figures, fragment, n_outputs, progress);
        fragment = {};
    }
    sum_up(tree, figures, data, options, progress);
}

void sum_up(tree::TreeArrays& arrays, NodeRows& rows, const data::Dataset& data,
            const GrowOptions& options, Progress& progress) {
    LeafRows leaves{rows.leaf_range, rows.leaf_rows, rows.leaf_weights, progress};
    const ListedNodes nodes{arrays, data.target.width()};
    if (data.target.is_classification()) summarise_classes(nodes, leaves, data, options);
    else summarise_values(nodes, leaves, data, options);
}

void sum_up_counts(tree::TreeArrays& arrays, const data::Dataset& data, const GrowOptions& options,
                   Progress& progress) {
    const std::size_t width = data.target.width();
    summarise_classes(ListedNodes{arrays, width}, data, options, progress,
                      [&](std::size_t, double& all, const double* value) {
                          all = std::accumulate(value, value + width, 0.0);
                      });
}

}  // namespace treewright::grow
