#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

#include "check.hpp"
#include "treewright/base/random.hpp"
#include "treewright/boosting/coding/adjacent.hpp"
#include "treewright/boosting/coding/bins.hpp"
#include "treewright/boosting/coding/distinct_values.hpp"
#include "treewright/boosting/histogram.hpp"

using namespace treewright;
using namespace treewright::data;
using namespace treewright::boosting;

namespace {

/// A row-major table most of whose cells are of one value: 0, or (every ninth column) missing. Even
/// columns have 0 and 1, others decimals; every tenth is dense.
template <class T>
struct Sparse {
    std::vector<T> cells;
    Dataset data;

    Sparse(std::size_t n_rows, std::size_t n_columns, std::uint64_t seed)
        : cells(n_rows * n_columns) {
        Generator draw(seed);
        data.n_rows = n_rows;
        for (std::size_t row = 0; row < n_rows; ++row)
            for (std::size_t c = 0; c < n_columns; ++c) {
                T& cell = cells[row * n_columns + c];
                if (c % 9 == 8) cell = std::numeric_limits<T>::quiet_NaN();
                if (c % 10 == 9 || draw.below(25) == 0)
                    cell = c % 2 == 0 ? T{1} : static_cast<T>(draw.uniform() - 0.3);
                if (c == 2 && row % 500 == 499) cell = std::numeric_limits<T>::quiet_NaN();
            }
        for (std::size_t c = 0; c < n_columns; ++c) {
            Column column;
            column.data = reinterpret_cast<const std::byte*>(cells.data() + c);
            column.stride = static_cast<std::ptrdiff_t>(n_columns * sizeof(T));
            column.type = sizeof(T) == 4 ? ValueType::f32 : ValueType::f64;
            data.columns.push_back(column);
        }
    }
};

std::vector<std::uint32_t> every(std::size_t n, std::size_t step) {
    std::vector<std::uint32_t> rows;
    for (std::size_t row = step / 2; row < n; row += step)
        rows.push_back(static_cast<std::uint32_t>(row));
    return rows;
}

}  // namespace

CASE(rows_of_other_codes_are_found) {
    Generator draw(1);
    for (const std::size_t n : {1UL, 63UL, 64UL, 65UL, 1000UL, 2048UL}) {
        // No longer than its rows: what is read beyond them is found by the sanitizers.
        const auto codes = std::make_unique<std::uint8_t[]>(n);
        for (std::size_t i = 0; i < n; ++i)
            codes[i] = static_cast<std::uint8_t>(draw.below(3) + 254);
        for (const std::uint8_t common : {0, 1, 254, 255}) {
            std::vector<std::uint64_t> words((n + 63) / 64, 7);
            rows_of_others(codes.get(), n, common, words.data());
            for (std::size_t i = 0; i < words.size() * 64; ++i)
                CHECK((words[i / 64] >> (i % 64) & 1) == (i < n && codes[i] != common ? 1U : 0U));
        }
    }
}

