/// Trees of the fast grower by best cuts: one list of rows per column, sorted by its values, as in
/// data/block.hpp (sorted_lists.hpp, list_cuts.hpp).
#include "treewright/forest/fast/grower.hpp"

#include <algorithm>
#include <optional>

#include "treewright/base/error.hpp"
#include "treewright/base/prefetch.hpp"
#include "treewright/forest/fast/list_cuts.hpp"
#include "treewright/grow/question.hpp"

namespace treewright::forest {
namespace {

class ListGrower final : public FastGrower, private ListCuts {
public:
    ListGrower(const FastData& shared, const grow::GrowOptions& options, Progress& progress)
        : ListCuts(shared, options, progress) {}

    PackedTree grow(const DrawnRows& drawn, std::uint64_t tree, bool is_caller,
                    Team& team) override {
        asks = is_caller;
        FastNode& root = nodes.begin(tree);
        open_cuts.clear();
        number_rows(drawn.copies);
        parts.begin(team, table_row.size());
        nodes.keeps_credits = parts.is_shared() && !nodes.is_best_first;
        fill_lists(root, drawn.copies);
        look_up(root);
        open_root(root);
        const std::uint32_t* rows = list_of(root, any_list(root));
        if (!nodes.within_limits(root.size(), 0, root.weight) ||
            is_settled(root, rows, root.size())) {
            close(root, rows, root.size());
            nodes.stack.clear();
        }
        if (nodes.is_best_first) {
            grow_best_first();
            return nodes.finish();
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
            if (parts.takes(node)) {
                parts.add(nodes, node);
                continue;
            }
            nodes.look_up(progress, asks, node.size());
            if (node.pocket == 0 && node.size() <= kPocket) fill_pocket(node);
            else if (!node.is_home && node.size() <= kHome) bring_home(node);
            look_up(node);
            split_or_close(node);
        }
        read_thresholds();
    }

    /// A node that may be divided, and the cut that would do so.
    struct Waiting {
        double improvement;
        FastNode node;
        FastCut cut;
        double purity;

        /// Nodes that gain most come first, of equals the older one.
        [[nodiscard]] bool operator<(const Waiting& other) const {
            if (improvement != other.improvement) return improvement < other.improvement;
            return node.node > other.node.node;
        }
    };

    /// Divides the node that gains most, weighted by its rows, until there are enough leaves.
    /// Nodes are divided in no order that numbering their rows anew could rely on.
    void grow_best_first() {
        std::vector<Waiting> heap;
        const auto judge_open = [&] {
            while (!nodes.stack.empty()) {
                FastNode node = nodes.pop();
                nodes.look_up(progress, asks, node.size());
                const Choice choice = choose(node);
                if (!choice.cut) {
                    close(node);
                    continue;
                }
                heap.push_back({split::rounded_improvement(choice.found.gain * node.weight), node,
                                *choice.cut, choice.purity});
                std::push_heap(heap.begin(), heap.end());
            }
        };
        for (std::int64_t n_leaves = 1; n_leaves < nodes.options.max_leaf_nodes; ++n_leaves) {
            judge_open();
            if (heap.empty()) break;
            std::pop_heap(heap.begin(), heap.end());
            Waiting next = heap.back();
            heap.pop_back();
            divide(next.node, next.cut, located(next.node, next.cut, next.purity));
        }
        for (const Waiting& left : heap) close(left.node);
        for (const FastNode& left : nodes.stack) close(left);
        read_thresholds();
    }

    // ---------------------------------------------------------------- parts of a tree

    void grow_parts() {
        while (crew.size() < parts.n_threads())
            crew.push_back(std::make_unique<ListGrower>(shared, nodes.options, progress));
        parts.grow([&](FastPart& part, std::size_t thread) {
            crew[thread]->grow_part(*this, part, asks && thread == 0);
        });
        parts.join(nodes);
    }

