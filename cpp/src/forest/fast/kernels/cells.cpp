#include "treewright/forest/fast/kernels/cells.hpp"

#include <algorithm>
#include <bit>
#include <limits>

#include "treewright/base/avx512.hpp"

namespace treewright::forest {
namespace {

// ------------------------------------------------------------------ any processor

template <class T>
void gather(const T* column, const std::uint32_t* rows, std::uint32_t n, T* to) {
    for (std::uint32_t i = 0; i < n; ++i) to[i] = column[rows[i]];
}

template <class T>
void range(const T* cells, std::uint32_t n, T& low, T& high) {
    low = std::numeric_limits<T>::infinity();
    high = -low;
    for (std::uint32_t i = 0; i < n; ++i) {
        low = cells[i] < low ? cells[i] : low;
        high = cells[i] > high ? cells[i] : high;
    }
}

template <class T>
void count_two(const T* cells, std::uint32_t n, T bound, const std::uint32_t* weights,
               const std::uint32_t* positives, double& weight, double& positive) {
    std::uint64_t w = 0;
    std::uint64_t p = 0;
    for (std::uint32_t i = 0; i < n; ++i) {
        w += cells[i] <= bound ? weights[i] : 0;
        p += cells[i] <= bound ? positives[i] : 0;
    }
    weight = static_cast<double>(w);
    positive = static_cast<double>(p);
}

template <class T>
void count_values(const T* cells, std::uint32_t n, T bound, const std::uint32_t* weights,
                  const double* values, double& weight, double& sum) {
    std::uint64_t w = 0;
    sum = 0.0;
    for (std::uint32_t i = 0; i < n; ++i) {
        w += cells[i] <= bound ? weights[i] : 0;
        sum += cells[i] <= bound ? values[i] : 0.0;
    }
    weight = static_cast<double>(w);
}

template <class T>
std::uint32_t mark_right(const T* cells, std::uint32_t n, T bound, std::uint16_t* marks) {
    std::uint32_t n_left = 0;
    for (std::uint32_t i = 0; i < n; i += kMarksPerWord) {
        std::uint32_t right = 0;
        for (std::uint32_t j = i; j < std::min(n, i + kMarksPerWord); ++j) {
            const std::uint32_t is_right = cells[j] <= bound ? 0 : 1;
            right |= is_right << (j - i);
            n_left += 1 - is_right;
        }
        marks[i / kMarksPerWord] = static_cast<std::uint16_t>(right);
    }
    return n_left;
}

template <class T>
void pick(const T* cells, std::uint32_t n, const std::uint16_t* marks, T* left, T* right,
          std::uint32_t) {
    for (std::uint32_t i = 0; i < n; ++i) {
        const T cell = cells[i];
        if ((marks[i / kMarksPerWord] >> (i % kMarksPerWord) & 1U) != 0) {
            if (right != nullptr) *right++ = cell;
        } else if (left != nullptr) {
            *left++ = cell;
        }
    }
}

template <class T>
constexpr CellLoops<T> kAnywhere = {gather<T>,       range<T>,      count_two<T>,
                                    count_values<T>, mark_right<T>, pick<std::uint32_t>,
                                    pick<double>};

// ------------------------------------------------------------------ AVX-512

#ifdef TREEWRIGHT_AVX512
TREEWRIGHT_WIDE void range_single(const float* cells, std::uint32_t n, float& low, float& high) {
    __m512 lowest = _mm512_set1_ps(std::numeric_limits<float>::infinity());
    __m512 highest = _mm512_set1_ps(-std::numeric_limits<float>::infinity());
    for (std::uint32_t i = 0; i < n; i += 16) {
        const __mmask16 ours = ours_of(i, n);
        const __m512 here = _mm512_loadu_ps(cells + i);
        // Of a cell that is not a number and another number these return the second.
        lowest = _mm512_mask_min_ps(lowest, ours, here, lowest);
        highest = _mm512_mask_max_ps(highest, ours, here, highest);
    }
    low = _mm512_reduce_min_ps(lowest);
    high = _mm512_reduce_max_ps(highest);
}

TREEWRIGHT_WIDE void range_double(const double* cells, std::uint32_t n, double& low, double& high) {
    __m512d lowest = _mm512_set1_pd(std::numeric_limits<double>::infinity());
    __m512d highest = _mm512_set1_pd(-std::numeric_limits<double>::infinity());
    for (std::uint32_t i = 0; i < n; i += 8) {
        const auto ours = static_cast<__mmask8>(ours_of(i, n));
        const __m512d here = _mm512_loadu_pd(cells + i);
        lowest = _mm512_mask_min_pd(lowest, ours, here, lowest);
        highest = _mm512_mask_max_pd(highest, ours, here, highest);
    }
    low = _mm512_reduce_min_pd(lowest);
    high = _mm512_reduce_max_pd(highest);
}

/// Which of sixteen cells are up to the bound.
TREEWRIGHT_WIDE_INLINE std::uint32_t below(const float* cells, float bound) {
    return _mm512_cmp_ps_mask(_mm512_loadu_ps(cells), _mm512_set1_ps(bound), _CMP_LE_OQ);
}
TREEWRIGHT_WIDE_INLINE std::uint32_t below(const double* cells, double bound) {
    const __m512d limit = _mm512_set1_pd(bound);
    return _mm512_cmp_pd_mask(_mm512_loadu_pd(cells), limit, _CMP_LE_OQ) |
           static_cast<std::uint32_t>(
               _mm512_cmp_pd_mask(_mm512_loadu_pd(cells + 8), limit, _CMP_LE_OQ))
               << 8;
}

template <class T>
TREEWRIGHT_WIDE void count_two_wide(const T* cells, std::uint32_t n, T bound,
                                    const std::uint32_t* weights, const std::uint32_t* positives,
                                    double& weight, double& positive) {
    __m512i w = _mm512_setzero_si512();  // the weight of a node is below 2^31
    __m512i p = _mm512_setzero_si512();
    for (std::uint32_t i = 0; i < n; i += 16) {
        const auto left = static_cast<__mmask16>(below(cells + i, bound) & ours_of(i, n));
        w = _mm512_mask_add_epi32(w, left, w, _mm512_loadu_si512(weights + i));
        p = _mm512_mask_add_epi32(p, left, p, _mm512_loadu_si512(positives + i));
    }
    weight = _mm512_reduce_add_epi32(w);
    positive = _mm512_reduce_add_epi32(p);
}

template <class T>
TREEWRIGHT_WIDE void count_values_wide(const T* cells, std::uint32_t n, T bound,
                                       const std::uint32_t* weights, const double* values,
                                       double& weight, double& sum) {
    __m512i w = _mm512_setzero_si512();
    __m512d s = _mm512_setzero_pd();  // whole numbers: the order of adding does not matter
    for (std::uint32_t i = 0; i < n; i += 16) {
        const auto left = static_cast<__mmask16>(below(cells + i, bound) & ours_of(i, n));
        w = _mm512_mask_add_epi32(w, left, w, _mm512_loadu_si512(weights + i));
        s = _mm512_mask_add_pd(s, lower(left), s, _mm512_loadu_pd(values + i));
        s = _mm512_mask_add_pd(s, upper(left), s, _mm512_loadu_pd(values + i + 8));
    }
    weight = _mm512_reduce_add_epi32(w);
    sum = _mm512_reduce_add_pd(s);
}

template <class T>
TREEWRIGHT_WIDE std::uint32_t mark_right_wide(const T* cells, std::uint32_t n, T bound,
                                              std::uint16_t* marks) {
    std::uint32_t n_left = 0;
    for (std::uint32_t i = 0; i < n; i += 16) {
        const std::uint32_t ours = ours_of(i, n);
        const std::uint32_t left = below(cells + i, bound) & ours;
        marks[i / kMarksPerWord] = static_cast<std::uint16_t>(ours & ~left);
        n_left += static_cast<std::uint32_t>(__builtin_popcount(left));
    }
    return n_left;
}

/// The selected ones of sixteen cells, compressed; `room` cells may be written.
TREEWRIGHT_WIDE_INLINE void store_picked(std::uint32_t* to, std::uint32_t picked, std::uint32_t n,
                                         const std::uint32_t* from, std::uint32_t room) {
    const __m512i moved =
        _mm512_maskz_compress_epi32(static_cast<__mmask16>(picked), _mm512_loadu_si512(from));
    if (room >= 16) _mm512_storeu_si512(to, moved);
    else _mm512_mask_storeu_epi32(to, static_cast<__mmask16>((1U << n) - 1U), moved);
}
TREEWRIGHT_WIDE_INLINE void store_picked(double* to, std::uint32_t picked, std::uint32_t n,
                                         const double* from, std::uint32_t) {
    const auto n_low = static_cast<std::uint32_t>(__builtin_popcount(lower(picked)));
    const __m512d first = _mm512_loadu_pd(from);
    const __m512d second = _mm512_loadu_pd(from + 8);
    _mm512_mask_storeu_pd(to, static_cast<__mmask8>((1U << n_low) - 1U),
                          _mm512_maskz_compress_pd(lower(picked), first));
    _mm512_mask_storeu_pd(to + n_low, static_cast<__mmask8>((1U << (n - n_low)) - 1U),
                          _mm512_maskz_compress_pd(upper(picked), second));
}

template <bool kLeft, bool kRight, class T>
TREEWRIGHT_WIDE_INLINE void pick_sides(const T* cells, std::uint32_t n, const std::uint16_t* marks,
                                       T* left, T* right, std::uint32_t n_right) {
    for (std::uint32_t i = 0; i < n; i += 16) {
        const std::uint32_t ours = ours_of(i, n);
        const std::uint32_t is_right = marks[i / kMarksPerWord];
        const auto n_there = static_cast<std::uint32_t>(__builtin_popcount(is_right));
        // Entries must be read before they are overwritten: the right side first.
        if constexpr (kRight) {
            const T* from = cells + i;
            if constexpr (!kLeft) {
                store_picked(right, is_right, n_there, from, ours == 0xffff ? 16 : 0);
            } else {
                store_picked(right, is_right, n_there, from, n_right);
                n_right -= n_there;
            }
            right += n_there;
        }
        if constexpr (kLeft) {
            const std::uint32_t is_left = ours & ~is_right;
            const auto n_here = static_cast<std::uint32_t>(__builtin_popcount(is_left));
            store_picked(left, is_left, n_here, cells + i, ours == 0xffff ? 16 : 0);
            left += n_here;
        }
    }
}

template <class T>
TREEWRIGHT_WIDE void pick_wide(const T* cells, std::uint32_t n, const std::uint16_t* marks, T* left,
                               T* right, std::uint32_t n_right) {
    if (left == nullptr) pick_sides<false, true>(cells, n, marks, left, right, n_right);
    else if (right == nullptr) pick_sides<true, false>(cells, n, marks, left, right, n_right);
    else pick_sides<true, true>(cells, n, marks, left, right, n_right);
}

constexpr std::uint32_t kTouched = 4096;  ///< rows that are fetched after a touch
constexpr std::uint32_t kMostApart = 32;  ///< rows of the table, for each of ours, that it pays for

/// Reads a column from one row to another, one cell per cache line. Random reads from main
/// memory are slow; sequential ones are prefetched by the hardware.
template <class T>
inline void touch(const T* column, std::uint32_t row, std::uint32_t last) {
    constexpr std::uint32_t kPerLine = 64 / sizeof(T);
    for (; row < last; row += kPerLine)
        static_cast<void>(*static_cast<const volatile T*>(column + row));
}

/// As many cells as a register holds, of rows that are kDense cells apart at most.
struct FewSingles {
    static constexpr std::uint32_t kCells = 16;
    static constexpr std::uint32_t kDense = 32;
    TREEWRIGHT_WIDE_INLINE static __m512 dense(const float* column, const std::uint32_t* rows) {
        const float* from = column + *rows;
        const __m512i at =
            _mm512_sub_epi32(_mm512_loadu_si512(rows), _mm512_set1_epi32(static_cast<int>(*rows)));
        return _mm512_permutex2var_ps(_mm512_loadu_ps(from), at, _mm512_loadu_ps(from + kCells));
    }
    TREEWRIGHT_WIDE_INLINE static __m512 sparse(const float* column, const std::uint32_t* rows,
                                                __mmask16 ours) {
        const __m512i at = _mm512_maskz_loadu_epi32(ours, rows);
        return _mm512_mask_i32gather_ps(_mm512_setzero_ps(), ours, at, column, 4);
    }
    TREEWRIGHT_WIDE_INLINE static void store(float* to, __mmask16 ours, __m512 cells) {
        _mm512_mask_storeu_ps(to, ours, cells);
    }
};
struct FewDoubles {
    static constexpr std::uint32_t kCells = 8;
    static constexpr std::uint32_t kDense = 16;
    TREEWRIGHT_WIDE_INLINE static __m512d dense(const double* column, const std::uint32_t* rows) {
        const double* from = column + *rows;
        const __m256i here = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(rows));
        const __m512i at = _mm512_cvtepu32_epi64(
            _mm256_sub_epi32(here, _mm256_set1_epi32(static_cast<int>(*rows))));
        return _mm512_permutex2var_pd(_mm512_loadu_pd(from), at, _mm512_loadu_pd(from + kCells));
    }
    TREEWRIGHT_WIDE_INLINE static __m512d sparse(const double* column, const std::uint32_t* rows,
                                                 __mmask16 ours) {
        const __m256i at = _mm256_maskz_loadu_epi32(static_cast<__mmask8>(ours), rows);
        return _mm512_mask_i32gather_pd(_mm512_setzero_pd(), static_cast<__mmask8>(ours), at,
                                        column, 8);
    }
    TREEWRIGHT_WIDE_INLINE static void store(double* to, __mmask16 ours, __m512d cells) {
        _mm512_mask_storeu_pd(to, static_cast<__mmask8>(ours), cells);
    }
};

template <class Few, class T>
TREEWRIGHT_WIDE void gather_wide(const T* column, const std::uint32_t* rows, std::uint32_t n,
                                 T* to) {
    for (std::uint32_t begin = 0; begin < n; begin += kTouched) {
        const std::uint32_t end = std::min(n, begin + kTouched);
        const std::uint32_t last = rows[end - 1];
        const std::uint32_t apart = last - rows[begin];
        std::uint32_t i = begin;
        if (apart < (end - begin) / 3 * 5) {
            // Most of the cells are needed: they are read in order, and the others dropped.
            for (; i + Few::kCells <= end; i += Few::kCells) {
                const bool is_dense = rows[i + Few::kCells - 1] - rows[i] < Few::kDense;
                Few::store(to + i, 0xffff,
                           is_dense ? Few::dense(column, rows + i)
                                    : Few::sparse(column, rows + i, 0xffff));
            }
        } else if (apart < (end - begin) * kMostApart) {
            touch(column, rows[begin], last);
        }
        for (; i < end; i += Few::kCells) {
            const __mmask16 ours = ours_of(i, end);
            Few::store(to + i, ours, Few::sparse(column, rows + i, ours));
        }
    }
}

template <class T, class Few, auto kRange>
constexpr CellLoops<T> kWide = {gather_wide<Few, T>, kRange,
                                count_two_wide<T>,   count_values_wide<T>,
                                mark_right_wide<T>,  pick_wide<std::uint32_t>,
                                pick_wide<double>};
#endif

}  // namespace

template <class T>
const CellLoops<T>& cell_loops_anywhere() {
    return kAnywhere<T>;
}

template <>
const CellLoops<float>& cell_loops() {
#ifdef TREEWRIGHT_AVX512
    if (has_avx512()) return kWide<float, FewSingles, range_single>;
#endif
    return kAnywhere<float>;
}

template <>
const CellLoops<double>& cell_loops() {
#ifdef TREEWRIGHT_AVX512
    if (has_avx512()) return kWide<double, FewDoubles, range_double>;
#endif
    return kAnywhere<double>;
}

template const CellLoops<float>& cell_loops_anywhere();
template const CellLoops<double>& cell_loops_anywhere();

}  // namespace treewright::forest
