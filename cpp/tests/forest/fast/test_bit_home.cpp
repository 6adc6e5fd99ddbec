#include <algorithm>

#include "check.hpp"
#include "treewright/base/random.hpp"
#include "treewright/forest/fast/bit_home.hpp"

using namespace treewright;
using namespace treewright::forest;

CASE(a_home_has_the_bits_of_its_rows_by_column) {
    Generator random(4);
    for (const std::size_t n_columns : {1, 63, 64, 65, 130})
        for (const std::uint32_t n : {1U, 64U, 65U, 300U, BitHome::kMostRows}) {
            BitRows table;
            table.n_words = (n_columns + 63) / 64;
            table.words.resize(5000 * table.n_words);
            for (std::uint64_t& word : table.words) word = random.next();
            std::vector<std::uint32_t> rows(n);
            for (std::uint32_t& row : rows) row = static_cast<std::uint32_t>(random.below(5000));
            BitHome home;
            home.fill(table, n_columns, n, [&](std::uint32_t i) { return rows[i]; });
            std::size_t n_wrong = 0;
            for (std::size_t c = 0; c < n_columns; ++c)
                for (std::uint32_t i = 0; i < n; ++i)
                    n_wrong += home.codes(c)[i] != (table.row(rows[i])[c / 64] >> (c % 64) & 1U);
            CHECK(n_wrong == 0);
        }
}
