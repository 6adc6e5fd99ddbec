/// Trees of the fast grower by best cuts that keep no column in order: a node is a range of rows,
/// and only the columns it draws are looked at (row_runs.hpp, row_cuts.hpp). For tables of many
/// columns, of which a node draws few, and of columns of few values.
#include "treewright/forest/fast/grower.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "treewright/base/error.hpp"
#include "treewright/base/huge_pages.hpp"
#include "treewright/data/target_grid.hpp"
#include "treewright/forest/fast/parallel_subtrees.hpp"
#include "treewright/forest/fast/row_cuts.hpp"
#include "treewright/grow/question.hpp"

namespace treewright::forest {
namespace {

class RowGrower final : public FastGrower, private RowCuts {
public:
    RowGrower(const FastData& shared, const grow::GrowOptions& options, Progress& progress)
        : RowCuts(shared, options), progress(progress) {}

    PackedTree grow(const DrawnRows& drawn, std::uint64_t tree, bool is_caller,
                    Team& team) override {
        asks = is_caller;
        begin_limits();
        FastNode& root = nodes.begin(tree);
        take_rows(drawn, root);
        parts.begin(team, own.size());
        nodes.keeps_credits = parts.is_shared();
        look_up(root);
        open_root(root);
        if (!nodes.within_limits(root) || is_settled(root)) {
            close(root);
            nodes.stack.clear();
        }
        grow_open();
        if (parts.is_shared()) grow_parts();
        return nodes.finish();
    }

private:
    void grow_open() {
        while (!nodes.stack.empty()) {
            FastNode node = nodes.pop();
            if (kind == Kind::classes) nodes.classes.resize(node.classes + n_classes);
            if (kind == Kind::classes && is_weighed)
                nodes.class_weights.resize(node.classes + n_classes);
            if (parts.takes(node)) {
                parts.add(nodes, node);
                continue;
            }
            nodes.look_up(progress, asks, node.size());
            if (shared.bit_rows.any() && !node.is_home && node.size() <= BitHome::kMostRows)
                bring_home(node);
            look_up(node);
            split_or_close(node);
        }
    }

    // ---------------------------------------------------------------- parts of a tree

    void grow_parts() {
        while (crew.size() < parts.n_threads())
            crew.push_back(std::make_unique<RowGrower>(shared, nodes.options, progress));
        parts.grow([&](FastPart& part, std::size_t thread) {
            crew[thread]->grow_part(*this, part, asks && thread == 0);
        });
        parts.join(nodes);
    }

    void grow_part(const RowGrower& top, FastPart& part, bool is_caller) {
        asks = is_caller;
        begin_limits();
        const FastNode& root = nodes.begin(top.nodes, part);
        make_room(root.size());
        std::copy_n(top.own.data() + part.node.begin, root.size(), own.data());
        grid_of_table = top.grid_of_table;
        weighed_of_table = top.weighed_of_table;
        of_classes = top.of_classes;
        grow_open();
        nodes.finish(part);
    }

    // ---------------------------------------------------------------- rows

    /// An entry for each row drawn, in the order of the table; rows drawn more often than an entry
    /// can count have several.
    void take_rows(const DrawnRows& drawn, FastNode& root) {
        weight_of_table = drawn.weight;
        const auto times_of = [&](std::size_t row) {
            return is_weighed && weight_of_table[row] == 0.0 ? 0 : drawn.copies[row];
        };
        std::size_t n = 0;
        root.weight = root.copies = 0.0;
        for (std::size_t row = 0; row < data.n_rows; ++row) {
            const std::uint32_t times = times_of(row);
            n += (std::size_t{times} + kMostWeight - 1) / kMostWeight;
            root.copies += times;
            root.weight += times * (is_weighed ? weight_of_table[row] : 1.0);
        }
        require(n > 0 && n < kMostRows && root.copies < 0x1.0p31, "number of rows drawn");
        nodes.total_weight = root.weight;
        make_room(n);
        std::uint32_t* to = own.data();
        for (std::size_t row = 0; row < data.n_rows; ++row) {
            const std::uint32_t positive =
                kind == Kind::two_classes && data.target.classes[row] == 1 ? kPositive : 0;
            for (std::uint32_t more = times_of(row); more > 0;) {
                const std::uint32_t w = std::min(more, kMostWeight);
                *to++ = static_cast<std::uint32_t>(row) << kRowAt | w << kWeightAt | positive;
                more -= w;
            }
        }
        if (is_weighed && kind != Kind::values) weigh_classes();
    }
    void weigh_classes() {
        own_weighed.resize(data.n_rows);
        for (std::size_t row = 0; row < data.n_rows; ++row) {
            const double weight = weight_of_table[row];
            own_weighed[row] = {weight, data.target.classes[row] == 1 ? weight : 0.0};
        }
        weighed_of_table = own_weighed.data();
        if (kind == Kind::two_classes) compare_weights();
    }
    /// Whether the rows of either class weigh the same.
    void compare_weights() {
        double of_class[2] = {0.0, 0.0};
        bool are_same = true;
        for (const std::uint32_t word : own) {
            double& usual = of_class[(word & kPositive) != 0 ? 1 : 0];
            const double weight = weight_of_table[row_of(word)];
            are_same = are_same && (usual == 0.0 || usual == weight);
            usual = weight;
        }
        of_classes.reset();
        if (are_same) of_classes.emplace(of_class[0], of_class[1]);
    }
    void make_room(std::size_t n) {
        own.resize(n);
        words = own.data();
    }

