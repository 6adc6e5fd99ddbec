#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <map>
#include <numeric>
#include <set>
#include <span>
#include <vector>

#include "check.hpp"
#include "treewright/base/random.hpp"
#include "treewright/forest/fast/drawn/name_sides.hpp"
#include "treewright/forest/fast/kernels/rows.hpp"
#include "treewright/forest/fast/nodes.hpp"

using namespace treewright;
using namespace treewright::data;
using namespace treewright::grow;
using namespace treewright::forest;

namespace {

/// Rows of n_groups x kLanes columns, some of few values, the first of one; and a list of some.
/// With gaps some cells are not a number. The last group of columns holds names.
template <class T>
struct MadeRows {
    static constexpr std::uint32_t kRows = 220;
    static constexpr std::uint64_t kNames[kLanes] = {1, 2, 3, 5, 20, 33, 63, 64};
    std::size_t n_columns;
    std::vector<T> cells;
    std::vector<std::uint32_t> rows;
    std::vector<std::uint32_t> words;
    std::vector<double> values;
    std::vector<double> weights;

    MadeRows(Generator& random, std::size_t n_groups, bool has_gaps = false)
        : n_columns(n_groups * kLanes),
          cells(kRows * n_columns + kReadOver),
          rows(kRows + kRowPadding),
          words(kRows + kRowPadding),
          values(kRows),
          weights(kRows) {
        for (T& cell : cells)
            cell = static_cast<T>(random.below(2) == 0 ? std::floor(4.0 * random.uniform())
                                                       : random.uniform() - 0.5);
        for (std::uint32_t row = 0; row < kRows; ++row)
            for (std::size_t lane = 0; lane < kLanes; ++lane)
                cells[row * n_columns + first_name() + lane] =
                    static_cast<T>(random.below(kNames[lane]));
        for (std::uint32_t row = 0; row < kRows; ++row) cells[row * n_columns] = T{1};
        for (T& cell : cells)
            if (has_gaps && random.below(3) == 0) cell = std::numeric_limits<T>::quiet_NaN();
        for (std::uint32_t i = 0; i < kRows; ++i) {
            rows[i] = i;
            const auto weight = static_cast<std::uint32_t>(1 + random.below(4));
            words[i] = weight | static_cast<std::uint32_t>(random.below(weight + 1))
                                    << RowWords::kPairShift;
            values[i] = static_cast<double>(random.below(1000));
            weights[i] = static_cast<double>(random.below(1000)) / 64.0;
        }
        for (std::uint32_t i = 0; i < kRows; ++i)
            std::swap(rows[i], rows[i + random.below(kRows - i)]);
    }
    [[nodiscard]] std::size_t first_name() const { return n_columns - kLanes; }
};

/// The lane that leads in the end, one compared after the other.
template <class T>
std::size_t leader_of(const Lanes<T>& lanes, double purity) {
    FastLeader leader(purity);
    std::size_t best = kLanes;
    for (std::size_t lane = 0; lane < lanes.n_wanted; ++lane)
        if (leader.meets({0, false, lanes.decrease[lane]})) best = lane;
    return best;
}

/// A node of the first n rows and columns to look at, the first of them of one value.
template <class T>
Lanes<T> ask(Generator& random, const MadeRows<T>& made, std::uint32_t n) {
    Lanes<T> lanes;
    lanes.rows = made.rows.data();
    lanes.words = made.words.data();
    lanes.n = n;
    lanes.key = Mixed(random.next());
    lanes.judgement = {400.0, 2.0, 0.0, 0.4, 2.0, 0.52};
    lanes.width = random.below(2) == 0 ? kFewLanes : kLanes;
    lanes.n_wanted = lanes.n_looked = static_cast<std::uint32_t>(1 + random.below(lanes.width));
    for (std::size_t lane = 1; lane < kLanes; ++lane) {
        lanes.slot[lane] = static_cast<std::uint32_t>(random.below(made.n_columns));
        lanes.column[lane] = random.below(100);
        if (lane < lanes.n_looked && lanes.slot[lane] >= made.first_name() && lanes.slot[lane] > 0)
            lanes.names |= static_cast<std::uint8_t>(1U << lane);
    }
    return lanes;
}

template <class T>
void compare_lanes(const Lanes<T>& wide, const Lanes<T>& plain) {
    const std::uint32_t all = (1U << wide.width) - 1U;
    CHECK((wide.varies & all) == (plain.varies & all));
    CHECK((wide.varies & 1U) == 0);
    for (std::size_t lane = 0; lane < wide.width; ++lane) {
        CHECK(wide.at[lane] == plain.at[lane]);
        CHECK(wide.weight[lane] == plain.weight[lane]);
        CHECK(wide.sum[lane] == plain.sum[lane]);
        if ((wide.varies & wide.names & 1U << lane) != 0) {
            CHECK(wide.there[lane] == plain.there[lane]);
            CHECK(wide.second[lane] == plain.second[lane]);
            CHECK(wide.second[lane] != 0 && wide.second[lane] != wide.there[lane]);
        }
        CHECK(wide.decrease[lane] == plain.decrease[lane]);
        for (std::uint32_t i = 0; i < wide.n; ++i)
            CHECK(wide.is_marked(i, lane) == plain.is_marked(i, lane));
    }
    for (const Lanes<T>* lanes : {&wide, &plain})
        if (lanes->winner < kLanes)
            CHECK(lanes->winner == leader_of(*lanes, lanes->judgement.purity));
}

/// What was noted of cells that are not a number.
template <class T>
void compare_missing(const CellTable<T>& table, const Lanes<T>& wide, const Lanes<T>& plain) {
    for (std::size_t lane = 0; lane < wide.width; ++lane) {
        std::uint32_t words = 0;
        for (std::uint32_t i = 0; i < wide.n; ++i) {
            const T cell = table.row(wide.rows[i])[wide.slot[lane]];
            CHECK(wide.is_missing(i, lane) == (cell != cell));
            CHECK(plain.is_missing(i, lane) == (cell != cell));
            words += cell != cell ? wide.words[i] : 0;
        }
        CHECK(wide.missing_words[lane] == words && plain.missing_words[lane] == words);
        CHECK(wide.missing_values[lane] == plain.missing_values[lane]);
        CHECK(wide.missing_weights[lane] == plain.missing_weights[lane]);
        CHECK(table.weights == nullptr || words == 0 || wide.missing_weights[lane] > 0.0);
    }
}

/// The loops for this processor against those for any, on lists of many sizes and widths.
template <class T>
void compare_loops() {
    Generator random(37);
    for (const std::size_t n_groups : {1U, 2U, 3U, 4U, 5U, 9U})
        for (const std::uint32_t n : {1U, 2U, 3U, 15U, 16U, 17U, 33U, 200U})
            for (const int sums : {0, 1, 2}) {
                const MadeRows<T> made(random, n_groups, random.below(2) == 0);
                const CellTable<T> table{made.cells.data(), made.n_columns,
                                         sums > 0 ? made.values.data() : nullptr,
                                         sums > 1 ? made.weights.data() : nullptr};
                Lanes<T> asked = ask(random, made, n);
                if (sums > 1) {
                    asked.judgement.copies = 20.0;
                    asked.judgement.least_copies = 3.0;
                }
                Lanes<T> told[2][2] = {{asked, ask(random, made, n / 2 + 1)}, {}};
                told[0][1].width = asked.width;  // of nodes that are looked at together
                told[0][1].n_wanted = std::min(told[0][1].n_wanted, asked.width);
                told[0][1].names &= static_cast<std::uint8_t>((1U << asked.width) - 1U);
                std::copy_n(told[0], 2, told[1]);
                std::vector<std::uint32_t> divided[2][2];
                std::uint32_t n_left[2];
                std::vector<T> picked[2];
                std::vector<std::uint8_t> marks[2][2];
                std::vector<std::uint8_t> missing[2][2];
                const std::size_t by = random.below(asked.width);
                for (int i = 0; i < 2; ++i) {
                    const RowLoops<T>& loops = i == 0 ? row_loops<T>() : row_loops_anywhere<T>();
                    picked[i].resize(2 * (n + kRowsPicked) * kLanes);
                    for (int k = 0; k < 2; ++k) {
                        marks[i][k].resize(n + kRowsMarked);
                        told[i][k].marks = marks[i][k].data();
                        told[i][k].picked = picked[i].data() + k * ((n + kRowsPicked) * kLanes);
                    }
                    loops.pick(table, {told[i], 2});
                    loops.send_names({told[i], 2});
                    loops.judge(table, {told[i], 2});
                    for (int k = 0; k < 2; ++k) {
                        missing[i][k].resize(n + kRowsMarked);
                        told[i][k].missing = missing[i][k].data();
                        // Sides have taken the places of names, but not of gaps.
                        loops.find_missing(table, told[i][k]);
                    }
                    divided[i][0] = made.rows;
                    divided[i][1] = made.words;
                    std::vector<std::uint32_t> spare(2 * (n + kRowPadding));
                    std::uint32_t* const spares[] = {spare.data(), spare.data() + n + kRowPadding};
                    n_left[i] = loops.divide(told[i][0], by, divided[i][0].data(),
                                             divided[i][1].data(), spares);
                }
                for (int k = 0; k < 2; ++k) {
                    compare_lanes(told[0][k], told[1][k]);
                    compare_missing(table, told[0][k], told[1][k]);
                }
                CHECK(n_left[0] == n_left[1]);
                CHECK(divided[0][0] == divided[1][0]);
                CHECK(divided[0][1] == divided[1][1]);
            }
}

}  // namespace

