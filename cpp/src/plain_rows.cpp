#include "treewright/split/plain_rows.hpp"

#include <algorithm>
#include <cstring>
#include <limits>

#include "treewright/base/avx512.hpp"
#include "treewright/split/judge.hpp"

namespace treewright {
namespace {

// ------------------------------------------------------------------ any processor

template <class T>
const T* cells_of(const RowList<T>& list, std::uint32_t i) {
    return list.cells + list.rows[i] * list.stride;
}

template <class T>
void look(const RowList<T>& list, Mixed key, const RowSums& sums, const Judgement& judgement,
          Lanes<T>& lanes) {
    lanes.varies = 0;
    lanes.winner = kLanes;
    std::fill_n(lanes.marks.data(), list.n, std::uint8_t{0});
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
        const auto cell = [&](std::uint32_t i) { return cells_of(list, i)[lanes.slot[lane]]; };
        T low = cell(0);
        T high = low;
        for (std::uint32_t i = 1; i < list.n; ++i) {
            low = cell(i) < low ? cell(i) : low;
            high = cell(i) > high ? cell(i) : high;
        }
        const auto bit = static_cast<std::uint8_t>(1U << lane);
        if (low < high) lanes.varies |= bit;
        const DrawnCut<T> cut(key, lanes.column[lane], low, high);
        lanes.at[lane] = cut.at;
        std::uint32_t count = 0;
        double value = 0.0;
        lanes.marked[lane] = 0;
        for (std::uint32_t i = 0; i < list.n; ++i) {
            if (!(cell(i) <= cut.bound)) continue;
            lanes.marks[i] |= bit;
            if (i < kFew) lanes.marked[lane] |= 1U << i;
            count += sums.words[i];
            if (sums.values != nullptr) value += sums.values[list.rows[i]];
        }
        const bool is_pair = sums.values == nullptr;
        lanes.weight[lane] = is_pair ? count & RowSums::kPairMask : count;
        lanes.sum[lane] = is_pair ? count >> RowSums::kPairShift : value;
        lanes.decrease[lane] = judgement.decrease(lanes.weight[lane], lanes.sum[lane]);
    }
}

template <class T>
std::uint32_t divide(const Lanes<T>& lanes, std::size_t lane, std::uint32_t n, std::uint32_t* rows,
                     std::uint32_t* words, std::uint32_t* const* spare) {
    std::uint32_t n_left = 0;
    std::uint32_t n_right = 0;
    for (std::uint32_t i = 0; i < n; ++i) {
        const bool is_left = lanes.is_marked(i, n, lane);
        (is_left ? rows[n_left] : spare[0][n_right]) = rows[i];
        (is_left ? words[n_left] : spare[1][n_right]) = words[i];
        n_left += is_left ? 1 : 0;
        n_right += is_left ? 0 : 1;
    }
    std::copy_n(spare[0], n_right, rows + n_left);
    std::copy_n(spare[1], n_right, words + n_left);
    return n_left;
}

template <class T>
constexpr RowLoops<T> kAnywhere = {look<T>, divide<T>};

// ------------------------------------------------------------------ AVX-512

#ifdef TREEWRIGHT_AVX512
/// Eight cells.
struct Singles {
    __m256 x;
    TREEWRIGHT_WIDE_INLINE static Singles load(const float* from) {
        return {_mm256_loadu_ps(from)};
    }
    TREEWRIGHT_WIDE_INLINE static Singles floor(__m512d value) {
        return {_mm512_cvt_roundpd_ps(value, _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC)};
    }
    TREEWRIGHT_WIDE_INLINE void store(float* to) const { _mm256_storeu_ps(to, x); }
    TREEWRIGHT_WIDE_INLINE void take_min(Singles y) { x = _mm256_min_ps(y.x, x); }
    TREEWRIGHT_WIDE_INLINE void take_max(Singles y) { x = _mm256_max_ps(y.x, x); }
    TREEWRIGHT_WIDE_INLINE __mmask8 up_to(Singles bound) const {
        return _mm256_cmp_ps_mask(x, bound.x, _CMP_LE_OQ);
    }
    TREEWRIGHT_WIDE_INLINE __m512d doubles() const { return _mm512_cvtps_pd(x); }
};
struct Doubles {
    __m512d x;
    TREEWRIGHT_WIDE_INLINE static Doubles load(const double* from) {
        return {_mm512_loadu_pd(from)};
    }
    TREEWRIGHT_WIDE_INLINE static Doubles floor(__m512d value) { return {value}; }
    TREEWRIGHT_WIDE_INLINE void store(double* to) const { _mm512_storeu_pd(to, x); }
    TREEWRIGHT_WIDE_INLINE void take_min(Doubles y) { x = _mm512_min_pd(y.x, x); }
    TREEWRIGHT_WIDE_INLINE void take_max(Doubles y) { x = _mm512_max_pd(y.x, x); }
    TREEWRIGHT_WIDE_INLINE __mmask8 up_to(Doubles bound) const {
        return _mm512_cmp_pd_mask(x, bound.x, _CMP_LE_OQ);
    }
    TREEWRIGHT_WIDE_INLINE __m512d doubles() const { return x; }
};
template <class T>
struct EightOf;
template <>
struct EightOf<float> {
    using Type = Singles;
};
template <>
struct EightOf<double> {
    using Type = Doubles;
};
template <class T>
using Eight = typename EightOf<T>::Type;

TREEWRIGHT_WIDE_INLINE __m512i constant(std::uint64_t value) {
    return _mm512_set1_epi64(static_cast<long long>(value));
}

/// mix of eight numbers.
TREEWRIGHT_WIDE_INLINE __m512i mixed(__m512i z) {
    z = _mm512_add_epi64(z, constant(0x9e3779b97f4a7c15ULL));
    z = _mm512_mullo_epi64(_mm512_xor_si512(z, _mm512_srli_epi64(z, 30)),
                           constant(0xbf58476d1ce4e5b9ULL));
    z = _mm512_mullo_epi64(_mm512_xor_si512(z, _mm512_srli_epi64(z, 27)),
                           constant(0x94d049bb133111ebULL));
    return _mm512_xor_si512(z, _mm512_srli_epi64(z, 31));
}

/// DrawnCut of all lanes; returns the bounds.
template <class T>
TREEWRIGHT_WIDE_INLINE Eight<T> draw_cuts(Mixed key, Eight<T> low, Eight<T> high, Lanes<T>& lanes) {
    const __m512d most = _mm512_set1_pd(std::numeric_limits<double>::max());
    const __m512d one = _mm512_set1_pd(1.0);
    const __m512d lowest = _mm512_max_pd(low.doubles(), _mm512_sub_pd(_mm512_setzero_pd(), most));
    const __m512d highest = _mm512_min_pd(high.doubles(), most);
    // The key of the column, mixed for a generator, of which this is the first number.
    const __m512i keys = _mm512_xor_si512(_mm512_set1_epi64(static_cast<long long>(key.value())),
                                          _mm512_loadu_si512(lanes.column));
    const __m512i drawn = mixed(mixed(mixed(keys)));
    const __m512d share =
        _mm512_mul_pd(_mm512_cvtepi64_pd(_mm512_srli_epi64(drawn, 11)), _mm512_set1_pd(0x1.0p-53));
    __m512d at = _mm512_add_pd(_mm512_mul_pd(lowest, _mm512_sub_pd(one, share)),
                               _mm512_mul_pd(highest, share));
    at = _mm512_mask_mov_pd(lowest, _mm512_cmp_pd_mask(at, highest, _CMP_LT_OQ), at);
    _mm512_storeu_pd(lanes.at, at);
    lanes.varies =
        static_cast<std::uint8_t>(_mm512_cmp_pd_mask(low.doubles(), high.doubles(), _CMP_LT_OQ));
    return Eight<T>::floor(at);
}

/// Picks the cells of the lanes out of a row of kGroups x kLanes cells; of a longer one (0) they
/// are looked up.
template <std::size_t kGroups>
struct PickSingles {
    __m256i slots;
    TREEWRIGHT_WIDE_INLINE explicit PickSingles(const std::uint32_t* slot)
        : slots(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(slot))) {}
    TREEWRIGHT_WIDE_INLINE Singles operator()(const float* row) const {
        if constexpr (kGroups == 0) return {_mm256_i32gather_ps(row, slots, 4)};
        if constexpr (kGroups == 1) return {_mm256_permutexvar_ps(slots, _mm256_loadu_ps(row))};
        const __m512i at = _mm512_castsi256_si512(slots);
        const __m512 first = _mm512_loadu_ps(row);
        if constexpr (kGroups == 2)
            return {_mm512_castps512_ps256(_mm512_permutexvar_ps(at, first))};
        const __m512 second = kGroups == 3 ? _mm512_castps256_ps512(_mm256_loadu_ps(row + 16))
                                           : _mm512_loadu_ps(row + 16);
        return {_mm512_castps512_ps256(_mm512_permutex2var_ps(first, at, second))};
    }
};
template <std::size_t kGroups>
struct PickDoubles {
    __m256i slots;
    TREEWRIGHT_WIDE_INLINE explicit PickDoubles(const std::uint32_t* slot)
        : slots(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(slot))) {}
    TREEWRIGHT_WIDE_INLINE Doubles operator()(const double* row) const {
        if constexpr (kGroups == 0 || kGroups > 2) return {_mm512_i32gather_pd(slots, row, 8)};
        const __m512i at = _mm512_cvtepu32_epi64(slots);
        if constexpr (kGroups == 1) return {_mm512_permutexvar_pd(at, _mm512_loadu_pd(row))};
        return {_mm512_permutex2var_pd(_mm512_loadu_pd(row), at, _mm512_loadu_pd(row + 8))};
    }
};
template <class T, std::size_t kGroups>
using Pick =
    std::conditional_t<std::is_same_v<T, float>, PickSingles<kGroups>, PickDoubles<kGroups>>;

