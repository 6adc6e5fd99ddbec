#include "check.hpp"
#include "treewright/data/delimited.hpp"

using namespace treewright;
using namespace treewright::data;

namespace {

DelimitedRows rows_of(std::string_view text, bool is_end = true) {
    DelimitedRows rows(text, ",", 1, 0);
    Progress progress({});
    rows.read(1000, is_end, progress);
    return rows;
}

std::string cell_of(const DelimitedRows& rows, std::size_t row, std::size_t column) {
    std::string scratch;
    return std::string(rows.cell(row, column, scratch));
}

}  // namespace

CASE(delimited_cells_are_found) {
    const auto rows = rows_of("a,b\r\n1,\"x \"\"y\"\"\nz\"\n\n 2 ,\"\"\n");
    CHECK(rows.n_rows() == 3);
    CHECK(rows.n_columns() == 2);
    CHECK(cell_of(rows, 1, 1) == "x \"y\"\nz");
    CHECK(cell_of(rows, 2, 0) == "2 ");
    CHECK(cell_of(rows, 2, 1).empty());
    CHECK(rows.lines()[1] == 3);
    CHECK(rows.lines()[2] == 5);
    CHECK(rows.row_text(2) == " 2 ,\"\"");
}

CASE(delimited_faults_are_told) {
    CHECK(rows_of("a,b\n1\n").fault() == RowFault::width);
    CHECK(rows_of("a,b\n1,\"x\"y\n").fault() == RowFault::after_quote);
    CHECK(rows_of("a,b\n1,\"x\n").fault() == RowFault::unclosed);
    const std::string large(DelimitedRows::kMostCharacters + 1, 'x');
    CHECK(rows_of("a\n" + large).fault() == RowFault::large_cell);
}

CASE(delimited_a_cut_row_waits) {
    for (const std::string_view text : {"a,b\n1,2", "a,b\n1,\"x\"", "a,b\n1,\"x", "a,b\n1,2\r"}) {
        const auto rows = rows_of(text, false);
        CHECK(rows.n_rows() == 1);
        CHECK(rows.consumed() == 4);
        CHECK(rows.fault() == RowFault::none);
    }
}

CASE(delimited_numbers_are_read) {
    const auto rows = rows_of("1.5\n?\n+2\n1e400\n-\n-\n");
    Progress progress({});
    const auto found = rows.numbers(0, 0, {{"?"}, '.', ""}, progress);
    CHECK(found.has_value());
    CHECK(found->n_numbers == 3);
    CHECK(found->values[0] == 1.5);
    CHECK(found->present[1] == 0);
    CHECK(found->values[3] > 1e308);
    CHECK(!found->is_whole);
    CHECK(found->others.size() == 1);
    CHECK(found->others[0].n_rows == 2);
    CHECK(found->others[0].first_row == 4);
    const auto [codes, texts] = rows.coded(0, 1, progress);
    CHECK(texts.size() == 4);
    CHECK(codes[3] == codes[4]);
}
