/// Evaluates one column in one node: tally, missing policy, search, score.
// Long because all of it is one class: scans, searches and tests share a criterion and its memory.
#include "treewright/grow/column_finder.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "treewright/base/error.hpp"
#include "treewright/base/random.hpp"
#include "treewright/criteria/registry.hpp"
#include "treewright/data/exact_weights.hpp"
#include "treewright/grow/absolute_finder.hpp"
#include "treewright/grow/limits.hpp"
#include "treewright/missing/registry.hpp"
#include "treewright/split/chaid/merge.hpp"
#include "treewright/split/drawn.hpp"
#include "treewright/split/known.hpp"
#include "treewright/split/nominal/groups.hpp"
#include "treewright/split/nominal/multiway.hpp"
#include "treewright/split/nominal/one_vs_rest.hpp"
#include "treewright/split/nominal/subset.hpp"
#include "treewright/split/numeric/threshold.hpp"

namespace treewright::grow {
namespace {

/// Parts of divided rows add up to a whole number but for rounding.
constexpr double kWhole = 1.0 - 1e-9;

/// C4.5's smallest side of a cut: a tenth of the known cases per class, between the usual minimum
/// and 25 (Quinlan's contin.c; Weka's C45Split).
double smallest_side(const GrowOptions& options, const data::Target& target, double known_weight) {
    if (!options.c45_sides) return 0.0;
    const std::uint32_t n_classes = std::max(target.n_classes[0], options.declared_classes);
    const double tenth = 0.1 * known_weight / static_cast<double>(n_classes);
    return kWhole * (tenth <= options.min_leaf ? options.min_leaf : std::min(tenth, 25.0));
}

template <criteria::Criterion C>
class AdditiveFinder final : public Finder {
public:
    AdditiveFinder(const data::Dataset& data, const GrowOptions& options,
                   const split::Reciprocals& reciprocals, Progress& progress)
        : data(data),
          options(options),
          reciprocals(reciprocals),
          progress(progress),
          criterion(data.target),
          plain(data.target) {
        limits.min_weight = options.min_leaf_weight;
        limits.two_branches_suffice = options.two_branches_suffice;
        limits.class_boundaries = options.class_boundaries;
        if (options.merging.is_on) test = make_test();
        sums_exactly = !options.missing.divides && data::are_whole(data.weight) &&
                       data::are_whole(data.copies);
        // Of classes one cut adds up weights alone; scans add up their squares.
        cuts_exactly = sums_exactly ||
                       (std::is_base_of_v<criteria::ClassSums, C> && !options.missing.divides &&
                        data::add_exactly(data.weight) && data::are_whole(data.copies));
    }

    [[nodiscard]] std::size_t width() const override { return criterion.width(); }
    void add(double* into, const data::Block& block,
             std::span<const std::uint32_t> rows) const override {
        in_blocks(progress, rows.size(), [&](std::size_t begin, std::size_t end) {
            for (const std::uint32_t row : rows.subspan(begin, end - begin))
                split::add_row(plain, into, block, row);
        });
    }
    [[nodiscard]] bool subtracts_exactly(const data::Block& block) const override {
        return kHasScan && (sums_exactly || block.weight.empty());
    }
    [[nodiscard]] double impurity_of(const double* sums) const override {
        return criterion.impurity(sums);
    }
    [[nodiscard]] double level_of(const double* sums) const override {
        return split::level(plain, sums);
    }

    void evaluate(const NodeContext& node, std::uint32_t column, std::uint32_t n_missing,
                  split::Candidate& candidate) override {
        candidate.reset(column);
        const data::Column& raw = data.columns[column];
        if (fuses(node, column, n_missing)) {
            evaluate_fused(node, candidate, nullptr);
            return;
        }
        if (does_without_tally(node, column, n_missing) && evaluate_listed(node, raw, candidate))
            return;
        fill_tally(criterion, node.range, column, n_missing, options.tally, progress, tally,
                   tally_scratch);
        missing::Fill fill;
        const split::MissingPart part =
            prepare_missing(criterion, options.missing, raw.scale, tally, fill);
        split::Judge<C> judge(criterion, tally, part, limits, search.total);
        const split::Monotone monotone{direction_of(column), node.lower, node.upper};
        const split::Monotone* rule = options.monotonic.empty() ? nullptr : &monotone;
        seek(judge, raw, rule, Generator(mix(node.key, column)), candidate);
        if (asks_whether_known(judge, raw))
            offer_whether_known(judge, raw.scale == data::Scale::nominal, search, candidate);
        if (candidate.question == split::Question::none) return;
        finish(judge, raw, fill, candidate);
    }

