#include <algorithm>
#include <limits>
#include <numeric>

#include "check.hpp"
#include "treewright/base/random.hpp"
#include "treewright/forest/fast/coded_columns.hpp"
#include "treewright/forest/fast/radix_keys.hpp"

using namespace treewright;
using namespace treewright::data;
using namespace treewright::forest;

namespace {

template <class T>
Column column_of(const std::vector<T>& values, ValueType type) {
    Column column;
    column.data = reinterpret_cast<const std::byte*>(values.data());
    column.stride = sizeof(T);
    column.type = type;
    return column;
}

CodedColumn sorted_codes(const Column& column, std::size_t n_rows) {
    Progress progress(nullptr);
    OrderScratch scratch;
    std::vector<std::uint32_t> rows(n_rows);
    std::iota(rows.begin(), rows.end(), 0U);
    return code_sorted(column, rows, scratch, progress);
}

std::vector<std::uint32_t> codes_of(const CodedColumn& column, std::size_t n_rows) {
    return column.visit(
        [&](const auto* codes) { return std::vector<std::uint32_t>(codes, codes + n_rows); });
}

}  // namespace

CASE(codes_number_values_in_ascending_order) {
    const double none = std::numeric_limits<double>::quiet_NaN();
    const double infinite = std::numeric_limits<double>::infinity();
    const std::vector<double> values = {0.5, -0.0, infinite, none, 0.0, -infinite, 0.5};
    const Column column = column_of(values, ValueType::f64);
    for (const CodedColumn& coded :
         {code_few(column, values.size()), sorted_codes(column, values.size())}) {
        CHECK(coded.is_narrow() && coded.has_gaps);
        CHECK(coded.n_codes == 4);
        CHECK(codes_of(coded, values.size()) == std::vector<std::uint32_t>({2, 1, 3, 4, 1, 0, 2}));
        for (std::uint32_t code = 0; code < coded.n_codes; ++code)
            CHECK(codes_of(coded, values.size())[coded.first_row[code]] == code);
    }
}

CASE(codes_take_as_many_bytes_as_they_need) {
    for (const std::size_t n : {255, 256, 65535, 65536}) {
        std::vector<std::int64_t> values(n);
        for (std::size_t i = 0; i < n; ++i)
            values[i] = static_cast<std::int64_t>(i * 7919 % n) - 100;
        const Column column = column_of(values, ValueType::i64);
        const CodedColumn few = code_few(column, n);
        CHECK(few.is_narrow() == (n <= CodedColumn::kFewValues));
        CHECK(few.has_many == !few.is_narrow());
        const CodedColumn coded = sorted_codes(column, n);
        CHECK(coded.is_narrow() == (n <= 255));
        CHECK(coded.wide.empty() == (n <= 65535));
        const std::vector<std::uint32_t> codes = codes_of(coded, n);
        for (std::size_t i = 0; i < n; ++i)
            CHECK(codes[i] == static_cast<std::uint32_t>(values[i] + 100));
    }
}

CASE(keys_are_sorted_by_code_and_keep_their_order) {
    Generator random(3);
    std::vector<std::uint64_t> spare;
    for (const std::uint32_t n : {0U, 1U, 2U, 24U, 25U, 63U, 64U, 300U, 5000U})
        for (const std::uint32_t most : {1U, 200U, 256U, 70000U, 20000000U}) {
            std::vector<std::uint64_t> keys;
            for (std::uint32_t i = 0; i < n; ++i)
                keys.push_back(random.below(std::uint64_t{most} + 1) << 32 | i);
            std::vector<std::uint64_t> expected = keys;
            std::sort(expected.begin(), expected.end());
            sort_by_code(keys.data(), n, most, spare);
            CHECK(keys == expected);
        }
}
