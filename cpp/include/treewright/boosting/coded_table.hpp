/// The training rows as codes, stored twice: row by row for building histograms, and column by
/// column for partitioning the rows of a node.
///
/// The unit of storage is a slot: mostly one column, or several columns of which in every row at
/// most one differs from its most frequent code (one-hot columns, say; exclusive feature bundling,
/// Ke et al., LightGBM, NIPS 2017, section 4, with no conflict allowed, so that nothing is lost).
/// Histograms are kept by slot.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "treewright/boosting/codebook.hpp"
#include "treewright/boosting/gradients.hpp"

namespace treewright::boosting {

struct Slot {
    bool is_wide = false;       ///< two bytes a code
    std::uint32_t n_codes = 0;  ///< of all its columns, missing included
    std::size_t offset = 0;     ///< of its first entry in a histogram
    std::size_t at = 0;         ///< bytes from the start of a record
    std::size_t by_column = 0;  ///< bytes from the start of the column-wise codes
    std::vector<std::uint32_t> columns;
};

/// Where the codes of a column are in its slot.
struct Placed {
    std::uint32_t slot = 0;
    /// Code of the slot that stands for code 0; codes above `common` are one lower.
    std::uint32_t first = 0;
    bool is_shared = false;  ///< the slot holds other columns too; `common` is not stored
    std::uint32_t common = 0;

    [[nodiscard]] std::uint32_t in_slot(std::uint32_t code) const {
        if (!is_shared) return code;
        return first + code - (code > common ? 1U : 0U);
    }
};

class CodedTable {
public:
    /// `gradient_bytes`: room in each record, beside the codes, for what changes from round to
    /// round: a row that lies far from others then costs one wait for memory, not two.
    CodedTable(const data::Dataset& data, const Codebook& book, std::size_t gradient_bytes,
               Team& team);

    std::size_t n_rows = 0;
    std::vector<Slot> slots;  ///< narrow ones first
    std::vector<Placed> columns;
    std::size_t n_entries = 0;  ///< of a histogram
    std::size_t stride = 0;     ///< bytes of a record
    std::size_t n_narrow = 0;   ///< slots of one byte

    std::size_t gradients_at = 0;  ///< bytes from the start of a record to its room

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

private:
    void place(const Codebook& book, const std::vector<std::vector<std::uint32_t>>& bundles,
               const std::vector<std::uint32_t>& common, std::size_t gradient_bytes);
    void fill(const data::Dataset& data, const std::vector<Encoder>& encoders, Team& team);

    struct Free {
        void operator()(std::uint8_t* memory) const;
    };
    std::unique_ptr<std::uint8_t[], Free> rows;
    std::unique_ptr<std::uint8_t[], Free> by_column;
};

}  // namespace treewright::boosting