    void locate(const NodeContext& node, split::Candidate& candidate) override {
        if (candidate.question != split::Question::cut || candidate.cut_position != 0) return;
        std::uint32_t position = 0;
        split::Candidate found = candidate;  // its gain is in the target's units by now
        const bool by_outputs = criterion.n_outputs > 1 || has_weights(node);
        if (!by_outputs) evaluate_fused(node, found, &position);
        with_list(node, candidate.column, [&](const auto* list) {
            using Word = std::remove_cvref_t<decltype(*list)>;
            if constexpr (kHasScan)
                if (by_outputs) scan_outputs(node, list, found, &position);
            candidate.cut_position = position;
            candidate.row_below = data::Entry<Word>::row(list[position - 1]);
            candidate.row_above = data::Entry<Word>::row(list[position]);
        });
        candidate.cut_code = code_of(node, candidate.column, candidate.row_below);
    }

    [[nodiscard]] double p_value(const double* branches, std::size_t n_branches,
                                 double sum_of_squares) const override {
        if constexpr (std::is_base_of_v<criteria::ClassSums, C>)
            return chi_square_p(branches, n_branches);
        else return f_test_p(branches, n_branches, sum_of_squares);
    }

private:
    static constexpr bool kHasScan =
        std::is_same_v<C, criteria::Gini> || std::is_same_v<C, criteria::SquaredError>;
    using Sums = std::conditional_t<std::is_base_of_v<criteria::ClassSums, C>, criteria::ClassSums,
                                    criteria::ValueSums>;

    /// Which way the answer may go with a column: 1, -1, or 0 for both, when no cut of it is
    /// refused, whatever the constraints on other columns.
    [[nodiscard]] int direction_of(std::uint32_t column) const {
        return options.monotonic.empty() ? 0 : options.monotonic[column];
    }

    /// Whether a column is asked for a cut and nothing else, and every row has a value.
    [[nodiscard]] bool asks_for_a_cut(std::uint32_t column, std::uint32_t n_missing) const {
        return kHasScan && options.fuse && options.numeric == split::Numeric::threshold &&
               !options.merging.is_on && data.columns[column].scale != data::Scale::nominal &&
               n_missing == 0 && !options.class_boundaries && !options.c45_sides &&
               options.min_gap <= 0.0 && !options.missing.fills && !options.mdl_penalty &&
               !options.single_precision && options.selection == split::Selection::gain;
    }

    /// Whether the scan of one output without a tally applies (split/numeric/fused_scan.hpp).
    [[nodiscard]] bool fuses(const NodeContext& node, std::uint32_t column,
                             std::uint32_t n_missing) const {
        return options.splitter == split::Splitter::best && criterion.n_outputs == 1 &&
               direction_of(column) == 0 && node.range.block->holding == data::Holding::lists &&
               !has_weights(node) && asks_for_a_cut(column, n_missing);
    }
    [[nodiscard]] static bool has_weights(const NodeContext& node) {
        return !node.range.block->weight.empty() || !node.range.block->copies.empty();
    }

    /// Whether those of several outputs, of rows with weights and of drawn cuts do: sums must be
    /// exact. One output by codes is tallied: its list would have to be sorted first.
    [[nodiscard]] bool does_without_tally(const NodeContext& node, std::uint32_t column,
                                          std::uint32_t n_missing) const {
        const data::Block& block = *node.range.block;
        const bool is_drawn = options.splitter == split::Splitter::random;
        const bool is_scanned =
            criterion.n_outputs > 1 || (block.holding == data::Holding::lists && has_weights(node));
        return (is_drawn ? cuts_exactly || block.weight.empty()
                         : is_scanned && direction_of(column) == 0 &&
                               (sums_exactly || block.weight.empty())) &&
               asks_for_a_cut(column, n_missing);
    }

