#pragma once

#include "treewright/criteria/concept.hpp"

namespace treewright::criteria {

/// n log2 n of the whole less that of its parts, in single precision and in the order of C4.5
/// release 8 (info.c): its sums are floats, to which terms in double precision are added.
/// Only the information before a nominal column is asked has a sum of doubles (discr.c), so that a
/// cut with the same partition of rows gains a little more or less.
template <class Sum = float>
Sum single_information(const double* begin, const double* end) {
    const auto x_log_x = [](float n) {
        return n <= 0.0F
                   ? 0.0
                   : static_cast<double>(n) * (std::log(static_cast<double>(n)) / std::log(2.0));
    };
    Sum parts = 0.0F;
    float all = 0.0F;
    for (const double* count = begin; count != end; ++count) {
        const auto n = static_cast<float>(*count);
        parts = static_cast<Sum>(static_cast<double>(parts) + x_log_x(n));
        all += n;
    }
    return static_cast<Sum>(x_log_x(all) - static_cast<double>(parts));
}

/// Shannon entropy as C4.5 release 8 computes it. With thousands of rows its gains are off by a
/// millionth, which decides between cuts that are nearly as good; reproducing the trees of that
/// program needs the same errors.
struct SingleEntropy : ClassSums, Additive<SingleEntropy> {
    static constexpr Traits traits{
        .name = "single_entropy", .impurity = "entropy", .is_in_bits = true, .is_offered = false};
    using ClassSums::ClassSums;

    void enter(const double* sums) {
        known = static_cast<float>(sums[kWeight]);
        base = information(sums) / known;
        base_of_values = static_cast<float>(
            single_information<double>(sums + start[0], sums + start[1]) / known);
    }
    [[nodiscard]] double purity(const double* sums) const {
        return -static_cast<double>(information(sums) / known);
    }
    /// Purity of both sides of a cut: less that of all rows it is the gain, rounded where the
    /// program rounds.
    [[nodiscard]] double pair(const double* left, const double* right) const {
        const float below = information(left) + information(right);
        return static_cast<double>(base - below / known) - static_cast<double>(base);
    }
    /// The same for a split with a branch for each value.
    template <class SumsOf>
    [[nodiscard]] double together(std::size_t n_branches, SumsOf&& sums_of) const {
        float below = 0.0F;
        for (std::size_t branch = 0; branch < n_branches; ++branch)
            below += information(sums_of(branch));
        return static_cast<double>(base_of_values - below / known) - static_cast<double>(base);
    }
    [[nodiscard]] double scale(const double*) const { return 1.0; }
    [[nodiscard]] double impurity(const double* sums) const {
        return sums[kWeight] <= 0.0
                   ? 0.0
                   : std::max(0.0, static_cast<double>(information(sums)) / sums[kWeight]);
    }

private:
    [[nodiscard]] float information(const double* sums) const {
        return single_information(sums + start[0], sums + start[1]);
    }
    float known = 1.0F;
    float base = 0.0F;
    float base_of_values = 0.0F;
};
static_assert(Criterion<SingleEntropy>);

}  // namespace treewright::criteria
