/// Recursive cuts of least entropy, each worth its description length (Fayyad and Irani,
/// Multi-interval discretization of continuous-valued attributes for classification learning, IJCAI
/// 1993).
#pragma once

#include "treewright/split/judge.hpp"

namespace treewright::split {

struct MdlpScratch {
    std::vector<double> before;            ///< sums of all blocks before each block, and of all
    std::vector<std::uint32_t> first_run;  ///< of each block
    std::vector<std::pair<std::uint32_t, std::uint32_t>> open;  ///< intervals of blocks to look at
    std::vector<double> left;
    std::vector<double> right;
    std::vector<double> all;
    std::vector<std::size_t> present;  ///< places of the interval's classes in the sums
    std::vector<std::pair<std::uint32_t, double>> looked_at;         ///< cuts and their purities
    std::vector<std::pair<std::uint32_t, std::uint32_t>> stretches;  ///< of cuts, to look into
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
/// One pass over the runs joins neighbours of the same class into blocks; each cut then
/// examines the b blocks of its interval. Where cuts fall inside their intervals that is
/// O(n log n) in all. Where they fall at the ends (alternating classes) every cut would examine
/// all remaining blocks; with up to four classes it examines only those where, by a bound, a better
/// cut may be, about sqrt(b) of them.
void mdlp_cuts(const Tally& tally, const SearchLimits& limits, double evidence, Progress& progress,
               MdlpScratch& scratch, std::vector<std::uint32_t>& starts);

}  // namespace treewright::split
