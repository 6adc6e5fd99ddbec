/// The best stump of a round: weights of the cells, cuts between bins, cuts inside bins.
#include "treewright/adaboost/stumps.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>

#include "treewright/base/error.hpp"
#include "treewright/criteria/entropy.hpp"
#include "treewright/criteria/gini.hpp"
#include "treewright/criteria/misclassification.hpp"
#include "treewright/criteria/registry.hpp"
#include "treewright/grow/question.hpp"
#include "treewright/split/known.hpp"
#include "treewright/split/nominal/subset.hpp"
#include "treewright/split/selection.hpp"

namespace treewright::adaboost {
namespace {

constexpr double kNone = -std::numeric_limits<double>::infinity();
/// The winning cut of a column: how many bins and, of the next bin, rows are on the left.
struct Place {
    bool missing_left = false;
    std::uint32_t bin = 0;       ///< bins before this are on the left
    std::uint32_t position = 0;  ///< and the entries of this bin before this one
};

/// `Classes` is 2, so that sums stay in registers, or 0: as many as there are.
template <criteria::Criterion C, std::size_t Classes>
class CriterionSearch final : public StumpSearch {
    using Sums = std::conditional_t<Classes == 0, std::vector<double>,
                                    std::array<double, criteria::kStatistics + Classes>>;

public:
    CriterionSearch(const data::Dataset& data, const grow::GrowOptions& options, Team& team)
        : data(data),
          options(options),
          criterion(data.target),
          n_all_classes(data.target.n_classes[0]),
          columns(data.columns.size()),
          judged(data.columns.size()),
          scratches(team.size()) {
        for (std::uint32_t row = 0; row < data.n_rows; ++row)
            if (data.weight.empty() || data.weight[row] > 0.0) active.push_back(row);
        std::vector<data::OrderScratch> orders(team.size());
        team.for_each(columns.size(), [&](std::size_t column, std::size_t thread) {
            columns[column] =
                read_stump_column(data, column, active, orders[thread], team.progress());
        });
    }

    FoundStump find(const AdaBoostRows& rows, Team& team) override {
        require(rows.n_rows() == data.n_rows && rows.class_count() == n_classes(),
                "the rows that the columns were read from");
        if (n_counted == 0.0) n_counted = rows.n_counted();
        weight = rows.on_grid();
        scratches.resize(team.size());
        clear(total);
        for (const std::uint32_t row : active)
            total[criteria::kStatistics + static_cast<std::size_t>(data.target.classes[row])] +=
                weight[row];
        for (std::size_t k = 0; k < n_classes(); ++k)
            total[criteria::kWeight] += total[criteria::kStatistics + k];
        total[criteria::kCopies] = static_cast<double>(active.size());
        parent = criterion.purity(total.data());
        noise_of_parent = std::abs(parent) + split::magnitude_of(criterion, total.data());
        team.for_each(columns.size(), [&](std::size_t column, std::size_t thread) {
            judge_bins(column, scratches[thread]);
        });
        double most = kNone;
        for (const Judged& column : judged) most = std::max(most, column.most);
        team.for_each(columns.size(), [&](std::size_t column, std::size_t thread) {
            if (!columns[column].is_exact)
                judge_inside(column, most, scratches[thread], team.progress());
        });
        return stump_of(winner(), team.progress());
    }

private:
    /// The results of a column in this round.
    struct Judged {
        std::vector<double> sums;  ///< bins x classes; the last line is of the missing rows
        double most = kNone;       ///< purity of its best split, less what it pays for its values
        double paid = 0.0;
        split::Candidate subset;  ///< nominal columns
        std::vector<std::uint32_t> code_of_run;
    };
    struct Scratch {
        std::vector<double> lanes;
        Sums left, right, corner_left, corner_right;
        split::Tally tally;
        split::SearchScratch search;
        std::vector<double> total;
    };

