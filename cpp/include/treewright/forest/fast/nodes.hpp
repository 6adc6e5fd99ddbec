/// Shared by both fast growers: open nodes, limits, drawing columns, comparing them.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "treewright/base/exact_sum.hpp"
#include "treewright/base/progress.hpp"
#include "treewright/base/random.hpp"
#include "treewright/data/dataset.hpp"
#include "treewright/forest/fast/gaps.hpp"
#include "treewright/forest/packed.hpp"
#include "treewright/grow/draw_columns.hpp"
#include "treewright/grow/limits.hpp"
#include "treewright/grow/options.hpp"
#include "treewright/split/judge.hpp"

namespace treewright::forest {

/// A node whose split has not been decided. Parts without a fixed size (columns that still vary,
/// class counts) lie in a pool that grows and shrinks with the stack of open nodes. A cache line.
struct OpenNode {
    std::uint32_t begin;
    std::uint32_t end;
    std::uint32_t node;
    std::uint32_t depth;
    Mixed key{0};
    double weight;
    double sum;     ///< rows of class 1, or the sum of the targets on the grid
    double copies;  ///< rows, each as often as it was drawn; where they weigh differently
    std::uint32_t columns;
    std::uint32_t n_columns;
    std::uint32_t classes;  ///< more than two classes: their counts in the pool
    bool is_home;           ///< its rows have been renumbered
    bool has_gaps;          ///< drawn cuts: some of its rows may lack values
    std::uint8_t room;      ///< where they are (drawn/row_cache.hpp)
    std::uint8_t buffer;    ///< of two, which its rows lie in: a second child takes the other one

    [[nodiscard]] std::uint32_t size() const { return end - begin; }
};
static_assert(sizeof(OpenNode) == 64);  // drawn cuts write one for every child

/// The same with what only best cuts need.
struct FastNode : OpenNode {
    std::uint64_t tied = 0;    ///< bit i: its i-th list may have ties; lists from 63 on share one
    double unit = 0.0;         ///< scale of the grid that its numbers are on, where it has its own
    std::uint16_t pocket = 0;  ///< not 0: which rows of [begin, end) are its own (pocket.hpp)
};

/// The best cut of one column.
struct FastCut {
    std::uint32_t column;
    bool is_constant;
    double decrease;  ///< of the impurity, per unit of the node's weight; below 0: no cut
    GapSide gaps = GapSide::heavier;
    double share = 0.0;  ///< of the node's impurity, that it pays for its choice among many names
};

/// The decrease that a cut adds to the importance of its column.
struct FastCredit {
    std::uint32_t column;
    double decrease;
};

/// A subtree that is grown apart from the top of its tree (parallel_subtrees.hpp).
struct FastPart {
    FastNode node;  ///< its root, as the top has left it
    std::vector<std::uint32_t> columns;
    std::vector<std::uint32_t> classes;
    std::vector<double> class_weights;
    std::uint32_t leaves_before;  ///< leaves of the top that come before its own
    std::size_t credits_before;   ///< the same
    std::size_t rows_before;      ///< of tree.shown.leaf_rows: the same
    PackedTree tree;              ///< the grown subtree; node 0 is the root
    std::vector<FastCredit> credits;
};

/// The best of a node's candidates so far; ties go to the first, as in
/// selection.hpp; `purity` (see concept.hpp) is that of the node, per unit of weight.
class FastLeader {
public:
    /// `or_level`: candidates that tie with the leader matter, too, whichever was first.
    explicit FastLeader(double purity, bool or_level = false)
        : purity(purity), or_level(or_level) {}

