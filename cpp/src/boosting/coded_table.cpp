#include "treewright/boosting/coded_table.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <functional>
#include <span>

#include "treewright/base/error.hpp"
#include "treewright/base/huge_pages.hpp"
#include "treewright/boosting/row_blocks.hpp"

namespace treewright::boosting {
namespace {

constexpr std::uint32_t kMostWide = 65536;
/// Bytes after the last code that a vector load may touch.
constexpr std::size_t kSlack = 64;
/// A column is worth bundling if at most this share of its rows differs from the most frequent
/// code, and has at most so many codes.
constexpr double kSparse = 0.5;
constexpr std::uint32_t kMostOfBundled = 64;
constexpr std::size_t kMostBundles = 64;
/// Values of a column that may be a digit without being bundled.
constexpr std::uint32_t kMostOfDigit = 16;
/// Codes of a slot of several digits: one for so many rows, since a leaf's histogram is cleared,
/// subtracted and read whatever its rows are, and not fewer than kFewestShared.
constexpr std::size_t kRowsOfACode = 128;
constexpr std::size_t kFewestShared = 16;

/// Bytes of values that stay in the cache while they are encoded column by column.
constexpr std::size_t kNearBytes = std::size_t{1} << 18;

/// Calls work(begin, end) for stretches of a block of rows. Columns are mostly adjacent: each line
/// of memory is brought near once for all of them.
template <class Work>
void by_stretches(std::size_t begin, std::size_t end, std::size_t n_columns, Work&& work) {
    constexpr std::size_t kFewest = 64;  // that are encoded together
    const std::size_t n = std::max(kNearBytes / (sizeof(double) * n_columns + 1) / kFewest, 1UL);
    for (; begin < end; begin += n * kFewest) work(begin, std::min(end, begin + n * kFewest));
}

std::uint8_t* allocate(std::size_t bytes) {
    return static_cast<std::uint8_t*>(allocate_far(bytes + kSlack));  // rows of nodes are scattered
}

}  // namespace

/// A column of few codes, and those of all rows.
struct FewCodes {
    std::uint32_t column = 0;
    std::uint32_t n_kept = 0;
    std::uint32_t common = 0;
    std::vector<std::uint8_t> codes;
    std::size_t n_away = 0;           ///< rows of another code than the most frequent
    std::vector<std::uint64_t> away;  ///< a bit each; empty: not worth bundling
};

namespace {

/// Whether a column may share a slot, judged by its first rows.
bool may_share(const data::Column& column, const CodedColumn& coded, const Encoder& encoder,
               std::size_t n_rows) {
    if (coded.n_codes <= kMostOfDigit) return true;
    if (coded.n_all() > kMostOfBundled) return false;
    const std::size_t n_look = std::min(n_rows, kRowsPerBlock);
    std::uint8_t codes[kRowsPerBlock];
    encoder.encode(column, 0, n_look, codes);
    std::array<std::size_t, kMostOfBundled> count{};
    for (std::size_t i = 0; i < n_look; ++i) ++count[codes[i]];
    const auto most = static_cast<double>(*std::ranges::max_element(count));
    return static_cast<double>(n_look) - most <= kSparse * static_cast<double>(n_look);
}

/// Notes which code is the most frequent, whether any row is missing, and which rows are away.
void look_at(FewCodes& own) {
    const std::size_t n_rows = own.codes.size();
    std::array<std::ptrdiff_t, kMostOfBundled> count{};
    for (std::uint32_t code = 0; code < own.n_kept; ++code)
        count[code] = std::ranges::count(own.codes, static_cast<std::uint8_t>(code));
    const auto most = std::ranges::max_element(count);
    own.common = static_cast<std::uint32_t>(most - count.begin());
    own.n_away = n_rows - static_cast<std::size_t>(*most);
    if (count[own.n_kept - 1] == 0) --own.n_kept;
    if (static_cast<double>(own.n_away) > kSparse * static_cast<double>(n_rows)) return;
    own.away.resize((n_rows + 63) / 64);
    for (std::size_t begin = 0; begin < n_rows; begin += 64) {
        std::uint64_t word = 0;
        for (std::size_t row = begin; row < std::min(begin + 64, n_rows); ++row)
            word |= std::uint64_t{own.codes[row] != own.common} << (row - begin);
        own.away[begin / 64] = word;
    }
}

/// Columns that may share slots; block by block, so that rows are read once for all of them.
std::vector<FewCodes> few_codes_of(const data::Dataset& data, const Codebook& book,
                                   const std::vector<Encoder>& encoders, Team& team) {
    std::vector<FewCodes> found;
    for (std::uint32_t c = 0; c < book.columns.size(); ++c)
        if (may_share(data.columns[c], book.columns[c], encoders[c], data.n_rows))
            found.push_back({c, book.columns[c].n_all(), 0, {}, 0, {}});
    if (found.size() < 2) return {};
    for (FewCodes& one : found) one.codes.resize(data.n_rows);
    by_blocks(data.n_rows, team, [&](std::size_t begin, std::size_t end, std::size_t) {
        by_stretches(begin, end, data.columns.size(), [&](std::size_t from, std::size_t to) {
            for (FewCodes& one : found)
                encoders[one.column].encode(data.columns[one.column], from, to,
                                            one.codes.data() + from);
        });
    });
    team.for_each(found.size(), [&](std::size_t i, std::size_t) { look_at(found[i]); });
    return found;
}

/// Columns of few codes without a row in which two differ from their most frequent codes, bundled
/// greedily.
struct Bundler {
    struct Bundle {
        std::vector<std::size_t> members;  ///< of the columns of few codes
        std::vector<std::uint64_t> taken;  ///< rows in which a column is away, a bit each
        std::uint32_t n_codes = 1;         ///< code 0: every column has its most frequent code
    };
    std::vector<Bundle> bundles;

