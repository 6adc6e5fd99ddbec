/// Plain trees by drawn cuts (Geurts, Ernst, Wehenkel 2006): no order is needed, only the range of
/// a column in a node and the sums left of a drawn threshold. The rows of a node stand one after
/// the other in a matrix, so that both are found for all columns at once, a row at a time:
///
///     row i:   x0  x1  x2 ...      range:  lowest = min(lowest, row), highest = max(highest, row)
///     row i+1: x0  x1  x2 ...      sums:   sum += (row <= thresholds) & target
#include "treewright/grow/plain.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "treewright/base/error.hpp"
#include "treewright/base/exact_sum.hpp"
#include "treewright/data/grid.hpp"
#include "treewright/grow/plain_nodes.hpp"

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define TREEWRIGHT_SIMD \
    __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define TREEWRIGHT_SIMD
#endif

namespace treewright {
namespace {

constexpr std::uint32_t kRowsPerCheck = 4096;

/// What is known of a row beside its values.
struct RowFacts {
    std::uint32_t row;  ///< of the table
    std::uint32_t weight;
    union {
        std::uint64_t class_code;
        double value;  ///< weight x target on the grid
    };
};
static_assert(sizeof(RowFacts) == 16);

template <class T>
struct Lanes;
template <>
struct Lanes<float> {
    static constexpr std::size_t n = 16;
    using Values = float __attribute__((vector_size(64)));
    using Counts = std::int32_t __attribute__((vector_size(64)));
    using Unsigned = std::uint32_t;
};
template <>
struct Lanes<double> {
    static constexpr std::size_t n = 8;
    using Values = double __attribute__((vector_size(64)));
    using Counts = std::int64_t __attribute__((vector_size(64)));
    using Unsigned = std::uint64_t;
};

/// Two vectors are looked at together: the columns [first, first + 2 lanes).
constexpr std::size_t kVectors = 2;

template <class T>
struct Group {
    static constexpr std::size_t n = kVectors * Lanes<T>::n;
    T values[n];
};

template <class Vector, class T>
inline __attribute__((always_inline)) Vector load(const T* from) {
    Vector vector;
    std::memcpy(&vector, from, sizeof vector);
    return vector;
}

template <class T>
TREEWRIGHT_SIMD void find_range(const T* cells, std::size_t stride, std::uint32_t n, T* low,
                                T* high) {
    using V = typename Lanes<T>::Values;
    V lowest[kVectors];
    V highest[kVectors];
    for (std::size_t v = 0; v < kVectors; ++v)
        lowest[v] = highest[v] = load<V>(cells + v * Lanes<T>::n);
    for (std::uint32_t i = 1; i < n; ++i) {
        cells += stride;
        for (std::size_t v = 0; v < kVectors; ++v) {
            const V row = load<V>(cells + v * Lanes<T>::n);
            lowest[v] = row < lowest[v] ? row : lowest[v];
            highest[v] = row > highest[v] ? row : highest[v];
        }
    }
    std::memcpy(low, lowest, sizeof lowest);
    std::memcpy(high, highest, sizeof highest);
}

/// Weight, and weight of class 1, of the rows up to each threshold.
template <class T>
TREEWRIGHT_SIMD void count_two(const T* cells, std::size_t stride, const RowFacts* facts,
                               std::uint32_t n, const T* thresholds, double* weight, double* sum) {
    using V = typename Lanes<T>::Values;
    using C = typename Lanes<T>::Counts;
    using U = typename Lanes<T>::Unsigned;
    V bound[kVectors];
    C weights[kVectors] = {};
    C positives[kVectors] = {};
    for (std::size_t v = 0; v < kVectors; ++v) bound[v] = load<V>(thresholds + v * Lanes<T>::n);
    for (std::uint32_t i = 0; i < n; ++i) {
        const auto w = static_cast<std::make_signed_t<U>>(facts[i].weight);
        const auto p = static_cast<std::make_signed_t<U>>(facts[i].class_code != 0 ? w : 0);
        for (std::size_t v = 0; v < kVectors; ++v) {
            const C below = load<V>(cells + v * Lanes<T>::n) <= bound[v];
            weights[v] += below & w;
            positives[v] += below & p;
        }
        cells += stride;
    }
    for (std::size_t j = 0; j < Group<T>::n; ++j) {
        weight[j] = static_cast<double>(weights[j / Lanes<T>::n][j % Lanes<T>::n]);
        sum[j] = static_cast<double>(positives[j / Lanes<T>::n][j % Lanes<T>::n]);
    }
}

/// Weight and sum of the targets of the rows up to each threshold.
template <class T>
TREEWRIGHT_SIMD void count_values(const T* cells, std::size_t stride, const RowFacts* facts,
                                  std::uint32_t n, const T* thresholds, double* weight,
                                  double* sum) {
    constexpr std::size_t kAll = Group<T>::n;
    double weights[kAll] = {};
    double sums[kAll] = {};
    for (std::uint32_t i = 0; i < n; ++i) {
        const double w = facts[i].weight;
        const double s = facts[i].value;
        for (std::size_t j = 0; j < kAll; ++j) {
            const bool below = cells[j] <= thresholds[j];
            weights[j] += below ? w : 0.0;
            sums[j] += below ? s : 0.0;
        }
        cells += stride;
    }
    std::copy(weights, weights + kAll, weight);
    std::copy(sums, sums + kAll, sum);
}

template <class T>
inline T floor_to(double value) {
    const auto near = static_cast<T>(value);
    return static_cast<double>(near) > value
               ? std::nextafter(near, -std::numeric_limits<T>::infinity())
               : near;
}

template <class T>
class RandomGrower final : public PlainGrower {
public:
    RandomGrower(const PlainData& shared, const std::vector<T>& table, const GrowOptions& options,
                 Progress& progress)
        : table(table),
          data(*shared.data),
          progress(progress),
          nodes(options, data.columns.size()),
          n_classes(data.target.is_classification() ? data.target.n_classes[0] : 0),
          is_two(n_classes > 0 && n_classes <= 2),
          least(std::max({1.0, options.min_leaf, options.min_leaf_weight})) {
        const std::size_t p = data.columns.size();
        stride = (p * sizeof(T) + 15) / 16 * 16 / sizeof(T);
        n_groups = (p + Group<T>::n - 1) / Group<T>::n;
        for (auto* each : {&low, &high, &thresholds}) each->resize(n_groups * Group<T>::n);
        for (auto* each : {&weight_left, &sum_left}) each->resize(n_groups * Group<T>::n);
        drawn_at.resize(p);
        group_state.resize(n_groups);
    }

