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
/// A missing value is a cell that is not a number: it is above every threshold. Where a column has
/// some in the node, the drawn cut is judged with them on the other side as well; of a column with
/// one value beside them the question is whether it is known (split/drawn.hpp).
// Long because large nodes and small ones are grown by turns on the same state, and their
// steps must be inlined into one another.
#include "treewright/forest/fast/grower.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <deque>
#include <limits>
#include <numeric>

#include "treewright/base/error.hpp"
#include "treewright/data/target_grid.hpp"
#include "treewright/forest/fast/kernels/cells.hpp"
#include "treewright/forest/fast/nodes.hpp"
#include "treewright/forest/fast/parallel_subtrees.hpp"
#include "treewright/forest/fast/row_cache.hpp"
#include "treewright/forest/fast/small_subtree.hpp"

namespace treewright::forest {
namespace {

template <class T>
class RandomGrower final : public FastGrower {
public:
    RandomGrower(const FastCells<T>& table, const TableGaps& gaps, const data::Dataset& data,
                 const grow::GrowOptions& options, Progress& progress)
        : table(table),
          gaps(gaps),
          data(data),
          progress(progress),
          loops(cell_loops<T>()),
          nodes(options, data.target, data.columns.size()),
          n_classes(data.target.is_classification() ? data.target.n_classes[0] : 0),
          is_two(n_classes > 0 && n_classes <= 2),
          least(std::max({1.0, options.min_leaf, options.min_leaf_weight})) {}

    PackedTree grow(const DrawnRows& drawn, std::uint64_t tree, bool is_caller,
                    Team& team) override {
        asks = is_caller;
        FastNode& root = nodes.begin(tree);
        fill(drawn.copies);
        parts.begin(team, n_drawn);
        nodes.keeps_credits = parts.is_shared();
        open_root(root);
        list_rows(root, 0, false);
        if (!may_grow(root, root.size(), 0)) {
            close(root, 0);
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
            if (n_classes > 2) nodes.classes.resize(node.classes + n_classes);
            if (parts.takes(node)) {
                parts.add(nodes, node);
                continue;
            }
            nodes.look_up(progress, asks, node.size());
            if (!node.is_home && has_homes() && !parts.is_shared() &&
                node.size() <= home.most_rows())
                bring_home(node);
            if (node.is_home) node.room = home.move_on(node.begin, node.size(), node.room);
            if (is_twig(node)) grow_twig(node);
            else split_or_close(node);
        }
    }

    /// Whether a node is grown as a twig: where one evaluation of its columns usually suffices.
    [[nodiscard]] bool is_twig(const FastNode& node) const {
        return node.is_home && n_classes <= 2 && node.size() <= SmallSubtree::kMostRows &&
               nodes.n_wanted_of(node) <= kLanes;
    }

    void grow_twig(const FastNode& root) {
        twig.begin(root);
        for (auto some = twig.take(RowCache<T>::kMostTogether); !some.empty();
             some = twig.take(RowCache<T>::kMostTogether)) {
            for (std::size_t i = 0; i < some.size(); ++i) {
                nodes.look_up(progress, asks, some[i].size());
                std::uint32_t columns[kLanes];
                const std::size_t n_wanted = nodes.n_wanted_of(some[i]);
                const std::size_t n_looked = n_to_look_at(some[i], n_wanted);
                if (n_looked <= kFewLanes) nodes.first_draws<kFewLanes>(some[i], n_looked, columns);
                else nodes.first_draws<kLanes>(some[i], n_looked, columns);
                aim(some[i], judgement_of(some[i]), {columns, n_looked}, n_wanted, twig_lanes[i]);
            }
            home.look(0, {twig_lanes, some.size()});
            for (std::size_t i = 0; i < some.size(); ++i) {
                if (some[i].has_gaps) settle_gaps(some[i], twig_lanes[i]);
                grow_on(some[i], twig_lanes[i]);
            }
        }
        tell_twig(root.node);
    }

    /// Divides a node of the twig after its first evaluation.
    void grow_on(FastNode& node, Lanes<T>& first) {
        best = {};
        const Lanes<T>* lanes = &first;
        if (!take_winner(node, first)) {
            nodes.begin_draws(node);
            lanes = judge_at_home(node, first.judgement, &first);
            nodes.end_draws(node);
        }
        if (!is_enough(node)) return;
        FastNode children[2];
        bool grows[2];
        make_children(node, divide_home(node, *lanes), children, grows);
        twig.divide(node, best.cut, threshold_of(best), children, grows);
    }

