/// Plain trees by drawn cuts (Geurts, Ernst, Wehenkel 2006): no order is needed, only the range of
/// a column in a node and the sums left of a drawn threshold. How cells are held goes by size:
///
///   - a large node has a list of its rows; a column is fetched by it when it is looked at;
///   - of a node of up to kHome rows every column is copied, side by side, and a node below it is
///     the same range of all of them:
///         column 0:  [ x x x | x x ]      dividing a node moves its part of every column,
///         column 1:  [ x x x | x x ]      the same rows to the same places
///   - a node of up to 16 rows is a set of bits over such a range (its pocket): nothing moves.
///
/// Where a node looks at few of very many columns, all are fetched and none is copied.
#include "treewright/grow/plain.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "treewright/base/error.hpp"
#include "treewright/data/grid.hpp"
#include "treewright/grow/plain_nodes.hpp"
#include "treewright/split/plain_cells.hpp"

namespace treewright {
namespace {

/// The greatest T up to a value between two values that are Ts.
template <class T>
inline T floor_to(double value) {
    if constexpr (std::is_same_v<T, double>) return value;
    const auto near = static_cast<float>(value);
    if (static_cast<double>(near) <= value) return near;
    // One step down; the value is below a finite float, so there is one.
    const auto bits = std::bit_cast<std::int32_t>(near);
    return std::bit_cast<float>(near > 0.0F ? bits - 1 : near < 0.0F ? bits + 1 : -0x7fffffff);
}

/// Rows whose cells stay in a near cache, with those of a second buffer.
constexpr std::uint32_t kHome = 4096;
/// Columns, for each that is looked at in a node, up to which cells are moved.
constexpr std::size_t kMostPerLook = 12;

template <class T>
class RandomGrower final : public PlainGrower {
public:
    RandomGrower(const PlainData& shared, const std::vector<T>& table, const GrowOptions& options,
                 Progress& progress)
        : table(table),
          data(*shared.data),
          progress(progress),
          loops(cell_loops<T>()),
          nodes(options, data.target, data.columns.size()),
          n_classes(data.target.is_classification() ? data.target.n_classes[0] : 0),
          is_two(n_classes > 0 && n_classes <= 2),
          least(std::max({1.0, options.min_leaf, options.min_leaf_weight})),
          drawn_at(data.columns.size()),
          bound(data.columns.size()),
          weight_left(data.columns.size()),
          sum_left(data.columns.size()) {}

    PackedTree grow(std::span<const std::uint32_t> copies, std::uint64_t tree,
                    bool is_caller) override {
        PlainNode& root = nodes.begin(tree);
        fill(copies);
        open_root(root);
        if (!may_grow(root, root.size())) {
            list_rows(root, 0, false);
            close(root, 0);
            nodes.stack.clear();
        }
        while (!nodes.stack.empty()) {
            PlainNode node = nodes.pop();
            if (n_classes > 2) nodes.classes.resize(node.classes + n_classes);
            nodes.look_up(progress, is_caller, node.size());
            if (!node.is_home && node.size() <= kHome && has_homes()) bring_home(node);
            if (node.pocket == 0 && node.size() <= kPocket) fill_pocket(node);
            split_or_close(node);
        }
        return nodes.finish();
    }

private:
    /// Rows in the order of the nodes. Only one node at a time is home, with all that is below it.
    struct Rows {
        std::vector<T> cells;               ///< of the node that is home, column by column
        std::vector<std::uint32_t> row;     ///< of the table
        std::vector<std::uint32_t> weight;  ///< copies
        std::vector<std::uint32_t> target;  ///< two classes: copies of class 1; more: the class
        std::vector<double> value;          ///< numbers: copies x target on the grid
    };

