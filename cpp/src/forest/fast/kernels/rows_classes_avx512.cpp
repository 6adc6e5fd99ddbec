/// RowLoops::judge_classes for wide registers: the classes of up to eight columns at a time.
#include <algorithm>

#include "treewright/base/avx512.hpp"
#include "treewright/forest/fast/kernels/rows.hpp"

#ifdef TREEWRIGHT_AVX512

namespace treewright::forest {
namespace {

/// Adds the words of the marked rows to the sums of their class: of as many tables, `size` apart,
/// in turn.
template <std::size_t kWidth, std::uint32_t kTables, class T>
TREEWRIGHT_WIDE_INLINE void add_marked(const std::uint32_t* class_of_row, const Lanes<T>& lanes,
                                       std::uint32_t* left, std::size_t size) {
    // Local copies, which no store can alias.
    const std::uint32_t* rows = lanes.rows;
    const std::uint32_t* words = lanes.words;
    const std::uint8_t* marks = lanes.marks;
    const std::uint32_t n = lanes.n;
    for (std::uint32_t i = 0; i < n; ++i) {
        const unsigned marked = kWidth == kLanes ? marks[i] : marks[i / 2] >> (i % 2 * 4) & 15U;
        auto* own =
            reinterpret_cast<__m256i*>(left + i % kTables * size + class_of_row[rows[i]] * kLanes);
        const __m256i sum = _mm256_loadu_si256(own);
        const __m256i word = _mm256_set1_epi32(static_cast<int>(words[i]));
        _mm256_storeu_si256(own,
                            _mm256_mask_add_epi32(sum, static_cast<__mmask8>(marked), sum, word));
    }
}

template <std::uint32_t kTables, class T>
TREEWRIGHT_WIDE_INLINE void add_up(const NodeClasses& classes, const Lanes<T>& lanes,
                                   std::uint32_t* left) {
    const std::size_t size = classes.sums.size() * kLanes;
    std::fill_n(left, kTables * size, 0U);
    static_assert(kFewLanes == 4);
    if (lanes.width == kLanes) add_marked<kLanes, kTables>(classes.of_row, lanes, left, size);
    else add_marked<kFewLanes, kTables>(classes.of_row, lanes, left, size);
    for (std::size_t i = size; i < kTables * size; ++i) left[i % size] += left[i];
}

/// decrease_by_classes of all lanes.
template <class T>
TREEWRIGHT_WIDE_INLINE void judge_sums(const NodeClasses& classes, const std::uint32_t* left,
                                       Lanes<T>& lanes) {
    __m256i words = _mm256_setzero_si256();
    __m512d of_left = _mm512_setzero_pd();
    __m512d of_right = of_left;
    for (std::size_t k = 0; k < classes.sums.size(); ++k) {
        const __m256i own = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(left + k * kLanes));
        words = _mm256_add_epi32(words, own);
        const __m512d here = _mm512_cvtepu32_pd(own);
        const __m512d there = _mm512_sub_pd(_mm512_set1_pd(classes.sums[k]), here);
        of_left = _mm512_add_pd(of_left, _mm512_mul_pd(here, here));
        of_right = _mm512_add_pd(of_right, _mm512_mul_pd(there, there));
    }
    const __m512d weight = _mm512_cvtepu32_pd(words);
    const __m512d whole = _mm512_set1_pd(lanes.judgement.weight);
    const __m512d rest = _mm512_sub_pd(whole, weight);
    const __m512d least = _mm512_set1_pd(lanes.judgement.least);
    const auto is_cut = static_cast<__mmask8>(_mm512_cmp_pd_mask(weight, least, _CMP_GE_OQ) &
                                              _mm512_cmp_pd_mask(rest, least, _CMP_GE_OQ));
    const __m512d score =
        _mm512_add_pd(_mm512_div_pd(of_left, weight), _mm512_div_pd(of_right, rest));
    const __m512d decrease =
        _mm512_sub_pd(_mm512_div_pd(score, whole), _mm512_set1_pd(lanes.judgement.purity));
    _mm512_storeu_pd(lanes.decrease, _mm512_mask_max_pd(_mm512_set1_pd(Judgement::kNoCut), is_cut,
                                                        decrease, _mm512_setzero_pd()));
}

template <class T>
TREEWRIGHT_WIDE void judge_wide(const NodeClasses& classes, Lanes<T>& lanes, std::uint32_t* left) {
    // Few rows are added sooner than tables are cleared.
    if (lanes.n > kClassTables * classes.sums.size()) add_up<kClassTables>(classes, lanes, left);
    else add_up<1>(classes, lanes, left);
    judge_sums(classes, left, lanes);
}

}  // namespace

template <class T>
void judge_classes_avx512(const NodeClasses& classes, Lanes<T>& lanes, std::uint32_t* left) {
    judge_wide(classes, lanes, left);
}

template void judge_classes_avx512(const NodeClasses&, Lanes<float>&, std::uint32_t*);
template void judge_classes_avx512(const NodeClasses&, Lanes<double>&, std::uint32_t*);

}  // namespace treewright::forest

#endif
