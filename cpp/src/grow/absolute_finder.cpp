#include "treewright/grow/absolute_finder.hpp"
#include "treewright/missing/registry.hpp"

#include <algorithm>
#include <cmath>

#include "treewright/base/random.hpp"
#include "treewright/grow/deviation_tree.hpp"
#include "treewright/grow/limits.hpp"
#include "treewright/split/ties.hpp"

namespace treewright::grow {
namespace {

/// A set of rows: deviations of all outputs, weight and copies.
struct Side {
    std::vector<DeviationTree> outputs;
    double weight = 0.0;
    double copies = 0.0;
};

/// Values of a column between two checks for an interrupt.
constexpr std::size_t kRunsPerCheck = 1 << 13;

class AbsoluteFinder final : public Finder {
public:
    AbsoluteFinder(const data::Dataset& data, const GrowOptions& options, Progress& progress)
        : data(data),
          options(options),
          progress(progress),
          n_outputs(data.target.n_outputs),
          values(n_outputs) {}

    [[nodiscard]] std::size_t width() const override { return criteria::kStatistics + n_outputs; }
    void add(double* into, const data::Block& from,
             std::span<const std::uint32_t> rows) const override {
        for (const std::uint32_t row : rows) {
            const double weight = from.weight_of(row);
            into[criteria::kCopies] += from.copies_of(row);
            into[criteria::kWeight] += weight;
            for (std::size_t o = 0; o < n_outputs; ++o)
                into[criteria::kStatistics + o] += weight * from.values[row * n_outputs + o];
        }
    }
    [[nodiscard]] double impurity_of(const double*) const override { return 0.0; }
    /// The mean: medians do not follow from sums (Growth::between_branches).
    [[nodiscard]] double level_of(const double* sums) const override {
        return sums[criteria::kStatistics] / sums[criteria::kWeight];
    }
    [[nodiscard]] double p_value(const double*, std::size_t, double) const override { return 0.0; }

    /// Ranks the targets of the node's rows, once for all columns.
    void enter(const NodeContext& node) override {
        min_copies = smallest_branch(options, node.total[criteria::kCopies]);
        block = node.range.block;
        const auto collect = [&]<class Word>() {
            const Word* list = block->list<Word>(node.any_column);
            node_rows.clear();
            for (std::uint32_t i = node.range.begin; i < node.range.end; ++i)
                node_rows.push_back(data::Entry<Word>::row(list[i]));
        };
        if (block->is_narrow()) collect.template operator()<data::Narrow>();
        else collect.template operator()<data::Wide>();
        rank_of_row.resize(static_cast<std::size_t>(block->n_rows) * n_outputs);
        for (std::size_t o = 0; o < n_outputs; ++o) {
            auto& distinct = values[o];
            distinct.clear();
            for (const std::uint32_t row : node_rows)
                distinct.push_back(block->values[row * n_outputs + o]);
            sort_in_blocks(progress, distinct.begin(), distinct.end());
            distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
            in_blocks(progress, node_rows.size(), [&](std::size_t begin, std::size_t end) {
                for (std::size_t i = begin; i < end; ++i) {
                    const std::size_t at = node_rows[i] * n_outputs + o;
                    rank_of_row[at] = static_cast<std::uint32_t>(
                        std::lower_bound(distinct.begin(), distinct.end(), block->values[at]) -
                        distinct.begin());
                }
            });
        }
    }

