#include "treewright/tree/descent.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "check.hpp"
#include "treewright/base/random.hpp"

using namespace treewright;
using namespace treewright::tree;

namespace {

constexpr std::size_t kColumns = 5;  // 0 and 1: decimals, of both sizes; the others: names
constexpr std::int32_t kCodes[kColumns] = {0, 0, 3, 40, 900};

/// A question as plainly as can be: the branch of a cell.
struct Asked {
    std::uint32_t column = 0;
    std::uint32_t first_child = 0;  ///< 0: a leaf
    double threshold = 0.0;
    std::uint8_t missing = 0;
    std::vector<std::uint8_t> branch;  ///< by code + 2; beyond: the last one
};

struct Table {
    std::size_t n_rows = 0;
    std::vector<double> wide;
    std::vector<float> narrow;
    std::vector<std::int32_t> codes[kColumns];
    std::vector<data::Column> columns;
};

Table random_table(std::size_t n_rows, double gaps, Generator& random) {
    Table table;
    table.n_rows = n_rows;
    for (std::size_t row = 0; row < n_rows; ++row) {
        table.wide.push_back(std::floor(random.uniform() * 8.0));
        table.narrow.push_back(static_cast<float>(random.uniform()));
        if (random.uniform() < gaps) table.wide.back() = std::nan("");
        if (random.uniform() < gaps) table.narrow.back() = std::nanf("");
        for (std::size_t c = 2; c < kColumns; ++c)
            table.codes[c].push_back(
                static_cast<std::int32_t>(random.below(static_cast<std::uint64_t>(kCodes[c] + 2))) -
                2);
    }
    const auto add = [&](const auto& values, data::ValueType type) {
        data::Column column;
        column.data = reinterpret_cast<const std::byte*>(values.data());
        column.stride = sizeof(values[0]);
        column.type = type;
        table.columns.push_back(column);
    };
    add(table.wide, data::ValueType::f64);
    add(table.narrow, data::ValueType::f32);
    for (std::size_t c = 2; c < kColumns; ++c) add(table.codes[c], data::ValueType::code);
    return table;
}

/// About columns `begin` to `end`.
Asked random_question(std::size_t begin, std::size_t end, bool divides, Generator& random) {
    Asked asked;
    asked.column = static_cast<std::uint32_t>(begin + random.below(end - begin));
    const auto branch_below = [&](std::uint64_t n) -> std::uint8_t {
        if (divides && random.below(4) == 0) return Descent::kUndecided;
        return static_cast<std::uint8_t>(random.below(n));
    };
    if (asked.column < 2) {
        asked.threshold = asked.column == 0 ? std::floor(random.uniform() * 8.0)
                                            : static_cast<float>(random.uniform());
        asked.missing = branch_below(2);
        return asked;
    }
    const std::uint64_t n_branches = random.below(2) == 0 ? 2 : 2 + random.below(200);
    const std::uint64_t n = 1 + random.below(static_cast<std::uint64_t>(kCodes[asked.column]) + 2);
    for (std::uint64_t i = 0; i < n; ++i) asked.branch.push_back(branch_below(n_branches));
    return asked;
}

std::uint8_t branch_of(const Asked& asked, const Table& table, std::size_t row) {
    if (asked.column < 2) {
        const double x = table.columns[asked.column].real(row);
        if (std::isnan(x)) return asked.missing;
        return x > asked.threshold ? 1 : 0;
    }
    const auto place = static_cast<std::size_t>(table.codes[asked.column][row] + 2);
    return asked.branch[std::min(place, asked.branch.size() - 1)];
}

std::size_t n_branches_of(const Asked& asked) {
    std::size_t n = 2;
    for (const std::uint8_t branch : asked.branch)
        if (branch != Descent::kUndecided) n = std::max<std::size_t>(n, branch + 1U);
    return n;
}

/// Nodes of a tree in which some paths are much longer than others.
std::vector<Asked> random_nodes(std::size_t n_asked, std::size_t begin, std::size_t end,
                                bool divides, Generator& random) {
    std::vector<Asked> nodes(1);
    for (std::size_t i = 0; i < n_asked; ++i) {
        std::size_t at = random.below(3) == 0 ? nodes.size() - 1 : random.below(nodes.size());
        while (nodes[at].first_child != 0) at = (at + 1) % nodes.size();
        nodes[at] = random_question(begin, end, divides, random);
        nodes[at].first_child = static_cast<std::uint32_t>(nodes.size());
        nodes.resize(nodes.size() + n_branches_of(nodes[at]));
    }
    return nodes;
}

}  // namespace

CASE(rows_descend_as_their_questions_say) {
    Generator random(3);
    const std::vector<std::uint32_t> all = {0, 1, 2, 3, 4};
    const std::vector<std::uint32_t> names = {2, 3, 4};
    for (const bool divides : {false, true})
        for (int turn = 0; turn < 80; ++turn) {
            const int about = turn % 4;  // decimals, names (also read beside decimals), or all
            const std::size_t n_asked = turn == 0 ? 0 : random.below(60);
            const std::vector<Asked> nodes =
                random_nodes(n_asked, about == 1 || about == 2 ? 2 : 0, about == 0 ? 2 : kColumns,
                             divides, random);
            const bool has_cuts = std::any_of(nodes.begin(), nodes.end(), [](const Asked& node) {
                return node.first_child != 0 && node.column < 2;
            });
            Descent descent(nodes.size(), has_cuts);
            for (const Asked& node : nodes) {
                if (node.first_child == 0) descent.add_leaf();
                else if (node.column < 2)
                    descent.add_cut(node.column, node.threshold, node.first_child, node.missing);
                else descent.add_names(node.column, node.branch, node.first_child);
            }
            Progress progress(nullptr);
            descent.close(progress);
            const Table table = random_table(1 + random.below(200), turn / 4 % 2 * 0.3, random);
            const std::size_t begin = random.below(table.n_rows);
            RowCells cells;
            cells.read(table.columns, about == 1 ? names : all, begin, table.n_rows);
            CHECK(cells.has_decimals() == (about != 1));
            std::vector<std::uint32_t> found(table.n_rows - begin);
            std::vector<std::uint32_t> stopped;
            descent.find(cells, table.n_rows - begin, found.data(), stopped);
            std::vector<std::uint32_t> expected;
            for (std::size_t row = begin; row < table.n_rows; ++row) {
                std::size_t at = 0;
                while (nodes[at].first_child != 0) {
                    const std::uint8_t branch = branch_of(nodes[at], table, row);
                    if (branch == Descent::kUndecided) break;
                    at = nodes[at].first_child + branch;
                }
                CHECK(found[row - begin] == at);
                if (nodes[at].first_child != 0)
                    expected.push_back(static_cast<std::uint32_t>(row - begin));
            }
            CHECK(stopped == expected);
        }
}

CASE(tables_of_branches_have_a_limit) {
    Descent descent(1, true);
    CHECK(!descent.is_full(1000));
    CHECK(descent.is_full(std::size_t{1} << 32));
}
