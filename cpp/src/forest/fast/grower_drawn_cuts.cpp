/// Trees of the fast grower by drawn cuts (Geurts, Ernst, Wehenkel 2006): no order is needed, only
/// the range of a column in a node and the sums left of a drawn threshold. Cells are stored by size
/// of node:
///
///   - a large node has a list of its rows; a column is gathered by it when it is evaluated;
///   - for a node that fits into RowCache all cells are copied, row by row: eight columns are
///     evaluated together, and dividing such a node moves no cell.
///
/// Where a node considers few of very many columns, nothing is copied and columns are gathered.
///
/// The cells of names are codes. Where a cut is drawn for them each name is sent to a side, and the
/// sides, 0 and 1, take the place of the cells: from there on names are numbers.
///
/// A missing value is a cell that is not a number: it is above every threshold. Where a column has
/// some in the node, the drawn cut is judged with them on the other side as well; of a column with
/// one value beside them the question is whether it is known (split/drawn.hpp).
#include "treewright/forest/fast/grower.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <numeric>

#include "treewright/base/error.hpp"
#include "treewright/data/target_grid.hpp"
#include "treewright/forest/fast/drawn/at_home.hpp"
#include "treewright/forest/fast/drawn/small_subtree.hpp"

namespace treewright::forest {
namespace {

template <class T>
class RandomGrower final : public FastGrower, private DrawnAtHome<T> {
    using Base = DrawnAtHome<T>;
    using typename Base::Found;
    using typename Base::Rows;

public:
    RandomGrower(const FastData& shared, const FastCells<T>& table,
                 const grow::GrowOptions& options, Progress& progress)
        : Base(shared, table, options, progress) {
        if (!shared.has_names) return;
        for (std::uint32_t c = 0; c < data.columns.size(); ++c)
            n_names_of.push_back(this->is_nominal(c) ? shared.coded[c].n_codes : 0);
    }

    PackedTree grow(const DrawnRows& drawn, std::uint64_t tree, bool is_caller,
                    Team& team) override {
        asks = is_caller;
        this->begin_limits();
        FastNode& root = nodes.begin(tree);
        fill(drawn);
        parts.begin(team, n_drawn);
        nodes.keeps_credits = parts.is_shared();
        open_root(root);
        this->list_rows(root, 0, false);
        if (!may_grow(root, root.size(), 0)) {
            this->close(root, root.size(), 0);
            nodes.stack.clear();
        }
        grow_open();
        if (parts.is_shared()) grow_parts();
        return nodes.finish();
    }

private:
    using Base::asks;
    using Base::best;
    using Base::buffers;
    using Base::data;
    using Base::gaps;
    using Base::home;
    using Base::is_two;
    using Base::is_weighed;
    using Base::kOpen;
    using Base::n_classes;
    using Base::nodes;
    using Base::parts;
    using Base::places;
    using Base::progress;
    using Base::shared;
    using Base::table;

    void grow_open() {
        while (!nodes.stack.empty()) {
            OpenNode node = nodes.pop();
            if (n_classes > 2) nodes.classes.resize(node.classes + n_classes);
            if (parts.takes(node)) {
                parts.add(nodes, FastNode{node});
                continue;
            }
            nodes.look_up(progress, asks, node.size());
            if (!node.is_home && this->has_homes() && !parts.is_shared() &&
                node.size() <= home.most_rows())
                this->bring_home(node);
            if (node.is_home) node.room = home.move_on(node.begin, node.size(), node.room);
            if (is_twig(node)) grow_twig(node);
            else split_or_close(node);
        }
    }

    /// Whether a node is grown as a twig: where one evaluation of its columns usually suffices.
    [[nodiscard]] bool is_twig(const OpenNode& node) const {
        return node.is_home && n_classes <= 2 && node.size() <= SmallSubtree::kMostRows &&
               nodes.n_wanted_of(node) <= kLanes;
    }

