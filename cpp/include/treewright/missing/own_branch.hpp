/// "Missing" as a value of its own (Posik, Missing data): one more category, or, for a cut, a
/// third branch.
#pragma once

#include "treewright/split/judge.hpp"

namespace treewright::missing {

inline split::MissingPart own_branch(data::Scale scale, split::Tally& tally) {
    if (!tally.any_missing) return split::MissingPart::none;
    if (scale != data::Scale::nominal) return split::MissingPart::branch;
    // The missing rows come after the last run in the list, so they are its next run.
    tally.open_run(tally.first_missing_row);
    std::copy(tally.missing.begin(), tally.missing.end(), tally.run(tally.n_runs() - 1));
    if (!tally.code.empty()) tally.code.push_back(tally.missing_code);
    tally.absorb_missing();
    return split::MissingPart::none;
}

}  // namespace treewright::missing