    /// Numbers the rows of a node from 0 and reads their cells and targets. No two nodes are at
    /// home at a time, but one below the other.
    void bring_home(FastNode& node) {
        node.is_home = true;
        std::uint32_t* rows = own.data() + node.begin;
        home.fill(shared.bit_rows, data.columns.size(), node.size(),
                  [rows](std::uint32_t i) { return row_of(rows[i]); });
        constexpr std::uint32_t kRest = (1U << kRowAt) - 1U;
        for (std::uint32_t i = 0; i < node.size(); ++i) {
            const std::uint32_t row = row_of(rows[i]);
            if (kind == Kind::classes) home_class[i] = data.target.classes[row];
            if (is_weighed) home_weighed[i] = weighed_of_table[row];
            if (kind == Kind::values) {
                home_grid[i] = grid_of_table[row];
                home_target[i] = data.target.values[row];
            }
            rows[i] = i << kRowAt | (rows[i] & kRest);
        }
    }
    /// Selects what the numbers of the node's rows refer to.
    void look_up(const FastNode& node) {
        class_of_row = node.is_home ? home_class.data() : data.target.classes.data();
        weighed = node.is_home ? home_weighed.data() : weighed_of_table;
        on_grid = node.is_home ? home_grid.data() : grid_of_table;
        target_of_row = node.is_home ? home_target.data() : data.target.values.data();
    }

    void open_root(FastNode& root) {
        root.end = static_cast<std::uint32_t>(own.size());
        if (kind == Kind::classes) {
            nodes.classes.assign(n_classes, 0);
            if (is_weighed) nodes.class_weights.assign(n_classes, 0.0);
            for (const std::uint32_t word : own) {
                nodes.classes[class_of(word)] += weight_of(word);
                if (is_weighed) nodes.class_weights[class_of(word)] += full_weight_of(word);
            }
        } else if (kind == Kind::two_classes) {
            for (const std::uint32_t word : own)
                if ((word & kPositive) != 0) root.sum += full_weight_of(word);
        } else {
            lay_grid(root);
        }
    }

    /// Targets on a grid (data/target_grid.hpp): sums are exact.
    void lay_grid(FastNode& root) {
        double lowest = std::numeric_limits<double>::infinity();
        double highest = -lowest;
        for (const std::uint32_t word : own) {
            lowest = std::min(lowest, target_of(word));
            highest = std::max(highest, target_of(word));
        }
        const double offset = data::grid_offset(lowest, highest);
        nodes.unit = data::grid_scale(std::max(highest - offset, offset - lowest), root.weight);
        grid.resize(data.n_rows);
        on_grid = grid_of_table = grid.data();
        if (is_weighed) own_weighed.resize(data.n_rows);
        weighed = weighed_of_table = own_weighed.data();
        for (const std::uint32_t word : own) {
            const std::uint32_t row = row_of(word);
            grid[row] = std::nearbyint((target_of(word) - offset) * nodes.unit);
            if (is_weighed)  // products have more bits than a double: rounded, their sums are exact
                own_weighed[row] = {weight_of_table[row],
                                    std::nearbyint(weight_of_table[row] * grid[row])};
            root.sum += weight_of(word) * (is_weighed ? own_weighed[row].target : grid[row]);
        }
    }

    /// The weight of an entry's row, times how often the entry counts it.
    [[nodiscard]] double full_weight_of(std::uint32_t word) const {
        return weight_of(word) * (is_weighed ? weighed[row_of(word)].weight : 1.0);
    }

