#include "treewright/boosting/leaves.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "treewright/base/simd.hpp"
#include "treewright/boosting/row_blocks.hpp"

namespace treewright::boosting {
namespace {

/// The place of a row is a byte: the first child keeps the number of its parent, the second
/// gets a new one. Rows of larger trees walk on alone.
constexpr std::size_t kMostPlaces = 256;

/// Rows at place `from` move to place `to` if they go to the second child.
struct Move {
    std::uint8_t from = 0;
    std::uint8_t to = 0;
    const Slot* slot = nullptr;
    /// Codes first, first + 1, ..., first + length go there, where the largest code is followed
    /// by 0; or those for which a table of the slot has a bit.
    bool is_run = false;
    std::uint16_t first = 0;
    std::uint16_t length = 0;
    std::size_t table = 0;
    std::uint8_t bit = 0;
};

/// By code of a slot: the branches of eight divisions, a bit each.
struct BitsOfCode {
    const Slot* slot = nullptr;
    std::vector<std::uint8_t> bits;
    std::size_t n_used = 0;
};

/// Checks whether the codes that go to the second child are consecutive.
void look_for_run(const Ways& ways, Move& move) {
    std::uint32_t turns[3] = {};  // codes of another branch than the code before
    std::size_t n_turns = 0;
    for (std::uint32_t code = 1; code < ways.n_codes && n_turns < 3; ++code)
        if (ways.goes_second(code) != ways.goes_second(code - 1)) turns[n_turns++] = code;
    move.is_run = n_turns == 1 || n_turns == 2;  // of one, the run wraps around to code 0
    const bool is_turned = ways.goes_second(0);
    move.first = static_cast<std::uint16_t>(turns[is_turned ? 1 : 0]);
    move.length = static_cast<std::uint16_t>(turns[is_turned ? 0 : 1] - move.first - 1);
}

template <class Code>
TREEWRIGHT_SIMD_INLINE void move_run(const Code* codes, std::size_t n, const Move& move,
                                     std::uint8_t* place) {
    const auto first = static_cast<Code>(move.first);
    const auto length = static_cast<Code>(move.length);
    const std::uint8_t from = move.from;
    const std::uint8_t to = move.to;
    for (std::size_t i = 0; i < n; ++i) {
        const bool goes_second = static_cast<Code>(codes[i] - first) <= length;
        place[i] = goes_second & (place[i] == from) ? to : place[i];
    }
}

TREEWRIGHT_SIMD void move_by_bytes(const std::uint8_t* codes, std::size_t n, const Move& move,
                                   std::uint8_t* place) {
    move_run(codes, n, move, place);
}
TREEWRIGHT_SIMD void move_by_words(const std::uint16_t* codes, std::size_t n, const Move& move,
                                   std::uint8_t* place) {
    move_run(codes, n, move, place);
}
TREEWRIGHT_SIMD void move_by_bits(const std::uint8_t* bits, std::size_t n, const Move& move,
                                  std::uint8_t* place) {
    const std::uint8_t bit = move.bit;
    const std::uint8_t from = move.from;
    const std::uint8_t to = move.to;
    for (std::size_t i = 0; i < n; ++i)
        place[i] = ((bits[i] & bit) != 0) & (place[i] == from) ? to : place[i];
}

class LeafFinder {
public:
    LeafFinder(const CodedTable& table, std::span<const NodeDivision> divisions)
        : table(table), division_of_node(2 * divisions.size() + 1, nullptr) {
        for (const NodeDivision& division : divisions) division_of_node[division.node] = &division;
        const std::size_t n_moves = std::min(divisions.size(), kMostPlaces - 1);
        std::vector<std::uint8_t> place_of_node(2 * n_moves + 1);
        for (const NodeDivision& division : divisions.first(n_moves))
            add_move(division, place_of_node);
        ends_here = n_moves == divisions.size();
    }

    [[nodiscard]] std::size_t scratch_size() const { return tables.size() * kRowsPerBlock; }

