/// RowLoops::send_names for wide registers: the names of up to eight columns at a time.
#include <cstring>
#include <span>

#include "treewright/base/avx512.hpp"
#include "treewright/forest/fast/kernels/rows.hpp"
#include "treewright/forest/fast/kernels/wide_rows.hpp"

#ifdef TREEWRIGHT_AVX512

namespace treewright::forest {
namespace {

/// Eight cells as codes; one that is not a number is far beyond all of them.
TREEWRIGHT_WIDE_INLINE __m512i codes_of(const float* cells) {
    return _mm512_cvtepu32_epi64(_mm256_cvtps_epi32(_mm256_loadu_ps(cells)));
}
TREEWRIGHT_WIDE_INLINE __m512i codes_of(const double* cells) {
    return _mm512_cvtpd_epi64(_mm512_loadu_pd(cells));
}
/// Writes 0 or 1 over those of eight cells that are numbers.
TREEWRIGHT_WIDE_INLINE void set_sides(float* cells, __mmask8 those, __mmask8 second) {
    const __m256 old = _mm256_loadu_ps(cells);
    const auto known = static_cast<__mmask8>(those & _mm256_cmp_ps_mask(old, old, _CMP_ORD_Q));
    const __m256 side = _mm256_maskz_mov_ps(second, _mm256_set1_ps(1.0F));
    _mm256_storeu_ps(cells, _mm256_mask_mov_ps(old, known, side));
}
TREEWRIGHT_WIDE_INLINE void set_sides(double* cells, __mmask8 those, __mmask8 second) {
    const __m512d old = _mm512_loadu_pd(cells);
    const auto known = static_cast<__mmask8>(those & _mm512_cmp_pd_mask(old, old, _CMP_ORD_Q));
    const __m512d side = _mm512_maskz_mov_pd(second, _mm512_set1_pd(1.0));
    _mm512_storeu_pd(cells, _mm512_mask_mov_pd(old, known, side));
}

/// The first n coins of a generator, from the last bit on.
TREEWRIGHT_WIDE_INLINE std::uint64_t coins_of(std::uint64_t key, std::uint32_t n) {
    using W = Wide<kLanes>;
    std::uint64_t coins = 0;
    auto counter = _mm512_set_epi64(7, 6, 5, 4, 3, 2, 1, 0);
    for (std::uint32_t i = 0; i < n; i += kLanes) {
        const auto drawn = mixed<kLanes>(W::either(W::all(Mixed(key).value()), counter));
        coins |= std::uint64_t{_mm512_movepi64_mask(drawn)} << i;
        counter = W::plus(counter, W::all(std::uint64_t{kLanes}));
    }
    return coins;
}

/// Which names the lanes have; returns the cells of full registers.
template <std::size_t kWidth, class T>
TREEWRIGHT_WIDE_INLINE std::size_t find_names(Lanes<T>& lanes) {
    constexpr std::uint32_t kRows = Cells<T, kWidth>::kRows;
    const std::size_t n_cells = (lanes.n + kRows - 1) / kRows * kRows * kWidth;
    const T* picked = lanes.picked;
    const __m512i one = _mm512_set1_epi64(1);
    __m512i there = _mm512_setzero_si512();
    for (std::size_t i = 0; i < n_cells; i += 8)  // shifted out if it is not a number
        there = _mm512_or_si512(there, _mm512_sllv_epi64(one, codes_of(picked + i)));
    if constexpr (kWidth == kFewLanes)
        there = _mm512_or_si512(there, _mm512_shuffle_i64x2(there, there, 0x4e));
    std::uint64_t own[kLanes];
    _mm512_storeu_si512(own, there);
    std::memcpy(lanes.there, own, kWidth * sizeof *own);
    return n_cells;
}

template <std::size_t kWidth, class T>
TREEWRIGHT_WIDE_INLINE void send_to_sides(Lanes<T>& lanes) {
    const std::size_t n_cells = find_names<kWidth>(lanes);
    unsigned sent = 0;
    for (unsigned left = lanes.names; left != 0; left &= left - 1) {
        const auto lane = static_cast<std::size_t>(__builtin_ctz(left));
        if (!(lanes.low[lane] < lanes.high[lane])) continue;
        const std::uint64_t there = lanes.there[lane];
        const std::uint64_t key = lanes.key.with(lanes.column[lane]);
        const auto n = static_cast<std::uint32_t>(__builtin_popcountll(there));
        std::uint64_t second = _pdep_u64(coins_of(key, n), there);
        if (second == 0 || second == there)
            second ^= _pdep_u64(std::uint64_t{1} << name_to_move(key, n), there);
        lanes.second[lane] = second;
        lanes.low[lane] = T{0};
        lanes.high[lane] = T{1};
        sent |= 1U << lane;
    }
    if (sent == 0) return;
    const auto those = static_cast<__mmask8>(kWidth == kFewLanes ? sent | sent << kFewLanes : sent);
    std::uint64_t seconds[kLanes];
    for (std::size_t lane = 0; lane < kLanes; ++lane) seconds[lane] = lanes.second[lane % kWidth];
    const __m512i second = _mm512_loadu_si512(seconds);
    const __m512i one = _mm512_set1_epi64(1);
    T* picked = lanes.picked;
    for (std::size_t i = 0; i < n_cells; i += 8)
        set_sides(picked + i, those,
                  _mm512_test_epi64_mask(_mm512_srlv_epi64(second, codes_of(picked + i)), one));
}

template <class T>
TREEWRIGHT_WIDE void send_all(std::span<Lanes<T>> nodes) {
    for (Lanes<T>& lanes : nodes) {
        if (lanes.names == 0) continue;
        if (lanes.width == kFewLanes) send_to_sides<kFewLanes>(lanes);
        else send_to_sides<kLanes>(lanes);
    }
}

}  // namespace

template <class T>
void send_names_avx512(std::span<Lanes<T>> nodes) {
    send_all(nodes);
}

template void send_names_avx512(std::span<Lanes<float>>);
template void send_names_avx512(std::span<Lanes<double>>);

}  // namespace treewright::forest

#endif
