/// Radix sort of a column: values become keys, whole numbers in their order, without the leading
/// and trailing bits that all of them share (trailing ones are those of whole numbers stored as
/// doubles). A key stands beside its row in a word of 64 bits; three passes of 11 bits sort by its
/// leading bits, and runs that agree there, short ones as a rule, are sorted by the others in
/// place. Last bits that found no room are read from the table again where all others agree. Keys
/// of few bits are counted instead, as are few keys of many bits once they are numbered.
#include "treewright/data/order.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <numeric>

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

std::uint64_t rank_key(std::int32_t code) {
    return static_cast<std::uint32_t>(code);
}

std::uint64_t key_of(const Column& column, std::size_t row) {
    switch (column.type) {
        case ValueType::f32: return rank_key(column.at<float>(row));
        case ValueType::f64: return rank_key(column.at<double>(row));
        case ValueType::i64: return rank_key(column.at<std::int64_t>(row));
        case ValueType::code: return rank_key(column.at<std::int32_t>(row));
    }
    return 0;
}

/// Pairs up to which sorting by comparison is faster than clearing the buckets.
constexpr std::size_t kFewPairs = 256;
/// Bits of a pass, and of the passes that sort at once; where values agree in more, few pairs do.
constexpr unsigned kPassBits = 11;
constexpr unsigned kBitsAtOnce = 3 * kPassBits;

using Pairs = std::span<std::uint64_t>;

/// One stable pass by the bits from `shift` on.
void sort_pass(Pairs pairs, std::span<std::uint64_t> spare, unsigned shift,
               std::vector<std::uint32_t>& start, Progress& progress) {
    const std::uint64_t mask = start.size() - 1;
    std::uint32_t total = 0;
    for (std::uint32_t& count : start) {
        const std::uint32_t here = count;
        count = total;
        total += here;
    }
    in_blocks(progress, pairs.size(), [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i)
            spare[start[(pairs[i] >> shift) & mask]++] = pairs[i];
    });
}

/// Sorts pairs that agree in the bits from `to` on, and whose bits before `from` ascend.
void sort_pairs(Pairs pairs, FarVector<std::uint64_t>& spare_memory, unsigned from, unsigned to,
                Progress& progress) {
    if (pairs.size() < kFewPairs) {
        std::sort(pairs.begin(), pairs.end());
        return;
    }
    const unsigned n_bits = std::min(to - from, kBitsAtOnce);
    const unsigned n_passes = (n_bits + kPassBits - 1) / kPassBits;
    if (n_passes == 0) return;
    const unsigned width = (n_bits + n_passes - 1) / n_passes;
    const std::uint64_t mask = (1ULL << width) - 1;
    std::array<std::vector<std::uint32_t>, 3> starts;
    for (unsigned pass = 0; pass < n_passes; ++pass) starts[pass].assign(mask + 1, 0);
    const unsigned lowest = to - n_bits;
    in_blocks(progress, pairs.size(), [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i)
            for (unsigned pass = 0; pass < n_passes; ++pass)
                ++starts[pass][(pairs[i] >> (lowest + pass * width)) & mask];
    });
    if (spare_memory.size() < pairs.size()) spare_memory.resize(pairs.size());
    Pairs here = pairs;
    Pairs there{spare_memory.data(), pairs.size()};
    for (unsigned pass = 0; pass < n_passes; ++pass) {
        const unsigned shift = lowest + pass * width;
        if (starts[pass][(here[0] >> shift) & mask] == pairs.size()) continue;
        sort_pass(here, there, shift, starts[pass], progress);
        std::swap(here, there);
    }
    if (here.data() != pairs.data()) std::copy(here.begin(), here.end(), pairs.begin());
    if (lowest == from) return;
    std::size_t begin = 0;  // of a run; it may reach beyond the block
    in_blocks(progress, pairs.size(), [&](std::size_t, std::size_t block_end) {
        while (begin < block_end) {
            std::size_t end = begin + 1;
            while (end < pairs.size() && (pairs[end] ^ pairs[begin]) >> lowest == 0) ++end;
            if (end - begin > 1)
                sort_pairs(pairs.subspan(begin, end - begin), spare_memory, from, lowest, progress);
            begin = end;
        }
    });
}

