/// Registers of the loops of rows.hpp for AVX-512: numbers of lanes, cells of some rows.
#pragma once

#include <cstddef>
#include <cstdint>

#include "treewright/base/avx512.hpp"
#include "treewright/forest/fast/kernels/rows.hpp"

#ifdef TREEWRIGHT_AVX512

namespace treewright::forest {

/// Numbers of kWidth lanes.
template <std::size_t kWidth>
struct Wide;
template <>
struct Wide<kFewLanes> {
    using Doubles = __m256d;
    using Longs = __m256i;
    using Words = __m128i;
    TREEWRIGHT_WIDE_INLINE static Doubles all(double x) { return _mm256_set1_pd(x); }
    TREEWRIGHT_WIDE_INLINE static Longs all(std::uint64_t x) {
        return _mm256_set1_epi64x(static_cast<long long>(x));
    }
    TREEWRIGHT_WIDE_INLINE static Doubles load(const float* from) {
        return _mm256_cvtps_pd(_mm_loadu_ps(from));
    }
    TREEWRIGHT_WIDE_INLINE static Doubles load(const double* from) { return _mm256_loadu_pd(from); }
    TREEWRIGHT_WIDE_INLINE static Longs load(const std::uint64_t* from) {
        return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
    }
    TREEWRIGHT_WIDE_INLINE static void store(double* to, Doubles x) { _mm256_storeu_pd(to, x); }
    TREEWRIGHT_WIDE_INLINE static void store(std::uint32_t* to, Words x) {
        _mm_storeu_si128(reinterpret_cast<__m128i*>(to), x);
    }
    TREEWRIGHT_WIDE_INLINE static void store_floor(double* to, Doubles x) { store(to, x); }
    TREEWRIGHT_WIDE_INLINE static void store_floor(float* to, Doubles x) {
        const __m256 down = _mm512_cvt_roundpd_ps(_mm512_castpd256_pd512(x),
                                                  _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC);
        _mm_storeu_ps(to, _mm256_castps256_ps128(down));
    }
    TREEWRIGHT_WIDE_INLINE static Doubles min(Doubles x, Doubles y) { return _mm256_min_pd(x, y); }
    TREEWRIGHT_WIDE_INLINE static Doubles max(Doubles x, Doubles y) { return _mm256_max_pd(x, y); }
    template <int kHow>
    TREEWRIGHT_WIDE_INLINE static __mmask8 compare(Doubles x, Doubles y) {
        return _mm256_cmp_pd_mask(x, y, kHow);
    }
    TREEWRIGHT_WIDE_INLINE static Doubles choose(__mmask8 those, Doubles x, Doubles otherwise) {
        return _mm256_mask_mov_pd(otherwise, those, x);
    }
    TREEWRIGHT_WIDE_INLINE static Longs times(Longs x, Longs y) { return _mm256_mullo_epi64(x, y); }
    TREEWRIGHT_WIDE_INLINE static Longs plus(Longs x, Longs y) { return _mm256_add_epi64(x, y); }
    TREEWRIGHT_WIDE_INLINE static Longs either(Longs x, Longs y) { return _mm256_xor_si256(x, y); }
    template <int kBits>
    TREEWRIGHT_WIDE_INLINE static Longs shifted(Longs x) {
        return _mm256_srli_epi64(x, kBits);
    }
    TREEWRIGHT_WIDE_INLINE static Doubles as_doubles(Longs x) { return _mm256_cvtepi64_pd(x); }
    TREEWRIGHT_WIDE_INLINE static Doubles as_doubles(Words x) { return _mm256_cvtepu32_pd(x); }
    /// The sums over the rows of a register.
    TREEWRIGHT_WIDE_INLINE static Words folded(__m512i words) {
        const __m256i half =
            _mm256_add_epi32(_mm512_castsi512_si256(words), _mm512_extracti64x4_epi64(words, 1));
        return _mm_add_epi32(_mm256_castsi256_si128(half), _mm256_extracti128_si256(half, 1));
    }
    TREEWRIGHT_WIDE_INLINE static Words weights(Words pairs) {
        return _mm_and_si128(pairs, _mm_set1_epi32(RowWords::kPairMask));
    }
    TREEWRIGHT_WIDE_INLINE static Words positives(Words pairs) {
        return _mm_srli_epi32(pairs, RowWords::kPairShift);
    }
    /// The greatest of all lanes, in all of them.
    TREEWRIGHT_WIDE_INLINE static Doubles greatest(Doubles x) {
        x = max(x, _mm256_permute4x64_pd(x, 0x4e));
        return max(x, _mm256_permute_pd(x, 0x5));
    }
    TREEWRIGHT_WIDE_INLINE static Doubles add(Doubles x, __mmask8 those, double y) {
        return _mm256_mask_add_pd(x, those, x, all(y));
    }
};
template <>
struct Wide<kLanes> {
    using Doubles = __m512d;
    using Longs = __m512i;
    using Words = __m256i;
    TREEWRIGHT_WIDE_INLINE static Doubles all(double x) { return _mm512_set1_pd(x); }
    TREEWRIGHT_WIDE_INLINE static Longs all(std::uint64_t x) {
        return _mm512_set1_epi64(static_cast<long long>(x));
    }
    TREEWRIGHT_WIDE_INLINE static Doubles load(const float* from) {
        return _mm512_cvtps_pd(_mm256_loadu_ps(from));
    }
    TREEWRIGHT_WIDE_INLINE static Doubles load(const double* from) { return _mm512_loadu_pd(from); }
    TREEWRIGHT_WIDE_INLINE static Longs load(const std::uint64_t* from) {
        return _mm512_loadu_si512(from);
    }
    TREEWRIGHT_WIDE_INLINE static void store(double* to, Doubles x) { _mm512_storeu_pd(to, x); }
    TREEWRIGHT_WIDE_INLINE static void store(std::uint32_t* to, Words x) {
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), x);
    }
    TREEWRIGHT_WIDE_INLINE static void store_floor(double* to, Doubles x) { store(to, x); }
    TREEWRIGHT_WIDE_INLINE static void store_floor(float* to, Doubles x) {
        _mm256_storeu_ps(to, _mm512_cvt_roundpd_ps(x, _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC));
    }
    TREEWRIGHT_WIDE_INLINE static Doubles min(Doubles x, Doubles y) { return _mm512_min_pd(x, y); }
    TREEWRIGHT_WIDE_INLINE static Doubles max(Doubles x, Doubles y) { return _mm512_max_pd(x, y); }
    template <int kHow>
    TREEWRIGHT_WIDE_INLINE static __mmask8 compare(Doubles x, Doubles y) {
        return _mm512_cmp_pd_mask(x, y, kHow);
    }
    TREEWRIGHT_WIDE_INLINE static Doubles choose(__mmask8 those, Doubles x, Doubles otherwise) {
        return _mm512_mask_mov_pd(otherwise, those, x);
    }
    TREEWRIGHT_WIDE_INLINE static Longs times(Longs x, Longs y) { return _mm512_mullo_epi64(x, y); }
    TREEWRIGHT_WIDE_INLINE static Longs plus(Longs x, Longs y) { return _mm512_add_epi64(x, y); }
    TREEWRIGHT_WIDE_INLINE static Longs either(Longs x, Longs y) { return _mm512_xor_si512(x, y); }
    template <int kBits>
    TREEWRIGHT_WIDE_INLINE static Longs shifted(Longs x) {
        return _mm512_srli_epi64(x, kBits);
    }
    TREEWRIGHT_WIDE_INLINE static Doubles as_doubles(Longs x) { return _mm512_cvtepi64_pd(x); }
    TREEWRIGHT_WIDE_INLINE static Doubles as_doubles(Words x) { return _mm512_cvtepu32_pd(x); }
    TREEWRIGHT_WIDE_INLINE static Words folded(__m512i words) {
        return _mm256_add_epi32(_mm512_castsi512_si256(words), _mm512_extracti64x4_epi64(words, 1));
    }
    TREEWRIGHT_WIDE_INLINE static Words weights(Words pairs) {
        return _mm256_and_si256(pairs, _mm256_set1_epi32(RowWords::kPairMask));
    }
    TREEWRIGHT_WIDE_INLINE static Words positives(Words pairs) {
        return _mm256_srli_epi32(pairs, RowWords::kPairShift);
    }
    TREEWRIGHT_WIDE_INLINE static Doubles greatest(Doubles x) {
        return all(_mm512_reduce_max_pd(x));
    }
    TREEWRIGHT_WIDE_INLINE static Doubles add(Doubles x, __mmask8 those, double y) {
        return _mm512_mask_add_pd(x, those, x, all(y));
    }
};