    /// Calls f(the node's list of a column); false if there is none because values are missing.
    template <class F>
    bool with_list(const NodeContext& node, std::uint32_t column, F&& f) {
        const data::Block& block = *node.range.block;
        const auto by_word = [&]<class Word>() {
            if (block.holding == data::Holding::lists) {
                f(block.list<Word>(column) + node.range.begin);
                return true;
            }
            const data::Codes& codes = block.codes[column];
            const bool known = std::visit(
                [&](const auto& of_row) {
                    return split::list_by_code<Word>(node.range, of_row, codes.n_codes(),
                                                     options.tally, tally_scratch);
                },
                codes.of_row);
            if (known) f(static_cast<const data::Wide*>(tally_scratch.entries.data()));
            return known;
        };
        return block.is_narrow() ? by_word.template operator()<data::Narrow>()
                                 : by_word.template operator()<data::Wide>();
    }
    [[nodiscard]] static std::uint32_t code_of(const NodeContext& node, std::uint32_t column,
                                               std::uint32_t row) {
        if (node.range.block->holding == data::Holding::lists) return 0;
        return std::visit([&](const auto& of_row) -> std::uint32_t { return of_row[row]; },
                          node.range.block->codes[column].of_row);
    }

    /// The best cut of a column for several outputs, or a drawn one, without a tally of all values.
    /// False if a value is missing after all, which only codes tell.
    bool evaluate_listed(const NodeContext& node, const data::Column& raw,
                         split::Candidate& candidate) {
        const bool is_drawn = options.splitter == split::Splitter::random;
        if constexpr (kHasScan)
            if (is_drawn && node.range.block->holding == data::Holding::codes)
                return draw_cut_by_code(node, raw, candidate);
        return with_list(node, candidate.column, [&](const auto* list) {
            if constexpr (kHasScan) {
                if (is_drawn) draw_cut(node, raw, list, candidate);
                else scan_outputs(node, list, candidate, nullptr);
            }
        });
    }

    /// A drawn cut where the block holds codes: rows are parted by it and need not be sorted.
    /// False if a value is missing.
    bool draw_cut_by_code(const NodeContext& node, const data::Column& raw,
                          split::Candidate& candidate) {
        const data::Block& block = *node.range.block;
        const data::Codes& codes = block.codes[candidate.column];
        const std::vector<std::uint32_t>& codebook = *codes.first_row;
        Generator generator(mix(node.key, candidate.column));
        const auto by_word = [&]<class Word>() {
            return std::visit(
                [&](const auto& of_row) {
                    return split::part_by_drawn_code<Word>(
                        node.range, of_row, codes.n_codes(), generator,
                        [&](std::size_t code) { return table_value_of(raw, codebook[code]); },
                        [&](std::uint32_t row) { return value_of(raw, row); }, parted);
                },
                codes.of_row);
        };
        if (!(block.is_narrow() ? by_word.template operator()<data::Narrow>()
                                : by_word.template operator()<data::Wide>()))
            return false;
        if (parted.n_below == 0) return true;  // one value alone
        if (!respects_direction(node, candidate, parted.entries.data(), parted.n_below))
            return true;
        settle_scan(fused_cut<data::Wide, Sums>({parted.entries.data(), node.range.size(), &block,
                                                 limits, about_centre.data()},
                                                criterion, parted.n_below, fused),
                    candidate);
        if (candidate.question == split::Question::none) return true;
        candidate.cut_position = parted.n_below;
        candidate.row_below = parted.row_below;
        candidate.row_above = parted.row_above;
        candidate.cut_code = parted.code_below;
        candidate.is_drawn = true;
        candidate.drawn = parted.drawn;
        return true;
    }

    /// Whether a drawn cut keeps to the constraint on its column; `list` has the rows below first.
    template <class Word>
    bool respects_direction(const NodeContext& node, split::Candidate& candidate, const Word* list,
                            std::uint32_t n_below) {
        const split::Monotone rule{direction_of(candidate.column), node.lower, node.upper};
        if (rule.direction == 0) return true;
        const std::uint32_t n = node.range.size();
        const bool is_left_smaller = n_below <= n / 2;
        std::vector<double>& smaller = is_left_smaller ? search.left : search.right;
        std::vector<double>& larger = is_left_smaller ? search.right : search.left;
        smaller.assign(width(), 0.0);
        for (std::uint32_t i = is_left_smaller ? 0 : n_below; i < (is_left_smaller ? n_below : n);
             ++i)
            split::add_row(criterion, smaller.data(), *node.range.block,
                           data::Entry<Word>::row(list[i]));
        larger.resize(width());
        split::difference(larger.data(), about_centre.data(), smaller.data(), width());
        const bool is_kept =
            split::respects(criterion, rule, search.left.data(), search.right.data());
        if (!is_kept) candidate.guard = split::Guard::limits;
        return is_kept;
    }

