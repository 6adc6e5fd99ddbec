/// Evaluates one column in one node: tally, missing policy, search, score.
#include "treewright/grow/column_finder.hpp"

#include <algorithm>
#include <cmath>

#include "treewright/base/error.hpp"
#include "treewright/base/random.hpp"
#include "treewright/criteria/registry.hpp"
#include "treewright/grow/absolute_finder.hpp"
#include "treewright/missing/registry.hpp"
#include "treewright/split/chaid/merge.hpp"
#include "treewright/split/nominal/groups.hpp"
#include "treewright/split/nominal/multiway.hpp"
#include "treewright/split/nominal/one_vs_rest.hpp"
#include "treewright/split/nominal/subset.hpp"
#include "treewright/split/numeric/threshold.hpp"
#include "treewright/split/random.hpp"

namespace treewright {
namespace {

/// Parts of divided rows add up to a whole number but for rounding.
constexpr double kWhole = 1.0 - 1e-9;

/// C4.5's smallest side of a cut: a tenth of the known cases per class, between the usual minimum
/// and 25 (Quinlan's contin.c; Weka's C45Split).
double smallest_side(const GrowOptions& options, const Target& target, double known_weight) {
    if (!options.c45_sides) return 0.0;
    const std::uint32_t n_classes = std::max(target.n_classes[0], options.declared_classes);
    const double tenth = 0.1 * known_weight / static_cast<double>(n_classes);
    return kWhole * (tenth <= options.min_leaf ? options.min_leaf : std::min(tenth, 25.0));
}

template <Criterion C>
class AdditiveFinder final : public Finder {
public:
    AdditiveFinder(const Dataset& data, const GrowOptions& options, const Reciprocals& reciprocals)
        : data(data),
          options(options),
          reciprocals(reciprocals),
          criterion(data.target),
          plain(data.target) {
        limits.min_weight = options.min_leaf_weight;
        limits.two_branches_suffice = options.two_branches_suffice;
        limits.class_boundaries = options.class_boundaries;
        if (options.merging.is_on) test = make_test();
    }

    [[nodiscard]] std::size_t width() const override { return criterion.width(); }
    void add(double* into, const Block& block, std::span<const std::uint32_t> rows) const override {
        for (const std::uint32_t row : rows) add_row(plain, into, block, row);
    }
    [[nodiscard]] double impurity_of(const double* sums) const override {
        return criterion.impurity(sums);
    }
    [[nodiscard]] double level_of(const double* sums) const override { return level(plain, sums); }

    void evaluate(const NodeContext& node, std::uint32_t column, std::uint32_t n_missing,
                  Candidate& candidate) override {
        candidate.reset(column);
        const Column& raw = data.columns[column];
        if (fuses(node, raw, n_missing)) {
            evaluate_fused(node, candidate, nullptr);
            return;
        }
        fill_tally(criterion, node.range, column, n_missing, options.tally, tally, tally_scratch);
        Fill fill;
        const MissingPart part =
            prepare_missing(criterion, options.missing, raw.scale, tally, fill);
        Judge<C> judge(criterion, tally, part, limits, search.total);
        const Monotone monotone{options.monotonic.empty() ? 0 : options.monotonic[column],
                                node.lower, node.upper};
        const Monotone* rule = options.monotonic.empty() ? nullptr : &monotone;
        seek(judge, raw, rule, Generator(mix(node.key, column)), candidate);
        if (candidate.question == Question::none) return;
        finish(judge, raw, fill, candidate);
    }

    void locate(const NodeContext& node, Candidate& candidate) override {
        if (candidate.question != Question::cut || candidate.cut_position != 0) return;
        std::uint32_t position = 0;
        Candidate found = candidate;  // its gain has been put into the target's units since
        evaluate_fused(node, found, &position);
        candidate.cut_position = position;
        const auto rows = [&]<class Word>() {
            const Word* list = node.range.block->list<Word>(candidate.column) + node.range.begin;
            candidate.row_below = Entry<Word>::row(list[position - 1]);
            candidate.row_above = Entry<Word>::row(list[position]);
        };
        if (node.range.block->is_narrow()) rows.template operator()<Narrow>();
        else rows.template operator()<Wide>();
    }