    void grow_part(const ListGrower& top, FastPart& part, bool is_caller) {
        asks = is_caller;
        FastNode& root = nodes.begin(top.nodes, part);
        open_cuts.clear();
        take_rows(top, part, root);
        grow_open();
        nodes.finish(part);
    }

    void open_root(FastNode& root) {
        const auto n = static_cast<std::uint32_t>(table_row.size());
        root.end = n;
        root.weight = nodes.total_weight;
        const std::uint32_t* list = list_of(root, any_list(root));
        if (kind == Kind::classes) {
            nodes.classes.assign(n_classes, 0);
            for (std::uint32_t i = 0; i < n; ++i)
                nodes.classes[class_of[row_of(list[i])]] += weight_of(list[i]);
        } else if (kind == Kind::two_classes) {
            for (std::uint32_t i = 0; i < n; ++i)
                if ((list[i] & kPositive) != 0) root.sum += weight_of(list[i]);
        } else {
            lay_grid(list, n, root);
        }
    }

    // ---------------------------------------------------------------- splits

    /// The best cut of a node, none if it is to be a leaf.
    struct Choice {
        std::optional<FastCut> cut;
        Located found;
        double purity;
    };

    void split_or_close(FastNode& node) {
        Choice choice = choose(node);
        if (choice.cut) divide(node, *choice.cut, choice.found);
        else close(node);
    }

    Choice choose(FastNode& node) {
        const double purity = tie_scale_of(node);
        nodes.begin_draws(node);
        // Two rows are separated alike by every column: the first that separates them wins.
        const bool is_plain = !nodes.draws_shown() && !shared.has_names;
        const bool is_pair = size_of(node) == 2 && least == 1 && is_plain;
        // In a pocket all columns are judged at once.
        const bool at_once =
            node.pocket != 0 && kind == Kind::values && !is_pair && !pocket.has_gaps && is_plain;
        if (parts.shares(node)) {
            judge_together(node, purity);
        } else if (!at_once || !judge_pocket(node)) {
            FastLeader leader(purity, nodes.draws_shown());
            while (is_pair ? nodes.lacks_cut() : nodes.lacks_varying() || nodes.lacks_cut()) {
                const std::uint32_t column = nodes.draw_column();
                const FastCut cut =
                    at_once ? pocket.judged(column) : judge(node, column, leader.floor(), scratch);
                nodes.note_column(cut.is_constant);
                nodes.note_cut(cut);
                if (cut.share <= 0.0) leader.meets(cut);
            }
        }
        nodes.end_draws(node);
        const FastCut* best = nodes.select(node, purity, [&] { return impurity_of(node); });
        if (best == nullptr) return {{}, {}, purity};
        const Located found = located(node, *best, purity);
        if (nodes.needs_gains() &&
            !grow::gains_enough(nodes.options, found.gain * node.weight / nodes.total_weight))
            return {{}, {}, purity};
        return {*best, found, purity};
    }

    /// Judges the columns of a large node by all threads. Neither the draws nor the winner depend
    /// on which thread judges a column: the floor is that of columns drawn before, by the same
    /// thread.
    void judge_together(const FastNode& node, double purity) {
        while (nodes.lacks_varying() || nodes.lacks_cut()) {
            const std::size_t begin = nodes.cuts.size();
            for (std::size_t n = nodes.n_sure(); n > 0; --n)
                nodes.cuts.push_back({nodes.draw_column(), false, kNoPlainCut});
            std::vector<FastLeader> leaders(parts.n_threads(),
                                            FastLeader(purity, nodes.draws_shown()));
            scratch_of_thread.resize(parts.n_threads());
            parts.share(nodes.cuts.size() - begin, [&](std::size_t i, std::size_t thread) {
                progress.check(asks && thread == 0);
                FastCut& cut = nodes.cuts[begin + i];
                cut = judge(node, cut.column, leaders[thread].floor(), scratch_of_thread[thread]);
                if (cut.share <= 0.0) leaders[thread].meets(cut);
            });
            for (std::size_t i = begin; i < nodes.cuts.size(); ++i) {
                nodes.note_column(nodes.cuts[i].is_constant);
                nodes.note_decrease(nodes.cuts[i].decrease);
            }
        }
    }