    [[nodiscard]] std::size_t n_classes() const { return Classes == 0 ? n_all_classes : Classes; }
    [[nodiscard]] std::size_t width() const { return criteria::kStatistics + n_classes(); }
    void clear(Sums& sums) const {
        if constexpr (Classes == 0) sums.resize(width());
        std::fill(sums.begin(), sums.end(), 0.0);
    }
    /// Purities this close to one another differ by rounding.
    [[nodiscard]] double slack(double purity) const {
        return split::kTie * (std::abs(purity) + noise_of_parent);
    }
    [[nodiscard]] const double* line(const Judged& of, std::size_t bin) const {
        return of.sums.data() + bin * n_classes();
    }
    void add(double* into, const double* counts) const {
        for (std::size_t k = 0; k < n_classes(); ++k) {
            into[criteria::kStatistics + k] += counts[k];
            into[criteria::kWeight] += counts[k];
        }
    }
    void put_on(Sums& side, const Judged& of, std::size_t column, bool with_missing) const {
        clear(side);
        if (with_missing) add(side.data(), line(of, columns[column].n_bins));
    }
    /// Purity of both sides together; nothing if one of them is empty.
    [[nodiscard]] double pair(const Sums& left, Sums& right) const {
        for (std::size_t j = 0; j < width(); ++j) right[j] = total[j] - left[j];
        if (!(left[criteria::kWeight] > 0.0) || !(right[criteria::kWeight] > 0.0)) return kNone;
        return criterion.pair(left.data(), right.data());
    }
    [[nodiscard]] int n_sides(std::size_t column) const {
        return columns[column].any_missing ? 2 : 1;  // missing rows right, then left
    }

    void judge_bins(std::size_t index, Scratch& scratch) {
        const StumpColumn& column = columns[index];
        Judged& of = judged[index];
        add_cells(column, weight, n_classes(), scratch.lanes, of.sums);
        of.most = kNone;
        if (column.is_nominal) {
            judge_subsets(index, scratch);
            return;
        }
        clear(scratch.right);
        for (int side = 0; side < n_sides(index); ++side) {
            put_on(scratch.left, of, index, side == 1);
            for (std::uint32_t bin = 0; bin + 1 < column.n_bins; ++bin) {
                add(scratch.left.data(), line(of, bin));
                of.most = std::max(of.most, pair(scratch.left, scratch.right));
            }
        }
        of.most = std::max(of.most, pair_of_known(index, scratch));
    }

    /// Purity of known rows on the left and missing ones on the right; nothing if none is missing.
    [[nodiscard]] double pair_of_known(std::size_t index, Scratch& scratch) const {
        if (!columns[index].any_missing) return kNone;
        clear(scratch.left);
        clear(scratch.right);
        for (std::uint32_t bin = 0; bin < columns[index].n_bins; ++bin)
            add(scratch.left.data(), line(judged[index], bin));
        return pair(scratch.left, scratch.right);
    }

    /// Subsets of categories are found as in single trees, from a tally of the bins.
    void judge_subsets(std::size_t index, Scratch& scratch) {
        const StumpColumn& column = columns[index];
        Judged& of = judged[index];
        split::Tally& tally = scratch.tally;
        tally.clear(width());
        of.code_of_run.clear();
        for (std::uint32_t bin = 0; bin < column.n_bins; ++bin) {
            if (column.n_rows[bin] == 0) continue;
            tally.open_run(0);
            double* run = tally.run(tally.n_runs() - 1);
            add(run, line(of, bin));
            run[criteria::kCopies] = column.n_rows[bin];
            if (run[criteria::kWeight] > 0.0) {
                of.code_of_run.push_back(bin);
                continue;
            }
            tally.sums.resize(tally.sums.size() - width());  // weights may shrink to nothing
            tally.row.pop_back();
            tally.last_row.pop_back();
            tally.n_entries.pop_back();
        }
        add(tally.missing.data(), line(of, column.n_bins));
        tally.missing[criteria::kCopies] = column.n_rows[column.n_bins];
        tally.any_missing = tally.missing[criteria::kWeight] > 0.0;
        tally.sum_known();
        split::SearchLimits limits;
        limits.min_copies = 0.0;
        split::Judge<C> judge(criterion, tally, split::MissingPart::sides, limits, scratch.total);
        of.subset.reset(static_cast<std::uint32_t>(index));
        best_subset(judge, scratch.search, of.subset);
        offer_whether_known(judge, true, scratch.search, of.subset);
        if (of.subset.question == split::Question::none) return;
        of.paid = 0.0;
        if (options.guard_many_values)
            of.paid = criterion.impurity(total.data()) / judge.scale *
                      split::share_of_choice(of.subset, data.columns[index],
                                             static_cast<double>(active.size()));
        of.most = parent + of.subset.gain / judge.scale - of.paid;
    }

