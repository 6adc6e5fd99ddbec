#include "treewright/boosting/grower.hpp"

// Long because all steps of growing a tree work on one state.

#include <algorithm>
#include <cstring>
#include <numeric>
#include <utility>

#include "treewright/base/error.hpp"
#include "treewright/base/random.hpp"
#include "treewright/boosting/leaves.hpp"
#include "treewright/boosting/partition.hpp"
#include "treewright/boosting/pruning.hpp"
#include "treewright/grow/draw_columns.hpp"

namespace treewright::boosting {
namespace {

/// Rows from which building a histogram, and partitioning, is shared among threads. Sharing the
/// columns instead would load every row into the cache once for each thread, which is half of the
/// work.
constexpr std::size_t kRowsToAdd = 2048;
constexpr std::size_t kRowsToDivide = 16384;
/// Rows that a thread processes before it takes more: a thread that is held up does less.
constexpr std::size_t kRowsAtATime = 4096;
constexpr std::size_t kMostParts = 256;

template <class Row>
class Growing {
    using Entry = typename Row::Entry;

public:
    Growing(const BoostRound& round, const BoostGrowth& growth, GrowBuffers& buffers, Team& team,
            Progress& progress)
        : round(round),
          table(round.table),
          growth(growth),
          buffers(buffers),
          team(team),
          progress(progress),
          memory(buffers.template histograms<Entry>()) {
        memory.make_room(team.size(), table.n_entries);
    }

    BoostTree run() {
        plant();
        std::size_t n_leaves = 1;
        while (growth.max_leaves == 0 || n_leaves < growth.max_leaves) {
            const std::size_t chosen = next_leaf();
            if (chosen == open.size()) break;
            progress.check(true);
            ++n_leaves;
            split(chosen, growth.max_leaves != 0 && n_leaves == growth.max_leaves);
        }
        for (const Leaf& leaf : open) finish(leaf);
        if (growth.min_gain_per_leaf > 0.0) prune();
        note_leaves();
        for (Leaf& leaf : open)
            if (leaf.histogram) memory.pool.push_back(std::move(leaf.histogram));
        return std::move(tree);
    }

private:
    struct Leaf {
        std::uint32_t node = 0;
        std::size_t begin = 0;
        std::size_t end = 0;
        std::size_t depth = 0;
        Sums total;
        Bounds bounds;
        std::unique_ptr<Entry[]> histogram;
        std::vector<std::uint32_t> asked;  ///< columns on the path, where interactions matter
        BoostSplit best;

        [[nodiscard]] std::size_t n() const { return end - begin; }
    };

    /// Whether these are all rows of the table, which are then not listed.
    [[nodiscard]] bool is_all(const Leaf& leaf) const {
        return round.sample.empty() && leaf.depth == 0;
    }
    [[nodiscard]] std::size_t row_of(const Leaf& leaf, std::size_t i) const {
        return is_all(leaf) ? i : buffers.rows[leaf.begin + i];
    }
    [[nodiscard]] RowRange rows_of(const Leaf& leaf) const {
        if (is_all(leaf)) return {nullptr, 0, leaf.n()};
        return {buffers.rows.data() + leaf.begin, 0, leaf.n()};
    }

    [[nodiscard]] std::unique_ptr<Entry[]> new_histogram() {
        std::unique_ptr<Entry[]> made;
        if (memory.pool.empty()) {
            made.reset(new Entry[table.n_entries]);
        } else {
            made = std::move(memory.pool.back());
            memory.pool.pop_back();
        }
        return made;
    }

    void plant() {
        const std::size_t n = round.sample.empty() ? table.n_rows : round.sample.size();
        buffers.rows.resize(n);
        buffers.second.resize(n + kDivideSlack);
        std::copy(round.sample.begin(), round.sample.end(), buffers.rows.begin());
        tree.nodes.emplace_back();
        Leaf root;
        root.end = n;
        root.histogram = new_histogram();
        if (may_split(root, n)) {
            fill(root);
            const Slot& slot = table.slots[0];
            Entry all{};
            for (std::size_t i = 0; i < slot.n_codes; ++i) all += root.histogram[slot.offset + i];
            root.total = all.sums(round.fixed.count_bits);
            search({&root, 1}, nullptr);
        } else {
            Entry all{};
            for (std::size_t i = 0; i < n; ++i)
                all += round.gradients.template get<Row>(row_of(root, i)).entry(round.fixed);
            root.total = all.sums(round.fixed.count_bits);
        }
        open.push_back(std::move(root));
    }

