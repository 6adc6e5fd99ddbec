/// Searches along given directions: HHCART and random projections.
#pragma once

#include "treewright/split/oblique/climb.hpp"

namespace treewright::split {

/// The best of all cuts across one axis, kept as the direction of that axis.
template <criteria::Criterion C>
class Along {
public:
    Along(Pencil<C>& pencil, const ObliqueNode& node, Progress& progress, Generator& random)
        : pencil(pencil),
          node(node),
          progress(progress),
          random(random),
          ones(node.n_rows(), 1.0) {}

    /// `value` holds the rows' positions on the axis; `direction()` is called only if it is the
    /// best.
    template <class Axis>
    void consider(const std::vector<double>& value, Axis&& direction) {
        progress.check(true);
        const Step step = pencil.best(value.data(), ones.data(), random);
        if (!pencil.beats(step.purity, best.purity)) return;
        best = {direction(), step.purity, step.is_perfect};
    }
    Found best;

private:
    Pencil<C>& pencil;
    const ObliqueNode& node;
    Progress& progress;
    Generator& random;
    std::vector<double> ones;
};

/// HHCART (Wickramarachchi, Robertson, Reale, Price, Brown 2016): reflect the rows so that an
/// eigenvector becomes the first axis, and cut across every axis of the reflected space. With
/// H = I - 2 u u', u = (e1 - eigenvector) / |e1 - eigenvector|, axis j is column j of H.
template <criteria::Criterion C>
Found cut_reflected(Along<C>& along, const ObliqueNode& node, const Direction& eigenvector) {
    const std::size_t d = node.n_columns();
    const double sign = eigenvector[0] < 0.0 ? -1.0 : 1.0;  // the sign of eigenvectors is arbitrary
    std::vector<double> u(d);
    double length = 0.0;
    for (std::size_t m = 0; m < d; ++m) {
        u[m] = (m == 0 ? 1.0 : 0.0) - sign * eigenvector[m];
        length += u[m] * u[m];
    }
    // An eigenvector that is the first axis already reflects nothing.
    const double scale = length > 1e-20 ? 1.0 / std::sqrt(length) : 0.0;
    std::vector<double> shadow(node.n_rows(), 0.0);  // projection of the rows on u
    for (std::size_t m = 0; m < d; ++m) {
        u[m] *= scale;
        for (std::size_t row = 0; row < shadow.size(); ++row)
            shadow[row] += u[m] * node.column(m)[row];
    }
    std::vector<double> reflected(node.n_rows());
    for (std::size_t j = 0; j < d && !along.best.is_perfect; ++j) {
        for (std::size_t row = 0; row < reflected.size(); ++row)
            reflected[row] = node.column(j)[row] - 2.0 * u[j] * shadow[row];
        along.consider(reflected, [&] {
            Direction axis(d);
            for (std::size_t m = 0; m < d; ++m) axis[m] = (m == j ? 1.0 : 0.0) - 2.0 * u[j] * u[m];
            return axis;
        });
    }
    return along.best;
}

/// A very sparse random projection (Li, Hastie, Church 2006): each column takes part with
/// probability 1 / sqrt(columns), added or subtracted; at least two columns.
template <criteria::Criterion C>
Found cut_projected(Along<C>& along, const ObliqueNode& node, Generator& random) {
    const std::size_t d = node.n_columns();
    const double p_used = 1.0 / std::sqrt(static_cast<double>(d));
    Direction axis(d, 0.0);
    std::size_t n_used = 0;
    const auto use = [&](std::size_t m) {
        if (axis[m] != 0.0) return;
        axis[m] = random.uniform() < 0.5 ? -1.0 : 1.0;
        ++n_used;
    };
    for (std::size_t m = 0; m < d; ++m)
        if (random.uniform() < p_used) use(m);
    while (n_used < 2) use(random.below(d));
    std::vector<double> value(node.n_rows(), 0.0);
    for (std::size_t m = 0; m < d; ++m)
        for (std::size_t row = 0; axis[m] != 0.0 && row < value.size(); ++row)
            value[row] += axis[m] * node.column(m)[row];
    along.consider(value, [&] { return axis; });
    return along.best;
}

}  // namespace treewright::split
