/// Columns of few codes, which may share slots, and the codes of all their rows.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "treewright/base/parallel.hpp"
#include "treewright/boosting/codebook.hpp"
#include "treewright/data/dataset.hpp"

namespace treewright::boosting {

inline constexpr std::uint32_t kMostOfBundled = 64;  ///< codes of a column that shares a slot

/// A column of few codes, and those of all rows.
struct FewCodes {
    std::uint32_t column = 0;
    std::uint32_t n_kept = 0;
    std::uint32_t common = 0;
    std::vector<std::uint8_t> codes;
    std::size_t n_away = 0;           ///< rows of another code than the most frequent
    std::vector<std::uint64_t> away;  ///< a bit each; empty: not worth bundling
};

/// Columns that may share slots; none if there is only one.
[[nodiscard]] std::vector<FewCodes> few_codes_of(const data::Dataset& data, const Codebook& book,
                                                 const std::vector<Encoder>& encoders, Team& team);

/// Bytes of values that stay in the cache while they are encoded column by column.
inline constexpr std::size_t kNearBytesOfValues = std::size_t{1} << 18;

/// Calls work(begin, end) for stretches of a block of rows. Columns are mostly adjacent: each line
/// of memory is brought near once for all of them.
template <class Work>
void by_stretches(std::size_t begin, std::size_t end, std::size_t n_columns, Work&& work) {
    constexpr std::size_t kFewest = 64;  // that are encoded together
    const std::size_t n =
        std::max(kNearBytesOfValues / (sizeof(double) * n_columns + 1) / kFewest, 1UL);
    for (; begin < end; begin += n * kFewest) work(begin, std::min(end, begin + n * kFewest));
}

}  // namespace treewright::boosting