CASE(names_are_sent_to_sides_as_split_drawn_does) {
    Generator random(39);
    for (int time = 0; time < 200; ++time) {
        const MadeRows<float> made(random, 2, random.below(2) == 0);
        Lanes<float> lanes = ask(random, made, 1 + static_cast<std::uint32_t>(random.below(60)));
        lanes.width = kLanes;
        lanes.names = 2;
        lanes.slot[1] = static_cast<std::uint32_t>(made.first_name() + random.below(kLanes));
        std::vector<float> picked((lanes.n + kRowsPicked) * kLanes);
        lanes.picked = picked.data();
        row_loops<float>().pick({made.cells.data(), made.n_columns}, {&lanes, 1});
        std::set<std::uint32_t> names;
        for (std::uint32_t i = 0; i < lanes.n; ++i)
            if (const float cell = picked[i * kLanes + 1]; cell == cell)
                names.insert(static_cast<std::uint32_t>(cell));
        if (names.size() < 2) continue;
        const std::vector<float> codes = picked;
        row_loops<float>().send_names({&lanes, 1});
        // The coins of split::random_subset.
        Generator coins(lanes.key.with(lanes.column[1]));
        std::map<std::uint32_t, float> side;
        for (const std::uint32_t name : names) side[name] = static_cast<float>(coins.next() >> 63);
        const auto any = static_cast<std::ptrdiff_t>(coins.below(names.size()));
        const auto n_second = std::count_if(side.begin(), side.end(),
                                            [](const auto& each) { return each.second == 1.0F; });
        if (n_second == 0) side[*std::next(names.begin(), any)] = 1.0F;
        if (n_second == std::ssize(names)) side[*std::next(names.begin(), any)] = 0.0F;
        for (std::uint32_t i = 0; i < lanes.n; ++i) {
            const float code = codes[i * kLanes + 1];
            if (code == code)
                CHECK(picked[i * kLanes + 1] == side[static_cast<std::uint32_t>(code)]);
            else CHECK(std::isnan(picked[i * kLanes + 1]));
        }
        NameSides sides;
        sides.find(lanes.n, 70, [&](std::uint32_t i) { return codes[i * kLanes + 1]; });
        sides.draw(lanes.key.with(lanes.column[1]));
        CHECK(std::ranges::equal(sides.code, names));
        for (std::size_t i = 0; i < sides.code.size(); ++i)
            CHECK(static_cast<float>(sides.branch[i]) == side[sides.code[i]]);
    }
}

