#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "check.hpp"
#include "treewright/base/random.hpp"
#include "treewright/data/fixed_texts.hpp"

using namespace treewright;
using namespace treewright::data;

/// Texts of every size, few and many distinct ones, coded in two parts, beside one another or
/// apart.
CASE(equal_texts_get_the_code_of_the_first) {
    Generator random(1);
    for (std::size_t n_bytes = 0; n_bytes < 40; ++n_bytes) {
        for (const std::size_t n_distinct : {std::size_t{1}, std::size_t{7}, std::size_t{900}}) {
            const std::size_t n = 2000;
            const std::size_t stride = n_bytes + n_distinct % 3;
            std::vector<char> memory(n * stride + 1, 'x');
            std::map<std::string, std::int32_t> seen;
            std::vector<std::int32_t> expected;
            std::vector<std::size_t> first_rows;
            for (std::size_t i = 0; i < n; ++i) {
                std::string text = std::to_string(random.below(n_distinct));
                text.resize(n_bytes, '\0');
                std::memcpy(memory.data() + i * stride, text.data(), n_bytes);
                const auto [at, is_new] =
                    seen.emplace(text, static_cast<std::int32_t>(seen.size()));
                if (is_new) first_rows.push_back(i);
                expected.push_back(at->second);
            }
            std::vector<std::int32_t> codes(n);
            FixedTexts texts(n_bytes);
            const auto* begin = reinterpret_cast<const std::byte*>(memory.data());
            const std::size_t part = 700;
            texts.code(begin, static_cast<std::ptrdiff_t>(stride), part, codes.data());
            texts.code(begin + part * stride, static_cast<std::ptrdiff_t>(stride), n - part,
                       codes.data() + part);
            CHECK(codes == expected);
            CHECK(texts.first_rows() == first_rows);
            FixedTexts few(n_bytes);  // those of the first rows alone
            const std::size_t n_known = 5;
            few.code(begin, static_cast<std::ptrdiff_t>(stride), n_known, codes.data());
            const auto n_codes = static_cast<std::int32_t>(few.first_rows().size());
            few.find(begin, static_cast<std::ptrdiff_t>(stride), n, -2, codes.data());
            for (std::size_t i = 0; i < n; ++i)
                CHECK(codes[i] == (expected[i] < n_codes ? expected[i] : -2));
        }
    }
}