    void tell_twig(std::uint32_t root) {
        if (is_two) nodes.make_room_for_leaves(twig.size());
        twig.tell(
            root, nodes.add_nodes(twig.size() - 1),
            [&](std::uint32_t number, const TwigNode& from, const TwigNode* children,
                std::uint32_t first) {
                nodes.credit(from.cut, from.weight);
                nodes.set_cut(number, from.cut, from.threshold,
                              children[0].weight >= children[1].weight, first);
            },
            [&](std::uint32_t number, const TwigNode& node, bool is_leaf) {
                if (is_two) {
                    nodes.set_leaf_of_two(number, node.weight, node.sum, is_leaf);
                    return;
                }
                if (!is_leaf) return;
                FastNode leaf{};
                leaf.node = number;
                leaf.begin = node.begin;
                leaf.end = node.end;
                leaf.weight = node.weight;
                leaf.is_home = true;
                list_rows(leaf, 0, false);
                close(leaf, 0);
            });
        if (is_two) nodes.drop_room_for_leaves();
    }

    // ---------------------------------------------------------------- parts of a tree

    void grow_parts() {
        while (crew.size() < parts.n_threads())
            crew.push_back(
                std::make_unique<RandomGrower>(table, gaps, data, nodes.options, progress));
        parts.grow([&](FastPart& part, std::size_t thread) {
            crew[thread]->grow_part(*this, part, asks && thread == 0);
        });
        parts.join(nodes);
    }

    void grow_part(const RandomGrower& top, FastPart& part, bool is_caller) {
        asks = is_caller;
        const std::uint32_t n = nodes.begin(top.nodes, part).size();
        make_room(n);
        const Rows& from = top.buffers[part.node.buffer];
        Rows& to = buffers[0];
        const auto take = [&](const auto& those, auto& own) {
            std::copy_n(those.begin() + part.node.begin, n, own.begin());
        };
        take(from.row, to.row);
        take(from.weight, to.weight);
        if (n_classes > 0) take(from.target, to.target);
        else take(from.value, to.value);
        grow_open();
        nodes.finish(part);
    }

    /// The results of a block of consecutive rows of a node.
    struct Block {
        T low{};
        T high{};
        double weight = 0.0;
        double sum = 0.0;
        std::uint32_t n_left = 0;
        std::vector<std::uint32_t> classes;
    };

    /// Calls work(from, n, block) for the rows of a node, `from` counted from its first: as one
    /// block, or where the threads work together in several.
    template <class Work>
    void for_blocks(const FastNode& node, Work&& work) {
        if (!parts.is_shared()) {
            blocks.resize(1);
            work(0U, node.size(), blocks[0]);
            return;
        }
        constexpr std::uint32_t kStep = 4096;  // rows whose cells are prefetched together
        const auto n_blocks = static_cast<std::uint32_t>(2 * parts.n_threads());
        const std::uint32_t per_block = (node.size() / n_blocks / kStep + 1) * kStep;
        blocks.resize((node.size() + per_block - 1) / per_block);
        parts.share(blocks.size(), [&](std::size_t i, std::size_t thread) {
            progress.check(asks && thread == 0);
            const std::uint32_t from = static_cast<std::uint32_t>(i) * per_block;
            work(from, std::min(per_block, node.size() - from), blocks[i]);
        });
    }

    /// Rows in the order of the nodes.
    struct Rows {
        FarVector<std::uint32_t> row;     ///< of the table
        FarVector<std::uint32_t> weight;  ///< copies
        FarVector<std::uint32_t> target;  ///< two classes: copies of class 1; more: the class
        FarVector<double> value;          ///< numbers: copies x target on the grid
    };

    static constexpr double kNoCut = Judgement::kNoCut;
    /// The threshold of the question whether a value is known; others are finite.
    static constexpr double kOpen = std::numeric_limits<double>::infinity();

    /// A cut and the sums of its first side.
    struct Found {
        FastCut cut{0, false, kNoCut};
        double at = 0.0;
        T bound{};  ///< the threshold as a T; only of a large node
        double weight_left = 0.0;
        double sum_left = 0.0;
        std::size_t lane = 0;  ///< only at home: where it was found
    };

