#include "treewright/boosting/linear_leaves.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace treewright::boosting {
namespace {

constexpr std::size_t kLeafRowsPerBlock = 1024;
constexpr std::size_t kLanes = 8;
/// A column is left out if the columns before it explain all but this share of its variance.
constexpr double kAlike = 1e-10;

/// Count, mean and sum of squared deviations of some numbers.
struct Spread {
    double weight = 0.0;
    double mean = 0.0;
    double squares = 0.0;

    /// Chan, Golub and LeVeque 1983: as if all numbers had been summed together.
    void add(const Spread& other) {
        const double all = weight + other.weight;
        if (!(all > 0.0)) return;
        const double off = other.mean - mean;
        mean += off * (other.weight / all);
        squares += other.squares + off * off * (weight * (other.weight / all));
        weight = all;
    }
};

/// Sums of products over the rows of a block, in lanes: the order of additions is fixed, and the
/// compiler may vectorise them. `n` is a multiple of kLanes.
double dot(const double* a, const double* b, std::size_t n) {
    double lane[kLanes] = {};
    for (std::size_t i = 0; i < n; i += kLanes)
        for (std::size_t k = 0; k < kLanes; ++k) lane[k] += a[i + k] * b[i + k];
    return ((lane[0] + lane[4]) + (lane[2] + lane[6])) +
           ((lane[1] + lane[5]) + (lane[3] + lane[7]));
}

/// Solves a x = b for a symmetric a (lower triangle by rows), which is overwritten, by Cholesky's
/// method; unknowns of linearly dependent columns are 0.
void solve(std::vector<double>& a, std::vector<double>& b) {
    const std::size_t n = b.size();
    const auto at = [&](std::size_t i, std::size_t j) -> double& { return a[i * (i + 1) / 2 + j]; };
    for (std::size_t j = 0; j < n; ++j) {
        const double own = at(j, j);
        double pivot = own;
        for (std::size_t k = 0; k < j; ++k) pivot -= at(j, k) * at(j, k);
        const bool is_alike = !(pivot > kAlike * own);
        at(j, j) = is_alike ? 0.0 : std::sqrt(pivot);
        for (std::size_t i = j + 1; i < n; ++i) {
            for (std::size_t k = 0; k < j; ++k) at(i, j) -= at(i, k) * at(j, k);
            at(i, j) = is_alike ? 0.0 : at(i, j) / at(j, j);
        }
    }
    for (std::size_t j = 0; j < n; ++j) {
        for (std::size_t k = 0; k < j; ++k) b[j] -= at(j, k) * b[k];
        b[j] = at(j, j) > 0.0 ? b[j] / at(j, j) : 0.0;
    }
    for (std::size_t j = n; j-- > 0;) {
        for (std::size_t i = j + 1; i < n; ++i) b[j] -= at(i, j) * b[i];
        b[j] = at(j, j) > 0.0 ? b[j] / at(j, j) : 0.0;
    }
}

template <class Row>
class Fitting {
public:
    Fitting(const LineRows& rows, double l2, BoostTree& tree, Team& team)
        : rows(rows), l2(l2), tree(tree), team(team) {}

    void run() {
        choose_terms();
        if (leaves.empty()) return;
        sort_rows();
        each_block(
            [&](const Leaf& leaf, Block& block, Scratch& own) { add_means(leaf, block, own); });
        for (Leaf& leaf : leaves) set_centers(leaf);
        each_block(
            [&](const Leaf& leaf, Block& block, Scratch& own) { add_products(leaf, block, own); });
        team.for_each(leaves.size(), [&](std::size_t i, std::size_t) { set_line(leaves[i]); });
        store();
        if (!tree.has_lines()) return;
        each_block(
            [&](const Leaf& leaf, Block& block, Scratch& own) { note_limits(leaf, block, own); });
        set_limits();
    }

private:
    struct Leaf {
        std::uint32_t node = 0;
        std::size_t begin = 0;  ///< of its rows in `sorted`
        std::size_t end = 0;
        std::size_t first_block = 0;
        std::size_t last_block = 0;
        std::vector<LineTerm> terms;
    };
    /// Some rows of a leaf, and their sums: first by term of the hessian and the number times it,
    /// then of products: lower triangle, and with the gradient; and the range of what the line
    /// adds.
    struct Block {
        std::size_t leaf = 0;
        std::size_t begin = 0;
        std::size_t end = 0;
        std::vector<double> sums;
        Limits limits;
    };
    struct Scratch {
        std::vector<double> gradient = std::vector<double>(kLeafRowsPerBlock);
        std::vector<double> hessian = std::vector<double>(kLeafRowsPerBlock);
        std::vector<double> numbers;  ///< term after term, kLeafRowsPerBlock apart
        std::vector<double> weighed = std::vector<double>(kLeafRowsPerBlock);
    };

