// Rounds made in several boosters side by side, each judged by rows that it has not seen.

#include <algorithm>
#include <iterator>

#include "treewright/base/error.hpp"
#include "treewright/boosting/booster.hpp"

namespace treewright::boosting {

void JudgedBooster::make(const RoundsAhead& ahead, double most_score, Team& team,
                         Progress& progress) {
    require(ahead.looks.empty() ? ahead.keys.empty() : ahead.looks.back() == ahead.keys.size(),
            "a look after the last round");
    found.clear();
    found_bounds.clear();
    const std::size_t first = booster.trees.size();
    std::vector<std::vector<double>> bounds;
    std::size_t n_made = 0;
    for (const std::size_t look : ahead.looks) {
        for (; n_made < look && booster.reach() < most_score; ++n_made)
            booster.round(growth, ahead.learning_rate, ahead.keys[n_made], team, progress);
        const std::span<const double> own = booster.class_bounds();
        bounds.emplace_back(own.begin(), own.end());
    }
    if (!(booster.reach() < most_score)) return;
    // One model for all looks: to make it takes longer than to ask it about few rows. It takes the
    // trees: once the rows are scored nobody asks for them.
    const auto begin = booster.trees.begin() + static_cast<std::ptrdiff_t>(first);
    const BoostForest forest(
        booster.codebook(),
        {std::make_move_iterator(begin), std::make_move_iterator(booster.trees.end())},
        booster.outputs(), Origin::judged);
    std::vector<BoostPaths> paths;
    std::size_t n_added = 0;
    for (const std::size_t look : ahead.looks) {
        forest.add_scores(rows, n_added * booster.outputs(), look * booster.outputs(), team.size(),
                          progress, scores, paths);
        n_added = look;
        found.push_back(scores);
    }
    found_bounds = std::move(bounds);
}

void make_side_by_side(std::span<JudgedBooster* const> boosters, std::span<const RoundsAhead> ahead,
                       double most_score, std::size_t n_threads, Progress& progress) {
    require(boosters.size() == ahead.size(), "rounds for every booster");
    const std::size_t n_boosters = std::max<std::size_t>(boosters.size(), 1);
    const std::size_t n_inside = std::max<std::size_t>(n_threads / n_boosters, 1);
    Team team(std::min(n_threads, n_boosters), progress);
    team.for_each(boosters.size(), [&](std::size_t i, std::size_t) {
        Team own(n_inside, progress);
        boosters[i]->make(ahead[i], most_score, own, progress);
    });
}

}  // namespace treewright::boosting