    /// Whether the candidate becomes the leader.
    bool meets(const FastCut& cut) {
        const double own = split::kTie * (2.0 * purity + cut.decrease);
        // Which candidate leads is unpredictable: a branch would be mispredicted.
        const bool is_first = best < 0.0;
        const bool leads = (cut.decrease >= 0.0) & (is_first | (cut.decrease > best + own + noise));
        best = leads ? cut.decrease : best;
        noise = leads ? own : noise;
        return leads;
    }
    /// The value that a candidate must exceed to matter.
    [[nodiscard]] double floor() const {
        // Four times as far below as a tie may be: what is said to be there is no tie.
        return std::max(or_level ? best - 8.0 * noise : best, 0.0);
    }

private:
    double purity;
    bool or_level;
    double best = -1.0;
    double noise = 0.0;
};

/// Adds a regression leaf of n rows; `row(i)` returns (target, weight).
template <class Row>
void add_value_leaf(PackedTree& tree, std::uint32_t n, const Row& row) {
    const double first = row(0).first;
    ExactSum sum;
    decltype(row(0).second) weight = 0;
    bool same = true;
    for (std::uint32_t i = 0; i < n; ++i) {
        const auto [value, w] = row(i);
        same = same && value == first;
        sum.add_product(w, value);
        weight += w;
    }
    const double mean = same ? first : sum.value() / weight;
    ExactSum spread;
    for (std::uint32_t i = 0; i < n && !same; ++i) {
        const auto [value, w] = row(i);
        spread.add(w * (value - mean) * (value - mean));
    }
    if constexpr (std::is_same_v<decltype(weight), double>) tree.weights.push_back(weight);
    else tree.counts.push_back(weight);
    tree.values.push_back(mean);
    if (!same || !tree.spread.empty()) {
        tree.spread.resize(tree.values.size());
        tree.spread.back() = spread.value();
    }
}

class FastNodes {
public:
    FastNodes(const grow::GrowOptions& options, const data::Target& target, std::size_t n_columns)
        : options(options),
          n_columns(n_columns),
          n_classes(target.is_classification() ? target.n_classes[0] : 0),
          is_two(n_classes > 0 && n_classes <= 2) {}

    const grow::GrowOptions& options;
    std::size_t n_columns;
    std::uint32_t n_classes;  ///< 0: numbers
    bool is_two;              ///< classes, of which a node's sum counts the second
    double unit = 1.0;        ///< scale of the grid that numbers are on
    PackedTree tree;          ///< the one that grows, in memory that is kept
    std::vector<FastNode> stack;
    std::vector<std::uint32_t> columns;  ///< pool
    std::vector<std::uint32_t> classes;  ///< pool
    std::vector<double> class_weights;   ///< the same, where rows weigh differently
    std::vector<std::uint32_t> drawn;
    std::vector<FastCut> cuts;
    double total_weight = 0.0;
    std::uint32_t n_leaves = 0;
    bool is_unpacked = false;         ///< the finished tree will not stay packed
    bool is_weighed = false;          ///< rows weigh differently
    bool is_shown = false;            ///< the tree stands alone: it notes PackedTree::shown
    bool is_best_first = false;       ///< the node that gains most is divided next
    bool refines = false;             ///< nodes have finer grids than the root, which gains tell
    bool keeps_credits = false;       ///< importances are summed later: the tree has parts
    std::vector<FastCredit> credits;  ///< in the order of the cuts

    /// A new tree; the root's weight, sum and range are the caller's to fill in.
    FastNode& begin(std::uint64_t tree_number) {
        clear();
        columns.assign(options.columns.begin(), options.columns.end());
        FastNode& root = stack.emplace_back();
        root = {};
        root.key = Mixed(mix(options.seed, tree_number));
        root.n_columns = static_cast<std::uint32_t>(columns.size());
        return root;
    }

    /// A part of the tree that `top` grows; its rows are numbered from 0.
    FastNode& begin(const FastNodes& top, const FastPart& part) {
        clear();
        keeps_credits = true;
        unit = top.unit;
        total_weight = top.total_weight;
        columns = part.columns;
        classes = part.classes;
        class_weights = part.class_weights;
        FastNode& root = stack.emplace_back(part.node);
        root.node = root.begin = root.columns = root.classes = 0;
        root.end = part.node.size();
        root.buffer = 0;
        return root;
    }
    void finish(FastPart& part) const {
        part.tree = tree;
        part.credits = credits;
    }

    /// The purity of concept.hpp, per unit of weight; for regression about the mean.
    [[nodiscard]] double purity_of(const OpenNode& node) const {
        if (n_classes == 0) return 0.0;
        const double share = node.sum / node.weight;
        if (is_two) return share * share + (1.0 - share) * (1.0 - share);
        double squares = 0.0;
        for (std::uint32_t k = 0; k < n_classes; ++k) {
            const double count =
                is_weighed ? class_weights[node.classes + k] : classes[node.classes + k];
            squares += count * count;
        }
        return squares / node.weight / node.weight;
    }

    /// Whether gains are needed to the last bit: they are shown, or nodes are compared by them.
    [[nodiscard]] bool needs_gains() const { return is_shown || is_best_first || refines; }