    void fill(std::span<const std::uint32_t> copies) {
        Rows& rows = buffers[0];
        rows.row.clear();
        rows.weight.clear();
        rows.target.clear();
        double total = 0.0;
        for (std::size_t row = 0; row < data.n_rows; ++row) {
            if (copies[row] == 0) continue;
            rows.row.push_back(static_cast<std::uint32_t>(row));
            rows.weight.push_back(copies[row]);
            total += copies[row];
            if (is_two) rows.target.push_back(data.target.classes[row] != 0 ? copies[row] : 0);
            else if (n_classes > 0)
                rows.target.push_back(static_cast<std::uint32_t>(data.target.classes[row]));
        }
        const std::size_t n = rows.row.size();
        require(n > 0 && total < 0x1.0p31, "number of rows drawn");
        nodes.total_weight = total;
        n_drawn = static_cast<std::uint32_t>(n);
        for (Rows& each : buffers) {
            if (has_homes()) each.cells.resize(data.columns.size() * kStride);
            each.row.resize(n + kPadding);
            each.weight.resize(n + kPadding);
            each.target.resize(n + kPadding);
            if (n_classes == 0) each.value.resize(n + kPadding);
        }
        fetched.resize(n + kPadding);
        masks.resize(n / kPocket + 1);
    }

    void open_root(PlainNode& root) {
        Rows& rows = buffers[0];
        root.end = n_drawn;
        root.weight = nodes.total_weight;
        if (n_classes > 2) nodes.classes.assign(n_classes, 0);
        double lowest = std::numeric_limits<double>::infinity();
        double highest = -lowest;
        for (std::uint32_t i = 0; i < root.end; ++i) {
            if (n_classes > 2) nodes.classes[rows.target[i]] += rows.weight[i];
            else if (is_two) root.sum += rows.target[i];
            else {
                lowest = std::min(lowest, data.target.values[rows.row[i]]);
                highest = std::max(highest, data.target.values[rows.row[i]]);
            }
        }
        if (n_classes > 0) return;
        const double offset = grid_offset(lowest, highest);
        nodes.unit = grid_scale(std::max(highest - offset, offset - lowest), root.weight);
        for (std::uint32_t i = 0; i < root.end; ++i) {
            rows.value[i] =
                std::nearbyint((data.target.values[rows.row[i]] - offset) * nodes.unit) *
                static_cast<double>(rows.weight[i]);
            root.sum += rows.value[i];
        }
    }

    /// Whether so many of the columns are looked at that copying and moving all of them pays.
    [[nodiscard]] bool has_homes() const {
        const std::size_t looked_at = nodes.options.max_columns;
        return looked_at == 0 || nodes.options.columns.size() <= kMostPerLook * looked_at;
    }

    /// Copies the cells of a node's rows to where its subtree divides them.
    void bring_home(PlainNode& node) {
        node.is_home = true;
        home = node.begin;
        Rows& rows = buffers[node.buffer];
        for (std::uint32_t c = 0; c < node.n_columns; ++c) {
            const std::uint32_t column = nodes.columns[node.columns + c];
            fetch(node, column, rows.cells.data() + column * kStride);
        }
    }

    void fetch(const PlainNode& node, std::uint32_t column, T* to) const {
        loops.fetch(table.data() + column * data.n_rows,
                    buffers[node.buffer].row.data() + node.begin, node.size(), to);
    }

    void fill_pocket(PlainNode& node) {
        node.pocket = static_cast<std::uint16_t>((1U << node.size()) - 1U);
        if (!is_two) return;
        const Rows& rows = buffers[node.buffer];
        pocket_positive = 0;
        pocket_is_single = true;
        for (std::uint32_t i = 0; i < node.size(); ++i) {
            pocket_positive |= (rows.target[node.begin + i] != 0 ? 1U : 0U) << i;
            pocket_is_single = pocket_is_single && rows.weight[node.begin + i] == 1;
        }
    }

    /// The cells of a node's rows, if it is home.
    [[nodiscard]] T* cells_of(const PlainNode& node, std::uint32_t column) {
        return buffers[node.buffer].cells.data() + column * kStride + (node.begin - home);
    }
    /// The cells of a node's rows; of a large node, a copy.
    [[nodiscard]] const T* column_of(const PlainNode& node, std::uint32_t column) {
        if (node.is_home) return cells_of(node, column);
        fetch(node, column, fetched.data());
        return fetched.data();
    }
    [[nodiscard]] static std::uint32_t size_of(const PlainNode& node) {
        return node.pocket != 0 ? static_cast<std::uint32_t>(std::popcount(node.pocket))
                                : node.size();
    }

