#include "treewright/boosting/grower.hpp"

// Long because all steps of growing a tree work on one state.

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <initializer_list>
#include <numeric>
#include <utility>

#include "treewright/base/error.hpp"
#include "treewright/base/random.hpp"
#include "treewright/boosting/coding/slot_blocks.hpp"
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
/// Rows of split leaves after which to look for an interrupt, and those that a split counts for.
constexpr std::size_t kRowsToCheck = 4096;
constexpr std::size_t kRowsOfASplit = 64;
/// A row added up for one column, and an entry of a histogram that is cleared, subtracted and read:
/// what they take, in tenths of nanoseconds.
constexpr std::size_t kRowCost = 20;
constexpr std::size_t kEntryCost = 18;
/// The same of a rare cell, and of a row's list of them.
constexpr double kCellCost = 15.0;
constexpr double kListCost = 50.0;

template <class Row>
class Growing {
    using Entry = typename Row::Entry;
    using Leaf = OpenLeaf<Entry>;

public:
    Growing(const BoostRound& round, const BoostGrowth& growth, GrowBuffers& buffers, Team& team,
            Progress& progress)
        : round(round),
          table(round.table),
          growth(growth),
          buffers(buffers),
          team(team),
          progress(progress),
          drawn(buffers.drawn),
          ways(buffers.ways),
          memory(buffers.template histograms<Entry>()),
          open(memory.open),
          gains(memory.gains),
          parent(memory.parent),
          blocks(round.table, team.size()) {
        memory.make_room(team.size(), table, blocks.size() == 0);
    }

    BoostTree run() {
        look_after(round.sample.empty() ? table.n_rows : round.sample.size());
        plant();
        std::size_t n_leaves = 1;
        while (growth.max_leaves == 0 || n_leaves < growth.max_leaves) {
            const std::size_t chosen = next_leaf();
            if (chosen == gains.size()) break;
            look_after(open[chosen].n());
            ++n_leaves;
            split(chosen, growth.max_leaves != 0 && n_leaves == growth.max_leaves);
        }
        for (const Leaf& leaf : leaves()) finish(leaf);
        if (growth.min_gain_per_leaf > 0.0) prune();
        note_leaves();
        for (Leaf& leaf : leaves())
            if (leaf.histogram) memory.pool.push_back(std::move(leaf.histogram));
        buffers.nodes = std::exchange(tree.nodes, {tree.nodes.begin(), tree.nodes.end()});
        buffers.subsets = std::exchange(tree.subsets, {tree.subsets.begin(), tree.subsets.end()});
        return std::move(tree);
    }

private:
    /// Looks for an interrupt now and then: looking at the clock takes as long as splitting a few
    /// rows, and a tree of few rows no longer than some looks.
    void look_after(std::size_t n_rows) {
        buffers.n_unchecked += n_rows + kRowsOfASplit;
        if (buffers.n_unchecked < kRowsToCheck) return;
        buffers.n_unchecked = 0;
        progress.check(true);
    }

