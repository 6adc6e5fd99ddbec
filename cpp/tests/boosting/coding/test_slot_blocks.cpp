#include "treewright/boosting/coding/slot_blocks.hpp"

#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "check.hpp"
#include "treewright/base/random.hpp"
#include "treewright/boosting/coding/bins.hpp"
#include "treewright/boosting/histogram.hpp"

using namespace treewright;
using namespace treewright::boosting;

namespace {

/// Columns of many values, of few (which share slots) and of so many names that codes have two
/// bytes.
struct Broad {
    std::vector<std::vector<double>> numbers;
    std::vector<std::vector<std::int32_t>> names;
    data::Dataset data;

    Broad(std::size_t n_rows, std::size_t n_columns) : numbers(n_columns), names(n_columns) {
        Generator draw(n_rows);
        data.n_rows = n_rows;
        for (std::size_t c = 0; c < n_columns; ++c) {
            const bool is_name = c % 9 == 4;
            for (std::size_t row = 0; row < n_rows; ++row) {
                numbers[c].push_back(c % 5 == 0 ? static_cast<double>(draw.below(3))
                                                : draw.uniform());
                names[c].push_back(static_cast<std::int32_t>(draw.below(300)));
            }
            data::Column column;
            column.data = is_name ? reinterpret_cast<const std::byte*>(names[c].data())
                                  : reinterpret_cast<const std::byte*>(numbers[c].data());
            column.stride = is_name ? sizeof(std::int32_t) : sizeof(double);
            if (is_name) {
                column.type = data::ValueType::code;
                column.scale = data::Scale::nominal;
                column.n_codes = 300;
            }
            data.columns.push_back(column);
        }
    }
};

}  // namespace

CASE(slots_of_a_broad_table_are_added_up_block_by_block_as_all_at_once) {
    constexpr std::size_t kRows = 1500;
    const Broad made(kRows, 400);
    Team team(1, unstopped);
    const Codebook book = learn_codebook(made.data, 255, team);
    CodedTable table(made.data, book, sizeof(WideRow), team);
    CHECK(table.n_narrow < table.n_recorded && table.slots[0].is_shared());
    FixedPoint fixed;
    fixed.count_bits = 20;
    for (std::uint32_t row = 0; row < kRows; ++row)
        table.gradients().set(row, WideRow::of({row % 97 - 48, row % 31, 1}, fixed));
    const GradientView view = std::as_const(table).gradients();
    for (const std::size_t n_threads : {1, 2, 3}) {
        const SlotBlocks blocks(table, n_threads);
        CHECK(blocks.size() >= 4 && blocks[0].low == 0);
        CHECK(blocks[blocks.size() - 1].high == table.slots.size());
        for (const std::size_t step : {1UL, 2UL, 70UL}) {
            std::vector<std::uint32_t> list;
            for (std::uint32_t row = 0; row < kRows; row += static_cast<std::uint32_t>(step))
                list.push_back(row);
            const RowRange rows{step == 1 ? nullptr : list.data(), 0, list.size()};
            NearRows<WideEntry> near;
            GatheredRows<WideEntry> gathered;
            gathered.gather<WideRow>(table, rows, view, fixed);
            std::vector<WideEntry> whole(table.n_entries);
            std::vector<WideEntry> parts(table.n_entries);
            add_rows<WideRow>(table, rows, view, fixed, near, whole.data());
            for (std::size_t b = 0; b < blocks.size(); ++b)
                add_slots(table, blocks[b], rows, gathered.entries.data(), near, parts.data(),
                          Way::add);
            for (std::size_t i = 0; i < table.n_entries; ++i)
                for (int word : {0, 1}) CHECK(whole[i].both[word] == parts[i].both[word]);
            for (std::size_t b = 0; b < blocks.size(); ++b)
                add_slots(table, blocks[b], rows, gathered.entries.data(), near, parts.data(),
                          Way::take_away);
            for (const WideEntry& entry : parts) CHECK(entry.both[0] == 0 && entry.both[1] == 0);
        }
    }
}

CASE(sums_of_few_rows_are_the_same_by_column_and_from_copies_of_their_records) {
    constexpr std::size_t kRows = 1500;
    const Broad made(kRows, 400);
    Team team(1, unstopped);
    const Codebook book = learn_codebook(made.data, 255, team);
    CodedTable table(made.data, book, sizeof(NarrowRow), team);
    FixedPoint fixed;
    fixed.count_bits = 20;
    for (std::uint32_t row = 0; row < kRows; ++row)
        table.gradients().set(row, NarrowRow::of({row % 97 - 48, 1, 1}, fixed));
    const GradientView view = std::as_const(table).gradients();
    const SlotBlocks blocks(table, 2);
    for (const std::uint32_t n : {3U, 40U, 290U}) {  // noted by bits, by bytes, and not at all
        std::vector<std::uint32_t> list;
        for (std::uint32_t i = 0; i < n; ++i) list.push_back(5 * i + i % 3);
        GatheredRows<NarrowEntry> gathered;
        gathered.gather<NarrowRow>(table, {list.data(), 0, n}, view, fixed);
        Sums total;
        for (const NarrowEntry& entry : gathered.entries) total += entry.sums(20);
        ColumnSums<NarrowEntry> by_code;
        by_code.make_room(table);
        std::vector<std::uint64_t> copies;
        std::vector<std::uint32_t> columns(book.columns.size());
        std::iota(columns.begin(), columns.end(), 0U);
        std::vector<std::size_t> begin;
        blocks.group(columns, begin);
        CHECK(begin[0] == 0 && begin[blocks.size()] == columns.size());
        for (std::size_t b = 0; b < blocks.size(); ++b)
            for (std::size_t i = begin[b]; i < begin[b + 1]; ++i) {
                const std::uint32_t c = columns[i];
                CHECK(table.columns[c].slot >= blocks[b].low);
                CHECK(table.columns[c].slot < blocks[b].high);
                CHECK(i == begin[b] || columns[i - 1] < c);
                const std::uint32_t n_all = book.columns[c].n_all();
                CodeSums by_column;
                CodeSums copied;
                by_code.copied = {};
                add_up(table, c, n_all, gathered, by_code, total, 20, by_column);
                by_code.copied = copy_codes(table, blocks[b], gathered.rows, copies);
                add_up(table, c, n_all, gathered, by_code, total, 20, copied);
                CHECK(by_column.n == copied.n);
                for (std::size_t k = 0; k < copied.n; ++k) {
                    CHECK(by_column.code[k] == copied.code[k]);
                    CHECK(by_column.sums[k].gradient == copied.sums[k].gradient);
                    CHECK(by_column.sums[k].n_rows == copied.sums[k].n_rows);
                }
            }
    }
}

CASE(a_table_of_few_columns_has_no_blocks) {
    const Broad made(600, 60);
    Team team(1, unstopped);
    const Codebook book = learn_codebook(made.data, 255, team);
    const CodedTable table(made.data, book, sizeof(WideRow), team);
    CHECK(SlotBlocks(table, 2).size() == 0);
}