    /// Upper bound of the purity of a cut inside a bin, `left` being the sums before the bin.
    /// Purity is convex in the weights on the left: for two classes a corner of the possible range
    /// is best; for more, no cut is better than separating the bin's classes completely.
    [[nodiscard]] double bound(const Sums& left, const double* bin, Scratch& scratch) const {
        Sums& before = scratch.corner_left;
        Sums& rest = scratch.corner_right;
        if (n_classes() == 2) {
            double most = kNone;
            for (std::size_t k = 0; k < 2; ++k) {
                before = left;
                before[criteria::kStatistics + k] += bin[k];
                before[criteria::kWeight] += bin[k];
                clear(rest);
                most = std::max(most, pair(before, rest));
            }
            return most;
        }
        before = left;
        add(before.data(), bin);
        clear(rest);
        for (std::size_t j = 0; j < width(); ++j) rest[j] = total[j] - before[j];
        double most = criterion.purity(left.data()) + criterion.purity(rest.data());
        for (std::size_t k = 0; k < n_classes(); ++k) {
            std::fill(rest.begin(), rest.end(), 0.0);
            rest[criteria::kStatistics + k] = rest[criteria::kWeight] = bin[k];
            most += criterion.purity(rest.data());
        }
        return most;
    }

    /// Calls seen(position, purity) for every cut inside a bin, until it returns true.
    template <class Seen>
    bool walk(const StumpColumn& column, std::uint32_t bin, Scratch& scratch, Seen&& seen) const {
        Sums left = scratch.left;
        for (std::uint32_t i = column.start[bin]; i < column.start[bin + 1]; ++i) {
            const std::uint32_t entry = column.entries[i];
            if (i > column.start[bin] && (entry & 1U) == 0 && seen(i, pair(left, scratch.right)))
                return true;
            const std::uint32_t row = entry >> 1;
            left[criteria::kStatistics + static_cast<std::size_t>(data.target.classes[row])] +=
                weight[row];
            left[criteria::kWeight] += weight[row];
        }
        return false;
    }

    void judge_inside(std::size_t index, double most, Scratch& scratch, Progress& progress) {
        const StumpColumn& column = columns[index];
        Judged& of = judged[index];
        clear(scratch.right);
        for (int side = 0; side < n_sides(index); ++side) {
            put_on(scratch.left, of, index, side == 1);
            for (std::uint32_t bin = 0; bin < column.n_bins; ++bin) {
                const double enough = std::max(most, of.most);
                if (column.start[bin + 1] - column.start[bin] > 1 &&
                    bound(scratch.left, line(of, bin), scratch) >= enough - 4.0 * slack(enough)) {
                    progress.check(true);
                    walk(column, bin, scratch, [&](std::uint32_t, double purity) {
                        of.most = std::max(of.most, purity);
                        return false;
                    });
                }
                add(scratch.left.data(), line(of, bin));
            }
        }
    }

    /// The column of the highest purity; of columns that differ by rounding alone the lowest.
    [[nodiscard]] std::optional<std::size_t> winner() const {
        const bool is_pure = std::count_if(total.begin() + criteria::kStatistics, total.end(),
                                           [](double count) { return count > 0.0; }) < 2;
        std::optional<std::size_t> best;
        if (is_pure) return best;
        for (std::size_t column = 0; column < judged.size(); ++column) {
            const double most = judged[column].most;
            if (most == kNone) continue;
            if (best && !(most > judged[*best].most + slack(most) + slack(judged[*best].most)))
                continue;
            best = column;
        }
        return best;
    }