    /// The leaves that are open, or were: those with a gain. Memory of more may lie behind them.
    [[nodiscard]] std::span<Leaf> leaves() const { return {open.data(), gains.size()}; }

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
        // Many small trees are kept: each has as much memory as it needs, and no more.
        tree.nodes = std::move(buffers.nodes);
        tree.nodes.clear();
        tree.subsets = std::move(buffers.subsets);
        tree.subsets.clear();
        tree.nodes.emplace_back();
        if (open.empty()) open.emplace_back();
        Leaf& root = open[0];
        root.reset();
        root.end = n;
        Entry all{};
        if (may_split(root, n) && !are_few(n)) {
            root.histogram = new_histogram();
            if (blocks.size() == 0) fill(root);
            const Slot& slot = table.slots[0];
            if (slot.is_sparse || blocks.size() > 0) all = sum_of(root);
            else
                for (std::size_t i = 0; i < slot.n_codes; ++i)
                    all += root.histogram[slot.offset + i];
            root.total = all.sums(round.fixed.count_bits);
            if (blocks.size() > 0) search_in_blocks({nullptr, &root});
            else search({&root}, nullptr);
        } else {
            all = sum_of(root);
            root.total = all.sums(round.fixed.count_bits);
            search_rows(root);
        }
        gains.assign(1, root.best.gain);
    }

    /// The sum of all rows of a leaf.
    [[nodiscard]] Entry sum_of(const Leaf& leaf) const {
        Entry all{};
        for (std::size_t i = 0; i < leaf.n(); ++i)
            all += round.gradients.template get<Row>(row_of(leaf, i)).entry(round.fixed);
        return all;
    }

    [[nodiscard]] bool may_split(const Leaf& leaf, std::size_t n_rows) const {
        return (growth.max_depth == 0 || leaf.depth < growth.max_depth) && n_rows >= 2 &&
               !table.slots.empty();
    }

    /// The leaf of the largest gain, or (level by level) the first; the end of the list if there is
    /// none.
    [[nodiscard]] std::size_t next_leaf() const {
        std::size_t chosen = gains.size();
        if (growth.depth_wise) {
            for (std::size_t i = 0; i < gains.size(); ++i)
                if (gains[i] > 0.0 && (chosen == gains.size() || open[i].node < open[chosen].node))
                    chosen = i;
            return chosen;
        }
        const double most = largest_gain(gains.data(), gains.size());
        if (!(most > 0.0)) return chosen;
        return static_cast<std::size_t>(std::ranges::find(gains, most) - gains.begin());
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
    /// Finds the best split of each of one or two leaves. Where `less` is given, the first leaf's
    /// histogram is still its parent's, and the second's is to be subtracted from it.
    void search(std::initializer_list<Leaf*> given, const Entry* less) {
        const std::span<Leaf* const> leaves(given.begin(), given.size());
        const std::size_t n_parts = team.size();
        if (n_parts == 1) {
            if (less != nullptr)
                for (std::size_t i = 0; i < table.n_entries; ++i)
                    leaves[0]->histogram[i] -= less[i];
            for (Leaf* leaf : leaves) {
                if (!may_gain(*leaf)) continue;
                add_digits(*leaf, 0, table.slots.size(), 0);
                search_drawn(*leaf);
            }
            return;
        }
        SearchNode nodes[2];
        for (std::size_t l = 0; l < leaves.size(); ++l) {
            if (!may_gain(*leaves[l])) continue;
            draw_columns(*leaves[l], drawn[l]);
            nodes[l] = node_of(*leaves[l]);
        }
        std::vector<BoostSplit> found(leaves.size() * n_parts);
        team.for_each(n_parts, [&](std::size_t part, std::size_t thread) {
            const auto [low, high] = entries_of(part);
            if (less != nullptr)
                for (std::size_t i = entry_of(low); i < entry_of(high); ++i)
                    leaves[0]->histogram[i] -= less[i];
            for (std::size_t l = 0; l < leaves.size(); ++l) {
                if (!may_gain(*leaves[l])) continue;
                add_digits(*leaves[l], low, high, thread);
                for (const std::uint32_t column : drawn[l])
                    if (table.columns[column].slot >= low && table.columns[column].slot < high)
                        search_column(*leaves[l], nodes[l], column, thread,
                                      found[l * n_parts + part]);
            }
        });
        for (std::size_t l = 0; l < leaves.size(); ++l)
            take_best(std::span(found).subspan(l * n_parts, n_parts), leaves[l]->best);
    }

    /// The best of what parts of the columns have found, the lower column of equal ones.
    static void take_best(std::span<BoostSplit> found, BoostSplit& best) {
        for (BoostSplit& other : found)
            if (other.gain > best.gain ||
                (other.exists() && other.gain == best.gain && other.column < best.column))
                best = std::move(other);
    }

    /// Makes the histograms of one or two leaves and finds their best splits, block by block.
    /// Either there is a larger leaf, whose histogram, if it has one, is still its parent's, or the
    /// other one is the root.
    void search_in_blocks(std::array<Leaf*, 2> given) {
        Leaf* const larger = given[0];
        Leaf* const smaller = given[1];
        SearchNode nodes[2];
        for (std::size_t l = 0; l < given.size(); ++l) {
            if (given[l] == nullptr) continue;
            if (given[l] == smaller || !larger->histogram)
                memory.gathered[l].template gather<Row>(table, rows_of(*given[l]), round.gradients,
                                                        round.fixed);
            nodes[l] = node_of(*given[l]);
            if (may_gain(*given[l])) draw_columns(*given[l], drawn[l]);
            else drawn[l].clear();
            blocks.group(drawn[l], begin_of_block[l]);
        }
        std::vector<BoostSplit> found(given.size() * blocks.size());
        team.for_each(blocks.size(), [&](std::size_t block, std::size_t thread) {
            make_block(blocks[block], larger, *smaller, thread);
            for (std::size_t l = 0; l < given.size(); ++l)
                if (given[l] != nullptr)
                    search_block(block, *given[l], nodes[l], l, thread,
                                 found[l * blocks.size() + block]);
        });
        for (std::size_t l = 0; l < given.size(); ++l)
            if (given[l] != nullptr)
                take_best(std::span(found).subspan(l * blocks.size(), blocks.size()),
                          given[l]->best);
    }

    /// The part of two leaves' histograms that a block of slots has, of those that have one.
    void make_block(const SlotRange& slots, Leaf* larger, Leaf& smaller, std::size_t thread) {
        const GatheredRows<Entry>& rows = memory.gathered[1];
        const auto add = [&](Entry* histogram, Way way) {
            add_slots(table, slots, rows.rows, rows.entries.data(), memory.near[thread], histogram,
                      way);
        };
        if (!smaller.histogram) {
            if (larger != nullptr && larger->histogram)
                add(larger->histogram.get(), Way::take_away);
            return;
        }
        Entry* const own = smaller.histogram.get();
        const std::size_t low = entry_of(slots.low);
        const std::size_t high = entry_of(slots.high);
        std::fill(own + low, own + high, Entry{});
        add(own, Way::add);
        if (larger != nullptr)
            for (std::size_t i = low; i < high; ++i) larger->histogram[i] -= own[i];
    }

    /// Searches the columns of a block that are drawn for a leaf, the first or second one at hand.
    void search_block(std::size_t block, const Leaf& leaf, const SearchNode& node,
                      std::size_t which, std::size_t thread, BoostSplit& best) {
        const SlotRange slots = blocks[block];
        const auto& begin = begin_of_block[which];
        const auto columns =
            std::span(drawn[which]).subspan(begin[block], begin[block + 1] - begin[block]);
        if (columns.empty()) return;
        CopiedCodes& copied = memory.by_code[thread].copied;
        if (leaf.histogram) add_digits(leaf, slots.low, slots.high, thread);
        else if (2 * columns.size() >= slots.size())  // else by column, of those that are asked
            copied =
                copy_codes(table, slots, memory.gathered[which].rows, memory.near[thread].records);
        for (const std::uint32_t column : columns)
            search_column(leaf, node, column, thread, best, which);
        copied = {};
    }

    /// Adds up the sums of the digits of slots [low, high), those that columns share.
    void add_digits(const Leaf& leaf, std::size_t low, std::size_t high, std::size_t thread) {
        for (std::size_t slot = low; slot < high && table.slots[slot].is_shared(); ++slot)
            boosting::add_digits(table.slots[slot], leaf.histogram.get(), memory.digits[thread]);
    }

    /// The same for a leaf without a histogram, of few rows.
    void search_rows(Leaf& leaf) {
        if (!may_gain(leaf)) return;
        if (blocks.size() > 0) return search_in_blocks({nullptr, &leaf});
        memory.gathered[0].template gather<Row>(table, rows_of(leaf), round.gradients, round.fixed);
        search_drawn(leaf);
    }

    /// Searches the columns that are drawn for a leaf, by one thread.
    void search_drawn(Leaf& leaf) {
        draw_columns(leaf, drawn[0]);
        const SearchNode node = node_of(leaf);
        for (const std::uint32_t column : drawn[0]) search_column(leaf, node, column, 0, leaf.best);
    }

    /// Whether it takes less time to add up `n` rows for the columns that are drawn than to have a
    /// histogram, most of whose entries would be empty, made and read.
    [[nodiscard]] bool are_few(std::size_t n) const {
        if (table.rare.empty()) return n * n_searched() * kRowCost <= table.n_entries * kEntryCost;
        return static_cast<double>(n) * row_cost_of_rare() <=
               static_cast<double>(table.n_entries * kEntryCost / team.size());
    }

    /// What adding up a row takes where slots are sparse: of those, all are added up.
    [[nodiscard]] double row_cost_of_rare() const {
        const double recorded = static_cast<double>(table.n_recorded_columns) /
                                static_cast<double>(table.columns.size());
        return recorded * static_cast<double>(n_searched() * kRowCost) +
               table.rare.per_row() * kCellCost + kListCost;
    }

    /// Columns that are searched in a node, interactions aside.
    [[nodiscard]] std::size_t n_searched() const {
        const std::size_t n_drawn = growth.columns_per_node;
        return n_drawn == 0 ? round.columns.size() : std::min(n_drawn, round.columns.size());
    }

    [[nodiscard]] bool may_gain(const Leaf& leaf) const {
        return may_split(leaf, leaf.n()) &&
               leaf.total.n_rows >= std::max(2 * growth.limits.min_leaf, growth.limits.min_split);
    }

    /// Columns that a node may ask.
    void draw_columns(const Leaf& leaf, std::vector<std::uint32_t>& allowed) const {
        const std::size_t n_all = round.columns.size();
        const std::size_t n_wanted = growth.columns_per_node;
        if (growth.interactions.empty() && n_wanted > 0 && n_wanted < n_all &&
            n_all <= grow::kMostInAWord) {
            Generator draw(mix(round.key, leaf.node));
            std::uint64_t left = grow::draw_places(n_all, n_wanted, draw);
            allowed.resize(n_wanted);
            for (std::uint32_t& column : allowed) {
                column = round.columns[static_cast<std::size_t>(std::countr_zero(left))];
                left &= left - 1;
            }
            return;
        }
        allowed.assign(round.columns.begin(), round.columns.end());
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
        if (n_wanted == 0 || n_wanted >= allowed.size()) return;
        Generator draw(mix(round.key, leaf.node));
        for (std::size_t i = 0; i < n_wanted; ++i) grow::draw_next(allowed, i, draw);
        allowed.resize(n_wanted);
        grow::sort_drawn(allowed, table.columns.size());
    }

    [[nodiscard]] SearchNode node_of(const Leaf& leaf) const {
        return {leaf.total, round.fixed, leaf.bounds, growth.limits};
    }

    /// Of a leaf without a histogram `gathered` says which rows are its own.
    void search_column(const Leaf& leaf, const SearchNode& node, std::uint32_t column,
                       std::size_t thread, BoostSplit& best, std::size_t gathered = 0) {
        SearchScratch& scratch = memory.scratch[thread];
        const std::uint32_t n_all = round.book.columns[column].n_all();
        const int bits = round.fixed.count_bits;
        if (has_running_sums(column))
            return search_running_sums(leaf, node, column, thread, best, gathered);
        if (leaf.histogram)
            read_sums(table, column, n_all,
                      memory.digits[thread].of(table, column, leaf.histogram.get()), leaf.total,
                      bits, scratch.own);
        else
            add_up(table, column, n_all, memory.gathered[gathered], memory.by_code[thread],
                   leaf.total, bits, scratch.own);
        if (!round.weight.empty())
            add_up_weights(table, column, rows_of(leaf), round.weight, scratch.own, scratch.weight);
        if (growth.by_squared_error) return search_by_squares(leaf, column, scratch, best);
        search_sums(node, column, scratch, best);
    }

    /// Whether the sums of a column are wanted for cuts alone, code after code.
    [[nodiscard]] bool has_running_sums(std::uint32_t column) const {
        return !round.book.columns[column].is_nominal && !table.columns[column].common_is_rest &&
               round.weight.empty() && !growth.by_squared_error;
    }

    void search_running_sums(const Leaf& leaf, const SearchNode& node, std::uint32_t column,
                             std::size_t thread, BoostSplit& best, std::size_t gathered) {
        const std::uint32_t n_all = round.book.columns[column].n_all();
        const int bits = round.fixed.count_bits;
        RunningSums<Entry>& running = memory.running[thread];
        if (leaf.histogram)
            read_running(table, column, n_all,
                         memory.digits[thread].of(table, column, leaf.histogram.get()), bits,
                         running);
        else
            add_up_running(table, column, n_all, memory.gathered[gathered], memory.by_code[thread],
                           bits, running);
        const int sign = growth.monotonic.empty() ? 0 : growth.monotonic[column];
        search_running(node, column, sign, running, memory.scratch[thread], best);
    }

    void search_sums(const SearchNode& node, std::uint32_t column, SearchScratch& scratch,
                     BoostSplit& best) const {
        if (growth.limits.min_weight > 0.0) {
            SearchNode weighted = node;
            weighted.weight = scratch.weight;
            return search_its_kind(weighted, column, scratch, best);
        }
        search_its_kind(node, column, scratch, best);
    }

    void search_its_kind(const SearchNode& node, std::uint32_t column, SearchScratch& scratch,
                         BoostSplit& best) const {
        const int sign = growth.monotonic.empty() ? 0 : growth.monotonic[column];
        if (round.book.columns[column].is_nominal) search_subsets(node, column, scratch, best);
        else search_cuts(node, column, sign, scratch, best);
    }

    /// The search with its weight as the hessian of every row; the children keep their own.
    void search_by_squares(const Leaf& leaf, std::uint32_t column, SearchScratch& scratch,
                           BoostSplit& best) const {
        const bool is_weighted = !round.weight.empty();
        FixedPoint fixed = round.fixed;
        fixed.hessian_unit = is_weighted ? kWeightUnit : 1.0;
        Sums total = leaf.total;
        total.hessian = 0;
        CodeSums& own = scratch.own;
        std::vector<std::int64_t> hessian(own.n);
        for (std::size_t i = 0; i < own.n; ++i) {
            Sums& sums = own.sums[i];
            hessian[i] = std::exchange(sums.hessian, is_weighted ? scratch.weight[i] : sums.n_rows);
            total.hessian += sums.hessian;
        }
        const double before = best.gain;
        search_sums({total, fixed, leaf.bounds, growth.limits}, column, scratch, best);
        if (best.gain == before) return;
        best.first.hessian = 0;
        for (std::size_t i = 0; i < own.n; ++i)
            if (own.code[i] == own.missing ? best.missing_first : is_first(best, own.code[i]))
                best.first.hessian += hessian[i];
    }

    /// Whether a split sends a known code to its first child.
    [[nodiscard]] static bool is_first(const BoostSplit& split, std::uint32_t code) {
        return split.is_nominal ? std::ranges::binary_search(split.codes, code) : code <= split.cut;
    }

    // -------------------------------------------------------------- dividing
    void split(std::size_t chosen, bool is_last) {
        // The first child takes the place of its parent, the second the next one: leaves keep the
        // memory of their lists from tree to tree.
        std::swap(parent, open[chosen]);
        if (open.size() == gains.size()) open.emplace_back();
        Leaf* const children[2] = {&open[chosen], &open[gains.size()]};
        const BoostSplit& best = parent.best;
        const auto first_child = static_cast<std::int32_t>(tree.nodes.size());
        tree.nodes.emplace_back();
        tree.nodes.emplace_back();
        note_split(parent, first_child);
        const std::size_t n_first = divide_rows(parent);

        for (int side = 0; side < 2; ++side) {
            Leaf& child = *children[side];
            child.reset();
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
        if (!growth.monotonic.empty()) bound(children);
        if (!is_last && (may_gain(*children[0]) || may_gain(*children[1]))) {
            const bool is_first_larger = children[0]->n() >= children[1]->n();
            search_children(*children[is_first_larger ? 0 : 1], *children[is_first_larger ? 1 : 0]);
        }
        if (parent.histogram) memory.pool.push_back(std::move(parent.histogram));
        for (Leaf* child : children)
            if (child->histogram && !child->best.exists())
                memory.pool.push_back(std::move(child->histogram));
        gains[chosen] = children[0]->best.gain;
        gains.push_back(children[1]->best.gain);
    }

    /// Finds the best splits of the two new leaves, with as few histograms as pays.
    void search_children(Leaf& larger, Leaf& smaller) {
        if (parent.histogram && !are_few(larger.n())) {
            larger.histogram = std::move(parent.histogram);
            if (!are_few(smaller.n())) smaller.histogram = new_histogram();
        }
        if (blocks.size() > 0) return search_in_blocks({&larger, &smaller});
        if (smaller.histogram) {
            fill(smaller);
            return search({&larger, &smaller}, smaller.histogram.get());
        }
        if (larger.histogram) {
            add_rows<Row>(table, rows_of(smaller), round.gradients, round.fixed, memory.near[0],
                          larger.histogram.get(), Way::take_away);
            search({&larger}, nullptr);
        } else {
            search_rows(larger);
        }
        search_rows(smaller);
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
    void bound(Leaf* const (&children)[2]) const {
        const int sign = growth.monotonic[parent.best.column];
        if (sign == 0 || parent.best.is_nominal) return;
        double middle = 0.0;
        for (const Leaf* child : children)
            middle += leaf_answer(child->total, round.fixed, growth.limits.l2, parent.bounds) / 2.0;
        (sign > 0 ? children[0]->bounds.upper : children[0]->bounds.lower) = middle;
        (sign > 0 ? children[1]->bounds.lower : children[1]->bounds.upper) = middle;
    }

    /// Which codes of the slot go to the second child.
    void set_ways(const BoostNode& node) {
        const Placed& placed = table.columns[node.column];
        const Slot& slot = table.slots[placed.slot];
        const std::uint32_t missing = round.book.columns[node.column].missing();
        ways.reset(slot.n_codes);
        if (!slot.is_shared() && !placed.is_bundled && node.subset < 0) {
            ways.set_from(node.cut + 1);
            return ways.set(missing, !node.missing_first);
        }
        const Digit& digit = slot.digits[placed.digit];
        for (std::uint32_t code = 0; code < digit.n_codes; ++code) {
            const bool is_second = tree.goes_second(node, placed.code_of(code), missing);
            if (!slot.is_shared()) ways.set(code, is_second);
            else if (is_second) ways.add(digit.in_slot[code]);
        }
    }

    /// Puts the rows of the first child before those of the second, each in their order.
    std::size_t divide_rows(const Leaf& leaf) {
        const BoostNode& node = tree.nodes[leaf.node];
        set_ways(node);
        const std::uint32_t slot_index = table.columns[node.column].slot;
        const Slot& slot = table.slots[slot_index];
        const std::uint8_t* codes = table.codes_of(slot);
        const std::size_t n_parts = leaf.n() < kRowsToDivide ? 1 : team.size();
        if (n_parts == 1) return divide_rows_alone(leaf, slot_index);
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
        note_division(leaf, slot_index);
        return all_first;
    }

    /// The same by one thread.
    std::size_t divide_rows_alone(const Leaf& leaf, std::uint32_t slot_index) {
        const Slot& slot = table.slots[slot_index];
        const std::uint8_t* codes = table.codes_of(slot);
        std::uint32_t* rows = buffers.rows.data() + leaf.begin;
        std::uint32_t* second = buffers.second.data();
        const std::size_t n_first =
            is_all(leaf) ? divide_run(0, leaf.n(), codes, slot.is_wide, ways, rows, second)
                         : divide(rows, leaf.n(), codes, slot.is_wide, ways, second);
        std::memcpy(rows + n_first, second, (leaf.n() - n_first) * sizeof *rows);
        note_division(leaf, slot_index);
        return n_first;
    }

    void note_division(const Leaf& leaf, std::uint32_t slot_index) {
        if (round.sample.empty()) return;
        const auto first_child = static_cast<std::uint32_t>(tree.nodes[leaf.node].first_child);
        auto& made = buffers.divisions;
        if (made.size() == n_divisions) made.emplace_back();
        NodeDivision& own = made[n_divisions++];
        own.node = leaf.node;
        own.first_child = first_child;
        own.slot = slot_index;
        own.ways = ways;
    }

    // -------------------------------------------------------------- pruning
    void prune() {
        const PrunedNodes now = prune_branches(tree, growth.min_gain_per_leaf);
        auto& divisions = buffers.divisions;
        divisions.resize(n_divisions);
        std::erase_if(divisions, [&](const NodeDivision& each) { return !now.asks[each.node]; });
        n_divisions = divisions.size();
        for (NodeDivision& each : divisions) {
            each.node = now.at[each.node];
            each.first_child = now.at[each.first_child];
        }
        merge_leaves(now.at);
    }

    /// Joins the leaves that are now one node; their rows are neighbours.
    void merge_leaves(std::span<const std::uint32_t> at) {
        std::vector<std::size_t> place(tree.nodes.size(), gains.size());
        std::size_t n_left = 0;
        for (Leaf& leaf : leaves()) {
            leaf.node = at[leaf.node];
            if (leaf.node == 0) leaf.depth = 0;
            std::size_t& own = place[leaf.node];
            if (own == gains.size()) {
                own = n_left++;
                std::swap(open[own], leaf);
            } else {
                open[own].begin = std::min(open[own].begin, leaf.begin);
                open[own].end = std::max(open[own].end, leaf.end);
                if (leaf.histogram) memory.pool.push_back(std::move(leaf.histogram));
            }
        }
        gains.resize(n_left);
    }

    // -------------------------------------------------------------- leaves
    /// Writes the leaf of every row of the table, also of those outside the sample.
    void note_leaves() {
        buffers.leaves.clear();
        for (const Leaf& leaf : leaves()) buffers.leaves.push_back({leaf.node, rows_of(leaf)});
        buffers.leaf_of_row.resize(table.n_rows);
        if (!round.sample.empty()) {
            const auto divisions = std::span(buffers.divisions).first(n_divisions);
            return find_leaves(table, divisions, buffers.leaf_of_row, team);
        }
        const auto note = [&](std::size_t i, std::size_t) {
            const Leaf& leaf = open[i];
            for (std::size_t at = 0; at < leaf.n(); ++at)
                buffers.leaf_of_row[row_of(leaf, at)] = leaf.node;
        };
        if (team.size() > 1) return team.for_each(gains.size(), note);
        for (std::size_t i = 0; i < gains.size(); ++i) note(i, 0);
    }

    const BoostRound& round;
    const CodedTable& table;
    const BoostGrowth& growth;
    GrowBuffers& buffers;
    Team& team;
    Progress& progress;
    BoostTree tree;
    std::vector<std::uint32_t> (&drawn)[2];  ///< columns of the leaves at hand
    Ways& ways;                              ///< of the split at hand
    HistogramMemory<Entry>& memory;
    std::vector<Leaf>& open;
    std::vector<double>& gains;                  ///< of their best splits, 0 where there is none
    Leaf& parent;                                ///< the leaf that is split
    SlotBlocks blocks;                           ///< none unless the table is broad
    std::vector<std::size_t> begin_of_block[2];  ///< of the columns of the leaves at hand
    std::size_t n_divisions = 0;                 ///< made so far, where rows are outside the sample
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