    void evaluate(const NodeContext& node, std::uint32_t column, std::uint32_t n_missing,
                  split::Candidate& candidate) override {
        candidate.reset(column);
        const data::Column& raw = data.columns[column];
        collect_runs(node, column, n_missing);
        const bool nominal = raw.scale == data::Scale::nominal;
        own_run = options.missing.has_own_branch && nominal && !missing.empty();
        if (own_run) {
            ordered.insert(ordered.end(), missing.begin(), missing.end());
            run_start.push_back(static_cast<std::uint32_t>(ordered.size()));
        }
        const bool may_part = (tries_sides() || has_third()) && n_runs() > 0;
        if (n_runs() < 2 && !may_part) return;
        candidate.guard = split::Guard::limits;
        fill_run = options.missing.fills ? most_likely_run(nominal) : -1;
        const bool absent = !options.missing.is_judged;
        clear(everything);
        in_blocks(progress, ordered.size(), [&](std::size_t begin, std::size_t end) {
            for (std::size_t i = begin; i < end; ++i) put(everything, ordered[i], 1.0);
        });
        const double known_weight = everything.weight;
        double all_weight = known_weight;
        if (!own_run)
            for (const std::uint32_t row : missing) {
                all_weight += block->weight_of(row);
                if (!absent) put(everything, row, 1.0);
            }
        parent = deviation(everything);
        scale = 1.0 / everything.weight * (absent ? known_weight / all_weight : 1.0);

        if (n_runs() > 1) {
            const split::Monotone rule{options.monotonic.empty() ? 0 : options.monotonic[column],
                                       node.lower, node.upper};
            if (!nominal) cut(raw, rule, Generator(mix(node.key, column)), candidate);
            else if (options.nominal == split::Nominal::multiway) multiway(candidate);
            else one_vs_rest(Generator(mix(node.key, column)), candidate);
        }
        if (may_part && (n_runs() < 2 || options.splitter == split::Splitter::best))
            part_known(nominal, candidate);
        if (candidate.question == split::Question::none) return;
        candidate.guard = split::Guard::none;
        if (candidate.question == split::Question::categories) {
            for (std::size_t run = 0; run < n_runs(); ++run)
                candidate.row_of_run.push_back(ordered[run_start[run]]);
            candidate.code_of_run = run_code;
            if (own_run && !run_code.empty())
                candidate.code_of_run.push_back(
                    static_cast<std::uint32_t>(block->codes[column].n_codes()));
            if (own_run) {
                candidate.owns_missing = true;
                candidate.missing_branch =
                    static_cast<std::int32_t>(candidate.branch_of_run.back());
            }
        }
        if (fill_run >= 0)
            candidate.missing_branch =
                candidate.question == split::Question::categories
                    ? static_cast<std::int32_t>(candidate.branch_of_run[std::size_t(fill_run)])
                    : (run_start[std::size_t(fill_run)] < candidate.cut_position ? 0 : 1);
    }

    void locate(const NodeContext&, split::Candidate&) override {}

private:
    [[nodiscard]] std::size_t n_runs() const { return run_start.size() - 1; }

    /// The node's known rows in order of value, the start of each run, and the missing rows.
    void collect_runs(const NodeContext& node, std::uint32_t column, std::uint32_t n_missing) {
        ordered.clear();
        missing.clear();
        run_start.clear();
        run_code.clear();
        const auto by_word = [&]<class Word>() {
            if (block->holding == data::Holding::lists) {
                const Word* list = block->list<Word>(column);
                for (std::uint32_t i = node.range.begin; i < node.range.end; ++i) {
                    const std::uint32_t row = data::Entry<Word>::row(list[i]);
                    if (i >= node.range.end - n_missing) {
                        missing.push_back(row);
                        continue;
                    }
                    if (i == node.range.begin || (list[i] & data::Entry<Word>::kSameValue) == 0)
                        run_start.push_back(static_cast<std::uint32_t>(ordered.size()));
                    ordered.push_back(row);
                }
                return;
            }
            const data::Codes& codes = block->codes[column];
            std::visit(
                [&](const auto& of_row) {
                    for (const std::uint32_t row : node_rows)
                        (of_row[row] == codes.n_codes() ? missing : ordered).push_back(row);
                    std::stable_sort(ordered.begin(), ordered.end(),
                                     [&](auto a, auto b) { return of_row[a] < of_row[b]; });
                    for (std::size_t i = 0; i < ordered.size(); ++i)
                        if (i == 0 || of_row[ordered[i]] != of_row[ordered[i - 1]]) {
                            run_start.push_back(static_cast<std::uint32_t>(i));
                            run_code.push_back(of_row[ordered[i]]);
                        }
                },
                codes.of_row);
        };
        if (block->is_narrow()) by_word.template operator()<data::Narrow>();
        else by_word.template operator()<data::Wide>();
        run_start.push_back(static_cast<std::uint32_t>(ordered.size()));
    }

