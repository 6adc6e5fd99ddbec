#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "check.hpp"
#include "treewright/base/exp.hpp"
#include "treewright/base/random.hpp"
#include "treewright/boosting/booster.hpp"
#include "treewright/boosting/coding/bins.hpp"
#include "treewright/boosting/ensemble.hpp"
#include "treewright/boosting/partition.hpp"

using namespace treewright;
using namespace treewright::data;
using namespace treewright::tree;
using namespace treewright::boosting;

namespace {

struct Made {
    std::vector<std::vector<double>> columns;
    std::vector<double> y;
    Dataset data;

    Made(std::size_t n_rows, std::size_t n_columns, std::uint64_t seed) : columns(n_columns) {
        Generator draw(seed);
        y.resize(n_rows);
        data.n_rows = n_rows;
        for (std::size_t c = 0; c < n_columns; ++c) {
            for (std::size_t row = 0; row < n_rows; ++row) {
                const bool is_missing = (c == 1 || c == 9) && draw.below(10) == 0;
                // Five columns are almost always 0, one row in fifty each; more have few values.
                const double value = c < 3    ? draw.uniform()
                                     : c >= 8 ? static_cast<double>(draw.below(2 + c % 3))
                                              : static_cast<double>(row % 50 == c ? 1 : 0);
                columns[c].push_back(is_missing ? std::numeric_limits<double>::quiet_NaN() : value);
                y[row] += value * static_cast<double>(c + 1);
            }
            Column column;
            column.data = reinterpret_cast<const std::byte*>(columns[c].data());
            column.stride = sizeof(double);
            data.columns.push_back(column);
        }
        data.target.values = y;
    }
};

double mean_square(const std::vector<double>& y, const std::vector<double>& scores) {
    double sum = 0.0;
    for (std::size_t i = 0; i < y.size(); ++i) sum += (y[i] - scores[i]) * (y[i] - scores[i]);
    return sum / static_cast<double>(y.size());
}

}  // namespace

CASE(exponentials_are_right_to_the_last_bits) {
    for (double x = -708.0; x <= 709.0; x += 0.37) {
        const double expected = std::exp(x);
        CHECK(std::abs(exp_of(x) - expected) <= 4e-16 * expected);
    }
    CHECK(exp_of(0.0) == 1.0);
    CHECK(std::isfinite(exp_of(1e6)) && exp_of(-1e6) < 1e-300);
}

CASE(codes_rise_with_values_and_know_what_is_missing) {
    const Made made(3000, 3, 1);
    Team team(2, unstopped);
    const Codebook book = learn_codebook(made.data, 255, team);
    for (std::size_t c = 0; c < 3; ++c) {
        const CodedColumn& coded = book.columns[c];
        CHECK(coded.n_codes == 255);
        std::vector<std::uint8_t> codes(3000);
        Encoder(coded).encode(made.data.columns[c], 0, 3000, codes.data());
        for (std::size_t row = 0; row < 3000; ++row) {
            const double x = made.columns[c][row];
            const std::uint32_t code = codes[row];
            if (std::isnan(x)) {
                CHECK(code == coded.missing());
                continue;
            }
            CHECK(code == 0 || coded.cuts[code - 1] < x);
            CHECK(code + 1 == coded.n_codes || x <= coded.cuts[code]);
        }
    }
}