    [[nodiscard]] bool may_split(const Leaf& leaf, std::size_t n_rows) const {
        return (growth.max_depth == 0 || leaf.depth < growth.max_depth) && n_rows >= 2 &&
               !table.slots.empty();
    }

    /// The leaf of the largest gain, or (level by level) the first; the end of the list if there is
    /// none.
    [[nodiscard]] std::size_t next_leaf() const {
        std::size_t chosen = open.size();
        for (std::size_t i = 0; i < open.size(); ++i) {
            if (!open[i].best.exists()) continue;
            if (chosen == open.size()) chosen = i;
            const bool is_better = growth.depth_wise ? open[i].node < open[chosen].node
                                                     : open[i].best.gain > open[chosen].best.gain;
            if (is_better) chosen = i;
        }
        return chosen;
    }

    // -------------------------------------------------------------- histograms
    void fill(Leaf& leaf) {
        const RowRange rows = rows_of(leaf);
        Entry* histogram = leaf.histogram.get();
        if (team.size() > 1 && rows.n >= kRowsToAdd) return fill_by_rows(rows, histogram);
        clear(histogram);
        add_rows<Row>(table, rows, round.gradients, round.fixed, memory.near[0], histogram);
    }

    void clear(Entry* histogram) const {
        std::memset(static_cast<void*>(histogram), 0, table.n_entries * sizeof(Entry));
    }

    /// Every thread has a histogram of its own; which thread adds which rows does not matter.
    void fill_by_rows(const RowRange& rows, Entry* histogram) {
        std::vector<Entry*> own(team.size(), nullptr);
        const std::size_t n_parts =
            std::max(team.size(), std::min(rows.n / kRowsAtATime, kMostParts));
        team.for_each(n_parts, [&](std::size_t part, std::size_t thread) {
            if (own[thread] == nullptr) {
                own[thread] = thread == 0 ? histogram : memory.spare[thread - 1].get();
                clear(own[thread]);
            }
            add_rows<Row>(table, rows.part(part * rows.n / n_parts, (part + 1) * rows.n / n_parts),
                          round.gradients, round.fixed, memory.near[thread], own[thread]);
        });
        if (own[0] == nullptr) clear(histogram);
        std::vector<const Entry*> others;
        for (std::size_t thread = 1; thread < own.size(); ++thread)
            if (own[thread] != nullptr) others.push_back(own[thread]);
        const std::size_t n_spans = team.size();
        team.for_each(n_spans, [&](std::size_t span, std::size_t) {
            for (const Entry* more : others)
                for (std::size_t i = span * table.n_entries / n_spans;
                     i < (span + 1) * table.n_entries / n_spans; ++i)
                    histogram[i] += more[i];
        });
    }

    /// Ranges of slots with about equally many entries.
    [[nodiscard]] std::pair<std::size_t, std::size_t> entries_of(std::size_t part) const {
        const auto slot_at = [&](std::size_t i) {
            const std::size_t entry = i * table.n_entries / team.size();
            std::size_t slot = 0;
            while (slot < table.slots.size() && entry_of(slot) < entry) ++slot;
            return slot;
        };
        return {slot_at(part), part + 1 == team.size() ? table.slots.size() : slot_at(part + 1)};
    }
    [[nodiscard]] std::size_t entry_of(std::size_t slot) const {
        return slot == table.slots.size() ? table.n_entries : table.slots[slot].offset;
    }

