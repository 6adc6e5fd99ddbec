/// The loops of scan.hpp, sixteen entries at a time.
// Long because the loops of one table share helpers that must be inlined into each.
#include "treewright/forest/fast/kernels/scan.hpp"

#include <algorithm>

#include "treewright/base/avx512.hpp"
#include "treewright/base/prefetch.hpp"

#ifdef TREEWRIGHT_AVX512

namespace treewright::forest {
namespace {

/// Lanes moved up by N, zeros moved in.
template <int N>
TREEWRIGHT_WIDE_INLINE __m512i moved_up(__m512i x) {
    return _mm512_alignr_epi32(x, _mm512_setzero_si512(), 16 - N);
}

/// Sums of the first 1, 2, ... 16 lanes.
TREEWRIGHT_WIDE_INLINE __m512i running(__m512i x) {
    x = _mm512_add_epi32(x, moved_up<1>(x));
    x = _mm512_add_epi32(x, moved_up<2>(x));
    x = _mm512_add_epi32(x, moved_up<4>(x));
    return _mm512_add_epi32(x, moved_up<8>(x));
}

template <int N>
TREEWRIGHT_WIDE_INLINE __m512d moved_up(__m512d x) {
    return _mm512_castsi512_pd(
        _mm512_alignr_epi64(_mm512_castpd_si512(x), _mm512_setzero_si512(), 8 - N));
}

TREEWRIGHT_WIDE_INLINE __m512d running(__m512d x) {
    x = _mm512_add_pd(x, moved_up<1>(x));
    x = _mm512_add_pd(x, moved_up<2>(x));
    return _mm512_add_pd(x, moved_up<4>(x));
}

TREEWRIGHT_WIDE_INLINE __m512i weights_of(__m512i entries) {
    return _mm512_and_si512(_mm512_srli_epi32(entries, kWeightAt), _mm512_set1_epi32(kMostWeight));
}

template <bool kIsShare>
struct WideScan {
    __m512d whole;
    __m512d rest;
    __m512d weight;
    __m512i least;
    __m512i most;

    TREEWRIGHT_WIDE_INLINE explicit WideScan(const FastList& list, const FastMean& mean)
        : whole(_mm512_set1_pd(mean.whole)),
          rest(_mm512_set1_pd(mean.rest)),
          weight(_mm512_set1_pd(static_cast<double>(list.weight))),
          least(_mm512_set1_epi32(static_cast<int>(list.least))),
          most(_mm512_set1_epi32(static_cast<int>(list.weight - list.least))) {}

    /// Entries after the node's last one are too heavy to be admitted.
    TREEWRIGHT_WIDE_INLINE __mmask16 admits(__m512i w, const std::uint32_t* next) const {
        const __mmask16 free =
            _mm512_testn_epi32_mask(_mm512_loadu_si512(next), _mm512_set1_epi32(kSameValueBit));
        return _mm512_mask_cmple_epu32_mask(_mm512_mask_cmpge_epu32_mask(free, w, least), w, most);
    }
    /// The decrease is excess^2 / below.
    TREEWRIGHT_WIDE_INLINE void parts(__m256i w, __m512d s, __m512d& square, __m512d& below) const {
        const __m512d left = _mm512_cvtepu32_pd(w);
        if constexpr (!kIsShare) s = _mm512_sub_pd(s, _mm512_mul_pd(whole, left));
        const __m512d excess = _mm512_sub_pd(s, _mm512_mul_pd(rest, left));
        square = _mm512_mul_pd(excess, excess);
        below = _mm512_mul_pd(left, _mm512_sub_pd(weight, left));
    }
    TREEWRIGHT_WIDE_INLINE __m512d decrease(__m256i w, __m512d s) const {
        __m512d square;
        __m512d below;
        parts(w, s, square, below);
        return _mm512_div_pd(square, below);
    }
};

/// The greatest decrease so far. Cuts that cannot be above it are not divided: a quotient that
/// rounds to more than the best has square > best (1 - 2^-53) below.
struct WideBest {
    double best;
    __m512d bar;

