#include <vector>

#include "check.hpp"
#include "treewright/base/random.hpp"
#include "treewright/forest/fast/kernels/class_bits.hpp"

using namespace treewright;
using namespace treewright::forest;

CASE(rows_counted_by_bits_are_those_counted_one_by_one) {
    Generator random(43);
    for (const std::uint32_t n_classes : {2U, 3U, 8U})
        for (const std::size_t n_rows : {1, 15, 16, 63, 64, 65, 1000}) {
            if (!ClassBits::serves(n_classes)) continue;
            const std::uint32_t n_codes = 1 + static_cast<std::uint32_t>(random.below(5));
            std::vector<std::int32_t> classes;
            std::vector<std::uint8_t> codes;
            std::vector<std::uint32_t> due(std::size_t{n_codes} * n_classes, 0);
            for (std::size_t row = 0; row < n_rows; ++row) {
                classes.push_back(static_cast<std::int32_t>(random.below(n_classes)));
                codes.push_back(static_cast<std::uint8_t>(random.below(n_codes)));
                ++due[codes[row] * std::size_t{n_classes} + static_cast<std::size_t>(classes[row])];
            }
            std::vector<std::uint32_t> counts(due.size(), 7);
            ClassBits(classes, n_classes).count(codes.data(), n_codes, counts.data());
            CHECK(counts == due);
        }
}