    void grow_twig(const OpenNode& root) {
        twig.begin(root);
        for (auto some = twig.take(RowCache<T>::kMostTogether); !some.empty();
             some = twig.take(RowCache<T>::kMostTogether)) {
            for (std::size_t i = 0; i < some.size(); ++i) {
                nodes.look_up(progress, asks, some[i].size());
                std::uint32_t columns[kLanes];
                const std::size_t n_wanted = nodes.n_wanted_of(some[i]);
                const std::size_t n_looked = this->n_to_look_at(some[i], n_wanted);
                if (n_looked <= kFewLanes)
                    nodes.template first_draws<kFewLanes>(some[i], n_looked, columns);
                else nodes.template first_draws<kLanes>(some[i], n_looked, columns);
                this->aim(some[i], this->judgement_of(some[i]), {columns, n_looked}, n_wanted,
                          twig_lanes[i]);
            }
            home.look(0, {twig_lanes, some.size()});
            for (std::size_t i = 0; i < some.size(); ++i)  // before others are looked at
                if (some[i].has_gaps) this->settle_gaps(some[i], twig_lanes[i]);
            for (std::size_t i = 0; i < some.size(); ++i) grow_on(some[i], twig_lanes[i]);
        }
        tell_twig(root.node);
    }

    /// Divides a node of the twig after its first evaluation.
    void grow_on(OpenNode& node, Lanes<T>& first) {
        best = {};
        const Lanes<T>* lanes = &first;
        if (!this->take_winner(node, first)) {
            nodes.begin_draws(node);
            lanes = this->judge_at_home(node, first.judgement, &first);
            nodes.end_draws(node);
        }
        if (!this->is_enough(node)) return;
        OpenNode children[2];
        bool grows[2];
        make_children(node, this->divide_home(node, *lanes), lanes, children, grows);
        twig.divide(node, best.cut, threshold_of(node, lanes), children, grows);
    }

    void tell_twig(std::uint32_t root) {
        const bool is_counted = is_two && !is_weighed;
        if (is_counted) nodes.make_room_for_leaves(twig.size());
        twig.tell(
            root, nodes.add_nodes(twig.size() - 1),
            [&](std::uint32_t number, const TwigNode& from, const TwigNode* children,
                std::uint32_t first) {
                nodes.credit(from.cut(), from.weight);
                set_cut(number, from.cut(), from.threshold, children, first);
            },
            [&](std::uint32_t number, const TwigNode& node, bool is_leaf) {
                if (is_counted) {
                    nodes.set_leaf_of_two(number, node.weight, node.sum, is_leaf);
                    if (nodes.is_unpacked && is_leaf)
                        nodes.tree.names.n_rows.push_back(node.end - node.begin);
                    return;
                }
                if (!is_leaf) return;
                OpenNode leaf{};
                leaf.node = number;
                leaf.begin = node.begin;
                leaf.end = node.end;
                leaf.weight = node.weight;
                leaf.sum = node.sum;
                leaf.is_home = true;
                this->list_rows(leaf, 0, false);
                this->close(leaf, leaf.size(), 0);
            });
        if (is_counted) nodes.drop_room_for_leaves();
    }

    // ---------------------------------------------------------------- parts of a tree

    void grow_parts() {
        while (crew.size() < parts.n_threads())
            crew.push_back(std::make_unique<RandomGrower>(shared, table, nodes.options, progress));
        parts.grow([&](FastPart& part, std::size_t thread) {
            crew[thread]->grow_part(*this, part, asks && thread == 0);
        });
        parts.join(nodes);
    }

    void grow_part(const RandomGrower& top, FastPart& part, bool is_caller) {
        asks = is_caller;
        this->begin_limits();
        const std::uint32_t n = nodes.begin(top.nodes, part).size();
        make_room(n);
        const Rows& from = top.buffers[part.node.buffer];
        Rows& to = buffers[0];
        const auto take = [&](const auto& those, auto& own) {
            std::copy_n(those.begin() + part.node.begin, n, own.begin());
        };
        take(from.row, to.row);
        take(from.weight, to.weight);
        if (this->sums_values()) take(from.value, to.value);
        else take(from.target, to.target);
        if (is_weighed) take(from.full, to.full);
        grow_open();
        nodes.finish(part);
    }