    [[nodiscard]] double target_of(std::uint32_t word) const { return target_of_row[row_of(word)]; }
    [[nodiscard]] std::size_t class_of(std::uint32_t word) const {
        return static_cast<std::size_t>(class_of_row[row_of(word)]);
    }

    // ---------------------------------------------------------------- splits

    void split_or_close(FastNode& node) {
        const double purity = tie_scale_of(node);
        nodes.begin_draws(node);
        scratch[0].kept.column = kNowhere;
        scratch[0].kept.decrease = kNoPlainCut;
        rough.clear();
        // Two rows are separated alike by every column: the first that separates them wins.
        const bool is_pair = node.size() == 2 && least == 1.0 && !is_weighed && !entropy &&
                             !shared.has_names && !is_drawn();
        if (parts.shares(node)) {
            judge_together(node, purity);
        } else {
            FastLeader leader(purity);
            while (is_pair ? nodes.lacks_cut() : nodes.lacks_varying() || nodes.lacks_cut()) {
                scratch[0].may_be_rough = true;
                const FastCut cut = judge(node, nodes.draw_column(), leader.floor(), scratch[0]);
                if (scratch[0].is_rough && is_nominal(cut.column) && !is_drawn())
                    rough.push_back(static_cast<std::uint32_t>(nodes.cuts.size()));
                nodes.note_column(cut.is_constant);
                nodes.note_cut(cut);
                if (cut.share <= 0.0) leader.meets(cut);
                keep(node, cut, scratch[0]);
            }
        }
        settle_rough(node, purity, rough, nodes.cuts, scratch[0]);
        nodes.end_draws(node);
        const FastCut* best = nodes.select(node, purity, [&] { return impurity_of(node); });
        if (best == nullptr) close(node);
        else divide(node, *best, purity);
    }

    /// Judges the columns of a large node by all threads.
    void judge_together(const FastNode& node, double purity) {
        scratch[0].may_be_rough = false;
        scratch.resize(std::max(scratch.size(), parts.n_threads()));
        while (nodes.lacks_varying() || nodes.lacks_cut()) {
            const std::size_t begin = nodes.cuts.size();
            for (std::size_t n = nodes.n_sure(); n > 0; --n)
                nodes.cuts.push_back({nodes.draw_column(), false, kNoPlainCut});
            std::vector<FastLeader> leaders(parts.n_threads(), FastLeader(purity));
            parts.share(nodes.cuts.size() - begin, [&](std::size_t i, std::size_t thread) {
                progress.check(asks && thread == 0);
                FastCut& cut = nodes.cuts[begin + i];
                cut = judge(node, cut.column, leaders[thread].floor(), scratch[thread]);
                if (cut.share <= 0.0) leaders[thread].meets(cut);
            });
            for (std::size_t i = begin; i < nodes.cuts.size(); ++i) {
                nodes.note_column(nodes.cuts[i].is_constant);
                nodes.note_decrease(nodes.cuts[i].decrease);
            }
        }
    }

    void divide(const FastNode& node, FastCut cut, double purity) {
        const Located found = locate(node, cut, purity, scratch[0]);
        cut.gaps = found.gaps;
        nodes.credit(cut, node.weight);
        const std::uint32_t n_left = part_rows(node, cut.column, found);
        require(n_left > 0 && n_left < node.size(), "rows on both sides of the cut");

        FastNode children[2] = {node, node};
        const std::uint32_t first = nodes.add_nodes(2);
        for (std::uint32_t b = 0; b < 2; ++b) {
            children[b].node = first + b;
            children[b].depth = node.depth + 1;
        }
        children[0].end = children[1].begin = node.begin + n_left;
        children[0].weight = found.weight;
        children[0].sum = found.target;
        children[0].copies = is_weighed ? found.copies : found.weight;
        if (kind == Kind::classes) count_classes(node, children);
        children[1].weight = node.weight - children[0].weight;
        children[1].copies = node.copies - children[0].copies;
        children[1].sum = node.sum - children[0].sum;
        nodes.set_cut(node.node, cut, threshold_of(node, cut, found),
                      children[0].weight >= children[1].weight, first);
        if (found.is_names) nodes.tree.nodes[node.node].column |= PackedNode::kNames;
        bool grows[2];
        for (std::uint32_t b = 0; b < 2; ++b) {
            const FastNode& child = children[b];
            grows[b] = nodes.within_limits(child) && !is_settled(child);
            if (!grows[b]) close(child);
            else children[b].key = Mixed(node.key.with(b));
        }
        if (grows[1]) nodes.stack.push_back(children[1]);
        if (grows[0]) nodes.stack.push_back(children[0]);
    }