    [[nodiscard]] double p_value(const double* branches, std::size_t n_branches,
                                 double sum_of_squares) const override {
        if constexpr (std::is_base_of_v<ClassSums, C>) return chi_square_p(branches, n_branches);
        else return f_test_p(branches, n_branches, sum_of_squares);
    }

private:
    /// Whether the scan without a tally applies (split/fused_scan.hpp).
    [[nodiscard]] bool fuses(const NodeContext& node, const Column& raw,
                             std::uint32_t n_missing) const {
        if constexpr (!std::is_same_v<C, Gini> && !std::is_same_v<C, SquaredError>) return false;
        const Block& block = *node.range.block;
        return options.fuse && options.splitter == Splitter::best &&
               options.numeric == Numeric::threshold && !options.merging.is_on &&
               block.holding == Holding::lists && raw.scale != Scale::nominal && n_missing == 0 &&
               block.weight.empty() && block.copies.empty() && criterion.n_outputs == 1 &&
               options.monotonic.empty() && !options.class_boundaries && !options.c45_sides &&
               options.min_gap <= 0.0 && options.missing != Missing::most_likely &&
               options.missing != Missing::most_likely_in_class &&
               options.selection == Selection::gain;
    }

    void evaluate_fused(const NodeContext& node, Candidate& candidate, std::uint32_t* position) {
        const auto by_word = [&]<class Word>() -> double {
            const Block& block = *node.range.block;
            const double least = std::max(limits.min_copies, limits.min_weight);
            const FusedNode<Word> list{block.list<Word>(candidate.column) + node.range.begin,
                                       node.range.size(),
                                       static_cast<std::uint32_t>(std::clamp(
                                           std::ceil(least), 1.0, double(node.range.size())))};
            if constexpr (std::is_same_v<C, Gini>) {
                if (data.target.is_binary())
                    return fused_two_classes(
                        list, static_cast<std::uint32_t>(node.total[kStatistics + 1]), reciprocals,
                        fused, position);
                return fused_classes(list, block.classes.data(), node.total.data() + kStatistics,
                                     criterion.width() - kStatistics, reciprocals, fused, position);
            } else if constexpr (std::is_same_v<C, SquaredError>) {
                return fused_values(list, block.values.data(), criterion.centre[0],
                                    about_centre[kStatistics], reciprocals, fused, position);
            } else {
                return kNoCut;
            }
        };
        const double score = node.range.block->is_narrow() ? by_word.template operator()<Narrow>()
                                                           : by_word.template operator()<Wide>();
        if (score == kNoCut) {
            candidate.guard = Guard::limits;  // or constant: told apart only when asked why
            return;
        }
        const double parent = criterion.purity(about_centre.data());
        const double scale = criterion.scale(about_centre.data());
        candidate.question = Question::cut;
        candidate.guard = Guard::none;
        candidate.n_branches = 2;
        candidate.gain = std::max(0.0, (score - parent) * scale);
        candidate.noise = kTie * (std::abs(score) + std::abs(parent)) * scale;
        candidate.cut_position = 0;
    }

