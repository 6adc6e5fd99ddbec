#include "treewright/boost/histogram.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <vector>

namespace treewright {
namespace {

/// Slots added up together: their part of a histogram stays in the nearest cache (7 x 256 x 16
/// bytes = 28 KiB), and their codes come in one word.
constexpr std::size_t kTogether = 7;
/// Rows whose records are brought near before their slots are gone through; the copying loop has
/// many loads in flight, which the adding loop, full of stores, has not. While some are added up
/// the next are fetched: 22 ns a row instead of 27 (half of a million rows), 30 instead of 35 (a
/// tenth).
constexpr std::size_t kMostNear = 1024;
constexpr std::size_t kNearBytes = 32768;

/// Memory that will be wanted soon: base + row * stride for each of some rows.
struct Ahead {
    const std::uint32_t* rows = nullptr;
    std::size_t n = 0;
    const std::uint8_t* base = nullptr;
    std::size_t stride = 0;

    void fetch(std::size_t i) const {
        if (i < n) __builtin_prefetch(base + rows[i] * stride);
    }
};

template <std::size_t Width, class Entry>
void add_group(const std::uint8_t* codes, std::size_t stride, const Entry* of_row, std::size_t n,
               const Slot* slots, Entry* histogram, const Ahead& ahead) {
    constexpr int kSize = std::countr_zero(sizeof(Entry));
    constexpr std::uint64_t kByte = std::uint64_t{255} << kSize;
    std::byte* start[Width];
    for (std::size_t k = 0; k < Width; ++k)
        start[k] = reinterpret_cast<std::byte*>(histogram + slots[k].offset);
    for (std::size_t i = 0; i < n; ++i) {
        std::uint64_t word = 0;
        std::memcpy(&word, codes + i * stride, 8);
        const Entry entry = of_row[i];
        ahead.fetch(i);
#pragma GCC unroll 8
        for (std::size_t k = 0; k < Width; ++k) {
            // The code times the size of an entry, in two instructions.
            const int shift = 8 * static_cast<int>(k) - kSize;
            const std::uint64_t at = (shift < 0 ? word << -shift : word >> shift) & kByte;
            *reinterpret_cast<Entry*>(start[k] + at) += entry;
        }
    }
}

template <class Entry>
void add_narrow(const std::uint8_t* codes, std::size_t stride, const Entry* of_row, std::size_t n,
                const Slot* slots, std::size_t width, Entry* histogram, const Ahead& ahead) {
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

/// Copies of what a span of slots has of some rows, in words.
struct Near {
    std::vector<std::uint64_t> words;
    std::size_t stride = 0;  ///< bytes

    void copy(const std::uint8_t* records, std::size_t record_stride, const std::uint32_t* rows,
              std::size_t n) {
        switch (stride / 8) {
            case 1: return copy_words<1>(records, record_stride, rows, n);
            case 2: return copy_words<2>(records, record_stride, rows, n);
            case 3: return copy_words<3>(records, record_stride, rows, n);
            case 4: return copy_words<4>(records, record_stride, rows, n);
            default: return copy_words<0>(records, record_stride, rows, n);
        }
    }

private:
    template <std::size_t Words>  // 0: any number
    void copy_words(const std::uint8_t* records, std::size_t record_stride,
                    const std::uint32_t* rows, std::size_t n) {
        const std::size_t n_words = Words == 0 ? stride / 8 : Words;
        std::uint64_t* to = words.data();
        for (std::size_t i = 0; i < n; ++i, to += n_words)
            std::memcpy(to, records + rows[i] * record_stride, n_words * 8);
    }
};

}  // namespace

template <class Row>
void add_rows(const CodedTable& table, const RowRange& rows, const Row* of_row, int count_bits,
              std::size_t first_slot, std::size_t last_slot, typename Row::Entry* histogram) {
    if (first_slot == last_slot) return;
    const std::size_t from = table.slots[first_slot].at / 8 * 8;
    const Slot& last = table.slots[last_slot - 1];
    const std::size_t to = last.at + (last.is_wide ? 2 : 1);
    const std::size_t n_near =
        std::clamp<std::size_t>(kNearBytes / table.stride / 64 * 64, 64, kMostNear);
    Near near;
    near.stride = (to - from + 7) / 8 * 8;
    if (rows.list != nullptr) near.words.resize(n_near * near.stride / 8 + 1);
    std::vector<typename Row::Entry> entries(n_near);
    const std::size_t n_narrow =
        std::min(table.n_narrow, last_slot) - std::min(table.n_narrow, first_slot);
    const std::size_t n_groups = (n_narrow + kTogether - 1) / kTogether;
    for (std::size_t begin = 0; begin < rows.n; begin += n_near) {
        const std::size_t n = std::min(n_near, rows.n - begin);
        const std::uint8_t* records = table.records() + (rows.first + begin) * table.stride + from;
        std::size_t stride = table.stride;
        Ahead ahead[2];
        if (rows.list == nullptr) {
            const Row* own = of_row + rows.first + begin;
            for (std::size_t i = 0; i < n; ++i) entries[i] = own[i].entry(count_bits);
        } else {
            const std::uint32_t* list = rows.list + begin;
            for (std::size_t i = 0; i < n; ++i) entries[i] = of_row[list[i]].entry(count_bits);
            near.copy(table.records() + from, table.stride, list, n);
            records = reinterpret_cast<const std::uint8_t*>(near.words.data());
            stride = near.stride;
            const std::size_t n_next = std::min(n_near, rows.n - begin - n);
            ahead[0] = {list + n, n_next, table.records() + from, table.stride};
            ahead[1] = {list + n, n_next, reinterpret_cast<const std::uint8_t*>(of_row),
                        sizeof(Row)};
        }
        for (std::size_t g = 0; g < n_groups; ++g) {
            const std::size_t low = first_slot + g * n_narrow / n_groups;
            const std::size_t high = first_slot + (g + 1) * n_narrow / n_groups;
            add_narrow(records + table.slots[low].at - from, stride, entries.data(), n,
                       table.slots.data() + low, high - low, histogram, g < 2 ? ahead[g] : Ahead{});
        }
        for (std::size_t s = std::max(first_slot, table.n_narrow); s < last_slot; ++s) {
            const Slot& slot = table.slots[s];
            const std::uint8_t* codes = records + slot.at - from;
            for (std::size_t i = 0; i < n; ++i) {
                std::uint16_t code = 0;
                std::memcpy(&code, codes + i * stride, 2);
                histogram[slot.offset + code] += entries[i];
            }
        }
    }
}

template void add_rows(const CodedTable&, const RowRange&, const SlimRow*, int, std::size_t,
                       std::size_t, WideEntry*);
template void add_rows(const CodedTable&, const RowRange&, const WideRow*, int, std::size_t,
                       std::size_t, WideEntry*);
template void add_rows(const CodedTable&, const RowRange&, const NarrowRow*, int, std::size_t,
                       std::size_t, NarrowEntry*);

}  // namespace treewright
