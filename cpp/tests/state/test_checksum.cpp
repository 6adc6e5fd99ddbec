#include "treewright/state/checksum.hpp"

#include <algorithm>
#include <vector>

#include "check.hpp"

using namespace treewright::state;

CASE(checksums_are_those_of_the_standard) {
    // RFC 3720, appendix B.4.
    CHECK(checksum(std::vector<unsigned char>(32, 0)) == 0x8A9136AA);
    CHECK(checksum(std::vector<unsigned char>(32, 0xFF)) == 0x62A8AB43);
    CHECK(checksum({}) == 0);
}

CASE(the_instruction_and_the_table_agree) {
    std::vector<unsigned char> bytes;
    for (std::size_t i = 0; i < 50'000; ++i)
        bytes.push_back(static_cast<unsigned char>(i * 2654435761U >> 13));
    for (const std::size_t n : {std::size_t{1}, std::size_t{7}, std::size_t{12'287},
                                std::size_t{12'288}, std::size_t{24'583}, bytes.size()})
        for (const std::size_t from : {std::size_t{0}, std::size_t{3}}) {
            const auto part = std::span(bytes).subspan(from, n - std::min(from, n));
            CHECK(checksum(part) == checksum_by_table(part));
        }
}
