/// The loops of rows.hpp, several rows at a time.
#include "treewright/forest/fast/kernels/rows.hpp"

#include <algorithm>
#include <cstring>
#include <limits>

#include "treewright/base/avx512.hpp"
#include "treewright/base/prefetch.hpp"
#include "treewright/forest/fast/kernels/wide_rows.hpp"
#include "treewright/split/judge.hpp"

#ifdef TREEWRIGHT_AVX512

namespace treewright::forest {
namespace {

template <class T>
TREEWRIGHT_WIDE void copy_wide(const CellTable<T>& table, const std::uint32_t* rows,
                               std::uint32_t n, T* to, std::size_t stride) {
    constexpr std::size_t kCells = 32 / sizeof(T);
    for (std::uint32_t i = 0; i < n; ++i, to += stride) {
        if (i + kRowsAhead < n) call_for(table.row(rows[i + kRowsAhead]), table.stride);
        const T* from = table.row(rows[i]);
        for (std::size_t c = 0; c < stride; c += kCells)
            _mm256_storeu_si256(reinterpret_cast<__m256i*>(to + c),
                                _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from + c)));
    }
}

/// Selects the cells of the lanes from a row of kGroups x kLanes cells, for all rows of a register;
/// from a longer row (0) they are gathered.
template <class T, std::size_t kWidth, std::size_t kGroups>
struct Pick;
template <std::size_t kWidth, std::size_t kGroups>
struct Pick<float, kWidth, kGroups> {
    __m512i slots;
    TREEWRIGHT_WIDE_INLINE explicit Pick(const std::uint32_t* slot)
        : slots(kWidth == kLanes ? _mm512_broadcast_i32x8(
                                       _mm256_loadu_si256(reinterpret_cast<const __m256i*>(slot)))
                                 : _mm512_broadcast_i32x4(
                                       _mm_loadu_si128(reinterpret_cast<const __m128i*>(slot)))) {}
    TREEWRIGHT_WIDE_INLINE Cells<float, kWidth> operator()(const float* row) const {
        if constexpr (kGroups == 0 && kWidth == kLanes)
            return {
                _mm512_broadcast_f32x8(_mm256_i32gather_ps(row, _mm512_castsi512_si256(slots), 4))};
        else if constexpr (kGroups == 0)
            return {
                _mm512_broadcast_f32x4(_mm_i32gather_ps(row, _mm512_castsi512_si128(slots), 4))};
        const __m512 first =
            kGroups == 1 ? _mm512_castps256_ps512(_mm256_loadu_ps(row)) : _mm512_loadu_ps(row);
        if constexpr (kGroups <= 2) return {_mm512_permutexvar_ps(slots, first)};
        const __m512 second = kGroups == 3 ? _mm512_castps256_ps512(_mm256_loadu_ps(row + 16))
                                           : _mm512_loadu_ps(row + 16);
        return {_mm512_permutex2var_ps(first, slots, second)};
    }
};
template <std::size_t kWidth, std::size_t kGroups>
struct Pick<double, kWidth, kGroups> {
    __m256i slots;
    TREEWRIGHT_WIDE_INLINE explicit Pick(const std::uint32_t* slot)
        : slots(kWidth == kLanes ? _mm256_loadu_si256(reinterpret_cast<const __m256i*>(slot))
                                 : _mm256_broadcastsi128_si256(
                                       _mm_loadu_si128(reinterpret_cast<const __m128i*>(slot)))) {}
    TREEWRIGHT_WIDE_INLINE Cells<double, kWidth> operator()(const double* row) const {
        if constexpr (kGroups == 0) return {_mm512_i32gather_pd(slots, row, 8)};
        const __m512i at = _mm512_cvtepu32_epi64(slots);
        if constexpr (kGroups == 1) return {_mm512_permutexvar_pd(at, _mm512_loadu_pd(row))};
        const __m512d first =
            _mm512_permutex2var_pd(_mm512_loadu_pd(row), at, _mm512_loadu_pd(row + 8));
        // Two lookups and a choice take half the time of gathering eight doubles.
        const __mmask8 is_later = _mm512_test_epi64_mask(at, _mm512_set1_epi64(16));
        if constexpr (kGroups == 3)
            return {_mm512_mask_permutexvar_pd(first, is_later, at, _mm512_loadu_pd(row + 16))};
        if constexpr (kGroups == 4)
            return {_mm512_mask_mov_pd(
                first, is_later,
                _mm512_permutex2var_pd(_mm512_loadu_pd(row + 16), at, _mm512_loadu_pd(row + 24)))};
        return {first};
    }
};

