/// Missing values replaced by the most likely value among the rows of the same class in the node.
#pragma once

#include "treewright/missing/most_likely.hpp"

namespace treewright::missing {

/// Each class's missing weight joins the run most likely in that class. At prediction the class
/// is unknown: the node's most likely value stands in.
struct MostLikelyInClass {
    static constexpr Traits traits{
        .name = "most_likely_in_class", .is_judged = true, .fills = true, .fills_by_class = true};

    template <criteria::Criterion C>
    static split::MissingPart prepare(const C& criterion, data::Scale scale, split::Tally& tally,
                                      Fill& fill) {
        if (tally.n_runs() == 0) return split::MissingPart::absent;
        fill.is_set = true;
        fill.run = most_likely_run(scale, tally, criteria::kWeight, 0);
        for (std::size_t k = criteria::kStatistics; k < criterion.width(); ++k)
            fill.run_of_class.push_back(most_likely_run(scale, tally, k, fill.run));
        if (tally.any_missing) {
            for (std::size_t k = criteria::kStatistics; k < criterion.width(); ++k) {
                double* run = tally.run(fill.run_of_class[k - criteria::kStatistics]);
                run[k] += tally.missing[k];
                run[criteria::kWeight] += tally.missing[k];
                run[criteria::kCopies] += tally.missing_copies[k - criteria::kStatistics];
            }
            tally.absorb_missing();
        }
        return split::MissingPart::none;
    }
};

}  // namespace treewright::missing