    /// The columns of each leaf's line: numeric ones on its path, from the root.
    void choose_terms() {
        const std::size_t n_nodes = tree.nodes.size();
        std::vector<std::uint32_t> parent(n_nodes);
        for (std::size_t i = 0; i < n_nodes; ++i)
            if (!tree.nodes[i].is_leaf())
                for (std::int32_t side = 0; side < 2; ++side)
                    parent[static_cast<std::size_t>(tree.nodes[i].first_child + side)] =
                        static_cast<std::uint32_t>(i);
        std::vector<std::uint32_t> path;
        for (std::uint32_t i = 1; i < n_nodes; ++i) {
            if (!tree.nodes[i].is_leaf()) continue;
            path.clear();
            for (std::uint32_t node = i; node != 0;) {
                node = parent[node];
                path.push_back(tree.nodes[node].column);
            }
            const std::size_t most =
                std::min<std::size_t>(kMostLineTerms, tree.nodes[i].n_rows / 2);
            Leaf leaf;
            leaf.node = i;
            for (auto column = path.rbegin(); column != path.rend(); ++column)
                if (leaf.terms.size() < most && rows.spread[*column] > 0.0 &&
                    std::ranges::find(leaf.terms, *column, &LineTerm::column) == leaf.terms.end())
                    leaf.terms.push_back({*column});
            if (!leaf.terms.empty()) leaves.push_back(std::move(leaf));
        }
    }

    /// Puts the rows of each leaf together, in their order, and divides them into blocks.
    void sort_rows() {
        constexpr auto kNone = static_cast<std::uint32_t>(-1);
        std::vector<std::uint32_t> place(tree.nodes.size(), kNone);
        for (std::size_t i = 0; i < leaves.size(); ++i)
            place[leaves[i].node] = static_cast<std::uint32_t>(i);
        const std::size_t n = rows.sample.empty() ? rows.leaf_of_row.size() : rows.sample.size();
        const auto row_at = [&](std::size_t i) {
            return rows.sample.empty() ? static_cast<std::uint32_t>(i) : rows.sample[i];
        };
        std::vector<std::size_t> next(leaves.size() + 1);
        for (std::size_t i = 0; i < n; ++i) {
            const std::uint32_t leaf = place[rows.leaf_of_row[row_at(i)]];
            if (leaf != kNone) ++next[leaf + 1];
        }
        std::partial_sum(next.begin(), next.end(), next.begin());
        for (std::size_t i = 0; i < leaves.size(); ++i) {
            Leaf& leaf = leaves[i];
            leaf.begin = next[i];
            leaf.end = next[i + 1];
            leaf.first_block = blocks.size();
            for (std::size_t begin = leaf.begin; begin < leaf.end; begin += kLeafRowsPerBlock)
                blocks.push_back({i, begin, std::min(leaf.end, begin + kLeafRowsPerBlock), {}, {}});
            leaf.last_block = blocks.size();
        }
        sorted.resize(next.back());
        for (std::size_t i = 0; i < n; ++i) {
            const std::uint32_t leaf = place[rows.leaf_of_row[row_at(i)]];
            if (leaf != kNone) sorted[next[leaf]++] = row_at(i);
        }
    }

    template <class Work>
    void each_block(Work&& work) {
        std::vector<Scratch> scratch(team.size());
        team.for_each(blocks.size(), [&](std::size_t i, std::size_t thread) {
            work(leaves[blocks[i].leaf], blocks[i], scratch[thread]);
        });
    }

