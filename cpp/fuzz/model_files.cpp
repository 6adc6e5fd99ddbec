/// Gives altered model files to the parser, which is compiled with the sanitizers (`make fuzz`).
///
///     fuzz_model_files N SEED FILE...     alters the files N times; ends by itself if all is well
///
/// With clang, -fsanitize=fuzzer and -DTREEWRIGHT_LIBFUZZER, libFuzzer alters them instead.

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "treewright/state/container.hpp"
#include "treewright/state/json.hpp"

using namespace treewright::state;

namespace {

/// Reads all values of a JSON text, as the binding does.
void visit(const Json& json) {
    for (std::size_t i = 0; i < json.size(); ++i) {
        if (json[i].kind == Kind::text) (void)json.text(i);
        if (json[i].kind == Kind::real) (void)json.real(i);
        if (json[i].kind == Kind::integer) (void)json.size_at(i);
        if (json.behind(i) <= i || json.behind(i) > json.size()) std::abort();
    }
}

/// Returns whether the bytes were taken for a file.
bool parse(std::span<const unsigned char> bytes) {
    try {
        const Container container = read_container(bytes);
        for (const ArrayEntry& array : container.arrays)
            if (array.begin > array.end || array.end > bytes.size()) std::abort();
        return true;
    } catch (const FormatError&) {
    }
    try {
        visit(Json({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, 0,
                   most_object_bytes(bytes.size())));
        return true;
    } catch (const FormatError&) {
        return false;
    }
}

}  // namespace

#ifdef TREEWRIGHT_LIBFUZZER

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    parse({data, size});
    return 0;
}

#else

namespace {

using Random = std::mt19937_64;

std::size_t below(Random& random, std::size_t n) {
    return n == 0 ? 0 : random() % n;
}

constexpr const char* kWords[] = {
    "0",           "-1",      "1",           "255",  "65536", "2147483648", "18446744073709551615",
    "1e308",       "[",       "]",           "{",    "}",     "\"",         "\\u",
    "\\ud800",     ",",       ":",           "null", "true",  "[]",         "{}",
    "\"U8\"",      "\"F64\"", "\"packed\":", " ",    "-",     "e9",         "\xff",
    "\xed\xa0\x80"};

void alter(std::vector<unsigned char>& file, Random& random) {
    const std::size_t at = below(random, file.size() + 1);
    const auto place = file.begin() + static_cast<std::ptrdiff_t>(at);
    const auto until = [&](std::size_t n) {
        return place + static_cast<std::ptrdiff_t>(std::min(n, file.size() - at));
    };
    switch (below(random, 8)) {
        case 0:
            if (at < file.size()) file[at] ^= static_cast<unsigned char>(1U << below(random, 8));
            break;
        case 1:
            if (at < file.size()) file[at] = static_cast<unsigned char>(random());
            break;
        case 2: file.erase(place, until(1 + below(random, 16))); break;
        case 3: file.erase(place, file.end()); break;
        case 4: {
            const std::string word = kWords[below(random, std::size(kWords))];
            file.insert(file.erase(place, until(below(random, 6))), word.begin(), word.end());
            break;
        }
        case 5: {
            const std::size_t from = below(random, file.size() + 1);
            const std::size_t n = std::min(file.size() - from, 1 + below(random, 64));
            const std::vector<unsigned char> copy(
                file.begin() + static_cast<std::ptrdiff_t>(from),
                file.begin() + static_cast<std::ptrdiff_t>(from + n));
            file.insert(place, copy.begin(), copy.end());
            break;
        }
        case 6:  // digits and signs of the header
            for (std::size_t i = at; i < file.size() && i < at + 200; ++i)
                if (file[i] >= '0' && file[i] <= '9') {
                    file[i] = static_cast<unsigned char>('0' + below(random, 10));
                    break;
                }
            break;
        default:
            for (std::size_t i = 0; i < 8 && i < file.size(); ++i)
                if (below(random, 4) == 0) file[i] = static_cast<unsigned char>(random());
    }
}

}  // namespace

int main(int n_given, char** given) {
    if (n_given < 4) {
        std::fprintf(stderr, "usage: fuzz_model_files N SEED FILE...\n");
        return 2;
    }
    const std::size_t n = std::strtoull(given[1], nullptr, 10);
    const std::uint64_t seed = std::strtoull(given[2], nullptr, 10);
    std::vector<std::vector<unsigned char> > files;
    for (int i = 3; i < n_given; ++i) {
        std::ifstream file(given[i], std::ios::binary);
        files.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
        if (!parse(files.back())) {
            std::fprintf(stderr, "%s is no model file\n", given[i]);
            return 1;
        }
    }
    std::size_t n_taken = 0;
    for (std::size_t i = 0; i < n; ++i) {
        Random random(seed * 1'000'000'007 + i);
        std::vector<unsigned char> file = files[below(random, files.size())];
        for (std::size_t k = 1 + below(random, 4); k > 0; --k) alter(file, random);
        const auto begun = std::chrono::steady_clock::now();
        n_taken += parse(file) ? 1 : 0;
        if (std::chrono::steady_clock::now() - begun > std::chrono::seconds(1)) {
            std::fprintf(stderr, "mutant %zu of seed %llu took more than a second\n", i,
                         static_cast<unsigned long long>(seed));
            return 1;
        }
    }
    std::printf("%zu altered files: %zu refused, %zu still files\n", n, n - n_taken, n_taken);
    return 0;
}

#endif
