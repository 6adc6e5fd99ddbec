#include "treewright/forest/fast/coded_columns.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>

namespace treewright::forest {
namespace {

/// Numbers distinct keys in the order in which they come, as long as there are few.
template <std::uint32_t kMost, unsigned kBits>
class FewKeys {
public:
    static constexpr std::uint32_t kTooMany = ~0U;

    /// The number of a key, a new one if it has none; kTooMany if there are more than a few.
    std::uint32_t number_of(std::uint64_t key) {
        // Multiplicative hashing (Knuth, volume 3, section 6.4), then linear probing.
        std::size_t at = key * 0x9e3779b97f4a7c15ULL >> (64 - kBits);
        while (slots[at].number != kFree) {
            if (slots[at].key == key) return slots[at].number;
            at = (at + 1) % slots.size();
        }
        if (n == kMost) return kTooMany;
        slots[at] = {key, n};
        return n++;
    }
    [[nodiscard]] std::uint32_t size() const { return n; }

private:
    static constexpr std::uint32_t kFree = ~0U;
    struct Slot {
        std::uint64_t key = 0;
        std::uint32_t number = kFree;
    };
    std::array<Slot, std::size_t{1} << kBits> slots{};
    std::uint32_t n = 0;
};

/// Codes of a column whose rows have these keys; `less` compares the values of two rows.
template <class KeyOf, class Less>
CodedColumn code_by_key(const data::Column& column, std::size_t n_rows, const KeyOf& key_of,
                        const Less& less) {
    constexpr std::uint8_t kMissing = CodedColumn::kFewValues;
    CodedColumn made;
    FewKeys<CodedColumn::kFewValues, 11> keys;  // an eighth of the slots in use at most
    std::vector<std::uint32_t> row_of_number;
    made.narrow.resize(n_rows);
    for (std::size_t row = 0; row < n_rows; ++row) {
        if (column.is_missing(row)) {
            made.narrow[row] = kMissing;
            made.has_gaps = true;
            continue;
        }
        const std::uint32_t number = keys.number_of(key_of(row));
        if (number == keys.kTooMany) {
            CodedColumn none;
            none.has_many = true;
            return none;
        }
        if (number == row_of_number.size())
            row_of_number.push_back(static_cast<std::uint32_t>(row));
        made.narrow[row] = static_cast<std::uint8_t>(number);
    }
    std::vector<std::uint32_t> order(row_of_number.size());
    std::iota(order.begin(), order.end(), 0U);
    std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
        return less(row_of_number[a], row_of_number[b]);
    });
    std::array<std::uint8_t, kMissing + 1> code_of_number{};
    code_of_number[kMissing] = static_cast<std::uint8_t>(order.size());
    for (std::size_t code = 0; code < order.size(); ++code) {
        code_of_number[order[code]] = static_cast<std::uint8_t>(code);
        made.first_row.push_back(row_of_number[order[code]]);
    }
    made.n_codes = static_cast<std::uint32_t>(order.size());
    std::array<std::size_t, kMissing + 1> n_of_number{};
    for (std::uint8_t& code : made.narrow) {
        ++n_of_number[code];
        code = code_of_number[code];
    }
    for (std::size_t number = 0; number < order.size(); ++number)
        made.note_usual(code_of_number[number], n_of_number[number], n_rows);
    return made;
}

template <class Code>
void write_codes(const data::Order& order, std::size_t n_rows, FarVector<Code>& codes,
                 CodedColumn& made) {
    codes.resize(n_rows);
    const std::size_t n_known = order.entries.size() - order.n_missing;
    std::size_t begin = 0;  // of the code at hand
    for (std::size_t i = 0; i < order.entries.size(); ++i) {
        const std::uint32_t row = order.entries[i] >> 1;
        if (i < n_known && (order.entries[i] & 1U) == 0) {
            made.first_row.push_back(row);
            begin = i;
        }
        if (i < n_known)
            made.note_usual(static_cast<std::uint32_t>(made.first_row.size() - 1), i - begin + 1,
                            n_rows);
        codes[row] = static_cast<Code>(made.first_row.size() - (i < n_known ? 1 : 0));
    }
}

}  // namespace

CodedColumn code_few(const data::Column& column, std::size_t n_rows) {
    if (!column.is_real())
        return code_by_key(
            column, n_rows,
            [&](std::size_t row) { return static_cast<std::uint64_t>(column.whole(row)); },
            [&](std::size_t a, std::size_t b) { return column.whole(a) < column.whole(b); });
    return code_by_key(
        column, n_rows,
        [&](std::size_t row) { return std::bit_cast<std::uint64_t>(column.real(row) + 0.0); },
        [&](std::size_t a, std::size_t b) { return column.real(a) < column.real(b); });
}

bool is_sparse(const data::Column& column, std::size_t n_rows) {
    constexpr std::size_t kSome = 512;
    constexpr std::size_t kRowsPerValue = 8;
    const std::size_t n_some = std::min(n_rows, kSome);
    FewKeys<kSome / kRowsPerValue, 9> keys;
    std::size_t n_known = 0;
    for (std::size_t i = 0; i < n_some; ++i) {
        const double value = column.number(i * n_rows / n_some);
        if (std::isnan(value)) continue;
        ++n_known;
        if (keys.number_of(std::bit_cast<std::uint64_t>(value + 0.0)) == keys.kTooMany)
            return false;
    }
    return kRowsPerValue * keys.size() <= n_known;
}

CodedColumn code_values(const data::Column& column, std::size_t n_rows) {
    CodedColumn made = code_few(column, n_rows);
    if (made.is_narrow()) {
        for (const std::uint32_t row : made.first_row) made.values.push_back(column.number(row));
        made.values.push_back(std::numeric_limits<double>::quiet_NaN());
        return made;
    }
    made.cells.resize(n_rows);
    for (std::size_t row = 0; row < n_rows; ++row) {
        made.cells[row] = column.number(row);
        made.has_gaps = made.has_gaps || column.is_missing(row);
    }
    return made;
}

CodedColumn code_sorted(const data::Column& column, std::span<const std::uint32_t> rows,
                        data::OrderScratch& scratch, Progress& progress) {
    const data::Order order = order_of(column, rows, scratch, progress);
    CodedColumn made;
    made.has_gaps = order.n_missing > 0;
    std::size_t n_values = 0;
    for (std::size_t i = 0; i + order.n_missing < order.entries.size(); ++i)
        n_values += (order.entries[i] & 1U) ^ 1U;
    made.n_codes = static_cast<std::uint32_t>(n_values);
    made.first_row.reserve(n_values);
    if (n_values <= CodedColumn::kFewValues) write_codes(order, rows.size(), made.narrow, made);
    else if (n_values <= std::numeric_limits<std::uint16_t>::max())
        write_codes(order, rows.size(), made.medium, made);
    else write_codes(order, rows.size(), made.wide, made);
    return made;
}

}  // namespace treewright::forest
