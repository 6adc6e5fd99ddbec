/// Regularised incomplete gamma and beta functions by series and continued fraction
/// (Press et al., Numerical Recipes, 3rd ed., sections 6.2 and 6.4; modified Lentz method).
#include "treewright/base/distributions.hpp"

#include <math.h>

#include <cmath>
#include <initializer_list>
#include <limits>

namespace treewright {

double log_gamma(double x) {
    int sign = 0;
    return ::lgamma_r(x, &sign);  // std::lgamma writes a global
}

namespace {

constexpr double kTiny = 1e-300;
constexpr double kPrecision = 1e-16;
constexpr int kMostTerms = 10'000;

/// P(a, x) by its power series; converges fast for x < a + 1.
double gamma_series(double a, double x) {
    double term = 1.0 / a;
    double sum = term;
    for (int n = 1; n < kMostTerms; ++n) {
        term *= x / (a + n);
        sum += term;
        if (std::abs(term) < std::abs(sum) * kPrecision) break;
    }
    return sum * std::exp(-x + a * std::log(x) - log_gamma(a));
}

/// log Q(a, x) by its continued fraction; converges fast for x >= a + 1.
double log_gamma_fraction(double a, double x) {
    double b = x + 1.0 - a;
    double c = 1.0 / kTiny;
    double d = 1.0 / b;
    double h = d;
    for (int i = 1; i < kMostTerms; ++i) {
        const double an = -i * (i - a);
        b += 2.0;
        d = an * d + b;
        if (std::abs(d) < kTiny) d = kTiny;
        c = b + an / c;
        if (std::abs(c) < kTiny) c = kTiny;
        d = 1.0 / d;
        const double step = d * c;
        h *= step;
        if (std::abs(step - 1.0) < kPrecision) break;
    }
    return -x + a * std::log(x) - log_gamma(a) + std::log(h);
}

double beta_fraction(double a, double b, double x) {
    double c = 1.0;
    double d = 1.0 - (a + b) * x / (a + 1.0);
    if (std::abs(d) < kTiny) d = kTiny;
    d = 1.0 / d;
    double h = d;
    for (int m = 1; m < kMostTerms; ++m) {
        const double even = m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m));
        const double odd = -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0));
        double step = 1.0;
        for (const double part : {even, odd}) {
            d = 1.0 + part * d;
            if (std::abs(d) < kTiny) d = kTiny;
            c = 1.0 + part / c;
            if (std::abs(c) < kTiny) c = kTiny;
            d = 1.0 / d;
            step = d * c;
            h *= step;
        }
        if (std::abs(step - 1.0) < kPrecision) break;
    }
    return h;
}

/// log I_x(a, b), the regularised incomplete beta function, given x and y = 1 - x.
double log_incomplete_beta(double a, double b, double x, double y) {
    if (x <= 0.0) return -std::numeric_limits<double>::infinity();
    if (y <= 0.0) return 0.0;
    const double front =
        log_gamma(a + b) - log_gamma(a) - log_gamma(b) + a * std::log(x) + b * std::log(y);
    if (x < (a + 1.0) / (a + b + 2.0)) return front + std::log(beta_fraction(a, b, x) / a);
    return std::log1p(-std::exp(front) * beta_fraction(b, a, y) / b);
}

}  // namespace

double log_chi_square_tail(double statistic, double df) {
    if (!(statistic > 0.0) || df <= 0.0) return 0.0;
    if (std::isinf(statistic)) return -std::numeric_limits<double>::infinity();
    const double a = df / 2.0;
    const double x = statistic / 2.0;
    return x < a + 1.0 ? std::log1p(-gamma_series(a, x)) : log_gamma_fraction(a, x);
}

double chi_square_tail(double statistic, double df) {
    return std::exp(log_chi_square_tail(statistic, df));
}

double log_f_tail(double statistic, double df1, double df2) {
    if (!(statistic > 0.0) || df1 <= 0.0 || df2 <= 0.0) return 0.0;
    if (std::isinf(statistic)) return -std::numeric_limits<double>::infinity();
    const double all = df2 + df1 * statistic;
    return log_incomplete_beta(df2 / 2.0, df1 / 2.0, df2 / all, df1 * statistic / all);
}

double f_tail(double statistic, double df1, double df2) {
    return std::exp(log_f_tail(statistic, df1, df2));
}

}  // namespace treewright