    /// The first cut of a column that is as good as its best; `scratch.left` gets the sums on its
    /// left.
    [[nodiscard]] Place locate(std::size_t index, Scratch& scratch) const {
        const StumpColumn& column = columns[index];
        const Judged& of = judged[index];
        const double enough = of.most - slack(of.most);
        clear(scratch.right);
        for (int side = 0; side < n_sides(index); ++side) {
            put_on(scratch.left, of, index, side == 1);
            for (std::uint32_t bin = 0; bin < column.n_bins; ++bin) {
                Place place{side == 1, bin, column.start[bin]};
                if (!column.is_exact && column.start[bin + 1] - column.start[bin] > 1 &&
                    bound(scratch.left, line(of, bin), scratch) >= enough - 4.0 * slack(enough) &&
                    walk(column, bin, scratch, [&](std::uint32_t position, double purity) {
                        place.position = position;
                        return purity >= enough;
                    }))
                    return place;
                add(scratch.left.data(), line(of, bin));
                if (bin + 1 < column.n_bins && pair(scratch.left, scratch.right) >= enough)
                    return {side == 1, bin + 1, column.start[bin + 1]};
            }
        }
        if (pair_of_known(index, scratch) >= enough)
            return {false, column.n_bins, column.start[column.n_bins]};
        throw InvariantError("the best cut is found again");
    }

    [[nodiscard]] FoundStump stump_of(std::optional<std::size_t> column, Progress& progress) {
        FoundStump found;
        found.tree.width = n_classes();
        found.tree.nodes.resize(column ? 3 : 1);
        std::vector<Sums> sums(found.tree.nodes.size(), total);
        std::vector<std::uint8_t> is_left;  // by bin, the missing rows' last
        Place place;
        if (column) {
            is_left = ask(*column, found.tree, place);
            progress.check(true);
            count_left(*column, is_left, place, sums[1]);
            for (std::size_t j = 0; j < width(); ++j) sums[2][j] = total[j] - sums[1][j];
        }
        for (std::size_t i = 0; i < sums.size(); ++i) describe(found.tree, i, sums[i]);
        if (column) {
            tree::TreeNode& root = found.tree.nodes[0];
            root.gain = root.score =
                std::max(0.0, (judged[*column].most + judged[*column].paid - parent) *
                                  criterion.scale(total.data()));
            found.predicted =
                predict(*column, is_left, place, majority(sums[1]), majority(sums[2]), progress);
        } else {
            found.predicted.assign(data.n_rows, majority(total));
        }
        return found;
    }

    /// Writes the question into the root; returns which bins go left as a whole.
    [[nodiscard]] std::vector<std::uint8_t> ask(std::size_t index, tree::Tree& tree, Place& place) {
        const StumpColumn& column = columns[index];
        tree::TreeNode& root = tree.nodes[0];
        root.first_child = 1;
        root.n_branches = 2;
        root.column = static_cast<std::int32_t>(index);
        tree.nodes[1].parent = tree.nodes[2].parent = 0;
        std::vector<std::uint8_t> is_left(column.n_bins + 1, 0);
        if (column.is_nominal) {
            const Judged& of = judged[index];
            root.kind = static_cast<std::int8_t>(split::Question::categories);
            const auto list = [&](std::uint32_t code, std::uint32_t branch) {
                tree.branches.code.push_back(static_cast<std::int32_t>(code));
                tree.branches.branch.push_back(static_cast<std::int32_t>(branch));
                is_left[code] = branch == 0;
            };
            if (of.subset.is_open)
                for (std::uint32_t code = 0; code < column.n_bins; ++code) list(code, 0);
            else
                for (std::size_t run = 0; run < of.code_of_run.size(); ++run)
                    list(of.code_of_run[run], of.subset.branch_of_run[run]);
            root.code_offset = 0;
            root.code_count = static_cast<std::int32_t>(tree.branches.code.size());
            root.missing_branch = of.subset.missing_branch;
        } else {
            place = locate(index, scratches[0]);
            const auto row_at = [&](std::uint32_t i) { return column.entries[i] >> 1; };
            root.kind = static_cast<std::int8_t>(split::Question::cut);
            if (place.bin == column.n_bins)
                grow::place_open(data.columns[index], root.threshold, root.threshold_int);
            else
                place_between(data.columns[index],
                              {row_at(place.position - 1), row_at(place.position)}, options,
                              root.threshold, root.threshold_int);
            std::fill_n(is_left.begin(), place.bin, std::uint8_t{1});
            if (column.any_missing) root.missing_branch = place.missing_left ? 0 : 1;
        }
        is_left[column.n_bins] = root.missing_branch == 0;
        return is_left;
    }

    [[nodiscard]] bool is_inside(const StumpColumn& column, const Place& place) const {
        return !column.is_nominal && place.bin < column.n_bins &&
               place.position > column.start[place.bin];
    }

