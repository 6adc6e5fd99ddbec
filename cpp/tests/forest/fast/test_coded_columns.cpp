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
    return code_sorted(column, rows, scratch, progress, true);
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

CASE(names_are_coded_as_sorting_does) {
    Generator random(4);
    for (const std::uint32_t n_declared : {1U, 2U, 255U, 256U, 300U, 4096U, 4097U})
        for (const std::uint32_t n_used : {1U, 7U, 255U, 256U})
            for (const std::size_t n : {1U, 40U, 3000U}) {
                std::vector<std::int32_t> names(n);
                for (std::int32_t& name : names) {
                    const std::uint64_t which = random.below(n_used) * 16 % n_declared;
                    name = random.below(9) == 0 ? -1 : static_cast<std::int32_t>(which);
                    if (random.below(2) == 0) name = 0;
                }
                Column column = column_of(names, ValueType::code);
                column.n_codes = n_declared;
                const CodedColumn few = code_few(column, n);
                const CodedColumn sorted = sorted_codes(column, n);
                CHECK(few.is_narrow() == sorted.is_narrow());
                CHECK(few.has_many == !few.is_narrow());
                if (!few.is_narrow()) continue;
                CHECK(few.n_codes == sorted.n_codes && few.has_gaps == sorted.has_gaps);
                CHECK(few.usual == sorted.usual && few.first_row == sorted.first_row);
                CHECK(codes_of(few, n) == codes_of(sorted, n));
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

CASE(bins_hold_neighbouring_codes_and_about_as_many_rows) {
    constexpr std::size_t kRows = 20000;
    for (const std::uint64_t usual : {0U, 1U, 2U, 3U}) {  // of four rows, a value that many have
        Generator random(usual);
        std::vector<double> values(kRows);
        for (double& value : values)
            value = random.below(4) < usual ? 0.5 : random.uniform() * random.uniform();
        const CodedColumn coded = sorted_codes(column_of(values, ValueType::f64), kRows);
        const std::size_t n_bins = coded.bin_begin.size() - 1;
        CHECK(!coded.is_narrow() && n_bins > 60 && n_bins <= CodedColumn::kMostBins);
        CHECK(coded.bin_begin.front() == 0 && coded.bin_begin.back() == coded.n_codes);
        const std::vector<std::uint32_t> codes = codes_of(coded, kRows);
        std::vector<std::size_t> n_rows_of_bin(n_bins, 0);
        for (std::size_t row = 0; row < kRows; ++row) {
            const std::uint8_t bin = coded.bins[row];
            CHECK(coded.bin_begin[bin] <= codes[row] && codes[row] < coded.bin_begin[bin + 1]);
            ++n_rows_of_bin[bin];
        }
        for (std::size_t bin = 0; bin < n_bins; ++bin)
            CHECK(n_rows_of_bin[bin] <= 2 * kRows / CodedColumn::kMostBins ||
                  coded.bin_begin[bin + 1] - coded.bin_begin[bin] == 1);
    }
    // Columns with gaps, and those of few values, have none.
    const std::vector<double> few(kRows, 1.0);
    CHECK(sorted_codes(column_of(few, ValueType::f64), kRows).bins.empty());
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