    // ---------------------------------------------------------------- rows

    void fill(const DrawnRows& drawn) {
        std::size_t n = 0;
        std::uint64_t total = 0;
        double weight = 0.0;
        const auto copies_of = [&](std::size_t row) {
            return is_weighed && drawn.weight[row] == 0.0 ? 0 : drawn.copies[row];
        };
        for (std::size_t row = 0; row < data.n_rows; ++row) {
            const std::uint32_t copies = copies_of(row);
            n += copies != 0 ? 1 : 0;
            total += copies;
            if (is_weighed) weight += copies * drawn.weight[row];
        }
        require(n > 0 && total < (1ULL << 31U), "number of rows drawn");
        n_copies = static_cast<double>(total);
        nodes.total_weight = is_weighed ? weight : n_copies;
        n_drawn = static_cast<std::uint32_t>(n);
        make_room(n);
        Rows& rows = buffers[0];
        std::size_t i = 0;
        for (std::size_t row = 0; row < data.n_rows; ++row) {
            // Written even if the row is not drawn: the next one then overwrites it.
            const std::uint32_t copies = copies_of(row);
            rows.row[i] = static_cast<std::uint32_t>(row);
            rows.weight[i] = copies;
            if (n_classes > 0) {
                const auto of_row = static_cast<std::uint32_t>(data.target.classes[row]);
                rows.target[i] = is_two ? of_row * copies : of_row;
            }
            if (is_weighed) {
                rows.full[i] = copies * drawn.weight[row];
                rows.value[i] = n_classes > 0 && rows.target[i] == 0 ? 0.0 : rows.full[i];
            }
            i += copies != 0 ? 1 : 0;
        }
    }

    void make_room(std::size_t n) {
        for (Rows& each : buffers) {
            each.row.resize(n + kArrayPadding);
            each.weight.resize(n + kArrayPadding);
            each.target.resize(n + kArrayPadding);
            if (this->sums_values()) each.value.resize(n + kArrayPadding);
            if (is_weighed) each.full.resize(n + kArrayPadding);
        }
        Base::make_room(n);
        this->masks.resize(n / kMarksPerWord + 1);
        if (this->has_homes())
            home.choose(nodes.options.columns, data.columns.size(), static_cast<std::uint32_t>(n),
                        gaps.any(), is_weighed, n_names_of);
    }

    void open_root(OpenNode& root) {
        Rows& rows = buffers[0];
        root.end = n_drawn;
        root.weight = nodes.total_weight;
        root.copies = n_copies;
        root.has_gaps = gaps.any();
        if (n_classes > 2) nodes.classes.assign(n_classes, 0);
        if (is_two && is_weighed)  // exact: in any order
            root.sum = std::accumulate(rows.value.begin(), rows.value.begin() + root.end, 0.0);
        else if (is_two)
            root.sum = static_cast<double>(std::accumulate(
                rows.target.begin(), rows.target.begin() + root.end, std::uint64_t{0}));
        for (std::uint32_t i = 0; i < root.end && n_classes > 2; ++i)
            nodes.classes[rows.target[i]] += rows.weight[i];
        if (n_classes == 0) lay_grid(root);
    }

    /// Targets on a grid (data/target_grid.hpp): sums are exact.
    void lay_grid(OpenNode& root) {
        Rows& rows = buffers[0];
        double lowest = std::numeric_limits<double>::infinity();
        double highest = -lowest;
        for (std::uint32_t i = 0; i < root.end; ++i) {
            lowest = std::min(lowest, data.target.values[rows.row[i]]);
            highest = std::max(highest, data.target.values[rows.row[i]]);
        }
        const double offset = data::grid_offset(lowest, highest);
        nodes.unit = data::grid_scale(std::max(highest - offset, offset - lowest), root.weight);
        for (std::uint32_t i = 0; i < root.end; ++i) {
            const auto copies = static_cast<double>(rows.weight[i]);
            const double on_grid =
                std::nearbyint((data.target.values[rows.row[i]] - offset) * nodes.unit);
            // Products with weights have more bits than a double: rounded, their sums are exact.
            rows.value[i] = is_weighed ? copies * std::nearbyint(rows.full[i] / copies * on_grid)
                                       : on_grid * copies;
            root.sum += rows.value[i];
        }
    }

