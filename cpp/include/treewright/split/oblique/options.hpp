/// How a node searches for a linear combination of columns to split by.
#pragma once

#include <cstdint>
#include <vector>

namespace treewright::split {

enum class ObliqueSearch : std::uint8_t {
    none,
    oc1,                ///< Murthy, Kasif, Salzberg 1994
    hhcart,             ///< HHCART(A), Wickramarachchi et al. 2016
    hhcart_dominant,    ///< HHCART(D): the dominant eigenvector of each class alone
    cart_lc,            ///< Breiman et al. 1984, section 5.2.2
    random_projections  ///< Li, Hastie, Church 2006
};

struct ObliqueOptions {
    ObliqueSearch search = ObliqueSearch::none;
    std::vector<std::uint32_t> columns;  ///< columns of numbers, ascending: no others enter a sum
    std::size_t n_restarts = 10;         ///< oc1: planes to start from
    std::size_t n_jumps = 5;             ///< oc1: consecutive random jumps that may fail
    std::size_t n_projections = 0;  ///< random_projections: per node; 0 = 2 x columns, 20 at least

    bool operator==(const ObliqueOptions&) const = default;
    [[nodiscard]] bool is_on() const { return search != ObliqueSearch::none; }
};

}  // namespace treewright::split