    [[nodiscard]] double weight_of_run(std::size_t run) const {
        double weight = 0.0;
        for (std::uint32_t i = run_start[run]; i < run_start[run + 1]; ++i)
            weight += block->weight_of(ordered[i]);
        return weight;
    }

    /// Mode of a nominal column, weighted lower median of a numeric one.
    [[nodiscard]] int most_likely_run(bool nominal) const {
        double all = 0.0;
        for (std::size_t run = 0; run < n_runs(); ++run) all += weight_of_run(run);
        double best_weight = -1.0;
        double below = 0.0;
        int best = 0;
        for (std::size_t run = 0; run < n_runs(); ++run) {
            const double weight = weight_of_run(run);
            below += weight;
            if (nominal && weight > best_weight) {
                best_weight = weight;
                best = static_cast<int>(run);
            }
            if (!nominal && 2.0 * below >= all) return static_cast<int>(run);
        }
        return best;
    }

    void clear(Side& side) const {
        side.outputs.resize(n_outputs);
        for (std::size_t o = 0; o < n_outputs; ++o) side.outputs[o].reset(values[o].size());
        side.weight = side.copies = 0.0;
    }
    void put(Side& side, std::uint32_t row, double sign) const {
        const double weight = sign * block->weight_of(row);
        side.weight += weight;
        side.copies += sign * block->copies_of(row);
        for (std::size_t o = 0; o < n_outputs; ++o)
            side.outputs[o].add(rank_of_row[row * n_outputs + o], weight,
                                block->values[row * n_outputs + o]);
    }
    void put_run(Side& side, std::size_t run, double sign) const {
        for (std::uint32_t i = run_start[run]; i < run_start[run + 1]; ++i)
            put(side, ordered[i], sign);
        if (fill_run >= 0 && run == static_cast<std::size_t>(fill_run))
            for (const std::uint32_t row : missing) put(side, row, sign);
    }
    void put_missing(Side& side, double sign) const {
        for (const std::uint32_t row : missing) put(side, row, sign);
    }
    [[nodiscard]] double deviation(const Side& side) const {
        double total = 0.0;
        for (std::size_t o = 0; o < n_outputs; ++o) total += side.outputs[o].deviation(values[o]);
        return total / static_cast<double>(n_outputs);
    }
    [[nodiscard]] bool admits(const Side& side) const {
        return side.copies >= min_copies && side.weight >= options.min_leaf_weight &&
               side.weight > 0.0;
    }
    [[nodiscard]] bool tries_sides() const {
        return options.missing.tries_sides && !missing.empty();
    }
    /// Whether missing rows are a third branch beside those of a cut.
    [[nodiscard]] bool has_third() const {
        return options.missing.has_own_branch && !own_run && !missing.empty();
    }
    void settle(double left_over, split::Candidate& candidate) const {
        candidate.gain = std::max(0.0, (parent - left_over) * scale);
        candidate.noise = split::kTie * (parent + left_over) * scale;
    }

    /// Only the median of the one target of a monotonic constraint is compared.
    [[nodiscard]] bool respects(const split::Monotone& rule) const {
        return rule.direction == 0 || split::respects(rule, left.outputs[0].median(values[0]),
                                                      right.outputs[0].median(values[0]));
    }

