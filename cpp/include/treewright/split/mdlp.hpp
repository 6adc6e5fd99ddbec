/// Recursive cuts of least entropy, each worth its description (Fayyad and Irani, Multi-interval
/// discretization of continuous-valued attributes for classification learning, IJCAI 1993).
#pragma once

#include "treewright/split/judge.hpp"

namespace treewright {

struct MdlpScratch {
    std::vector<double> blocks;            ///< neighbouring runs of one and the same class as one
    std::vector<std::uint32_t> first_run;  ///< of each block
    std::vector<std::pair<std::uint32_t, std::uint32_t>> open;  ///< intervals of blocks to look at
    std::vector<double> total;
    std::vector<double> left;
    std::vector<double> right;
    std::vector<double> purity;  ///< of each cut of the interval
};

/// The runs that begin a new interval, ascending. An interval of N rows is cut where the entropy
/// left is least, if
///
///     gain > (log2(N - 1) + log2(3^k - 2) - k H + k1 H1 + k2 H2) / N
///
/// with k classes and entropy H in the interval, k1, H1 and k2, H2 in its parts; of cuts that tie
/// the lowest. Only boundaries between classes are tried: the best cut is one (theorem 1 there).
/// Both parts need `min_copies` rows and `min_weight`. N counts `evidence` rows per unit of weight.
///
/// One pass over the runs makes blocks; then each cut costs a pass over the blocks of its interval:
/// O(n log n) where cuts fall inside their intervals, blocks x cuts at the very worst.
void mdlp_cuts(const Tally& tally, const SearchLimits& limits, double evidence,
               MdlpScratch& scratch, std::vector<std::uint32_t>& starts);

}  // namespace treewright