    bool judge_pocket(const FastNode& node) {
        return pocket.judge(
            node,
            {nullptr, size_of(node), least, static_cast<std::uint32_t>(node.weight), node.sum},
            loops, nodes);
    }

    void divide(FastNode& node, FastCut& cut, const Located& found) {
        const FastPlace& place = found.place;
        const std::uint32_t n = found.list.n;
        require(place.position > 0 && place.position < n, "a place for the cut");
        cut.gaps = found.gaps;
        const std::uint32_t* list = found.list.entries;
        const std::uint32_t n_left = place.position;
        const double right_weight = node.weight - place.weight;
        nodes.credit(cut, node.weight, nodes.needs_gains() ? node.unit : nodes.unit);
        const std::uint32_t first = nodes.add_nodes(2);
        if (nodes.is_shown)
            nodes.tree.shown.nodes[node.node] = {found.gain, cut.share, node.n_columns};
        const double threshold =
            found.names == nullptr
                ? open_threshold(data.columns[cut.column])
                : note_names(*found.names, scratch.runs, data.columns[cut.column],
                             shared.coded[cut.column], cut.share, nodes.tree.names);
        nodes.set_cut(node.node, cut, threshold, place.weight >= right_weight, first);
        if (found.names != nullptr) nodes.tree.nodes[node.node].column |= PackedNode::kNames;
        else if (!found.is_open)
            read_later(
                node.node, cut.column,
                {row_of_table[row_of(list[n_left - 1])], row_of_table[row_of(list[n_left])]});

        FastNode children[2] = {node, node};
        for (std::uint32_t b = 0; b < 2; ++b) {
            children[b].node = first + b;
            children[b].depth = node.depth + 1;
        }
        if (node.pocket == 0) {
            children[0].end = children[1].begin = node.begin + n_left;
        } else {
            children[0].pocket = 0;
            for (std::uint32_t i = 0; i < n_left; ++i)
                children[0].pocket |= static_cast<std::uint16_t>(1U << row_of(list[i]));
            children[1].pocket = node.pocket & static_cast<std::uint16_t>(~children[0].pocket);
        }
        children[0].weight = place.weight;
        children[1].weight = right_weight;
        children[0].sum = place.sum;
        children[1].sum = node.sum - place.sum;
        if (kind == Kind::classes) count_classes(node, list, n_left, children);
        bool grows[2];
        for (std::uint32_t b = 0; b < 2; ++b) {
            const FastNode& child = children[b];
            const std::uint32_t n_there = b == 0 ? n_left : n - n_left;
            const std::uint32_t* there = list + (b == 0 ? 0 : n_left);
            grows[b] = nodes.within_limits(n_there, child.depth, child.weight) &&
                       !is_settled(child, there, n_there);
            if (!grows[b]) {
                close(child, there, n_there);
                continue;
            }
            children[b].key = Mixed(node.key.with(b));
            if (nodes.needs_gains() && kind == Kind::values)
                refine_grid(there, n_there, children[b]);
        }
        if (node.pocket == 0 && (grows[0] || grows[1]))
            partition(node, cut, list, n_left, grows, children);
        if (grows[1]) nodes.stack.push_back(children[1]);
        if (grows[0]) nodes.stack.push_back(children[0]);
    }

