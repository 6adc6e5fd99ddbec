#include <cstddef>
#include <limits>
#include <numeric>
#include <vector>

#include "check.hpp"
#include "treewright/data/bins.hpp"

using namespace treewright;
using namespace treewright::data;

CASE(bins_go_by_average_rank) {
    std::vector<double> values = {
        5.0, 1.0, 1.0, 1.0, 2.0, 3.0, 4.0, 9.0, std::numeric_limits<double>::quiet_NaN()};
    Column column;
    column.data = reinterpret_cast<const std::byte*>(values.data());
    column.stride = sizeof(double);
    std::vector<std::uint32_t> rows(values.size());
    std::iota(rows.begin(), rows.end(), 0U);
    OrderScratch scratch;
    Order order = order_of(column, rows, scratch, unstopped);
    // Ranks 2 2 2 4 5 6 7 8 of 8: times 3 / 9, rounded down, 0 0 0 1 1 2 2 2.
    const Bins bins = bin_by_rank(order, {}, 3);
    CHECK(bins.first_row == (std::vector<std::uint32_t>{1, 4, 6}));
    CHECK(bins.last_row == (std::vector<std::uint32_t>{3, 5, 7}));
    std::vector<int> begins;
    for (const std::uint32_t entry : order.entries) begins.push_back((entry & 1) == 0);
    CHECK(begins == (std::vector<int>{1, 0, 0, 1, 0, 1, 0, 0, 1}));
    for (const std::uint32_t row : {0U, 6U, 7U}) CHECK(bin_of(bins, column, row) == 2);
    CHECK(bin_of(bins, column, 5) == 1);

    // A row of two copies counts as two rows.
    std::vector<double> twice = {1.0, 1.0, 0.0, 2.0, 1.0, 1.0, 1.0, 1.0, 1.0};
    Order again = order_of(column, rows, scratch, unstopped);
    const Bins same = bin_by_rank(again, twice, 3);
    CHECK(again.entries == order.entries);
    CHECK(same.last_row == bins.last_row);
}