    void count_left(std::size_t index, const std::vector<std::uint8_t>& is_left, const Place& place,
                    Sums& left) const {
        const StumpColumn& column = columns[index];
        clear(left);
        for (std::size_t bin = 0; bin < is_left.size(); ++bin) {
            if (is_left[bin] == 0) continue;
            add(left.data(), line(judged[index], bin));
            left[criteria::kCopies] += column.n_rows[bin];
        }
        if (!is_inside(column, place)) return;
        for (std::uint32_t i = column.start[place.bin]; i < place.position; ++i) {
            const std::uint32_t row = column.entries[i] >> 1;
            left[criteria::kStatistics + static_cast<std::size_t>(data.target.classes[row])] +=
                weight[row];
            left[criteria::kWeight] += weight[row];
            left[criteria::kCopies] += 1.0;
        }
    }

    /// The most frequent class; of equal ones the first.
    [[nodiscard]] static std::int32_t majority(const Sums& sums) {
        return static_cast<std::int32_t>(
            std::max_element(sums.begin() + criteria::kStatistics, sums.end()) - sums.begin() -
            static_cast<std::ptrdiff_t>(criteria::kStatistics));
    }

    void describe(tree::Tree& tree, std::size_t node, const Sums& sums) const {
        tree::TreeNode& of = tree.nodes[node];
        of.n_rows = static_cast<std::int64_t>(sums[criteria::kCopies]);
        of.impurity = criterion.impurity(sums.data());
        of.weight = sums[criteria::kWeight] / total[criteria::kWeight] * n_counted;
        for (std::size_t k = 0; k < n_classes(); ++k)
            tree.value.push_back(sums[criteria::kStatistics + k] / total[criteria::kWeight] *
                                 n_counted);
    }

    [[nodiscard]] std::vector<std::int32_t> predict(std::size_t index,
                                                    const std::vector<std::uint8_t>& is_left,
                                                    const Place& place, std::int32_t left,
                                                    std::int32_t right, Progress& progress) const {
        const StumpColumn& column = columns[index];
        std::vector<std::int32_t> of_cell;
        for (const std::uint8_t each : is_left)
            of_cell.insert(of_cell.end(), n_classes(), each != 0 ? left : right);
        std::vector<std::int32_t> predicted(data.n_rows);
        std::visit(
            [&](const auto& cells) {
                in_blocks(progress, cells.size(), [&](std::size_t begin, std::size_t end) {
                    for (std::size_t row = begin; row < end; ++row)
                        predicted[row] = of_cell[cells[row]];
                });
            },
            column.cell_of_row);
        if (is_inside(column, place))
            for (std::uint32_t i = column.start[place.bin]; i < place.position; ++i)
                predicted[column.entries[i] >> 1] = left;
        return predicted;
    }

    data::Dataset data;
    grow::GrowOptions options;
    C criterion;
    std::size_t n_all_classes;
    std::vector<std::uint32_t> active;
    std::vector<StumpColumn> columns;
    std::vector<Judged> judged;
    std::vector<Scratch> scratches;
    std::span<const double> weight;  ///< of the round
    Sums total;
    double n_counted = 0.0;  ///< what the weights of nodes add up to
    double parent = 0.0;
    double noise_of_parent = 0.0;
};

template <criteria::Criterion C>
std::unique_ptr<StumpSearch> search_by(const data::Dataset& data, const grow::GrowOptions& options,
                                       Team& team) {
    if (data.target.n_classes[0] == 2)
        return std::make_unique<CriterionSearch<C, 2>>(data, options, team);
    return std::make_unique<CriterionSearch<C, 0>>(data, options, team);
}

}  // namespace

std::unique_ptr<StumpSearch> make_stump_search(const data::Dataset& data,
                                               const grow::GrowOptions& options, Team& team) {
    require(data.target.n_outputs == 1 && data.target.n_classes.size() == 1,
            "one target of classes");
    std::unique_ptr<StumpSearch> search;
    criteria::with_criterion(options.criterion, [&]<class C>() {
        if constexpr (C::traits.judges_stumps) search = search_by<C>(data, options, team);
    });
    require(search != nullptr, "a criterion of stumps");
    return search;
}

}  // namespace treewright::adaboost
