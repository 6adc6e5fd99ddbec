/// Which columns growing has to look at.
#pragma once

#include <algorithm>
#include <cstddef>

#include "treewright/data/dataset.hpp"
#include "treewright/grow/options.hpp"

namespace treewright::grow {

/// Whether all rows have the same target.
[[nodiscard]] inline bool is_constant(const data::Target& target) {
    const auto repeats = [&](const auto& of_rows) {
        return std::equal(of_rows.begin() + static_cast<std::ptrdiff_t>(
                                                std::min(target.n_outputs, of_rows.size())),
                          of_rows.end(), of_rows.begin());
    };
    return target.is_classification() ? repeats(target.classes) : repeats(target.values);
}

/// The options with the columns that are needed: a target that is the same for all rows makes a
/// leaf whatever the columns say, and one of them holds the rows.
[[nodiscard]] inline GrowOptions with_needed_columns(const GrowOptions& options,
                                                     const data::Dataset& data) {
    GrowOptions made = options;
    // Erased, not resized: GCC 12 warns of what resize would write if there were too few.
    if (made.columns.size() > 1 && is_constant(data.target)) {
        made.columns.erase(made.columns.begin() + 1, made.columns.end());
    }
    return made;
}

}  // namespace treewright::grow
