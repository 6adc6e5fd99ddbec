/// Tests whether groups of rows differ in the target; p-values are logarithms.
#pragma once

#include <cmath>
#include <cstddef>
#include <span>

#include "treewright/criteria/concept.hpp"
#include "treewright/split/ties.hpp"

namespace treewright::split {

/// Logarithms this close to one another differ by rounding: they are ties.
[[nodiscard]] inline double p_slack(double log_p) {
    return std::isinf(log_p) ? 0.0 : kLogPTie * std::abs(log_p) + kLogPTieNearOne;
}

/// Virtual calls are per comparison of groups, never per row.
class GroupTest {
public:
    virtual ~GroupTest() = default;

    /// `groups` point at the sums of each; where there is nothing to compare, p is 1.
    [[nodiscard]] virtual double log_p(std::span<const double* const> groups) const = 0;
    /// Numbers that are similar for similar groups: sorting by them brings such groups together.
    [[nodiscard]] virtual std::size_t n_levels() const = 0;
    virtual void levels(const double* sums, double* into) const = 0;
};

/// Chi-square test of the table group x class: Pearson's statistic sum (o - e)^2 / e, or the
/// likelihood ratio 2 sum o log(o / e). Groups and classes without weight do not count.
class ClassTest final : public GroupTest {
public:
    /// The classes' weights are sums[begin .. end); `evidence` rows stand behind a unit of weight.
    ClassTest(std::size_t begin, std::size_t end, double evidence, bool likelihood_ratio)
        : begin(begin), end(end), evidence(evidence), likelihood_ratio(likelihood_ratio) {}

    [[nodiscard]] double log_p(std::span<const double* const> groups) const override;
    [[nodiscard]] std::size_t n_levels() const override { return end - begin; }
    void levels(const double* sums, double* into) const override;

private:
    std::size_t begin;
    std::size_t end;
    double evidence;
    bool likelihood_ratio;
};

/// One-way analysis of variance: F = (between / (r - 1)) / (within / (n - r)). The sums are those
/// of SquareSums (first output).
class ValueTest final : public GroupTest {
public:
    [[nodiscard]] double log_p(std::span<const double* const> groups) const override;
    [[nodiscard]] std::size_t n_levels() const override { return 1; }
    void levels(const double* sums, double* into) const override;
};

/// log p of an F-test from its sums of squares. With no spread within groups that differ, p is 0.
[[nodiscard]] double log_p_of_squares(double between, double within, double df1, double df2);

}  // namespace treewright::split