    void seek(Judge<C>& judge, const Column& raw, const Monotone* rule, Generator generator,
              Candidate& candidate) {
        if (test != nullptr) {
            best_merge(judge, *test, options.merging, raw.scale == Scale::nominal, search,
                       candidate);
            return;
        }
        if (raw.scale != Scale::nominal) {
            if (options.numeric == Numeric::mdlp) {
                mdlp_cuts(tally, limits, options.evidence, mdlp, starts);
                judge_intervals(judge, starts, search, candidate);
            } else if (options.numeric == Numeric::cal5) {
                cal5_cuts(tally, limits, dominance(options), cal5, starts);
                judge_intervals(judge, starts, search, candidate);
            } else if (options.splitter == Splitter::random)
                random_threshold(
                    judge, rule, generator, [&](std::uint32_t row) { return value_of(raw, row); },
                    search, candidate);
            else
                best_threshold(
                    judge, rule, smallest_side(options, data.target, tally.known[kWeight]),
                    [&](std::uint32_t below, std::uint32_t above) {
                        return options.min_gap <= 0.0 || !raw.is_real() ||
                               value_of(raw, below) + options.min_gap < value_of(raw, above);
                    },
                    search, candidate);
            return;
        }
        const bool groups = options.nominal == Nominal::groups;
        if (groups && raw.n_codes > 2) {
            GroupSearch<C>(judge).run(tally.n_runs() < raw.n_codes, candidate);
        } else if (groups || options.nominal == Nominal::multiway) {
            best_multiway(judge, search, candidate);
        } else if (options.splitter == Splitter::random) {
            random_subset(judge, generator, search, candidate);
        } else if (options.nominal == Nominal::subset) {
            best_subset(judge, search, candidate);
        } else {
            best_one_vs_rest(judge, search, candidate);
        }
    }

    /// Among how many places the cut was chosen: the cuts tried, or for C5.0, where that is less,
    /// the gaps as wide as the one it lies in that the range of values has room for.
    [[nodiscard]] double places_of_cut(const Column& raw, const Candidate& candidate) const {
        const auto tried = static_cast<double>(candidate.n_cuts);
        if (!options.penalty_by_interval) return tried;
        const double range = value_of(raw, tally.last_row.back()) - value_of(raw, tally.row[0]);
        const double gap = value_of(raw, candidate.row_above) - value_of(raw, candidate.row_below);
        return gap > 0.0 ? std::min(tried, range / gap) : tried;
    }
    [[nodiscard]] double value_of(const Column& raw, std::uint32_t row) const {
        const std::uint32_t table_row = block_rows[row];
        return raw.is_real() ? raw.real(table_row) : static_cast<double>(raw.whole(table_row));
    }

    /// Where missing rows go, the runs behind the branches, C4.5's penalty and split information.
    void finish(const Judge<C>& judge, const Column& raw, const Fill& fill, Candidate& candidate) {
        branch_weights.assign(candidate.n_branches, 0.0);
        if (candidate.question != Question::cut) {
            candidate.row_of_run.assign(tally.row.begin(), tally.row.end());
            candidate.code_of_run.assign(tally.code.begin(), tally.code.end());
            for (std::size_t i = 0; i < tally.n_runs(); ++i)
                branch_weights[candidate.branch_of_run[i]] += tally.run(i)[kWeight];
            if (raw.scale == Scale::nominal && options.missing == Missing::own_branch &&
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
                branch_weights[left ? 0 : 1] += tally.run(i)[kWeight];
                position += tally.n_entries[i];
            }
        }
        if (judge.has_missing_branch())
            branch_weights[static_cast<std::size_t>(candidate.missing_branch)] +=
                tally.missing[kWeight];
        if (fill.is_set) {
            candidate.missing_branch = branch_of_run(candidate, fill.run);
            for (const std::size_t run : fill.run_of_class)
                candidate.missing_branch_of_class.push_back(branch_of_run(candidate, run));
        }
        if (judge.tries_sides() && candidate.missing_branch >= 0)
            branch_weights[static_cast<std::size_t>(candidate.missing_branch)] +=
                tally.missing[kWeight];
        const double all = tally.known[kWeight] + tally.missing[kWeight];
        // Release 8 adds up information in floats, C5.0 keeps only gain and information in them.
        const bool sums_in_floats = options.single_precision && !selects_as_c5(options);
        if (sums_in_floats) candidate.gain = static_cast<float>(candidate.gain);
        if (options.mdl_penalty && candidate.question == Question::cut)
            candidate.gain -= std::log2(places_of_cut(raw, candidate)) / all;
        if (options.single_precision) candidate.gain = static_cast<float>(candidate.gain);
        if (options.selection != Selection::gain) {
            if (options.missing == Missing::divide && tally.any_missing)
                branch_weights.insert(branch_weights.begin(), tally.missing[kWeight]);
            candidate.split_information =
                sums_in_floats ? single_information(branch_weights.data(),
                                                    branch_weights.data() + branch_weights.size()) /
                                     static_cast<float>(all)
                               : split_information(branch_weights);
            if (options.single_precision)
                candidate.split_information = static_cast<float>(candidate.split_information);
        }
    }

