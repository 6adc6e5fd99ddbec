// Rounds made in several boosters side by side, each judged by rows that it has not seen.

#include <algorithm>
#include <atomic>
#include <iterator>
#include <thread>
#include <vector>

#include "treewright/base/error.hpp"
#include "treewright/boosting/booster.hpp"

namespace treewright::boosting {

void JudgedBooster::make_rounds(const RoundsAhead& ahead, std::size_t first_look,
                                std::size_t last_look, double most_score, Team& team,
                                Progress& progress) {
    if (first_look == 0) {
        found.clear();
        found_bounds.clear();
        first_tree = booster.trees.size();
        n_made = 0;
    }
    for (std::size_t i = first_look; i < last_look; ++i) {
        for (; n_made < ahead.looks[i] && booster.reach() < most_score; ++n_made)
            booster.round(growth, ahead.learning_rate, ahead.keys[n_made], team, progress);
        const std::span<const double> own = booster.class_bounds();
        found_bounds.emplace_back(own.begin(), own.end());
    }
}

void JudgedBooster::judge(const RoundsAhead& ahead, double most_score, std::size_t n_threads,
                          Progress& progress) {
    if (!(booster.reach() < most_score)) return found_bounds.clear();
    // One model for all looks: to make it takes longer than to ask it about few rows. It takes the
    // trees: once the rows are scored nobody asks for them.
    const auto begin = booster.trees.begin() + static_cast<std::ptrdiff_t>(first_tree);
    const BoostForest forest(
        booster.codebook(),
        {std::make_move_iterator(begin), std::make_move_iterator(booster.trees.end())},
        booster.outputs(), Origin::judged);
    std::vector<BoostPaths> paths;
    std::size_t n_added = 0;
    for (const std::size_t look : ahead.looks) {
        forest.add_scores(rows, n_added * booster.outputs(), look * booster.outputs(), n_threads,
                          progress, scores, paths);
        n_added = look;
        found.push_back(scores);
    }
}

namespace {

/// A booster whose rounds are made in two halves, maybe by two threads.
struct Halved {
    enum class State { open, is_made, has_failed };
    std::atomic<State> first{State::open};

    /// Waits for the first half, which another thread has begun; returns whether it was made.
    [[nodiscard]] bool wait(Progress& progress, bool is_caller) const {
        while (first.load(std::memory_order_acquire) == State::open) {
            progress.check(is_caller);
            std::this_thread::yield();
        }
        return first.load(std::memory_order_acquire) == State::is_made;
    }
};

}  // namespace

void make_side_by_side(std::span<JudgedBooster* const> boosters, std::span<const RoundsAhead> ahead,
                       double most_score, std::size_t n_threads, Progress& progress) {
    require(boosters.size() == ahead.size(), "rounds for every booster");
    for (const RoundsAhead& each : ahead)
        require(each.looks.empty() ? each.keys.empty() : each.looks.back() == each.keys.size(),
                "a look after the last round");
    const std::size_t n_boosters = boosters.size();
    const std::size_t n_inside =
        std::max<std::size_t>(n_threads / std::max<std::size_t>(n_boosters, 1), 1);
    Team team(std::min(n_threads, std::max<std::size_t>(n_boosters, 1)), progress);
    // Boosters beyond a multiple of the threads are made in halves, the first of which come before
    // all else and the second last: five boosters take two threads 2.5 times as long as one, not 3.
    const std::size_t n_halved = n_boosters > team.size() ? n_boosters % team.size() : 0;
    std::vector<Halved> halved(n_halved);
    const auto make = [&](std::size_t i, std::size_t first_look, std::size_t last_look) {
        Team own(n_inside, progress);
        boosters[i]->make_rounds(ahead[i], first_look, last_look, most_score, own, progress);
        if (last_look == ahead[i].looks.size())
            boosters[i]->judge(ahead[i], most_score, own.size(), progress);
    };
    const auto half = [&](std::size_t i) {  // of the rounds, by looks
        const std::vector<std::size_t>& looks = ahead[i].looks;
        const std::size_t middle = looks.empty() ? 0 : looks.back() / 2;
        return static_cast<std::size_t>(std::ranges::upper_bound(looks, middle) - looks.begin());
    };
    team.for_each(n_boosters + n_halved, [&](std::size_t item, std::size_t thread) {
        if (item < n_halved) {
            Halved& own = halved[item];
            try {
                make(item, 0, half(item));
            } catch (...) {
                own.first.store(Halved::State::has_failed, std::memory_order_release);
                throw;
            }
            own.first.store(Halved::State::is_made, std::memory_order_release);
        } else if (item < n_boosters) {
            make(item, 0, ahead[item].looks.size());
        } else if (const std::size_t i = item - n_boosters; halved[i].wait(progress, thread == 0)) {
            make(i, half(i), ahead[i].looks.size());
        }
    });
}

}  // namespace treewright::boosting
