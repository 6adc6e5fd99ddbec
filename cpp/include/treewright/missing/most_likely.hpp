/// Missing values replaced by the most likely value in the node (Penn, Missing Values): the most
/// frequent category, or the weighted lower median of a numeric column. Ties: the lower code.
#pragma once

#include "treewright/missing/concept.hpp"

namespace treewright::missing {

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

struct MostLikely {
    static constexpr Traits traits{.name = "most_likely", .is_judged = true, .fills = true};

    template <criteria::Criterion C>
    static split::MissingPart prepare(const C&, data::Scale scale, split::Tally& tally,
                                      Fill& fill) {
        if (tally.n_runs() == 0) return split::MissingPart::absent;
        fill.is_set = true;
        fill.run = most_likely_run(scale, tally, criteria::kWeight, 0);
        if (tally.any_missing) {
            split::add_to(tally.run(fill.run), tally.missing.data(), tally.width);
            tally.absorb_missing();
        }
        return split::MissingPart::none;
    }
};

}  // namespace treewright::missing