    void cut(const data::Column& raw, const split::Monotone& rule, Generator generator,
             split::Candidate& best) {
        const bool third = has_third();
        double beside = 0.0;
        if (third) {
            clear(left);
            put_missing(left, 1.0);
            if (!admits(left)) return;
            beside = deviation(left);
        }
        std::size_t only = n_runs();  // the one cut of the random splitter
        if (options.splitter == split::Splitter::random) {
            const auto value = [&](std::size_t run) {
                const std::uint32_t row = block->table_row[ordered[run_start[run]]];
                return raw.is_real() ? raw.real(row) : static_cast<double>(raw.whole(row));
            };
            constexpr double kMost = std::numeric_limits<double>::max();
            const double low = std::max(value(0), -kMost);
            const double high = std::min(value(n_runs() - 1), kMost);
            const double share = generator.uniform();
            best.drawn = low * (1.0 - share) + high * share;
            if (!(best.drawn < high)) best.drawn = low;
            best.is_drawn = true;
            only = 0;
            while (only + 2 < n_runs() && value(only + 1) <= best.drawn) ++only;
        }
        double least = std::numeric_limits<double>::infinity();
        for (const bool missing_left : {false, true}) {
            if (missing_left && !tries_sides()) break;
            clear(left);
            clear(right);
            if (tries_sides()) put_missing(missing_left ? left : right, 1.0);
            for (std::size_t run = 0; run < n_runs(); ++run) {
                if (run % kRunsPerCheck == kRunsPerCheck - 1) progress.check(true);
                put_run(right, run, 1.0);
            }
            for (std::size_t run = 0; run + 1 < n_runs(); ++run) {
                if (run % kRunsPerCheck == kRunsPerCheck - 1) progress.check(true);
                put_run(left, run, 1.0);
                put_run(right, run, -1.0);
                if (only < n_runs() && run != only) continue;
                if (!admits(left) || !admits(right) || !respects(rule)) continue;
                best.n_cuts += missing_left ? 0 : 1;
                const double sum = deviation(left) + deviation(right) + beside;
                if (sum >= least) continue;
                least = sum;
                best.question = split::Question::cut;
                best.cut_position = run_start[run + 1];
                best.cut_code = run_code.empty() ? 0 : run_code[run];
                best.row_below = ordered[run_start[run + 1] - 1];
                best.row_above = ordered[run_start[run + 1]];
                best.n_branches = third ? 3 : 2;
                best.missing_branch = third ? 2 : (tries_sides() ? (missing_left ? 0 : 1) : -1);
            }
        }
        if (best.question != split::Question::none) settle(least, best);
    }

    /// "Is the value known?" (split/known.hpp), if that gains more than the best of the others.
    void part_known(bool nominal, split::Candidate& best) {
        clear(left);
        clear(right);
        for (std::size_t run = 0; run < n_runs(); ++run) put_run(left, run, 1.0);
        put_missing(right, 1.0);
        if (!admits(left) || !admits(right)) return;
        ++best.n_cuts;
        split::Candidate known;
        settle(deviation(left) + deviation(right), known);
        if (best.question != split::Question::none && !(known.gain > best.gain + known.noise))
            return;
        best.gain = known.gain;
        best.noise = known.noise;
        best.n_branches = 2;
        best.missing_branch = 1;
        best.is_open = true;
        best.is_drawn = best.has_rest = false;
        best.question = nominal ? split::Question::categories : split::Question::cut;
        best.branch_of_run.assign(nominal ? n_runs() : 0, 0);
        best.other_branch = nominal ? 0 : -1;
        best.cut_position = static_cast<std::uint32_t>(ordered.size());
        best.cut_code = run_code.empty() ? 0 : run_code.back();
        best.row_below = best.row_above = ordered.back();
    }

