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

/// How many rows have each code of one byte.
std::array<std::uint32_t, 256> count_bytes(std::span<const std::uint8_t> codes) {
    constexpr std::size_t kWays = 4;  // a sum that was just written is slow to read
    std::array<std::array<std::uint32_t, 256>, kWays> counts{};
    std::size_t row = 0;
    for (; row + kWays <= codes.size(); row += kWays)
        for (std::size_t way = 0; way < kWays; ++way) ++counts[way][codes[row + way]];
    for (; row < codes.size(); ++row) ++counts[0][codes[row]];
    for (std::size_t way = 1; way < kWays; ++way)
        for (std::size_t code = 0; code < counts[0].size(); ++code)
            counts[0][code] += counts[way][code];
    return counts[0];
}

/// Codes of a column of up to kFewValues declared names, whose values number them already.
CodedColumn code_names(const data::Column& column, std::size_t n_rows) {
    CodedColumn made;
    made.narrow.resize(n_rows);
    const auto missing = static_cast<std::uint8_t>(column.n_codes);
    const auto take = [&](const auto& name_at) {
        std::uint8_t* to = made.narrow.data();
        for (std::size_t row = 0; row < n_rows; ++row) {
            const std::int32_t name = name_at(row);
            to[row] = name < 0 ? missing : static_cast<std::uint8_t>(name);
        }
    };
    if (column.stride == sizeof(std::int32_t))  // neighbours: several at a time
        take([names = reinterpret_cast<const std::int32_t*>(column.data)](std::size_t row) {
            return names[row];
        });
    else take([&](std::size_t row) { return column.at<std::int32_t>(row); });
    const std::array<std::uint32_t, 256> n_rows_of = count_bytes(made.narrow);
    std::array<std::uint8_t, 256> code_of{};
    for (std::size_t name = 0; name < column.n_codes; ++name) {
        if (n_rows_of[name] == 0) continue;
        code_of[name] = static_cast<std::uint8_t>(made.n_codes);
        made.note_usual(made.n_codes++, n_rows_of[name], n_rows);
    }
    made.has_gaps = n_rows_of[missing] > 0;
    if (made.n_codes < column.n_codes) {
        code_of[missing] = static_cast<std::uint8_t>(made.n_codes);
        for (std::uint8_t& code : made.narrow) code = code_of[code];
    }
    constexpr std::uint32_t kNone = ~0U;
    made.first_row.assign(made.n_codes, kNone);
    std::uint32_t n_found = 0;
    for (std::uint32_t row = 0; n_found < made.n_codes; ++row) {
        if (made.narrow[row] == made.n_codes || made.first_row[made.narrow[row]] != kNone) continue;
        made.first_row[made.narrow[row]] = row;
        ++n_found;
    }
    return made;
}

template <class Code>
void write_codes(const data::Order& order, std::size_t n_rows, SideVector<Code>& codes,
                 CodedColumn& made) {
    codes.resize(n_rows);
    const std::size_t n_known = order.entries.size() - order.n_missing;
    std::size_t begin = 0;     // of the code at hand
    std::uint32_t code = ~0U;  // before the first
    for (std::size_t i = 0; i < n_known; ++i) {
        if ((order.entries[i] & 1U) == 0) {
            made.note_usual(code, i - begin, n_rows);
            begin = i;
            ++code;
        }
        codes[order.entries[i] >> 1] = static_cast<Code>(code);
    }
    made.note_usual(code, n_known - begin, n_rows);
    for (std::size_t i = n_known; i < order.entries.size(); ++i)
        codes[order.entries[i] >> 1] = static_cast<Code>(made.n_codes);
}

/// Puts the codes into bins one by one; a bin is full when it has its share of the rows that are
/// left.
class Bins {
public:
    explicit Bins(std::size_t n_rows) : n_left(n_rows) {}

    /// The bin of the next code, which so many rows have.
    std::uint8_t bin_of(std::size_t n_rows_of_code) {
        const std::size_t n_bins_left = CodedColumn::kMostBins - bin;
        if (n_here > 0 && (n_here + n_rows_of_code) * n_bins_left > n_left && n_bins_left > 1) {
            n_left -= n_here;
            n_here = 0;
            ++bin;
        }
        n_here += n_rows_of_code;
        return static_cast<std::uint8_t>(bin);
    }

private:
    std::size_t n_left;  ///< rows of the bin at hand and of those after it
    std::size_t n_here = 0;
    std::size_t bin = 0;
};

void write_bins(const data::Order& order, CodedColumn& made) {
    const std::size_t n_rows = order.entries.size();
    made.bins.resize(n_rows);
    Bins bins(n_rows);
    std::uint32_t code = 0;
    for (std::size_t begin = 0; begin < n_rows; ++code) {
        std::size_t end = begin + 1;
        while (end < n_rows && (order.entries[end] & 1U) != 0) ++end;
        const std::uint8_t bin = bins.bin_of(end - begin);
        if (bin == made.bin_begin.size()) made.bin_begin.push_back(code);
        for (; begin < end; ++begin) made.bins[order.entries[begin] >> 1] = bin;
    }
    made.bin_begin.push_back(made.n_codes);
}

}  // namespace

CodedColumn code_few(const data::Column& column, std::size_t n_rows) {
    if (column.type == data::ValueType::code && column.n_codes <= CodedColumn::kFewValues)
        return code_names(column, n_rows);
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
                        data::OrderScratch& scratch, Progress& progress, bool in_bins) {
    const data::Order order = order_of(column, rows, scratch, progress);
    CodedColumn made;
    made.has_gaps = order.n_missing > 0;
    std::size_t n_values = 0;
    for (std::size_t i = 0; i + order.n_missing < order.entries.size(); ++i)
        n_values += (order.entries[i] & 1U) ^ 1U;
    made.n_codes = static_cast<std::uint32_t>(n_values);
    if (n_values <= CodedColumn::kFewValues || column.scale == data::Scale::nominal) {
        made.first_row.reserve(n_values);
        for (std::size_t i = 0; i + order.n_missing < order.entries.size(); ++i)
            if ((order.entries[i] & 1U) == 0) made.first_row.push_back(order.entries[i] >> 1);
    }
    if (n_values <= CodedColumn::kFewValues) write_codes(order, rows.size(), made.narrow, made);
    else if (n_values <= std::numeric_limits<std::uint16_t>::max())
        write_codes(order, rows.size(), made.medium, made);
    else write_codes(order, rows.size(), made.wide, made);
    if (in_bins && !made.is_narrow() && !made.has_gaps) write_bins(order, made);
    return made;
}

}  // namespace treewright::forest