    void find(std::size_t begin, std::size_t end, std::vector<std::uint8_t>& scratch,
              std::uint32_t* leaf_of_row) const {
        const std::size_t n = end - begin;
        for (std::size_t t = 0; t < tables.size(); ++t)
            look_up(tables[t], begin, n, scratch.data() + t * kRowsPerBlock);
        std::uint8_t place[kRowsPerBlock] = {};
        for (const Move& move : moves) {
            const std::uint8_t* codes = table.codes_of(*move.slot);
            if (!move.is_run)
                move_by_bits(scratch.data() + move.table * kRowsPerBlock, n, move, place);
            else if (move.slot->is_wide)
                move_by_words(reinterpret_cast<const std::uint16_t*>(codes) + begin, n, move,
                              place);
            else move_by_bytes(codes + begin, n, move, place);
        }
        for (std::size_t i = 0; i < n; ++i) leaf_of_row[begin + i] = node_of_place[place[i]];
        if (!ends_here)
            for (std::size_t row = begin; row < end; ++row)
                leaf_of_row[row] = walk_on(row, leaf_of_row[row]);
    }

private:
    void add_move(const NodeDivision& division, std::vector<std::uint8_t>& place_of_node) {
        Move move;
        move.from = place_of_node[division.node];
        move.to = static_cast<std::uint8_t>(moves.size() + 1);
        move.slot = &table.slots[division.slot];
        look_for_run(division.ways, move);
        if (!move.is_run) add_bits(division.ways, move);
        place_of_node[division.first_child] = move.from;
        place_of_node[division.first_child + 1] = move.to;
        node_of_place[move.from] = division.first_child;
        node_of_place[move.to] = division.first_child + 1;
        moves.push_back(move);
    }

    void add_bits(const Ways& ways, Move& move) {
        auto found = std::ranges::find_if(
            tables, [&](const BitsOfCode& one) { return one.slot == move.slot && one.n_used < 8; });
        if (found == tables.end())
            found = tables.insert(found, {move.slot, std::vector<std::uint8_t>(ways.n_codes), 0});
        move.table = static_cast<std::size_t>(found - tables.begin());
        move.bit = static_cast<std::uint8_t>(1U << found->n_used++);
        for (std::size_t code = 0; code < ways.n_codes; ++code)
            if (ways.goes_second(code)) found->bits[code] |= move.bit;
    }

    void look_up(const BitsOfCode& own, std::size_t begin, std::size_t n,
                 std::uint8_t* into) const {
        const std::uint8_t* codes = table.codes_of(*own.slot);
        const auto look = [&](const auto* of_row) {
            for (std::size_t i = 0; i < n; ++i) into[i] = own.bits[of_row[i]];
        };
        if (own.slot->is_wide) look(reinterpret_cast<const std::uint16_t*>(codes) + begin);
        else look(codes + begin);
    }

    [[nodiscard]] std::uint32_t walk_on(std::size_t row, std::uint32_t node) const {
        while (const NodeDivision* own = division_of_node[node]) {
            const std::uint32_t code = table.code(table.slots[own->slot], row);
            node = own->first_child + (own->ways.goes_second(code) ? 1U : 0U);
        }
        return node;
    }

    const CodedTable& table;
    std::vector<const NodeDivision*> division_of_node;  ///< null: a leaf
    std::vector<Move> moves;
    std::vector<BitsOfCode> tables;
    std::array<std::uint32_t, kMostPlaces> node_of_place{};
    bool ends_here = true;  ///< all divisions are among the moves
};

}  // namespace

void find_leaves(const CodedTable& table, std::span<const NodeDivision> divisions,
                 std::span<std::uint32_t> leaf_of_row, Team& team) {
    const LeafFinder finder(table, divisions);
    std::vector<std::vector<std::uint8_t>> scratch(team.size());
    for (auto& own : scratch) own.resize(finder.scratch_size());
    by_blocks(table.n_rows, team, [&](std::size_t begin, std::size_t end, std::size_t thread) {
        finder.find(begin, end, scratch[thread], leaf_of_row.data());
    });
}

}  // namespace treewright::boosting