CASE(sparse_columns_share_a_slot_and_histograms_add_up) {
    const Made made(5000, 8, 2);
    Team team(1, unstopped);
    const Codebook book = learn_codebook(made.data, 255, team);
    CodedTable table(made.data, book, sizeof(WideRow), team);
    CHECK(table.slots.size() == 4);  // three columns, and five that never meet
    FixedPoint fixed;
    fixed.count_bits = 20;
    std::vector<std::uint8_t> apart(5000 * sizeof(WideRow));
    const GradientView inside = std::as_const(table).gradients();
    const GradientView outside{apart.data(), sizeof(WideRow)};
    const WritableGradients to_outside{apart.data(), sizeof(WideRow)};
    std::vector<std::uint32_t> some;
    for (std::uint32_t row = 0; row < 5000; ++row) {
        const auto own = WideRow::of({static_cast<std::int64_t>(row) - 2500, row, 1}, fixed);
        table.gradients().set(row, own);
        to_outside.set(row, own);
        if (row % 3 != 0) some.push_back(row);
    }
    NearRows<WideEntry> near;
    std::vector<WideEntry> whole(table.n_entries);
    std::vector<WideEntry> slow(table.n_entries);
    add_rows<WideRow>(table, {nullptr, 0, 5000}, inside, fixed, near, whole.data());
    for (const std::uint32_t row : some)
        for (const Slot& slot : table.slots)
            slow[slot.offset + table.code(slot, row)] += inside.get<WideRow>(row).entry(fixed);
    for (const GradientView& view : {inside, outside}) {
        std::vector<WideEntry> part(table.n_entries);
        add_rows<WideRow>(table, {some.data(), 0, some.size()}, view, fixed, near, part.data());
        for (std::size_t i = 0; i < table.n_entries; ++i) {
            CHECK(part[i].both[0] == slow[i].both[0] && part[i].both[1] == slow[i].both[1]);
            WideEntry rest = whole[i];
            rest -= part[i];
            CHECK(rest.sums(20).n_rows >= 0);
        }
    }
}

CASE(columns_of_few_codes_share_slots_and_their_codes_are_found_again) {
    for (const std::size_t n_rows : {40UL, 2000UL, 40000UL}) {
        const Made made(n_rows, 24, 3);
        Team team(2, unstopped);
        const Codebook book = learn_codebook(made.data, 255, team);
        const CodedTable table(made.data, book, 0, team);
        CHECK(table.slots.size() < 16 && table.slots[0].is_shared());
        for (const Slot& slot : table.slots) CHECK(slot.is_wide || slot.n_codes <= 256);
        std::vector<std::uint8_t> codes(n_rows);
        for (std::uint32_t c = 0; c < 24; ++c) {
            Encoder(book.columns[c]).encode(made.data.columns[c], 0, n_rows, codes.data());
            const Placed& placed = table.columns[c];
            const Slot& slot = table.slots[placed.slot];
            for (std::size_t row = 0; row < n_rows; ++row) {
                std::uint32_t code = table.code(slot, row);
                if (slot.is_shared()) code = table.digit_of(c).of(code);
                CHECK(placed.code_of(code) == codes[row]);
            }
        }
    }
}

CASE(sums_of_a_column_are_the_same_by_histogram_and_row_by_row) {
    constexpr std::uint32_t kColumns = 20;
    const Made made(2000, kColumns, 5);
    Team team(1, unstopped);
    const Codebook book = learn_codebook(made.data, 255, team);
    CodedTable table(made.data, book, sizeof(WideRow), team);
    FixedPoint fixed;
    fixed.count_bits = 20;
    std::vector<std::int64_t> weight(2000);
    for (std::uint32_t row = 0; row < 2000; ++row) {
        const std::int64_t n_rows = row % 7 == 0 ? 0 : 1;  // a row of weight 0 is not counted
        table.gradients().set(row, WideRow::of({(row % 97) * n_rows, row * n_rows, n_rows}, fixed));
        weight[row] = row % 5 * n_rows;
    }
    const GradientView view = std::as_const(table).gradients();
    NearRows<WideEntry> near;
    GatheredRows<WideEntry> gathered;
    ColumnSums<WideEntry> by_code;
    by_code.make_room(table);
    std::vector<WideEntry> whole(table.n_entries);
    add_rows<WideRow>(table, {nullptr, 0, 2000}, view, fixed, near, whole.data());
    for (const std::uint32_t step : {1U, 3U, 50U, 700U, 1999U}) {
        std::vector<std::uint32_t> some;
        std::vector<std::uint32_t> others;
        for (std::uint32_t row = 0; row < 2000; ++row)
            (row % step == step / 2 ? some : others).push_back(row);
        const RowRange rows{some.data(), 0, some.size()};
        std::vector<WideEntry> by_rows(table.n_entries);
        add_rows<WideRow>(table, rows, view, fixed, near, by_rows.data());
        std::vector<WideEntry> rest = whole;  // the other rows are taken away
        add_rows<WideRow>(table, {others.data(), 0, others.size()}, view, fixed, near, rest.data(),
                          Way::take_away);
        gathered.gather<WideRow>(table, rows, view, fixed);
        Sums total;
        for (const WideEntry& entry : gathered.entries) total += entry.sums(20);
        CodeSums read;
        CodeSums added;
        std::vector<std::int64_t> weights;
        for (std::uint32_t column = 0; column < kColumns; ++column) {
            const std::uint32_t n_all = book.columns[column].n_all();
            for (const auto& histogram : {by_rows, rest}) {
                DigitSums<WideEntry> digits;
                digits.make_room(table);
                for (const Slot& slot : table.slots)
                    if (slot.is_shared()) add_digits(slot, histogram.data(), digits);
                read_sums(table, column, n_all, digits.of(table, column, histogram.data()), total,
                          20, read);
                add_up(table, column, n_all, gathered, by_code, total, 20, added);
                CHECK(read.n == added.n && read.has_missing() == added.has_missing());
                std::int64_t n_rows = 0;
                for (std::size_t i = 0; i < read.n; ++i) {
                    CHECK(read.code[i] == added.code[i]);
                    CHECK(i == 0 || read.code[i - 1] < read.code[i]);
                    CHECK(read.sums[i].gradient == added.sums[i].gradient);
                    CHECK(read.sums[i].hessian == added.sums[i].hessian);
                    CHECK(read.sums[i].n_rows == added.sums[i].n_rows);
                    n_rows += read.sums[i].n_rows;
                }
                CHECK(n_rows == total.n_rows);
            }
            add_up_weights(table, column, rows, weight, added, weights);
            std::int64_t all = 0;
            for (const std::uint32_t row : some) all += weight[row];
            CHECK(std::reduce(weights.begin(), weights.end()) == all);
        }
    }
}

