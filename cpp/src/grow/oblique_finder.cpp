#include "treewright/grow/oblique_finder.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "treewright/base/error.hpp"
#include "treewright/criteria/registry.hpp"
#include "treewright/missing/registry.hpp"
#include "treewright/split/numeric/threshold.hpp"
#include "treewright/split/oblique/readable.hpp"
#include "treewright/split/oblique/reflect.hpp"

namespace treewright::grow {
namespace {

/// A term that changes a sum by less than this share of the others is noise.
constexpr double kNegligible = 1e-9;

template <criteria::Criterion C>
class AdditiveObliqueFinder final : public ObliqueFinder {
public:
    AdditiveObliqueFinder(const data::Dataset& data, const GrowOptions& options)
        : data(data), options(options), criterion(data.target) {
        limits.min_copies = options.min_leaf;
        limits.min_weight = options.min_leaf_weight;
    }

    void enter(const NodeContext& context, const split::ObliqueNode& node) override {
        criterion.begin_node(context.total.data());
        if constexpr (requires { criterion.lay(context.grid->offset, context.grid->scale); })
            criterion.lay(context.grid->offset, context.grid->scale);
        total.assign(criterion.width(), 0.0);
        for (std::uint32_t row = 0; row < node.n_rows(); ++row)
            split::add_row(criterion, total.data(), node.rows, row);
        criterion.enter(total.data());
    }

    [[nodiscard]] split::Found attempt(const split::ObliqueNode& node, std::size_t number,
                                       Progress& progress) override {
        criterion.enter(total.data());
        split::Pencil<C> pencil(criterion, limits, node, total);
        Generator random = generator_of(node, number);
        const split::ObliqueSearch search = options.oblique.search;
        if (climbs()) {
            split::Plane<C> plane(pencil, node, progress, random);
            if (search == split::ObliqueSearch::cart_lc) split::CartLc<C>(plane, node).attempt();
            else split::Oc1<C>(plane, node, options.oblique.n_jumps, random).attempt(number == 0);
            return plane.found();
        }
        split::Along<C> along(pencil, node, progress, random);
        if (search == split::ObliqueSearch::random_projections)
            return cut_projected(along, node, random);
        return cut_reflected(along, node, node.directions[number]);
    }

    void complete(const split::ObliqueNode& node, const split::Direction& direction,
                  Progress& progress, split::Candidate& candidate) override {
        Sum best = whole_sum(node, direction);
        judge(node, progress, best);
        if (best.candidate.question == split::Question::none) {
            candidate.guard = split::Guard::limits;
            return;
        }
        if (climbs()) climb_with_fewer(node, direction, progress, best);
        leave_out_terms(node, progress, best);
        if (best.terms.size() < 2) {
            candidate.guard = split::Guard::one_column;
            return;
        }
        judge(node, progress, best);  // the last one judged may be another
        candidate = best.candidate;
        candidate.question = split::Question::sum;
        candidate.terms = best.terms;
        candidate.column = static_cast<std::uint32_t>(best.terms.column[0]);
        candidate.sum_threshold =
            make_readable(data.columns, best.spread, sides_of(node, candidate), candidate.terms);
        if (!(candidate.gain > candidate.noise)) candidate.guard = split::Guard::no_gain;
    }

private:
    struct Sum {
        data::LinearTerms terms;
        std::vector<double> spread;  ///< of each term's column
        split::Candidate candidate;  ///< as a cut of the sum
    };

    /// All columns of the direction, in raw units; the first coefficient is positive.
    [[nodiscard]] Sum whole_sum(const split::ObliqueNode& node,
                                const split::Direction& direction) const {
        double largest = 0.0;
        for (const double each : direction) largest = std::max(largest, std::abs(each));
        Sum sum;
        for (std::size_t m = 0; m < node.n_columns(); ++m) {
            if (!(std::abs(direction[m]) > kNegligible * largest)) continue;
            sum.terms.column.push_back(static_cast<std::int32_t>(node.columns[m]));
            sum.terms.coefficient.push_back(direction[m] / largest / node.spread[m]);
            sum.terms.share.push_back(0.0);
            sum.spread.push_back(node.spread[m]);
        }
        return sum;
    }

