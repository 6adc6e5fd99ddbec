#include "treewright/boost/coded_table.hpp"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <new>

#if defined(__linux__)
#include <sys/mman.h>
#endif

#include "treewright/base/error.hpp"

namespace treewright {
namespace {

constexpr std::size_t kRowsPerBlock = 2048;
constexpr std::uint32_t kMostNarrow = 256;  ///< codes of a slot of one byte
constexpr std::uint32_t kMostWide = 65536;
/// Bytes after the last code that a vector load may touch.
constexpr std::size_t kSlack = 64;
/// A column is worth bundling if at most this share of its rows is away from the commonest code.
constexpr double kSparse = 0.5;
constexpr std::size_t kMostBundles = 64;
constexpr std::size_t kHugePage = std::size_t{1} << 21;

std::uint8_t* allocate(std::size_t bytes) {
    const std::size_t unit = bytes >= kHugePage ? kHugePage : 64;
    void* memory = std::aligned_alloc(unit, (bytes + kSlack + unit - 1) / unit * unit);
    if (memory == nullptr) throw std::bad_alloc();
#ifdef MADV_HUGEPAGE
    if (bytes >= kHugePage) madvise(memory, bytes, MADV_HUGEPAGE);  // rows of nodes lie far apart
#endif
    return static_cast<std::uint8_t*>(memory);
}

/// Rows of a column that are away from its commonest code, a bit each; empty where they are many.
struct Sparse {
    std::uint32_t common = 0;
    std::size_t n_away = 0;
    std::vector<std::uint64_t> away;
};

Sparse sparse_of(const Column& column, const CodedColumn& coded, std::size_t n_rows) {
    Sparse found;
    std::vector<std::size_t> count(coded.n_all());
    std::vector<std::uint8_t> codes(n_rows);
    Encoder(coded).encode(column, 0, n_rows, codes.data());
    for (const std::uint8_t code : codes) ++count[code];
    const auto most = std::max_element(count.begin(), count.end());
    found.common = static_cast<std::uint32_t>(most - count.begin());
    found.n_away = n_rows - *most;
    if (static_cast<double>(found.n_away) > kSparse * static_cast<double>(n_rows)) return found;
    found.away.resize((n_rows + 63) / 64);
    for (std::size_t row = 0; row < n_rows; ++row)
        found.away[row / 64] |= std::uint64_t{codes[row] != found.common} << (row % 64);
    return found;
}

/// Columns whose rows away from the commonest code do not meet, put together greedily.
struct Bundler {
    std::vector<std::vector<std::uint32_t>> bundles;
    std::vector<std::vector<std::uint64_t>> taken;
    std::vector<std::uint32_t> n_codes;