    void add(std::size_t member, const FewCodes& own) {
        const auto& away = own.away;
        for (Bundle& bundle : bundles) {
            if (bundle.n_codes + own.n_kept - 1 > kMostNarrow) continue;
            bool meets = false;
            for (std::size_t w = 0; w < away.size() && !meets; ++w)
                meets = (bundle.taken[w] & away[w]) != 0;
            if (meets) continue;
            for (std::size_t w = 0; w < away.size(); ++w) bundle.taken[w] |= away[w];
            bundle.members.push_back(member);
            bundle.n_codes += own.n_kept - 1;
            return;
        }
        if (bundles.size() < kMostBundles) bundles.push_back({{member}, away, own.n_kept});
    }
};

/// The digits of columns of few codes: bundles, and columns by themselves; by their first column.
std::vector<Digit> digits_of(const std::vector<FewCodes>& few) {
    std::vector<std::size_t> sparse;
    for (std::size_t i = 0; i < few.size(); ++i)
        if (!few[i].away.empty()) sparse.push_back(i);
    std::ranges::stable_sort(sparse, std::greater{}, [&](std::size_t i) { return few[i].n_away; });
    Bundler bundler;
    for (const std::size_t i : sparse) bundler.add(i, few[i]);
    std::vector<Digit> made;
    std::vector<bool> is_bundled(few.size());
    for (const Bundler::Bundle& bundle : bundler.bundles) {
        if (bundle.members.size() < 2) continue;
        Digit& digit = made.emplace_back(Digit{{}, bundle.n_codes});
        for (const std::size_t i : bundle.members) {
            digit.columns.push_back(few[i].column);
            is_bundled[i] = true;
        }
        std::ranges::sort(digit.columns);
    }
    for (std::size_t i = 0; i < few.size(); ++i)
        if (!is_bundled[i]) made.push_back(Digit{{few[i].column}, few[i].n_kept});
    std::ranges::sort(made, {}, [](const Digit& digit) { return digit.columns.front(); });
    return made;
}

/// Slots of digits, each in the first that has room for it; those of several come first.
std::vector<Slot> slots_of(std::vector<Digit> digits, std::size_t n_rows) {
    const std::size_t most = std::clamp<std::size_t>(std::bit_ceil(n_rows / kRowsOfACode + 1),
                                                     kFewestShared, kMostNarrow);
    std::vector<Slot> slots;
    for (Digit& digit : digits) {
        auto found = std::ranges::find_if(
            slots, [&](const Slot& slot) { return slot.n_codes * digit.n_codes <= most; });
        if (found == slots.end()) found = slots.insert(found, {false, 1, 0, 0, 0, {}});
        digit.place = found->n_codes;
        digit.per_place = (65536 + digit.place - 1) / digit.place;
        digit.per_code = (65536 + digit.n_codes - 1) / digit.n_codes;
        found->n_codes *= digit.n_codes;
        found->digits.push_back(std::move(digit));
    }
    std::ranges::stable_partition(slots, [](const Slot& slot) { return slot.is_shared(); });
    return slots;
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
}

void CodedTable::place(const Codebook& book, const std::vector<FewCodes>& few,
                       std::size_t gradient_bytes) {
    slots = slots_of(digits_of(few), n_rows);
    std::vector<bool> is_placed(columns.size());
    for (const FewCodes& one : few) {
        is_placed[one.column] = true;
        columns[one.column].n_kept = one.n_kept;
        columns[one.column].common = one.common;
    }
    for (const bool is_wide : {false, true}) {
        for (std::uint32_t c = 0; c < columns.size(); ++c) {
            const std::uint32_t n_all = book.columns[c].n_all();
            if (is_placed[c] || (n_all > kMostNarrow) != is_wide) continue;
            columns[c].n_kept = n_all;
            slots.push_back({is_wide, n_all, 0, 0, 0, {Digit{{c}, n_all}}});
        }
        if (!is_wide) n_narrow = slots.size();
    }
    std::size_t at = 0;
    std::size_t by_column_at = 0;
    for (std::uint32_t s = 0; s < slots.size(); ++s) {
        Slot& slot = slots[s];
        const std::size_t width = slot.is_wide ? 2 : 1;
        at = (at + width - 1) / width * width;
        slot.at = at;
        at += width;
        slot.offset = n_entries;
        n_entries += slot.n_codes;
        slot.by_column = by_column_at;
        by_column_at += (n_rows * width + kSlack + 63) / 64 * 64;
        for (std::uint32_t d = 0; d < slot.digits.size(); ++d) place_columns(s, d);
    }
    gradients_at = (at + 3) / 4 * 4;
    stride = (gradients_at + gradient_bytes + 7) / 8 * 8;
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
            if (!columns[c].is_bundled) {
                for (std::size_t i = 0; i < n; ++i)
                    codes[i] = static_cast<std::uint8_t>(codes[i] + own[i] * place);
                continue;
            }
            std::array<std::uint8_t, kMostOfBundled> counts_for{};
            for (std::uint32_t code = 0; code < columns[c].n_kept; ++code)
                counts_for[code] =
                    static_cast<std::uint8_t>(columns[c].in_digit(code) * digit.place);
            for (std::size_t i = 0; i < n; ++i)
                codes[i] = static_cast<std::uint8_t>(codes[i] + counts_for[own[i]]);
        }
}

}  // namespace treewright::boosting
