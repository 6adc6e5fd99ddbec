#pragma once

#include <cmath>
#include <limits>

#include "treewright/criteria/concept.hpp"

namespace treewright::criteria {

/// Half Poisson deviance, mean of y log(y / mean) - y + mean (scikit-learn's "poisson"). The terms
/// in y alone cancel between parent and children; sum log(branch mean / node mean) remains.
///
/// A branch whose counts are all 0 is not allowed, as in scikit-learn: it would predict 0, where
/// the deviance of any other count is infinite.
struct Poisson : ValueSums, Additive<Poisson> {
    static constexpr Traits traits{.name = "poisson",
                                   .task = Task::numbers,
                                   .impurity = "deviance",
                                   .power_of_unit = 1.0,
                                   .is_bounded = false,
                                   .is_deviance = true};
    explicit Poisson(const data::Target& target)
        : ValueSums(target), mean(target.n_outputs, 1.0), is_counted(target.n_outputs, 0) {}

    void begin_node(const double* total) {  // the level matters: no centre but 0
        for (std::size_t output = 0; output < n_outputs; ++output)
            is_counted[output] = total[kStatistics + output] > 0.0 ? 1 : 0;
    }
    void enter(const double* total) {
        for (std::size_t output = 0; output < n_outputs; ++output)
            mean[output] = total[kStatistics + output] / total[kWeight];
    }

    [[nodiscard]] double purity(const double* sums) const {
        double total = 0.0;
        for (std::size_t output = 0; output < n_outputs; ++output) {
            const double sum = sums[kStatistics + output];
            // Counts of 0 throughout the node have nothing to lose; if it is its missing rows alone
            // that count, known rows cannot be divided.
            if (!(sum > 0.0) && (is_counted[output] != 0 || mean[output] > 0.0))
                return -std::numeric_limits<double>::infinity();
            if (!(sum > 0.0)) continue;
            total += sum * std::log(sum / sums[kWeight] / mean[output]);
        }
        return total / static_cast<double>(n_outputs);
    }
    [[nodiscard]] double impurity(const double*) const { return 0.0; }  // see grow/summary.hpp

private:
    std::vector<double> mean;
    std::vector<char> is_counted;  ///< by output: whether a row of the node is above 0
};
static_assert(Criterion<Poisson>);

}  // namespace treewright::criteria