    [[nodiscard]] double threshold_of(const FastNode& node, const FastCut& cut,
                                      const Located& found) {
        const std::uint32_t c = cut.column;
        const data::Column& column = data.columns[c];
        if (found.is_names && found.names != nullptr)
            return note_names(*found.names, scratch[0].runs, column, shared.coded[c], cut.share,
                              nodes.tree.names);
        if (found.is_names) return ask_for_drawn_names(c, found);
        if (found.is_open) return open_threshold(column);
        if (found.is_drawn)  // never -0
            return column.is_real() ? found.drawn + 0.0 : std::floor(found.drawn);
        const std::vector<std::uint32_t>& row_of_code = shared.coded[c].first_row;
        const split::CutRows rows =
            row_of_code.empty() ? rows_beside(node, c, found)
                                : split::CutRows{row_of_code[found.code], row_of_code[found.above]};
        double threshold = 0.0;
        std::int64_t whole = 0;
        place_between(column, rows, nodes.options, threshold, whole);
        return column.is_real() ? threshold : static_cast<double>(whole);
    }

    /// Notes a question on names that was drawn; returns its number.
    [[nodiscard]] double ask_for_drawn_names(std::uint32_t c, const Located& located) {
        const data::Column& column = data.columns[c];
        PackedNames& names = nodes.tree.names;
        const auto add = [&](std::int64_t code, std::uint32_t branch) {
            names.code.push_back(static_cast<std::int32_t>(code));
            names.branch.push_back(static_cast<std::int32_t>(branch));
        };
        const DrawnNames& drawn = scratch[0].drawn_names;
        for (std::uint32_t code = 0; code < column.n_codes && located.is_open; ++code)
            add(code, 0);  // every declared value is known
        for (std::size_t i = 0; i < drawn.code.size() && !located.is_open; ++i)
            add(column.whole(shared.coded[c].first_row[drawn.code[i]]), drawn.branch[i]);
        names.finish(false, 0.0);
        return static_cast<double>(names.size() - 1);
    }

    /// Moves the rows of the first side to the front, either side in the order it had; returns how
    /// many they are.
    std::uint32_t part_rows(const FastNode& node, std::uint32_t column, const Located& found) {
        const CodedColumn& coded = shared.coded[column];
        const bool gaps_first = found.gaps == GapSide::first;
        if (found.is_drawn)
            return with_values(coded, [&](const auto& value_at) {
                return move_rows(node, [&](std::uint32_t row) {
                    const double value = value_at(row);
                    return (value <= found.drawn) | (gaps_first & (value != value));
                });
            });
        return with_codes(node, column, [&](const auto& codes) {
            if (found.is_names)
                return move_rows(node, [codes, sides = scratch[0].side_of_code.data()](
                                           std::uint32_t row) { return sides[codes[row]] == 0; });
            // No code above that of the cut is on the first side, but for the missing one.
            const std::uint32_t missing = gaps_first ? coded.n_codes : found.code;
            return move_rows(node, [codes, last = found.code, missing](std::uint32_t row) {
                return (codes[row] <= last) | (codes[row] == missing);
            });
        });
    }
    template <class IsFirst>
    std::uint32_t move_rows(const FastNode& node, const IsFirst& is_first) {
        std::uint32_t* const begin = own.data() + node.begin;
        const std::uint32_t n = node.size();
        if (spare.size() < n) spare.resize(n);
        std::uint32_t* left = begin;
        std::uint32_t* right = spare.data();
        for (std::uint32_t i = 0; i < n; ++i) {
            const std::uint32_t word = begin[i];
            const bool goes_left = is_first(row_of(word));
            *left = *right = word;  // which side is unpredictable: no branch
            left += goes_left ? 1 : 0;
            right += goes_left ? 0 : 1;
        }
        std::copy(spare.data(), right, left);
        return static_cast<std::uint32_t>(left - begin);
    }