    template <class Word>
    void draw_cut(const NodeContext& node, const data::Column& raw, const Word* list,
                  split::Candidate& candidate) {
        const std::uint32_t n = node.range.size();
        const auto value = [&](std::uint32_t row) { return value_of(raw, row); };
        const auto value_at = [&](std::uint32_t i) {
            return value(data::Entry<Word>::row(list[i]));
        };
        Generator generator(mix(node.key, candidate.column));
        const double drawn = split::draw_between(value_at(0), value_at(n - 1), generator);
        const std::uint32_t n_below = split::entries_below(list, n, drawn, value);
        if (n_below == 0 || !respects_direction(node, candidate, list, n_below)) return;
        const double score = fused_cut<Word, Sums>(
            {list, n, node.range.block, limits, about_centre.data()}, criterion, n_below, fused);
        settle_scan(score, candidate);
        if (candidate.question == split::Question::none) return;
        candidate.cut_position = n_below;
        candidate.row_below = data::Entry<Word>::row(list[n_below - 1]);
        candidate.row_above = data::Entry<Word>::row(list[n_below]);
        candidate.cut_code = code_of(node, candidate.column, candidate.row_below);
        candidate.is_drawn = true;
        candidate.drawn = drawn;
    }

    template <class Word>
    void scan_outputs(const NodeContext& node, const Word* list, split::Candidate& candidate,
                      std::uint32_t* position) {
        const std::uint32_t n = node.range.size();
        const auto same = [](Word entry) { return (entry & data::Entry<Word>::kSameValue) != 0; };
        if (std::all_of(list + 1, list + n, same)) return;  // constant
        settle_scan(fused_outputs(split::OutputsNode<Word>{list, n, node.range.block, limits,
                                                           about_centre.data()},
                                  criterion, fused, progress, position),
                    candidate);
    }

    void evaluate_fused(const NodeContext& node, split::Candidate& candidate,
                        std::uint32_t* position) {
        const auto by_word = [&]<class Word>() -> double {
            const data::Block& block = *node.range.block;
            const double least = std::max(limits.min_copies, limits.min_weight);
            const split::FusedNode<Word> list{
                block.list<Word>(candidate.column) + node.range.begin, node.range.size(),
                static_cast<std::uint32_t>(
                    std::clamp(std::ceil(least), 1.0, double(node.range.size())))};
            if constexpr (std::is_same_v<C, criteria::Gini>) {
                if (data.target.is_binary())
                    return fused_two_classes(
                        list, static_cast<std::uint32_t>(node.total[criteria::kStatistics + 1]),
                        reciprocals, fused, progress, position);
                return fused_classes(list, block.classes.data(),
                                     node.total.data() + criteria::kStatistics,
                                     criterion.width() - criteria::kStatistics, reciprocals, fused,
                                     progress, position);
            } else if constexpr (std::is_same_v<C, criteria::SquaredError>) {
                return fused_values(list, block.values.data(), criterion.centre[0],
                                    about_centre[criteria::kStatistics], reciprocals, fused,
                                    progress, position);
            } else {
                return split::kNoCut;
            }
        };
        settle_scan(node.range.block->is_narrow() ? by_word.template operator()<data::Narrow>()
                                                  : by_word.template operator()<data::Wide>(),
                    candidate);
    }

    /// Writes what a scan found; the position of its cut is left to `locate`.
    void settle_scan(double score, split::Candidate& candidate) const {
        if (score == split::kNoCut) {
            candidate.guard = split::Guard::limits;  // or constant: distinguished only by inspect()
            return;
        }
        candidate.question = split::Question::cut;
        candidate.guard = split::Guard::none;
        candidate.n_branches = 2;
        candidate.gain = std::max(0.0, (score - whole_purity) * whole_scale);
        candidate.noise = split::kTie * (std::abs(score) + std::abs(whole_purity)) * whole_scale;
        candidate.cut_position = 0;
    }