    void read_gradients(const Block& block, Scratch& own) const {
        const int bits = rows.fixed.count_bits;
        std::fill(own.gradient.begin(), own.gradient.end(), 0.0);
        std::fill(own.hessian.begin(), own.hessian.end(), 0.0);
        for (std::size_t i = block.begin; i < block.end; ++i) {
            const Sums sums =
                rows.gradients.template get<Row>(sorted[i]).entry(rows.fixed).sums(bits);
            own.gradient[i - block.begin] =
                static_cast<double>(sums.gradient) * rows.fixed.gradient_unit;
            own.hessian[i - block.begin] =
                static_cast<double>(sums.hessian) * rows.fixed.hessian_unit;
        }
    }

    void add_means(const Leaf& leaf, Block& block, Scratch& own) const {
        read_gradients(block, own);
        block.sums.assign(2 * leaf.terms.size(), 0.0);
        for (std::size_t j = 0; j < leaf.terms.size(); ++j) {
            const data::Column& column = rows.columns[leaf.terms[j].column];
            for (std::size_t i = block.begin; i < block.end; ++i) {
                const double x = column.number(sorted[i]);
                if (!std::isfinite(x)) continue;
                block.sums[2 * j] += own.hessian[i - block.begin];
                block.sums[2 * j + 1] += own.hessian[i - block.begin] * x;
            }
        }
    }

    void set_centers(Leaf& leaf) const {
        for (std::size_t j = 0; j < leaf.terms.size(); ++j) {
            double weight = 0.0;
            double sum = 0.0;
            for (std::size_t b = leaf.first_block; b < leaf.last_block; ++b) {
                weight += blocks[b].sums[2 * j];
                sum += blocks[b].sums[2 * j + 1];
            }
            leaf.terms[j].center = weight > 0.0 ? sum / weight : 0.0;
        }
    }

    void add_products(const Leaf& leaf, Block& block, Scratch& own) const {
        const std::size_t n_terms = leaf.terms.size();
        const std::size_t n = block.end - block.begin;
        const std::size_t n_read = (n + kLanes - 1) / kLanes * kLanes;
        read_gradients(block, own);
        own.numbers.resize(n_terms * kLeafRowsPerBlock);
        block.sums.clear();
        for (std::size_t j = 0; j < n_terms; ++j) {
            const LineTerm& term = leaf.terms[j];
            const data::Column& column = rows.columns[term.column];
            double* numbers = own.numbers.data() + j * kLeafRowsPerBlock;
            for (std::size_t i = 0; i < n; ++i) {
                const double x = column.number(sorted[block.begin + i]);
                numbers[i] = std::isfinite(x) ? x - term.center : 0.0;
                own.weighed[i] = own.hessian[i] * numbers[i];
            }
            std::fill(numbers + n, numbers + n_read, 0.0);
            std::fill(own.weighed.data() + n, own.weighed.data() + n_read, 0.0);
            for (std::size_t k = 0; k <= j; ++k)
                block.sums.push_back(
                    dot(own.weighed.data(), own.numbers.data() + k * kLeafRowsPerBlock, n_read));
        }
        for (std::size_t j = 0; j < n_terms; ++j)
            block.sums.push_back(
                dot(own.gradient.data(), own.numbers.data() + j * kLeafRowsPerBlock, n_read));
    }

    void set_line(Leaf& leaf) const {
        const std::size_t n_terms = leaf.terms.size();
        const std::size_t n_products = n_terms * (n_terms + 1) / 2;
        std::vector<double> sums(n_products + n_terms);
        for (std::size_t b = leaf.first_block; b < leaf.last_block; ++b)
            for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += blocks[b].sums[i];
        const auto spread = [&](std::size_t j) { return rows.spread[leaf.terms[j].column]; };
        std::vector<double> products(sums.begin(),
                                     sums.begin() + static_cast<std::ptrdiff_t>(n_products));
        std::vector<double> slopes(n_terms);
        for (std::size_t j = 0; j < n_terms; ++j) {
            for (std::size_t k = 0; k <= j; ++k)
                products[j * (j + 1) / 2 + k] /= spread(j) * spread(k);
            products[j * (j + 1) / 2 + j] += l2;
            slopes[j] = -sums[n_products + j] / spread(j);
        }
        solve(products, slopes);
        for (std::size_t j = 0; j < n_terms; ++j) leaf.terms[j].coefficient = slopes[j] / spread(j);
        std::erase_if(leaf.terms, [](const LineTerm& term) {
            return !std::isfinite(term.coefficient) || term.coefficient == 0.0;
        });
    }

