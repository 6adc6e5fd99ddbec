/// Copies of columns that share the rows of one matrix. Reading a row-major table one column at a
/// time would fetch every cache line once per column.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "treewright/base/progress.hpp"
#include "treewright/data/column.hpp"

namespace treewright::data {

/// Columns that are worth copying at once.
inline constexpr std::size_t kSideBySide = 4;

class SideBySide {
public:
    /// Copies the columns of floats that are not contiguous; the others are left where they are.
    void copy(std::span<const Column> columns, std::size_t n_rows, Progress& progress);

    /// The i-th of the columns copied last.
    [[nodiscard]] const Column& column(std::size_t i) const { return copies[i].column; }

private:
    struct Copy {
        std::vector<std::byte> bytes;
        Column column;
    };
    std::vector<Copy> copies;
};

}  // namespace treewright::data
