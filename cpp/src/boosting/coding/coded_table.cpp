#include "treewright/boosting/coding/coded_table.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <span>

#include "treewright/base/error.hpp"
#include "treewright/base/huge_pages.hpp"
#include "treewright/boosting/coding/few_codes.hpp"
#include "treewright/boosting/row_blocks.hpp"

namespace treewright::boosting {
namespace {

constexpr std::uint32_t kMostWide = 65536;
/// Bytes after the last code that a vector load may touch.
constexpr std::size_t kSlack = 64;
std::uint8_t* allocate(std::size_t bytes) {
    return static_cast<std::uint8_t*>(allocate_far(bytes + kSlack));  // rows of nodes are scattered
}

}  // namespace

void CodedTable::Free::operator()(std::uint8_t* memory) const {
    std::free(memory);
}

CodedTable::CodedTable(const data::Dataset& data, const Codebook& book, std::size_t gradient_bytes,
                       Team& team)
    : n_rows(data.n_rows), columns(book.columns.size()) {
    for (const CodedColumn& coded : book.columns)
        require(coded.n_all() <= kMostWide, "codes of two bytes at most");
    const std::vector<Encoder> encoders(book.columns.begin(), book.columns.end());
    const std::vector<FewCodes> few = few_codes_of(data, book, encoders, team);
    place(book, few, gradient_bytes);
    fill(data, encoders, few, team);
    list_rare(team);
}

void CodedTable::place(const Codebook& book, const std::vector<FewCodes>& few,
                       std::size_t gradient_bytes) {
    std::vector<double> rare(columns.size(), 1.0);
    std::vector<bool> is_few(columns.size());
    for (const FewCodes& one : few) {
        is_few[one.column] = true;
        columns[one.column].n_kept = one.n_kept;
        columns[one.column].common = one.common;
        rare[one.column] = static_cast<double>(one.n_away) / static_cast<double>(n_rows);
    }
    std::vector<Digit> digits = digits_of(few);
    std::vector<Digit> alone;
    for (std::uint32_t c = 0; c < columns.size(); ++c) {
        if (is_few[c]) continue;
        const CodedColumn& coded = book.columns[c];
        columns[c].n_kept = coded.n_all();
        columns[c].common = coded.fullest;
        if (coded.n_all() <= kMostNarrow) rare[c] = 1.0 - coded.share_of_fullest;
        alone.push_back(Digit{{c}, coded.n_all()});
    }
    std::vector<Digit> sparse = take_sparse(digits, alone, rare, n_rows);
    slots = slots_of(std::move(digits), n_rows);
    for (const bool is_wide : {false, true}) {
        for (Digit& digit : alone)
            if ((digit.n_codes > kMostNarrow) == is_wide)
                slots.push_back({is_wide, digit.n_codes, 0, 0, 0, {std::move(digit)}});
        if (!is_wide) n_narrow = slots.size();
    }
    n_recorded = slots.size();
    n_recorded_columns = columns.size();
    for (Digit& digit : sparse) {
        n_recorded_columns -= digit.columns.size();
        const std::uint32_t common =
            digit.columns.size() > 1 ? 0 : columns[digit.columns[0]].common;
        slots.push_back({false, digit.n_codes, 0, 0, 0, {std::move(digit)}, true, common});
    }
    lay_out(gradient_bytes);
}

/// Where slots are in the records, among the codes by column and in a histogram.
void CodedTable::lay_out(std::size_t gradient_bytes) {
    std::size_t at = 0;
    std::size_t by_column_at = 0;
    for (std::uint32_t s = 0; s < slots.size(); ++s) {
        Slot& slot = slots[s];
        const std::size_t width = slot.is_wide ? 2 : 1;
        at = (at + width - 1) / width * width;
        slot.at = at;
        if (!slot.is_sparse) at += width;
        slot.offset = n_entries;
        n_entries += slot.n_codes;
        slot.by_column = by_column_at;
        by_column_at += (n_rows * width + kSlack + 63) / 64 * 64;
        for (std::uint32_t d = 0; d < slot.digits.size(); ++d) place_columns(s, d);
    }
    gradients_at = (at + 3) / 4 * 4;
    stride = std::max<std::size_t>((gradients_at + gradient_bytes + 7) / 8 * 8, 8);
    rows.reset(allocate(n_rows * stride));
    by_column.reset(allocate(by_column_at));
}

void CodedTable::place_columns(std::uint32_t slot, std::uint32_t its_digit) {
    Digit& digit = slots[slot].digits[its_digit];
    if (slots[slot].is_shared()) {
        digit.sums_at = n_digit_sums;
        n_digit_sums += digit.n_codes;
    }
    std::uint32_t next = 1;
    for (const std::uint32_t c : digit.columns) {
        Placed& placed = columns[c];
        placed.slot = slot;
        placed.digit = its_digit;
        placed.is_bundled = digit.columns.size() > 1;
        placed.common_is_rest = placed.is_bundled || slots[slot].is_sparse;
        placed.first = placed.is_bundled ? next : 0;
        next += placed.n_kept - 1;
    }
}

void CodedTable::fill(const data::Dataset& data, const std::vector<Encoder>& encoders,
                      const std::vector<FewCodes>& few, Team& team) {
    std::vector<const std::uint8_t*> codes_of_few(columns.size(), nullptr);
    for (const FewCodes& one : few) codes_of_few[one.column] = one.codes.data();
    by_blocks(n_rows, team, [&](std::size_t begin, std::size_t end, std::size_t) {
        std::memset(rows.get() + begin * stride, 0, (end - begin) * stride);
        by_stretches(begin, end, columns.size(), [&](std::size_t from, std::size_t to) {
            for (const Slot& slot : slots) fill_slot(slot, data, encoders, codes_of_few, from, to);
        });
    });
}

void CodedTable::list_rare(Team& team) {
    if (n_recorded == slots.size()) return;
    std::vector<SparseCodes> sparse;
    for (std::size_t s = n_recorded; s < slots.size(); ++s)
        sparse.push_back(
            {codes_of(slots[s]), static_cast<std::uint8_t>(slots[s].common), slots[s].offset});
    rare.first_entry = slots[n_recorded].offset;
    rare.n_entries = n_entries - rare.first_entry;
    rare.list(sparse, n_rows, team);
}

/// The codes of a slot for rows [begin, end), in both layouts.
void CodedTable::fill_slot(const Slot& slot, const data::Dataset& data,
                           const std::vector<Encoder>& encoders,
                           std::span<const std::uint8_t* const> codes_of_few, std::size_t begin,
                           std::size_t end) {
    const std::uint32_t column = slot.digits[0].columns[0];
    std::uint8_t* codes = by_column.get() + slot.by_column;
    std::uint8_t* record = rows.get() + begin * stride + slot.at;
    if (slot.is_wide) {
        auto* wide = reinterpret_cast<std::uint16_t*>(codes) + begin;
        encoders[column].encode(data.columns[column], begin, end, wide);
        for (std::size_t i = 0; i < end - begin; ++i) std::memcpy(record + i * stride, wide + i, 2);
        return;
    }
    codes += begin;
    if (codes_of_few[column] == nullptr)
        encoders[column].encode(data.columns[column], begin, end, codes);
    else join_digits(slot, codes_of_few, begin, end, codes);
    if (slot.is_sparse) return;
    for (std::size_t i = 0; i < end - begin; ++i) record[i * stride] = codes[i];
}

/// The codes of a slot by those of its columns.
void CodedTable::join_digits(const Slot& slot, std::span<const std::uint8_t* const> codes_of_few,
                             std::size_t begin, std::size_t end, std::uint8_t* codes) const {
    const std::size_t n = end - begin;
    std::memset(codes, 0, n);
    for (const Digit& digit : slot.digits)
        for (const std::uint32_t c : digit.columns) {
            const std::uint8_t* own = codes_of_few[c] + begin;
            const auto place = static_cast<std::uint8_t>(digit.place);
            if (!columns[c].is_bundled && slot.digits.size() == 1) {
                std::memcpy(codes, own, n);
            } else if (!columns[c].is_bundled) {
                for (std::size_t i = 0; i < n; ++i)
                    codes[i] = static_cast<std::uint8_t>(codes[i] + own[i] * place);
            } else {
                std::array<std::uint8_t, kMostOfBundled> counts_for{};
                for (std::uint32_t code = 0; code < columns[c].n_kept; ++code)
                    counts_for[code] =
                        static_cast<std::uint8_t>(columns[c].in_digit(code) * digit.place);
                for (std::size_t i = 0; i < n; ++i)
                    codes[i] = static_cast<std::uint8_t>(codes[i] + counts_for[own[i]]);
            }
        }
}

}  // namespace treewright::boosting