/// Selects the cells of the lanes and finds their range.
template <std::size_t kGroups, std::size_t kWidth, class T>
TREEWRIGHT_WIDE_INLINE void find_range(const CellTable<T>& table, Lanes<T>& lanes) {
    using Some = Cells<T, kWidth>;
    const Pick<T, kWidth, kGroups> pick(lanes.slot);
    // Local copies, which no store can alias.
    const T* cells = table.cells;
    const std::size_t stride = kGroups > 0 ? kGroups * kLanes : table.stride;
    const std::uint32_t* rows = lanes.rows;
    const std::uint32_t n = lanes.n;
    T* picked = lanes.picked;
    auto lowest = Some::all(std::numeric_limits<T>::infinity());
    auto highest = Some::all(-std::numeric_limits<T>::infinity());
    for (std::uint32_t i = 0; i < n; i += Some::kRows, picked += Some::kRows * kWidth) {
        Some here = pick(cells + rows[i] * stride);
        for (std::uint32_t j = 1; j < Some::kRows; ++j)  // the last row stands in for more
            here.take(static_cast<typename Some::Mask>(((1U << kWidth) - 1U) << j * kWidth),
                      pick(cells + rows[std::min(i + j, n - 1)] * stride));
        here.store(picked);
        lowest.take_min(here);
        highest.take_max(here);
    }
    if constexpr (Some::kRows >= 2) {
        lowest.take_min(lowest.halves());
        highest.take_max(highest.halves());
    }
    if constexpr (Some::kRows == 4) {
        lowest.take_min(lowest.quarters());
        highest.take_max(highest.quarters());
    }
    lowest.store_row(lanes.low);
    highest.store_row(lanes.high);
}

/// DrawnCut of the lanes.
template <std::size_t kWidth, class T>
TREEWRIGHT_WIDE_INLINE void draw_cuts(Lanes<T>& lanes) {
    using W = Wide<kWidth>;
    constexpr double kMost = std::numeric_limits<double>::max();
    const auto low = W::load(lanes.low);
    const auto high = W::load(lanes.high);
    const auto lowest = W::max(low, W::all(-kMost));
    const auto highest = W::min(high, W::all(kMost));
    // The key of the column, mixed for a generator, of which this is the first number.
    const auto keys = W::either(W::all(lanes.key.value()), W::load(lanes.column));
    const auto drawn = mixed<kWidth>(mixed<kWidth>(mixed<kWidth>(keys)));
    const auto share = W::as_doubles(W::template shifted<11>(drawn)) * W::all(0x1.0p-53);
    auto at = lowest * (W::all(1.0) - share) + highest * share;
    at = W::choose(W::template compare<_CMP_LT_OQ>(at, highest), at, lowest);
    W::store(lanes.at, at);
    W::store_floor(lanes.bound, at);
    lanes.varies = static_cast<std::uint8_t>(W::template compare<_CMP_LT_OQ>(low, high));
}

/// Marks the rows up to the bounds and sums them up.
enum class Summed : std::uint8_t { pairs, values, weighed };

/// Cells up to the bounds.
template <class T, std::size_t kWidth>
struct UpToBound {
    Cells<T, kWidth> bound;
    TREEWRIGHT_WIDE_INLINE unsigned operator()(Cells<T, kWidth> cells) const {
        return cells.up_to(bound);
    }
};
/// Cells that are not a number.
template <class T, std::size_t kWidth>
struct Missing {
    TREEWRIGHT_WIDE_INLINE unsigned operator()(Cells<T, kWidth> cells) const {
        return cells.missing();
    }
};

