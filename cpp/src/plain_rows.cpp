#include "treewright/split/plain_rows.hpp"

#include <algorithm>
#include <limits>

#include "treewright/base/avx512.hpp"

namespace treewright {
namespace {

// ------------------------------------------------------------------ any processor

template <class T>
const T* cells_of(const RowList<T>& list, std::uint32_t i) {
    return list.cells + list.rows[i] * list.stride;
}

template <class T>
void draw(const RowList<T>& list, Mixed key, const DrawnCuts<T>& cuts) {
    std::fill_n(cuts.varies, list.n_groups, std::uint8_t{0});
    for (std::size_t c = 0; c < list.n_groups * kLanes; ++c) {
        T low = cells_of(list, 0)[c];
        T high = low;
        for (std::uint32_t i = 1; i < list.n; ++i) {
            const T cell = cells_of(list, i)[c];
            low = cell < low ? cell : low;
            high = cell > high ? cell : high;
        }
        if (!(low < high)) continue;
        cuts.varies[c / kLanes] |= static_cast<std::uint8_t>(1U << (c % kLanes));
        const DrawnCut<T> cut(key, cuts.columns[c], low, high);
        cuts.at[c] = cut.at;
        cuts.bound[c] = cut.bound;
    }
}

/// Calls add(row, column) for every cell that is up to its bound.
template <class T, class Add>
void for_each_below(const RowList<T>& list, const T* bound, const std::uint8_t* wanted,
                    const Add& add) {
    for (std::uint32_t i = 0; i < list.n; ++i)
        for (std::size_t c = 0; c < list.n_groups * kLanes; ++c)
            if ((wanted[c / kLanes] >> (c % kLanes) & 1U) != 0 && cells_of(list, i)[c] <= bound[c])
                add(list.rows[i], c);
}

template <class T>
void count(const RowList<T>& list, const T* bound, const std::uint8_t* wanted,
           const std::uint32_t* words, std::uint32_t* sums) {
    std::fill_n(sums, list.n_groups * kLanes, 0U);
    for_each_below(list, bound, wanted,
                   [&](std::uint32_t row, std::size_t column) { sums[column] += words[row]; });
}

template <class T>
void count_values(const RowList<T>& list, const T* bound, const std::uint8_t* wanted,
                  const std::uint32_t* words, const double* values, std::uint32_t* sums,
                  double* value_sums) {
    std::fill_n(sums, list.n_groups * kLanes, 0U);
    std::fill_n(value_sums, list.n_groups * kLanes, 0.0);
    for_each_below(list, bound, wanted, [&](std::uint32_t row, std::size_t column) {
        sums[column] += words[row];
        value_sums[column] += values[row];
    });
}

template <class T>
std::uint32_t divide(const T* column, std::size_t stride, T bound, std::uint32_t* rows,
                     std::uint32_t n, std::uint32_t* spare) {
    std::uint32_t n_left = 0;
    std::uint32_t n_right = 0;
    for (std::uint32_t i = 0; i < n; ++i) {
        const std::uint32_t row = rows[i];
        if (column[row * stride] <= bound) rows[n_left++] = row;
        else spare[n_right++] = row;
    }
    std::copy_n(spare, n_right, rows + n_left);
    return n_left;
}

template <class T>
constexpr RowLoops<T> kAnywhere = {draw<T>, count<T>, count_values<T>, divide<T>};

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
    TREEWRIGHT_WIDE_INLINE __mmask8 up_to(Singles bound, __mmask8 wanted) const {
        return _mm256_mask_cmp_ps_mask(wanted, x, bound.x, _CMP_LE_OQ);
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
    TREEWRIGHT_WIDE_INLINE __mmask8 up_to(Doubles bound, __mmask8 wanted) const {
        return _mm512_mask_cmp_pd_mask(wanted, x, bound.x, _CMP_LE_OQ);
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

/// Groups of columns whose sums are held in registers at a time.
constexpr std::size_t kMostGroups = 4;

/// The part of a list that is groups first, first + 1, ...
template <class T>
TREEWRIGHT_WIDE_INLINE const T* wide_cells(const RowList<T>& list, std::uint32_t i,
                                           std::size_t first) {
    return list.cells + list.rows[i] * list.stride + first * kLanes;
}

/// mix of eight numbers.
TREEWRIGHT_WIDE_INLINE __m512i mixed(__m512i z) {
    const auto constant = [](std::uint64_t value)
        __attribute__((always_inline, target("avx512f,avx512dq,avx512bw,avx512vl,bmi2,popcnt"))) {
        return _mm512_set1_epi64(static_cast<long long>(value));
    };
    z = _mm512_add_epi64(z, constant(0x9e3779b97f4a7c15ULL));
    z = _mm512_mullo_epi64(_mm512_xor_si512(z, _mm512_srli_epi64(z, 30)),
                           constant(0xbf58476d1ce4e5b9ULL));
    z = _mm512_mullo_epi64(_mm512_xor_si512(z, _mm512_srli_epi64(z, 27)),
                           constant(0x94d049bb133111ebULL));
    return _mm512_xor_si512(z, _mm512_srli_epi64(z, 31));
}

/// DrawnCut of eight columns.
template <class T>
TREEWRIGHT_WIDE_INLINE void draw_eight(Mixed key, Eight<T> low, Eight<T> high, std::size_t g,
                                       const DrawnCuts<T>& cuts) {
    const __m512d most = _mm512_set1_pd(std::numeric_limits<double>::max());
    const __m512d one = _mm512_set1_pd(1.0);
    const __m512d lowest = _mm512_max_pd(low.doubles(), _mm512_sub_pd(_mm512_setzero_pd(), most));
    const __m512d highest = _mm512_min_pd(high.doubles(), most);
    const __m512i columns = _mm512_loadu_si512(cuts.columns + g * kLanes);
    // The key of the column, mixed for a generator, of which this is the first number.
    const __m512i keys =
        _mm512_xor_si512(_mm512_set1_epi64(static_cast<long long>(key.value())), columns);
    const __m512i drawn = mixed(mixed(mixed(keys)));
    const __m512d share =
        _mm512_mul_pd(_mm512_cvtepi64_pd(_mm512_srli_epi64(drawn, 11)), _mm512_set1_pd(0x1.0p-53));
    __m512d at = _mm512_add_pd(_mm512_mul_pd(lowest, _mm512_sub_pd(one, share)),
                               _mm512_mul_pd(highest, share));
    at = _mm512_mask_mov_pd(lowest, _mm512_cmp_pd_mask(at, highest, _CMP_LT_OQ), at);
    _mm512_storeu_pd(cuts.at + g * kLanes, at);
    Eight<T>::floor(at).store(cuts.bound + g * kLanes);
    cuts.varies[g] =
        static_cast<std::uint8_t>(_mm512_cmp_pd_mask(low.doubles(), high.doubles(), _CMP_LT_OQ));
}

template <std::size_t kGroups, class T>
TREEWRIGHT_WIDE void draw_of(const RowList<T>& list, std::size_t first, Mixed key,
                             const DrawnCuts<T>& cuts) {
    Eight<T> lowest[kGroups];
    Eight<T> highest[kGroups];
    for (std::size_t g = 0; g < kGroups; ++g)
        lowest[g] = highest[g] = Eight<T>::load(wide_cells(list, 0, first) + g * kLanes);
    for (std::uint32_t i = 1; i < list.n; ++i) {
        const T* cells = wide_cells(list, i, first);
        for (std::size_t g = 0; g < kGroups; ++g) {
            const Eight<T> here = Eight<T>::load(cells + g * kLanes);
            lowest[g].take_min(here);
            highest[g].take_max(here);
        }
    }
    for (std::size_t g = 0; g < kGroups; ++g)
        draw_eight<T>(key, lowest[g], highest[g], first + g, cuts);
}

template <std::size_t kGroups, bool kValues, class T>
TREEWRIGHT_WIDE void count_of(const RowList<T>& list, std::size_t first, const T* bound,
                              const std::uint8_t* wanted, const std::uint32_t* words,
                              const double* values, std::uint32_t* sums, double* value_sums) {
    Eight<T> limit[kGroups];
    __mmask8 looked_at[kGroups];
    __m256i sum[kGroups];
    __m512d value_sum[kGroups];
    for (std::size_t g = 0; g < kGroups; ++g) {
        limit[g] = Eight<T>::load(bound + (first + g) * kLanes);
        looked_at[g] = wanted[first + g];
        sum[g] = _mm256_setzero_si256();
        value_sum[g] = _mm512_setzero_pd();
    }
    for (std::uint32_t i = 0; i < list.n; ++i) {
        const T* cells = wide_cells(list, i, first);
        const __m256i word = _mm256_set1_epi32(static_cast<int>(words[list.rows[i]]));
        for (std::size_t g = 0; g < kGroups; ++g) {
            const __mmask8 left = Eight<T>::load(cells + g * kLanes).up_to(limit[g], looked_at[g]);
            sum[g] = _mm256_mask_add_epi32(sum[g], left, sum[g], word);
            if constexpr (kValues)
                value_sum[g] = _mm512_mask_add_pd(value_sum[g], left, value_sum[g],
                                                  _mm512_set1_pd(values[list.rows[i]]));
        }
    }
    for (std::size_t g = 0; g < kGroups; ++g) {
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(sums + (first + g) * kLanes), sum[g]);
        if constexpr (kValues) _mm512_storeu_pd(value_sums + (first + g) * kLanes, value_sum[g]);
    }
}

/// Calls work<k>(first) for the groups of a list, as many at a time as registers hold.
template <class Work>
inline void by_groups(std::size_t n_groups, const Work& work) {
    std::size_t first = 0;
    for (; n_groups - first > kMostGroups; first += kMostGroups)
        work.template operator()<kMostGroups>(first);
    switch (n_groups - first) {
        case 1: return work.template operator()<1>(first);
        case 2: return work.template operator()<2>(first);
        case 3: return work.template operator()<3>(first);
        default: return work.template operator()<kMostGroups>(first);
    }
}

template <class T>
void draw_wide(const RowList<T>& list, Mixed key, const DrawnCuts<T>& cuts) {
    by_groups(list.n_groups, [&]<std::size_t kGroups>(std::size_t first) {
        draw_of<kGroups>(list, first, key, cuts);
    });
}

template <class T>
void count_wide(const RowList<T>& list, const T* bound, const std::uint8_t* wanted,
                const std::uint32_t* words, std::uint32_t* sums) {
    by_groups(list.n_groups, [&]<std::size_t kGroups>(std::size_t first) {
        count_of<kGroups, false>(list, first, bound, wanted, words, nullptr, sums, nullptr);
    });
}

template <class T>
void count_values_wide(const RowList<T>& list, const T* bound, const std::uint8_t* wanted,
                       const std::uint32_t* words, const double* values, std::uint32_t* sums,
                       double* value_sums) {
    by_groups(list.n_groups, [&]<std::size_t kGroups>(std::size_t first) {
        count_of<kGroups, true>(list, first, bound, wanted, words, values, sums, value_sums);
    });
}

/// Which of sixteen rows have a cell up to the bound.
TREEWRIGHT_WIDE_INLINE __mmask16 below(const float* column, __m512i at, float bound,
                                       __mmask16 ours) {
    return _mm512_mask_cmp_ps_mask(
        ours, _mm512_mask_i32gather_ps(_mm512_setzero_ps(), ours, at, column, 4),
        _mm512_set1_ps(bound), _CMP_LE_OQ);
}
TREEWRIGHT_WIDE_INLINE __mmask8 below(const double* column, __m256i at, __m512d bound,
                                      __mmask8 ours) {
    return _mm512_mask_cmp_pd_mask(
        ours, _mm512_mask_i32gather_pd(_mm512_setzero_pd(), ours, at, column, 8), bound,
        _CMP_LE_OQ);
}
TREEWRIGHT_WIDE_INLINE __mmask16 below(const double* column, __m512i at, double bound,
                                       __mmask16 ours) {
    const __m512d limit = _mm512_set1_pd(bound);
    const unsigned low = below(column, _mm512_castsi512_si256(at), limit, lower(ours));
    const unsigned high = below(column, _mm512_extracti64x4_epi64(at, 1), limit, upper(ours));
    return static_cast<__mmask16>(low | high << 8);
}

template <class T>
TREEWRIGHT_WIDE std::uint32_t divide_wide(const T* column, std::size_t stride, T bound,
                                          std::uint32_t* rows, std::uint32_t n,
                                          std::uint32_t* spare) {
    std::uint32_t n_left = 0;
    std::uint32_t n_right = 0;
    const __m512i strides = _mm512_set1_epi32(static_cast<int>(stride));
    for (std::uint32_t i = 0; i < n; i += 16) {
        const __mmask16 ours = ours_of(i, n);
        const __m512i here = _mm512_loadu_si512(rows + i);
        const __mmask16 left = below(column, _mm512_mullo_epi32(here, strides), bound, ours);
        const auto right = static_cast<__mmask16>(ours & ~left);
        const auto n_here = static_cast<std::uint32_t>(__builtin_popcount(left));
        // What is written too much on the left has been read already, but for the rows of others.
        _mm512_mask_storeu_epi32(rows + n_left, ours_of(0, n_here),
                                 _mm512_maskz_compress_epi32(left, here));
        _mm512_storeu_si512(spare + n_right, _mm512_maskz_compress_epi32(right, here));
        n_left += n_here;
        n_right += static_cast<std::uint32_t>(__builtin_popcount(right));
    }
    for (std::uint32_t i = 0; i < n_right; i += 16)
        _mm512_mask_storeu_epi32(rows + n_left + i, ours_of(i, n_right),
                                 _mm512_loadu_si512(spare + i));
    return n_left;
}

template <class T>
constexpr RowLoops<T> kWide = {draw_wide<T>, count_wide<T>, count_values_wide<T>, divide_wide<T>};
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