CASE(copies_of_rows_are_the_same_by_both_loops) {
    Generator random(38);
    const MadeRows<float> made(random, 3);
    constexpr std::size_t kColumns = 20;  // of which a copy has place for 24
    const CellTable<float> table{made.cells.data(), kColumns};
    for (const RowLoops<float>* loops : {&row_loops<float>(), &row_loops_anywhere<float>()}) {
        std::vector<float> copied(MadeRows<float>::kRows * made.n_columns);
        loops->copy(table, made.rows.data(), MadeRows<float>::kRows, copied.data(), made.n_columns);
        for (std::uint32_t i = 0; i < MadeRows<float>::kRows; ++i)
            for (std::size_t c = 0; c < kColumns; ++c)
                CHECK(copied[i * made.n_columns + c] == table.row(made.rows[i])[c]);
    }
}

CASE(first_draws_are_those_of_a_list) {
    GrowOptions options;
    for (std::uint32_t c = 0; c < 11; ++c) options.columns.push_back(3 * c);
    Target target;
    for (std::uint64_t tree = 0; tree < 200; ++tree) {
        FastNodes nodes(options, target, 40);
        const FastNode root = nodes.begin(tree);
        for (const std::size_t n : {1U, 3U, 4U, 7U, 8U}) {
            std::uint32_t first[kLanes];
            if (n <= kFewLanes) nodes.first_draws<kFewLanes>(root, n, first);
            else nodes.first_draws<kLanes>(root, n, first);
            nodes.begin_draws(root);
            CHECK(std::ranges::equal(nodes.draw_ahead(n), std::span(first, n)));
        }
    }
}

