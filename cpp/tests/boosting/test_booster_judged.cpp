#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <thread>
#include <vector>

#include "check.hpp"
#include "treewright/base/random.hpp"
#include "treewright/boosting/booster.hpp"
#include "treewright/boosting/coding/bins.hpp"

using namespace treewright;
using namespace treewright::data;
using namespace treewright::boosting;

namespace {

constexpr std::size_t kRows = 90;
constexpr double kFar = std::numeric_limits<double>::infinity();

/// Two columns of numbers and three classes.
struct Made {
    std::vector<double> columns[2];
    std::vector<double> y;
    Dataset data;

    explicit Made(std::uint64_t seed) {
        Generator draw(seed);
        data.n_rows = kRows;
        for (auto& own : columns) {
            for (std::size_t row = 0; row < kRows; ++row) own.push_back(draw.uniform());
            Column column;
            column.data = reinterpret_cast<const std::byte*>(own.data());
            column.stride = sizeof(double);
            data.columns.push_back(column);
        }
        for (std::size_t row = 0; row < kRows; ++row)
            y.push_back(std::floor(3.0 * columns[0][row] * columns[1][row]));
        data.target.values = y;
    }
};

/// A booster of its own rows that is judged by others.
struct Fold {
    Made learn;
    Made judge;
    BoostGrowth growth;
    std::unique_ptr<Booster> booster;
    CodedRows coded;

    Fold(std::uint64_t seed, double share) : learn(seed), judge(seed + 100) {
        Team team(1, unstopped);
        Codebook book = learn_codebook(learn.data, 255, team);
        booster = std::make_unique<Booster>(learn.data, book, objective_named("multinomial", 0.0),
                                            RoundSample{share, 0.0, 0}, 3,
                                            std::vector<double>(3 * kRows), team);
        coded = BoostForest(book, {}, 3).code({kRows, judge.data.columns}, 1, unstopped);
    }
    [[nodiscard]] JudgedBooster judged() {
        return {*booster, growth, coded, std::vector<double>(3 * kRows), {}, {}};
    }
};

}  // namespace

CASE(judged_rounds_are_those_of_one_booster_after_the_other) {
    const RoundsAhead first{0.3, {1, 2, 3}, {1, 2, 3}};
    const RoundsAhead second{0.3, {4, 5, 6, 7}, {2, 4}};
    std::vector<std::vector<double>> found[3];
    for (const std::size_t n_threads : {1, 2, 5}) {
        Fold a(1, 1.0);
        Fold b(2, 0.7);
        JudgedBooster judged[] = {a.judged(), b.judged()};
        JudgedBooster* const both[] = {&judged[0], &judged[1]};
        auto& own = found[n_threads / 2];
        for (const RoundsAhead& ahead : {first, second}) {
            const RoundsAhead of_each[] = {ahead, ahead};
            make_side_by_side(both, of_each, kFar, n_threads, unstopped);
            for (const JudgedBooster& each : judged) {
                CHECK(each.found.size() == ahead.looks.size());
                own.insert(own.end(), each.found.begin(), each.found.end());
            }
        }
        // The last look is what the whole model says, whose trees judged boosters do not keep.
        Fold alone(2, 0.7);
        Team team(1, unstopped);
        for (const RoundsAhead& ahead : {first, second})
            for (const std::uint64_t key : ahead.keys)
                alone.booster->round(alone.growth, ahead.learning_rate, key, team, unstopped);
        const BoostForest whole(alone.booster->codebook(), alone.booster->trees, 3);
        std::vector<double> scores(3 * kRows);
        whole.add_scores(alone.coded, 0, 3 * 7, 1, unstopped, scores);
        CHECK(scores == own.back());
        CHECK(b.booster->trees.size() == alone.booster->trees.size());
        CHECK(own.front() != own.back());
    }
    CHECK(found[0] == found[1]);
    CHECK(found[0] == found[2]);
}

CASE(boosters_that_threads_halve_are_those_of_one_thread) {
    const RoundsAhead several{0.3, {1, 2, 3, 4, 5}, {1, 2, 4, 5}};
    const RoundsAhead one{0.3, {6}, {1}};  // its first half is empty
    const RoundsAhead none;
    for (const std::size_t n_folds : {3, 5, 6}) {
        std::vector<std::vector<double>> found[4];
        for (const std::size_t n_threads : {1, 2, 3, 4}) {
            std::vector<std::unique_ptr<Fold>> folds;
            std::vector<JudgedBooster> judged;
            std::vector<JudgedBooster*> each;
            judged.reserve(n_folds);
            for (std::size_t i = 0; i < n_folds; ++i) {
                folds.push_back(std::make_unique<Fold>(i + 1, 1.0));
                judged.push_back(folds.back()->judged());
                each.push_back(&judged.back());
            }
            for (const RoundsAhead& ahead : {several, one, none}) {
                const std::vector<RoundsAhead> of_each(n_folds, ahead);
                make_side_by_side(each, of_each, kFar, n_threads, unstopped);
                for (const JudgedBooster& own : judged) {
                    CHECK(own.found.size() == ahead.looks.size());
                    found[n_threads - 1].insert(found[n_threads - 1].end(), own.found.begin(),
                                                own.found.end());
                }
            }
            for (const auto& fold : folds) CHECK(fold->booster->trees.size() == 3 * 6);
        }
        for (const auto& own : found) CHECK(own == found[0]);
    }
}

CASE(a_half_that_fails_ends_the_others) {
    for (const std::size_t n_threads : {1, 2, 4}) {
        std::vector<std::unique_ptr<Fold>> folds;
        std::vector<JudgedBooster> judged;
        std::vector<JudgedBooster*> each;
        judged.reserve(5);
        for (std::size_t i = 0; i < 5; ++i) {
            folds.push_back(std::make_unique<Fold>(i + 1, 1.0));
            judged.push_back(folds.back()->judged());
            each.push_back(&judged.back());
        }
        std::vector<RoundsAhead> of_each(5, {0.3, {1, 2, 3, 4}, {1, 2, 3, 4}});
        std::atomic<int> n_asked = 0;
        Progress stopped([&](std::uint64_t) {
            ++n_asked;
            throw Interrupted{};
        });
        const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(25);
        while (std::chrono::steady_clock::now() < until) std::this_thread::yield();
        bool was_stopped = false;
        try {
            make_side_by_side(each, of_each, kFar, n_threads, stopped);
        } catch (const Interrupted&) {
            was_stopped = true;
        }
        CHECK(was_stopped && n_asked == 1);
    }
}

CASE(judged_rounds_end_where_scores_reach_too_far) {
    Fold fold(3, 1.0);
    JudgedBooster judged = fold.judged();
    JudgedBooster* const one[] = {&judged};
    const RoundsAhead ahead[] = {{0.3, {1, 2, 3, 4}, {2, 4}}};
    make_side_by_side(one, ahead, 1e-3, 1, unstopped);
    CHECK(fold.booster->trees.size() == 3);  // the first round went beyond
    CHECK(judged.found.empty());
}