    TREEWRIGHT_WIDE_INLINE explicit WideBest(double floor) { raise(floor); }
    TREEWRIGHT_WIDE_INLINE void raise(double to) {
        best = to;
        bar = _mm512_set1_pd(to * (1.0 - 0x1.0p-50));
    }
    template <class Scan>
    TREEWRIGHT_WIDE_INLINE void meet(const Scan& scan, __m256i w, __m512d s, __mmask8 admitted) {
        __m512d square;
        __m512d below;
        scan.parts(w, s, square, below);
        const __mmask8 above =
            _mm512_mask_cmp_pd_mask(admitted, square, _mm512_mul_pd(bar, below), _CMP_GT_OQ);
        if (above != 0)
            raise(std::max(best, _mm512_mask_reduce_max_pd(above, _mm512_div_pd(square, below))));
    }
};

/// Goes through the cuts sixteen at a time: f(entry, w, lower sums, upper sums, admitted) until it
/// returns true. `Sums` turns entries into the sums of targets up to each.
template <class Scan, class Sums, class F>
TREEWRIGHT_WIDE_INLINE void for_each_wide(const FastList& list, const Scan& scan, Sums& sums,
                                          F&& f) {
    __m512i before = _mm512_setzero_si512();
    const __m512i last = _mm512_set1_epi32(15);
    for (std::uint32_t i = 0; i < list.n; i += 16) {
        const __m512i entries = _mm512_loadu_si512(list.entries + i);
        const __m512i own = weights_of(entries);
        const __m512i w = _mm512_add_epi32(running(own), before);
        before = _mm512_permutexvar_epi32(last, w);
        __m512d low;
        __m512d high;
        sums.next(list.entries + i, entries, own, low, high);
        if (f(i, w, low, high, scan.admits(w, list.entries + i + 1))) return;
    }
}

struct WidePositives {
    static constexpr bool kIsShare = true;
    __m512i before = _mm512_setzero_si512();

    TREEWRIGHT_WIDE_INLINE void next(const std::uint32_t*, __m512i entries, __m512i own,
                                     __m512d& low, __m512d& high) {
        const __mmask16 positive = _mm512_test_epi32_mask(entries, _mm512_set1_epi32(kPositive));
        const __m512i s = _mm512_add_epi32(running(_mm512_maskz_mov_epi32(positive, own)), before);
        before = _mm512_permutexvar_epi32(_mm512_set1_epi32(15), s);
        low = _mm512_cvtepu32_pd(_mm512_castsi512_si256(s));
        high = _mm512_cvtepu32_pd(_mm512_extracti64x4_epi64(s, 1));
    }
};

/// The values of eight entries. Eight loads are faster than a gather where the rows are in cache.
TREEWRIGHT_WIDE_INLINE __m512d values_of(const std::uint32_t* entries, const double* values) {
    const auto two = [&](int i)
        __attribute__((always_inline, target("avx512f,avx512dq,avx512bw,avx512vl,bmi2,popcnt"))) {
        return _mm_loadh_pd(_mm_load_sd(values + row_of(entries[i])),
                            values + row_of(entries[i + 1]));
    };
    const __m256d low = _mm256_insertf128_pd(_mm256_castpd128_pd256(two(0)), two(2), 1);
    const __m256d high = _mm256_insertf128_pd(_mm256_castpd128_pd256(two(4)), two(6), 1);
    return _mm512_insertf64x4(_mm512_castpd256_pd512(low), high, 1);
}

struct WideValues {
    static constexpr bool kIsShare = false;
    const double* values;
    std::uint32_t n;  ///< entries left: those after them are not the node's
    __m512d before = _mm512_setzero_pd();