    PackedTree grow(std::span<const std::uint32_t> copies, std::uint64_t tree,
                    bool is_caller) override {
        PlainNode& root = nodes.begin(tree);
        fill(copies);
        open_root(root);
        std::uint32_t until_check = 0;
        while (!nodes.stack.empty()) {
            PlainNode node = nodes.pop();
            if (n_classes > 2) nodes.classes.resize(node.classes + n_classes);
            if (until_check < node.size() || node.size() > kRowsPerCheck) {
                progress.check(is_caller);
                until_check = kRowsPerCheck;
            }
            until_check -= std::min(until_check, node.size());
            split_or_close(node);
        }
        return nodes.finish();
    }

private:
    void fill(std::span<const std::uint32_t> copies) {
        facts.clear();
        double total = 0.0;
        for (std::size_t row = 0; row < data.n_rows; ++row) {
            if (copies[row] == 0) continue;
            RowFacts fact{};
            fact.row = static_cast<std::uint32_t>(row);
            fact.weight = copies[row];
            if (n_classes > 0)
                fact.class_code = static_cast<std::uint64_t>(data.target.classes[row]);
            total += copies[row];
            facts.push_back(fact);
        }
        require(!facts.empty() && total < 0x1.0p31, "number of rows drawn");
        nodes.total_weight = total;
        const std::size_t p = data.columns.size();
        cells.resize(facts.size() * stride + Group<T>::n * n_groups);
        for (std::size_t i = 0; i < facts.size(); ++i)
            std::copy_n(table.data() + facts[i].row * p, p, cells.data() + i * stride);
        if (spare.size() < cells.size()) spare.resize(cells.size());
        if (spare_facts.size() < facts.size()) spare_facts.resize(facts.size());
    }