    void fill(std::span<const std::uint32_t> copies) {
        std::size_t n = 0;
        std::uint64_t total = 0;
        for (const std::uint32_t each : copies) {
            n += each != 0 ? 1 : 0;
            total += each;
        }
        require(n > 0 && total < (1ULL << 31U), "number of rows drawn");
        nodes.total_weight = static_cast<double>(total);
        n_drawn = static_cast<std::uint32_t>(n);
        make_room(n);
        Rows& rows = buffers[0];
        std::size_t i = 0;
        for (std::size_t row = 0; row < data.n_rows; ++row) {
            // Written even if the row is not drawn: the next one then overwrites it.
            rows.row[i] = static_cast<std::uint32_t>(row);
            rows.weight[i] = copies[row];
            if (n_classes > 0) {
                const auto of_row = static_cast<std::uint32_t>(data.target.classes[row]);
                rows.target[i] = is_two ? of_row * copies[row] : of_row;
            }
            i += copies[row] != 0 ? 1 : 0;
        }
    }

    void make_room(std::size_t n) {
        for (Rows& each : buffers) {
            each.row.resize(n + kArrayPadding);
            each.weight.resize(n + kArrayPadding);
            each.target.resize(n + kArrayPadding);
            if (n_classes == 0) each.value.resize(n + kArrayPadding);
        }
        fetched.resize(n + kArrayPadding);
        kept.resize(n + kArrayPadding);
        masks.resize(n / kMarksPerWord + 1);
        if (has_homes())
            home.choose(nodes.options.columns, data.columns.size(), static_cast<std::uint32_t>(n),
                        gaps.any());
    }

    void open_root(FastNode& root) {
        Rows& rows = buffers[0];
        root.end = n_drawn;
        root.weight = nodes.total_weight;
        root.has_gaps = gaps.any();
        if (n_classes > 2) nodes.classes.assign(n_classes, 0);
        if (is_two)
            root.sum = static_cast<double>(std::accumulate(
                rows.target.begin(), rows.target.begin() + root.end, std::uint64_t{0}));
        for (std::uint32_t i = 0; i < root.end && n_classes > 2; ++i)
            nodes.classes[rows.target[i]] += rows.weight[i];
        if (n_classes > 0) return;
        double lowest = std::numeric_limits<double>::infinity();
        double highest = -lowest;
        for (std::uint32_t i = 0; i < root.end; ++i) {
            lowest = std::min(lowest, data.target.values[rows.row[i]]);
            highest = std::max(highest, data.target.values[rows.row[i]]);
        }
        const double offset = data::grid_offset(lowest, highest);
        nodes.unit = data::grid_scale(std::max(highest - offset, offset - lowest), root.weight);
        for (std::uint32_t i = 0; i < root.end; ++i) {
            rows.value[i] =
                std::nearbyint((data.target.values[rows.row[i]] - offset) * nodes.unit) *
                static_cast<double>(rows.weight[i]);
            root.sum += rows.value[i];
        }
    }

    [[nodiscard]] bool has_homes() const { return !table.by_row.empty(); }

    /// Copies the data of a node's rows to the row cache, where its subtree is grown.
    void bring_home(FastNode& node) {
        const Rows& rows = buffers[node.buffer];
        const std::uint32_t n = node.size();
        const std::uint32_t from = node.begin;
        std::copy_n(rows.row.data() + from, n, home.row.data());
        std::copy_n(rows.weight.data() + from, n, home.weight.data());
        std::copy_n(rows.target.data() + from, n, home.target.data());
        const bool is_light = node.weight <= RowCache<T>::kMostPairs;
        for (std::uint32_t i = 0; i < n && !(is_two && is_light); ++i)
            home.value[i] = n_classes > 0 ? rows.target[from + i] : rows.value[from + i];
        home.move_in(table.by_row.data(), data.columns.size(), n, is_two && is_light);
        home.has_values = n_classes == 0 || (is_two && !is_light);
        node.is_home = true;
        node.begin = 0;
        node.end = n;
        if (!node.has_gaps) return;
        for (std::uint32_t i = 0; i < n; ++i) home.gap[i] = gaps.at_row(home.row[i]) ? 1 : 0;
        node.has_gaps = home.has_gaps(0, n);
    }

    // ---------------------------------------------------------------- splits

    void split_or_close(FastNode& node) {
        const Judgement judgement = judgement_of(node);
        nodes.begin_draws(node);
        best = {};
        const Lanes<T>* lanes = nullptr;
        if (node.is_home) lanes = judge_at_home(node, judgement, nullptr);
        else judge_fetched(node, judgement, FastLeader(judgement.purity));
        nodes.end_draws(node);
        if (is_enough(node)) {
            divide(node, lanes);
            return;
        }
        list_rows(node, 0, false);
        close(node, 0);
    }