/// Marks and sums of the lanes: what is up to the bounds in rows i, i + 1, ...
struct Counted {
    __m512i words =
        _mm512_setzero_si512();  ///< of even rows and, if these are singles, of odd ones

    TREEWRIGHT_WIDE_INLINE Counted() = default;
    /// Two rows; the second is not ours if it is the n-th.
    TREEWRIGHT_WIDE_INLINE unsigned add(const float* picked, Singles bound, std::uint32_t i,
                                        std::uint32_t n, const std::uint32_t* of_rows) {
        const __m512i spread = _mm512_set_epi32(1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0);
        const auto ours = static_cast<__mmask16>(i + 1 < n ? 0xffff : 0xff);
        const __mmask16 left = _mm512_mask_cmp_ps_mask(ours, _mm512_loadu_ps(picked),
                                                       _mm512_broadcast_f32x8(bound.x), _CMP_LE_OQ);
        const __m128i both = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(of_rows));
        words = _mm512_mask_add_epi32(
            words, left, words, _mm512_permutexvar_epi32(spread, _mm512_castsi128_si512(both)));
        return left;
    }
    TREEWRIGHT_WIDE_INLINE unsigned add(const double* picked, Doubles bound, std::uint32_t,
                                        std::uint32_t, const std::uint32_t* of_rows) {
        const __mmask8 left = Doubles::load(picked).up_to(bound);
        words = _mm512_mask_add_epi32(words, left, words,
                                      _mm512_set1_epi32(static_cast<int>(*of_rows)));
        return left;
    }
    TREEWRIGHT_WIDE_INLINE __m256i sum() const {
        return _mm256_add_epi32(_mm512_castsi512_si256(words), _mm512_extracti64x4_epi64(words, 1));
    }
};
template <class T>
constexpr std::uint32_t kRowsAtOnce = 8 / sizeof(T);