CASE(whole_ranges_of_codes_go_second) {
    for (const std::size_t first : {0UL, 1UL, 31UL, 32UL, 200UL, 300UL, 999UL}) {
        Ways ways;
        ways.reset(300);
        ways.set_from(first);
        for (std::size_t code = 0; code < 300; ++code)
            CHECK(ways.goes_second(code) == (code >= first));
    }
}

CASE(forms_of_a_row_add_the_same) {
    FixedPoint fixed;
    fixed.count_bits = 12;
    fixed.odds_shift = 2 * kSlimBits - kSlimBits - 2;
    for (const double p : {0.0, 1e-9, 0.1, 0.25, 0.5, 0.99, 1.0})
        for (const double y : {0.0, 1.0}) {
            const Sums sums{std::llround((p - y) * 0x1p30), std::llround(p * (1.0 - p) * 0x1p32),
                            1};
            const Sums slim = SlimRow::of(sums, fixed).entry(fixed).sums(12);
            const Sums odds = OddsRow::of(sums, fixed).entry(fixed).sums(12);
            CHECK(slim.gradient == sums.gradient && odds.gradient == sums.gradient);
            CHECK(slim.hessian == sums.hessian && slim.n_rows == 1 && odds.n_rows == 1);
            CHECK(std::abs(odds.hessian - sums.hessian) <= 4);  // the gradient was rounded first
            const Sums single = SingleRow::of(sums, fixed).entry(fixed).sums(12);
            const Sums narrow = NarrowRow::of(sums, fixed).entry(fixed).sums(12);
            CHECK(single.gradient == sums.gradient && narrow.gradient == sums.gradient);
            CHECK(single.n_rows == 1 && narrow.n_rows == 1);
        }
}

CASE(rows_are_divided_in_their_order) {
    std::vector<std::uint8_t> codes(1000 + 64);
    std::vector<std::uint32_t> rows;
    Generator draw(7);
    for (std::uint32_t row = 0; row < 1000; ++row) {
        codes[row] = static_cast<std::uint8_t>(draw.below(256));
        if (row % 7 != 0) rows.push_back(row);
    }
    Ways ways;
    ways.reset(256);
    for (std::size_t code = 0; code < 256; code += 3) ways.set(code, true);
    std::vector<std::uint32_t> every(1000);
    std::iota(every.begin(), every.end(), 0U);
    for (const bool is_all : {false, true}) {
        const std::vector<std::uint32_t>& before = is_all ? every : rows;
        std::vector<std::uint32_t> first(before.size(), 0U);
        if (!is_all) first = before;
        std::vector<std::uint32_t> second(before.size() + kStoreReach);
        const std::size_t n_first =
            is_all ? divide_run(0, 1000, codes.data(), false, ways, first.data(), second.data())
                   : divide(first.data(), first.size(), codes.data(), false, ways, second.data());
        std::size_t a = 0;
        std::size_t b = 0;
        for (const std::uint32_t row : before)
            if (codes[row] % 3 == 0) CHECK(second[b++] == row);
            else CHECK(first[a++] == row);
        CHECK(a == n_first);
    }
}

