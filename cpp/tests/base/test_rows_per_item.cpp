#include "treewright/base/rows_per_item.hpp"

#include "check.hpp"

using namespace treewright;

CASE(threads_have_as_many_items_of_about_as_many_rows) {
    CHECK(rows_per_item(25'000, 8192, 1) == 6250);
    CHECK(rows_per_item(25'000, 8192, 2) == 6250);
    CHECK(rows_per_item(15'000, 3276, 2) == 2500);
    CHECK(rows_per_item(3, 8192, 8) == 1);
    CHECK(rows_per_item(0, 8192, 2) == 1);
    for (std::size_t n = 1; n < 300; ++n)
        for (std::size_t most = 1; most < 40; ++most)
            for (std::size_t n_threads = 1; n_threads < 5; ++n_threads) {
                const std::size_t each = rows_per_item(n, most, n_threads);
                CHECK(each >= 1 && each <= most);
            }
}
