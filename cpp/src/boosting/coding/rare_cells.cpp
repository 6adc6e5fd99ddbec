#include "treewright/boosting/coding/rare_cells.hpp"

#include <algorithm>
#include <bit>
#include <numeric>

#include "treewright/base/avx512.hpp"
#include "treewright/base/prefetch.hpp"
#include "treewright/boosting/gradients.hpp"

namespace treewright::boosting {
namespace {

/// Calls use(i) for those of n codes that are not the common one.
template <class Use>
void for_rare(const std::uint8_t* codes, std::size_t n, std::uint8_t common, Use&& use) {
    std::uint64_t words[kRowsPerBlock / 64];
    rows_of_others(codes, n, common, words);
    for (std::size_t word = 0; word * 64 < n; ++word)
        for (std::uint64_t left = words[word]; left != 0; left &= left - 1)
            use(word * 64 + static_cast<std::size_t>(std::countr_zero(left)));
}

#ifdef TREEWRIGHT_AVX512
TREEWRIGHT_WIDE void rows_of_others_wide(const std::uint8_t* codes, std::size_t n,
                                         std::uint8_t common, std::uint64_t* words) {
    const __m512i commons = _mm512_set1_epi8(static_cast<char>(common));
    for (std::size_t i = 0; i < n; i += 64) {
        const __mmask64 ours = n - i >= 64 ? ~__mmask64{0} : (__mmask64{1} << (n - i)) - 1;
        words[i / 64] =
            _mm512_mask_cmpneq_epu8_mask(ours, _mm512_maskz_loadu_epi8(ours, codes + i), commons);
    }
}
#endif

/// Rows ahead whose cells are prefetched, and whose starts are.
constexpr std::size_t kCellsAhead = 8;
constexpr std::size_t kStartsAhead = 16;

}  // namespace

void rows_of_others(const std::uint8_t* codes, std::size_t n, std::uint8_t common,
                    std::uint64_t* words) {
#ifdef TREEWRIGHT_AVX512
    if (has_avx512()) return rows_of_others_wide(codes, n, common, words);
#endif
    for (std::size_t begin = 0; begin < n; begin += 64) {
        std::uint64_t word = 0;
        for (std::size_t i = begin; i < std::min(begin + 64, n); ++i)
            word |= std::uint64_t{codes[i] != common} << (i - begin);
        words[begin / 64] = word;
    }
}

void RareCells::list(std::span<const SparseCodes> slots, std::size_t n_rows, Team& team) {
    start.assign(n_rows + 1, 0);
    by_blocks(n_rows, team, [&](std::size_t begin, std::size_t end, std::size_t) {
        std::uint64_t* count = start.data() + begin + 1;
        for (const SparseCodes& slot : slots)
            for_rare(slot.codes + begin, end - begin, slot.common,
                     [&](std::size_t i) { ++count[i]; });
    });
    std::inclusive_scan(start.begin(), start.end(), start.begin());
    entry.resize(start.back());
    by_blocks(n_rows, team, [&](std::size_t begin, std::size_t end, std::size_t) {
        std::uint64_t next[kRowsPerBlock];
        std::copy(start.begin() + static_cast<std::ptrdiff_t>(begin),
                  start.begin() + static_cast<std::ptrdiff_t>(end), next);
        for (const SparseCodes& slot : slots) {
            const std::uint8_t* codes = slot.codes + begin;
            for_rare(codes, end - begin, slot.common, [&](std::size_t i) {
                entry[next[i]++] = static_cast<std::uint32_t>(slot.offset + codes[i]);
            });
        }
    });
}

template <class Entry>
void RareCells::add(const RowRange& rows, const Entry* of_row, Entry* histogram) const {
    const std::size_t n_ahead = rows.list == nullptr ? 0 : rows.n;  // others follow each other
    for (std::size_t i = 0; i < rows.n; ++i) {
        if (i + kStartsAhead < n_ahead) {
            prefetch(start.data() + rows[i + kStartsAhead]);
            prefetch(entry.data() + start[rows[i + kCellsAhead]]);
        }
        const Entry own = of_row[i];
        for (const std::uint32_t at : of(rows[i])) histogram[at] += own;
    }
}

template <class Entry>
void RareSums<Entry>::add_up(const RareCells& cells, const RowRange& rows, const Entry* of_row) {
    first_entry = cells.first_entry;
    if (sums.empty()) {
        sums.resize(cells.n_entries);
        present.resize(cells.n_entries / 64 + 1);
    }
    for (std::size_t word = 0; word < present.size(); ++word) {  // of the rows before
        for (std::uint64_t left = present[word]; left != 0; left &= left - 1)
            sums[word * 64 + static_cast<std::size_t>(std::countr_zero(left))] = Entry{};
        present[word] = 0;
    }
    for (std::size_t i = 0; i < rows.n; ++i) {
        const Entry own = of_row[i];
        for (const std::uint32_t entry : cells.of(rows[i])) {
            const std::size_t at = entry - first_entry;
            sums[at] += own;
            present[at / 64] |= std::uint64_t{1} << (at % 64);
        }
    }
}

template void RareCells::add<WideEntry>(const RowRange&, const WideEntry*, WideEntry*) const;
template void RareCells::add<NarrowEntry>(const RowRange&, const NarrowEntry*, NarrowEntry*) const;
template class RareSums<WideEntry>;
template class RareSums<NarrowEntry>;

}  // namespace treewright::boosting
