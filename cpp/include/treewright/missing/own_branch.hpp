/// "Missing" as a value of its own (Posik, Missing data): one more category, or, for a cut, a
/// third branch.
#pragma once

#include "treewright/missing/concept.hpp"

namespace treewright::missing {

struct OwnBranch {
    static constexpr Traits traits{.name = "own_branch", .is_judged = true, .has_own_branch = true};

    template <criteria::Criterion C>
    static split::MissingPart prepare(const C&, data::Scale scale, split::Tally& tally, Fill&) {
        if (!tally.any_missing) return split::MissingPart::none;
        if (scale != data::Scale::nominal) return split::MissingPart::branch;
        // The missing rows stand behind the last run in the list, so they are its next run.
        tally.open_run(tally.first_missing_row);
        std::copy(tally.missing.begin(), tally.missing.end(), tally.run(tally.n_runs() - 1));
        if (!tally.code.empty()) tally.code.push_back(tally.missing_code);
        tally.absorb_missing();
        return split::MissingPart::none;
    }
};

}  // namespace treewright::missing
