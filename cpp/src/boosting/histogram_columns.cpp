// The sums of one column in one node.

#include <algorithm>
#include <bit>
#include <cstring>

#include "treewright/boosting/histogram.hpp"

namespace treewright::boosting {
namespace {

/// The most frequent code of a bundled or sparse column has the rows that are left.
void add_common(const Placed& placed, const Sums& total, CodeSums& into) {
    if (!placed.common_is_rest) return;
    Sums left = total;
    for (std::size_t i = 0; i < into.n; ++i) left = left - into.sums[i];
    if (left.n_rows <= 0) return;
    std::size_t at = into.n++;
    for (; at > 0 && into.code[at - 1] > placed.common; --at) {
        into.code[at] = into.code[at - 1];
        into.sums[at] = into.sums[at - 1];
    }
    into.code[at] = placed.common;
    into.sums[at] = left;
}

/// Whether the codes of a digit are no more than the rows: all of them are then read, and which
/// have rows is not noted.
template <class Entry>
bool are_dense(const Digit& digit, const GatheredRows<Entry>& gathered) {
    return digit.n_codes <= gathered.rows.n;
}

/// How it is noted which codes have rows: a bit of many a row would wait for the bit before.
enum class Noted { not_at_all, by_bits, by_bytes };

/// Rows from which bytes are made bits in less time than bits take.
constexpr std::size_t kRowsOfBytes = 32;

/// Makes bytes bits, and clears them.
template <class Entry>
void note_bits(const Digit& digit, ColumnSums<Entry>& by_code) {
    std::uint8_t* seen = by_code.seen.data();
    for (std::size_t word = 0; word <= (digit.n_codes - 1) / 64; ++word) {
        std::uint64_t bits = 0;
        for (std::size_t i = 0; i < 8; ++i) {
            std::uint64_t eight = 0;
            std::memcpy(&eight, seen + 64 * word + 8 * i, 8);
            bits |= (eight * 0x0102040810204080ULL >> 56) << 8 * i;  // the lowest bit of each byte
        }
        by_code.present[word] = bits;
        std::memset(seen + 64 * word, 0, 64);
    }
}

/// Adds each row to the sums of its code, and notes which codes have any.
template <Noted How, class Entry, class CodeOf>
void add_codes(const GatheredRows<Entry>& gathered, ColumnSums<Entry>& by_code, CodeOf&& code_of) {
    const Entry* entries = gathered.entries.data();
    Entry* sums = by_code.sums.data();
    std::uint64_t* present = by_code.present.data();
    std::uint8_t* seen = by_code.seen.data();
    const std::size_t n = gathered.rows.n;
    for (std::size_t i = 0; i < n; ++i) {
        const std::uint32_t code = code_of(i);
        sums[code] += entries[i];
        if constexpr (How == Noted::by_bits) present[code / 64] |= std::uint64_t{1} << (code % 64);
        if constexpr (How == Noted::by_bytes) seen[code] = 1;
    }
}

/// Adds the rows to the sums of the codes of a column's digit, `code_of(i)` for the i-th.
template <class Entry, class CodeOf>
void add_noted(const Digit& digit, const GatheredRows<Entry>& gathered, ColumnSums<Entry>& by_code,
               CodeOf&& code_of) {
    if (are_dense(digit, gathered)) return add_codes<Noted::not_at_all>(gathered, by_code, code_of);
    if (gathered.rows.n < kRowsOfBytes)
        return add_codes<Noted::by_bits>(gathered, by_code, code_of);
    add_codes<Noted::by_bytes>(gathered, by_code, code_of);
    note_bits(digit, by_code);
}

/// The same by the codes of the slot, `at(i)` where that of the i-th row is.
template <class Entry, class At>
void add_from(const Slot& slot, const Digit& digit, const GatheredRows<Entry>& gathered,
              ColumnSums<Entry>& by_code, At&& at) {
    const auto add = [&](auto&& code_of) { add_noted(digit, gathered, by_code, code_of); };
    if (slot.is_wide)
        add([=](std::size_t i) {
            std::uint16_t code = 0;
            std::memcpy(&code, at(i), sizeof code);
            return std::uint32_t{code};
        });
    else if (slot.is_shared()) add([=, own = digit](std::size_t i) { return own.of(*at(i)); });
    else add([=](std::size_t i) { return std::uint32_t{*at(i)}; });
}

/// The same from the copies of the records, or else by column.
template <class Entry>
void add_column(const CodedTable& table, const Slot& slot, const Digit& digit,
                const GatheredRows<Entry>& gathered, ColumnSums<Entry>& by_code) {
    const CopiedCodes copied = by_code.copied;
    if (copied.first != nullptr) {
        const std::uint8_t* first = copied.first + (slot.at - copied.from);
        return add_from(slot, digit, gathered, by_code,
                        [=](std::size_t i) { return first + i * copied.stride; });
    }
    const std::uint8_t* codes = table.codes_of(slot);
    const std::size_t width = slot.is_wide ? 2 : 1;
    add_from(slot, digit, gathered, by_code,
             [=, rows = gathered.rows](std::size_t i) { return codes + rows[i] * width; });
}

/// Calls use(code, sums) for the codes that have any rows, and maybe others, ascending, and clears
/// the sums.
template <class Entry, class Use>
void take_codes(const Digit& digit, const GatheredRows<Entry>& gathered, ColumnSums<Entry>& by_code,
                Use&& use) {
    Entry* sums = by_code.sums.data();
    if (are_dense(digit, gathered)) {
        for (std::uint32_t code = 0; code < digit.n_codes; ++code) use(code, sums[code]);
        std::fill_n(sums, digit.n_codes, Entry{});
        return;
    }
    std::uint64_t* present = by_code.present.data();
    const std::uint32_t n_words = (digit.n_codes - 1) / 64 + 1;
    for (std::uint32_t word = 0; word < n_words; ++word) {
        for (std::uint64_t left = present[word]; left != 0; left &= left - 1) {
            const std::uint32_t code =
                64 * word + static_cast<std::uint32_t>(std::countr_zero(left));
            use(code, sums[code]);
            sums[code] = Entry{};
        }
        present[word] = 0;
    }
}

}  // namespace

template <class Entry>
void add_digits(const Slot& slot, const Entry* histogram, DigitSums<Entry>& into) {
    const Entry* of_codes = histogram + slot.offset;
    // The highest digit first: its sums are of neighbours, and what is left has a digit less.
    for (auto digit = slot.digits.rbegin(); digit != slot.digits.rend(); ++digit) {
        Entry* sums = into.sums.data() + digit->sums_at;
        const std::size_t n_codes = digit->place;
        for (std::uint32_t code = 0; code < digit->n_codes; ++code) {
            const Entry* own = of_codes + code * n_codes;
            Entry sum{};
            for (std::size_t i = 0; i < n_codes; ++i) sum += own[i];
            sums[code] = sum;
        }
        if (n_codes == 1) return;
        Entry* left = into.left.data();
        for (std::size_t i = 0; i < n_codes; ++i) {
            Entry sum = of_codes[i];
            for (std::uint32_t code = 1; code < digit->n_codes; ++code)
                sum += of_codes[code * n_codes + i];
            left[i] = sum;  // also where it is read from: never before what is still to be read
        }
        of_codes = left;
    }
}

/// Reads the sums of a column whose common code has what is left of the total. Room for it is left,
/// and taken if there is anything in it.
template <class Entry>
static void read_with_rest(const Placed& placed, const Entry* sums, const Sums& total,
                           int count_bits, CodeSums& into) {
    Entry others{};
    const auto add = [&](std::uint32_t code) {
        const Entry own = sums[placed.in_digit(code)];
        others += own;
        into.add(code, own.sums(count_bits));
    };
    for (std::uint32_t code = 0; code < placed.common; ++code) add(code);
    const std::size_t at = into.n++;
    for (std::uint32_t code = placed.common + 1; code < placed.n_kept; ++code) add(code);
    into.code[at] = placed.common;
    into.sums[at] = total - others.sums(count_bits);
    if (into.sums[at].n_rows > 0) return;
    std::uint32_t* codes = into.code.data();
    Sums* its_sums = into.sums.data();
    std::copy(codes + at + 1, codes + into.n, codes + at);
    std::copy(its_sums + at + 1, its_sums + into.n, its_sums + at);
    --into.n;
}

template <class Entry>
void read_sums(const CodedTable& table, std::uint32_t column, std::uint32_t n_all,
               const Entry* sums, const Sums& total, int count_bits, CodeSums& into) {
    const Placed& placed = table.columns[column];
    into.reset(n_all);
    if (placed.common_is_rest) return read_with_rest(placed, sums, total, count_bits, into);
    for (std::uint32_t code = 0; code < placed.n_kept; ++code)
        into.add(code, sums[code].sums(count_bits));
}

template <class Entry>
void read_running(const CodedTable& table, std::uint32_t column, std::uint32_t n_all,
                  const Entry* sums, int count_bits, RunningSums<Entry>& into) {
    const std::uint32_t n_kept = table.columns[column].n_kept;
    typename RunningSums<Entry>::Filling filling(into, n_all, count_bits);
    for (std::uint32_t code = 0; code < n_kept; ++code) filling.add(code, sums[code]);
}

template <class Entry>
template <class Row>
void GatheredRows<Entry>::gather(const CodedTable& table, const RowRange& some,
                                 const GradientView& gradients, const FixedPoint& fixed) {
    rows = some;
    entries.resize(some.n);
    for (std::size_t i = 0; i < some.n; ++i)
        entries[i] = gradients.template get<Row>(some[i]).entry(fixed);
    if (!table.rare.empty()) rare.add_up(table.rare, rows, entries.data());
}

template <class Entry>
void ColumnSums<Entry>::make_room(const CodedTable& table) {
    if (!sums.empty()) return;
    std::uint32_t most = 0;
    for (const Slot& slot : table.slots) most = std::max(most, slot.n_codes);
    sums.resize(most);
    present.resize(most / 64 + 1);
    seen.resize(64 * present.size());
}

template <class Entry>
void add_up(const CodedTable& table, std::uint32_t column, std::uint32_t n_all,
            const GatheredRows<Entry>& gathered, ColumnSums<Entry>& by_code, const Sums& total,
            int count_bits, CodeSums& into) {
    const Placed& placed = table.columns[column];
    const Slot& slot = table.slots[placed.slot];
    const Digit& digit = slot.digits[placed.digit];
    into.reset(n_all);
    if (slot.is_sparse) {
        const auto add = [&](std::size_t in_digit, const Entry& own) {
            into.add(placed.code_of(static_cast<std::uint32_t>(in_digit) + placed.own_from()),
                     own.sums(count_bits));
        };
        gathered.rare.for_each(slot.offset + placed.own_from(), slot.offset + placed.own_to(), add);
        return add_common(placed, total, into);
    }
    add_column(table, slot, digit, gathered, by_code);
    take_codes(digit, gathered, by_code, [&](std::uint32_t in_digit, const Entry& own) {
        if (placed.has(in_digit)) into.add(placed.code_of(in_digit), own.sums(count_bits));
    });
    add_common(placed, total, into);
}

template <class Entry>
void add_up_running(const CodedTable& table, std::uint32_t column, std::uint32_t n_all,
                    const GatheredRows<Entry>& gathered, ColumnSums<Entry>& by_code, int count_bits,
                    RunningSums<Entry>& into) {
    const Slot& slot = table.slots[table.columns[column].slot];
    const Digit& digit = slot.digits[table.columns[column].digit];
    add_column(table, slot, digit, gathered, by_code);
    typename RunningSums<Entry>::Filling filling(into, n_all, count_bits);
    take_codes(digit, gathered, by_code,
               [&](std::uint32_t code, const Entry& own) { filling.add(code, own); });
}

void add_up_weights(const CodedTable& table, std::uint32_t column, const RowRange& rows,
                    std::span<const std::int64_t> weight, const CodeSums& of,
                    std::vector<std::int64_t>& into) {
    const Placed& placed = table.columns[column];
    const Slot& slot = table.slots[placed.slot];
    const Digit& digit = slot.digits[placed.digit];
    std::vector<std::int64_t> by_digit(digit.n_codes);
    std::int64_t all = 0;
    for (std::size_t i = 0; i < rows.n; ++i) {
        const std::uint32_t code = table.code(slot, rows[i]);
        by_digit[slot.is_shared() ? digit.of(code) : code] += weight[rows[i]];
        all += weight[rows[i]];
    }
    into.resize(of.n);
    std::size_t common = of.n;
    for (std::size_t i = 0; i < of.n; ++i) {
        if (placed.is_bundled && of.code[i] == placed.common) common = i;
        else all -= into[i] = by_digit[placed.in_digit(of.code[i])];
    }
    if (common < of.n) into[common] = all;
}

template void add_digits<WideEntry>(const Slot&, const WideEntry*, DigitSums<WideEntry>&);
template void add_digits<NarrowEntry>(const Slot&, const NarrowEntry*, DigitSums<NarrowEntry>&);
template void read_sums<WideEntry>(const CodedTable&, std::uint32_t, std::uint32_t,
                                   const WideEntry*, const Sums&, int, CodeSums&);
template void read_sums<NarrowEntry>(const CodedTable&, std::uint32_t, std::uint32_t,
                                     const NarrowEntry*, const Sums&, int, CodeSums&);
template void read_running<WideEntry>(const CodedTable&, std::uint32_t, std::uint32_t,
                                      const WideEntry*, int, RunningSums<WideEntry>&);
template void read_running<NarrowEntry>(const CodedTable&, std::uint32_t, std::uint32_t,
                                        const NarrowEntry*, int, RunningSums<NarrowEntry>&);
template void add_up_running<WideEntry>(const CodedTable&, std::uint32_t, std::uint32_t,
                                        const GatheredRows<WideEntry>&, ColumnSums<WideEntry>&, int,
                                        RunningSums<WideEntry>&);
template void add_up_running<NarrowEntry>(const CodedTable&, std::uint32_t, std::uint32_t,
                                          const GatheredRows<NarrowEntry>&,
                                          ColumnSums<NarrowEntry>&, int, RunningSums<NarrowEntry>&);
template void add_up<WideEntry>(const CodedTable&, std::uint32_t, std::uint32_t,
                                const GatheredRows<WideEntry>&, ColumnSums<WideEntry>&, const Sums&,
                                int, CodeSums&);
template void ColumnSums<WideEntry>::make_room(const CodedTable&);
template void add_up<NarrowEntry>(const CodedTable&, std::uint32_t, std::uint32_t,
                                  const GatheredRows<NarrowEntry>&, ColumnSums<NarrowEntry>&,
                                  const Sums&, int, CodeSums&);
template void ColumnSums<NarrowEntry>::make_room(const CodedTable&);
template void GatheredRows<WideEntry>::gather<SlimRow>(const CodedTable&, const RowRange&,
                                                       const GradientView&, const FixedPoint&);
template void GatheredRows<WideEntry>::gather<OddsRow>(const CodedTable&, const RowRange&,
                                                       const GradientView&, const FixedPoint&);
template void GatheredRows<WideEntry>::gather<WideRow>(const CodedTable&, const RowRange&,
                                                       const GradientView&, const FixedPoint&);
template void GatheredRows<NarrowEntry>::gather<NarrowRow>(const CodedTable&, const RowRange&,
                                                           const GradientView&, const FixedPoint&);
template void GatheredRows<NarrowEntry>::gather<SingleRow>(const CodedTable&, const RowRange&,
                                                           const GradientView&, const FixedPoint&);

}  // namespace treewright::boosting
