#include "treewright/forest/fast/kernels/run_cuts.hpp"

#include <algorithm>

#include "treewright/base/avx512.hpp"
#include "treewright/forest/fast/kernels/scan.hpp"

namespace treewright::forest {
namespace {

#ifdef TREEWRIGHT_AVX512
TREEWRIGHT_WIDE double best_of_runs_wide(const RunCuts& cuts) {
    const __m512d more_weight = _mm512_set1_pd(cuts.more_weight);
    const __m512d more_target = _mm512_set1_pd(cuts.more_target);
    const __m512d all = _mm512_set1_pd(cuts.all);
    const __m512d least = _mm512_set1_pd(cuts.least);
    const __m512d most = _mm512_set1_pd(cuts.all - cuts.least);
    const __m512d whole = _mm512_set1_pd(cuts.mean_whole);
    const __m512d rest = _mm512_set1_pd(cuts.mean_rest);
    __m512d best = _mm512_set1_pd(kNoPlainCut);
    for (std::uint32_t i = 0; i < cuts.n; i += 8) {
        const __mmask8 ours = lower(ours_of(i, cuts.n));
        const __m512d w = _mm512_maskz_loadu_pd(ours, cuts.weight + i) + more_weight;
        __mmask8 admits = _mm512_mask_cmp_pd_mask(ours, w, least, _CMP_GE_OQ);
        admits = _mm512_mask_cmp_pd_mask(admits, w, most, _CMP_LE_OQ);
        admits = _mm512_mask_cmp_pd_mask(admits, w, all, _CMP_LT_OQ);
        const __m512d s = _mm512_maskz_loadu_pd(ours, cuts.target + i) + more_target;
        const __m512d excess = (s - whole * w) - rest * w;
        best = _mm512_mask_max_pd(best, admits, best, excess * excess / (w * (all - w)));
    }
    return _mm512_reduce_max_pd(best);
}
#endif

}  // namespace

double best_of_runs_anywhere(const RunCuts& cuts) {
    double best = kNoPlainCut;
    for (std::uint32_t i = 0; i < cuts.n; ++i) {
        const double w = cuts.weight[i] + cuts.more_weight;
        if (w < cuts.least || w > cuts.all - cuts.least || !(w < cuts.all)) continue;
        const double s = cuts.target[i] + cuts.more_target;
        const double excess = (s - cuts.mean_whole * w) - cuts.mean_rest * w;
        best = std::max(best, excess * excess / (w * (cuts.all - w)));
    }
    return best;
}

double best_of_runs(const RunCuts& cuts) {
#ifdef TREEWRIGHT_AVX512
    constexpr std::uint32_t kFewest = 4;  // cuts that a register is worth
    if (cuts.n >= kFewest && has_avx512()) return best_of_runs_wide(cuts);
#endif
    return best_of_runs_anywhere(cuts);
}

}  // namespace treewright::forest