    void add(std::uint32_t column, const Sparse& sparse, std::uint32_t n_all) {
        for (std::size_t b = 0; b < bundles.size(); ++b) {
            if (n_codes[b] + n_all - 1 > kMostNarrow) continue;
            bool meets = false;
            for (std::size_t w = 0; w < sparse.away.size() && !meets; ++w)
                meets = (taken[b][w] & sparse.away[w]) != 0;
            if (meets) continue;
            for (std::size_t w = 0; w < sparse.away.size(); ++w) taken[b][w] |= sparse.away[w];
            bundles[b].push_back(column);
            n_codes[b] += n_all - 1;
            return;
        }
        if (bundles.size() >= kMostBundles) return;
        bundles.push_back({column});
        taken.push_back(sparse.away);
        n_codes.push_back(n_all);
    }
};

}  // namespace

void CodedTable::Free::operator()(std::uint8_t* memory) const {
    std::free(memory);
}

CodedTable::CodedTable(const Dataset& data, const Codebook& book, Team& team)
    : n_rows(data.n_rows), columns(book.columns.size()) {
    // A look at the first rows tells which columns may be sparse at all.
    const std::size_t n_look = std::min<std::size_t>(n_rows, 4096);
    std::vector<std::uint32_t> candidates;
    for (std::uint32_t c = 0; c < columns.size(); ++c) {
        const CodedColumn& coded = book.columns[c];
        require(coded.n_all() <= kMostWide, "codes of two bytes at most");
        if (coded.n_all() > kMostNarrow / 4) continue;
        if (!sparse_of(data.columns[c], coded, n_look).away.empty()) candidates.push_back(c);
    }
    std::vector<Sparse> sparse(columns.size());
    std::vector<std::uint32_t> common(columns.size());
    Bundler bundler;
    if (candidates.size() > 1) {
        team.for_each(candidates.size(), [&](std::size_t i, std::size_t) {
            const std::uint32_t c = candidates[i];
            sparse[c] = sparse_of(data.columns[c], book.columns[c], n_rows);
        });
        std::erase_if(candidates, [&](std::uint32_t c) { return sparse[c].away.empty(); });
        std::stable_sort(candidates.begin(), candidates.end(),
                         [&](auto a, auto b) { return sparse[a].n_away > sparse[b].n_away; });
        for (const std::uint32_t c : candidates) {
            common[c] = sparse[c].common;
            bundler.add(c, sparse[c], book.columns[c].n_all());
        }
    }
    std::erase_if(bundler.bundles, [](const auto& bundle) { return bundle.size() < 2; });
    for (auto& bundle : bundler.bundles) std::sort(bundle.begin(), bundle.end());
    place(book, bundler.bundles, common);
    fill(data, book, team);
}

void CodedTable::place(const Codebook& book, const std::vector<std::vector<std::uint32_t>>& bundles,
                       const std::vector<std::uint32_t>& common) {
    for (const auto& bundle : bundles)
        for (const std::uint32_t c : bundle) columns[c].is_shared = true;
    for (const bool is_wide : {false, true})
        for (std::uint32_t c = 0; c < columns.size(); ++c) {
            const std::uint32_t n_all = book.columns[c].n_all();
            if (columns[c].is_shared || (n_all > kMostNarrow) != is_wide) continue;
            columns[c].slot = static_cast<std::uint32_t>(slots.size());
            slots.push_back({is_wide, n_all, 0, 0, 0, {c}});
            if (!is_wide) ++n_narrow;
        }
    std::vector<Slot> shared;
    for (const auto& bundle : bundles) {
        Slot slot;
        slot.n_codes = 1;  // code 0: every column has its commonest
        for (const std::uint32_t c : bundle) {
            columns[c].slot = static_cast<std::uint32_t>(n_narrow + shared.size());
            columns[c].first = slot.n_codes;
            columns[c].common = common[c];
            slot.n_codes += book.columns[c].n_all() - 1;
            slot.columns.push_back(c);
        }
        shared.push_back(std::move(slot));
    }
    for (Placed& placed : columns)
        if (!placed.is_shared && placed.slot >= n_narrow)
            placed.slot += static_cast<std::uint32_t>(shared.size());
    slots.insert(slots.begin() + static_cast<std::ptrdiff_t>(n_narrow), shared.begin(),
                 shared.end());
    n_narrow += shared.size();

    std::size_t at = 0;
    std::size_t by_column_at = 0;
    for (Slot& slot : slots) {
        const std::size_t width = slot.is_wide ? 2 : 1;
        at = (at + width - 1) / width * width;
        slot.at = at;
        at += width;
        slot.offset = n_entries;
        n_entries += slot.n_codes;
        slot.by_column = by_column_at;
        by_column_at += (n_rows * width + kSlack + 63) / 64 * 64;
    }
    stride = (at + 7) / 8 * 8;
    rows.reset(allocate(n_rows * stride));
    by_column.reset(allocate(by_column_at));
}

void CodedTable::fill(const Dataset& data, const Codebook& book, Team& team) {
    const std::size_t n_blocks = (n_rows + kRowsPerBlock - 1) / kRowsPerBlock;
    const std::vector<Encoder> encoders(book.columns.begin(), book.columns.end());
    team.for_each(n_blocks, [&](std::size_t block, std::size_t) {
        const std::size_t begin = block * kRowsPerBlock;
        const std::size_t end = std::min(n_rows, begin + kRowsPerBlock);
        std::memset(rows.get() + begin * stride, 0, (end - begin) * stride);
        std::uint8_t own[kRowsPerBlock];
        for (const Slot& slot : slots) {
            std::uint8_t* codes = by_column.get() + slot.by_column;
            std::uint8_t* record = rows.get() + begin * stride + slot.at;
            if (slot.is_wide) {
                auto* wide = reinterpret_cast<std::uint16_t*>(codes) + begin;
                encoders[slot.columns[0]].encode(data.columns[slot.columns[0]], begin, end, wide);
                for (std::size_t i = 0; i < end - begin; ++i)
                    std::memcpy(record + i * stride, wide + i, 2);
                continue;
            }
            codes += begin;
            if (slot.columns.size() == 1) {
                encoders[slot.columns[0]].encode(data.columns[slot.columns[0]], begin, end, codes);
            } else {
                std::memset(codes, 0, end - begin);
                for (const std::uint32_t c : slot.columns) {
                    encoders[c].encode(data.columns[c], begin, end, own);
                    for (std::size_t i = 0; i < end - begin; ++i)
                        if (own[i] != columns[c].common)
                            codes[i] = static_cast<std::uint8_t>(columns[c].in_slot(own[i]));
                }
            }
            for (std::size_t i = 0; i < end - begin; ++i) record[i * stride] = codes[i];
        }
    });
}

}  // namespace treewright