/// The keys of a column as far as they vary, (key - lowest) >> n_shared, beside their rows. The
/// `n_rest` last bits do not fit.
struct Keys {
    const Column& column;
    unsigned row_bits = 0;
    std::uint64_t lowest = 0;
    unsigned n_shared = 0;
    unsigned n_bits = 0;  ///< of a key in a pair
    unsigned n_rest = 0;

    [[nodiscard]] std::uint64_t varying(std::uint64_t key) const {
        return (key - lowest) >> n_shared;
    }
    [[nodiscard]] std::uint32_t row_of(std::uint64_t pair) const {
        return static_cast<std::uint32_t>(pair & ((1ULL << row_bits) - 1));
    }
    /// The last bits of a row's key and the row.
    [[nodiscard]] std::uint64_t rest_pair(std::uint32_t row) const {
        const std::uint64_t key = varying(key_of(column, row));
        return (key & ((1ULL << n_rest) - 1U)) << row_bits | row;
    }
};

/// Sorts pairs that agree in the leading bits of their keys by the rest of them.
void finish_run(Pairs run, const Keys& keys, OrderScratch& scratch, Progress& progress) {
    std::vector<std::uint64_t>& rest = scratch.run;
    rest.clear();
    std::uint64_t differing = 0;
    for (const std::uint64_t pair : run) {
        rest.push_back(keys.rest_pair(keys.row_of(pair)));
        differing |= (rest.back() ^ rest.front()) >> keys.row_bits;
    }
    if (differing == 0) return;  // one value: its rows ascend
    const std::uint64_t leading = run[0] >> keys.row_bits << keys.row_bits;
    sort_pairs(rest, scratch.spare, keys.row_bits, keys.row_bits + keys.n_rest, progress);
    for (std::size_t i = 0; i < run.size(); ++i) run[i] = leading | keys.row_of(rest[i]);
}

/// What the keys of a column have in common.
struct Extent {
    std::uint64_t lowest = ~0ULL;
    std::uint64_t highest = 0;
    std::uint64_t any = 0;      ///< bits that some key has
    std::uint64_t all = ~0ULL;  ///< bits that every key has
};

/// Writes the keys of the rows that have values one after the other; lists the other rows.
template <class T, class IsMissing>
Extent read_keys(const Column& column, std::span<const std::uint32_t> rows,
                 const IsMissing& is_missing, FarVector<std::uint64_t>& keys,
                 std::vector<std::uint32_t>& missing, Progress& progress) {
    Extent extent;
    std::uint64_t* to = keys.data();
    in_blocks(progress, rows.size(), [&](std::size_t begin, std::size_t end) {
        Extent own = extent;  // in registers
        for (const std::uint32_t row : rows.subspan(begin, end - begin)) {
            const T value = column.at<T>(row);
            if (is_missing(value, row)) {
                missing.push_back(row);
                continue;
            }
            const std::uint64_t key = rank_key(value);
            own.lowest = std::min(own.lowest, key);
            own.highest = std::max(own.highest, key);
            own.any |= key;
            own.all &= key;
            *to++ = key;
        }
        extent = own;
    });
    return extent;
}

Extent read_keys(const Column& column, std::span<const std::uint32_t> rows,
                 FarVector<std::uint64_t>& keys, std::vector<std::uint32_t>& missing,
                 Progress& progress) {
    const auto read = [&]<class T>(const auto& is_missing) {
        return read_keys<T>(column, rows, is_missing, keys, missing, progress);
    };
    const auto is_nan = [](auto value, std::uint32_t) { return value != value; };
    switch (column.type) {
        case ValueType::f32: return read.template operator()<float>(is_nan);
        case ValueType::f64: return read.template operator()<double>(is_nan);
        case ValueType::i64:
            return read.template operator()<std::int64_t>([&](std::int64_t, std::uint32_t row) {
                return column.known != nullptr && column.known[row] == 0;
            });
        case ValueType::code:
            return read.template operator()<std::int32_t>(
                [](std::int32_t code, std::uint32_t) { return code < 0; });
    }
    return {};
}

/// Calls f(i, row) for the rows that are not missing, numbered from 0.
template <class F>
void for_each_known(std::span<const std::uint32_t> rows, std::span<const std::uint32_t> missing,
                    Progress& progress, F&& f) {
    auto gap = missing.begin();
    std::size_t n = 0;
    in_blocks(progress, rows.size(), [&](std::size_t begin, std::size_t end) {
        for (const std::uint32_t row : rows.subspan(begin, end - begin)) {
            if (gap != missing.end() && *gap == row) ++gap;
            else f(n++, row);
        }
    });
}