    void seek(split::Judge<C>& judge, const data::Column& raw, const split::Monotone* rule,
              Generator generator, split::Candidate& candidate) {
        if (test != nullptr) {
            best_merge(judge, *test, options.merging, raw.scale == data::Scale::nominal, search,
                       candidate);
            return;
        }
        if (raw.scale != data::Scale::nominal) {
            if (options.numeric == split::Numeric::mdlp) {
                mdlp_cuts(tally, limits, options.evidence, progress, mdlp, starts);
                judge_intervals(judge, starts, search, candidate);
            } else if (options.numeric == split::Numeric::cal5) {
                cal5_cuts(tally, limits, dominance(options), cal5, starts);
                judge_intervals(judge, starts, search, candidate);
            } else if (options.splitter == split::Splitter::random)
                random_threshold(
                    judge, rule, generator, [&](std::uint32_t row) { return value_of(raw, row); },
                    search, candidate);
            else
                best_threshold(
                    judge, rule,
                    smallest_side(options, data.target, tally.known[criteria::kWeight]),
                    [&](std::uint32_t below, std::uint32_t above) {
                        return options.min_gap <= 0.0 || !raw.is_real() ||
                               value_of(raw, below) + options.min_gap < value_of(raw, above);
                    },
                    search, candidate);
            return;
        }
        const bool groups = options.nominal == split::Nominal::groups;
        if (groups && raw.n_codes > 2) {
            if constexpr (C::traits.is_in_bits)  // others are refused, and need not be compiled
                split::GroupSearch<C>(judge).run(tally.n_runs() < raw.n_codes, candidate);
        } else if (groups || options.nominal == split::Nominal::multiway) {
            best_multiway(judge, search, candidate);
        } else if (options.splitter == split::Splitter::random) {
            random_subset(judge, generator, search, candidate);
        } else if (options.nominal == split::Nominal::subset) {
            best_subset(judge, search, candidate, {options.as_rpart});
        } else {
            best_one_vs_rest(judge, search, candidate);
        }
    }

    /// Whether the search leaves open if missing rows are best parted from all others. CHAID has
    /// them as a value; a cut is only drawn if there are values to draw from; MDLP and CAL5 must
    /// accept the boundary as they accept a cut.
    [[nodiscard]] bool asks_whether_known(const split::Judge<C>& judge, const data::Column& raw) {
        if (test != nullptr || !can_ask_whether_known(judge)) return false;
        if (options.splitter == split::Splitter::random) return tally.n_runs() < 2;
        if (raw.scale == data::Scale::nominal || options.numeric == split::Numeric::threshold)
            return true;
        if (tally.n_runs() > 1) return false;
        split::Tally sides = tally;
        sides.open_run(tally.first_missing_row);
        std::copy(tally.missing.begin(), tally.missing.end(), sides.run(1));
        sides.absorb_missing();
        if (options.numeric == split::Numeric::mdlp)
            mdlp_cuts(sides, limits, options.evidence, progress, mdlp, starts);
        else cal5_cuts(sides, limits, dominance(options), cal5, starts);
        return !starts.empty();
    }

    /// The number of places among which the cut was chosen: the cuts tried or, for C5.0 if smaller,
    /// the number of gaps of the cut's width that fit into the range of values.
    [[nodiscard]] double places_of_cut(const data::Column& raw,
                                       const split::Candidate& candidate) const {
        const auto tried = static_cast<double>(candidate.n_cuts);
        if (!options.penalty_by_interval || candidate.is_open) return tried;
        const double range = value_of(raw, tally.last_row.back()) - value_of(raw, tally.row[0]);
        const double gap = value_of(raw, candidate.row_above) - value_of(raw, candidate.row_below);
        return gap > 0.0 ? std::min(tried, range / gap) : tried;
    }
    [[nodiscard]] double value_of(const data::Column& raw, std::uint32_t row) const {
        return table_value_of(raw, block_rows[row]);
    }
    [[nodiscard]] static double table_value_of(const data::Column& raw, std::uint32_t table_row) {
        return raw.is_real() ? raw.real(table_row) : static_cast<double>(raw.whole(table_row));
    }