/// A register of cells: those of the lanes, of as many rows as fit.
template <class T, std::size_t kWidth>
struct Cells;
template <std::size_t kWidth>
struct Cells<float, kWidth> {
    __m512 x;
    using Mask = __mmask16;
    static constexpr std::uint32_t kRows = 16 / kWidth;
    TREEWRIGHT_WIDE_INLINE static Cells all(float x) { return {_mm512_set1_ps(x)}; }
    TREEWRIGHT_WIDE_INLINE static Cells load(const float* from) { return {_mm512_loadu_ps(from)}; }
    /// The cells of one row for all of them.
    TREEWRIGHT_WIDE_INLINE static Cells repeat(const float* from) {
        if constexpr (kWidth == kLanes) return {_mm512_broadcast_f32x8(_mm256_loadu_ps(from))};
        else return {_mm512_broadcast_f32x4(_mm_loadu_ps(from))};
    }
    TREEWRIGHT_WIDE_INLINE void store(float* to) const { _mm512_storeu_ps(to, x); }
    /// The first row.
    TREEWRIGHT_WIDE_INLINE void store_row(float* to) const {
        if constexpr (kWidth == kLanes) _mm256_storeu_ps(to, _mm512_castps512_ps256(x));
        else _mm_storeu_ps(to, _mm512_castps512_ps128(x));
    }
    TREEWRIGHT_WIDE_INLINE void take(Mask those, Cells y) { x = _mm512_mask_mov_ps(x, those, y.x); }
    /// Cells that are not a number are passed over: of one and another number the second is kept.
    TREEWRIGHT_WIDE_INLINE void take_min(Cells y) { x = _mm512_min_ps(y.x, x); }
    TREEWRIGHT_WIDE_INLINE void take_max(Cells y) { x = _mm512_max_ps(y.x, x); }
    /// With its halves, and with its quarters swapped.
    TREEWRIGHT_WIDE_INLINE Cells halves() const { return {_mm512_shuffle_f32x4(x, x, 0x4e)}; }
    TREEWRIGHT_WIDE_INLINE Cells quarters() const { return {_mm512_shuffle_f32x4(x, x, 0xb1)}; }
    TREEWRIGHT_WIDE_INLINE Mask up_to(Cells bound) const {
        return _mm512_cmp_ps_mask(x, bound.x, _CMP_LE_OQ);
    }
    /// Those that are not a number.
    TREEWRIGHT_WIDE_INLINE Mask missing() const { return _mm512_cmp_ps_mask(x, x, _CMP_UNORD_Q); }
};
template <std::size_t kWidth>
struct Cells<double, kWidth> {
    __m512d x;
    using Mask = __mmask8;
    static constexpr std::uint32_t kRows = 8 / kWidth;
    TREEWRIGHT_WIDE_INLINE static Cells all(double x) { return {_mm512_set1_pd(x)}; }
    TREEWRIGHT_WIDE_INLINE static Cells load(const double* from) { return {_mm512_loadu_pd(from)}; }
    TREEWRIGHT_WIDE_INLINE static Cells repeat(const double* from) {
        if constexpr (kWidth == kLanes) return load(from);
        else return {_mm512_broadcast_f64x4(_mm256_loadu_pd(from))};
    }
    TREEWRIGHT_WIDE_INLINE void store(double* to) const { _mm512_storeu_pd(to, x); }
    TREEWRIGHT_WIDE_INLINE void store_row(double* to) const {
        if constexpr (kWidth == kLanes) store(to);
        else _mm256_storeu_pd(to, _mm512_castpd512_pd256(x));
    }
    TREEWRIGHT_WIDE_INLINE void take(Mask those, Cells y) { x = _mm512_mask_mov_pd(x, those, y.x); }
    TREEWRIGHT_WIDE_INLINE void take_min(Cells y) { x = _mm512_min_pd(y.x, x); }
    TREEWRIGHT_WIDE_INLINE void take_max(Cells y) { x = _mm512_max_pd(y.x, x); }
    TREEWRIGHT_WIDE_INLINE Cells halves() const { return {_mm512_shuffle_f64x2(x, x, 0x4e)}; }
    TREEWRIGHT_WIDE_INLINE Mask up_to(Cells bound) const {
        return _mm512_cmp_pd_mask(x, bound.x, _CMP_LE_OQ);
    }
    TREEWRIGHT_WIDE_INLINE Mask missing() const { return _mm512_cmp_pd_mask(x, x, _CMP_UNORD_Q); }
};

/// mix of some numbers.
template <std::size_t kWidth>
TREEWRIGHT_WIDE_INLINE typename Wide<kWidth>::Longs mixed(typename Wide<kWidth>::Longs z) {
    using W = Wide<kWidth>;
    z = W::plus(z, W::all(std::uint64_t{0x9e3779b97f4a7c15}));
    z = W::times(W::either(z, W::template shifted<30>(z)),
                 W::all(std::uint64_t{0xbf58476d1ce4e5b9}));
    z = W::times(W::either(z, W::template shifted<27>(z)),
                 W::all(std::uint64_t{0x94d049bb133111eb}));
    return W::either(z, W::template shifted<31>(z));
}

}  // namespace treewright::forest

#endif