/// Sums over the rows that are marked, by lane.
template <std::size_t kWidth>
struct MarkedSums {
    typename Wide<kWidth>::Words words;
    typename Wide<kWidth>::Doubles values;
    typename Wide<kWidth>::Doubles weights;
};

template <std::size_t kWidth, Summed kSummed, class T, class Test>
TREEWRIGHT_WIDE_INLINE MarkedSums<kWidth> mark_and_add(const CellTable<T>& table,
                                                       const Lanes<T>& lanes, const Test& test,
                                                       std::uint8_t* marks) {
    using W = Wide<kWidth>;
    using Some = Cells<T, kWidth>;
    const __m512i spread = kWidth == kLanes
                               ? _mm512_set_epi32(1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0)
                               : _mm512_set_epi32(3, 3, 3, 3, 2, 2, 2, 2, 1, 1, 1, 1, 0, 0, 0, 0);
    constexpr bool kPairs = kSummed == Summed::pairs;
    // Local copies, which no store can alias.
    const double* values = table.values;
    const double* weights = table.weights;
    const std::uint32_t* rows = lanes.rows;
    const std::uint32_t* words = lanes.words;
    const T* picked = lanes.picked;
    const std::uint32_t n = lanes.n;
    __m512i count = _mm512_setzero_si512();
    auto value = W::all(0.0);
    auto weight = W::all(0.0);
    for (std::uint32_t i = 0; i < n; i += Some::kRows, picked += Some::kRows * kWidth) {
        unsigned left = test(Some::load(picked));
        if (i + Some::kRows > n) left &= (1U << (n - i) * static_cast<std::uint32_t>(kWidth)) - 1U;
        const __m128i few = _mm_loadu_si128(reinterpret_cast<const __m128i*>(words + i));
        count =
            _mm512_mask_add_epi32(count, static_cast<__mmask16>(left), count,
                                  _mm512_permutexvar_epi32(spread, _mm512_castsi128_si512(few)));
        std::memcpy(marks + i * kWidth / 8, &left, sizeof(typename Some::Mask));
        for (std::uint32_t j = 0; j < Some::kRows && !kPairs; ++j, left >>= kWidth) {
            const auto own = static_cast<__mmask8>(left & ((1U << kWidth) - 1U));
            if (i + j < n) value = W::add(value, own, values[rows[i + j]]);
            if (kSummed == Summed::weighed && i + j < n)
                weight = W::add(weight, own, weights[rows[i + j]]);
        }
    }
    return {W::folded(count), value, weight};
}

template <std::size_t kWidth, Summed kSummed, class T>
TREEWRIGHT_WIDE_INLINE void count_up(const CellTable<T>& table, Lanes<T>& lanes) {
    using W = Wide<kWidth>;
    constexpr bool kPairs = kSummed == Summed::pairs;
    const UpToBound<T, kWidth> test{Cells<T, kWidth>::repeat(lanes.bound)};
    const auto [all, value, weight] =
        mark_and_add<kWidth, kSummed>(table, lanes, test, lanes.marks);
    if constexpr (kSummed == Summed::weighed) {
        W::store(lanes.weight, weight);
        W::store(lanes.copies, W::as_doubles(all));
    } else {
        W::store(lanes.weight, W::as_doubles(kPairs ? W::weights(all) : all));
    }
    W::store(lanes.sum, kPairs ? W::as_doubles(W::positives(all)) : value);
}