    [[nodiscard]] Judgement judgement_of(const FastNode& node) const {
        const double mean_whole = is_two ? 0.0 : std::nearbyint(node.sum / node.weight);
        const double mean_rest = (node.sum - mean_whole * node.weight) / node.weight;
        return {node.weight,          least, mean_whole, mean_rest, is_two ? 2.0 : 1.0,
                nodes.purity_of(node)};
    }
    /// Whether there is a best cut and it gains enough.
    [[nodiscard]] bool is_enough(const FastNode& node) const {
        return best.cut.decrease >= 0.0 && nodes.gains_enough(best.cut, node);
    }

    /// Draws columns and judges them one by one; the cells of the best so far are kept.
    void judge_fetched(const FastNode& node, const Judgement& judgement, FastLeader leader) {
        while (nodes.lacks_varying() || nodes.lacks_cut()) {
            Found found;
            found.cut.column = nodes.draw_column();
            const auto [low, high] = prefetch(node, found.cut.column);
            found.cut.is_constant = !(low < high);
            if (!found.cut.is_constant) {
                const DrawnCut<T> drawn(node.key, found.cut.column, low, high);
                found.at = drawn.at;
                found.bound = drawn.bound;
                found.cut.decrease = judge(node, judgement, found);
            }
            if (node.has_gaps && gaps.in_column(found.cut.column))
                settle_fetched(node, judgement, found);
            nodes.note_column(found.cut.is_constant);
            nodes.note_cut(found.cut);
            if (!leader.meets(found.cut)) continue;
            best = found;
            best_cells = at_hand;
            std::swap(fetched, kept);
        }
    }

    /// Gathers a column, unless the node has all rows; returns the least and the greatest
    /// cell.
    std::pair<T, T> prefetch(const FastNode& node, std::uint32_t column) {
        const T* cells = table.by_column.data() + column * data.n_rows;
        const std::uint32_t* rows = buffers[node.buffer].row.data() + node.begin;
        const bool is_whole = node.size() == data.n_rows;
        at_hand = is_whole ? cells : fetched.data();
        for_blocks(node, [&](std::uint32_t from, std::uint32_t n, Block& block) {
            if (!is_whole) loops.gather(cells, rows + from, n, fetched.data() + from);
            loops.range(at_hand + from, n, block.low, block.high);
        });
        std::pair<T, T> range(blocks[0].low, blocks[0].high);
        for (const Block& block : blocks)
            range = {std::min(range.first, block.low), std::max(range.second, block.high)};
        return range;
    }

    /// Sums up the rows of the gathered column that are up to a bound.
    void count(const FastNode& node, Found& found) {
        const Rows& rows = buffers[node.buffer];
        for_blocks(node, [&](std::uint32_t from, std::uint32_t n, Block& block) {
            const T* cells = at_hand + from;
            const std::uint32_t at = node.begin + from;
            if (is_two)
                loops.count_two(cells, n, found.bound, rows.weight.data() + at,
                                rows.target.data() + at, block.weight, block.sum);
            else
                loops.count_values(cells, n, found.bound, rows.weight.data() + at,
                                   rows.value.data() + at, block.weight, block.sum);
        });
        for (const Block& block : blocks) {  // whole numbers: in any order
            found.weight_left += block.weight;
            found.sum_left += block.sum;
        }
    }

    /// Number of columns evaluated together if so many are still lacking. Where columns have been
    /// found to be constant, there may be more: some are evaluated in advance.
    [[nodiscard]] std::size_t n_to_look_at(const FastNode& node, std::size_t n_lacking) const {
        const bool has_dropped = node.n_columns < nodes.options.columns.size();
        return has_dropped ? std::min<std::size_t>(kLanes, node.n_columns)
                           : std::clamp<std::size_t>(n_lacking, 1, kLanes);
    }
    /// Draws columns and evaluates some of them together.
    void look(std::size_t k, const FastNode& node, const Judgement& judgement, Lanes<T>& lanes) {
        const std::size_t n_lacking = std::clamp<std::size_t>(nodes.n_lacking(), 1, kLanes);
        aim(node, judgement, nodes.draw_ahead(n_to_look_at(node, nodes.n_lacking())), n_lacking,
            lanes);
        home.look(k, {&lanes, 1});
        if (node.has_gaps) settle_gaps(node, lanes);
    }
    void aim(const FastNode& node, const Judgement& judgement,
             std::span<const std::uint32_t> columns, std::size_t n_wanted, Lanes<T>& lanes) const {
        home.aim(node.begin, node.size(), node.key, judgement, columns, n_wanted, lanes);
    }