/// How keys of this extent are held.
void lay_out(const Extent& extent, Keys& keys) {
    const std::uint64_t differing = extent.any & ~extent.all;
    if (extent.lowest > extent.highest || differing == 0) return;
    keys.lowest = extent.lowest;
    keys.n_shared = static_cast<unsigned>(std::countr_zero(differing));
    const auto n_bits =
        static_cast<unsigned>(std::bit_width((extent.highest - extent.lowest) >> keys.n_shared));
    keys.n_bits = std::min(n_bits, 64 - keys.row_bits);
    keys.n_rest = n_bits - keys.n_bits;
}

/// Whether keys are so few bits that each of them is counted: whole numbers, 0 and 1, categories.
bool are_counted(const Keys& keys, std::size_t n_known) {
    return keys.n_rest == 0 && keys.n_bits > 0 && keys.n_bits <= kPassBits && n_known >= kFewPairs;
}

/// Writes the rows in the order of their keys, one bucket a key, in a single pass without pairs.
void write_counted(const Keys& keys, std::span<const std::uint64_t> key_of_known,
                   std::span<const std::uint32_t> rows, std::span<const std::uint32_t> missing,
                   std::uint32_t* entries, Progress& progress) {
    std::vector<std::uint32_t> start(std::size_t{1} << keys.n_bits, 0);
    in_blocks(progress, key_of_known.size(), [&](std::size_t begin, std::size_t end) {
        for (const std::uint64_t key : key_of_known.subspan(begin, end - begin))
            ++start[keys.varying(key)];
    });
    std::exclusive_scan(start.begin(), start.end(), start.begin(), 0U);
    for_each_known(rows, missing, progress, [&](std::size_t i, std::uint32_t row) {
        entries[start[keys.varying(key_of_known[i])]++] = row << 1 | 1U;
    });
    std::uint32_t begin = 0;
    for (const std::uint32_t end : start) {  // where its bucket ends, by now
        if (begin < end) entries[begin] &= ~1U;
        begin = end;
    }
}

/// Numbers distinct keys in the order in which they come, as long as they are few.
class FewKeys {
public:
    static constexpr std::uint32_t kMost = 1024;
    static constexpr std::uint32_t kTooMany = ~0U;

    /// The number of a row's key.
    std::uint32_t number_of(std::uint64_t key) {
        // Multiplicative hashing (Knuth, volume 3, section 6.4), then linear probing.
        std::size_t at = key * 0x9e3779b97f4a7c15ULL >> (64 - kBits);
        while (slots[at] != kFree) {
            if (keys[slots[at]] == key) {
                ++n_rows[slots[at]];
                return slots[at];
            }
            at = (at + 1) % slots.size();
        }
        if (keys.size() == kMost) return kTooMany;
        slots[at] = static_cast<std::uint16_t>(keys.size());
        keys.push_back(key);
        n_rows.push_back(1);
        return slots[at];
    }

    std::vector<std::uint64_t> keys;    ///< by number
    std::vector<std::uint32_t> n_rows;  ///< by number: that have the key

private:
    static constexpr unsigned kBits = 12;  // a quarter of the slots in use at most
    static constexpr std::uint16_t kFree = 0xffff;
    std::vector<std::uint16_t> slots = std::vector<std::uint16_t>(std::size_t{1} << kBits, kFree);
};

/// Numbers the values of the known rows; false where they are too many for that to pay.
bool number_keys(std::span<const std::uint64_t> key_of_known, FewKeys& few,
                 std::vector<std::uint16_t>& number_of_known, Progress& progress) {
    // Of 7,200 rows of 85 to 466 decimals sorting took 14 ns a row, this takes 5; a column of more
    // values is known for one by its first rows.
    constexpr std::size_t kFirst = 128;
    constexpr std::size_t kRowsPerKey = 4;
    if (key_of_known.size() < kFewPairs) return false;
    if (number_of_known.size() < key_of_known.size()) number_of_known.resize(key_of_known.size());
    bool are_few = true;
    in_blocks(progress, key_of_known.size(), [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end && are_few; ++i) {
            const std::size_t n_before = few.keys.size();
            const std::uint32_t number = few.number_of(key_of_known[i]);
            are_few = number != FewKeys::kTooMany &&
                      (number < n_before || kRowsPerKey * number <= i + kRowsPerKey * kFirst);
            number_of_known[i] = static_cast<std::uint16_t>(number);
        }
    });
    return are_few && kRowsPerKey * few.keys.size() <= key_of_known.size();
}

