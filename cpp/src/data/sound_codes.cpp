#include "treewright/data/sound_codes.hpp"

#include <cstring>

namespace treewright::data {
namespace {

/// Whether all codes are within bounds; there is no way out of the loop, so that of neighbours
/// several are compared at a time.
template <class CodeAt>
bool check(std::size_t n, std::int32_t least, std::int32_t most, const CodeAt& code_at) {
    std::int32_t wrong = 0;
    for (std::size_t row = 0; row < n; ++row) {
        const std::int32_t code = code_at(row);
        wrong |= static_cast<std::int32_t>(code < least) | static_cast<std::int32_t>(code > most);
    }
    return wrong == 0;
}

}  // namespace

bool are_between(const std::byte* codes, std::ptrdiff_t stride, std::size_t n, std::int32_t least,
                 std::uint32_t end) {
    const std::int32_t most =
        end > 0x80000000U ? 0x7fffffff : static_cast<std::int32_t>(end - 1U);  // of none: -1
    if (stride == sizeof(std::int32_t)) {
        const auto* own = reinterpret_cast<const std::int32_t*>(codes);
        return check(n, least, most, [own](std::size_t row) { return own[row]; });
    }
    return check(n, least, most, [&](std::size_t row) {
        std::int32_t code = 0;
        std::memcpy(&code, codes + static_cast<std::ptrdiff_t>(row) * stride, sizeof code);
        return code;
    });
}

}  // namespace treewright::data