    TREEWRIGHT_WIDE_INLINE __m512d add(const std::uint32_t* entries, std::uint32_t ours) {
        const __m512d of_rows =
            lower(ours) == 0xff
                ? values_of(entries, values)
                : _mm512_mask_i32gather_pd(
                      _mm512_setzero_pd(), lower(ours),
                      _mm256_srli_epi32(
                          _mm256_loadu_si256(reinterpret_cast<const __m256i*>(entries)), kRowAt),
                      values, 8);
        const __m512d s = _mm512_add_pd(running(of_rows), before);
        before = _mm512_permutexvar_pd(_mm512_set1_epi64(7), s);
        return s;
    }
    TREEWRIGHT_WIDE_INLINE void next(const std::uint32_t* entries, __m512i, __m512i, __m512d& low,
                                     __m512d& high) {
        const std::uint32_t ours = n >= 16 ? 0xffffU : (1U << n) - 1U;
        n -= std::min(n, 16U);
        low = add(entries, ours);
        high = low;  // short lists are common: empty lanes cost nothing
        if (ours > 0xff) high = add(entries + 8, ours >> 8);
    }
};

template <class Sums>
TREEWRIGHT_WIDE_INLINE double best_wide(const FastList& list, Sums sums, double floor) {
    if (list.weight < 2 * list.least) return kNoPlainCut;
    const WideScan<Sums::kIsShare> scan(list, FastMean(list, Sums::kIsShare));
    WideBest best(floor);
    unsigned any = 0;
    for_each_wide(
        list, scan, sums,
        [&](std::uint32_t, __m512i w, __m512d low, __m512d high, __mmask16 admitted) __attribute__((
            always_inline, target("avx512f,avx512dq,avx512bw,avx512vl,bmi2,popcnt"))) {
            any |= admitted;
            best.meet(scan, _mm512_castsi512_si256(w), low, lower(admitted));
            if (upper(admitted) != 0)
                best.meet(scan, _mm512_extracti64x4_epi64(w, 1), high, upper(admitted));
            return false;
        });
    return any != 0 ? best.best : kNoPlainCut;
}

template <class Sums>
TREEWRIGHT_WIDE_INLINE FastPlace locate_wide(const FastList& list, Sums sums, double enough) {
    const WideScan<Sums::kIsShare> scan(list, FastMean(list, Sums::kIsShare));
    FastPlace found;
    const __m512d bar = _mm512_set1_pd(enough);
    for_each_wide(
        list, scan, sums,
        [&](std::uint32_t i, __m512i w, __m512d low, __m512d high, __mmask16 admitted)
            __attribute__((always_inline,
                           target("avx512f,avx512dq,avx512bw,avx512vl,bmi2,popcnt"))) {
                const __mmask8 first = _mm512_mask_cmp_pd_mask(
                    static_cast<__mmask8>(admitted), scan.decrease(_mm512_castsi512_si256(w), low),
                    bar, _CMP_GE_OQ);
                const __mmask8 second = _mm512_mask_cmp_pd_mask(
                    static_cast<__mmask8>(admitted >> 8),
                    scan.decrease(_mm512_extracti64x4_epi64(w, 1), high), bar, _CMP_GE_OQ);
                const std::uint32_t reached = first | static_cast<std::uint32_t>(second) << 8;
                if (reached == 0) return false;
                const auto lane = static_cast<std::uint32_t>(__builtin_ctz(reached));
                alignas(64) std::uint32_t ws[16];
                alignas(64) double ss[16];
                _mm512_store_si512(ws, w);
                _mm512_store_pd(ss, low);
                _mm512_store_pd(ss + 8, high);
                found = {i + lane + 1, ws[lane], ss[lane]};
                return true;
            });
    return found;
}

TREEWRIGHT_WIDE double best_two_wide(const FastList& list, double floor) {
    return best_wide(list, WidePositives{}, floor);
}
TREEWRIGHT_WIDE FastPlace locate_two_wide(const FastList& list, double enough) {
    return locate_wide(list, WidePositives{}, enough);
}
TREEWRIGHT_WIDE double best_values_wide(const FastList& list, const double* values, double floor) {
    return best_wide(list, WideValues{values, list.n}, floor);
}
TREEWRIGHT_WIDE FastPlace locate_values_wide(const FastList& list, const double* values,
                                             double enough) {
    return locate_wide(list, WideValues{values, list.n}, enough);
}

TREEWRIGHT_WIDE void best_pocket_wide(const FastPocket& pocket, std::uint32_t rows,
                                      const FastList& list, double* best, std::uint8_t* varies) {
    const FastMean mean(list, false);
    const __m512d whole = _mm512_set1_pd(mean.whole);
    const __m512d rest = _mm512_set1_pd(mean.rest);
    const __m512d total = _mm512_set1_pd(list.weight);
    const __m512d least = _mm512_set1_pd(list.least);
    const __m512d most = _mm512_set1_pd(static_cast<double>(list.weight) - list.least);
    // Rows outside the node have weight 0.
    const __m512d weights[2] = {_mm512_maskz_loadu_pd(lower(rows), pocket.weights),
                                _mm512_maskz_loadu_pd(upper(rows), pocket.weights + 8)};
    const __m512d values[2] = {_mm512_maskz_loadu_pd(lower(rows), pocket.values),
                               _mm512_maskz_loadu_pd(upper(rows), pocket.values + 8)};
    for (std::size_t slot = 0; slot < pocket.n_slots; slot += FastPocket::kLanes) {
        __m512d w = _mm512_setzero_pd();
        __m512d s = _mm512_setzero_pd();
        __m512d greatest = _mm512_set1_pd(kNoPlainCut);
        __m512i last = _mm512_setzero_si512();
        unsigned any_apart = 0;
        for (std::uint32_t i = 0; i < pocket.n; ++i) {
            const __m512i at = _mm512_cvtepu8_epi64(_mm_loadl_epi64(
                reinterpret_cast<const __m128i*>(pocket.order.data() + i * pocket.n_slots + slot)));
            const __m512d own = _mm512_permutex2var_pd(weights[0], at, weights[1]);
            const __mmask8 ours = _mm512_cmp_pd_mask(own, _mm512_setzero_pd(), _CMP_GT_OQ);
            const __m512i run = _mm512_srli_epi64(at, 4);
            const __mmask8 apart = _mm512_mask_cmpneq_epi64_mask(
                _mm512_mask_cmp_pd_mask(ours, w, _mm512_setzero_pd(), _CMP_GT_OQ), run, last);
            any_apart |= apart;
            const __mmask8 admitted = _mm512_mask_cmp_pd_mask(
                _mm512_mask_cmp_pd_mask(apart, w, least, _CMP_GE_OQ), w, most, _CMP_LE_OQ);
            const __m512d moved = _mm512_sub_pd(s, _mm512_mul_pd(whole, w));
            const __m512d excess = _mm512_sub_pd(moved, _mm512_mul_pd(rest, w));
            const __m512d below = _mm512_mul_pd(w, _mm512_sub_pd(total, w));
            const __m512d decrease = _mm512_div_pd(_mm512_mul_pd(excess, excess), below);
            greatest = _mm512_mask_max_pd(greatest, admitted, greatest, decrease);
            last = _mm512_mask_mov_epi64(last, ours, run);
            w = _mm512_add_pd(w, own);
            s = _mm512_add_pd(s, _mm512_permutex2var_pd(values[0], at, values[1]));
        }
        _mm512_storeu_pd(best + slot, greatest);
        varies[slot / FastPocket::kLanes] = static_cast<std::uint8_t>(any_apart);
    }
}

TREEWRIGHT_WIDE std::uint32_t level_with_best_wide(const double* best, std::size_t n_slots,
                                                   const std::uint8_t* among, double tie,
                                                   std::uint8_t* level) {
    constexpr std::size_t kLanes = FastPocket::kLanes;
    __m512d most = _mm512_setzero_pd();
    for (std::size_t i = 0; i < n_slots; i += kLanes)
        most = _mm512_mask_max_pd(most, among[i / kLanes], most, _mm512_loadu_pd(best + i));
    const double greatest = _mm512_reduce_max_pd(most);
    const __m512d high = _mm512_set1_pd(greatest * (1.0 - tie));
    const __m512d low = _mm512_set1_pd(greatest * (1.0 - 8.0 * tie));
    std::uint32_t n_level = 0;
    unsigned unclear = 0;
    for (std::size_t i = 0; i < n_slots; i += kLanes) {
        const __m512d here = _mm512_loadu_pd(best + i);
        const unsigned reached = _mm512_mask_cmp_pd_mask(among[i / kLanes], here, high, _CMP_GE_OQ);
        const unsigned near = _mm512_mask_cmp_pd_mask(among[i / kLanes], here, low, _CMP_GT_OQ);
        level[i / kLanes] = static_cast<std::uint8_t>(reached);
        n_level += static_cast<std::uint32_t>(__builtin_popcount(reached));
        unclear |= near & ~reached;
    }
    return unclear == 0 && greatest > 0.0 ? n_level : 0;
}

/// Scores of the cuts after entries i .. i + 7; kNoPlainCut where there is none.
TREEWRIGHT_WIDE_INLINE __m512d scores_wide(const FastList& list, const double* left,
                                           const double* right, const double* w, std::uint32_t i) {
    const __m512d lw = _mm512_loadu_pd(w + i);
    const __m512d rw = _mm512_sub_pd(_mm512_set1_pd(list.weight), lw);
    const __m256i next = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(list.entries + i + 1));
    __mmask8 admitted = _mm256_testn_epi32_mask(next, _mm256_set1_epi32(kSameValueBit));
    const __m512d least = _mm512_set1_pd(list.least);
    admitted = _mm512_mask_cmp_pd_mask(admitted, lw, least, _CMP_GE_OQ);
    admitted = _mm512_mask_cmp_pd_mask(admitted, rw, least, _CMP_GE_OQ);
    if (i + 8 >= list.n) admitted &= static_cast<__mmask8>((1U << (list.n - 1 - i)) - 1U);
    const __m512d score = _mm512_add_pd(_mm512_div_pd(_mm512_loadu_pd(left + i), lw),
                                        _mm512_div_pd(_mm512_loadu_pd(right + i), rw));
    return _mm512_mask_mov_pd(_mm512_set1_pd(kNoPlainCut), admitted, score);
}

TREEWRIGHT_WIDE double best_scores_wide(const FastList& list, const double* left,
                                        const double* right, const double* w) {
    __m512d best = _mm512_set1_pd(kNoPlainCut);
    for (std::uint32_t i = 0; i + 1 < list.n; i += 8)
        best = _mm512_max_pd(best, scores_wide(list, left, right, w, i));
    return _mm512_reduce_max_pd(best);
}

TREEWRIGHT_WIDE std::uint32_t locate_scores_wide(const FastList& list, const double* left,
                                                 const double* right, const double* w,
                                                 double enough) {
    for (std::uint32_t i = 0; i + 1 < list.n; i += 8) {
        const __mmask8 reached = _mm512_cmp_pd_mask(scores_wide(list, left, right, w, i),
                                                    _mm512_set1_pd(enough), _CMP_GE_OQ);
        if (reached != 0) return i + static_cast<std::uint32_t>(__builtin_ctz(reached)) + 1;
    }
    return 0;
}

/// Lanes whose row has side 1, of sixteen entries of which some belong to the node.
TREEWRIGHT_WIDE_INLINE __mmask16 sides_of(const std::uint32_t* entries, __mmask16 ours,
                                          const std::uint8_t* side) {
    if (ours == 0xffff) {  // sixteen loads are faster than a gather in cache
        unsigned sides = 0;
#pragma GCC unroll 16
        for (unsigned i = 0; i < 16; ++i)
            sides |= static_cast<unsigned>(side[row_of(entries[i])]) << i;
        return static_cast<__mmask16>(sides);
    }
    const __m512i rows = _mm512_srli_epi32(_mm512_loadu_si512(entries), kRowAt);
    const __m512i sides = _mm512_mask_i32gather_epi32(_mm512_setzero_si512(), ours, rows, side, 1);
    return _mm512_mask_test_epi32_mask(ours, sides, _mm512_set1_epi32(1));
}

/// The runs of equal values that sixteen entries belong to, counted from the list's first.
struct WideRuns {
    __m512i before;

