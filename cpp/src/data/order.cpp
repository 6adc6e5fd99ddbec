/// Radix sort of a column: 32-bit keys, three passes of 11 bits, passes skipped where all keys
/// agree. Trailing bits that all values share (those of whole numbers stored as doubles) are
/// dropped. Longer values sort on their 32 leading varying bits; a run that agrees there is then
/// sorted by the rest, at most 32 bits, unless it is one value over and over.
#include "treewright/data/order.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>

#include "treewright/base/error.hpp"

namespace treewright::data {
namespace {

/// Order-preserving map of a float to an unsigned integer of its size; -0.0 and 0.0 agree.
std::uint32_t rank_key(float value) {
    const auto bits = std::bit_cast<std::uint32_t>(value + 0.0F);
    return bits ^ ((bits >> 31) ? 0xffffffffU : 0x80000000U);
}
std::uint64_t rank_key(double value) {
    const auto bits = std::bit_cast<std::uint64_t>(value + 0.0);
    return bits ^ ((bits >> 63) ? ~0ULL : 0x8000000000000000ULL);
}
std::uint64_t rank_key(std::int64_t value) {
    return static_cast<std::uint64_t>(value) ^ 0x8000000000000000ULL;
}

std::uint64_t key_of(const Column& column, std::size_t row) {
    switch (column.type) {
        case ValueType::f32: return rank_key(column.at<float>(row));
        case ValueType::f64: return rank_key(column.at<double>(row));
        case ValueType::i64: return rank_key(column.at<std::int64_t>(row));
        case ValueType::code: return static_cast<std::uint32_t>(column.at<std::int32_t>(row));
    }
    return 0;
}

/// Pairs up to which sorting by comparison is faster than clearing the buckets.
constexpr std::size_t kFewPairs = 256;

/// Sorts pairs (key << 32 | row) by key, stably; rows ascend.
void sort_pairs(std::vector<std::uint64_t>& pairs, std::vector<std::uint64_t>& spare,
                Progress& progress) {
    constexpr unsigned kBits = 11;
    constexpr std::size_t kBuckets = 1U << kBits;
    constexpr std::array<unsigned, 3> kShifts = {32, 43, 54};
    if (pairs.size() < kFewPairs) {
        std::sort(pairs.begin(), pairs.end());  // rows ascend, so equal keys keep their order
        return;
    }
    std::array<std::vector<std::uint32_t>, 3> starts;
    for (auto& start : starts) start.assign(kBuckets, 0);
    in_blocks(progress, pairs.size(), [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i)
            for (std::size_t pass = 0; pass < 3; ++pass)
                ++starts[pass][(pairs[i] >> kShifts[pass]) & (kBuckets - 1)];
    });
    spare.resize(pairs.size());
    for (std::size_t pass = 0; pass < 3; ++pass) {
        auto& start = starts[pass];
        if (start[(pairs[0] >> kShifts[pass]) & (kBuckets - 1)] == pairs.size()) continue;
        std::uint32_t total = 0;
        for (std::uint32_t& count : start) {
            const std::uint32_t here = count;
            count = total;
            total += here;
        }
        in_blocks(progress, pairs.size(), [&](std::size_t begin, std::size_t end) {
            for (std::size_t i = begin; i < end; ++i)
                spare[start[(pairs[i] >> kShifts[pass]) & (kBuckets - 1)]++] = pairs[i];
        });
        pairs.swap(spare);
    }
}

/// The keys of a column as far as they vary: (key - lowest) >> n_shared. The `n_rest` last bits do
/// not fit into a pair beside a row.
struct Keys {
    const Column& column;
    std::uint64_t lowest = ~0ULL;
    unsigned n_shared = 0;
    unsigned n_rest = 0;