    static void leave_out(Sum& sum, std::size_t term) {
        const auto at = static_cast<std::ptrdiff_t>(term);
        sum.terms.column.erase(sum.terms.column.begin() + at);
        sum.terms.coefficient.erase(sum.terms.coefficient.begin() + at);
        sum.terms.share.erase(sum.terms.share.begin() + at);
        sum.spread.erase(sum.spread.begin() + at);
    }

    /// CART's search draws nothing but which of equal planes to take: the same for every seed.
    [[nodiscard]] Generator generator_of(const split::ObliqueNode& node,
                                         std::uint64_t number) const {
        const bool is_fixed = options.oblique.search == split::ObliqueSearch::cart_lc;
        return Generator(mix(is_fixed ? 0 : node.key, number));
    }

    [[nodiscard]] bool climbs() const {
        return options.oblique.search == split::ObliqueSearch::oc1 ||
               options.oblique.search == split::ObliqueSearch::cart_lc;
    }

    /// Climbing gives every column a small coefficient. If the plane is as good with only the
    /// columns that matter most, it is easier to read.
    void climb_with_fewer(const split::ObliqueNode& node, const split::Direction& direction,
                          Progress& progress, Sum& best) {
        double all = 0.0;
        for (const double each : direction) all += std::abs(each);
        for (const double least : {0.1, 0.03}) {
            split::Direction fewer = direction;
            for (double& each : fewer)
                if (std::abs(each) < least * all) each = 0.0;
            const auto n_left = fewer.size() - std::count(fewer.begin(), fewer.end(), 0.0);
            if (n_left < 2 || n_left >= best.terms.size()) continue;
            criterion.enter(total.data());
            split::Pencil<C> pencil(criterion, limits, node, total);
            Generator random = generator_of(node, ~0ULL);
            split::Plane<C> plane(pencil, node, progress, random);
            split::Oc1<C>(plane, node, 0, random).polish(std::move(fewer));
            Sum shorter = whole_sum(node, plane.direction);
            judge(node, progress, shorter);
            if (!is_as_good(shorter, best)) continue;
            best = std::move(shorter);
            return;
        }
    }

    [[nodiscard]] static bool is_as_good(const Sum& one, const Sum& other) {
        return one.candidate.question != split::Question::none &&
               one.candidate.gain >=
                   other.candidate.gain - one.candidate.noise - other.candidate.noise;
    }

    /// From the least important term up, each is left out if the sum is as good without it.
    void leave_out_terms(const split::ObliqueNode& node, Progress& progress, Sum& best) {
        std::vector<std::int32_t> columns = best.terms.column;
        std::vector<double> effect(columns.size());
        for (std::size_t i = 0; i < columns.size(); ++i)
            effect[i] = std::abs(best.terms.coefficient[i]) * best.spread[i];
        std::vector<std::size_t> order(columns.size());
        std::iota(order.begin(), order.end(), std::size_t{0});
        std::stable_sort(order.begin(), order.end(),
                         [&](std::size_t a, std::size_t b) { return effect[a] < effect[b]; });
        for (const std::size_t i : order) {
            if (best.terms.size() < 2) return;
            progress.check(true);
            Sum shorter = best;
            leave_out(shorter,
                      static_cast<std::size_t>(std::find(best.terms.column.begin(),
                                                         best.terms.column.end(), columns[i]) -
                                               best.terms.column.begin()));
            judge(node, progress, shorter);
            if (is_as_good(shorter, best)) best = std::move(shorter);
        }
    }