    // ---------------------------------------------------------------- splits

    void split_or_close(OpenNode& node) {
        const Judgement judgement = this->judgement_of(node);
        nodes.begin_draws(node);
        best = {};
        const Lanes<T>* lanes = nullptr;
        if (node.is_home) lanes = this->judge_at_home(node, judgement, nullptr);
        else this->judge_fetched(node, judgement, FastLeader(judgement.purity));
        nodes.end_draws(node);
        if (this->is_enough(node)) {
            divide(node, lanes);
            return;
        }
        this->list_rows(node, 0, false);
        this->close(node, node.size(), 0);
    }

    // ---------------------------------------------------------------- children

    void divide(const OpenNode& node, const Lanes<T>* lanes) {
        const std::uint32_t n_left =
            node.is_home ? this->divide_home(node, *lanes) : this->mark_right(node);
        OpenNode children[2];
        bool grows[2];
        make_children(node, n_left, lanes, children, grows);
        nodes.credit(best.cut, node.weight);
        const std::uint32_t first = nodes.add_nodes(2);
        set_cut(node.node, best.cut, threshold_of(node, lanes), children, first);
        for (std::uint32_t b = 0; b < 2; ++b) {
            children[b].node = first + b;
            if (!grows[b]) this->close(children[b], b == 0 ? n_left : node.size() - n_left, b);
        }
        if (!node.is_home && (grows[0] || grows[1])) this->move_rows(node, n_left, grows, children);
        if (grows[1]) nodes.stack.push_back(FastNode{children[1]});
        if (grows[0]) nodes.stack.push_back(FastNode{children[0]});
    }

    template <class Child>
    void set_cut(std::uint32_t number, const FastCut& cut, double threshold, const Child* children,
                 std::uint32_t first) {
        nodes.set_cut(number, cut, threshold, children[0].weight >= children[1].weight, first);
        if (shared.has_names && this->is_nominal(cut.column))
            nodes.tree.nodes[number].column |= PackedNode::kNames;
    }

    /// That of the best cut of a node; of names the number of the question, which is noted.
    [[nodiscard]] double threshold_of(const OpenNode& node, const Lanes<T>* lanes) {
        const std::uint32_t c = best.cut.column;
        const data::Column& column = data.columns[c];
        if (shared.has_names && this->is_nominal(c)) {
            if (best.at == kOpen) return note_whether_known(column);
            return note_names(c,
                              node.is_home ? home.names_of(*lanes, best.lane) : this->best_names);
        }
        if (best.at == kOpen) return open_threshold(column);
        return column.is_real() ? best.at + 0.0 : std::floor(best.at);  // never -0
    }
    double note_names(std::uint32_t c, const NameSides& sides) {
        PackedNames& names = nodes.tree.names;
        for (std::size_t i = 0; i < sides.code.size(); ++i) {
            const std::uint32_t row = shared.coded[c].first_row[sides.code[i]];
            names.code.push_back(static_cast<std::int32_t>(data.columns[c].whole(row)));
            names.branch.push_back(sides.branch[i]);
        }
        names.finish(false, 0.0);
        return static_cast<double>(names.size() - 1);
    }
    double note_whether_known(const data::Column& column) {
        PackedNames& names = nodes.tree.names;
        for (std::uint32_t code = 0; code < column.n_codes; ++code) {
            names.code.push_back(static_cast<std::int32_t>(code));  // every declared one is
            names.branch.push_back(0);
        }
        names.finish(false, 0.0);
        return static_cast<double>(names.size() - 1);
    }