CASE(rare_cells_are_listed_row_by_row_and_added_up) {
    constexpr std::size_t kRows = 5000;
    constexpr std::size_t kSlots = 300;  // more than a byte can count
    Generator draw(2);
    std::vector<std::vector<std::uint8_t>> codes(kSlots, std::vector<std::uint8_t>(kRows));
    std::vector<SparseCodes> slots;
    for (std::size_t s = 0; s < kSlots; ++s) {
        for (std::uint8_t& code : codes[s])
            code = static_cast<std::uint8_t>(draw.below(s < 2 ? 2 : 20) == 0 ? draw.below(5) : 3);
        slots.push_back({codes[s].data(), 3, 100 + 5 * s});
    }
    for (const std::size_t n_threads : {1, 3}) {
        Team team(n_threads, unstopped);
        RareCells cells;
        cells.first_entry = 100;
        cells.n_entries = 5 * kSlots;
        CHECK(cells.empty() && cells.per_row() == 0.0);
        cells.list(slots, kRows, team);
        CHECK(!cells.empty());
        for (std::size_t row = 0; row < kRows; ++row) {
            std::vector<std::uint32_t> expected;
            for (std::size_t s = 0; s < kSlots; ++s)
                if (codes[s][row] != 3)
                    expected.push_back(static_cast<std::uint32_t>(100 + 5 * s + codes[s][row]));
            CHECK(std::ranges::equal(cells.of(row), expected));
        }
        RareSums<NarrowEntry> sums;
        for (const std::size_t step : {1UL, 3UL, 40UL, 4000UL, 2UL}) {  // few rows after many
            const std::vector<std::uint32_t> rows = every(kRows, step);
            std::vector<NarrowEntry> of_row;
            for (const std::uint32_t row : rows) of_row.push_back({row * 977 % 31 + 1});
            std::vector<NarrowEntry> slow(100 + 5 * kSlots);
            std::vector<NarrowEntry> fast(slow.size());
            for (std::size_t i = 0; i < rows.size(); ++i)
                for (std::size_t s = 0; s < kSlots; ++s)
                    if (codes[s][rows[i]] != 3) slow[100 + 5 * s + codes[s][rows[i]]] += of_row[i];
            const RowRange range{rows.data(), 0, rows.size()};
            cells.add(range, of_row.data(), fast.data());
            sums.add_up(cells, range, of_row.data());
            for (std::size_t i = 0; i < slow.size(); ++i) CHECK(slow[i].both == fast[i].both);
            for (const auto& [begin, end] :
                 {std::pair{100UL, 1600UL}, {163UL, 165UL}, {228UL, 300UL}}) {
                std::size_t next = begin;
                sums.for_each(begin, end, [&](std::size_t at, const NarrowEntry& own) {
                    for (; next < begin + at; ++next) CHECK(slow[next].both == 0);
                    CHECK(slow[next++].both == own.both);
                });
                for (; next < end; ++next) CHECK(slow[next].both == 0);
            }
        }
    }
}

template <class T>
static void check_sums_of_sparse_columns(std::size_t n_rows) {
    constexpr std::uint32_t kColumns = 90;
    const Sparse<T> made(n_rows, kColumns, n_rows);
    Team team(2, unstopped);
    const Codebook book = learn_codebook(made.data, 255, team);
    CodedTable table(made.data, book, sizeof(WideRow), team);
    CHECK(table.n_recorded < table.slots.size() && !table.rare.empty());
    CHECK(table.n_recorded_columns > 0 && table.n_recorded_columns < kColumns);
    FixedPoint fixed;
    fixed.count_bits = 20;
    for (std::uint32_t row = 0; row < n_rows; ++row)
        table.gradients().set(row, WideRow::of({row % 97 - 48, row % 31, 1}, fixed));
    const GradientView view = std::as_const(table).gradients();
    NearRows<WideEntry> near;
    GatheredRows<WideEntry> gathered;
    ColumnSums<WideEntry> by_code;
    by_code.make_room(table);
    DigitSums<WideEntry> digits;
    digits.make_room(table);
    std::vector<std::vector<std::uint8_t>> codes(kColumns, std::vector<std::uint8_t>(n_rows));
    for (std::uint32_t c = 0; c < kColumns; ++c)
        Encoder(book.columns[c]).encode(made.data.columns[c], 0, n_rows, codes[c].data());
    for (const std::size_t step : {1UL, 3UL, 50UL, n_rows - 1}) {
        const std::vector<std::uint32_t> rows = every(n_rows, step);
        const RowRange range{rows.data(), 0, rows.size()};
        std::vector<WideEntry> histogram(table.n_entries);
        add_rows<WideRow>(table, range, view, fixed, near, histogram.data());
        for (const Slot& slot : table.slots)
            if (slot.is_shared()) add_digits(slot, histogram.data(), digits);
        gathered.gather<WideRow>(table, range, view, fixed);
        Sums total;
        for (const WideEntry& entry : gathered.entries) total += entry.sums(20);
        for (std::uint32_t c = 0; c < kColumns; ++c) {
            std::vector<Sums> slow(book.columns[c].n_all());
            for (std::size_t i = 0; i < rows.size(); ++i)
                slow[codes[c][rows[i]]] += gathered.entries[i].sums(20);
            CodeSums read;
            CodeSums added;
            const std::uint32_t n_all = book.columns[c].n_all();
            read_sums(table, c, n_all, digits.of(table, c, histogram.data()), total, 20, read);
            add_up(table, c, n_all, gathered, by_code, total, 20, added);
            for (const CodeSums* own : {&read, &added}) {
                std::size_t next = 0;
                for (std::uint32_t code = 0; code < n_all; ++code) {
                    if (slow[code].n_rows == 0) continue;
                    CHECK(next < own->n && own->code[next] == code);
                    CHECK(own->sums[next].gradient == slow[code].gradient);
                    CHECK(own->sums[next].hessian == slow[code].hessian);
                    CHECK(own->sums[next++].n_rows == slow[code].n_rows);
                }
                CHECK(next == own->n);
            }
        }
    }
}