    void open_root(PlainNode& root) {
        root.end = static_cast<std::uint32_t>(facts.size());
        root.weight = nodes.total_weight;
        if (n_classes > 2) nodes.classes.assign(n_classes, 0);
        double lowest = std::numeric_limits<double>::infinity();
        double highest = -lowest;
        for (const RowFacts& fact : facts) {
            if (n_classes > 2) nodes.classes[fact.class_code] += fact.weight;
            else if (is_two) root.sum += fact.class_code != 0 ? fact.weight : 0;
            else {
                lowest = std::min(lowest, data.target.values[fact.row]);
                highest = std::max(highest, data.target.values[fact.row]);
            }
        }
        if (n_classes > 0) return;
        const double offset = grid_offset(lowest, highest);
        unit = grid_scale(std::max(highest - offset, offset - lowest), root.weight);
        for (RowFacts& fact : facts) {
            fact.value = std::nearbyint((data.target.values[fact.row] - offset) * unit) *
                         static_cast<double>(fact.weight);
            root.sum += fact.value;
        }
    }

    // ---------------------------------------------------------------- splits

    void split_or_close(PlainNode& node) {
        const T* rows = cells.data() + node.begin * stride;
        std::fill(group_state.begin(), group_state.end(), 0);
        const double purity = purity_of(node);
        nodes.begin_draws(node);
        while (nodes.lacks_varying()) consider(node, rows, nodes.draw_column());
        count(node, rows);
        while (nodes.lacks_cut()) {
            consider(node, rows, nodes.draw_column());
            count(node, rows);
        }
        nodes.end_draws(node);
        const PlainCut* best = select_plain(nodes.cuts, purity);
        if (best == nullptr || best->decrease * node.weight / nodes.total_weight * unit_squared() <
                                   nodes.options.min_gain) {
            close(node);
            return;
        }
        divide(node, *best);
    }

    /// Draws a threshold for a column, if it varies.
    void consider(const PlainNode& node, const T* rows, std::uint32_t column) {
        const std::size_t group = column / Group<T>::n;
        const std::size_t first = group * Group<T>::n;
        if (group_state[group] == 0) {
            find_range(rows + first, stride, node.size(), low.data() + first, high.data() + first);
            std::fill_n(thresholds.begin() + static_cast<std::ptrdiff_t>(first), Group<T>::n,
                        -std::numeric_limits<T>::infinity());
            group_state[group] = 1;
        }
        const bool is_constant = !(low[column] < high[column]);
        nodes.note_column(is_constant);
        if (is_constant) {
            nodes.note_cut({column, true, kNoCut});
            return;
        }
        constexpr double kMost = std::numeric_limits<double>::max();
        const double lowest = std::max(static_cast<double>(low[column]), -kMost);
        const double highest = std::min(static_cast<double>(high[column]), kMost);
        const double share = Generator(mix(node.key, column)).uniform();
        double at = lowest * (1.0 - share) + highest * share;
        if (!(at < highest)) at = lowest;
        drawn_at[column] = at;
        thresholds[column] = floor_to<T>(at);
        group_state[group] = 2;
        pending.push_back(column);
    }

    /// Judges the columns that have been given a threshold.
    void count(const PlainNode& node, const T* rows) {
        const RowFacts* of_rows = facts.data() + node.begin;
        if (n_classes <= 2)
            for (std::size_t group = 0; group < n_groups; ++group) {
                if (group_state[group] != 2) continue;
                const std::size_t first = group * Group<T>::n;
                const auto by = n_classes == 0 ? count_values<T> : count_two<T>;
                by(rows + first, stride, of_rows, node.size(), thresholds.data() + first,
                   weight_left.data() + first, sum_left.data() + first);
                group_state[group] = 1;
            }
        for (const std::uint32_t column : pending)
            nodes.note_cut(
                {column, false,
                 n_classes > 2 ? judge_classes(node, rows, column) : judge_sums(node, column)});
        pending.clear();
    }

