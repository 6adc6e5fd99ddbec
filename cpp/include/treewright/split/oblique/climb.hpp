/// Searches that start from a hyperplane and move it while that pays: OC1 and CART-LC.
#pragma once

#include <numeric>

#include "treewright/split/oblique/pencil.hpp"

namespace treewright::split {

/// The result of one attempt.
struct Found {
    Direction direction;
    double purity = -std::numeric_limits<double>::infinity();
    bool is_perfect = false;
};

/// A plane  sum of coefficient x column + constant = 0  and its purity; moved by steps.
template <criteria::Criterion C>
class Plane {
public:
    Plane(Pencil<C>& pencil, const ObliqueNode& node, Progress& progress, Generator& random)
        : pencil(pencil),
          node(node),
          progress(progress),
          random(random),
          ones(node.n_rows(), 1.0) {}

    /// Takes a direction, with its best constant.
    void point(Direction along) {
        direction = std::move(along);
        value.assign(node.n_rows(), 0.0);
        for (std::size_t m = 0; m < node.n_columns(); ++m)
            if (direction[m] != 0.0) add(direction[m], node.column(m));
        at = Step{};
        at = step(ones.data());
        add(at.alpha, ones.data());
    }
    /// Moves the plane along a slope if that is better; `change(alpha)` updates the coefficients.
    template <class Change>
    bool improve(const double* slope, Change&& change) {
        return take(step(slope), slope, change);
    }
    template <class Change>
    bool take(const Step& found, const double* slope, Change&& change) {
        if (!pencil.beats(found.purity, at.purity)) return false;
        move(found, slope, change);
        return true;
    }
    template <class Change>
    void move(const Step& found, const double* slope, Change&& change) {
        add(found.alpha, slope);
        change(found.alpha);
        at = found;
    }
    [[nodiscard]] Step step(const double* slope) {
        progress.check(true);
        return pencil.best(value.data(), slope, random);
    }
    [[nodiscard]] bool ties(const Step& found) const {
        return found.purity >= at.purity - pencil.slack(at.purity);
    }
    /// Makes the largest coefficient 1, recomputes the sums (steps let both drift) and finds the
    /// best constant; true if the plane is better for it.
    bool refresh() {
        double largest = 0.0;
        for (const double each : direction) largest = std::max(largest, std::abs(each));
        if (!(largest > 0.0)) return false;
        for (double& each : direction) each /= largest;
        const double before = at.purity;
        point(std::move(direction));
        return pencil.beats(at.purity, before);
    }
    [[nodiscard]] Found found() const { return {direction, at.purity, at.is_perfect}; }

    Direction direction;
    Step at;

private:
    void add(double factor, const double* column) {
        for (std::size_t i = 0; i < value.size(); ++i) value[i] += factor * column[i];
    }

    Pencil<C>& pencil;
    const ObliqueNode& node;
    Progress& progress;
    Generator& random;
    std::vector<double> ones;
    std::vector<double> value;
};

/// OC1 (Murthy, Kasif, Salzberg 1994, section 2): perturb one coefficient after the other until
/// none helps, then try random directions; the first attempt starts from the best axis-parallel
/// cut, the others from random planes.
template <criteria::Criterion C>
class Oc1 {
public:
    Oc1(Plane<C>& plane, const ObliqueNode& node, std::size_t n_jumps, Generator& random)
        : plane(plane), node(node), n_jumps(n_jumps), random(random), slope(node.n_rows()) {}

    /// Optimises a plane without adding columns it does not have.
    void polish(Direction along) {
        std::vector<std::size_t> among;
        for (std::size_t m = 0; m < along.size(); ++m)
            if (along[m] != 0.0) among.push_back(m);
        plane.point(std::move(along));
        climb(among);
    }

