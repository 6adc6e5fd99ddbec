#include "treewright/boosting/codebook.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "treewright/base/avx512.hpp"

namespace treewright::boosting {
namespace {

constexpr std::size_t kTogether = 64;
constexpr std::size_t kRegister = 16;  ///< floats of one

/// The cuts as a search tree: the children of the i-th are the 2i-th and the next, the first is the
/// root. Cuts are rounded down to a T, so that x <= cut for the same x of type T, and padded to a
/// full tree.
template <class T>
std::vector<T> tree_of(const std::vector<double>& cuts) {
    const std::size_t n = std::bit_ceil(cuts.size() + 1);
    std::vector<T> made(std::max(n, kRegister), std::numeric_limits<T>::infinity());
    for (std::size_t first = 1, step = n; first < n; first *= 2, step /= 2)
        for (std::size_t i = 0; i < first; ++i) {
            const std::size_t own = i * step + step / 2 - 1;
            if (own >= cuts.size()) continue;
            T& cut = made[first + i];
            cut = static_cast<T>(cuts[own]);
            if (static_cast<double>(cut) > cuts[own])
                cut = std::nextafter(cut, -std::numeric_limits<T>::infinity());
        }
    return made;
}

/// Codes of n <= kTogether numbers: the cuts below each of them. A tree of cuts has 2^n_levels
/// entries, of which it does not use the first.
template <class T, class Code>
void write_codes(const T* tree, unsigned n_levels, std::uint32_t missing, const T* x, std::size_t n,
                 Code* codes) {
    std::uint32_t at[kTogether];
    for (std::size_t i = 0; i < n; ++i) at[i] = 1;
    for (unsigned level = 0; level < n_levels; ++level)
        for (std::size_t i = 0; i < n; ++i) at[i] = 2 * at[i] + (tree[at[i]] < x[i] ? 1U : 0U);
    for (std::size_t i = 0; i < n; ++i)
        codes[i] = static_cast<Code>(x[i] == x[i] ? at[i] - (1U << n_levels) : missing);
}

#ifdef TREEWRIGHT_AVX512
constexpr unsigned kMostLevels = 8;  ///< of a tree that registers hold

/// The cuts at some nodes of a level, of which there are up to 128: those of two registers are
/// picked at once by the last five bits of a node's number, the further bits choose among pairs.
template <std::size_t kRegisters>
TREEWRIGHT_WIDE_INLINE __m512 cuts_at(const float* level, __m512i node) {
    const __m512 first = _mm512_loadu_ps(level);
    if constexpr (kRegisters == 1) return _mm512_permutexvar_ps(node, first);
    else if constexpr (kRegisters == 2)
        return _mm512_permutex2var_ps(first, node, _mm512_loadu_ps(level + kRegister));
    else
        return _mm512_mask_mov_ps(
            cuts_at<kRegisters / 2>(level, node),
            _mm512_test_epi32_mask(node, _mm512_set1_epi32(kRegisters / 2 * kRegister)),
            cuts_at<kRegisters / 2>(level + kRegisters / 2 * kRegister, node));
}

template <std::size_t kRegisters>
TREEWRIGHT_WIDE_INLINE __m512i next_node(const float* level, __m512i node, __m512 x) {
    const __mmask16 is_second = _mm512_cmp_ps_mask(cuts_at<kRegisters>(level, node), x, _CMP_LT_OQ);
    const __m512i twice = _mm512_add_epi32(node, node);
    return _mm512_mask_add_epi32(twice, is_second, twice, _mm512_set1_epi32(1));
}

/// write_codes of floats.
template <class Code>
TREEWRIGHT_WIDE void write_codes_wide(const float* tree, unsigned n_levels, std::uint32_t missing,
                                      const float* x, std::size_t n, Code* codes) {
    const __m512i first_leaf = _mm512_set1_epi32(1 << n_levels);
    const __m512i of_missing = _mm512_set1_epi32(static_cast<int>(missing));
    for (std::size_t i = 0; i < n; i += kRegister) {
        const __mmask16 ours =
            ours_of(static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(n));
        const __m512 here = _mm512_maskz_loadu_ps(ours, x + i);
        __m512i node = _mm512_set1_epi32(1);
        for (unsigned level = 0; level < std::min(n_levels, 4U); ++level)
            node = next_node<1>(tree, node, here);
        if (n_levels > 4) node = next_node<1>(tree + 16, node, here);
        if (n_levels > 5) node = next_node<2>(tree + 32, node, here);
        if (n_levels > 6) node = next_node<4>(tree + 64, node, here);
        if (n_levels > 7) node = next_node<8>(tree + 128, node, here);
        const __m512i code =
            _mm512_mask_mov_epi32(_mm512_sub_epi32(node, first_leaf),
                                  _mm512_cmp_ps_mask(here, here, _CMP_UNORD_Q), of_missing);
        if constexpr (sizeof(Code) == 1) _mm512_mask_cvtepi32_storeu_epi8(codes + i, ours, code);
        else _mm512_mask_cvtepi32_storeu_epi16(codes + i, ours, code);
    }
}
#endif

}  // namespace

Encoder::Encoder(const CodedColumn& coded)
    : is_nominal(coded.is_nominal),
      missing(coded.missing()),
      n_levels(static_cast<unsigned>(std::bit_width(coded.cuts.size()))),
      float_cuts(tree_of<float>(coded.cuts)),
      double_cuts(tree_of<double>(coded.cuts)) {}

template <class T, class Code, class ValueAt>
void Encoder::encode_numbers(const std::vector<T>& cuts, std::size_t begin, std::size_t end,
                             Code* codes, ValueAt&& value_at) const {
    T x[kTogether];
    for (std::size_t first = begin; first < end; first += kTogether) {
        const std::size_t n = std::min(kTogether, end - first);
        for (std::size_t i = 0; i < n; ++i) x[i] = value_at(first + i);
        Code* const own = codes + (first - begin);
#ifdef TREEWRIGHT_AVX512
        if constexpr (sizeof(T) == sizeof(float))
            if (has_avx512() && n_levels <= kMostLevels) {
                write_codes_wide(cuts.data(), n_levels, missing, x, n, own);
                continue;
            }
#endif
        write_codes(cuts.data(), n_levels, missing, x, n, own);
    }
}

template <class Code>
void Encoder::encode(const data::Column& column, std::size_t begin, std::size_t end,
                     Code* codes) const {
    if (is_nominal) {
        for (std::size_t row = begin; row < end; ++row) {
            const auto code = static_cast<std::uint32_t>(column.at<std::int32_t>(row));
            codes[row - begin] = static_cast<Code>(std::min(code, missing));
        }
    } else if (column.type == data::ValueType::f32) {
        encode_numbers(float_cuts, begin, end, codes,
                       [&](std::size_t row) { return column.at<float>(row); });
    } else if (column.type == data::ValueType::f64) {
        encode_numbers(double_cuts, begin, end, codes,
                       [&](std::size_t row) { return column.at<double>(row); });
    } else {
        encode_numbers(double_cuts, begin, end, codes,
                       [&](std::size_t row) { return column.number(row); });
    }
}

template void Encoder::encode(const data::Column&, std::size_t, std::size_t, std::uint8_t*) const;
template void Encoder::encode(const data::Column&, std::size_t, std::size_t, std::uint16_t*) const;

}  // namespace treewright::boosting
