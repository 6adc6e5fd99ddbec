// The sums of one column in one node.

#include <algorithm>
#include <bit>

#include "treewright/boosting/histogram.hpp"

namespace treewright::boosting {
namespace {

/// Where the codes of a column are in its slot, back and forth.
struct InSlot {
    const Placed& placed;
    std::uint32_t n_all;

    /// Whether a code of the slot is one of this column.
    [[nodiscard]] bool has(std::uint32_t in_slot) const {
        return !placed.is_shared || (in_slot >= placed.first && in_slot < placed.first + n_all - 1);
    }
    [[nodiscard]] std::uint32_t code_of(std::uint32_t in_slot) const {
        if (!placed.is_shared) return in_slot;
        const std::uint32_t code = in_slot - placed.first;
        return code + (code >= placed.common ? 1U : 0U);
    }
};

/// The common code of a shared slot is not stored: it has the rows that are left.
void add_common(const Placed& placed, const Sums& total, CodeSums& into) {
    if (!placed.is_shared) return;
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

/// Adds each row to the sums of its code, and notes which codes have any.
template <class Code, class Entry>
void add_codes(const Code* codes, GatheredRows<Entry>& gathered) {
    const Entry* entries = gathered.entries.data();
    Entry* sums = gathered.sums.data();
    std::uint64_t* present = gathered.present.data();
    const RowRange& rows = gathered.rows;
    for (std::size_t i = 0; i < rows.n; ++i) {
        const std::uint32_t code = codes[rows[i]];
        sums[code] += entries[i];
        present[code / 64] |= std::uint64_t{1} << (code % 64);
    }
}

}  // namespace

template <class Entry>
void read_sums(const CodedTable& table, std::uint32_t column, std::uint32_t n_all,
               const Entry* histogram, const Sums& total, int count_bits, CodeSums& into) {
    const Placed& placed = table.columns[column];
    const Entry* entries = histogram + table.slots[placed.slot].offset;
    into.reset(n_all);
    for (std::uint32_t code = 0; code < n_all; ++code)
        if (!placed.is_shared || code != placed.common)
            into.add(code, entries[placed.in_slot(code)].sums(count_bits));
    add_common(placed, total, into);
}

template <class Entry>
template <class Row>
void GatheredRows<Entry>::gather(const CodedTable& table, const RowRange& some,
                                 const GradientView& gradients, const FixedPoint& fixed) {
    rows = some;
    entries.resize(some.n);
    for (std::size_t i = 0; i < some.n; ++i)
        entries[i] = gradients.template get<Row>(some[i]).entry(fixed);
    if (!sums.empty()) return;
    std::uint32_t most = 0;
    for (const Slot& slot : table.slots) most = std::max(most, slot.n_codes);
    sums.resize(most);
    present.resize(most / 64 + 1);
}

template <class Entry>
void add_up(const CodedTable& table, std::uint32_t column, std::uint32_t n_all,
            GatheredRows<Entry>& gathered, const Sums& total, int count_bits, CodeSums& into) {
    const Placed& placed = table.columns[column];
    const Slot& slot = table.slots[placed.slot];
    const std::uint8_t* codes = table.codes_of(slot);
    if (slot.is_wide) add_codes(reinterpret_cast<const std::uint16_t*>(codes), gathered);
    else add_codes(codes, gathered);
    const InSlot own{placed, n_all};
    into.reset(n_all);
    for (std::size_t word = 0; word <= (slot.n_codes - 1) / 64; ++word) {
        for (std::uint64_t left = gathered.present[word]; left != 0; left &= left - 1) {
            const auto in_slot = static_cast<std::uint32_t>(64 * word) +
                                 static_cast<std::uint32_t>(std::countr_zero(left));
            const Sums sums = gathered.sums[in_slot].sums(count_bits);
            gathered.sums[in_slot] = Entry{};
            if (own.has(in_slot)) into.add(own.code_of(in_slot), sums);
        }
        gathered.present[word] = 0;
    }
    add_common(placed, total, into);
}

void add_up_weights(const CodedTable& table, std::uint32_t column, const RowRange& rows,
                    std::span<const std::int64_t> weight, const CodeSums& of,
                    std::vector<std::int64_t>& into) {
    const Placed& placed = table.columns[column];
    const Slot& slot = table.slots[placed.slot];
    std::vector<std::int64_t> by_slot(slot.n_codes);
    std::int64_t all = 0;
    for (std::size_t i = 0; i < rows.n; ++i) {
        by_slot[table.code(slot, rows[i])] += weight[rows[i]];
        all += weight[rows[i]];
    }
    into.resize(of.n);
    std::size_t common = of.n;
    for (std::size_t i = 0; i < of.n; ++i) {
        if (placed.is_shared && of.code[i] == placed.common) common = i;
        else all -= into[i] = by_slot[placed.in_slot(of.code[i])];
    }
    if (common < of.n) into[common] = all;
}

template void read_sums<WideEntry>(const CodedTable&, std::uint32_t, std::uint32_t,
                                   const WideEntry*, const Sums&, int, CodeSums&);
template void read_sums<NarrowEntry>(const CodedTable&, std::uint32_t, std::uint32_t,
                                     const NarrowEntry*, const Sums&, int, CodeSums&);
template void add_up<WideEntry>(const CodedTable&, std::uint32_t, std::uint32_t,
                                GatheredRows<WideEntry>&, const Sums&, int, CodeSums&);
template void add_up<NarrowEntry>(const CodedTable&, std::uint32_t, std::uint32_t,
                                  GatheredRows<NarrowEntry>&, const Sums&, int, CodeSums&);
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
