#include "treewright/boost/leaves.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "treewright/base/avx512.hpp"
#include "treewright/base/simd.hpp"
#include "treewright/boost/row_blocks.hpp"

namespace treewright {
namespace {

/// Where a row is, is told by a byte: the first child keeps the number of its parent, the second
/// gets a new one.
constexpr std::size_t kMostPlaces = 256;

/// Rows at place `from` move to place `to` if their code is in the set that `ways` describes.
struct Move {
    const NodeDivision* division = nullptr;
    const std::uint8_t* codes = nullptr;
    bool is_wide = false;
    std::uint8_t from = 0;
    std::uint8_t to = 0;
    /// Codes first, ..., first + length, counted on from 0 after the last that there can be.
    bool is_run = false;
    std::uint16_t first = 0;
    std::uint16_t length = 0;
};

/// Whether the codes that go to the second child follow each other, the last by the first.
void look_for_run(const Ways& ways, Move& move) {
    std::vector<std::uint32_t> turns;
    for (std::uint32_t code = 1; code < ways.n_codes && turns.size() < 3; ++code)
        if (ways.goes_second(code) != ways.goes_second(code - 1)) turns.push_back(code);
    if (turns.empty() || turns.size() > 2) return;
    const bool starts_second = ways.goes_second(0);
    if (turns.size() == 1) turns.push_back(0);  // codes beyond the last do not occur
    move.is_run = true;
    move.first = static_cast<std::uint16_t>(turns[starts_second ? 1 : 0]);
    move.length = static_cast<std::uint16_t>(turns[starts_second ? 0 : 1] - move.first - 1);
}

template <class Code>
TREEWRIGHT_SIMD_INLINE void move_run(const Code* codes, std::size_t n, const Move& move,
                                     std::uint8_t* place) {
    const auto first = static_cast<Code>(move.first);
    const auto length = static_cast<Code>(move.length);
    const std::uint8_t from = move.from;
    const std::uint8_t to = move.to;
    for (std::size_t i = 0; i < n; ++i) {
        const bool moves = static_cast<Code>(codes[i] - first) <= length;
        place[i] = moves & (place[i] == from) ? to : place[i];
    }
}

TREEWRIGHT_SIMD void move_run_of_bytes(const std::uint8_t* codes, std::size_t n, const Move& move,
                                       std::uint8_t* place) {
    move_run(codes, n, move, place);
}
TREEWRIGHT_SIMD void move_run_of_words(const std::uint16_t* codes, std::size_t n, const Move& move,
                                       std::uint8_t* place) {
    move_run(codes, n, move, place);
}

template <class Code>
void move_set(const Code* codes, std::size_t n, const Move& move, std::uint8_t* place) {
    const Ways& ways = move.division->ways;
    for (std::size_t i = 0; i < n; ++i) {
        const bool moves = ways.goes_second(codes[i]) & (place[i] == move.from);
        place[i] = moves ? move.to : place[i];
    }
}

#ifdef TREEWRIGHT_AVX512
/// The bits of all bytes are in two registers, each four times over.
TREEWRIGHT_WIDE void move_set_wide(const std::uint8_t* codes, std::size_t n, const Move& move,
                                   std::uint8_t* place) {
    const std::uint32_t* bits = move.division->ways.bits.data();
    const auto* halves = reinterpret_cast<const __m128i*>(bits);
    const __m512i lower = _mm512_broadcast_i32x4(_mm_loadu_si128(halves));
    const __m512i upper = _mm512_broadcast_i32x4(_mm_loadu_si128(halves + 1));
    const __m512i bit_of = _mm512_set1_epi64(static_cast<long long>(0x8040201008040201));
    const __m512i low_three = _mm512_set1_epi8(7);
    const __m512i low_five = _mm512_set1_epi8(31);
    const __m512i from = _mm512_set1_epi8(static_cast<char>(move.from));
    const __m512i to = _mm512_set1_epi8(static_cast<char>(move.to));
    for (std::size_t i = 0; i < n; i += 64) {
        const __mmask64 ours = n - i >= 64 ? ~__mmask64{0} : (__mmask64{1} << (n - i)) - 1;
        const __m512i code = _mm512_maskz_loadu_epi8(ours, codes + i);
        const __m512i own = _mm512_loadu_si512(place + i);
        const __m512i byte = _mm512_and_si512(_mm512_srli_epi16(code, 3), low_five);
        const __m512i ways = _mm512_mask_shuffle_epi8(_mm512_shuffle_epi8(lower, byte),
                                                      _mm512_movepi8_mask(code), upper, byte);
        const __m512i bit = _mm512_shuffle_epi8(bit_of, _mm512_and_si512(code, low_three));
        const __mmask64 moves =
            _mm512_mask_cmpeq_epi8_mask(_mm512_test_epi8_mask(ways, bit), own, from);
        _mm512_storeu_si512(place + i, _mm512_mask_mov_epi8(own, moves, to));
    }
}

/// Of two bytes: the word with the bit is looked up, where any of sixteen rows asks for it.
TREEWRIGHT_WIDE void move_set_wide(const std::uint16_t* codes, std::size_t n, const Move& move,
                                   std::uint8_t* place) {
    const std::uint32_t* bits = move.division->ways.bits.data();
    const __m512i low_five = _mm512_set1_epi32(31);
    const __m512i one = _mm512_set1_epi32(1);
    const __m128i from = _mm_set1_epi8(static_cast<char>(move.from));
    const __m128i to = _mm_set1_epi8(static_cast<char>(move.to));
    for (std::size_t i = 0; i < n; i += 16) {
        const __m128i own = _mm_loadu_si128(reinterpret_cast<const __m128i*>(place + i));
        const __mmask16 here =
            _mm_cmpeq_epi8_mask(own, from) &
            ours_of(static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(n));
        if (here == 0) continue;
        const __m512i code = _mm512_cvtepu16_epi32(_mm256_maskz_loadu_epi16(here, codes + i));
        const __m512i word = _mm512_mask_i32gather_epi32(_mm512_setzero_si512(), here,
                                                         _mm512_srli_epi32(code, 5), bits, 4);
        const __m512i bit = _mm512_srlv_epi32(word, _mm512_and_si512(code, low_five));
        const __mmask16 moves = _mm512_mask_test_epi32_mask(here, bit, one);
        _mm_storeu_si128(reinterpret_cast<__m128i*>(place + i), _mm_mask_mov_epi8(own, moves, to));
    }
}
#endif

template <class Code>
void move_any(const Code* codes, std::size_t n, const Move& move, std::uint8_t* place) {
#ifdef TREEWRIGHT_AVX512
    if (has_avx512()) return move_set_wide(codes, n, move, place);
#endif
    move_set(codes, n, move, place);
}

void make(const Move& move, std::size_t begin, std::size_t n, std::uint8_t* place) {
    if (move.is_wide) {
        const auto* codes = reinterpret_cast<const std::uint16_t*>(move.codes) + begin;
        return move.is_run ? move_run_of_words(codes, n, move, place)
                           : move_any(codes, n, move, place);
    }
    const std::uint8_t* codes = move.codes + begin;
    return move.is_run ? move_run_of_bytes(codes, n, move, place) : move_any(codes, n, move, place);
}

}  // namespace

void find_leaves(const CodedTable& table, std::span<const NodeDivision> divisions,
                 std::span<std::uint32_t> leaf_of_row, Team& team) {
    const std::size_t n_moves = std::min(divisions.size(), kMostPlaces - 1);
    std::vector<Move> moves(n_moves);
    std::array<std::uint32_t, kMostPlaces> node_of_place{};
    std::vector<const NodeDivision*> division_of(2 * divisions.size() + 1, nullptr);
    std::vector<std::uint8_t> place_of_node(2 * n_moves + 1);
    for (std::size_t i = 0; i < divisions.size(); ++i) {
        const NodeDivision& own = divisions[i];
        division_of[own.node] = &own;
        if (i >= n_moves) continue;
        const Slot& slot = table.slots[own.slot];
        Move& move = moves[i];
        move.division = &own;
        move.codes = table.codes_of(slot);
        move.is_wide = slot.is_wide;
        move.from = place_of_node[own.node];
        move.to = static_cast<std::uint8_t>(i + 1);
        place_of_node[own.first_child] = move.from;
        place_of_node[own.first_child + 1] = move.to;
        node_of_place[move.from] = own.first_child;
        node_of_place[move.to] = own.first_child + 1;
        look_for_run(own.ways, move);
    }
    const bool is_done = n_moves == divisions.size();
    const auto walk = [&](std::size_t row, std::uint32_t node) {
        while (const NodeDivision* own = division_of[node])
            node = own->first_child +
                   (own->ways.goes_second(table.code(table.slots[own->slot], row)) ? 1U : 0U);
        return node;
    };
    by_blocks(table.n_rows, team, [&](std::size_t begin, std::size_t end, std::size_t) {
        const std::size_t n = end - begin;
        std::uint8_t place[kRowsPerBlock] = {};
        for (const Move& move : moves) make(move, begin, n, place);
        for (std::size_t i = 0; i < n; ++i) {
            const std::uint32_t node = node_of_place[place[i]];
            leaf_of_row[begin + i] = is_done ? node : walk(begin + i, node);
        }
    });
}

}  // namespace treewright
