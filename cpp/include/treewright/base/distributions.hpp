/// Tail probabilities of the chi-square and F distributions, for limits on a split's p-value.
#pragma once

namespace treewright {

/// P(X >= statistic) for X ~ chi-square(df).
[[nodiscard]] double chi_square_tail(double statistic, double df);

/// P(X >= statistic) for X ~ F(df1, df2).
[[nodiscard]] double f_tail(double statistic, double df1, double df2);

}  // namespace treewright