    void take(const Lanes<T>& lanes, std::size_t lane, double decrease) {
        best = {{static_cast<std::uint32_t>(lanes.column[lane]), false, decrease, lanes.gaps[lane]},
                lanes.at[lane],
                {},
                lanes.weight[lane],
                lanes.sum[lane],
                lane};
    }
    /// Takes the best cut of a node's first evaluation if no further one is needed.
    bool take_winner(const FastNode& node, const Lanes<T>& lanes) {
        const std::uint32_t all = (1U << lanes.n_wanted) - 1U;
        if (lanes.n_wanted != nodes.n_wanted_of(node) || n_classes > 2 ||
            (lanes.varies & all) != all || lanes.winner == kLanes)
            return false;
        take(lanes, lanes.winner, lanes.decrease[lanes.winner]);
        return true;
    }

    /// Draws columns and judges some of them together, beginning with those of the first evaluation
    /// if there was one; returns where the best was found.
    const Lanes<T>* judge_at_home(const FastNode& node, const Judgement& judgement,
                                  Lanes<T>* first) {
        FastLeader leader(judgement.purity);
        const Lanes<T>* found = nullptr;
        for (std::size_t k = 0; nodes.lacks_varying() || nodes.lacks_cut(); ++k) {
            if (k == looks.size()) looks.emplace_back();
            Lanes<T>& lanes = k == 0 && first != nullptr ? *first : looks[k];
            if (&lanes != first) look(k, node, judgement, looks[k]);
            if (k == 0 && take_winner(node, lanes)) return &lanes;
            for (std::size_t lane = 0;
                 lane < lanes.n_looked && (nodes.lacks_varying() || nodes.lacks_cut()); ++lane) {
                FastCut cut{nodes.draw_column(), (lanes.varies >> lane & 1U) == 0, kNoCut};
                nodes.note_column(cut.is_constant);
                if (cut.is_constant) {
                    nodes.note_cut(cut);
                    continue;
                }
                cut.decrease =
                    n_classes > 2 ? judge_classes(node, lanes, lane) : lanes.decrease[lane];
                nodes.note_decrease(cut.decrease);
                if (leader.meets(cut)) {
                    take(lanes, lane, cut.decrease);
                    found = &lanes;
                }
            }
        }
        return found;
    }

    /// The decrease of the impurity by a cut of the gathered column.
    [[nodiscard]] double judge(const FastNode& node, const Judgement& judgement, Found& found) {
        if (n_classes <= 2) {
            count(node, found);
            return judgement.decrease(found.weight_left, found.sum_left);
        }
        for_blocks(node, [&](std::uint32_t from, std::uint32_t n, Block& block) {
            const std::uint32_t* targets = targets_of(node) + node.begin + from;
            const std::uint32_t* weights = weights_of(node) + node.begin + from;
            const T* cells = at_hand + from;
            block.classes.assign(n_classes, 0);
            for (std::uint32_t i = 0; i < n; ++i)
                block.classes[targets[i]] += cells[i] <= found.bound ? weights[i] : 0;
        });
        class_left.assign(n_classes, 0);
        for (const Block& block : blocks)
            for (std::uint32_t k = 0; k < n_classes; ++k) class_left[k] += block.classes[k];
        return judge_classes(node);
    }

