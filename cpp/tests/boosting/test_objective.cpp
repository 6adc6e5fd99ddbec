#include <cmath>
#include <limits>
#include <vector>

#include "check.hpp"
#include "treewright/base/progress.hpp"
#include "treewright/base/random.hpp"
#include "treewright/boosting/objective.hpp"

using namespace treewright;
using namespace treewright::boosting;

namespace {

constexpr double kFar = std::numeric_limits<double>::infinity();

double share_below(double bound, double score) {
    return 1.0 / (1.0 + std::exp(score - bound));
}

double loss_of(const std::vector<double>& bounds, double score, double y) {
    const auto own = static_cast<std::size_t>(y);
    return -std::log(share_below(bounds[own + 1], score) - share_below(bounds[own], score));
}

struct Rows {
    std::vector<double> y;
    std::vector<double> scores;
    std::vector<double> weight;

    Rows() {
        Generator draw(3);
        for (std::size_t row = 0; row < 3000; ++row) {
            scores.push_back(4.0 * draw.uniform() - 2.0);
            const double at = scores[row] + 3.0 * draw.uniform() - 1.5;
            y.push_back(at < -1.0 ? 0.0 : (at < -0.8 ? 1.0 : (at < 1.5 ? 2.0 : 3.0)));
            weight.push_back(static_cast<double>(draw.below(4)));
        }
    }
    [[nodiscard]] double loss(const std::vector<double>& bounds) const {
        double sum = 0.0;
        for (std::size_t row = 0; row < y.size(); ++row)
            sum += weight[row] * loss_of(bounds, scores[row], y[row]);
        return sum;
    }
};

}  // namespace

CASE(derivatives_of_ordered_classes_are_those_of_their_loss) {
    const std::vector<double> bounds{-kFar, -1.0, 0.3, 2.5, kFar};
    const Ordinal loss{4.0, bounds};
    constexpr double kStep = 1e-5;
    for (double y = 0.0; y < 4.0; y += 1.0)
        for (double score = -3.0; score < 4.0; score += 0.7) {
            const Derivatives own = loss.derivatives(score, y);
            const double before = loss_of(bounds, score - kStep, y);
            const double after = loss_of(bounds, score + kStep, y);
            const double less = loss.derivatives(score - kStep, y).gradient;
            const double more = loss.derivatives(score + kStep, y).gradient;
            CHECK(std::abs(own.gradient - (after - before) / (2.0 * kStep)) < 1e-8);
            CHECK(std::abs(own.hessian - (more - less) / (2.0 * kStep)) < 1e-8);
            CHECK(std::abs(own.gradient) <= loss.range().gradient);
            CHECK(own.hessian <= loss.range().hessian);
        }
}

CASE(thresholds_move_to_where_the_loss_is_least_and_never_up) {
    const Rows rows;
    Progress progress(nullptr);
    for (const std::size_t n_threads : {1U, 3U}) {
        Team team(n_threads, progress);
        std::vector<double> bounds{-kFar, -6.0, 4.0, 5.0, kFar};
        double before = rows.loss(bounds);
        for (std::size_t step = 0; step < 40; ++step) {
            move_thresholds(bounds, {rows.y, rows.scores, rows.weight}, false, team);
            const double now = rows.loss(bounds);
            CHECK(now <= before + 1e-9 * before);
            before = now;
        }
        for (std::size_t i = 1; i < 4; ++i)
            for (const double off : {-1e-4, 1e-4}) {
                std::vector<double> moved = bounds;
                moved[i] += off;
                CHECK(rows.loss(moved) >= before);
            }
    }
}

CASE(thresholds_that_keep_their_mean_do_the_best_they_can) {
    const Rows rows;
    Progress progress(nullptr);
    Team team(1, progress);
    std::vector<double> bounds{-kFar, -1.0, 0.0, 1.0, kFar};
    for (std::size_t step = 0; step < 40; ++step)
        move_thresholds(bounds, {rows.y, rows.scores, rows.weight}, true, team);
    CHECK(std::abs(bounds[1] + bounds[2] + bounds[3]) < 1e-9);
    const double least = rows.loss(bounds);
    for (std::size_t i = 1; i < 4; ++i)
        for (const double off : {-1e-3, 1e-3}) {
            std::vector<double> moved = bounds;
            moved[i] += off;
            moved[i == 3 ? 1 : i + 1] -= off;
            CHECK(rows.loss(moved) >= least);
        }
    // Two classes have one threshold, which is its mean.
    std::vector<double> two{-kFar, 0.5, kFar};
    std::vector<double> y(rows.y);
    for (double& own : y) own = own > 1.0 ? 1.0 : 0.0;
    CHECK(move_thresholds(two, {y, rows.scores, rows.weight}, true, team) < 1e-9);
    CHECK(two[1] == 0.5);
}

CASE(thresholds_of_a_class_without_rows_stay_apart) {
    Rows rows;
    for (double& own : rows.y) own = own == 1.0 ? 2.0 : own;
    Progress progress(nullptr);
    Team team(1, progress);
    std::vector<double> bounds{-kFar, -1.0, 0.0, 1.0, kFar};
    for (std::size_t step = 0; step < 200; ++step)
        move_thresholds(bounds, {rows.y, rows.scores, rows.weight}, false, team);
    CHECK(bounds[1] < bounds[2]);
    CHECK(bounds[2] - bounds[1] < 1e-6);
    CHECK(std::isfinite(rows.loss(bounds)));
}
