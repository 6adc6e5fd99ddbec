/// Sums of gradients, hessians and rows by code, in whole numbers: their order does not matter, and
/// the histogram of a child is the parent's less its sibling's, exactly.
///
/// The sums of one column in one node are read off its histogram, or added up row by row where rows
/// are few and most entries of a histogram would be empty: both ways give the same.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "treewright/boosting/coding/coded_table.hpp"
#include "treewright/boosting/coding/slot_blocks.hpp"
#include "treewright/boosting/gradients.hpp"
#include "treewright/boosting/row_blocks.hpp"

namespace treewright::boosting {

/// Working memory of a thread: copies of records, and the gradients and hessians of their rows.
template <class Entry>
struct NearRows {
    std::vector<std::uint64_t> records;
    std::vector<Entry> entries;
};

enum class Way { add, take_away };

/// Adds rows to the entries of a histogram, or takes them away.
template <class Row>
void add_rows(const CodedTable& table, const RowRange& rows, const GradientView& gradients,
              const FixedPoint& fixed, NearRows<typename Row::Entry>& near,
              typename Row::Entry* histogram, Way way = Way::add);

/// The codes of some slots in copies of the records of some rows.
struct CopiedCodes {
    const std::uint8_t* first = nullptr;
    std::size_t stride = 0;  ///< bytes from one row to the next
    std::size_t from = 0;    ///< the byte of a record that comes first
};

/// Copies the codes of some slots, none of which is sparse, to the near cache; some bytes after
/// those of each row may be read.
[[nodiscard]] CopiedCodes copy_codes(const CodedTable& table, const SlotRange& slots,
                                     const RowRange& rows, std::vector<std::uint64_t>& to);

/// `add_rows` for some slots, none of which is sparse; `of_row` has what each row adds.
template <class Entry>
void add_slots(const CodedTable& table, const SlotRange& slots, const RowRange& rows,
               const Entry* of_row, NearRows<Entry>& near, Entry* histogram, Way way);

/// Codes that have rows, ascending, and their sums. Missing is the last code of a column, and so
/// the last here if it has rows.
struct CodeSums {
    /// Longer than `n` where that saves clearing them.
    std::vector<std::uint32_t> code;
    std::vector<Sums> sums;
    std::size_t n = 0;
    std::uint32_t missing = 0;  ///< its code

    [[nodiscard]] bool has_missing() const { return n > 0 && code[n - 1] == missing; }
    /// Starts anew, with room for all codes of a column.
    void reset(std::uint32_t n_all) {
        if (code.size() < n_all) {
            code.resize(n_all);
            sums.resize(n_all);
        }
        n = 0;
        missing = n_all - 1;
    }
    /// Keeps a code that has rows.
    void add(std::uint32_t its_code, const Sums& its_sums) {
        code[n] = its_code;
        sums[n] = its_sums;
        n += its_sums.n_rows > 0 ? 1 : 0;  // without a branch: in deep nodes most have none
    }
};

/// Gains are computed by vectors of so many, whether there are as many or not: sums have room for
/// it.
inline constexpr std::size_t kGainsAtATime = 8;

/// Codes that have rows, ascending, and the sums of all codes up to each: those of the first
/// children of cuts. Their words are apart, and taken to pieces only where gains are computed.
template <class Entry>
struct RunningSums {
    /// Longer than `n`, as above.
    std::vector<std::uint32_t> code;
    std::array<std::vector<std::int64_t>, Entry::kWords> words;
    std::size_t n = 0;
    std::uint32_t missing = 0;  ///< its code
    int count_bits = 0;

    [[nodiscard]] bool has_missing() const { return n > 0 && code[n - 1] == missing; }

    /// Takes codes in ascending order; what it counts with stays in registers.
    class Filling {
    public:
        Filling(RunningSums& into, std::uint32_t n_all, int count_bits)
            : into(into), count_bits(count_bits) {
            into.make_room(n_all);
            into.missing = n_all - 1;
            into.count_bits = count_bits;
            code = into.code.data();
            for (std::size_t i = 0; i < Entry::kWords; ++i) words[i] = into.words[i].data();
        }
        ~Filling() { into.n = n; }
        Filling(const Filling&) = delete;
        Filling& operator=(const Filling&) = delete;

