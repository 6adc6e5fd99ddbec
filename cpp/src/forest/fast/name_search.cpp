#include "treewright/forest/fast/name_search.hpp"

#include "treewright/criteria/entropy.hpp"
#include "treewright/criteria/gini.hpp"
#include "treewright/criteria/registry.hpp"
#include "treewright/criteria/squared_error.hpp"
#include "treewright/split/drawn.hpp"
#include "treewright/split/known.hpp"
#include "treewright/split/nominal/one_vs_rest.hpp"
#include "treewright/split/nominal/subset.hpp"

namespace treewright::forest {
namespace {

template <criteria::Criterion C>
class SearchBy final : public NameSearch {
public:
    SearchBy(const data::Target& target, const grow::GrowOptions& options, bool is_weighed)
        : options(options), criterion(target), is_weighed(is_weighed) {}

    const split::Candidate& seek(const Runs& runs, double weight, double target,
                                 std::uint64_t key) override {
        limits.min_copies = options.min_leaf;
        limits.min_weight = options.min_leaf_weight;
        fill(runs, weight, target);
        found.reset(0);
        split::Judge<C> judge(criterion, tally, split::MissingPart::sides, limits, search.total);
        const bool is_drawn = options.splitter == split::Splitter::random;
        if (is_drawn) random_subset(judge, Generator(key), search, found);
        else if (options.nominal == split::Nominal::subset) best_subset(judge, search, found);
        else best_one_vs_rest(judge, search, found);
        if (can_ask_whether_known(judge) && (!is_drawn || tally.n_runs() < 2))
            offer_whether_known(judge, true, search, found);
        return found;
    }

    void swap_found(split::Candidate& other) override { std::swap(found, other); }

private:
    static constexpr bool kIsClasses = std::is_base_of_v<criteria::ClassSums, C>;

    void fill(const Runs& runs, double weight, double target) {
        tally.clear(criterion.width());
        tally.any_missing = runs.has_missing;
        if constexpr (!kIsClasses) {
            const double total[] = {weight, weight, target};
            static_assert(criteria::kStatistics == 2);
            criterion.begin_node(total);
        }
        if (kIsClasses && criterion.width() > criteria::kStatistics + 2) {
            fill_classes(runs);
        } else {
            const std::vector<double>& copies = is_weighed ? runs.copies : runs.weight;
            double weight_before = 0.0;
            double target_before = 0.0;
            double copies_before = 0.0;
            for (std::uint32_t i = 0; i < runs.n; ++i) {
                tally.open_run(runs.code[i]);
                set(tally.run(i), runs.weight[i] - weight_before, runs.target[i] - target_before,
                    copies[i] - copies_before);
                weight_before = runs.weight[i];
                target_before = runs.target[i];
                copies_before = copies[i];
            }
            if (runs.has_missing)
                set(tally.missing.data(), runs.missing_weight, runs.missing_target,
                    is_weighed ? runs.missing_copies : runs.missing_weight);
        }
        tally.sum_known();
    }
    void set(double* sums, double weight, double target, double copies) const {
        sums[criteria::kCopies] = copies;
        sums[criteria::kWeight] = weight;
        double* statistics = sums + criteria::kStatistics;
        if constexpr (kIsClasses) {
            statistics[0] = weight - target;
            statistics[1] = target;
        } else {
            statistics[0] = target - weight * criterion.centre[0];
        }
    }

    void fill_classes(const Runs& runs) {
        const auto add = [](double* sums, const Runs::Event& event) {
            sums[criteria::kCopies] += event.copies;
            sums[criteria::kWeight] += event.weight;
            sums[criteria::kStatistics + event.class_number] += event.weight;
        };
        std::uint32_t next = 0;
        for (std::uint32_t i = 0; i < runs.n; ++i) {
            tally.open_run(runs.code[i]);
            for (; next < runs.event_end[i]; ++next) add(tally.run(i), runs.events[next]);
        }
        for (const Runs::Event& event : runs.missing_events) add(tally.missing.data(), event);
    }

    const grow::GrowOptions& options;
    C criterion;
    bool is_weighed;  ///< rows weigh differently
    split::SearchLimits limits;
    split::Tally tally;
    split::SearchScratch search;
    split::Candidate found;
};

}  // namespace

void sides_of_codes(const split::Candidate& found, const Runs& runs, std::size_t n_codes,
                    std::vector<std::uint8_t>& side) {
    side.assign(n_codes + 1, 1);
    for (std::uint32_t i = 0; i < runs.n; ++i)
        side[runs.code[i]] = static_cast<std::uint8_t>(found.branch_of_run[i]);
    if (found.missing_branch == 0) side.back() = 0;
}

double note_names(const split::Candidate& found, const Runs& runs, const data::Column& column,
                  const CodedColumn& coded, double share, PackedNames& names) {
    const auto add = [&](std::int64_t code, std::int64_t branch) {
        names.code.push_back(static_cast<std::int32_t>(code));
        names.branch.push_back(static_cast<std::int32_t>(branch));
    };
    if (found.other_branch >= 0) {
        for (std::uint32_t code = 0; code < column.n_codes; ++code) add(code, found.other_branch);
    } else {
        for (std::uint32_t run = 0; run < runs.n; ++run)
            if (!found.has_rest || found.branch_of_run[run] == 0)
                add(column.whole(coded.first_row[runs.code[run]]), found.branch_of_run[run]);
    }
    names.finish(found.has_rest, share);
    return static_cast<double>(names.size() - 1);
}

std::unique_ptr<NameSearch> make_name_search(const data::Dataset& data,
                                             const grow::GrowOptions& options, bool is_weighed) {
    const auto search_by = [&]<class C>() -> std::unique_ptr<NameSearch> {
        return std::make_unique<SearchBy<C>>(data.target, options, is_weighed);
    };
    if (!data.target.is_classification())
        return search_by.template operator()<criteria::SquaredError>();
    return criteria::traits_of(options.criterion).is_in_bits
               ? search_by.template operator()<criteria::Entropy>()
               : search_by.template operator()<criteria::Gini>();
}

}  // namespace treewright::forest
