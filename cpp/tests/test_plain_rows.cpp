#include <cmath>
#include <vector>

#include "check.hpp"
#include "treewright/base/random.hpp"
#include "treewright/split/plain_rows.hpp"

using namespace treewright;

namespace {

/// The loops for this processor against those for any, on lists of many sizes and widths.
template <class T>
void compare_loops() {
    Generator random(37);
    for (const std::size_t n_groups : {1U, 2U, 3U, 4U, 5U, 9U})
        for (const std::uint32_t n : {1U, 2U, 3U, 15U, 16U, 17U, 33U, 200U}) {
            const std::size_t n_columns = n_groups * kLanes;
            constexpr std::uint32_t kRows = 220;
            std::vector<T> cells(kRows * n_columns);
            for (T& cell : cells)
                cell = static_cast<T>(random.below(2) == 0 ? std::floor(4.0 * random.uniform())
                                                           : random.uniform() - 0.5);
            for (std::uint32_t row = 0; row < kRows; ++row) cells[row * n_columns] = T{1};
            std::vector<std::uint32_t> rows(kRows);
            std::vector<std::uint32_t> words(kRows);
            std::vector<double> values(kRows);
            std::vector<std::uint64_t> columns(n_columns);
            for (std::uint32_t i = 0; i < kRows; ++i) {
                rows[i] = i;
                words[i] = static_cast<std::uint32_t>(random.below(5));
                values[i] = static_cast<double>(random.below(1000));
            }
            for (std::uint32_t i = 0; i < kRows; ++i)
                std::swap(rows[i], rows[i + random.below(kRows - i)]);
            for (std::uint64_t& column : columns) column = random.below(100);
            const RowList<T> list{cells.data(), n_columns, rows.data(), n, n_groups};
            struct Told {
                std::vector<double> at, value_sums;
                std::vector<T> bound;
                std::vector<std::uint8_t> varies;
                std::vector<std::uint32_t> sums, sums_again, divided;
                std::uint32_t n_left = 0;
            } told[2];
            std::vector<std::uint8_t> wanted(n_groups);
            for (std::uint8_t& bits : wanted) bits = static_cast<std::uint8_t>(random.below(256));
            const Mixed key(random.next());
            for (int i = 0; i < 2; ++i) {
                const RowLoops<T>& loops = i == 0 ? row_loops<T>() : row_loops_anywhere<T>();
                Told& own = told[i];
                own.at.resize(n_columns);
                own.bound.resize(n_columns);
                own.varies.resize(n_groups);
                own.sums.resize(n_columns);
                own.sums_again.resize(n_columns);
                own.value_sums.resize(n_columns);
                loops.draw(list, key,
                           {columns.data(), own.at.data(), own.bound.data(), own.varies.data()});
                std::vector<std::uint8_t> looked_at = wanted;
                for (std::size_t g = 0; g < n_groups; ++g) looked_at[g] &= own.varies[g];
                loops.count(list, own.bound.data(), looked_at.data(), words.data(),
                            own.sums.data());
                loops.count_values(list, own.bound.data(), looked_at.data(), words.data(),
                                   values.data(), own.sums_again.data(), own.value_sums.data());
                std::vector<std::uint32_t> spare(kRows + kRowPadding);
                own.divided = rows;
                own.divided.resize(kRows + kRowPadding);
                own.n_left = loops.divide(cells.data() + 1, n_columns, T{1} / 4, own.divided.data(),
                                          n, spare.data());
            }
            CHECK(told[0].varies == told[1].varies);
            CHECK((told[0].varies[0] & 1U) == 0);
            for (std::size_t c = 0; c < n_columns; ++c) {
                if ((told[0].varies[c / kLanes] >> (c % kLanes) & 1U) == 0) continue;
                CHECK(told[0].at[c] == told[1].at[c]);
                CHECK(told[0].bound[c] == told[1].bound[c]);
                CHECK(static_cast<double>(told[0].bound[c]) <= told[0].at[c]);
            }
            CHECK(told[0].sums == told[1].sums);
            CHECK(told[0].sums_again == told[0].sums);
            CHECK(told[1].sums_again == told[1].sums);
            CHECK(told[0].value_sums == told[1].value_sums);
            CHECK(told[0].n_left == told[1].n_left);
            CHECK(told[0].divided == told[1].divided);
        }
}

}  // namespace

CASE(wide_loops_over_rows_find_what_the_plain_ones_find) {
    compare_loops<float>();
    compare_loops<double>();
}
