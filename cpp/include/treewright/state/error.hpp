/// What is thrown for bytes that are no model file: what is wrong, and where.
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>

namespace treewright::state {

struct FormatError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// Returns "12,345": bytes are counted as people write them.
[[nodiscard]] std::string with_commas(std::size_t number);

}  // namespace treewright::state