    [[nodiscard]] double judge_sums(const PlainNode& node, std::uint32_t column) const {
        const double w = weight_left[column];
        if (w < least || node.weight - w < least) return kNoCut;
        double whole = is_two ? 0.0 : std::nearbyint(node.sum / node.weight);
        const double rest = (node.sum - whole * node.weight) / node.weight;
        const double excess = (sum_left[column] - whole * w) - rest * w;
        return (is_two ? 2.0 : 1.0) * (excess * excess / (w * (node.weight - w)));
    }

    [[nodiscard]] double judge_classes(const PlainNode& node, const T* rows, std::uint32_t column) {
        class_left.assign(n_classes, 0);
        const T bound = thresholds[column];
        const RowFacts* of_rows = facts.data() + node.begin;
        for (std::uint32_t i = 0; i < node.size(); ++i)
            class_left[of_rows[i].class_code] +=
                rows[i * stride + column] <= bound ? of_rows[i].weight : 0;
        double w = 0.0;
        double of_left = 0.0;
        double of_right = 0.0;
        for (std::uint32_t k = 0; k < n_classes; ++k) {
            const double here = class_left[k];
            const double there = nodes.classes[node.classes + k] - here;
            w += here;
            of_left += here * here;
            of_right += there * there;
        }
        if (w < least || node.weight - w < least) return kNoCut;
        const double score = of_left / w + of_right / (node.weight - w);
        return std::max(0.0, score / node.weight - purity_of(node));
    }

    [[nodiscard]] double purity_of(const PlainNode& node) const {
        if (n_classes > 2) {
            double squares = 0.0;
            for (std::uint32_t k = 0; k < n_classes; ++k) {
                const double count = nodes.classes[node.classes + k];
                squares += count * count;
            }
            return squares / node.weight / node.weight;
        }
        const double share = node.sum / node.weight;
        return is_two ? share * share + (1.0 - share) * (1.0 - share) : 0.0;
    }

    [[nodiscard]] double unit_squared() const { return n_classes > 0 ? 1.0 : 1.0 / unit / unit; }

    void divide(PlainNode& node, const PlainCut& cut) {
        const double at = drawn_at[cut.column];
        const bool is_real = data.columns[cut.column].is_real();
        PlainNode children[2] = {node, node};
        const std::uint32_t n_left = partition(node, cut.column);
        children[0].end = children[1].begin = node.begin + n_left;
        sum_children(node, cut.column, children);
        nodes.tree.importance[cut.column] += cut.decrease * node.weight * unit_squared();
        const std::uint32_t first =
            nodes.add_children(node.node, cut.column, is_real ? at : std::floor(at),
                               children[0].weight >= children[1].weight);
        bool grows[2];
        for (std::uint32_t b = 0; b < 2; ++b) {
            PlainNode& child = children[b];
            child.node = first + b;
            child.depth = node.depth + 1;
            child.key = mix(node.key, b);
            grows[b] =
                nodes.within_limits(child.size(), child.depth, child.weight) && !is_settled(child);
            if (!grows[b]) close(child);
        }
        if (grows[1]) nodes.stack.push_back(children[1]);
        if (grows[0]) nodes.stack.push_back(children[0]);
    }

    void sum_children(const PlainNode& node, std::uint32_t column, PlainNode* children) {
        if (n_classes <= 2) {
            children[0].weight = weight_left[column];
            children[0].sum = sum_left[column];
        } else {
            // The child that is looked at first lies last, so that the pool shrinks with the stack.
            children[1].classes = static_cast<std::uint32_t>(nodes.classes.size());
            children[0].classes = children[1].classes + n_classes;
            nodes.classes.resize(nodes.classes.size() + 2 * n_classes, 0);
            std::uint32_t* of_left = nodes.classes.data() + children[0].classes;
            children[0].weight = 0.0;
            for (std::uint32_t i = children[0].begin; i < children[0].end; ++i) {
                of_left[facts[i].class_code] += facts[i].weight;
                children[0].weight += facts[i].weight;
            }
            for (std::uint32_t k = 0; k < n_classes; ++k)
                nodes.classes[children[1].classes + k] =
                    nodes.classes[node.classes + k] - of_left[k];
        }
        children[1].weight = node.weight - children[0].weight;
        children[1].sum = node.sum - children[0].sum;
    }