    [[nodiscard]] double judge_classes(const FastNode& node, Lanes<T>& lanes, std::size_t lane) {
        const bool has_gaps = lanes.gaps[lane] != GapSide::heavier;
        if (has_gaps && std::isinf(lanes.at[lane])) home.mark_gaps(lanes, lane, true);
        class_left.assign(n_classes, 0);
        for (std::uint32_t i = 0; i < node.size(); ++i) {
            const std::uint32_t at = home.rows[node.begin + i];
            class_left[home.target[at]] += lanes.is_marked(i, lane) ? home.weight[at] : 0;
        }
        const double with_second = judge_classes(node);
        if (!has_gaps || std::isinf(lanes.at[lane])) return with_second;
        for (std::uint32_t i = 0; i < node.size(); ++i) {
            const std::uint32_t at = home.rows[node.begin + i];
            if (home.is_missing(lanes, lane, i)) class_left[home.target[at]] += home.weight[at];
        }
        const double with_first = judge_classes(node);
        if (!first_side_is_better(with_first, with_second, nodes.purity_of(node)))
            return with_second;
        lanes.gaps[lane] = GapSide::first;
        return with_first;
    }
    /// By the classes in class_left.
    [[nodiscard]] double judge_classes(const FastNode& node) const {
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

    // ---------------------------------------------------------------- missing values

    /// Judges the cuts of columns with gaps with them on the first side as well. That of more than
    /// two classes waits until the column is drawn (judge_classes).
    void settle_gaps(const FastNode& node, Lanes<T>& lanes) {
        for (std::size_t lane = 0; lane < lanes.n_looked; ++lane) {
            if (!gaps.in_column(lanes.column[lane])) continue;
            const auto [weight, sum] = home.sums_of_missing(lanes, lane);
            if (weight == 0.0) continue;
            lanes.winner = kLanes;
            if (weight == node.weight) continue;  // nothing is known: constant
            const Judgement& judgement = lanes.judgement;
            lanes.gaps[lane] = GapSide::second;
            if ((lanes.varies >> lane & 1U) == 0) {
                lanes.varies |= static_cast<std::uint8_t>(1U << lane);
                lanes.at[lane] = kOpen;
                lanes.weight[lane] = node.weight - weight;
                lanes.sum[lane] = node.sum - sum;
                lanes.decrease[lane] = judgement.decrease(lanes.weight[lane], lanes.sum[lane]);
                continue;
            }
            if (n_classes > 2) continue;
            const double with_first =
                judgement.decrease(lanes.weight[lane] + weight, lanes.sum[lane] + sum);
            if (!first_side_is_better(with_first, lanes.decrease[lane], judgement.purity)) continue;
            lanes.gaps[lane] = GapSide::first;
            lanes.weight[lane] += weight;
            lanes.sum[lane] += sum;
            lanes.decrease[lane] = with_first;
        }
    }

    /// The same for the cut of a gathered column.
    void settle_fetched(const FastNode& node, const Judgement& judgement, Found& found) {
        const std::vector<std::uint32_t> left = class_left;
        Found known = found;
        known.at = kOpen;
        known.bound = std::numeric_limits<T>::infinity();
        known.weight_left = known.sum_left = 0.0;
        known.cut.decrease = judge(node, judgement, known);
        known.cut.is_constant = false;
        known.cut.gaps = GapSide::second;
        if (n_classes > 2)
            known.weight_left = std::accumulate(class_left.begin(), class_left.end(), 0.0);
        if (known.weight_left == node.weight || known.weight_left == 0.0) return;
        if (found.cut.is_constant) {
            found = known;
            return;
        }
        found.cut.gaps = GapSide::second;
        Found other = found;
        other.cut.gaps = GapSide::first;
        if (n_classes > 2) {
            for (std::uint32_t k = 0; k < n_classes; ++k)
                class_left[k] = left[k] + (nodes.classes[node.classes + k] - class_left[k]);
            other.cut.decrease = judge_classes(node);
        } else {
            other.weight_left += node.weight - known.weight_left;
            other.sum_left += node.sum - known.sum_left;
            other.cut.decrease = judgement.decrease(other.weight_left, other.sum_left);
        }
        if (first_side_is_better(other.cut.decrease, found.cut.decrease, judgement.purity))
            found = other;
    }

    /// Divides the rows of a node by the best cut; returns how many are on the first side.
    std::uint32_t divide_home(const FastNode& node, const Lanes<T>& lanes) {
        const bool is_open = best.at == kOpen;
        if (is_open || best.cut.gaps == GapSide::first) home.mark_gaps(lanes, best.lane, is_open);
        return home.divide(node.begin, lanes, best.lane);
    }

    // ---------------------------------------------------------------- children

    void divide(const FastNode& node, const Lanes<T>* lanes) {
        const std::uint32_t n_left = node.is_home ? divide_home(node, *lanes) : mark_right(node);
        FastNode children[2];
        bool grows[2];
        make_children(node, n_left, children, grows);
        nodes.credit(best.cut, node.weight);
        const std::uint32_t first = nodes.add_nodes(2);
        nodes.set_cut(node.node, best.cut, threshold_of(best),
                      children[0].weight >= children[1].weight, first);
        for (std::uint32_t b = 0; b < 2; ++b) {
            children[b].node = first + b;
            if (!grows[b]) close(children[b], b);
        }
        if (!node.is_home && (grows[0] || grows[1])) move_rows(node, n_left, grows, children);
        if (grows[1]) nodes.stack.push_back(children[1]);
        if (grows[0]) nodes.stack.push_back(children[0]);
    }

    [[nodiscard]] double threshold_of(const Found& found) const {
        const data::Column& column = data.columns[found.cut.column];
        if (found.at == kOpen) return open_threshold(column);
        return column.is_real() ? found.at : std::floor(found.at);
    }

    /// Fills in both sides of the best cut, and whether they are split further.
    void make_children(const FastNode& node, std::uint32_t n_left, FastNode* children,
                       bool* grows) {
        children[0] = children[1] = node;
        const std::uint32_t sizes[2] = {n_left, node.size() - n_left};
        if (node.is_home) children[0].end = children[1].begin = node.begin + n_left;
        for (std::uint32_t b = 0; b < 2; ++b) children[b].depth = node.depth + 1;
        list_children(children);
        sum_children(node, children);
        if (node.has_gaps && node.is_home)
            for (std::uint32_t b = 0; b < 2; ++b)
                children[b].has_gaps = home.has_gaps(children[b].begin, children[b].end);
        for (std::uint32_t b = 0; b < 2; ++b) {
            grows[b] = may_grow(children[b], sizes[b], b);
            if (grows[b]) children[b].key = Mixed(node.key.with(b));
        }
    }

    /// Marks the rows of the best column above its bound; returns how many are not.
    std::uint32_t mark_right(const FastNode& node) {
        for_blocks(node, [&](std::uint32_t from, std::uint32_t n, Block& block) {
            std::uint16_t* own = masks.data() + from / kMarksPerWord;
            block.n_left = loops.mark_right(best_cells + from, n, best.bound, own);
            for (std::uint32_t i = 0; i < n && best.cut.gaps == GapSide::first; ++i) {
                if (best_cells[from + i] == best_cells[from + i]) continue;
                own[i / kMarksPerWord] &= static_cast<std::uint16_t>(~(1U << (i % kMarksPerWord)));
                ++block.n_left;
            }
        });
        std::uint32_t n_left = 0;
        for (const Block& block : blocks) n_left += block.n_left;
        return n_left;
    }

    void list_children(const FastNode* children) {
        if (is_two) return;
        parts.share(2, [&](std::size_t b, std::size_t) {
            list_rows(children[b], static_cast<std::uint32_t>(b), true);
        });
    }

    /// Lists the positions of a node's rows; before they are moved, of those of one side.
    void list_rows(const FastNode& node, std::uint32_t b, bool one_side) {
        if (is_two) return;
        if (node.is_home) {
            places[b] = {home.rows.data() + node.begin, node.size()};
            return;
        }
        std::vector<std::uint32_t>& to = listed[b];
        to.clear();
        for (std::uint32_t i = 0; i < node.size(); ++i)
            if (!one_side || (masks[i / kMarksPerWord] >> (i % kMarksPerWord) & 1U) == b)
                to.push_back(node.begin + i);
        places[b] = to;
    }

    [[nodiscard]] const std::uint32_t* weights_of(const FastNode& node) const {
        return node.is_home ? home.weight.data() : buffers[node.buffer].weight.data();
    }
    [[nodiscard]] const std::uint32_t* targets_of(const FastNode& node) const {
        return node.is_home ? home.target.data() : buffers[node.buffer].target.data();
    }

    void sum_children(const FastNode& node, FastNode* children) {
        if (n_classes <= 2) {
            children[0].weight = best.weight_left;
            children[0].sum = best.sum_left;
        } else {
            // The child that is grown first comes last, so that the pool shrinks with the stack.
            children[1].classes = static_cast<std::uint32_t>(nodes.classes.size());
            children[0].classes = children[1].classes + n_classes;
            nodes.classes.resize(nodes.classes.size() + 2 * n_classes, 0);
            std::uint32_t* of_left = nodes.classes.data() + children[0].classes;
            children[0].weight = 0.0;
            for (const std::uint32_t i : places[0]) {
                of_left[targets_of(node)[i]] += weights_of(node)[i];
                children[0].weight += weights_of(node)[i];
            }
            for (std::uint32_t k = 0; k < n_classes; ++k)
                nodes.classes[children[1].classes + k] =
                    nodes.classes[node.classes + k] - of_left[k];
        }
        children[1].weight = node.weight - children[0].weight;
        children[1].sum = node.sum - children[0].sum;
    }

    [[nodiscard]] bool may_grow(const FastNode& node, std::uint32_t n, std::uint32_t b) {
        const bool may = nodes.within_limits(n, node.depth, node.weight);
        if (is_two) return may & !nodes.agrees_of_two(node);  // unpredictable: no branch
        return may && (n_classes > 0 ? !nodes.agrees(node) : !is_settled(node, b));
    }

    /// Whether the rows in places[b] have the same target.
    [[nodiscard]] bool is_settled(const FastNode& node, std::uint32_t b) {
        const double first = target_at(node, places[b][0]);
        return std::all_of(places[b].begin(), places[b].end(),
                           [&](std::uint32_t i) { return target_at(node, i) == first; });
    }

    [[nodiscard]] double target_at(const FastNode& node, std::uint32_t i) const {
        return data.target.values[node.is_home ? home.row[i] : buffers[node.buffer].row[i]];
    }

    /// Moves the rows of the children that grow: the first stays (or the one that grows alone), the
    /// second goes to the other buffer.
    void move_rows(const FastNode& node, std::uint32_t n_left, const bool* grows,
                   FastNode* children) {
        const bool both = grows[0] && grows[1];
        children[0].end = children[1].begin = node.begin + n_left;
        if (both) children[1].buffer = static_cast<std::uint8_t>(1 - node.buffer);
        else if (grows[1]) {
            children[1].begin = node.begin;
            children[1].end = node.begin + (node.size() - n_left);
        }
        Rows& from = buffers[node.buffer];
        Rows& to = buffers[children[1].buffer];
        const auto move = [&](auto* own, auto* other, auto pick) {
            own += node.begin;
            other += children[1].begin;
            pick(own, node.size(), masks.data(), grows[0] ? own : nullptr,
                 grows[1] ? other : nullptr, node.size() - n_left);
        };
        parts.share(3, [&](std::size_t which, std::size_t) {
            if (which == 0) move(from.row.data(), to.row.data(), loops.pick_words);
            else if (which == 1) move(from.weight.data(), to.weight.data(), loops.pick_words);
            else if (n_classes > 0) move(from.target.data(), to.target.data(), loops.pick_words);
            else move(from.value.data(), to.value.data(), loops.pick_doubles);
        });
    }

    void close(const FastNode& node, std::uint32_t b) {
        nodes.add_leaf(node.node, static_cast<std::uint32_t>(node.weight));
        if (n_classes > 0) {
            nodes.add_counts(node);
            return;
        }
        add_value_leaf(nodes.tree, static_cast<std::uint32_t>(places[b].size()),
                       [&](std::uint32_t i) {
                           const std::uint32_t at = places[b][i];
                           return std::pair{target_at(node, at), weights_of(node)[at]};
                       });
    }

    const FastCells<T>& table;
    const TableGaps& gaps;
    const data::Dataset& data;
    Progress& progress;
    const CellLoops<T>& loops;
    FastNodes nodes;
    std::uint32_t n_classes;
    bool is_two;
    double least;
    Found best;  ///< of the node at hand
    std::uint32_t n_drawn = 0;
    Rows buffers[2];
    RowCache<T> home;
    std::deque<Lanes<T>> looks;  ///< at the columns of the node at hand, some at a time
    SmallSubtree twig;
    Lanes<T> twig_lanes[RowCache<T>::kMostTogether];  ///< first looks at its nodes
    std::vector<std::uint16_t>
        masks;  ///< of the node: bits of the rows that go to the second child
    std::vector<std::uint32_t> listed[2];
    std::span<const std::uint32_t> places[2];  ///< of the rows of a child, unless two classes
    FarVector<T> fetched;                      ///< the column at hand of a large node
    FarVector<T> kept;                         ///< the best column so far
    const T* at_hand = nullptr;                ///< where the cells of the former are
    const T* best_cells = nullptr;             ///< and those of the latter
    std::vector<std::uint32_t> class_left;
    std::vector<Block> blocks;  ///< of the node at hand
    bool asks = false;          ///< the thread at work is the one that asks whether to stop
    ParallelSubtrees parts;
    std::vector<std::unique_ptr<RandomGrower>> crew;  ///< by thread: grow the parts
};

}  // namespace

std::unique_ptr<FastGrower> make_drawn_cuts_grower(const FastData& shared,
                                                   const grow::GrowOptions& options,
                                                   Progress& progress) {
    if (shared.doubles.by_column.empty())
        return std::make_unique<RandomGrower<float>>(shared.singles, shared.gaps, *shared.data,
                                                     options, progress);
    return std::make_unique<RandomGrower<double>>(shared.doubles, shared.gaps, *shared.data,
                                                  options, progress);
}

}  // namespace treewright::forest