    void count_classes(const FastNode& node, FastNode* children) {
        children[0].classes = static_cast<std::uint32_t>(nodes.classes.size());
        children[1].classes = children[0].classes + n_classes;
        nodes.classes.resize(nodes.classes.size() + 2 * n_classes, 0);
        std::uint32_t* of_left = nodes.classes.data() + children[0].classes;
        const NodeRows left = rows_of(children[0]);
        children[0].copies = 0.0;
        for (std::uint32_t i = 0; i < left.n; ++i) {
            of_left[class_of(left.words[i])] += weight_of(left.words[i]);
            children[0].copies += weight_of(left.words[i]);
        }
        children[0].weight = children[0].copies;
        for (std::uint32_t k = 0; k < n_classes; ++k)
            of_left[n_classes + k] = nodes.classes[node.classes + k] - of_left[k];
        if (is_weighed) weigh_classes(node, children);
        // The child that is grown first comes last, so that the pool shrinks with the stack.
        std::swap_ranges(of_left, of_left + n_classes, of_left + n_classes);
        std::swap(children[0].classes, children[1].classes);
    }
    void weigh_classes(const FastNode& node, FastNode* children) {
        nodes.class_weights.resize(nodes.classes.size());
        double* of_right = nodes.class_weights.data() + children[0].classes;
        double* of_left = of_right + n_classes;  // the other way round, as the counts will be
        std::fill_n(of_left, n_classes, 0.0);
        const NodeRows left = rows_of(children[0]);
        children[0].weight = 0.0;
        for (std::uint32_t i = 0; i < left.n; ++i) {
            const double weight = full_weight_of(left.words[i]);
            of_left[class_of(left.words[i])] += weight;
            children[0].weight += weight;
        }
        for (std::uint32_t k = 0; k < n_classes; ++k)
            of_right[k] = nodes.class_weights[node.classes + k] - of_left[k];
    }

    /// Whether the rows agree on the target.
    [[nodiscard]] bool is_settled(const FastNode& node) const {
        if (kind != Kind::values) return nodes.agrees(node);
        const NodeRows rows = rows_of(node);
        const double first = target_of(rows.words[0]);
        return std::all_of(rows.words + 1, rows.words + rows.n,
                           [&](std::uint32_t word) { return target_of(word) == first; });
    }

    /// Rows of a node, however often they were drawn: entries of one stand side by side.
    [[nodiscard]] std::uint32_t n_distinct_of(const FastNode& node) const {
        const NodeRows rows = rows_of(node);
        std::uint32_t n = 1;
        for (std::uint32_t i = 1; i < rows.n; ++i)
            n += row_of(rows.words[i]) != row_of(rows.words[i - 1]) ? 1 : 0;
        return n;
    }

    void close(const FastNode& node) {
        nodes.add_leaf(node.node, node.size());
        if (nodes.is_unpacked) nodes.tree.names.n_rows.push_back(n_distinct_of(node));
        if (kind != Kind::values) {
            nodes.add_counts(node);
            return;
        }
        const NodeRows rows = rows_of(node);
        if (is_weighed) {
            add_value_leaf(nodes.tree, rows.n, [&](std::uint32_t i) {
                return std::pair{target_of(rows.words[i]), full_weight_of(rows.words[i])};
            });
            return;
        }
        add_value_leaf(nodes.tree, rows.n, [&](std::uint32_t i) {
            return std::pair{target_of(rows.words[i]), weight_of(rows.words[i])};
        });
    }

    Progress& progress;
    bool asks = false;             ///< the thread at work is the one that asks whether to stop
    FarVector<std::uint32_t> own;  ///< the tree's rows
    std::vector<std::uint32_t> spare;
    FarVector<double> grid;
    FarVector<WeighedRow> own_weighed;  ///< by row of the table, where rows weigh differently
    const WeighedRow* weighed_of_table = nullptr;
    std::span<const double> weight_of_table;
    const double* grid_of_table = nullptr;  ///< by row of the table
    const double* target_of_row = nullptr;  ///< by row of the node at hand
    std::vector<std::int32_t> home_class = std::vector<std::int32_t>(BitHome::kMostRows);
    std::vector<double> home_grid = std::vector<double>(BitHome::kMostRows);
    std::vector<double> home_target = std::vector<double>(BitHome::kMostRows);
    std::vector<WeighedRow> home_weighed = std::vector<WeighedRow>(BitHome::kMostRows);
    std::vector<std::uint32_t> rough;  ///< cuts of the node at hand that were judged roughly
    std::vector<Scratch> scratch = std::vector<Scratch>(1);  ///< by thread
    ParallelSubtrees parts;
    std::vector<std::unique_ptr<RowGrower>> crew;  ///< by thread: grow the parts
};

}  // namespace

std::unique_ptr<FastGrower> make_rows_grower(const FastData& shared,
                                             const grow::GrowOptions& options, Progress& progress) {
    return std::make_unique<RowGrower>(shared, options, progress);
}

}  // namespace treewright::forest