    /// Thresholds lie between two values of the table, which are far away in memory: they are
    /// prefetched at once and read some nodes later.
    void read_later(std::uint32_t node, std::uint32_t column, const split::CutRows& rows) {
        const data::Column& values_of = data.columns[column];
        for (const std::uint32_t row : {rows.below, rows.above})
            prefetch(values_of.data + static_cast<std::ptrdiff_t>(row) * values_of.stride);
        open_cuts.push_back({node, column, rows});
        if (open_cuts.size() == kMostOpenCuts) read_thresholds();
    }
    void read_thresholds() {
        for (const OpenCut& cut : open_cuts) {
            double threshold = 0.0;
            std::int64_t whole = 0;
            const data::Column& column = data.columns[cut.column];
            place_between(column, cut.rows, nodes.options, threshold, whole);
            nodes.tree.nodes[cut.node].threshold =
                column.is_real() ? threshold : static_cast<double>(whole);
        }
        open_cuts.clear();
    }

    void count_classes(const FastNode& node, const std::uint32_t* list, std::uint32_t n_left,
                       FastNode* children) {
        children[0].classes = static_cast<std::uint32_t>(nodes.classes.size());
        children[1].classes = children[0].classes + n_classes;
        nodes.classes.resize(nodes.classes.size() + 2 * n_classes, 0);
        std::uint32_t* of_left = nodes.classes.data() + children[0].classes;
        for (std::uint32_t i = 0; i < n_left; ++i)
            of_left[class_of[row_of(list[i])]] += weight_of(list[i]);
        for (std::uint32_t k = 0; k < n_classes; ++k)
            of_left[n_classes + k] = nodes.classes[node.classes + k] - of_left[k];
        // The child that is grown first comes last, so that the pool shrinks with the stack.
        std::swap_ranges(of_left, of_left + n_classes, of_left + n_classes);
        std::swap(children[0].classes, children[1].classes);
    }

    /// Whether the rows agree on the target.
    [[nodiscard]] bool is_settled(const FastNode& node, const std::uint32_t* list,
                                  std::uint32_t n) const {
        if (kind != Kind::values) return nodes.agrees(node);
        const double first = target_of(list[0]);
        for (std::uint32_t i = 1; i < n; ++i)
            if (target_of(list[i]) != first) return false;
        return true;
    }

    /// Partitions the lists of the columns still in use; a child that grows alone takes the front.
    /// The first n_left of `rows` are those of the first child.
    void partition(const FastNode& node, const FastCut& cut, const std::uint32_t* rows,
                   std::uint32_t n_left, const bool* grows, FastNode* children) {
        const std::uint32_t n = node.size();
        const bool by_bits =
            grows[0] && grows[1] && !node.is_home && table_row.size() >= kSidesInBits && !any_ties;
        const auto note_sides = [&](const auto& note) {
            for (std::uint32_t i = 0; i < n_left; ++i) note(row_of(rows[i]), std::uint8_t{0});
            for (std::uint32_t i = n_left; i < n; ++i) note(row_of(rows[i]), std::uint8_t{1});
        };
        std::uint8_t* const sides = side.data();
        if (by_bits)
            note_sides([sides](std::uint32_t row, unsigned b) { SideBits::set(sides, row, b); });
        else note_sides([sides](std::uint32_t row, std::uint8_t b) { sides[row] = b; });
        if (!grows[0]) {
            children[1].begin = node.begin;
            children[1].end = node.begin + (n - n_left);
        }
        const bool both = grows[0] && grows[1];
        const bool moves_back = both && !node.is_home;  // a large node has no second buffer
        if (both && node.is_home) children[1].buffer = static_cast<std::uint8_t>(1 - node.buffer);
        const std::uint8_t which = grows[0] ? 0 : 1;
        const auto divide_list = [&](std::uint32_t column, std::vector<std::uint32_t> & spare,
                                     auto&& note_untied) __attribute__((always_inline)) {
            std::uint32_t* list = list_of(node, column);
            std::uint32_t* there = both ? list_of(children[1], column) : list;
            // A cut leaves its own list in order, unless the last rows go to the first side.
            if (column == cut.column && cut.gaps != GapSide::first) {
                if (list + n_left != there && (!grows[0] || both))
                    std::copy(list + n_left, list + n, there);
                return;
            }
            if (moves_back && spare.size() < n) spare.resize(n);
            std::uint32_t* other = moves_back ? spare.data() : there;
            const std::uint64_t bit = tie_bit(column);
            if (by_bits) {
                loops.divide_untied_by_bits(list, n, sides, other);
            } else if (both && ((node.tied & bit) == 0 || has_ties[column] == 0)) {
                loops.divide_untied(list, n, side.data(), other);
            } else if (both) {
                const unsigned ties = loops.divide(list, n, side.data(), other);
                for (unsigned b = 0; b < 2; ++b)
                    if ((ties >> b & 1U) == 0 && bit != kLastBit) note_untied(b, bit);
            } else loops.keep(list, n, side.data(), which);
            if (moves_back) std::copy_n(spare.data(), n - n_left, there);
        };
        const std::span<const std::uint32_t> columns = lists_of(node);
        if (!parts.shares(node)) {
            for (const std::uint32_t column : columns)
                divide_list(column, spares[0],
                            [&](unsigned b, std::uint64_t bit) { children[b].tied &= ~bit; });
            return;
        }
        spares.resize(std::max(spares.size(), parts.n_threads()));
        std::vector<std::uint64_t> untied(2 * parts.n_threads());
        parts.share(columns.size(), [&](std::size_t c, std::size_t thread) {
            progress.check(asks && thread == 0);
            divide_list(columns[c], spares[thread],
                        [&](unsigned b, std::uint64_t bit) { untied[2 * thread + b] |= bit; });
        });
        for (std::size_t i = 0; i < untied.size(); ++i) children[i % 2].tied &= ~untied[i];
    }