    /// The decrease by a cut in the target's own units, summed over the node's weight.
    [[nodiscard]] double brought_by(const FastCut& cut, double weight, double scale) const {
        return cut.decrease * weight * (n_classes > 0 ? 1.0 : 1.0 / scale / scale);
    }

    /// Adds the decrease by a cut of a node of some weight to the importance of its column.
    void credit(const FastCut& cut, double weight) { credit(cut, weight, unit); }
    /// The same where nodes have grids of their own.
    void credit(const FastCut& cut, double weight, double scale) {
        const double brought = brought_by(cut, weight, scale);
        if (keeps_credits) credits.push_back({cut.column, brought});
        else tree.importance[cut.column] += brought;
    }

    /// The winner among the cuts judged, of which some may pay for their choice (`impurity()` is
    /// the node's); null if there is none, or none that gains enough. Ties as FastLeader has them.
    template <class Impurity>
    [[nodiscard]] const FastCut* select(const OpenNode& node, double purity,
                                        const Impurity& impurity) {
        const bool any_pays = std::any_of(cuts.begin(), cuts.end(),
                                          [](const FastCut& cut) { return cut.share > 0.0; });
        const double whole = any_pays ? impurity() : 0.0;
        const FastCut* best = nullptr;
        double most = 0.0;
        double noise = 0.0;
        for (const FastCut& cut : cuts) {
            const double own = split::kTie * (2.0 * purity + cut.decrease);
            const double score = cut.decrease - cut.share * whole;
            if (cut.decrease < 0.0 || (best != nullptr && !(score > most + own + noise))) continue;
            best = &cut;
            most = score;
            noise = own;
        }
        return best != nullptr && gains_enough(*best, node) ? best : nullptr;
    }
    [[nodiscard]] bool gains_enough(const FastCut& cut, const OpenNode& node) const {
        return options.min_gain <= 0.0 || needs_gains() ||  // the gain that is noted is judged
               grow::gains_enough(options, brought_by(cut, node.weight, unit) / total_weight);
    }

    [[nodiscard]] static bool agrees_of_two(const OpenNode& node) {
        return (node.sum == 0.0) | (node.sum == node.weight);
    }
    /// Whether all rows of a node have the same class.
    [[nodiscard]] bool agrees(const OpenNode& node) const {
        if (is_two) return agrees_of_two(node);
        const std::uint32_t* counts = classes.data() + node.classes;
        const auto all = static_cast<std::uint32_t>(is_weighed ? node.copies : node.weight);
        bool agree = false;  // no way out of the loop: several counts are compared at a time
        for (std::uint32_t k = 0; k < n_classes; ++k) agree |= counts[k] == all;
        return agree;
    }

    /// Adds the counts of a classification leaf.
    void add_counts(const OpenNode& node) {
        if (is_weighed) {
            add_weights(node);
            return;
        }
        if (is_two) {
            const auto positive = static_cast<std::uint32_t>(node.sum);
            tree.counts.push_back(static_cast<std::uint32_t>(node.weight) - positive);
            if (n_classes > 1) tree.counts.push_back(positive);
            return;
        }
        tree.counts.insert(tree.counts.end(), classes.begin() + node.classes,
                           classes.begin() + node.classes + n_classes);
    }

    /// The same of rows that weigh differently.
    void add_weights(const OpenNode& node) {
        if (is_two) {
            tree.weights.push_back(node.weight - node.sum);
            if (n_classes > 1) tree.weights.push_back(node.sum);
            return;
        }
        tree.weights.insert(tree.weights.end(), class_weights.begin() + node.classes,
                            class_weights.begin() + node.classes + n_classes);
    }

    /// Reports progress and checks for an interrupt, once in a while.
    void look_up(Progress& progress, bool is_caller, std::uint32_t n_rows) {
        if (n_rows < until_check && n_rows <= kRowsPerCheck) {
            until_check -= n_rows;
            return;
        }
        until_check = kRowsPerCheck;
        progress.advance(n_closed);
        n_closed = 0;
        progress.check(is_caller);
    }

    FastNode pop() {
        const FastNode node = stack.back();
        stack.pop_back();
        if (!is_best_first) columns.resize(node.columns + node.n_columns);
        return node;
    }