    /// Fills in both sides of the best cut, and whether they are split further.
    void make_children(const OpenNode& node, std::uint32_t n_left, const Lanes<T>* lanes,
                       OpenNode* children, bool* grows) {
        children[0] = children[1] = node;
        const std::uint32_t sizes[2] = {n_left, node.size() - n_left};
        if (node.is_home) children[0].end = children[1].begin = node.begin + n_left;
        for (std::uint32_t b = 0; b < 2; ++b) children[b].depth = node.depth + 1;
        list_children(children);
        sum_children(node, lanes, children);
        if (node.has_gaps && node.is_home)
            for (std::uint32_t b = 0; b < 2; ++b)
                children[b].has_gaps = home.has_gaps(children[b].begin, children[b].end);
        for (std::uint32_t b = 0; b < 2; ++b) {
            grows[b] = may_grow(children[b], sizes[b], b);
            children[b].key = Mixed(node.key.with(b));  // unpredictable whether needed: no branch
        }
    }

    void list_children(const OpenNode* children) {
        if (is_two) return;
        parts.share(2, [&](std::size_t b, std::size_t) {
            this->list_rows(children[b], static_cast<std::uint32_t>(b), true);
        });
    }

    void sum_children(const OpenNode& node, const Lanes<T>* lanes, OpenNode* children) {
        if (n_classes <= 2) {
            children[0].weight = best.weight_left;
            children[0].sum = best.sum_left;
            children[0].copies = is_weighed ? best.copies_left : best.weight_left;
        } else {
            // The child that is grown first comes last, so that the pool shrinks with the stack.
            children[1].classes = static_cast<std::uint32_t>(nodes.classes.size());
            children[0].classes = children[1].classes + n_classes;
            nodes.classes.resize(nodes.classes.size() + 2 * n_classes, 0);
            std::uint32_t* of_left = nodes.classes.data() + children[0].classes;
            if (node.is_home && best.cut.gaps == GapSide::heavier) {  // has been added up
                for (std::uint32_t k = 0; k < n_classes; ++k)
                    of_left[k] = lanes->class_left[k * kLanes + best.lane];
            } else {
                for (const std::uint32_t i : places[0])
                    of_left[this->targets_of(node)[i]] += this->weights_of(node)[i];
            }
            std::uint32_t weight = 0;
            for (std::uint32_t k = 0; k < n_classes; ++k) {
                weight += of_left[k];
                nodes.classes[children[1].classes + k] =
                    nodes.classes[node.classes + k] - of_left[k];
            }
            children[0].weight = weight;
            children[0].copies = children[0].weight;
        }
        children[1].weight = node.weight - children[0].weight;
        children[1].copies = node.copies - children[0].copies;
        children[1].sum = node.sum - children[0].sum;
    }

    [[nodiscard, gnu::always_inline]] bool may_grow(const OpenNode& node, std::uint32_t n,
                                                    std::uint32_t b) {
        const bool may =
            grow::within_limits(nodes.options, n, node.depth, node.copies, node.weight);
        if (is_two) return may & !nodes.agrees_of_two(node);  // unpredictable: no branch
        return may && (n_classes > 0 ? !nodes.agrees(node) : !is_settled(node, b));
    }

    /// Whether the rows in places[b] have the same target.
    [[nodiscard]] bool is_settled(const OpenNode& node, std::uint32_t b) {
        const double first = this->target_at(node, places[b][0]);
        return std::all_of(places[b].begin(), places[b].end(),
                           [&](std::uint32_t i) { return this->target_at(node, i) == first; });
    }

    std::vector<std::uint32_t> n_names_of;  ///< by column; empty: there are no names
    double n_copies = 0.0;                  ///< of the rows of the tree
    std::uint32_t n_drawn = 0;
    SmallSubtree twig;
    Lanes<T> twig_lanes[RowCache<T>::kMostTogether];  ///< first looks at its nodes
    std::vector<std::unique_ptr<RandomGrower>> crew;  ///< by thread: grow the parts
};

}  // namespace

std::unique_ptr<FastGrower> make_drawn_cuts_grower(const FastData& shared,
                                                   const grow::GrowOptions& options,
                                                   Progress& progress) {
    if (shared.doubles.by_column.empty())
        return std::make_unique<RandomGrower<float>>(shared, shared.singles, options, progress);
    return std::make_unique<RandomGrower<double>>(shared, shared.doubles, options, progress);
}

}  // namespace treewright::forest