    // ---------------------------------------------------------------- splits

    void split_or_close(PlainNode& node) {
        const double purity = nodes.purity_of(node);
        mean_whole = is_two ? 0.0 : std::nearbyint(node.sum / node.weight);
        mean_rest = (node.sum - mean_whole * node.weight) / node.weight;
        nodes.begin_draws(node);
        while (nodes.lacks_varying() || nodes.lacks_cut()) {
            const PlainCut cut = judge(node, nodes.draw_column());
            nodes.note_column(cut.is_constant);
            nodes.note_cut(cut);
        }
        nodes.end_draws(node);
        const PlainCut* best = nodes.select(node, purity);
        if (best == nullptr) {
            list_rows(node, 0, false);
            close(node, 0);
            return;
        }
        divide(node, *best);
    }

    /// Draws a threshold for a column, if it varies, and judges it.
    PlainCut judge(const PlainNode& node, std::uint32_t column) {
        const T* cells = column_of(node, column);
        T low{};
        T high{};
        if (node.pocket != 0) loops.range_few(cells, node.pocket, low, high);
        else loops.range(cells, node.size(), low, high);
        if (!(low < high)) return {column, true, kNoCut};
        constexpr double kMost = std::numeric_limits<double>::max();
        const double lowest = std::max(static_cast<double>(low), -kMost);
        const double highest = std::min(static_cast<double>(high), kMost);
        const double share = Generator(node.key.with(column)).uniform();
        double at = lowest * (1.0 - share) + highest * share;
        if (!(at < highest)) at = lowest;
        drawn_at[column] = at;
        bound[column] = floor_to<T>(at);
        return {
            column, false,
            n_classes > 2 ? judge_classes(node, cells, column) : judge_sums(node, cells, column)};
    }

    [[nodiscard]] double judge_sums(const PlainNode& node, const T* cells, std::uint32_t column) {
        sum_below(node, cells, column);
        const double w = weight_left[column];
        if (w < least || node.weight - w < least) return kNoCut;
        const double excess = (sum_left[column] - mean_whole * w) - mean_rest * w;
        return (is_two ? 2.0 : 1.0) * (excess * excess / (w * (node.weight - w)));
    }

    /// Weight and sum of the targets of the rows up to the column's threshold.
    void sum_below(const PlainNode& node, const T* cells, std::uint32_t column) {
        const Rows& rows = buffers[node.buffer];
        if (node.pocket == 0) {
            if (is_two)
                loops.count_two(cells, node.size(), bound[column], rows.weight.data() + node.begin,
                                rows.target.data() + node.begin, weight_left[column],
                                sum_left[column]);
            else
                loops.count_values(cells, node.size(), bound[column],
                                   rows.weight.data() + node.begin, rows.value.data() + node.begin,
                                   weight_left[column], sum_left[column]);
            return;
        }
        if (is_two && pocket_is_single) {
            loops.count_few(cells, bound[column], node.pocket, pocket_positive, weight_left[column],
                            sum_left[column]);
            return;
        }
        std::uint32_t weight = 0;
        double sum = 0.0;
        for (std::uint32_t left = loops.below_few(cells, bound[column]) & node.pocket; left != 0;
             left &= left - 1) {
            const std::size_t i = node.begin + static_cast<std::size_t>(std::countr_zero(left));
            weight += rows.weight[i];
            sum += is_two ? static_cast<double>(rows.target[i]) : rows.value[i];
        }
        weight_left[column] = weight;
        sum_left[column] = sum;
    }