CASE(the_scores_of_training_rows_are_what_the_model_says) {
    const Made made(4000, 8, 3);
    Progress progress(nullptr);
    for (const std::size_t n_threads : {1, 3}) {
        Team team(n_threads, unstopped);
        Booster booster(made.data, learn_codebook(made.data, 64, team), Objective{},
                        {n_threads == 1 ? 1.0 : 0.5, 0.0, 0}, 1, std::vector<double>(4000), team);
        const double before = mean_square(made.y, booster.scores);
        for (std::uint64_t round = 0; round < 10; ++round)
            booster.round({}, 0.3, round, team, progress);
        CHECK(mean_square(made.y, booster.scores) < before / 10);
        CHECK(booster.reach() > 0.0 && booster.reach() < 1e9);
        const BoostForest forest(booster.codebook(), booster.trees, 1);
        Rows rows;
        rows.n_rows = 4000;
        rows.columns = made.data.columns;
        std::vector<double> scores(4000);
        forest.add_scores(rows, 0, forest.trees.size(), n_threads, progress, scores);
        for (std::size_t row = 0; row < 4000; ++row) CHECK(scores[row] == booster.scores[row]);
    }
}

CASE(lines_in_leaves_answer_training_rows_as_rows_coded_once_or_anew) {
    const Made made(3000, 4, 5);
    Progress progress(nullptr);
    BoostGrowth growth;
    growth.max_leaves = 4;
    const auto boosted = [&](bool has_lines, std::size_t n_threads) {
        Team team(n_threads, unstopped);
        growth.has_lines = has_lines;
        Booster booster(made.data, learn_codebook(made.data, 64, team), Objective{}, {0.5, 0.0, 0},
                        1, std::vector<double>(3000), team);
        for (std::uint64_t round = 0; round < 8; ++round)
            booster.round(growth, 0.5, round, team, progress);
        return booster;
    };
    Team team(1, unstopped);
    const Booster booster = boosted(true, 1);
    CHECK(mean_square(made.y, booster.scores) < mean_square(made.y, boosted(false, 1).scores) / 2);
    CHECK(booster.scores == boosted(true, 3).scores);
    const BoostForest forest(booster.codebook(), booster.trees, 1);
    CHECK(forest.has_lines());
    const Rows rows{3000, made.data.columns};
    std::vector<double> scores(3000);
    forest.add_scores(rows, 0, forest.trees.size(), 2, progress, scores);
    CHECK(scores == booster.scores);
    // A forest without trees codes for those that come later.
    const BoostForest none(booster.codebook(), {}, 1);
    const CodedRows coded = none.code(rows, 2, progress);
    std::vector<double> again(3000);
    forest.add_scores(coded, 0, forest.trees.size(), 2, progress, again);
    CHECK(again == scores);
}

CASE(spreads_are_standard_deviations_of_finite_numbers) {
    const double infinity = std::numeric_limits<double>::infinity();
    const std::vector<double> numbers = {1.0, 3.0, infinity, 1e300, -1e300, 5.0};
    const std::vector<double> weight = {1.0, 2.0, 1.0, 0.0, 0.0, 1.0};
    Column column;
    column.data = reinterpret_cast<const std::byte*>(numbers.data());
    column.stride = sizeof(double);
    Column nominal = column;
    nominal.scale = Scale::nominal;
    const std::vector<Column> columns = {column, nominal};
    Team team(1, unstopped);
    const std::vector<double> spread = spreads_of(columns, 3, weight, team);
    CHECK(std::abs(spread[0] - std::sqrt(8.0 / 9.0)) < 1e-12);
    CHECK(spread[1] == 0.0);
    CHECK(spreads_of(columns, 5, {}, team)[0] == 0.0);  // beyond the largest number
}
