#pragma once

#include "treewright/criteria/concept.hpp"

namespace treewright::criteria {

/// Shannon entropy in bits, -sum_k p_k log2 p_k with 0 log 0 = 0 (Quinlan 1986, ID3).
/// Gain ratio and the textbook's impurity ratio build on it; they are `selection`, not criteria.
struct Entropy : ClassSums, Additive<Entropy> {
    static constexpr Traits traits{.name = "entropy",
                                   .impurity = "entropy",
                                   .is_in_bits = true,
                                   .grows_on_rows = true,
                                   .judges_stumps = true};

    explicit Entropy(const data::Target& target) : ClassSums(target) {
        const std::size_t n_rows = target.classes.size() / target.n_outputs;
        table.resize(std::min(n_rows + 1, kMostTabulated));
        for (std::size_t n = 0; n < table.size(); ++n) table[n] = computed(static_cast<double>(n));
    }

    static double computed(double x) { return x > 0.0 ? x * std::log2(x) : 0.0; }
    /// The same, x log2 x, from a table for the small whole numbers that unweighted counts are.
    [[nodiscard]] double x_log_x(double x) const {
        if (x < static_cast<double>(table.size())) {
            const auto whole = static_cast<std::size_t>(x);
            if (static_cast<double>(whole) == x) return table[whole];
        }
        return computed(x);
    }
    [[nodiscard]] double purity(const double* sums) const {
        return over_outputs(sums, [&](const double* begin, const double* end) {
            double sum = 0.0;
            for (const double* count = begin; count != end; ++count) sum += x_log_x(*count);
            return sum - x_log_x(sums[kWeight]);
        });
    }
    [[nodiscard]] double magnitude(const double* sums) const {
        return std::abs(x_log_x(sums[kWeight])) + sums[kWeight];
    }
    [[nodiscard]] double impurity(const double* sums) const {
        return sums[kWeight] <= 0.0 ? 0.0 : std::max(0.0, -purity(sums) / sums[kWeight]);
    }

private:
    static constexpr std::size_t kMostTabulated = 1U << 14;  // 128 KiB: stays in L2
    std::vector<double> table;
};
static_assert(Criterion<Entropy>);

}  // namespace treewright::criteria
