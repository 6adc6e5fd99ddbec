#include "treewright/boosting/histogram.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <vector>

#include "treewright/base/avx512.hpp"
#include "treewright/base/prefetch.hpp"

namespace treewright::boosting {
namespace {

/// Slots added up together: their part of a histogram stays in the L1 cache (7 x 256 x 16
/// bytes = 28 KiB), and their codes come in one word.
constexpr std::size_t kTogether = 7;
/// Rows whose records are copied into the cache before their slots are added up; the copying loop
/// has many loads in flight, which the adding loop, full of stores, has not. While some are added
/// up the next are prefetched: 22 ns a row instead of 27 (half of a million rows), 30 instead of 35
/// (a tenth).
constexpr std::size_t kMostNear = 1024;
constexpr std::size_t kNearBytes = 32768;
/// The same of the codes of some slots.
constexpr std::size_t kRowsOfSlots = 512;

/// Rows after which some more are prefetched.
constexpr std::size_t kChunk = 4;

/// Rows whose records will be wanted soon, and their gradients where those lie elsewhere. They are
/// sent for a few at a time, all through the adding: not many lines can be on their way at once.
struct Ahead {
    const std::uint32_t* next = nullptr;
    const std::uint32_t* end = nullptr;
    const std::uint8_t* records = nullptr;
    std::size_t stride = 0;
    GradientView gradients;
    std::size_t n_chunk = 1;  ///< to be sent for with a chunk