    void attempt(bool is_first) {
        Direction along(node.n_columns(), 0.0);
        if (is_first) along[node.start] = 1.0;
        else
            for (double& each : along) each = draw();
        plane.point(std::move(along));
        std::vector<std::size_t> all(node.n_columns());
        std::iota(all.begin(), all.end(), std::size_t{0});
        climb(all);
        for (int leap = 0; leap < kMostLeaps && !plane.at.is_perfect && jump(); ++leap) climb(all);
    }

private:
    /// Rounds over all coefficients, and jumps that helped. Each improves the plane, but where
    /// rows are close together single precision may undo it: the limit ensures termination.
    static constexpr int kMostRounds = 50;
    static constexpr int kMostLeaps = 50;

    void climb(const std::vector<std::size_t>& columns) {
        for (int round = 0; round < kMostRounds && !plane.at.is_perfect; ++round) {
            bool any = false;
            for (const std::size_t m : columns)
                if (!plane.at.is_perfect) any = perturb(m) || any;
            any = plane.refresh() || any;  // the constant is perturbed last
            if (!any) return;
        }
    }

    /// A step that is no worse is taken with a probability that falls each time, so that the plane
    /// neither stays on a plateau nor moves there indefinitely.
    bool perturb(std::size_t m) {
        const double* column = node.column(m);
        const auto change = [&](double alpha) { plane.direction[m] += alpha; };
        const Step found = plane.step(column);
        if (plane.take(found, column, change)) {
            p_move = 1.0;
            return true;
        }
        if (plane.ties(found) && random.uniform() < p_move) {
            p_move = std::max(0.0, p_move - 0.1);
            plane.move(found, column, change);
        }
        return false;
    }

    bool jump() {
        for (std::size_t i = 0; i < n_jumps; ++i) {
            Direction along(node.n_columns());
            for (double& each : along) each = draw();
            std::fill(slope.begin(), slope.end(), draw());
            for (std::size_t m = 0; m < node.n_columns(); ++m)
                for (std::size_t row = 0; row < slope.size(); ++row)
                    slope[row] += along[m] * node.column(m)[row];
            const bool better = plane.improve(slope.data(), [&](double alpha) {
                for (std::size_t m = 0; m < node.n_columns(); ++m)
                    plane.direction[m] += alpha * along[m];
            });
            if (better) return true;
        }
        return false;
    }

    [[nodiscard]] double draw() { return 2.0 * random.uniform() - 1.0; }

    Plane<C>& plane;
    const ObliqueNode& node;
    std::size_t n_jumps;
    Generator& random;
    std::vector<double> slope;
    double p_move = 1.0;
};

/// CART's linear combinations (Breiman et al. 1984, section 5.2.2): from the best axis-parallel
/// cut, each coefficient in turn is changed about three pivots, then the constant; until a round
/// improves the plane by almost nothing.
template <criteria::Criterion C>
class CartLc {
public:
    CartLc(Plane<C>& plane, const ObliqueNode& node)
        : plane(plane), node(node), slope(node.n_rows()) {}

    void attempt() {
        Direction along(node.n_columns(), 0.0);
        along[node.start] = 1.0;
        plane.point(std::move(along));
        for (int round = 0; round < kMostRounds && !plane.at.is_perfect; ++round) {
            const double before = plane.at.purity;
            bool any = false;
            for (std::size_t m = 0; m < node.n_columns(); ++m) any = perturb(m) || any;
            any = plane.refresh() || any;
            if (!any || plane.at.purity - before < kEnough * std::abs(before)) return;
        }
    }

private:
    static constexpr int kMostRounds = 50;
    static constexpr double kEnough = 1e-4;

    bool perturb(std::size_t m) {
        Step best;
        double best_pivot = 0.0;
        for (const double pivot : {-0.25, 0.0, 0.25}) {
            lean(m, pivot);
            const Step found = plane.step(slope.data());
            if (best.purity >= found.purity) continue;
            best = found;
            best_pivot = pivot;
        }
        lean(m, best_pivot);
        return plane.take(best, slope.data(), [&](double alpha) { plane.direction[m] += alpha; });
    }
    void lean(std::size_t m, double pivot) {
        for (std::size_t row = 0; row < slope.size(); ++row)
            slope[row] = node.column(m)[row] + pivot;
    }

    Plane<C>& plane;
    const ObliqueNode& node;
    std::vector<double> slope;
};

}  // namespace treewright::split
