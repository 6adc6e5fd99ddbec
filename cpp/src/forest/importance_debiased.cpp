#include "treewright/forest/importance.hpp"
#include "treewright/forest/importance_walk.hpp"

namespace treewright::forest {
namespace {

/// Measures trees by the decrease of impurity of their questions on out-of-bag rows.
template <class T>
class Debiaser {
public:
    Debiaser(const PackedForest& forest, const RowTable<T>& table) : forest(forest), table(table) {}

    OutOfBagRows unseen;  ///< of the tree to measure

    void measure(std::size_t number, bool, std::span<double> out) {
        const PackedTree& tree = forest.trees[number];
        average(tree);
        add_unseen(tree);
        for (std::size_t node = tree.nodes.size(); node-- > 0;)
            if (!tree.nodes[node].is_leaf())
                out[column_of(tree.nodes[node])] += decrease_at(tree, node);
        for (double& decrease : out) decrease /= unseen.total;
    }

private:
    /// Means of the tree's own rows, node by node: class shares or values.
    void average(const PackedTree& tree) {
        const std::size_t width = forest.width();
        mean.resize(tree.nodes.size() * width);
        n_rows.resize(tree.nodes.size());
        for (std::size_t i = tree.nodes.size(); i-- > 0;) {
            const PackedNode& node = tree.nodes[i];
            double* own = mean.data() + i * width;
            if (!node.is_leaf()) {
                const double* left = mean.data() + std::size_t{node.first_child} * width;
                n_rows[i] = n_rows[node.first_child] + n_rows[node.first_child + 1];
                const double share = n_rows[node.first_child + 1] / n_rows[i];
                for (std::size_t k = 0; k < width; ++k)
                    own[k] = left[k] + (left[width + k] - left[k]) * share;
                continue;
            }
            const std::uint32_t* counts = tree.counts.data() + node.leaf() * width;
            n_rows[i] = 0.0;
            for (std::size_t k = 0; k < width; ++k) n_rows[i] += counts[k];
            for (std::size_t k = 0; k < width; ++k)
                own[k] = forest.n_classes == 0 ? tree.values[node.leaf()] : counts[k] / n_rows[i];
        }
    }

    /// Weights and sums of the out-of-bag rows in each leaf; numbers are summed about the root's
    /// mean.
    void add_unseen(const PackedTree& tree) {
        const std::size_t width = forest.width();
        weight.assign(tree.nodes.size(), 0.0);
        sums.assign(tree.nodes.size() * width, 0.0);
        descend<T>(
            tree.nodes, unseen.size(), kNoColumn,
            [&](std::size_t i) { return Walker<T>{table.row(unseen.rows[i]), 0, i}; },
            [&](std::size_t i, const PackedNode& leaf) {
                const auto at = static_cast<std::size_t>(&leaf - tree.nodes.data());
                const double w = unseen.weight[i];
                weight[at] += w;
                if (forest.n_classes > 0)
                    sums[at * width + static_cast<std::size_t>(table.class_of[unseen.rows[i]])] +=
                        w;
                else sums[at] += w * (table.value_of[unseen.rows[i]] - mean[0]);
            });
    }

    /// The decrease of the out-of-bag rows' impurity by the question of a node, whose sums are
    /// added up from its children's.
    double decrease_at(const PackedTree& tree, std::size_t node) {
        const std::size_t width = forest.width();
        const std::size_t left = tree.nodes[node].first_child;
        weight[node] = weight[left] + weight[left + 1];
        if (!(weight[node] > 0.0)) return 0.0;
        double decrease = 0.0;
        for (std::size_t k = 0; k < width; ++k) {
            const double* sum = sums.data() + left * width + k;
            const double total = sum[0] + sum[width];
            for (std::size_t b = 0; b < 2; ++b) {
                const double step = mean[(left + b) * width + k] - mean[node * width + k];
                decrease += step * (sum[b * width] - total * (weight[left + b] / weight[node]));
            }
            sums[node * width + k] = total;
        }
        return decrease;
    }

    const PackedForest& forest;
    const RowTable<T>& table;
    std::vector<double> mean;    ///< nodes x width
    std::vector<double> n_rows;  ///< of the tree's own rows, by node
    std::vector<double> weight;  ///< of the out-of-bag rows, by node
    std::vector<double> sums;    ///< of the out-of-bag rows: nodes x width
};

}  // namespace

std::vector<double> debiased_importances(const PackedForest& forest, const DrawnTable& table,
                                         Progress& progress) {
    return by_tree(forest, table, progress,
                   [&]<class T>(const RowTable<T>& rows) { return Debiaser<T>(forest, rows); });
}

}  // namespace treewright::forest