/// Judges nodes by their classes by both loops; `words` are weights.
template <class T>
void compare_classes() {
    Generator random(40);
    for (const std::uint32_t n_classes : {3U, 5U, 26U})
        for (const std::uint32_t n : {1U, 2U, 12U, 13U, 40U, 105U, 200U})
            for (int time = 0; time < 10; ++time) {
                const MadeRows<T> made(random, 2, random.below(2) == 0);
                std::vector<std::uint32_t> class_of_row(MadeRows<T>::kRows);
                for (std::uint32_t& each : class_of_row)
                    each = static_cast<std::uint32_t>(random.below(n_classes));
                std::vector<std::uint32_t> weights;
                for (const std::uint32_t word : made.words)
                    weights.push_back(word & RowWords::kPairMask);
                Lanes<T> asked = ask(random, made, n);
                asked.words = weights.data();
                std::vector<std::uint32_t> sums(n_classes, 0);
                for (std::uint32_t i = 0; i < n; ++i)
                    sums[class_of_row[made.rows[i]]] += weights[i];
                asked.judgement.weight = std::accumulate(sums.begin(), sums.end(), 0.0);
                asked.judgement.least = static_cast<double>(1 + random.below(3));
                Lanes<T> told[2] = {asked, asked};
                std::vector<T> picked((n + kRowsPicked) * kLanes);
                std::vector<std::uint8_t> marks(n + kRowsMarked);
                std::vector<std::uint32_t> left[2];
                for (int i = 0; i < 2; ++i) {
                    const RowLoops<T>& loops = i == 0 ? row_loops<T>() : row_loops_anywhere<T>();
                    told[i].picked = picked.data();
                    told[i].marks = marks.data();
                    loops.pick({made.cells.data(), made.n_columns}, {told + i, 1});
                    loops.judge({made.cells.data(), made.n_columns}, {told + i, 1});
                    left[i].resize(kClassTables * kLanes * n_classes, 7);
                    loops.judge_classes({class_of_row.data(), sums}, told[i], left[i].data());
                }
                for (std::size_t lane = 0; lane < asked.n_looked; ++lane) {
                    CHECK(told[0].decrease[lane] == told[1].decrease[lane]);
                    CHECK(told[0].decrease[lane] >= 0.0 ||
                          told[0].decrease[lane] == Judgement::kNoCut);
                    for (std::uint32_t k = 0; k < n_classes; ++k) {
                        std::uint32_t due = 0;
                        for (std::uint32_t i = 0; i < n; ++i)
                            if (told[0].is_marked(i, lane) && class_of_row[made.rows[i]] == k)
                                due += weights[i];
                        CHECK(left[0][k * kLanes + lane] == due);
                        CHECK(left[1][k * kLanes + lane] == due);
                    }
                }
            }
}

CASE(nodes_are_judged_by_their_classes_the_same_by_both_loops) {
    compare_classes<float>();
    compare_classes<double>();
}

CASE(wide_loops_over_rows_find_what_the_portable_ones_find) {
    compare_loops<float>();
    compare_loops<double>();
}