    // ---------------------------------------------------------------- leaves

    void close(const FastNode& node) {
        close(node, entries_of(node, any_list(node)), size_of(node));
    }
    void close(const FastNode& node, const std::uint32_t* list, std::uint32_t n) {
        nodes.add_leaf(node.node, n);
        if (nodes.is_unpacked) nodes.tree.names.n_rows.push_back(n_distinct_of(list, n));
        if (kind != Kind::values) {
            nodes.add_counts(node);
            return;
        }
        if (nodes.is_shown) {
            nodes.tree.counts.push_back(n);
            for (std::uint32_t i = 0; i < n; ++i)
                nodes.tree.shown.leaf_rows.push_back(row_of_table[row_of(list[i])]);
            return;
        }
        add_value_leaf(nodes.tree, n, [&](std::uint32_t i) {
            return std::pair{target_of(list[i]), weight_of(list[i])};
        });
    }

    /// Rows of some entries, however often they were drawn: those of one stand side by side.
    [[nodiscard]] std::uint32_t n_distinct_of(const std::uint32_t* list, std::uint32_t n) const {
        std::uint32_t n_distinct = n;
        for (std::uint32_t i = 1; i < n && has_repeats; ++i)
            n_distinct -=
                row_of_table[row_of(list[i])] == row_of_table[row_of(list[i - 1])] ? 1 : 0;
        return n_distinct;
    }

    /// A cut whose threshold has not been read.
    struct OpenCut {
        std::uint32_t node;
        std::uint32_t column;
        split::CutRows rows;  ///< of the table
    };
    static constexpr std::size_t kMostOpenCuts = 32;

    std::vector<OpenCut> open_cuts;
    std::vector<std::vector<std::uint32_t>> spares{
        1};  ///< by thread: stand in for the second buffer
    std::vector<Scratch> scratch_of_thread;
    std::vector<std::unique_ptr<ListGrower>> crew;  ///< by thread: grow the parts
};

}  // namespace

std::unique_ptr<FastGrower> make_best_cuts_grower(const FastData& shared,
                                                  const grow::GrowOptions& options,
                                                  Progress& progress) {
    return std::make_unique<ListGrower>(shared, options, progress);
}

}  // namespace treewright::forest
