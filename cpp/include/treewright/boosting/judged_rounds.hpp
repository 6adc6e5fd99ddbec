/// Rounds made in several boosters side by side, each judged by rows that it has not seen.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "treewright/base/parallel.hpp"
#include "treewright/boosting/booster.hpp"
#include "treewright/boosting/ensemble.hpp"

namespace treewright::boosting {

/// Several rounds to make, and after which of them the held-out rows are looked at.
struct RoundsAhead {
    double learning_rate = 1.0;
    std::vector<std::uint64_t> keys;  ///< of each round
    std::vector<std::size_t> looks;   ///< rounds made by then, ascending; the last is all of them
};

/// A booster and its held-out rows.
struct JudgedBooster {
    Booster& booster;
    const BoostGrowth& growth;
    const CodedRows& rows;       ///< coded by the codebook of the booster
    std::vector<double> scores;  ///< of these rows so far, rows x outputs

    /// What was found at each look of the last rounds made: the scores, and the bounds of ordered
    /// classes where there are any.
    std::vector<std::vector<double>> found;
    std::vector<std::vector<double>> found_bounds;

    /// Makes rounds. They end early where scores reach beyond `most_score`; looks are missing then.
    void make(const RoundsAhead& ahead, double most_score, Team& team, Progress& progress);
};

/// Makes the rounds of each booster on a thread of its own, as far as there are threads; where
/// there are more, boosters share them. What is found does not depend on their number.
void make_side_by_side(std::span<JudgedBooster* const> boosters, std::span<const RoundsAhead> ahead,
                       double most_score, std::size_t n_threads, Progress& progress);

}  // namespace treewright::boosting