    // -------------------------------------------------------------- search
    /// Finds the best split of each leaf. Where `less` is given, the first leaf's histogram is
    /// still its parent's, and the second's is to be subtracted from it.
    void search(std::span<Leaf> leaves, const Entry* less) {
        const std::size_t n_parts = team.size();
        std::vector<BoostSplit> found(leaves.size() * n_parts);
        std::vector<std::vector<std::uint32_t>> columns(leaves.size());
        for (std::size_t l = 0; l < leaves.size(); ++l) columns[l] = columns_of(leaves[l]);
        team.for_each(n_parts, [&](std::size_t part, std::size_t thread) {
            const auto [low, high] = entries_of(part);
            if (less != nullptr)
                for (std::size_t i = entry_of(low); i < entry_of(high); ++i)
                    leaves[0].histogram[i] -= less[i];
            for (std::size_t l = 0; l < leaves.size(); ++l)
                if (may_gain(leaves[l]))
                    for (const std::uint32_t column : columns[l])
                        if (table.columns[column].slot >= low && table.columns[column].slot < high)
                            search_column(leaves[l], column, memory.scratch[thread],
                                          found[l * n_parts + part]);
        });
        for (std::size_t l = 0; l < leaves.size(); ++l) {
            BoostSplit& best = leaves[l].best;
            for (std::size_t part = 0; part < n_parts; ++part) {
                BoostSplit& other = found[l * n_parts + part];
                if (other.gain > best.gain ||
                    (other.exists() && other.gain == best.gain && other.column < best.column))
                    best = std::move(other);
            }
        }
    }

    [[nodiscard]] bool may_gain(const Leaf& leaf) const {
        return may_split(leaf, leaf.n()) &&
               leaf.total.n_rows >= std::max(2 * growth.limits.min_leaf, growth.limits.min_split);
    }

    /// Columns that a node may ask.
    [[nodiscard]] std::vector<std::uint32_t> columns_of(const Leaf& leaf) const {
        std::vector<std::uint32_t> allowed(round.columns.begin(), round.columns.end());
        if (!growth.interactions.empty())
            std::erase_if(allowed, [&](std::uint32_t column) {
                return std::none_of(
                    growth.interactions.begin(), growth.interactions.end(), [&](const auto& set) {
                        const auto has = [&](std::uint32_t c) {
                            return std::binary_search(set.begin(), set.end(), c);
                        };
                        return has(column) &&
                               std::all_of(leaf.asked.begin(), leaf.asked.end(), has);
                    });
            });
        const std::size_t n_drawn = growth.columns_per_node;
        if (n_drawn == 0 || n_drawn >= allowed.size()) return allowed;
        Generator draw(mix(round.key, leaf.node));
        for (std::size_t i = 0; i < n_drawn; ++i) grow::draw_next(allowed, i, draw);
        allowed.resize(n_drawn);
        std::sort(allowed.begin(), allowed.end());
        return allowed;
    }

    void search_column(const Leaf& leaf, std::uint32_t column, HistogramScratch& own,
                       BoostSplit& best) const {
        const Placed& placed = table.columns[column];
        const Slot& slot = table.slots[placed.slot];
        const std::uint32_t n_all = round.book.columns[column].n_all();
        const int bits = round.fixed.count_bits;
        own.sums.resize(n_all);
        if (placed.is_shared) {
            const Entry* entries = leaf.histogram.get() + slot.offset;
            Sums others;
            for (std::uint32_t code = 0; code < n_all; ++code) {
                if (code == placed.common) continue;
                own.sums[code] = entries[placed.in_slot(code)].sums(bits);
                others += own.sums[code];
            }
            own.sums[placed.common] = leaf.total - others;
        } else {
            const Entry* entries = leaf.histogram.get() + slot.offset;
            for (std::uint32_t code = 0; code < n_all; ++code)
                own.sums[code] = entries[code].sums(bits);
        }
        if (!round.weight.empty()) weigh_codes(leaf, column, own);
        if (growth.by_squared_error) return search_by_squares(leaf, column, own, best);
        search_sums(leaf.total, round.fixed, leaf.bounds, column, own, best);
    }