/// Judgement::decrease of all lanes.
TREEWRIGHT_WIDE_INLINE __m512d decreases(const Judgement& judgement, __m512d weight, __m512d sum) {
    const __m512d least = _mm512_set1_pd(judgement.least);
    const __m512d rest = _mm512_sub_pd(_mm512_set1_pd(judgement.weight), weight);
    const __mmask8 is_cut =
        _mm512_cmp_pd_mask(weight, least, _CMP_GE_OQ) & _mm512_cmp_pd_mask(rest, least, _CMP_GE_OQ);
    const __m512d excess = _mm512_sub_pd(
        _mm512_sub_pd(sum, _mm512_mul_pd(_mm512_set1_pd(judgement.mean_whole), weight)),
        _mm512_mul_pd(_mm512_set1_pd(judgement.mean_rest), weight));
    const __m512d share = _mm512_div_pd(_mm512_mul_pd(excess, excess), _mm512_mul_pd(weight, rest));
    return _mm512_mask_mul_pd(_mm512_set1_pd(Judgement::kNoCut), is_cut,
                              _mm512_set1_pd(judgement.factor), share);
}

/// The lane that PlainLeader would choose among the first n if no two of them are nearly, but not
/// exactly, level; kLanes if some are, or if none offers a cut.
TREEWRIGHT_WIDE_INLINE std::uint32_t winner_of(__m512d decrease, double purity, std::uint32_t n) {
    const auto ours = static_cast<__mmask8>((1U << n) - 1U);
    const __m512d best = _mm512_set1_pd(_mm512_mask_reduce_max_pd(ours, decrease));
    const __m512d twice = _mm512_set1_pd(2.0 * purity);
    const __m512d tie = _mm512_set1_pd(kTie);
    const __m512d noise = _mm512_mul_pd(tie, _mm512_add_pd(twice, decrease));
    const __m512d noise_of_best = _mm512_mul_pd(tie, _mm512_add_pd(twice, best));
    const __mmask8 level = _mm512_mask_cmp_pd_mask(ours, decrease, best, _CMP_EQ_OQ);
    const __mmask8 near = _mm512_mask_cmp_pd_mask(
        ours, best, _mm512_add_pd(_mm512_add_pd(decrease, noise_of_best), noise), _CMP_LE_OQ);
    const bool is_known =
        level == near && _mm512_cmp_pd_mask(best, _mm512_setzero_pd(), _CMP_GE_OQ) != 0;
    return is_known ? static_cast<std::uint32_t>(__builtin_ctz(level)) : kLanes;
}