    /// Adds up the terms of every row and finds the best cut of the sums.
    void judge(const split::ObliqueNode& node, Progress& progress, Sum& sum) {
        data::LinearTerms& terms = sum.terms;
        if (terms.coefficient[0] < 0.0)
            for (double& each : terms.coefficient) each = -each;
        double all = 0.0;
        for (std::size_t i = 0; i < terms.size(); ++i)
            all += terms.share[i] = std::abs(terms.coefficient[i]) * sum.spread[i];
        for (double& share : terms.share) share /= all;

        sums.resize(node.n_rows());
        every_row.resize(node.n_rows());
        std::iota(every_row.begin(), every_row.end(), 0U);
        in_blocks(progress, sums.size(), [&](std::size_t begin, std::size_t end) {
            for (std::size_t i = begin; i < end; ++i)
                sums[i] = data::add_terms(terms.coefficient, [&](std::size_t term) {
                    return data.columns[static_cast<std::size_t>(terms.column[term])].number(
                        node.rows.table_row[i]);
                });
        });
        progress.check(true);
        data::Column as_column;
        as_column.data = reinterpret_cast<const std::byte*>(sums.data());
        as_column.stride = sizeof(double);
        order = order_of(as_column, every_row, order_scratch, progress);
        progress.check(true);
        fill_tally(node);

        split::Candidate& candidate = sum.candidate;
        candidate.reset(0);
        missing::Fill fill;
        const split::MissingPart part =
            prepare_missing(criterion, options.missing, data::Scale::numeric, tally, fill);
        split::Judge<C> judge(criterion, tally, part, limits, search.total);
        best_threshold(
            judge, nullptr, 0.0, [](std::uint32_t, std::uint32_t) { return true; }, search,
            candidate);
        if (candidate.question != split::Question::none &&
            options.selection != split::Selection::gain)
            candidate.split_information = information_of(candidate);
    }

    void fill_tally(const split::ObliqueNode& node) {
        tally.clear(criterion.width());
        const std::size_t n_known = order.entries.size() - order.n_missing;
        for (std::size_t i = 0; i < order.entries.size(); ++i) {
            const std::uint32_t row = order.entries[i] >> 1;
            if (i >= n_known) {
                add_missing(criterion, node.rows, row, tally);
                continue;
            }
            if ((order.entries[i] & 1) == 0) tally.open_run(row);
            tally.last_row.back() = row;
            ++tally.n_entries.back();
            split::add_row(criterion, tally.run(tally.n_runs() - 1), node.rows, row);
        }
        tally.sum_known();
    }

    [[nodiscard]] double information_of(const split::Candidate& candidate) const {
        std::vector<double> weights(candidate.n_branches, 0.0);
        std::uint32_t position = 0;
        for (std::size_t i = 0; i < tally.n_runs(); ++i) {
            weights[position < candidate.cut_position ? 0 : 1] += tally.run(i)[criteria::kWeight];
            position += tally.n_entries[i];
        }
        if (candidate.missing_branch >= 0)
            weights[static_cast<std::size_t>(candidate.missing_branch)] +=
                tally.missing[criteria::kWeight];
        else if (options.missing.divides) weights.push_back(tally.missing[criteria::kWeight]);
        return split::split_information(weights);
    }

    /// The rows of the sum judged last, from its cut outwards.
    [[nodiscard]] split::SumSides sides_of(const split::ObliqueNode& node,
                                           const split::Candidate& candidate) const {
        split::SumSides sides;
        const std::size_t n_known = order.entries.size() - order.n_missing;
        std::size_t below = candidate.cut_position;
        std::size_t above = candidate.cut_position;
        const auto put = [&](std::size_t at, bool is_right) {
            sides.table_row.push_back(node.rows.table_row[order.entries[at] >> 1]);
            sides.is_right.push_back(is_right ? 1 : 0);
        };
        while (below > 0 || above < n_known) {
            if (below > 0) put(--below, false);
            if (above < n_known) put(above++, true);
        }
        return sides;
    }

    const data::Dataset& data;
    const GrowOptions& options;
    C criterion;
    split::SearchLimits limits;
    std::vector<double> total;
    std::vector<double> sums;
    std::vector<std::uint32_t> every_row;
    data::Order order;  ///< of the sums judged last
    data::OrderScratch order_scratch;
    split::Tally tally;
    split::SearchScratch search;
};

}  // namespace

std::unique_ptr<ObliqueFinder> make_oblique_finder(const data::Dataset& data,
                                                   const GrowOptions& options) {
    std::unique_ptr<ObliqueFinder> finder;
    criteria::with_criterion(options.criterion, [&]<class C>() {
        if constexpr (C::traits.is_offered)  // no algorithm of its own asks for one
            finder = std::make_unique<AdditiveObliqueFinder<C>>(data, options);
    });
    require(finder != nullptr, "a criterion that judges sums of columns");
    return finder;
}

}  // namespace treewright::grow