    /// Sums the weights of the rows of each code.
    void weigh_codes(const Leaf& leaf, std::uint32_t column, HistogramScratch& own) const {
        const Placed& placed = table.columns[column];
        const Slot& slot = table.slots[placed.slot];
        std::vector<std::int64_t> by_slot(slot.n_codes);
        std::int64_t all = 0;
        for (std::size_t i = 0; i < leaf.n(); ++i) {
            const std::size_t row = row_of(leaf, i);
            by_slot[table.code(slot, row)] += round.weight[row];
            all += round.weight[row];
        }
        own.weight.resize(own.sums.size());
        if (!placed.is_shared) {
            std::copy_n(by_slot.begin(), own.weight.size(), own.weight.begin());
            return;
        }
        for (std::uint32_t code = 0; code < own.weight.size(); ++code)
            if (code != placed.common) all -= own.weight[code] = by_slot[placed.in_slot(code)];
        own.weight[placed.common] = all;
    }

    void search_sums(const Sums& total, const FixedPoint& fixed, const Bounds& bounds,
                     std::uint32_t column, HistogramScratch& own, BoostSplit& best) const {
        SearchNode node{total, fixed, bounds, &growth.limits};
        if (growth.limits.min_weight > 0.0) node.weight = own.weight;
        const int sign = growth.monotonic.empty() ? 0 : growth.monotonic[column];
        if (round.book.columns[column].is_nominal)
            search_subsets(node, own.sums, column, own, best);
        else search_cuts(node, own.sums, column, sign, own, best);
    }

    /// The search with its weight as the hessian of every row; the children keep their own.
    void search_by_squares(const Leaf& leaf, std::uint32_t column, HistogramScratch& own,
                           BoostSplit& best) const {
        const bool is_weighted = !round.weight.empty();
        FixedPoint fixed = round.fixed;
        fixed.hessian_unit = is_weighted ? kWeightUnit : 1.0;
        Sums total = leaf.total;
        total.hessian = 0;
        std::vector<std::int64_t> hessian(own.sums.size());
        for (std::size_t code = 0; code < own.sums.size(); ++code) {
            Sums& sums = own.sums[code];
            hessian[code] =
                std::exchange(sums.hessian, is_weighted ? own.weight[code] : sums.n_rows);
            total.hessian += sums.hessian;
        }
        const double before = best.gain;
        search_sums(total, fixed, leaf.bounds, column, own, best);
        if (best.gain == before) return;
        best.first.hessian = best.missing_first ? hessian.back() : 0;
        if (best.is_nominal)
            for (const std::uint32_t code : best.codes) best.first.hessian += hessian[code];
        else
            for (std::uint32_t code = 0; code <= best.cut; ++code)
                best.first.hessian += hessian[code];
    }

    // -------------------------------------------------------------- dividing
    void split(std::size_t chosen, bool is_last) {
        Leaf parent = std::move(open[chosen]);
        const BoostSplit& best = parent.best;
        const auto first_child = static_cast<std::int32_t>(tree.nodes.size());
        tree.nodes.emplace_back();
        tree.nodes.emplace_back();
        note_split(parent, first_child);
        const std::size_t n_first = divide_rows(parent);

        Leaf children[2];
        for (int side = 0; side < 2; ++side) {
            Leaf& child = children[side];
            child.node = static_cast<std::uint32_t>(first_child + side);
            child.depth = parent.depth + 1;
            child.begin = side == 0 ? parent.begin : parent.begin + n_first;
            child.end = side == 0 ? parent.begin + n_first : parent.end;
            child.total = side == 0 ? best.first : parent.total - best.first;
            child.bounds = parent.bounds;
            if (!growth.interactions.empty()) {
                child.asked = parent.asked;
                child.asked.push_back(best.column);
            }
        }
        if (!growth.monotonic.empty()) bound(parent, children);
        if (!is_last && (may_gain(children[0]) || may_gain(children[1]))) {
            // The larger child comes first: it takes over the parent's histogram.
            const bool swaps = children[0].n() < children[1].n();
            if (swaps) std::swap(children[0], children[1]);
            children[0].histogram = std::move(parent.histogram);
            children[1].histogram = new_histogram();
            fill(children[1]);
            search(children, children[1].histogram.get());
            if (swaps) std::swap(children[0], children[1]);
        }
        if (parent.histogram) memory.pool.push_back(std::move(parent.histogram));
        for (Leaf& child : children)
            if (child.histogram && !child.best.exists())
                memory.pool.push_back(std::move(child.histogram));
        open[chosen] = std::move(children[0]);
        open.push_back(std::move(children[1]));
    }