    void multiway(split::Candidate& best) {
        double sum = 0.0;
        std::size_t n_admitted = 0;
        std::size_t join = n_runs();  // the branch that missing rows join, where they are tried
        double join_gain = -std::numeric_limits<double>::infinity();
        std::vector<char> admitted(n_runs(), 0);
        std::vector<double> gained(n_runs(), 0.0);
        std::vector<char> admitted_with(n_runs(), 0);
        for (std::size_t run = 0; run < n_runs(); ++run) {
            clear(left);
            put_run(left, run, 1.0);
            admitted[run] = admits(left) ? 1 : 0;
            n_admitted += admitted[run] != 0 ? 1 : 0;
            const double alone = deviation(left);
            sum += alone;
            if (!tries_sides()) continue;
            put_missing(left, 1.0);
            gained[run] = alone - deviation(left);
            admitted_with[run] = admits(left) ? 1 : 0;
        }
        if (tries_sides()) {
            for (std::size_t run = 0; run < n_runs(); ++run) {
                const std::size_t then =
                    n_admitted + (admitted_with[run] != 0 && admitted[run] == 0 ? 1 : 0);
                if (then < n_runs() || gained[run] <= join_gain) continue;
                join_gain = gained[run];
                join = run;
            }
            if (join == n_runs()) return;
            sum -= join_gain;
            best.missing_branch = static_cast<std::int32_t>(join);
        } else if (n_admitted < n_runs()) {
            return;
        }
        best.question = split::Question::categories;
        best.n_cuts = 1;
        best.n_branches = static_cast<std::uint32_t>(n_runs());
        for (std::size_t run = 0; run < n_runs(); ++run)
            best.branch_of_run.push_back(static_cast<std::uint32_t>(run));
        settle(sum, best);
    }

    void one_vs_rest(Generator generator, split::Candidate& best) {
        double least = std::numeric_limits<double>::infinity();
        std::size_t best_run = 0;
        const std::size_t only = options.splitter == split::Splitter::random
                                     ? static_cast<std::size_t>(generator.below(n_runs()))
                                     : n_runs();
        clear(left);  // all values start on the right; one at a time moves left
        clear(right);
        for (std::size_t run = 0; run < n_runs(); ++run) put_run(right, run, 1.0);
        for (std::size_t run = 0; run < n_runs(); ++run) {
            if (only < n_runs() && run != only) continue;
            put_run(left, run, 1.0);
            put_run(right, run, -1.0);
            for (const bool missing_left : {false, true}) {
                if (missing_left && !tries_sides()) break;
                Side& with = missing_left ? left : right;
                if (tries_sides()) put_missing(with, 1.0);
                const bool admitted = admits(left) && admits(right);
                const double sum = admitted ? deviation(left) + deviation(right) : 0.0;
                if (tries_sides()) put_missing(with, -1.0);
                if (!admitted) continue;
                best.n_cuts += missing_left ? 0 : 1;
                if (sum >= least) continue;
                least = sum;
                best_run = run;
                best.question = split::Question::categories;
                best.missing_branch = tries_sides() ? (missing_left ? 0 : 1) : -1;
            }
            put_run(left, run, -1.0);
            put_run(right, run, 1.0);
        }
        if (best.question == split::Question::none) return;
        best.n_branches = 2;
        best.has_rest = true;
        best.branch_of_run.assign(n_runs(), 1);
        best.branch_of_run[best_run] = 0;
        settle(least, best);
    }

    const data::Dataset& data;
    const GrowOptions& options;
    Progress& progress;
    double min_copies = 1.0;
    std::size_t n_outputs;
    const data::Block* block = nullptr;
    std::vector<std::vector<double>> values;  ///< distinct targets of the node, per output
    std::vector<std::uint32_t> node_rows;
    std::vector<std::uint32_t> rank_of_row;  ///< rows x outputs
    std::vector<std::uint32_t> ordered;
    std::vector<std::uint32_t> run_start;
    std::vector<std::uint32_t> run_code;
    std::vector<std::uint32_t> missing;
    int fill_run = -1;
    bool own_run = false;
    Side left;
    Side right;
    Side everything;
    double parent = 0.0;
    double scale = 1.0;
};

}  // namespace

std::unique_ptr<Finder> make_absolute_finder(const data::Dataset& data, const GrowOptions& options,
                                             Progress& progress) {
    return std::make_unique<AbsoluteFinder>(data, options, progress);
}

}  // namespace treewright::grow