/// Judgement::decrease of the lanes, and the one that FastLeader would choose among those wanted
/// if no two of them are nearly, but not exactly, tied; kLanes if some are, or if none offers a
/// cut.
template <std::size_t kWidth, Summed kSummed, class T>
TREEWRIGHT_WIDE_INLINE void judge_sums(Lanes<T>& lanes) {
    using W = Wide<kWidth>;
    const Judgement& judgement = lanes.judgement;
    const auto weight = W::load(lanes.weight);
    const auto least = W::all(judgement.least);
    const auto rest = W::all(judgement.weight) - weight;
    auto is_cut = static_cast<__mmask8>(W::template compare<_CMP_GE_OQ>(weight, least) &
                                        W::template compare<_CMP_GE_OQ>(rest, least));
    if constexpr (kSummed == Summed::weighed) {
        const auto copies = W::load(lanes.copies);
        const auto fewest = W::all(judgement.least_copies);
        is_cut &= W::template compare<_CMP_GE_OQ>(copies, fewest);
        is_cut &= W::template compare<_CMP_GE_OQ>(W::all(judgement.copies) - copies, fewest);
    }
    const auto excess = (W::load(lanes.sum) - W::all(judgement.mean_whole) * weight) -
                        W::all(judgement.mean_rest) * weight;
    const auto none = W::all(Judgement::kNoCut);
    const auto decrease =
        W::choose(is_cut, W::all(judgement.factor) * (excess * excess / (weight * rest)), none);
    W::store(lanes.decrease, decrease);

    const auto ours = static_cast<__mmask8>((1U << lanes.n_wanted) - 1U);
    const auto best = W::greatest(W::choose(ours, decrease, none));
    const auto twice = W::all(2.0 * judgement.purity);
    const auto tie = W::all(split::kTie);
    const auto noise = tie * (twice + decrease);
    const auto noise_of_best = tie * (twice + best);
    const unsigned level = ours & W::template compare<_CMP_EQ_OQ>(decrease, best);
    const unsigned near =
        ours & W::template compare<_CMP_LE_OQ>(best, decrease + noise_of_best + noise);
    const unsigned is_any = W::template compare<_CMP_GE_OQ>(best, W::all(0.0));
    const bool is_known = (level == near) & (is_any != 0);
    lanes.winner =
        is_known ? static_cast<std::uint32_t>(__builtin_ctz(level)) : std::uint32_t{kLanes};
}

// Step by step for all nodes: the steps of different nodes are independent, so that their latencies
// overlap.

template <std::size_t kGroups, class T>
TREEWRIGHT_WIDE void pick_groups(const CellTable<T>& table, std::span<Lanes<T>> nodes) {
    if (nodes[0].width == kFewLanes)
        for (Lanes<T>& lanes : nodes) find_range<kGroups, kFewLanes>(table, lanes);
    else
        for (Lanes<T>& lanes : nodes) find_range<kGroups, kLanes>(table, lanes);
}

template <class T>
void pick_wide(const CellTable<T>& table, std::span<Lanes<T>> nodes) {
    switch (table.stride / kLanes) {
        case 1: return pick_groups<1>(table, nodes);
        case 2: return pick_groups<2>(table, nodes);
        case 3: return pick_groups<3>(table, nodes);
        case 4: return pick_groups<4>(table, nodes);
        default: return pick_groups<0>(table, nodes);
    }
}

template <std::size_t kWidth, Summed kSummed, class T>
TREEWRIGHT_WIDE void judge_cuts(const CellTable<T>& table, std::span<Lanes<T>> nodes) {
    for (Lanes<T>& lanes : nodes) draw_cuts<kWidth>(lanes);
    for (Lanes<T>& lanes : nodes) count_up<kWidth, kSummed>(table, lanes);
    for (Lanes<T>& lanes : nodes) judge_sums<kWidth, kSummed>(lanes);
}

template <Summed kSummed, class T>
void judge_summed(const CellTable<T>& table, std::span<Lanes<T>> nodes) {
    if (nodes[0].width == kFewLanes) judge_cuts<kFewLanes, kSummed>(table, nodes);
    else judge_cuts<kLanes, kSummed>(table, nodes);
}

template <class T>
void judge_wide(const CellTable<T>& table, std::span<Lanes<T>> nodes) {
    if (table.weights != nullptr) judge_summed<Summed::weighed>(table, nodes);
    else if (table.values != nullptr) judge_summed<Summed::values>(table, nodes);
    else judge_summed<Summed::pairs>(table, nodes);
}

