/// Columns drawn for a node.
#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include "check.hpp"
#include "treewright/base/random.hpp"
#include "treewright/grow/draw_columns.hpp"

using namespace treewright;

CASE(drawn_columns_are_sorted_few_and_many_of_few_and_many) {
    for (const std::size_t n_all : {1, 6, 63, 64, 65, 511, 512, 5000})
        for (const std::size_t n_drawn : {1, 2, 5, 6, 40, 70, 500}) {
            if (n_drawn > n_all) continue;
            std::vector<std::uint32_t> drawn(n_all);
            std::iota(drawn.begin(), drawn.end(), 0U);
            Generator draw(n_all + n_drawn);
            for (std::size_t i = 0; i < n_drawn; ++i) grow::draw_next(drawn, i, draw);
            drawn.resize(n_drawn);
            std::vector<std::uint32_t> expected = drawn;
            std::sort(expected.begin(), expected.end());
            grow::sort_drawn(drawn, n_all);
            CHECK(drawn == expected);
        }
}

CASE(columns_drawn_in_a_word_are_those_drawn_one_by_one) {
    for (std::uint64_t seed = 0; seed < 20; ++seed)
        for (const std::size_t n_all : {1, 2, 4, 5, 33, 63, 64})
            for (const std::size_t n_drawn : {0, 1, 2, 5, 40, 64}) {
                if (n_drawn > n_all) continue;
                std::vector<std::uint32_t> expected(n_all);
                std::iota(expected.begin(), expected.end(), 0U);
                Generator one_by_one(seed);
                for (std::size_t i = 0; i < n_drawn; ++i) grow::draw_next(expected, i, one_by_one);
                std::uint64_t places = 0;
                for (std::size_t i = 0; i < n_drawn; ++i) places |= std::uint64_t{1} << expected[i];
                Generator draw(seed);
                CHECK(grow::draw_places(n_all, n_drawn, draw) == places);
                CHECK(draw.next() == one_by_one.next());
            }
}