    [[nodiscard]] std::int32_t branch_of_run(const Candidate& candidate, std::size_t run) const {
        if (candidate.question != Question::cut)
            return static_cast<std::int32_t>(candidate.branch_of_run[run]);
        std::uint32_t position = 0;
        for (std::size_t i = 0; i < run; ++i) position += tally.n_entries[i];
        return position < candidate.cut_position ? 0 : 1;
    }

    void enter(const NodeContext& node) override {
        limits.min_copies = smallest_branch(options, node.total[kCopies]);
        block_rows = node.range.block->table_row.data();
        criterion.begin_node(node.total.data());
        about_centre = node.total;
        if constexpr (std::is_same_v<C, SquaredError>)
            for (std::size_t o = 0; o < criterion.n_outputs; ++o)
                about_centre[kStatistics + o] -= node.total[kWeight] * criterion.centre[o];
    }

    /// The test by which CHAID merges values goes with the criterion.
    [[nodiscard]] std::unique_ptr<GroupTest> make_test() const {
        if constexpr (std::is_same_v<C, ChiSquare> || std::is_same_v<C, Entropy>)
            return std::make_unique<ClassTest>(kStatistics, width(), options.evidence,
                                               std::is_same_v<C, Entropy>);
        else if constexpr (std::is_same_v<C, Anova>) return std::make_unique<ValueTest>();
        throw InvariantError("merging by a criterion without a test");
    }

    [[nodiscard]] double chi_square_p(const double* branches, std::size_t n_branches) const {
        double least = 0.0;  // several outputs: the most significant
        if constexpr (std::is_base_of_v<ClassSums, C>) {
            std::vector<const double*> groups;
            for (std::size_t b = 0; b < n_branches; ++b) groups.push_back(branches + b * width());
            for (std::size_t o = 0; o < criterion.n_outputs; ++o)
                least = std::min(least, ClassTest(criterion.start[o], criterion.start[o + 1],
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
            if (branch[kWeight] <= 0.0) continue;
            ++n_filled;
            all += branch[kWeight];
            copies += branch[kCopies];
            sum += branch[kStatistics];
        }
        double between = 0.0;
        for (std::size_t b = 0; b < n_branches; ++b) {
            const double* branch = branches + b * width();
            if (branch[kWeight] <= 0.0) continue;
            const double off = branch[kStatistics] / branch[kWeight] - sum / all;
            between += branch[kWeight] * off * off;
        }
        return std::exp(
            log_p_of_squares(between, sum_of_squares - between, n_filled - 1.0, copies - n_filled));
    }

    const Dataset& data;
    const GrowOptions& options;
    const Reciprocals& reciprocals;
    C criterion;  ///< sums about the centre of the node entered
    C plain;      ///< sums about 0, for totals that outlive a node
    SearchLimits limits;
    Tally tally;
    TallyScratch tally_scratch;
    SearchScratch search;
    FusedScratch fused;
    std::unique_ptr<GroupTest> test;  ///< where values are merged
    MdlpScratch mdlp;
    Cal5Scratch cal5;
    std::vector<std::uint32_t> starts;  ///< runs that begin an interval
    std::vector<double> branch_weights;
    const std::uint32_t* block_rows = nullptr;
    std::vector<double> about_centre;  ///< the node's total as `criterion` sums it
};

}  // namespace

std::unique_ptr<Finder> make_finder(const Dataset& data, const GrowOptions& options,
                                    const Reciprocals& reciprocals) {
    if (options.criterion == "absolute_error") return make_absolute_finder(data, options);
    std::unique_ptr<Finder> finder;
    with_criterion(options.criterion, [&]<class C>() {
        finder = std::make_unique<AdditiveFinder<C>>(data, options, reciprocals);
    });
    require(finder != nullptr, "unknown criterion");
    return finder;
}

}  // namespace treewright
