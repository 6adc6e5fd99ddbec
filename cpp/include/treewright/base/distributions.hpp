/// Tail probabilities of the chi-square and F distributions, for limits on a split's p-value.
/// Logarithms distinguish values that would underflow, and values close to 1.
#pragma once

namespace treewright {

/// log Gamma(x) for x > 0, safe to call from several threads.
[[nodiscard]] double log_gamma(double x);

/// P(X >= statistic) for X ~ chi-square(df), and its logarithm.
[[nodiscard]] double chi_square_tail(double statistic, double df);
[[nodiscard]] double log_chi_square_tail(double statistic, double df);

/// P(X >= statistic) for X ~ F(df1, df2), and its logarithm.
[[nodiscard]] double f_tail(double statistic, double df1, double df2);
[[nodiscard]] double log_f_tail(double statistic, double df1, double df2);

}  // namespace treewright