/// write_counted for numbered keys.
void write_numbered(const FewKeys& few, std::span<const std::uint16_t> number_of_known,
                    std::span<const std::uint32_t> rows, std::span<const std::uint32_t> missing,
                    std::uint32_t* entries, Progress& progress) {
    std::vector<std::uint32_t> order(few.keys.size());
    std::iota(order.begin(), order.end(), 0U);
    std::sort(order.begin(), order.end(),
              [&](std::uint32_t a, std::uint32_t b) { return few.keys[a] < few.keys[b]; });
    std::vector<std::uint32_t> start(few.keys.size());
    std::uint32_t begin = 0;
    for (const std::uint32_t number : order) {
        start[number] = begin;
        begin += few.n_rows[number];
    }
    for_each_known(rows, missing, progress, [&](std::size_t i, std::uint32_t row) {
        entries[start[number_of_known[i]]++] = row << 1 | 1U;
    });
    for (std::size_t number = 0; number < start.size(); ++number)
        entries[start[number] - few.n_rows[number]] &= ~1U;
}

}  // namespace

Order order_of(const Column& column, std::span<const std::uint32_t> rows, OrderScratch& scratch,
               Progress& progress) {
    require(rows.empty() || rows.back() < (1U << 30), "at most 2^30 rows");
    Order order;
    if (rows.empty()) return order;
    std::vector<std::uint32_t> missing;
    auto& pairs = scratch.pairs;
    pairs.resize(rows.size());
    Keys keys{column, static_cast<unsigned>(std::bit_width(rows.back()))};
    lay_out(read_keys(column, rows, pairs, missing, progress), keys);
    pairs.resize(rows.size() - missing.size());
    order.entries.resize(rows.size());
    order.n_missing = missing.size();
    for (std::size_t i = 0; i < missing.size(); ++i)
        order.entries[pairs.size() + i] = missing[i] << 1 | static_cast<std::uint32_t>(i > 0);
    if (are_counted(keys, pairs.size())) {
        write_counted(keys, pairs, rows, missing, order.entries.data(), progress);
        return order;
    }
    if (FewKeys few; number_keys(pairs, few, scratch.number_of_known, progress)) {
        write_numbered(few, std::span(scratch.number_of_known).first(pairs.size()), rows, missing,
                       order.entries.data(), progress);
        return order;
    }
    const bool varies = keys.n_bits > 0;
    for_each_known(rows, missing, progress, [&](std::size_t i, std::uint32_t row) {
        pairs[i] = varies ? keys.varying(pairs[i]) >> keys.n_rest << keys.row_bits | row : row;
    });
    sort_pairs(pairs, scratch.spare, keys.row_bits, keys.row_bits + keys.n_bits, progress);
    const auto agree = [&](std::uint64_t a, std::uint64_t b) {
        return (a ^ b) >> keys.row_bits == 0;
    };
    if (keys.n_rest > 0) {
        std::size_t begin = 0;  // of the run; it may reach beyond the block
        in_blocks(progress, pairs.size(), [&](std::size_t, std::size_t block_end) {
            while (begin < block_end) {
                std::size_t end = begin + 1;
                while (end < pairs.size() && agree(pairs[end], pairs[begin])) ++end;
                if (end - begin > 1)
                    finish_run(std::span(pairs).subspan(begin, end - begin), keys, scratch,
                               progress);
                begin = end;
            }
        });
    }

    std::uint32_t* to = order.entries.data();
    in_blocks(progress, pairs.size(), [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
            const std::uint32_t row = keys.row_of(pairs[i]);
            bool tie = i > 0 && agree(pairs[i], pairs[i - 1]);
            if (tie && keys.n_rest > 0)  // rare: only then is the table read, out of order
                tie = key_of(column, row) == key_of(column, keys.row_of(pairs[i - 1]));
            *to++ = row << 1 | static_cast<std::uint32_t>(tie);
        }
    });
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