        /// Keeps a code that has rows.
        void add(std::uint32_t its_code, const Entry& entry) {
            all += entry;
            code[n] = its_code;
            for (std::size_t i = 0; i < Entry::kWords; ++i) words[i][n] = all.word(i);
            n += entry.has_rows(count_bits) ? 1 : 0;
        }

    private:
        RunningSums& into;
        std::uint32_t* code;
        std::array<std::int64_t*, Entry::kWords> words;
        Entry all{};
        std::size_t n = 0;
        int count_bits;
    };

private:
    void make_room(std::uint32_t n_all) {
        if (code.size() >= n_all) return;
        code.resize(n_all);
        for (auto& own : words) own.resize(n_all + kGainsAtATime);
    }
};

/// The sums of the digits of shared slots in one leaf, by Digit::sums_at.
template <class Entry>
struct DigitSums {
    std::vector<Entry> sums;
    std::vector<Entry> left;  ///< working memory: of a slot, less the digits that are done

    void make_room(const CodedTable& table) {
        sums.resize(table.n_digit_sums);
        left.resize(kMostNarrow);
    }
    /// The sums of the digit of a column.
    [[nodiscard]] const Entry* of(const CodedTable& table, std::uint32_t column,
                                  const Entry* histogram) const {
        const Slot& slot = table.slots[table.columns[column].slot];
        if (!slot.is_shared()) return histogram + slot.offset;
        return sums.data() + table.digit_of(column).sums_at;
    }
};

/// Adds up the sums of the digits of a shared slot.
template <class Entry>
void add_digits(const Slot& slot, const Entry* histogram, DigitSums<Entry>& into);

/// Reads the sums of a column off those of its digit; `total` is that of the node.
template <class Entry>
void read_sums(const CodedTable& table, std::uint32_t column, std::uint32_t n_all,
               const Entry* sums, const Sums& total, int count_bits, CodeSums& into);

/// The same for cuts of a column all of whose codes are stored.
template <class Entry>
void read_running(const CodedTable& table, std::uint32_t column, std::uint32_t n_all,
                  const Entry* sums, int count_bits, RunningSums<Entry>& into);

/// Some rows of a node, and what they add: gathered once for all columns of the node.
template <class Entry>
struct GatheredRows {
    RowRange rows;
    std::vector<Entry> entries;  ///< of each row
    RareSums<Entry> rare;        ///< of sparse slots

    template <class Row>
    void gather(const CodedTable& table, const RowRange& some, const GradientView& gradients,
                const FixedPoint& fixed);
};

/// Working memory of a thread: of the column at hand, by code of its digit; all 0 between two
/// columns.
template <class Entry>
struct ColumnSums {
    std::vector<Entry> sums;
    std::vector<std::uint64_t> present;  ///< a bit each
    std::vector<std::uint8_t> seen;      ///< a byte each, on the way to the bits
    CopiedCodes copied;                  ///< of the gathered rows; none: codes are read by column

    void make_room(const CodedTable& table);
};

/// Adds up the sums of a column over gathered rows.
template <class Entry>
void add_up(const CodedTable& table, std::uint32_t column, std::uint32_t n_all,
            const GatheredRows<Entry>& gathered, ColumnSums<Entry>& by_code, const Sums& total,
            int count_bits, CodeSums& into);

/// The same for cuts of a column all of whose codes are stored.
template <class Entry>
void add_up_running(const CodedTable& table, std::uint32_t column, std::uint32_t n_all,
                    const GatheredRows<Entry>& gathered, ColumnSums<Entry>& by_code, int count_bits,
                    RunningSums<Entry>& into);

/// Sums the weights of the rows of each code of `of`, in their order.
void add_up_weights(const CodedTable& table, std::uint32_t column, const RowRange& rows,
                    std::span<const std::int64_t> weight, const CodeSums& of,
                    std::vector<std::int64_t>& into);

}  // namespace treewright::boosting
