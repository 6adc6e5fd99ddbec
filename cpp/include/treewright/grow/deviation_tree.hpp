/// The median of weighted values that are added and removed, and the deviation from it (Fenwick,
/// Software: Practice and Experience 24, 1994).
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace treewright::grow {

/// Weighted values by rank; deviation from their median in O(log n).
class DeviationTree {
public:
    void reset(std::size_t n_ranks) {
        weights.assign(n_ranks + 1, 0.0);
        products.assign(n_ranks + 1, 0.0);
        highest_bit = 1;
        while (highest_bit * 2 <= n_ranks) highest_bit *= 2;
        total_weight = total_product = 0.0;
    }
    void add(std::size_t rank, double weight, double value) {
        total_weight += weight;
        total_product += weight * value;
        for (std::size_t i = rank + 1; i < weights.size(); i += i & (~i + 1)) {
            weights[i] += weight;
            products[i] += weight * value;
        }
    }
    /// Sum of weight x |value - median|, `values` by rank.
    [[nodiscard]] double deviation(const std::vector<double>& values) const {
        if (!(total_weight > 0.0)) return 0.0;
        // The median is the rank after those with less than half of the weight.
        const Below below = ranks_below([](double twice, double all) { return twice < all; });
        const double median = values[std::min(below.n_ranks, values.size() - 1)];
        return median * below.weight - below.product + (total_product - below.product) -
               median * (total_weight - below.weight);
    }
    /// The median, between two values where each has half of the weight on its side.
    [[nodiscard]] double median(const std::vector<double>& values) const {
        const Below low = ranks_below([](double twice, double all) { return twice < all; });
        const Below high = ranks_below([](double twice, double all) { return twice <= all; });
        const double lower = values[std::min(low.n_ranks, values.size() - 1)];
        const double upper = values[std::min(high.n_ranks, values.size() - 1)];
        return lower + (upper - lower) / 2.0;
    }

private:
    struct Below {
        std::size_t n_ranks = 0;
        double weight = 0.0;
        double product = 0.0;
    };
    /// The largest prefix of ranks of which `holds(2 x weight, total weight)`.
    template <class Holds>
    [[nodiscard]] Below ranks_below(Holds holds) const {
        Below below;
        for (std::size_t step = highest_bit; step > 0; step /= 2) {
            if (below.n_ranks + step >= weights.size()) continue;
            const std::size_t next = below.n_ranks + step;
            if (!holds(2.0 * (below.weight + weights[next]), total_weight)) continue;
            below.n_ranks = next;
            below.weight += weights[next];
            below.product += products[next];
        }
        return below;
    }

    std::vector<double> weights;
    std::vector<double> products;
    std::size_t highest_bit = 1;
    double total_weight = 0.0;
    double total_product = 0.0;
};

}  // namespace treewright::grow
