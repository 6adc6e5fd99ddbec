/// The training rows as codes, stored twice: row by row for building histograms, and column by
/// column for partitioning the rows of a node.
///
/// The unit of storage is a slot of one or two bytes, and histograms are kept by slot. A column of
/// many codes has one to itself. Columns of few codes share one, in two ways that lose nothing:
/// - a *bundle* is of columns of which in every row at most one differs from its most frequent code
///   (one-hot columns, say; exclusive feature bundling, Ke et al., LightGBM, NIPS 2017, section 4,
///   with no conflict allowed): its codes are theirs, one after the other;
/// - bundles and columns are the *digits* of a slot's code: eight columns of two codes are one
/// byte,
///   and a row is added up once for the eight. The sums of a digit are those of the slot, added up
///   over the other digits; whole numbers, so that they are what they would have been.
///
/// A slot most of whose rows share a code is *sparse*, if that saves enough: its codes are not in
/// the records, and only those of the other rows are added up (boosting/coding/rare_cells.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "treewright/base/parallel.hpp"
#include "treewright/boosting/codebook.hpp"
#include "treewright/boosting/coding/rare_cells.hpp"
#include "treewright/boosting/coding/slots.hpp"
#include "treewright/boosting/gradients.hpp"
#include "treewright/data/dataset.hpp"

namespace treewright::boosting {

/// Where the codes of a column are: in a digit of a slot.
struct Placed {
    std::uint32_t slot = 0;
    std::uint32_t digit = 0;
    /// Codes that are stored: all, or those of values where no row of a column of few is missing.
    std::uint32_t n_kept = 0;
    bool is_bundled = false;  ///< the digit holds other columns too; `common` is not stored
    /// The sums of `common` are what those of the other codes leave of the node's.
    bool common_is_rest = false;
    std::uint32_t common = 0;  ///< the most frequent code
    /// Code of the digit that stands for code 0; codes above `common` are one lower.
    std::uint32_t first = 0;

    [[nodiscard]] std::uint32_t in_digit(std::uint32_t code) const {
        if (!is_bundled) return code;
        return code == common ? 0 : first + code - (code > common ? 1U : 0U);
    }
    /// Codes of the digit from this one on are of the column, up to the other; in a bundle.
    [[nodiscard]] std::uint32_t own_from() const { return first; }
    [[nodiscard]] std::uint32_t own_to() const { return is_bundled ? first + n_kept - 1 : n_kept; }
    /// Whether a code of the digit is one of this column, other than `common` in a bundle.
    [[nodiscard]] bool has(std::uint32_t in_digit) const {
        return !is_bundled || (in_digit >= first && in_digit < first + n_kept - 1);
    }
    /// The code of a row whose digit is this.
    [[nodiscard]] std::uint32_t code_of(std::uint32_t in_digit) const {
        if (!is_bundled) return in_digit;
        if (!has(in_digit)) return common;
        const std::uint32_t code = in_digit - first;
        return code + (code >= common ? 1U : 0U);
    }
};

struct FewCodes;

class CodedTable {
public:
    /// `gradient_bytes`: room in each record, beside the codes, for what changes from round to
    /// round: a row that lies far from others then costs one wait for memory, not two.
    CodedTable(const data::Dataset& data, const Codebook& book, std::size_t gradient_bytes,
               Team& team);

    std::size_t n_rows = 0;
    std::vector<Slot> slots;  ///< of several digits, narrow, wide, sparse
    std::vector<Placed> columns;
    std::size_t n_entries = 0;   ///< of a histogram
    std::size_t stride = 0;      ///< bytes of a record
    std::size_t n_narrow = 0;    ///< slots of one byte in a record
    std::size_t n_recorded = 0;  ///< slots in a record; the others are sparse
    std::size_t n_recorded_columns = 0;
    std::uint32_t n_digit_sums = 0;  ///< of all digits that share a slot

    std::size_t gradients_at = 0;  ///< bytes from the start of a record to its room
    RareCells rare;                ///< of sparse slots

    [[nodiscard]] const std::uint8_t* records() const { return rows.get(); }
    [[nodiscard]] GradientView gradients() const { return {rows.get() + gradients_at, stride}; }
    [[nodiscard]] WritableGradients gradients() { return {rows.get() + gradients_at, stride}; }
    /// Codes of a slot, one after the other; some bytes after the last may be read.
    [[nodiscard]] const std::uint8_t* codes_of(const Slot& slot) const {
        return by_column.get() + slot.by_column;
    }
    [[nodiscard]] std::uint32_t code(const Slot& slot, std::size_t row) const {
        const std::uint8_t* codes = codes_of(slot);
        return slot.is_wide ? reinterpret_cast<const std::uint16_t*>(codes)[row] : codes[row];
    }

    [[nodiscard]] const Digit& digit_of(std::uint32_t column) const {
        return slots[columns[column].slot].digits[columns[column].digit];
    }

private:
    void place(const Codebook& book, const std::vector<FewCodes>& few, std::size_t gradient_bytes);
    void lay_out(std::size_t gradient_bytes);
    void place_columns(std::uint32_t slot, std::uint32_t its_digit);
    void list_rare(Team& team);
    void fill(const data::Dataset& data, const std::vector<Encoder>& encoders,
              const std::vector<FewCodes>& few, Team& team);
    void fill_slot(const Slot& slot, const data::Dataset& data,
                   const std::vector<Encoder>& encoders,
                   std::span<const std::uint8_t* const> codes_of_few, std::size_t begin,
                   std::size_t end);
    void join_digits(const Slot& slot, std::span<const std::uint8_t* const> codes_of_few,
                     std::size_t begin, std::size_t end, std::uint8_t* codes) const;

    struct Free {
        void operator()(std::uint8_t* memory) const;
    };
    std::unique_ptr<std::uint8_t[], Free> rows;
    std::unique_ptr<std::uint8_t[], Free> by_column;
};

}  // namespace treewright::boosting
