/// Slots: the units that codes are stored and histograms are kept by, and which columns share one.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace treewright::boosting {

inline constexpr std::uint32_t kMostNarrow = 256;  ///< codes of a slot of one byte

/// A bit for each code of a slot of one byte.
using CodeBits = std::array<std::uint32_t, kMostNarrow / 32>;

/// A column or a bundle of columns, within the code of a slot.
struct Digit {
    std::vector<std::uint32_t> columns;
    std::uint32_t n_codes = 0;
    std::uint32_t place = 1;      ///< what a code counts for in the slot's: lower digits come first
    std::uint32_t per_place = 0;  ///< 2^16 / place, rounded up: exact for codes of one byte
    std::uint32_t per_code = 0;   ///< the same of n_codes
    std::uint32_t sums_at = 0;    ///< where its sums start among those of shared slots' digits
    /// By code, the codes of the slot that have it; where several digits share the slot.
    std::vector<CodeBits> in_slot = {};

    /// in_slot / place % n_codes, of a slot of several digits.
    [[nodiscard]] std::uint32_t of(std::uint32_t in_slot) const {
        const std::uint32_t left = in_slot * per_place >> 16;
        return left - (left * per_code >> 16) * n_codes;
    }
};

struct Slot {
    bool is_wide = false;       ///< two bytes a code
    std::uint32_t n_codes = 0;  ///< the product of those of its digits
    std::size_t offset = 0;     ///< of its first entry in a histogram
    std::size_t at = 0;         ///< bytes from the start of a record
    std::size_t by_column = 0;  ///< bytes from the start of the column-wise codes
    std::vector<Digit> digits;  ///< at least one
    bool is_sparse = false;     ///< not in the records; `common` has no sums in a histogram
    std::uint32_t common = 0;   ///< of a sparse slot

    [[nodiscard]] bool is_shared() const { return digits.size() > 1; }
};

struct FewCodes;

/// The digits of columns of few codes: bundles, and columns by themselves; by their first column.
[[nodiscard]] std::vector<Digit> digits_of(const std::vector<FewCodes>& few);

/// Takes away the digits that are worth being sparse slots: of columns of few codes, or of others,
/// which have a slot each. `rare` is the share of the rows of each column that have another code
/// than the most frequent.
[[nodiscard]] std::vector<Digit> take_sparse(std::vector<Digit>& few, std::vector<Digit>& alone,
                                             std::span<const double> rare, std::size_t n_rows);

/// Slots of digits, each in the first that has room for it; those of several come first.
[[nodiscard]] std::vector<Slot> slots_of(std::vector<Digit> digits, std::size_t n_rows);

}  // namespace treewright::boosting