    /// Rows up to the threshold to the front, the others behind them, either in order.
    std::uint32_t partition(const PlainNode& node, std::uint32_t column) {
        using Unit = std::uint64_t __attribute__((vector_size(16)));
        const T bound = thresholds[column];
        const std::size_t units = stride * sizeof(T) / 16;
        T* rows = cells.data() + node.begin * stride;
        RowFacts* of_rows = facts.data() + node.begin;
        std::uint32_t n_left = 0;
        std::uint32_t n_right = 0;
        for (std::uint32_t i = 0; i < node.size(); ++i) {
            const T* from = rows + i * stride;
            const bool is_left = from[column] <= bound;
            T* to = is_left ? rows + n_left * stride : spare.data() + n_right * stride;
            RowFacts* fact = is_left ? of_rows + n_left : spare_facts.data() + n_right;
            for (std::size_t unit16 = 0; unit16 < units; ++unit16) {
                const auto moved = load<Unit>(from + unit16 * (16 / sizeof(T)));
                std::memcpy(to + unit16 * (16 / sizeof(T)), &moved, sizeof moved);
            }
            *fact = of_rows[i];
            n_left += is_left ? 1 : 0;
            n_right += is_left ? 0 : 1;
        }
        std::memcpy(rows + n_left * stride, spare.data(), n_right * stride * sizeof(T));
        std::memcpy(of_rows + n_left, spare_facts.data(), n_right * sizeof(RowFacts));
        return n_left;
    }

    [[nodiscard]] bool is_settled(const PlainNode& node) const {
        if (is_two) return node.sum == 0.0 || node.sum == node.weight;
        const auto begin = facts.begin() + node.begin;
        const auto end = facts.begin() + node.end;
        if (n_classes > 0)
            return std::all_of(begin, end, [&](const RowFacts& fact) {
                return fact.class_code == begin->class_code;
            });
        return std::all_of(begin, end, [&](const RowFacts& fact) {
            return data.target.values[fact.row] == data.target.values[begin->row];
        });
    }

    void close(const PlainNode& node) {
        nodes.add_leaf(node.node);
        PackedTree& tree = nodes.tree;
        if (is_two) {
            const auto positive = static_cast<std::uint32_t>(node.sum);
            tree.counts.push_back(static_cast<std::uint32_t>(node.weight) - positive);
            if (n_classes > 1) tree.counts.push_back(positive);
        } else if (n_classes > 2) {
            tree.counts.insert(tree.counts.end(), nodes.classes.begin() + node.classes,
                               nodes.classes.begin() + node.classes + n_classes);
        } else {
            add_value_leaf(tree, node.size(), [&](std::uint32_t i) {
                const RowFacts& fact = facts[node.begin + i];
                return std::pair{data.target.values[fact.row], fact.weight};
            });
        }
        progress.advance(node.size());
    }

    static constexpr double kNoCut = -1.0;

    const std::vector<T>& table;
    const Dataset& data;
    Progress& progress;
    PlainNodes nodes;
    std::uint32_t n_classes;
    bool is_two;
    double least;
    double unit = 1.0;
    std::size_t stride = 0;
    std::size_t n_groups = 0;
    std::vector<T> cells;
    std::vector<T> spare;
    std::vector<RowFacts> facts;
    std::vector<RowFacts> spare_facts;
    std::vector<T> low;
    std::vector<T> high;
    std::vector<T> thresholds;
    std::vector<double> drawn_at;  ///< by column
    std::vector<double> weight_left;
    std::vector<double> sum_left;
    std::vector<std::uint32_t> class_left;
    std::vector<char> group_state;  ///< 0: nothing known, 1: range known, 2: thresholds to count by
    std::vector<std::uint32_t> pending;
};

}  // namespace

std::unique_ptr<PlainGrower> make_random_grower(const PlainData& shared, const GrowOptions& options,
                                                Progress& progress) {
    if (shared.doubles.empty())
        return std::make_unique<RandomGrower<float>>(shared, shared.singles, options, progress);
    return std::make_unique<RandomGrower<double>>(shared, shared.doubles, options, progress);
}

}  // namespace treewright