    [[nodiscard]] double judge_classes(const PlainNode& node, const T* cells,
                                       std::uint32_t column) {
        class_left.assign(n_classes, 0);
        const Rows& rows = buffers[node.buffer];
        const T limit = bound[column];
        const auto add = [&](std::uint32_t i) {
            class_left[rows.target[node.begin + i]] +=
                cells[i] <= limit ? rows.weight[node.begin + i] : 0;
        };
        if (node.pocket == 0)
            for (std::uint32_t i = 0; i < node.size(); ++i) add(i);
        for (std::uint32_t left = node.pocket; left != 0; left &= left - 1)
            add(static_cast<std::uint32_t>(std::countr_zero(left)));
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
        return std::max(0.0, score / node.weight - nodes.purity_of(node));
    }

    // ---------------------------------------------------------------- children

    void divide(PlainNode& node, const PlainCut& cut) {
        const double at = drawn_at[cut.column];
        const bool is_real = data.columns[cut.column].is_real();
        PlainNode children[2] = {node, node};
        const std::uint32_t n = size_of(node);
        const std::uint32_t n_left = mark_right(node, cut.column, children);
        const std::uint32_t sizes[2] = {n_left, n - n_left};
        for (std::uint32_t b = 0; b < 2; ++b) {
            children[b].depth = node.depth + 1;
            if (!is_two) list_rows(node, b, true);
        }
        sum_children(node, cut.column, children);
        nodes.tree.importance[cut.column] += nodes.brought_by(cut, node);
        const std::uint32_t first =
            nodes.add_children(node.node, cut.column, is_real ? at : std::floor(at),
                               children[0].weight >= children[1].weight);
        bool grows[2];
        for (std::uint32_t b = 0; b < 2; ++b) {
            children[b].node = first + b;
            grows[b] = may_grow(children[b], sizes[b], b);
            if (!grows[b]) close(children[b], b);
            else children[b].key = Mixed(node.key.with(b));
        }
        if (node.pocket == 0 && (grows[0] || grows[1])) move_rows(node, n_left, grows, children);
        if (grows[1]) nodes.stack.push_back(children[1]);
        if (grows[0]) nodes.stack.push_back(children[0]);
    }

    /// Tells which rows go to the second child; returns how many go to the first.
    std::uint32_t mark_right(const PlainNode& node, std::uint32_t column, PlainNode* children) {
        const T* cells = column_of(node, column);
        if (node.pocket == 0)
            return loops.mark_right(cells, node.size(), bound[column], masks.data());
        const std::uint32_t left = loops.below_few(cells, bound[column]) & node.pocket;
        children[0].pocket = static_cast<std::uint16_t>(left);
        children[1].pocket = static_cast<std::uint16_t>(node.pocket & ~left);
        masks[0] = children[1].pocket;
        return static_cast<std::uint32_t>(std::popcount(left));
    }

    /// Lists the places of a node's rows, or of those of one side.
    void list_rows(const PlainNode& node, std::uint32_t b, bool one_side) {
        std::vector<std::uint32_t>& to = places[b];
        to.clear();
        if (n_classes > 0 && !one_side) return;
        for (std::uint32_t i = 0; i < node.size(); ++i) {
            if (node.pocket != 0 && (node.pocket >> i & 1U) == 0) continue;
            const std::uint32_t side = masks[i / kPocket] >> (i % kPocket) & 1U;
            if (!one_side || side == b) to.push_back(node.begin + i);
        }
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
            const Rows& rows = buffers[node.buffer];
            children[0].weight = 0.0;
            for (const std::uint32_t i : places[0]) {
                of_left[rows.target[i]] += rows.weight[i];
                children[0].weight += rows.weight[i];
            }
            for (std::uint32_t k = 0; k < n_classes; ++k)
                nodes.classes[children[1].classes + k] =
                    nodes.classes[node.classes + k] - of_left[k];
        }
        children[1].weight = node.weight - children[0].weight;
        children[1].sum = node.sum - children[0].sum;
    }

    [[nodiscard]] bool may_grow(const PlainNode& node, std::uint32_t n, std::uint32_t b = 0) {
        return nodes.within_limits(n, node.depth, node.weight) && !is_settled(node, b);
    }