    [[nodiscard]] std::uint64_t of(std::size_t row) const {
        return (key_of(column, row) - lowest) >> n_shared;
    }
    [[nodiscard]] std::uint64_t pair(std::uint32_t row) const {
        return (of(row) >> n_rest) << 32 | row;
    }
    /// The last bits of a row's key and the row.
    [[nodiscard]] std::uint64_t rest_pair(std::uint32_t row) const {
        return (of(row) & ((1ULL << n_rest) - 1U)) << 32 | row;
    }
};

/// Sorts pairs that agree in the leading bits of their keys by the rest of them.
void finish_run(std::span<std::uint64_t> run, const Keys& keys, OrderScratch& scratch,
                Progress& progress) {
    std::vector<std::uint64_t>& rest = scratch.run;
    rest.clear();
    std::uint64_t differing = 0;
    for (const std::uint64_t pair : run) {
        rest.push_back(keys.rest_pair(static_cast<std::uint32_t>(pair)));
        differing |= (rest.back() ^ rest.front()) >> 32;
    }
    if (differing == 0) return;  // one value: its rows ascend
    const std::uint64_t leading = run[0] >> 32 << 32;
    sort_pairs(rest, scratch.spare, progress);
    for (std::size_t i = 0; i < run.size(); ++i)
        run[i] = leading | static_cast<std::uint32_t>(rest[i]);
}

/// Finds the range of a column's keys, and which of their bits vary; lists the missing rows.
Keys survey(const Column& column, std::span<const std::uint32_t> rows,
            std::vector<std::uint32_t>& missing, Progress& progress) {
    Keys keys{column};
    std::uint64_t highest = 0;
    std::uint64_t first = 0;
    std::uint64_t differing = 0;
    bool any = false;
    in_blocks(progress, rows.size(), [&](std::size_t begin, std::size_t end) {
        for (const std::uint32_t row : rows.subspan(begin, end - begin)) {
            if (column.is_missing(row)) {
                missing.push_back(row);
                continue;
            }
            const std::uint64_t key = key_of(column, row);
            first = any ? first : key;
            any = true;
            differing |= key ^ first;
            keys.lowest = std::min(keys.lowest, key);
            highest = std::max(highest, key);
        }
    });
    if (differing == 0) return keys;
    keys.n_shared = static_cast<unsigned>(std::countr_zero(differing));
    const auto n_bits =
        static_cast<unsigned>(std::bit_width((highest - keys.lowest) >> keys.n_shared));
    keys.n_rest = n_bits > 32 ? n_bits - 32 : 0;
    return keys;
}

}  // namespace

Order order_of(const Column& column, std::span<const std::uint32_t> rows, OrderScratch& scratch,
               Progress& progress) {
    require(rows.empty() || rows.back() < (1U << 30), "at most 2^30 rows");
    Order order;
    std::vector<std::uint32_t> missing;
    auto& pairs = scratch.pairs;
    pairs.clear();
    pairs.reserve(rows.size());
    const Keys keys = survey(column, rows, missing, progress);
    in_blocks(progress, rows.size(), [&](std::size_t begin, std::size_t end) {
        for (const std::uint32_t row : rows.subspan(begin, end - begin))
            if (missing.empty() || !column.is_missing(row)) pairs.push_back(keys.pair(row));
    });
    sort_pairs(pairs, scratch.spare, progress);
    if (keys.n_rest > 0) {
        std::size_t begin = 0;  // of the run; it may reach beyond the block
        in_blocks(progress, pairs.size(), [&](std::size_t, std::size_t block_end) {
            while (begin < block_end) {
                std::size_t end = begin + 1;
                while (end < pairs.size() && (pairs[end] >> 32) == (pairs[begin] >> 32)) ++end;
                if (end - begin > 1)
                    finish_run(std::span(pairs).subspan(begin, end - begin), keys, scratch,
                               progress);
                begin = end;
            }
        });
    }

    order.entries.reserve(rows.size());
    order.n_missing = missing.size();
    in_blocks(progress, pairs.size(), [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
            const auto row = static_cast<std::uint32_t>(pairs[i]);
            bool tie = i > 0 && (pairs[i] >> 32) == (pairs[i - 1] >> 32);
            if (tie && keys.n_rest > 0)  // rare: only then is the table read, out of order
                tie = keys.of(row) == keys.of(static_cast<std::uint32_t>(pairs[i - 1]));
            order.entries.push_back(row << 1 | static_cast<std::uint32_t>(tie));
        }
    });
    for (std::size_t i = 0; i < missing.size(); ++i)
        order.entries.push_back(missing[i] << 1 | static_cast<std::uint32_t>(i > 0));
    return order;
}

Codes codes_of(const Order& order, std::span<const std::uint32_t> rows, std::size_t n_table_rows,
               Progress& progress, std::size_t min_width) {
    Codes codes;
    const std::size_t n_known = order.entries.size() - order.n_missing;
    std::vector<std::uint32_t> first_row;
    for (std::size_t i = 0; i < n_known; ++i)
        if ((order.entries[i] & 1) == 0) first_row.push_back(order.entries[i] >> 1);
    codes.first_row = std::make_shared<const std::vector<std::uint32_t>>(std::move(first_row));

    std::vector<std::uint32_t> position(n_table_rows, 0);
    for (std::size_t i = 0; i < rows.size(); ++i) position[rows[i]] = static_cast<std::uint32_t>(i);
    const auto fill = [&]<class Code>(std::vector<Code> of_row) {
        of_row.assign(rows.size(), static_cast<Code>(codes.n_codes()));
        std::int64_t code = -1;
        in_blocks(progress, n_known, [&](std::size_t begin, std::size_t end) {
            for (std::size_t i = begin; i < end; ++i) {
                if ((order.entries[i] & 1) == 0) ++code;
                of_row[position[order.entries[i] >> 1]] = static_cast<Code>(code);
            }
        });
        codes.of_row = std::move(of_row);
    };
    if (codes.n_codes() < 0xff && min_width <= 1) fill(std::vector<std::uint8_t>{});
    else if (codes.n_codes() < 0xffff && min_width <= 2) fill(std::vector<std::uint16_t>{});
    else fill(std::vector<std::uint32_t>{});
    return codes;
}

}  // namespace treewright::data