    void note_split(const Leaf& leaf, std::int32_t first_child) {
        const BoostSplit& best = leaf.best;
        BoostNode& node = tree.nodes[leaf.node];
        describe(node, leaf);
        node.first_child = first_child;
        node.column = best.column;
        node.cut = best.cut;
        node.missing_first = best.missing_first;
        node.gain = best.gain + growth.limits.min_gain;
        if (!best.is_nominal) return;
        node.subset = static_cast<std::int32_t>(tree.subsets.size());
        tree.subsets.resize(tree.subsets.size() + round.book.columns[best.column].n_all() / 64 + 1);
        for (const std::uint32_t code : best.codes)
            tree.subsets[static_cast<std::size_t>(node.subset) + code / 64] |= std::uint64_t{1}
                                                                               << (code % 64);
    }

    void describe(BoostNode& node, const Leaf& leaf) const {
        node.n_rows = static_cast<std::uint32_t>(leaf.total.n_rows);
        node.weight = static_cast<double>(leaf.total.hessian) * round.fixed.hessian_unit;
        node.value = leaf_answer(leaf.total, round.fixed, growth.limits.l2, leaf.bounds);
    }

    void finish(const Leaf& leaf) { describe(tree.nodes[leaf.node], leaf); }

    /// Predictions below the two children of a monotonic split stay on either side of the midpoint.
    void bound(const Leaf& parent, Leaf (&children)[2]) const {
        const int sign = growth.monotonic[parent.best.column];
        if (sign == 0 || parent.best.is_nominal) return;
        double middle = 0.0;
        for (const Leaf& child : children)
            middle += leaf_answer(child.total, round.fixed, growth.limits.l2, parent.bounds) / 2.0;
        (sign > 0 ? children[0].bounds.upper : children[0].bounds.lower) = middle;
        (sign > 0 ? children[1].bounds.lower : children[1].bounds.upper) = middle;
    }

    /// Which codes of the slot go to the second child.
    [[nodiscard]] Ways ways_of(const BoostNode& node) const {
        const Placed& placed = table.columns[node.column];
        const std::uint32_t n_all = round.book.columns[node.column].n_all();
        Ways ways;
        ways.reset(table.slots[placed.slot].n_codes);
        const auto second = [&](std::uint32_t code) {
            return tree.goes_second(node, code, n_all - 1);
        };
        if (placed.is_shared && second(placed.common)) ways.set_all();
        for (std::uint32_t code = 0; code < n_all; ++code)
            if (!placed.is_shared || code != placed.common)
                ways.set(placed.in_slot(code), second(code));
        return ways;
    }

    /// Puts the rows of the first child before those of the second, each in their order.
    std::size_t divide_rows(const Leaf& leaf) {
        const BoostNode& node = tree.nodes[leaf.node];
        Ways ways = ways_of(node);
        const std::uint32_t slot_index = table.columns[node.column].slot;
        const Slot& slot = table.slots[slot_index];
        const std::uint8_t* codes = table.codes_of(slot);
        const std::size_t n_parts = leaf.n() < kRowsToDivide ? 1 : team.size();
        std::vector<std::size_t> n_first(n_parts);
        const auto part_begin = [&](std::size_t part) { return part * leaf.n() / n_parts; };
        std::uint32_t* rows = buffers.rows.data() + leaf.begin;
        // Vector stores reach past a part's end: the parts are that far apart.
        const auto second = [&](std::size_t part) {
            return buffers.second.data() + part_begin(part) + part * kStoreReach;
        };
        team.for_each(n_parts, [&](std::size_t part, std::size_t) {
            const std::size_t begin = part_begin(part);
            const std::size_t n = part_begin(part + 1) - begin;
            n_first[part] = is_all(leaf)
                                ? divide_run(static_cast<std::uint32_t>(begin), n, codes,
                                             slot.is_wide, ways, rows + begin, second(part))
                                : divide(rows + begin, n, codes, slot.is_wide, ways, second(part));
        });
        std::size_t all_first = n_first[0];
        for (std::size_t part = 1; part < n_parts; ++part) {
            std::memmove(rows + all_first, rows + part_begin(part), n_first[part] * 4);
            all_first += n_first[part];
        }
        std::vector<std::size_t> to(n_parts, all_first);
        for (std::size_t part = 1; part < n_parts; ++part)
            to[part] = to[part - 1] + part_begin(part) - part_begin(part - 1) - n_first[part - 1];
        team.for_each(n_parts, [&](std::size_t part, std::size_t) {
            const std::size_t n = part_begin(part + 1) - part_begin(part) - n_first[part];
            std::memcpy(rows + to[part], second(part), n * 4);
        });
        if (!round.sample.empty())
            divisions.push_back({leaf.node, static_cast<std::uint32_t>(node.first_child),
                                 slot_index, std::move(ways)});
        return all_first;
    }