    void send() {
        const std::uint32_t* until = next + n_chunk < end ? next + n_chunk : end;
        for (; next != until; ++next) {
            prefetch(records + *next * stride);
            if (gradients.base != nullptr) prefetch(gradients.base + *next * gradients.stride);
        }
    }
};

template <std::size_t Width, class Entry>
void add_group(const std::uint8_t* codes, std::size_t stride, const Entry* of_row, std::size_t n,
               const Slot* slots, Entry* histogram, Ahead& ahead) {
    constexpr int kSize = std::countr_zero(sizeof(Entry));
    constexpr std::uint64_t kByte = std::uint64_t{255} << kSize;
    std::byte* start[Width];
    for (std::size_t k = 0; k < Width; ++k)
        start[k] = reinterpret_cast<std::byte*>(histogram + slots[k].offset);
    const auto add = [&](std::size_t i) {
        std::uint64_t word = 0;
        std::memcpy(&word, codes + i * stride, 8);
        const Entry entry = of_row[i];
#pragma GCC unroll 8
        for (std::size_t k = 0; k < Width; ++k) {
            // The code times the size of an entry, in two instructions.
            const int shift = 8 * static_cast<int>(k) - kSize;
            const std::uint64_t at = (shift < 0 ? word << -shift : word >> shift) & kByte;
            *reinterpret_cast<Entry*>(start[k] + at) += entry;
        }
    };
    std::size_t i = 0;
    for (; i + kChunk <= n; i += kChunk) {
        if (ahead.next != ahead.end) ahead.send();
        for (std::size_t k = 0; k < kChunk; ++k) add(i + k);
    }
    for (; i < n; ++i) add(i);
}

template <class Entry>
void add_narrow(const std::uint8_t* codes, std::size_t stride, const Entry* of_row, std::size_t n,
                const Slot* slots, std::size_t width, Entry* histogram, Ahead& ahead) {
    switch (width) {
        case 1: return add_group<1>(codes, stride, of_row, n, slots, histogram, ahead);
        case 2: return add_group<2>(codes, stride, of_row, n, slots, histogram, ahead);
        case 3: return add_group<3>(codes, stride, of_row, n, slots, histogram, ahead);
        case 4: return add_group<4>(codes, stride, of_row, n, slots, histogram, ahead);
        case 5: return add_group<5>(codes, stride, of_row, n, slots, histogram, ahead);
        case 6: return add_group<6>(codes, stride, of_row, n, slots, histogram, ahead);
        default: return add_group<7>(codes, stride, of_row, n, slots, histogram, ahead);
    }
}

/// Copies so many words from some byte on of each record.
template <std::size_t Words>  // 0: any number
void copy_words(const std::uint8_t* from, std::size_t stride, std::size_t n_words,
                const RowRange& rows, std::uint64_t* to) {
    const std::size_t n_own = Words == 0 ? n_words : Words;
    for (std::size_t i = 0; i < rows.n; ++i, to += n_own)
        std::memcpy(to, from + rows[i] * stride, n_own * 8);
}

void bring_near(const std::uint8_t* from, std::size_t stride, std::size_t n_words,
                const RowRange& rows, std::uint64_t* to) {
    switch (n_words) {
        case 1: return copy_words<1>(from, stride, n_words, rows, to);
        case 2: return copy_words<2>(from, stride, n_words, rows, to);
        case 3: return copy_words<3>(from, stride, n_words, rows, to);
        case 4: return copy_words<4>(from, stride, n_words, rows, to);
        case 5: return copy_words<5>(from, stride, n_words, rows, to);
        case 6: return copy_words<6>(from, stride, n_words, rows, to);
        case 7: return copy_words<7>(from, stride, n_words, rows, to);
        case 8: return copy_words<8>(from, stride, n_words, rows, to);
        default: return copy_words<0>(from, stride, n_words, rows, to);
    }
}

/// Adds up the codes of wide slots, of two bytes.
template <class Entry>
void add_wide(const Slot& slot, const std::uint8_t* codes, std::size_t stride, const Entry* of_row,
              std::size_t n, Entry* histogram) {
    for (std::size_t i = 0; i < n; ++i) {
        std::uint16_t code = 0;
        std::memcpy(&code, codes + i * stride, 2);
        histogram[slot.offset + code] += of_row[i];
    }
}

/// The gradients and hessians of some rows.
template <class Row>
inline void fill_entries(const GradientView& gradients, std::size_t first, std::size_t n,
                         const FixedPoint fixed, typename Row::Entry* entries) {
    for (std::size_t i = 0; i < n; ++i) entries[i] = gradients.get<Row>(first + i).entry(fixed);
}

#ifdef TREEWRIGHT_AVX512
template <class Row>
TREEWRIGHT_WIDE void fill_entries_wide(const GradientView& gradients, std::size_t first,
                                       std::size_t n, const FixedPoint& fixed,
                                       typename Row::Entry* entries) {
    fill_entries<Row>(gradients, first, n, fixed, entries);
}
#endif

template <class Row>
void entries_of(const GradientView& gradients, std::size_t first, std::size_t n,
                const FixedPoint& fixed, typename Row::Entry* entries) {
#ifdef TREEWRIGHT_AVX512
    if (has_avx512()) return fill_entries_wide<Row>(gradients, first, n, fixed, entries);
#endif
    fill_entries<Row>(gradients, first, n, fixed, entries);
}

}  // namespace

template <class Row>
void add_rows(const CodedTable& table, const RowRange& rows, const GradientView& gradients,
              const FixedPoint& fixed, NearRows<typename Row::Entry>& near,
              typename Row::Entry* histogram, Way way) {
    const std::size_t n_near =
        std::clamp<std::size_t>(kNearBytes / table.stride / 64 * 64, 64, kMostNear);
    near.records.resize(n_near * table.stride / 8 + 1);
    near.entries.resize(n_near);
    auto* copies = reinterpret_cast<std::uint8_t*>(near.records.data());
    auto& entries = near.entries;
    const std::size_t n_groups = (table.n_narrow + kTogether - 1) / kTogether;
    for (std::size_t begin = 0; begin < rows.n; begin += n_near) {
        const std::size_t n = std::min(n_near, rows.n - begin);
        const std::uint8_t* records = table.records() + (rows.first + begin) * table.stride;
        Ahead ahead;
        if (rows.list == nullptr) {
            entries_of<Row>(gradients, rows.first + begin, n, fixed, entries.data());
        } else {
            const std::uint32_t* list = rows.list + begin;
            ahead.next = list + n;
            ahead.end = ahead.next + std::min(n_near, rows.n - begin - n);
            ahead.records = table.records();
            ahead.stride = table.stride;
            ahead.n_chunk = (kChunk + n_groups - 1) / std::max<std::size_t>(n_groups, 1);
            bring_near(table.records(), table.stride, table.stride / 8, {list, 0, n},
                       near.records.data());
            records = copies;
            if (gradients.base == table.gradients().base) {
                entries_of<Row>({copies + table.gradients_at, table.stride}, 0, n, fixed,
                                entries.data());
            } else {
                ahead.gradients = gradients;
                for (std::size_t i = 0; i < n; ++i)
                    entries[i] = gradients.get<Row>(list[i]).entry(fixed);
            }
        }
        if (way == Way::take_away)
            for (std::size_t i = 0; i < n; ++i) entries[i] = -entries[i];
        for (std::size_t g = 0; g < n_groups; ++g) {
            const std::size_t low = g * table.n_narrow / n_groups;
            const std::size_t high = (g + 1) * table.n_narrow / n_groups;
            add_narrow(records + table.slots[low].at, table.stride, entries.data(), n,
                       table.slots.data() + low, high - low, histogram, ahead);
        }
        if (!table.rare.empty())
            table.rare.add(rows.part(begin, begin + n), entries.data(), histogram);
        for (std::size_t s = table.n_narrow; s < table.n_recorded; ++s)
            add_wide(table.slots[s], records + table.slots[s].at, table.stride, entries.data(), n,
                     histogram);
    }
}

CopiedCodes copy_codes(const CodedTable& table, const SlotRange& slots, const RowRange& rows,
                       std::vector<std::uint64_t>& to) {
    const Slot& last = table.slots[slots.high - 1];
    const std::size_t from = table.slots[slots.low].at;
    const std::size_t n_words = (last.at + (last.is_wide ? 2 : 1) - from + 7) / 8;
    const std::size_t n_all = rows.n * n_words + 1;  // seven codes are read as eight
    if (to.size() < n_all) to.resize(n_all);
    bring_near(table.records() + from, table.stride, n_words, rows, to.data());
    return {reinterpret_cast<const std::uint8_t*>(to.data()), 8 * n_words, from};
}

template <class Entry>
void add_slots(const CodedTable& table, const SlotRange& slots, const RowRange& rows,
               const Entry* of_row, NearRows<Entry>& near, Entry* histogram, Way way) {
    const std::size_t first_wide = std::clamp(table.n_narrow, slots.low, slots.high);
    const std::size_t n_narrow = first_wide - slots.low;
    const std::size_t n_groups = (n_narrow + kTogether - 1) / kTogether;
    near.entries.resize(kRowsOfSlots);
    Ahead nothing;
    for (std::size_t begin = 0; begin < rows.n; begin += kRowsOfSlots) {
        const std::size_t n = std::min(kRowsOfSlots, rows.n - begin);
        const CopiedCodes copied =
            copy_codes(table, slots, rows.part(begin, begin + n), near.records);
        const Entry* entries = of_row + begin;
        if (way == Way::take_away) {
            for (std::size_t i = 0; i < n; ++i) near.entries[i] = -entries[i];
            entries = near.entries.data();
        }
        for (std::size_t g = 0; g < n_groups; ++g) {
            const std::size_t low = slots.low + g * n_narrow / n_groups;
            const std::size_t high = slots.low + (g + 1) * n_narrow / n_groups;
            add_narrow(copied.first + (table.slots[low].at - copied.from), copied.stride, entries,
                       n, table.slots.data() + low, high - low, histogram, nothing);
        }
        for (std::size_t s = first_wide; s < slots.high; ++s)
            add_wide(table.slots[s], copied.first + (table.slots[s].at - copied.from),
                     copied.stride, entries, n, histogram);
    }
}

template void add_slots<WideEntry>(const CodedTable&, const SlotRange&, const RowRange&,
                                   const WideEntry*, NearRows<WideEntry>&, WideEntry*, Way);
template void add_slots<NarrowEntry>(const CodedTable&, const SlotRange&, const RowRange&,
                                     const NarrowEntry*, NearRows<NarrowEntry>&, NarrowEntry*, Way);

template void add_rows<SlimRow>(const CodedTable&, const RowRange&, const GradientView&,
                                const FixedPoint&, NearRows<WideEntry>&, WideEntry*, Way);
template void add_rows<OddsRow>(const CodedTable&, const RowRange&, const GradientView&,
                                const FixedPoint&, NearRows<WideEntry>&, WideEntry*, Way);
template void add_rows<WideRow>(const CodedTable&, const RowRange&, const GradientView&,
                                const FixedPoint&, NearRows<WideEntry>&, WideEntry*, Way);
template void add_rows<NarrowRow>(const CodedTable&, const RowRange&, const GradientView&,
                                  const FixedPoint&, NearRows<NarrowEntry>&, NarrowEntry*, Way);
template void add_rows<SingleRow>(const CodedTable&, const RowRange&, const GradientView&,
                                  const FixedPoint&, NearRows<NarrowEntry>&, NarrowEntry*, Way);

}  // namespace treewright::boosting