    /// Fills in where missing values go, the runs of the branches, C4.5's penalty and split
    /// information.
    void finish(const split::Judge<C>& judge, const data::Column& raw, const missing::Fill& fill,
                split::Candidate& candidate) {
        branch_weights.assign(candidate.n_branches, 0.0);
        if (candidate.question != split::Question::cut) {
            candidate.row_of_run.assign(tally.row.begin(), tally.row.end());
            candidate.code_of_run.assign(tally.code.begin(), tally.code.end());
            for (std::size_t i = 0; i < tally.n_runs(); ++i)
                branch_weights[candidate.branch_of_run[i]] += tally.run(i)[criteria::kWeight];
            if (raw.scale == data::Scale::nominal && options.missing.has_own_branch &&
                tally.n_entries.back() == 0)  // the run own_branch() appended
            {
                candidate.owns_missing = true;
                candidate.missing_branch =
                    static_cast<std::int32_t>(candidate.branch_of_run.back());
            }
        } else {
            std::uint32_t position = 0;
            for (std::size_t i = 0; i < tally.n_runs(); ++i) {
                const bool left = position < candidate.cut_position;
                branch_weights[left ? 0 : 1] += tally.run(i)[criteria::kWeight];
                position += tally.n_entries[i];
            }
        }
        if (judge.has_missing_branch())
            branch_weights[static_cast<std::size_t>(candidate.missing_branch)] +=
                tally.missing[criteria::kWeight];
        if (fill.is_set) {
            candidate.missing_branch = branch_of_run(candidate, fill.run);
            for (const std::size_t run : fill.run_of_class)
                candidate.missing_branch_of_class.push_back(branch_of_run(candidate, run));
        }
        if (judge.tries_sides() && candidate.missing_branch >= 0)
            branch_weights[static_cast<std::size_t>(candidate.missing_branch)] +=
                tally.missing[criteria::kWeight];
        const double all = tally.known[criteria::kWeight] + tally.missing[criteria::kWeight];
        // Release 8 adds up information in floats, C5.0 keeps only gain and information in them.
        const bool sums_in_floats = options.single_precision && !selects_as_c5(options);
        if (sums_in_floats) candidate.gain = static_cast<float>(candidate.gain);
        if (options.mdl_penalty && candidate.question == split::Question::cut)
            candidate.gain -= std::log2(places_of_cut(raw, candidate)) / all;
        if (options.single_precision) candidate.gain = static_cast<float>(candidate.gain);
        if (options.selection != split::Selection::gain) {
            if (options.missing.divides && tally.any_missing)
                branch_weights.insert(branch_weights.begin(), tally.missing[criteria::kWeight]);
            candidate.split_information =
                sums_in_floats
                    ? criteria::single_information(branch_weights.data(),
                                                   branch_weights.data() + branch_weights.size()) /
                          static_cast<float>(all)
                    : split::split_information(branch_weights);
            if (options.single_precision)
                candidate.split_information = static_cast<float>(candidate.split_information);
        }
    }

    [[nodiscard]] std::int32_t branch_of_run(const split::Candidate& candidate,
                                             std::size_t run) const {
        if (candidate.question != split::Question::cut)
            return static_cast<std::int32_t>(candidate.branch_of_run[run]);
        std::uint32_t position = 0;
        for (std::size_t i = 0; i < run; ++i) position += tally.n_entries[i];
        return position < candidate.cut_position ? 0 : 1;
    }

    void enter(const NodeContext& node) override {
        limits.min_copies = smallest_branch(options, node.total[criteria::kCopies]);
        block_rows = node.range.block->table_row.data();
        criterion.begin_node(node.total.data());
        if constexpr (requires { criterion.lay(node.grid->offset, node.grid->scale); })
            criterion.lay(node.grid->offset, node.grid->scale);
        about_centre = node.total;
        if constexpr (std::is_same_v<C, criteria::SquaredError>)
            for (std::size_t o = 0; o < criterion.n_outputs; ++o)
                about_centre[criteria::kStatistics + o] -=
                    node.total[criteria::kWeight] * criterion.centre[o];
        if constexpr (kHasScan) {
            whole_purity = criterion.purity(about_centre.data());
            whole_scale = criterion.scale(about_centre.data());
        }
    }