    [[nodiscard]] bool within_limits(std::uint32_t n_rows, std::uint32_t depth,
                                     double weight) const {
        return grow::within_limits(options, n_rows, depth, weight, weight);  // rows count whole
    }
    [[nodiscard]] bool within_limits(const OpenNode& node) const {
        return grow::within_limits(options, node.size(), node.depth, node.copies, node.weight);
    }

    // Columns are drawn without replacement until enough that vary have been judged and one of them
    // offers a cut, as Growth::evaluate_drawn does; ties go to the one drawn first
    // (GrowOptions::random_ties). In a tree that is shown they go to the lower column.

    /// Columns that vary and are to be judged.
    [[nodiscard]] std::size_t n_wanted_of(const OpenNode& node) const {
        return options.max_columns == 0 || options.max_columns >= node.n_columns
                   ? node.n_columns
                   : options.max_columns;
    }
    void begin_draws(const OpenNode& node) {
        cuts.clear();
        drawn.assign(columns.begin() + node.columns,
                     columns.begin() + node.columns + node.n_columns);
        n_drawn = n_ahead = n_varying = n_constant = 0;
        any = false;
        n_wanted = n_wanted_of(node);
        generator = Generator(node.key.with(grow::kColumnDraws));
    }
    /// Whether another column must be drawn, whatever those drawn so far offer.
    [[nodiscard]] bool lacks_varying() const {
        return n_varying < n_wanted && n_drawn < drawn.size();
    }
    /// How many varying columns are still to be drawn.
    [[nodiscard]] std::size_t n_lacking() const { return n_wanted - std::min(n_wanted, n_varying); }
    [[nodiscard]] bool lacks_cut() const { return !any && n_drawn < drawn.size(); }
    /// How many columns are certain to be drawn next, whatever they turn out to be.
    [[nodiscard]] std::size_t n_sure() const {
        const std::size_t n_left = drawn.size() - n_drawn;
        return lacks_varying() ? std::min(n_left, n_wanted - n_varying)
                               : std::min<std::size_t>(n_left, 1);
    }
    /// The first n columns that a node draws: the same as draw_ahead after begin_draws,
    /// found without a list of the rest.
    template <std::uint32_t kMost>
    void first_draws(const OpenNode& node, std::size_t n, std::uint32_t* first) const {
        const std::uint32_t* own = columns.data() + node.columns;
        Generator numbers(node.key.with(grow::kColumnDraws));
        std::uint32_t from[kMost];  // the positions that columns are drawn from
        std::uint32_t left[kMost];  // and the columns put there instead
#pragma GCC unroll 8
        for (std::uint32_t i = 0; i < kMost; ++i) {
            if (i == n) break;
            from[i] = i + static_cast<std::uint32_t>(numbers.below(node.n_columns - i));
            first[i] = own[from[i]];
            left[i] = own[i];
#pragma GCC unroll 8
            for (std::uint32_t j = 0; j < i; ++j) {
                first[i] = from[j] == from[i] ? left[j] : first[i];
                left[i] = from[j] == i ? left[j] : left[i];
            }
        }
    }
    std::uint32_t draw_column() {
        draw_ahead(1);
        return drawn[n_drawn++];
    }
    /// The next columns to be drawn, up to n.
    std::span<const std::uint32_t> draw_ahead(std::size_t n) {
        const std::size_t end = std::min(drawn.size(), n_drawn + n);
        for (; n_ahead < end; ++n_ahead)
            if (!is_shown || !wants_all()) grow::draw_next(drawn, n_ahead, generator);
        return {drawn.data() + n_drawn, end - n_drawn};
    }
    void note_column(bool is_constant) {
        n_varying += is_constant ? 0 : 1;
        n_constant += is_constant ? 1 : 0;
    }
    void note_cut(const FastCut& cut) {
        note_decrease(cut.decrease);
        cuts.push_back(cut);
    }
    void note_decrease(double decrease) { any = any || decrease >= 0.0; }
    /// Whether all columns of the node are to be judged.
    [[nodiscard]] bool wants_all() const { return n_wanted == drawn.size(); }
    /// Whether ties go to the lower of some columns that are drawn in another order.
    [[nodiscard]] bool draws_shown() const { return is_shown && !wants_all(); }
    void end_draws(OpenNode& node) {
        if (draws_shown())
            std::sort(cuts.begin(), cuts.end(),
                      [](const FastCut& a, const FastCut& b) { return a.column < b.column; });
        if (n_constant > 0 && n_constant < node.n_columns) drop_constant(node);
    }