template <std::size_t kGroups, bool kPairs, bool kIsFew, class T>
TREEWRIGHT_WIDE void look_at(const RowList<T>& list, Mixed key, const RowSums& sums,
                             const Judgement& judgement, Lanes<T>& lanes) {
    const Pick<T, kGroups> pick(lanes.slot);
    // Copies, which nothing that is stored can change.
    const auto [cells, stride_in_table, rows, n] = list;
    const std::size_t stride = kGroups > 0 ? kGroups * kLanes : stride_in_table;
    const std::uint32_t* words = sums.words;
    const double* values = sums.values;
    T* picked = lanes.picked.data();
    std::uint8_t* marks = lanes.marks.data();
    Eight<T> lowest = pick(cells + rows[0] * stride);
    Eight<T> highest = lowest;
    lowest.store(picked);
    for (std::uint32_t i = 1; i < n; ++i) {
        const Eight<T> here = pick(cells + rows[i] * stride);
        here.store(picked + i * kLanes);
        lowest.take_min(here);
        highest.take_max(here);
    }
    const Eight<T> bound = draw_cuts<T>(key, lowest, highest, lanes);
    Counted counted;
    __m256i marked = _mm256_setzero_si256();
    __m256i bit = _mm256_set1_epi32(1);
    __m512d value = _mm512_setzero_pd();
    for (std::uint32_t i = 0; i < n; i += kRowsAtOnce<T>) {
        unsigned left = counted.add(picked + i * kLanes, bound, i, n, words + i);
        if constexpr (!kIsFew)
            std::memcpy(marks + i, &left, kRowsAtOnce<T>);  // the bytes of as many rows
        for (std::uint32_t j = 0; j < kRowsAtOnce<T> && (kIsFew || !kPairs); ++j, left >>= kLanes) {
            const auto here = static_cast<__mmask8>(left);
            if constexpr (kIsFew) {
                marked = _mm256_mask_or_epi32(marked, here, marked, bit);
                bit = _mm256_add_epi32(bit, bit);
            }
            if constexpr (!kPairs)
                if (i + j < n)
                    value =
                        _mm512_mask_add_pd(value, here, value, _mm512_set1_pd(values[rows[i + j]]));
        }
    }
    const __m256i count = counted.sum();
    __m512d weight = _mm512_cvtepu32_pd(count);
    if constexpr (kPairs) {
        weight = _mm512_cvtepu32_pd(_mm256_and_si256(count, _mm256_set1_epi32(RowSums::kPairMask)));
        value = _mm512_cvtepu32_pd(_mm256_srli_epi32(count, RowSums::kPairShift));
    }
    _mm512_storeu_pd(lanes.weight, weight);
    _mm512_storeu_pd(lanes.sum, value);
    const __m512d decrease = decreases(judgement, weight, value);
    _mm512_storeu_pd(lanes.decrease, decrease);
    lanes.winner = winner_of(decrease, judgement.purity, lanes.n_wanted);
    if constexpr (kIsFew) _mm256_storeu_si256(reinterpret_cast<__m256i*>(lanes.marked), marked);
}

template <std::size_t kGroups, class T>
void look_groups(const RowList<T>& list, Mixed key, const RowSums& sums, const Judgement& judgement,
                 Lanes<T>& lanes) {
    const bool is_few = list.n <= kFew;
    const auto loop = sums.values == nullptr ? is_few ? look_at<kGroups, true, true, T>
                                                      : look_at<kGroups, true, false, T>
                      : is_few ? look_at<kGroups, false, true, T>
                                             : look_at<kGroups, false, false, T>;
    loop(list, key, sums, judgement, lanes);
}

