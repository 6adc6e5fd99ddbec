#include "treewright/boosting/coded_table.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "treewright/base/error.hpp"
#include "treewright/base/huge_pages.hpp"
#include "treewright/boosting/row_blocks.hpp"

namespace treewright::boosting {
namespace {

constexpr std::uint32_t kMostNarrow = 256;  ///< codes of a slot of one byte
constexpr std::uint32_t kMostWide = 65536;
/// Bytes after the last code that a vector load may touch.
constexpr std::size_t kSlack = 64;
/// A column is worth bundling if at most this share of its rows differs from the most frequent
/// code.
constexpr double kSparse = 0.5;
constexpr std::size_t kMostBundles = 64;

std::uint8_t* allocate(std::size_t bytes) {
    return static_cast<std::uint8_t*>(allocate_far(bytes + kSlack));  // rows of nodes are scattered
}

/// Rows of a column that differ from its most frequent code, a bit each.
struct Sparse {
    std::uint32_t column = 0;
    std::uint32_t common = 0;
    std::size_t n_away = 0;
    std::vector<std::uint64_t> away;
};

/// Columns of few codes, most of whose first rows have the same code.
std::vector<Sparse> candidates_of(const data::Dataset& data, const Codebook& book,
                                  const std::vector<Encoder>& encoders) {
    std::vector<Sparse> found;
    const std::size_t n_look = std::min(data.n_rows, kRowsPerBlock);
    std::uint8_t codes[kRowsPerBlock];
    for (std::uint32_t c = 0; c < book.columns.size(); ++c) {
        const std::uint32_t n_all = book.columns[c].n_all();
        if (n_all > kMostNarrow / 4) continue;
        encoders[c].encode(data.columns[c], 0, n_look, codes);
        std::vector<std::size_t> count(n_all);
        for (std::size_t i = 0; i < n_look; ++i) ++count[codes[i]];
        const auto most = std::max_element(count.begin(), count.end());
        if (static_cast<double>(n_look - *most) <= kSparse * static_cast<double>(n_look))
            found.push_back({c, static_cast<std::uint32_t>(most - count.begin()), 0, {}});
    }
    return found;
}

/// Finds the differing rows, block by block: a block of rows is read once for all columns.
void find_away(std::vector<Sparse>& columns, const data::Dataset& data,
               const std::vector<Encoder>& encoders, Team& team) {
    for (Sparse& one : columns) one.away.resize((data.n_rows + 63) / 64);
    by_blocks(data.n_rows, team, [&](std::size_t begin, std::size_t end, std::size_t) {
        std::uint8_t codes[kRowsPerBlock];
        for (Sparse& one : columns) {
            encoders[one.column].encode(data.columns[one.column], begin, end, codes);
            for (std::size_t row = begin; row < end; ++row)
                one.away[row / 64] |= std::uint64_t{codes[row - begin] != one.common} << (row % 64);
        }
    });
    for (Sparse& one : columns)
        for (const std::uint64_t word : one.away)
            one.n_away += static_cast<std::size_t>(std::popcount(word));
}

/// Columns without a row in which two differ from their most frequent codes, bundled greedily.
struct Bundler {
    std::vector<std::vector<std::uint32_t>> bundles;
    std::vector<std::vector<std::uint64_t>> taken;
    std::vector<std::uint32_t> n_codes;

    void add(const Sparse& sparse, std::uint32_t n_all) {
        for (std::size_t b = 0; b < bundles.size(); ++b) {
            if (n_codes[b] + n_all - 1 > kMostNarrow) continue;
            bool meets = false;
            for (std::size_t w = 0; w < sparse.away.size() && !meets; ++w)
                meets = (taken[b][w] & sparse.away[w]) != 0;
            if (meets) continue;
            for (std::size_t w = 0; w < sparse.away.size(); ++w) taken[b][w] |= sparse.away[w];
            bundles[b].push_back(sparse.column);
            n_codes[b] += n_all - 1;
            return;
        }
        if (bundles.size() >= kMostBundles) return;
        bundles.push_back({sparse.column});
        taken.push_back(sparse.away);
        n_codes.push_back(n_all);
    }
};

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
    std::vector<std::uint32_t> common(columns.size());
    Bundler bundler;
    std::vector<Sparse> sparse = candidates_of(data, book, encoders);
    if (sparse.size() > 1) {
        find_away(sparse, data, encoders, team);
        std::erase_if(sparse, [&](const Sparse& one) {
            return static_cast<double>(one.n_away) > kSparse * static_cast<double>(n_rows);
        });
        std::stable_sort(sparse.begin(), sparse.end(),
                         [](const Sparse& a, const Sparse& b) { return a.n_away > b.n_away; });
        for (const Sparse& one : sparse) {
            common[one.column] = one.common;
            bundler.add(one, book.columns[one.column].n_all());
        }
    }
    std::erase_if(bundler.bundles, [](const auto& bundle) { return bundle.size() < 2; });
    for (auto& bundle : bundler.bundles) std::sort(bundle.begin(), bundle.end());
    place(book, bundler.bundles, common, gradient_bytes);
    fill(data, encoders, team);
}

void CodedTable::place(const Codebook& book, const std::vector<std::vector<std::uint32_t>>& bundles,
                       const std::vector<std::uint32_t>& common, std::size_t gradient_bytes) {
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
        slot.n_codes = 1;  // code 0: every column has its most frequent code
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
    gradients_at = (at + 3) / 4 * 4;
    stride = (gradients_at + gradient_bytes + 7) / 8 * 8;
    rows.reset(allocate(n_rows * stride));
    by_column.reset(allocate(by_column_at));
}

void CodedTable::fill(const data::Dataset& data, const std::vector<Encoder>& encoders, Team& team) {
    by_blocks(n_rows, team, [&](std::size_t begin, std::size_t end, std::size_t) {
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

}  // namespace treewright::boosting