CASE(sums_of_sparse_columns_are_those_of_their_codes) {
    for (const std::size_t n_rows : {1000UL, 3000UL, 9000UL}) {
        check_sums_of_sparse_columns<float>(n_rows);
        check_sums_of_sparse_columns<double>(n_rows);
    }
}

template <class T>
static void check_distinct_values() {
    const Sparse<T> made(3000, 40, 5);
    std::vector<std::size_t> columns(40);
    std::iota(columns.begin(), columns.end(), 0UL);
    std::vector<std::uint32_t> rows = every(3000, 1);
    std::size_t n_taken = 0;
    for_distinct_floats(made.data, columns, rows, unstopped,
                        [&](std::size_t c, const std::vector<Weighed>& values) {
                            std::vector<double> slow;
                            for (const std::uint32_t row : rows)
                                if (const double x = made.data.columns[c].number(row); x == x)
                                    slow.push_back(x);
                            std::ranges::sort(slow);
                            std::size_t at = 0;
                            for (const Weighed& one : values) {
                                const auto [begin, end] = std::ranges::equal_range(slow, one.value);
                                CHECK(begin == slow.begin() + static_cast<std::ptrdiff_t>(at));
                                CHECK(one.weight == static_cast<double>(end - begin));
                                at += static_cast<std::size_t>(end - begin);
                            }
                            CHECK(at == slow.size());
                            ++n_taken;
                        });
    CHECK(n_taken == 40);
}

CASE(different_numbers_are_counted_as_by_sorting) {
    check_distinct_values<float>();
    check_distinct_values<double>();
}

template <class T>
static void check_adjacent() {
    constexpr std::size_t kRows = 200;
    std::vector<T> cells(kRows * kAdjacent<T>);
    Generator draw(3);
    for (T& cell : cells) cell = static_cast<T>(draw.below(2)) - T{0.5};
    Column column;
    column.data = reinterpret_cast<const std::byte*>(cells.data());
    column.stride = sizeof(T) * kAdjacent<T>;
    column.type = sizeof(T) == 4 ? ValueType::f32 : ValueType::f64;
    Column next = column;
    CHECK(!is_next(next, column));
    next.data += sizeof(T);
    CHECK(is_next(next, column) && !is_next(column, next));
    next.stride += sizeof(T);
    CHECK(!is_next(next, column));
    TwoValues<T> values;
    std::ranges::fill(values.first, T{0.5});
    std::ranges::fill(values.second, T{-0.5});
    const std::vector<std::uint32_t> rows = every(kRows, 3);
    CHECK(count_two(column, rows, values));
    for (std::size_t c = 0; c < kAdjacent<T>; ++c) {
        std::uint32_t n = 0;
        for (const std::uint32_t row : rows) n += cells[row * kAdjacent<T> + c] == T{0.5} ? 1 : 0;
        CHECK(values.n_first[c] == n && values.n_second[c] == rows.size() - n);
    }
    cells[rows[5] * kAdjacent<T> + 2] = std::numeric_limits<T>::quiet_NaN();
    const std::uint32_t before = values.n_first[0];
    CHECK(!count_two(column, rows, values) && values.n_first[0] == before);
    std::vector<std::vector<std::uint8_t>> codes(kAdjacent<T>, std::vector<std::uint8_t>(96, 9));
    std::vector<std::uint8_t*> to;
    for (auto& own : codes) to.push_back(own.data());
    T cuts[kAdjacent<T>] = {};
    cuts[1] = T{0.5};  // a number that equals the cut is not beyond it
    cuts[3] = T{-1};
    encode_two(column, 8, 104, cuts, to.data());
    for (std::size_t c = 0; c < kAdjacent<T>; ++c)
        for (std::size_t i = 0; i < 96; ++i) {
            const T x = cells[(8 + i) * kAdjacent<T> + c];
            CHECK(codes[c][i] == (x != x ? 2 : x > cuts[c] ? 1 : 0));
        }
}

CASE(adjacent_columns_of_two_values_are_counted_and_coded_together) {
    check_adjacent<float>();
    check_adjacent<double>();
}
