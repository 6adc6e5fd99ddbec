#include <cmath>
#include <vector>

#include "check.hpp"
#include "treewright/base/random.hpp"
#include "treewright/grow/plain_nodes.hpp"
#include "treewright/split/plain_rows.hpp"

using namespace treewright;

namespace {

/// Rows of n_groups x kLanes columns, some of few values, the first of one; and a list of some.
template <class T>
struct MadeRows {
    static constexpr std::uint32_t kRows = 220;
    std::size_t n_columns;
    std::vector<T> cells;
    std::vector<std::uint32_t> rows;
    std::vector<std::uint32_t> words;
    std::vector<double> values;

    MadeRows(Generator& random, std::size_t n_groups)
        : n_columns(n_groups * kLanes),
          cells(kRows * n_columns + kReadOver),
          rows(kRows + kRowPadding),
          words(kRows + kRowPadding),
          values(kRows) {
        for (T& cell : cells)
            cell = static_cast<T>(random.below(2) == 0 ? std::floor(4.0 * random.uniform())
                                                       : random.uniform() - 0.5);
        for (std::uint32_t row = 0; row < kRows; ++row) cells[row * n_columns] = T{1};
        for (std::uint32_t i = 0; i < kRows; ++i) {
            rows[i] = i;
            const auto weight = static_cast<std::uint32_t>(1 + random.below(4));
            words[i] = weight | static_cast<std::uint32_t>(random.below(weight + 1))
                                    << RowSums::kPairShift;
            values[i] = static_cast<double>(random.below(1000));
        }
        for (std::uint32_t i = 0; i < kRows; ++i)
            std::swap(rows[i], rows[i + random.below(kRows - i)]);
    }
};

/// The lane that leads in the end, one compared after the other.
template <class T>
std::size_t leader_of(const Lanes<T>& lanes, double purity) {
    PlainLeader leader(purity);
    std::size_t best = kLanes;
    for (std::size_t lane = 0; lane < lanes.n_wanted; ++lane)
        if (leader.meets({0, false, lanes.decrease[lane]})) best = lane;
    return best;
}

/// The loops for this processor against those for any, on lists of many sizes and widths.
template <class T>
void compare_loops() {
    Generator random(37);
    for (const std::size_t n_groups : {1U, 2U, 3U, 4U, 5U, 9U})
        for (const std::uint32_t n : {1U, 2U, 3U, 15U, 16U, 17U, 33U, 200U})
            for (const bool has_values : {false, true}) {
                const MadeRows<T> made(random, n_groups);
                const RowList<T> list{made.cells.data(), made.n_columns, made.rows.data(), n};
                const RowSums sums{made.words.data(), has_values ? made.values.data() : nullptr};
                const Judgement judgement{400.0, 2.0, 0.0, 0.4, 2.0, 0.52};
                const Mixed key(random.next());
                Lanes<T> told[2];
                told[0].n_wanted = static_cast<std::uint32_t>(1 + random.below(kLanes));
                for (std::size_t lane = 1; lane < kLanes; ++lane) {
                    told[0].slot[lane] = static_cast<std::uint32_t>(random.below(made.n_columns));
                    told[0].column[lane] = random.below(100);
                }
                told[0].picked.resize((n + kRowPadding) * kLanes);
                told[0].marks.resize(n + kRowPadding);
                told[1] = told[0];
                std::vector<std::uint32_t> divided[2][2];
                std::uint32_t n_left[2];
                const std::size_t by = random.below(kLanes);
                for (int i = 0; i < 2; ++i) {
                    const RowLoops<T>& loops = i == 0 ? row_loops<T>() : row_loops_anywhere<T>();
                    loops.look(list, key, sums, judgement, told[i]);
                    divided[i][0] = made.rows;
                    divided[i][1] = made.words;
                    std::vector<std::uint32_t> spare(2 * (n + kRowPadding));
                    std::uint32_t* const spares[] = {spare.data(), spare.data() + n + kRowPadding};
                    n_left[i] = loops.divide(told[i], by, n, divided[i][0].data(),
                                             divided[i][1].data(), spares);
                }
                CHECK(told[0].varies == told[1].varies);
                CHECK((told[0].varies & 1U) == 0);
                for (std::size_t lane = 0; lane < kLanes; ++lane) {
                    CHECK(told[0].at[lane] == told[1].at[lane]);
                    CHECK(told[0].weight[lane] == told[1].weight[lane]);
                    CHECK(told[0].sum[lane] == told[1].sum[lane]);
                    CHECK(told[0].decrease[lane] == told[1].decrease[lane]);
                    for (std::uint32_t i = 0; i < n; ++i)
                        CHECK(told[0].is_marked(i, n, lane) == told[1].is_marked(i, n, lane));
                }
                for (const Lanes<T>& lanes : told)
                    if (lanes.winner < kLanes)
                        CHECK(lanes.winner == leader_of(lanes, judgement.purity));
                CHECK(n_left[0] == n_left[1]);
                CHECK(divided[0][0] == divided[1][0]);
                CHECK(divided[0][1] == divided[1][1]);
            }
}

}  // namespace

CASE(wide_loops_over_rows_find_what_the_plain_ones_find) {
    compare_loops<float>();
    compare_loops<double>();
}