template <std::size_t kWidth, Summed kSummed, class T>
TREEWRIGHT_WIDE void find_missing_by(const CellTable<T>& table, Lanes<T>& lanes) {
    using W = Wide<kWidth>;
    const auto [words, values, weights] =
        mark_and_add<kWidth, kSummed>(table, lanes, Missing<T, kWidth>{}, lanes.missing);
    W::store(lanes.missing_words, words);
    W::store(lanes.missing_values, values);
    W::store(lanes.missing_weights, weights);
}

template <Summed kSummed, class T>
void find_missing_summed(const CellTable<T>& table, Lanes<T>& lanes) {
    if (lanes.width == kFewLanes) find_missing_by<kFewLanes, kSummed>(table, lanes);
    else find_missing_by<kLanes, kSummed>(table, lanes);
}

template <class T>
void find_missing_wide(const CellTable<T>& table, Lanes<T>& lanes) {
    if (table.weights != nullptr) find_missing_summed<Summed::weighed>(table, lanes);
    else if (table.values != nullptr) find_missing_summed<Summed::values>(table, lanes);
    else find_missing_summed<Summed::pairs>(table, lanes);
}

/// Which of sixteen rows, from the i-th on, are marked in a lane.
template <class T>
TREEWRIGHT_WIDE_INLINE __mmask16 marked_of(const Lanes<T>& lanes, std::size_t lane,
                                           std::uint32_t i) {
    const std::uint8_t* marks = lanes.marks + i * lanes.width / 8;
    if (lanes.width == kLanes)
        return _mm_test_epi8_mask(_mm_loadu_si128(reinterpret_cast<const __m128i*>(marks)),
                                  _mm_set1_epi8(static_cast<char>(1U << lane)));
    static_assert(kFewLanes == 4);
    std::uint64_t bits = 0;
    std::memcpy(&bits, marks, sizeof bits);
    return static_cast<__mmask16>(_pext_u64(bits, 0x1111111111111111ULL << lane));
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
TREEWRIGHT_WIDE std::uint32_t divide_wide(const Lanes<T>& lanes, std::size_t lane,
                                          std::uint32_t* rows, std::uint32_t* words,
                                          std::uint32_t* const* spare) {
    const std::uint32_t n = lanes.n;
    if (n <= 16) {
        // Words after the node are not marked, and stay where they are.
        const auto left = static_cast<__mmask16>(marked_of(lanes, lane, 0) & ours_of(0, n));
        const auto n_marked = static_cast<std::uint32_t>(__builtin_popcount(left));
        const auto ahead = static_cast<__mmask16>((1U << n_marked) - 1U);
        divide_few(rows, left, ahead);
        divide_few(words, left, ahead);
        return n_marked;
    }
    std::uint32_t n_left = 0;
    std::uint32_t n_right = 0;
    for (std::uint32_t i = 0; i < n; i += 16) {
        const __mmask16 ours = ours_of(i, n);
        const auto left = static_cast<__mmask16>(marked_of(lanes, lane, i) & ours);
        const auto right = static_cast<__mmask16>(ours & ~left);
        const auto n_here = static_cast<std::uint32_t>(__builtin_popcount(left));
        const __m512i here[] = {_mm512_loadu_si512(rows + i), _mm512_loadu_si512(words + i)};
        // The overrun on the left has been read already, except for the rows of other nodes.
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
constexpr RowLoops<T> kWide = {copy_wide<T>,  pick_wide<T>,         send_names_avx512<T>,
                               judge_wide<T>, find_missing_wide<T>, judge_classes_avx512<T>,
                               divide_wide<T>};

}  // namespace

template <class T>
const RowLoops<T>& row_loops_avx512() {
    return kWide<T>;
}

template const RowLoops<float>& row_loops_avx512();
template const RowLoops<double>& row_loops_avx512();

}  // namespace treewright::forest

#endif
