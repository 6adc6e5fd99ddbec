/// Missing values replaced by the most likely value in the node (Penn, Missing Values): the most
/// frequent category, or the weighted lower median of a numeric column; over all rows of the node,
/// or over those of the row's own class. Ties: the lower code.
#pragma once

#include "treewright/split/judge.hpp"

namespace treewright::missing {

/// The runs whose values replace missing ones.
struct Fill {
    bool is_set = false;
    std::size_t run = 0;                    ///< at prediction, and in training unless per class
    std::vector<std::size_t> run_of_class;  ///< most_likely_in_class only
};

/// The most likely run by the sums at `statistic`; `fallback` if none of the runs has any.
inline std::size_t most_likely_run(data::Scale scale, const split::Tally& tally,
                                   std::size_t statistic, std::size_t fallback) {
    const double all = tally.known[statistic];
    if (!(all > 0.0)) return fallback;
    if (scale == data::Scale::nominal) {
        std::size_t best = 0;
        for (std::size_t i = 1; i < tally.n_runs(); ++i)
            if (tally.run(i)[statistic] > tally.run(best)[statistic]) best = i;
        return best;
    }
    double below = 0.0;
    for (std::size_t i = 0; i < tally.n_runs(); ++i) {
        below += tally.run(i)[statistic];
        if (2.0 * below >= all) return i;
    }
    return tally.n_runs() - 1;
}

inline split::MissingPart fill_most_likely(data::Scale scale, split::Tally& tally, Fill& fill) {
    if (tally.n_runs() == 0) return split::MissingPart::absent;
    fill.is_set = true;
    fill.run = most_likely_run(scale, tally, criteria::kWeight, 0);
    if (tally.any_missing) {
        split::add_to(tally.run(fill.run), tally.missing.data(), tally.width);
        tally.absorb_missing();
    }
    return split::MissingPart::none;
}

/// Each class's missing weight joins the run most likely in that class. At prediction the class
/// is unknown: the node's most likely value is used.
template <criteria::Criterion C>
split::MissingPart fill_most_likely_in_class(const C& criterion, data::Scale scale,
                                             split::Tally& tally, Fill& fill) {
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

}  // namespace treewright::missing