    /// Whether the rows agree on the target; of numbers those listed in places[b].
    [[nodiscard]] bool is_settled(const PlainNode& node, std::uint32_t b) {
        if (n_classes > 0) return nodes.agrees(node);
        if (node.depth == 0) list_rows(node, b, false);
        const double first = target_at(node, places[b][0]);
        return std::all_of(places[b].begin(), places[b].end(),
                           [&](std::uint32_t i) { return target_at(node, i) == first; });
    }

    [[nodiscard]] double target_at(const PlainNode& node, std::uint32_t i) const {
        return data.target.values[buffers[node.buffer].row[i]];
    }

    /// Moves the rows of the children that grow: the first stays (or the one that grows alone), the
    /// second goes to the other buffer.
    void move_rows(const PlainNode& node, std::uint32_t n_left, const bool* grows,
                   PlainNode* children) {
        const bool both = grows[0] && grows[1];
        children[0].end = children[1].begin = node.begin + n_left;
        if (both) children[1].buffer = static_cast<std::uint8_t>(1 - node.buffer);
        else if (grows[1]) {
            children[1].begin = node.begin;
            children[1].end = node.begin + (node.size() - n_left);
        }
        Rows& from = buffers[node.buffer];
        Rows& to = buffers[children[1].buffer];
        const auto move = [&](auto* own, auto* other, auto pick, std::uint32_t base = 0) {
            own += node.begin - base;
            other += children[1].begin - base;
            pick(own, node.size(), masks.data(), grows[0] ? own : nullptr,
                 grows[1] ? other : nullptr, node.size() - n_left);
        };
        for (std::uint32_t c = 0; c < node.n_columns && node.is_home; ++c) {
            const std::size_t at = nodes.columns[node.columns + c] * kStride;
            move(from.cells.data() + at, to.cells.data() + at, loops.pick, home);
        }
        move(from.row.data(), to.row.data(), loops.pick_words);
        move(from.weight.data(), to.weight.data(), loops.pick_words);
        if (n_classes > 0) move(from.target.data(), to.target.data(), loops.pick_words);
        else move(from.value.data(), to.value.data(), loops.pick_doubles);
    }

    void close(const PlainNode& node, std::uint32_t b) {
        nodes.add_leaf(node.node, static_cast<std::uint32_t>(node.weight));
        if (n_classes > 0) {
            nodes.add_counts(node);
            return;
        }
        const Rows& rows = buffers[node.buffer];
        add_value_leaf(nodes.tree, static_cast<std::uint32_t>(places[b].size()),
                       [&](std::uint32_t i) {
                           const std::uint32_t at = places[b][i];
                           return std::pair{data.target.values[rows.row[at]], rows.weight[at]};
                       });
    }

    static constexpr double kNoCut = -1.0;

    const std::vector<T>& table;
    const Dataset& data;
    Progress& progress;
    const CellLoops<T>& loops;
    PlainNodes nodes;
    std::uint32_t n_classes;
    bool is_two;
    double least;
    double mean_whole = 0.0;  ///< of the node at hand: sum / weight as a whole number and a rest
    double mean_rest = 0.0;
    static constexpr std::size_t kStride = kHome + kPadding;
    std::uint32_t n_drawn = 0;
    std::uint32_t home = 0;             ///< where the node that is home begins
    std::uint32_t pocket_positive = 0;  ///< rows of the pocket that are of class 1
    bool pocket_is_single = false;      ///< none of them has copies
    Rows buffers[2];
    std::vector<std::uint16_t>
        masks;  ///< of the node: bits of the rows that go to the second child
    std::vector<std::uint32_t> places[2];
    std::vector<T> fetched;
    std::vector<double> drawn_at;  ///< by column, as the next three
    std::vector<T> bound;          ///< the threshold, as a T
    std::vector<double> weight_left;
    std::vector<double> sum_left;
    std::vector<std::uint32_t> class_left;
};

}  // namespace

std::unique_ptr<PlainGrower> make_random_grower(const PlainData& shared, const GrowOptions& options,
                                                Progress& progress) {
    if (shared.doubles.empty())
        return std::make_unique<RandomGrower<float>>(shared, shared.singles, options, progress);
    return std::make_unique<RandomGrower<double>>(shared, shared.doubles, options, progress);
}

}  // namespace treewright