    TREEWRIGHT_WIDE_INLINE WideRuns() : before(_mm512_setzero_si512()) {}
    TREEWRIGHT_WIDE_INLINE __m512i next(__m512i entries) {
        const __m512i starts = _mm512_andnot_si512(entries, _mm512_set1_epi32(kSameValueBit));
        const __m512i runs = _mm512_add_epi32(running(starts), before);
        before = _mm512_permutexvar_epi32(_mm512_set1_epi32(15), runs);
        return runs;
    }
};

/// TieTeller, for the selected ones of sixteen entries, compressed.
struct WideTeller {
    __m512i last;

    TREEWRIGHT_WIDE_INLINE WideTeller() : last(_mm512_set1_epi32(-1)) {}
    TREEWRIGHT_WIDE_INLINE __m512i tell(__mmask16 chosen, std::uint32_t n, __m512i entries,
                                        __m512i runs) {
        const __m512i there = _mm512_maskz_compress_epi32(chosen, runs);
        const __m512i previous = _mm512_alignr_epi32(there, last, 15);
        const __mmask16 tied = _mm512_cmpeq_epi32_mask(there, previous);
        // The last of n lanes (of the runs before where n = 0) is what the next entry follows.
        last = n == 0 ? last
                      : _mm512_permutexvar_epi32(_mm512_set1_epi32(static_cast<int>(n) - 1), there);
        const __m512i bare = _mm512_andnot_si512(_mm512_set1_epi32(kSameValueBit),
                                                 _mm512_maskz_compress_epi32(chosen, entries));
        return _mm512_mask_or_epi32(bare, tied, bare, _mm512_set1_epi32(kSameValueBit));
    }
};

/// Rows from which on the words of rows are prefetched, and how far ahead.
constexpr std::size_t kManyRows = std::size_t{1} << 19;
constexpr std::size_t kAhead = 128;

TREEWRIGHT_WIDE std::uint32_t fill_wide(const std::uint32_t* order, std::size_t n,
                                        const std::uint32_t* words, std::uint32_t* list) {
    constexpr std::size_t kAhead = 1024;  // a page: the hardware prefetches up to its end
    std::uint32_t n_ties = 0;
    WideRuns counting;
    WideTeller teller;
    const std::size_t n_ahead = n >= kManyRows ? n - kAhead : 0;
    for (std::size_t i = 0; i < n; i += 16) {
        if (i < n_ahead)  // words in far memory
            for (std::size_t ahead = i + kAhead - 16; ahead < i + kAhead; ++ahead)
                prefetch(words + (order[ahead] >> 1));
        const __mmask16 ours =
            n - i >= 16 ? __mmask16{0xffff} : static_cast<__mmask16>((1U << (n - i)) - 1U);
        if (i + kAhead < n) prefetch(order + i + kAhead);
        const __m512i ordered = _mm512_maskz_loadu_epi32(ours, order + i);
        const __m512i runs = counting.next(ordered);
        const __m512i entries = _mm512_mask_i32gather_epi32(
            _mm512_setzero_si512(), ours, _mm512_srli_epi32(ordered, 1), words, 4);
        const __mmask16 kept = _mm512_test_epi32_mask(entries, entries);
        const auto n_here = static_cast<std::uint32_t>(__builtin_popcount(kept));
        const __m512i told = teller.tell(kept, n_here, entries, runs);
        const auto room = static_cast<__mmask16>((1U << n_here) - 1U);
        n_ties += static_cast<std::uint32_t>(__builtin_popcount(
            _mm512_mask_test_epi32_mask(room, told, _mm512_set1_epi32(kSameValueBit))));
        _mm512_mask_storeu_epi32(list, room, told);
        list += n_here;
    }
    return n_ties;
}

TREEWRIGHT_WIDE void rename_wide(std::uint32_t* list, std::uint32_t n,
                                 const std::uint32_t* new_row) {
    const __m512i rest = _mm512_set1_epi32((1 << kRowAt) - 1);
    for (std::uint32_t i = 0; i < n; i += 16) {
        const __mmask16 ours = ours_of(i, n);
        const __m512i entries = _mm512_maskz_loadu_epi32(ours, list + i);
        const __m512i rows = _mm512_mask_i32gather_epi32(
            _mm512_setzero_si512(), ours, _mm512_srli_epi32(entries, kRowAt), new_row, 4);
        _mm512_mask_storeu_epi32(
            list + i, ours,
            _mm512_or_si512(_mm512_slli_epi32(rows, kRowAt), _mm512_and_si512(entries, rest)));
    }
}

TREEWRIGHT_WIDE void pick_wide(const std::uint32_t* list, std::uint32_t n, std::uint32_t rows,
                               std::uint32_t* to) {
    const __mmask16 ours = ours_of(0, n);
    const __m512i entries = _mm512_loadu_si512(list);
    const __m512i bits = _mm512_srlv_epi32(_mm512_set1_epi32(static_cast<int>(rows)),
                                           _mm512_srli_epi32(entries, kRowAt));
    const __mmask16 picked = _mm512_mask_test_epi32_mask(ours, bits, _mm512_set1_epi32(1));
    const auto n_picked = static_cast<std::uint32_t>(__builtin_popcount(picked));
    WideRuns counting;
    WideTeller teller;
    _mm512_storeu_si512(
        to, _mm512_maskz_mov_epi32(ours_of(0, n_picked),
                                   teller.tell(picked, n_picked, entries, counting.next(entries))));
}

TREEWRIGHT_WIDE unsigned divide_wide(std::uint32_t* list, std::uint32_t n, const std::uint8_t* side,
                                     std::uint32_t* other) {
    std::uint32_t n_left = 0;
    std::uint32_t n_right = 0;
    WideRuns counting;
    WideTeller of_left;
    WideTeller of_right;
    __m512i all_left = _mm512_setzero_si512();
    __m512i all_right = _mm512_setzero_si512();
    for (std::uint32_t i = 0; i < n; i += 16) {
        const __mmask16 ours = ours_of(i, n);
        const __m512i entries = _mm512_loadu_si512(list + i);
        const __m512i runs = counting.next(entries);
        const __mmask16 right = sides_of(list + i, ours, side);
        const auto left = static_cast<__mmask16>(ours & ~right);
        const auto n_here = static_cast<std::uint32_t>(__builtin_popcount(left));
        const auto n_there = static_cast<std::uint32_t>(__builtin_popcount(right));
        const __m512i told = of_left.tell(left, n_here, entries, runs);
        if (ours == 0xffff)  // the overrun has been read already
            _mm512_storeu_si512(list + n_left, told);
        else
            _mm512_mask_storeu_epi32(list + n_left, static_cast<__mmask16>((1U << n_here) - 1U),
                                     told);
        const __m512i told_there = of_right.tell(right, n_there, entries, runs);
        // The memory after it belongs to other nodes: nothing more may be written.
        _mm512_mask_storeu_epi32(other + n_right, static_cast<__mmask16>((1U << n_there) - 1U),
                                 told_there);
        all_left = _mm512_mask_or_epi32(all_left, ours_of(0, n_here), all_left, told);
        all_right = _mm512_mask_or_epi32(all_right, ours_of(0, n_there), all_right, told_there);
        n_left += n_here;
        n_right += n_there;
    }
    const __m512i tie = _mm512_set1_epi32(kSameValueBit);
    return (_mm512_test_epi32_mask(all_left, tie) != 0 ? 1U : 0U) |
           (_mm512_test_epi32_mask(all_right, tie) != 0 ? 2U : 0U);
}

/// Lanes whose row has side 1, by bits, of sixteen entries of which some belong to the node.
TREEWRIGHT_WIDE_INLINE __mmask16 sides_by_bits(const std::uint32_t* entries, __m512i loaded,
                                               __mmask16 ours, const std::uint8_t* bits) {
    constexpr unsigned kByteAt = kRowAt + SideBits::kRowsAt;
    if (ours != 0xffff) {
        unsigned sides = 0;
        for (unsigned i = 0; (ours >> i & 1U) != 0; ++i)
            sides |= SideBits::of(bits, row_of(entries[i])) << i;
        return static_cast<__mmask16>(sides);
    }
    // Bytes are inserted one by one: GCC would join scalars by way of the stack.
    __m128i low = _mm_setzero_si128();
    __m128i high = low;
#define TREEWRIGHT_INSERT(i)                                    \
    low = _mm_insert_epi8(low, bits[entries[i] >> kByteAt], i); \
    high = _mm_insert_epi8(high, bits[entries[8 + (i)] >> kByteAt], i)
    TREEWRIGHT_INSERT(0);
    TREEWRIGHT_INSERT(1);
    TREEWRIGHT_INSERT(2);
    TREEWRIGHT_INSERT(3);
    TREEWRIGHT_INSERT(4);
    TREEWRIGHT_INSERT(5);
    TREEWRIGHT_INSERT(6);
    TREEWRIGHT_INSERT(7);
#undef TREEWRIGHT_INSERT
    const __m512i bytes = _mm512_cvtepu8_epi32(_mm_unpacklo_epi64(low, high));
    const __m512i bit = _mm512_and_si512(_mm512_srli_epi32(loaded, kRowAt),
                                         _mm512_set1_epi32((1 << SideBits::kRowsAt) - 1));
    return _mm512_test_epi32_mask(bytes, _mm512_sllv_epi32(_mm512_set1_epi32(1), bit));
}

/// Sides of rows, a byte or a bit each.
struct InBytes {
    const std::uint8_t* side;
    TREEWRIGHT_WIDE_INLINE __mmask16 of(const std::uint32_t* entries, __m512i,
                                        __mmask16 ours) const {
        return sides_of(entries, ours, side);
    }
};
struct InBits {
    const std::uint8_t* bits;
    TREEWRIGHT_WIDE_INLINE __mmask16 of(const std::uint32_t* entries, __m512i loaded,
                                        __mmask16 ours) const {
        return sides_by_bits(entries, loaded, ours, bits);
    }
};

template <class Sides>
TREEWRIGHT_WIDE_INLINE void divide_untied_by(std::uint32_t* list, std::uint32_t n, Sides sides,
                                             std::uint32_t* other) {
    std::uint32_t* to = list;
    for (std::uint32_t i = 0; i < n; i += 16) {
        const __mmask16 ours = ours_of(i, n);
        const __m512i entries = _mm512_loadu_si512(list + i);
        const __mmask16 right = sides.of(list + i, entries, ours);
        const auto left = static_cast<__mmask16>(ours & ~right);
        const auto n_here = static_cast<std::uint32_t>(__builtin_popcount(left));
        const auto n_there = static_cast<std::uint32_t>(__builtin_popcount(right));
        const __m512i kept = _mm512_maskz_compress_epi32(left, entries);
        if (ours == 0xffff) _mm512_storeu_si512(to, kept);
        else _mm512_mask_storeu_epi32(to, ours_of(0, n_here), kept);
        _mm512_mask_storeu_epi32(other, ours_of(0, n_there),
                                 _mm512_maskz_compress_epi32(right, entries));
        to += n_here;
        other += n_there;
    }
}

TREEWRIGHT_WIDE void divide_untied_wide(std::uint32_t* list, std::uint32_t n,
                                        const std::uint8_t* side, std::uint32_t* other) {
    divide_untied_by(list, n, InBytes{side}, other);
}

TREEWRIGHT_WIDE void divide_untied_by_bits_wide(std::uint32_t* list, std::uint32_t n,
                                                const std::uint8_t* bits, std::uint32_t* other) {
    divide_untied_by(list, n, InBits{bits}, other);
}

TREEWRIGHT_WIDE void keep_wide(std::uint32_t* list, std::uint32_t n, const std::uint8_t* side,
                               std::uint8_t which) {
    std::uint32_t n_kept = 0;
    WideRuns counting;
    WideTeller teller;
    for (std::uint32_t i = 0; i < n; i += 16) {
        const __mmask16 ours = ours_of(i, n);
        const __m512i entries = _mm512_loadu_si512(list + i);
        const __m512i runs = counting.next(entries);
        const __mmask16 right = sides_of(list + i, ours, side);
        const auto kept = static_cast<__mmask16>(which != 0 ? right : ours & ~right);
        const auto n_here = static_cast<std::uint32_t>(__builtin_popcount(kept));
        _mm512_mask_storeu_epi32(list + n_kept, static_cast<__mmask16>((1U << n_here) - 1U),
                                 teller.tell(kept, n_here, entries, runs));
        n_kept += n_here;
    }
}

constexpr FastLoops kWide = {best_two_wide,      locate_two_wide,
                             best_values_wide,   locate_values_wide,
                             best_pocket_wide,   level_with_best_wide,
                             best_scores_wide,   locate_scores_wide,
                             fill_wide,          rename_wide,
                             pick_wide,          divide_wide,
                             divide_untied_wide, divide_untied_by_bits_wide,
                             keep_wide};

}  // namespace

const FastLoops& avx512_loops() {
    return kWide;
}

}  // namespace treewright::forest

#endif
