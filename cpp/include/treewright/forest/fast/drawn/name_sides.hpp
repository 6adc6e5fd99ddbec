/// Names that the rows of a node have, each sent to a side by a fair coin (split/drawn.hpp): of as
/// many names as a column may have. Of few the same is done in registers (kernels/rows.hpp).
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "treewright/base/random.hpp"
#include "treewright/forest/fast/kernels/rows.hpp"

namespace treewright::forest {

class NameSides {
public:
    std::vector<std::uint32_t> code;   ///< of each name that is there, ascending
    std::vector<std::uint8_t> branch;  ///< of each

    /// Finds the names among n cells, codes or not a number, of a column of so many.
    template <class CellAt>
    void find(std::uint32_t n, std::uint32_t n_codes, const CellAt& cell_at) {
        code.clear();
        if (n_codes <= kCodesPerRow * n) mark(n, n_codes, cell_at);
        else sort(n, cell_at);
        if (side_of_code.size() < n_codes) side_of_code.resize(n_codes);
    }
    /// Those of some bits.
    void set(std::uint64_t there, std::uint64_t second) {
        code.clear();
        branch.clear();
        for (; there != 0; there &= there - 1) {
            code.push_back(static_cast<std::uint32_t>(std::countr_zero(there)));
            branch.push_back(static_cast<std::uint8_t>(second >> code.back() & 1U));
        }
    }

    /// Draws the sides of those that were found, at least two.
    void draw(std::uint64_t key) {
        Generator coins(key);
        branch.resize(code.size());
        std::size_t n_second = 0;
        for (std::uint8_t& each : branch) {
            each = static_cast<std::uint8_t>(coins.next() >> 63);
            n_second += each;
        }
        if (n_second == 0 || n_second == code.size()) {
            std::uint8_t& moved = branch[name_to_move(key, code.size())];
            moved = static_cast<std::uint8_t>(1 - moved);
        }
        for (std::size_t i = 0; i < code.size(); ++i) side_of_code[code[i]] = branch[i];
    }
    /// The side of a cell of the drawn names; one that is not a number stays as it is.
    template <class T>
    [[nodiscard]] T side_of(T cell) const {
        return cell == cell ? static_cast<T>(side_of_code[static_cast<std::uint32_t>(cell)]) : cell;
    }

private:
    static constexpr std::size_t kCodesPerRow = 16;  ///< that are read sooner than rows are sorted
    static constexpr std::size_t kAtOnce = 8;

    template <class CellAt>
    void mark(std::uint32_t n, std::uint32_t n_codes, const CellAt& cell_at) {
        is_there.assign((n_codes + kAtOnce - 1) / kAtOnce * kAtOnce, 0);
        for (std::uint32_t i = 0; i < n; ++i) {
            const auto cell = cell_at(i);
            if (cell == cell) is_there[static_cast<std::uint32_t>(cell)] = 1;
        }
        for (std::size_t from = 0; from < is_there.size(); from += kAtOnce) {
            std::uint64_t some = 0;
            std::memcpy(&some, is_there.data() + from, sizeof some);
            for (; some != 0; some &= some - 1)
                code.push_back(static_cast<std::uint32_t>(
                    from + static_cast<std::size_t>(std::countr_zero(some)) / 8));
        }
    }
    template <class CellAt>
    void sort(std::uint32_t n, const CellAt& cell_at) {
        for (std::uint32_t i = 0; i < n; ++i) {
            const auto cell = cell_at(i);
            if (cell == cell) code.push_back(static_cast<std::uint32_t>(cell));
        }
        std::sort(code.begin(), code.end());
        code.erase(std::unique(code.begin(), code.end()), code.end());
    }

    std::vector<std::uint8_t> is_there;      ///< by code
    std::vector<std::uint8_t> side_of_code;  ///< of those that are there
};

}  // namespace treewright::forest
