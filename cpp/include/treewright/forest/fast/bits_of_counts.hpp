/// Entropy of rows that count alike, in growing by best cuts in lists: the purities of
/// criteria/entropy.hpp, to the last bit, from a table of x log2 x for every number of rows.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "treewright/criteria/entropy.hpp"

namespace treewright::forest {

class BitsOfCounts {
public:
    /// Larger numbers than the table's are computed: rows may be drawn more often.
    explicit BitsOfCounts(std::size_t n_rows) : table(n_rows + 1) {
        for (std::size_t n = 0; n < table.size(); ++n)
            table[n] = criteria::Entropy::computed(static_cast<double>(n));
    }
    [[nodiscard]] double x_log_x(std::uint32_t n) const {
        return n < table.size() ? table[n] : criteria::Entropy::computed(n);
    }
    /// Of so many rows, some of them of the second of two classes.
    [[nodiscard]] double purity(std::uint32_t n, std::uint32_t n_positive) const {
        return x_log_x(n - n_positive) + x_log_x(n_positive) - x_log_x(n);
    }
    /// Of rows of more classes, from their counts.
    template <class Counts>
    [[nodiscard]] double purity_of_classes(std::uint32_t n, const Counts& counts,
                                           std::size_t n_classes) const {
        double sum = 0.0;
        for (std::size_t k = 0; k < n_classes; ++k)
            sum += x_log_x(static_cast<std::uint32_t>(counts[k]));
        return sum - x_log_x(n);
    }
    /// Size of what the gains of a node of this purity are differences of, per row.
    [[nodiscard]] double tie_scale(double purity, std::uint32_t n) const {
        return (std::abs(purity) + 0.5 * (std::abs(x_log_x(n)) + n)) / n;
    }

private:
    std::vector<double> table;
};

}  // namespace treewright::forest