    // -------------------------------------------------------------- pruning
    void prune() {
        const PrunedNodes now = prune_branches(tree, growth.min_gain_per_leaf);
        std::erase_if(divisions, [&](const NodeDivision& each) { return !now.asks[each.node]; });
        for (NodeDivision& each : divisions) {
            each.node = now.at[each.node];
            each.first_child = now.at[each.first_child];
        }
        merge_leaves(now.at);
    }

    /// Joins the leaves that are now one node; their rows are neighbours.
    void merge_leaves(std::span<const std::uint32_t> at) {
        std::vector<Leaf> left;
        std::vector<std::size_t> place(tree.nodes.size(), open.size());
        for (Leaf& leaf : open) {
            leaf.node = at[leaf.node];
            if (leaf.node == 0) leaf.depth = 0;
            std::size_t& own = place[leaf.node];
            if (own == open.size()) {
                own = left.size();
                left.push_back(std::move(leaf));
            } else {
                left[own].begin = std::min(left[own].begin, leaf.begin);
                left[own].end = std::max(left[own].end, leaf.end);
            }
        }
        open = std::move(left);
    }

    // -------------------------------------------------------------- leaves
    /// Writes the leaf of every row of the table, also of those outside the sample.
    void note_leaves() {
        buffers.leaves.clear();
        for (const Leaf& leaf : open) buffers.leaves.push_back({leaf.node, rows_of(leaf)});
        buffers.leaf_of_row.resize(table.n_rows);
        if (!round.sample.empty()) return find_leaves(table, divisions, buffers.leaf_of_row, team);
        team.for_each(open.size(), [&](std::size_t i, std::size_t) {
            const Leaf& leaf = open[i];
            for (std::size_t at = 0; at < leaf.n(); ++at)
                buffers.leaf_of_row[row_of(leaf, at)] = leaf.node;
        });
    }

    const BoostRound& round;
    const CodedTable& table;
    const BoostGrowth& growth;
    GrowBuffers& buffers;
    Team& team;
    Progress& progress;
    BoostTree tree;
    std::vector<Leaf> open;
    HistogramMemory<Entry>& memory;
    std::vector<NodeDivision> divisions;  ///< made so far, where rows are outside the sample
};

}  // namespace

template <class Row>
BoostTree grow_boosted(const BoostRound& round, const BoostGrowth& growth, GrowBuffers& buffers,
                       Team& team, Progress& progress) {
    return Growing<Row>(round, growth, buffers, team, progress).run();
}

template BoostTree grow_boosted<SlimRow>(const BoostRound&, const BoostGrowth&, GrowBuffers&, Team&,
                                         Progress&);
template BoostTree grow_boosted<OddsRow>(const BoostRound&, const BoostGrowth&, GrowBuffers&, Team&,
                                         Progress&);
template BoostTree grow_boosted<WideRow>(const BoostRound&, const BoostGrowth&, GrowBuffers&, Team&,
                                         Progress&);
template BoostTree grow_boosted<NarrowRow>(const BoostRound&, const BoostGrowth&, GrowBuffers&,
                                           Team&, Progress&);
template BoostTree grow_boosted<SingleRow>(const BoostRound&, const BoostGrowth&, GrowBuffers&,
                                           Team&, Progress&);

}  // namespace treewright::boosting