template <class T>
void look_wide(const RowList<T>& list, Mixed key, const RowSums& sums, const Judgement& judgement,
               Lanes<T>& lanes) {
    switch (list.stride / kLanes) {
        case 1: return look_groups<1>(list, key, sums, judgement, lanes);
        case 2: return look_groups<2>(list, key, sums, judgement, lanes);
        case 3: return look_groups<3>(list, key, sums, judgement, lanes);
        case 4: return look_groups<4>(list, key, sums, judgement, lanes);
        default: return look_groups<0>(list, key, sums, judgement, lanes);
    }
}

/// The marked ones of sixteen words first, then the others.
TREEWRIGHT_WIDE_INLINE void divide_few(std::uint32_t* words, __mmask16 left, __mmask16 ahead) {
    const __m512i here = _mm512_loadu_si512(words);
    const auto right = static_cast<__mmask16>(~left);
    _mm512_storeu_si512(words, _mm512_mask_expand_epi32(_mm512_maskz_compress_epi32(left, here),
                                                        static_cast<__mmask16>(~ahead),
                                                        _mm512_maskz_compress_epi32(right, here)));
}

template <class T>
TREEWRIGHT_WIDE std::uint32_t divide_wide(const Lanes<T>& lanes, std::size_t lane, std::uint32_t n,
                                          std::uint32_t* rows, std::uint32_t* words,
                                          std::uint32_t* const* spare) {
    if (n <= kFew) {
        // What lies behind the node is not marked, and stays where it is.
        const auto left = static_cast<__mmask16>(lanes.marked[lane]);
        const auto n_marked = static_cast<std::uint32_t>(__builtin_popcount(left));
        const auto ahead = static_cast<__mmask16>((1U << n_marked) - 1U);
        divide_few(rows, left, ahead);
        divide_few(words, left, ahead);
        return n_marked;
    }
    const std::uint8_t* marks = lanes.marks.data();
    std::uint32_t n_left = 0;
    std::uint32_t n_right = 0;
    const __m128i bit = _mm_set1_epi8(static_cast<char>(1U << lane));
    for (std::uint32_t i = 0; i < n; i += 16) {
        const __mmask16 ours = ours_of(i, n);
        const __mmask16 left = _mm_mask_test_epi8_mask(
            ours, _mm_loadu_si128(reinterpret_cast<const __m128i*>(marks + i)), bit);
        const auto right = static_cast<__mmask16>(ours & ~left);
        const auto n_here = static_cast<std::uint32_t>(__builtin_popcount(left));
        const __m512i here[] = {_mm512_loadu_si512(rows + i), _mm512_loadu_si512(words + i)};
        // What is written too much on the left has been read already, but for the rows of others.
        _mm512_mask_storeu_epi32(rows + n_left, ours_of(0, n_here),
                                 _mm512_maskz_compress_epi32(left, here[0]));
        _mm512_mask_storeu_epi32(words + n_left, ours_of(0, n_here),
                                 _mm512_maskz_compress_epi32(left, here[1]));
        _mm512_storeu_si512(spare[0] + n_right, _mm512_maskz_compress_epi32(right, here[0]));
        _mm512_storeu_si512(spare[1] + n_right, _mm512_maskz_compress_epi32(right, here[1]));
        n_left += n_here;
        n_right += static_cast<std::uint32_t>(__builtin_popcount(right));
    }
    for (std::uint32_t i = 0; i < n_right; i += 16) {
        const __mmask16 ours = ours_of(i, n_right);
        _mm512_mask_storeu_epi32(rows + n_left + i, ours, _mm512_loadu_si512(spare[0] + i));
        _mm512_mask_storeu_epi32(words + n_left + i, ours, _mm512_loadu_si512(spare[1] + i));
    }
    return n_left;
}

template <class T>
constexpr RowLoops<T> kWide = {look_wide<T>, divide_wide<T>};
#endif

}  // namespace

template <class T>
const RowLoops<T>& row_loops_anywhere() {
    return kAnywhere<T>;
}

template <class T>
const RowLoops<T>& row_loops() {
#ifdef TREEWRIGHT_AVX512
    if (has_avx512()) return kWide<T>;
#endif
    return kAnywhere<T>;
}

template const RowLoops<float>& row_loops();
template const RowLoops<double>& row_loops();
template const RowLoops<float>& row_loops_anywhere();
template const RowLoops<double>& row_loops_anywhere();

}  // namespace treewright