    /// The test by which CHAID merges values, which depends on the criterion.
    [[nodiscard]] std::unique_ptr<split::GroupTest> make_test() const {
        if constexpr (std::is_same_v<C, criteria::ChiSquare> ||
                      std::is_same_v<C, criteria::Entropy>)
            return std::make_unique<split::ClassTest>(criteria::kStatistics, width(),
                                                      options.evidence,
                                                      std::is_same_v<C, criteria::Entropy>);
        else if constexpr (std::is_same_v<C, criteria::Anova>)
            return std::make_unique<split::ValueTest>();
        throw InvariantError("merging by a criterion without a test");
    }

    [[nodiscard]] double chi_square_p(const double* branches, std::size_t n_branches) const {
        double least = 0.0;  // several outputs: the most significant
        if constexpr (std::is_base_of_v<criteria::ClassSums, C>) {
            std::vector<const double*> groups;
            for (std::size_t b = 0; b < n_branches; ++b) groups.push_back(branches + b * width());
            for (std::size_t o = 0; o < criterion.n_outputs; ++o)
                least = std::min(least, split::ClassTest(criterion.start[o], criterion.start[o + 1],
                                                         options.evidence, false)
                                            .log_p(groups));
        }
        return std::exp(least);
    }

    /// One-way analysis of variance over the branches; first output.
    [[nodiscard]] double f_test_p(const double* branches, std::size_t n_branches,
                                  double sum_of_squares) const {
        double all = 0.0;
        double copies = 0.0;
        double sum = 0.0;
        double n_filled = 0.0;
        for (std::size_t b = 0; b < n_branches; ++b) {
            const double* branch = branches + b * width();
            if (branch[criteria::kWeight] <= 0.0) continue;
            ++n_filled;
            all += branch[criteria::kWeight];
            copies += branch[criteria::kCopies];
            sum += branch[criteria::kStatistics];
        }
        double between = 0.0;
        for (std::size_t b = 0; b < n_branches; ++b) {
            const double* branch = branches + b * width();
            if (branch[criteria::kWeight] <= 0.0) continue;
            const double off =
                branch[criteria::kStatistics] / branch[criteria::kWeight] - sum / all;
            between += branch[criteria::kWeight] * off * off;
        }
        return std::exp(split::log_p_of_squares(between, sum_of_squares - between, n_filled - 1.0,
                                                copies - n_filled));
    }

    const data::Dataset& data;
    const GrowOptions& options;
    const split::Reciprocals& reciprocals;
    Progress& progress;
    C criterion;  ///< sums about the centre of the node entered
    C plain;      ///< sums about 0, for totals that outlive a node
    split::SearchLimits limits;
    split::Tally tally;
    split::TallyScratch tally_scratch;
    split::SearchScratch search;
    split::FusedScratch fused;
    split::Parted parted;
    std::unique_ptr<split::GroupTest> test;  ///< where values are merged
    split::MdlpScratch mdlp;
    split::Cal5Scratch cal5;
    std::vector<std::uint32_t> starts;  ///< runs that begin an interval
    std::vector<double> branch_weights;
    const std::uint32_t* block_rows = nullptr;
    bool sums_exactly = false;         ///< in whatever order rows are added
    bool cuts_exactly = false;         ///< the same of a single cut
    std::vector<double> about_centre;  ///< the node's total as `criterion` sums it
    double whole_purity = 0.0;         ///< of the node, and the scale of its gains: for scans
    double whole_scale = 0.0;
};

}  // namespace

std::unique_ptr<Finder> make_finder(const data::Dataset& data, const GrowOptions& options,
                                    const split::Reciprocals& reciprocals, Progress& progress) {
    if (!criteria::traits_of(options.criterion).is_additive)
        return make_absolute_finder(data, options, progress);
    std::unique_ptr<Finder> finder;
    criteria::with_criterion(options.criterion, [&]<class C>() {
        finder = std::make_unique<AdditiveFinder<C>>(data, options, reciprocals, progress);
    });
    require(finder != nullptr, "unknown criterion");
    return finder;
}

}  // namespace treewright::grow
