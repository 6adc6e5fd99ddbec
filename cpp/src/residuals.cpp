#include "treewright/boost/residuals.hpp"

#include <algorithm>

namespace treewright {
namespace {

/// The least value with at least `level` of the weight up to it; midway where exactly so much is.
double weighted_quantile(std::vector<Residual>& residuals, double level) {
    std::sort(residuals.begin(), residuals.end(),
              [](const Residual& a, const Residual& b) { return a.value < b.value; });
    double all = 0.0;
    for (const Residual& one : residuals) all += one.weight;
    double below = 0.0;
    for (std::size_t i = 0; i < residuals.size(); ++i) {
        below += residuals[i].weight;
        if (below > level * all || i + 1 == residuals.size()) return residuals[i].value;
        if (below == level * all) return (residuals[i].value + residuals[i + 1].value) / 2.0;
    }
    return 0.0;
}

}  // namespace

double answer_of_residuals(LossKind kind, double parameter, std::vector<Residual>& residuals) {
    const double answer =
        weighted_quantile(residuals, kind == LossKind::quantile ? parameter : 0.5);
    if (kind != LossKind::huber) return answer;
    double sum = 0.0;  // Friedman 2001, algorithm 4
    double all = 0.0;
    for (const Residual& one : residuals) {
        sum += one.weight * std::clamp(one.value - answer, -parameter, parameter);
        all += one.weight;
    }
    return answer + sum / all;
}

}  // namespace treewright