    /// Adds n nodes, which are to be filled in; returns the number of the first.
    std::uint32_t add_nodes(std::size_t n) {
        const std::size_t first = tree.nodes.size();
        tree.nodes.resize(first + n);
        if (is_shown) tree.shown.nodes.resize(first + n);
        return static_cast<std::uint32_t>(first);
    }
    void set_cut(std::uint32_t node, const FastCut& cut, double threshold, bool first_is_heavier,
                 std::uint32_t first_child) {
        const bool missing_first =
            cut.gaps == GapSide::heavier ? first_is_heavier : cut.gaps == GapSide::first;
        tree.nodes[node] = {threshold, first_child,
                            cut.column | (missing_first ? PackedNode::kMissingFirst : 0U)};
    }

    void add_leaf(std::uint32_t node, std::uint32_t n_rows) {
        tree.nodes[node] = PackedNode::make_leaf(node, n_leaves++);
        n_closed += n_rows;
    }

    /// For two classes: room for the counts of n leaves and the overrun of set_leaf_of_two.
    void make_room_for_leaves(std::size_t n) { tree.counts.resize(n_classes * (n_leaves + n + 1)); }
    /// Writes a leaf, which is overwritten if the node is none: a branch would be mispredicted.
    void set_leaf_of_two(std::uint32_t node, double weight, double sum, bool is_leaf) {
        tree.nodes[node] = PackedNode::make_leaf(node, n_leaves);
        const auto all = static_cast<std::uint32_t>(weight);
        const auto positive = static_cast<std::uint32_t>(sum);
        std::uint32_t* counts = tree.counts.data() + n_classes * n_leaves;
        counts[0] = all - positive;
        counts[n_classes - 1] = n_classes > 1 ? positive : all;
        n_leaves += is_leaf ? 1 : 0;
        n_closed += is_leaf ? all : 0;
    }
    void drop_room_for_leaves() { tree.counts.resize(std::size_t{n_classes} * n_leaves); }

    PackedTree finish() {
        if (is_shown) return std::move(tree);
        for (double& each : tree.importance) each /= total_weight;
        if (!is_unpacked) return breadth_first(tree);
        return is_best_first ? std::move(tree) : depth_first(tree);
    }

private:
    static constexpr std::uint32_t kRowsPerCheck = 4096;
    std::uint32_t until_check = 0;
    std::uint64_t n_closed = 0;  ///< rows in leaves, not yet reported
    Generator generator{0};
    std::size_t n_wanted = 0;
    std::size_t n_drawn = 0;
    std::size_t n_ahead = 0;  ///< of `drawn`, how many have their place
    std::size_t n_varying = 0;
    std::size_t n_constant = 0;
    bool any = false;
    std::vector<std::uint8_t> is_constant;  ///< by column: 0 but while drop_constant runs

    void clear() {
        tree.nodes.assign(1, {});
        tree.counts.clear();
        tree.values.clear();
        tree.spread.clear();
        tree.weights.clear();
        tree.importance.assign(n_columns, 0.0);
        tree.names = {};
        tree.shown.nodes.assign(is_shown ? 1 : 0, {});
        tree.shown.leaf_rows.clear();
        stack.clear();
        classes.clear();
        class_weights.clear();
        n_leaves = 0;
        keeps_credits = false;
        credits.clear();
    }

    void drop_constant(OpenNode& node) {
        const std::uint32_t from = node.columns;
        const std::uint32_t n = node.n_columns;
        node.columns = static_cast<std::uint32_t>(columns.size());
        is_constant.resize(n_columns, 0);
        for (const FastCut& cut : cuts) is_constant[cut.column] = cut.is_constant ? 1 : 0;
        columns.resize(columns.size() + n);
        std::uint32_t* to = columns.data() + node.columns;
        for (std::uint32_t i = from; i < from + n; ++i) {
            *to = columns[i];
            to += 1 - is_constant[columns[i]];
        }
        columns.resize(static_cast<std::size_t>(to - columns.data()));
        for (const FastCut& cut : cuts) is_constant[cut.column] = 0;
        node.n_columns = static_cast<std::uint32_t>(columns.size()) - node.columns;
    }
};

}  // namespace treewright::forest