    void store() {
        tree.line_start.assign(1, 0);
        auto leaf = leaves.begin();
        for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
            if (leaf != leaves.end() && leaf->node == i) {
                tree.line_terms.insert(tree.line_terms.end(), leaf->terms.begin(),
                                       leaf->terms.end());
                ++leaf;
            }
            tree.line_start.push_back(static_cast<std::uint32_t>(tree.line_terms.size()));
        }
        if (tree.line_terms.empty()) tree.line_start.clear();
    }

    void note_limits(const Leaf& leaf, Block& block, Scratch& own) const {
        read_gradients(block, own);
        for (std::size_t i = block.begin; i < block.end; ++i) {
            if (!(own.hessian[i - block.begin] > 0.0)) continue;
            const double part = tree.line_sum(leaf.node, [&](std::size_t column) {
                return rows.columns[column].number(sorted[i]);
            });
            block.limits.low = std::min(block.limits.low, part);
            block.limits.high = std::max(block.limits.high, part);
        }
    }

    void set_limits() {
        tree.line_limits.resize(tree.nodes.size());
        for (const Block& block : blocks) {
            Limits& limits = tree.line_limits[leaves[block.leaf].node];
            limits.low = std::min(limits.low, block.limits.low);
            limits.high = std::max(limits.high, block.limits.high);
        }
    }

    const LineRows& rows;
    double l2;
    BoostTree& tree;
    Team& team;
    std::vector<Leaf> leaves;  ///< that may have a line, ascending
    std::vector<std::uint32_t> sorted;
    std::vector<Block> blocks;
};

}  // namespace

std::vector<double> spreads_of(std::span<const data::Column> columns, std::size_t n_rows,
                               std::span<const double> weight, Team& team) {
    const std::size_t n_blocks = (n_rows + kLeafRowsPerBlock - 1) / kLeafRowsPerBlock;
    std::vector<Spread> parts(n_blocks * columns.size());
    team.for_each(n_blocks, [&](std::size_t block, std::size_t) {
        const std::size_t begin = block * kLeafRowsPerBlock;
        const std::size_t end = std::min(n_rows, begin + kLeafRowsPerBlock);
        for (std::size_t c = 0; c < columns.size(); ++c) {
            if (columns[c].scale != data::Scale::numeric) continue;
            Spread& part = parts[block * columns.size() + c];
            const auto each = [&](auto&& work) {
                for (std::size_t row = begin; row < end; ++row) {
                    const double x = columns[c].number(row);
                    if (std::isfinite(x)) work(x, weight.empty() ? 1.0 : weight[row]);
                }
            };
            double sum = 0.0;
            each([&](double x, double own) {
                part.weight += own;
                sum += own * x;
            });
            if (!(part.weight > 0.0)) continue;
            part.mean = sum / part.weight;
            each([&](double x, double own) {
                part.squares += own * (x - part.mean) * (x - part.mean);
            });
        }
    });
    std::vector<double> spread(columns.size());
    for (std::size_t c = 0; c < columns.size(); ++c) {
        Spread all;
        for (std::size_t block = 0; block < n_blocks; ++block)
            all.add(parts[block * columns.size() + c]);
        const double deviation = all.weight > 0.0 ? std::sqrt(all.squares / all.weight) : 0.0;
        spread[c] = std::isfinite(deviation) ? deviation : 0.0;
    }
    return spread;
}

template <class Row>
void fit_lines(const LineRows& rows, double l2, BoostTree& tree, Team& team) {
    Fitting<Row>(rows, l2, tree, team).run();
}

template void fit_lines<SlimRow>(const LineRows&, double, BoostTree&, Team&);
template void fit_lines<OddsRow>(const LineRows&, double, BoostTree&, Team&);
template void fit_lines<WideRow>(const LineRows&, double, BoostTree&, Team&);
template void fit_lines<NarrowRow>(const LineRows&, double, BoostTree&, Team&);
template void fit_lines<SingleRow>(const LineRows&, double, BoostTree&, Team&);

}  // namespace treewright::boosting
