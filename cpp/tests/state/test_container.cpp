#include "treewright/state/container.hpp"

#include <string>

#include "check.hpp"
#include "treewright/state/checksum.hpp"

using namespace treewright::state;

namespace {

std::vector<unsigned char> file_of(const std::string& header, const std::string& arrays) {
    std::vector<unsigned char> file;
    for (int i = 0; i < 8; ++i)
        file.push_back(static_cast<unsigned char>(header.size() >> (8 * i) & 0xFF));
    file.insert(file.end(), header.begin(), header.end());
    file.insert(file.end(), arrays.begin(), arrays.end());
    return file;
}

std::string header_of(const std::string& entry) {
    std::string header =
        R"({"__metadata__":{"format":"1","treewright":"0","kind":"Tree"},"a":)" + entry + "}";
    header.resize((header.size() + 7) / 8 * 8, ' ');
    return header;
}

std::string refusal(const std::vector<unsigned char>& file) {
    try {
        (void)read_container(file);
        return "";
    } catch (const FormatError& error) {
        return error.what();
    }
}

const std::string kBytes = "12345678";
const std::string kChecksum = std::to_string(
    checksum({reinterpret_cast<const unsigned char*>(kBytes.data()), kBytes.size()}));

}  // namespace

CASE(a_sound_file_is_read) {
    const auto file = file_of(
        header_of(R"({"dtype":"U32","shape":[2],"data_offsets":[0,8],"crc32c":)" + kChecksum + "}"),
        kBytes);
    const Container container = read_container(file);
    CHECK(container.format == 1 && container.kind == "Tree" && container.arrays.size() == 1);
    CHECK(container.arrays[0].end == file.size());
    for (std::size_t n = 0; n < file.size(); ++n)
        CHECK(!refusal({file.begin(), file.begin() + static_cast<std::ptrdiff_t>(n)}).empty());
}

CASE(unsound_arrays_are_refused) {
    const auto said = [](const std::string& entry) {
        return refusal(file_of(header_of(entry), kBytes));
    };
    CHECK(said(R"({"dtype":"U32","shape":[2],"data_offsets":[0,8],"crc32c":7})").find("checksum") !=
          std::string::npos);
    CHECK(said(R"({"dtype":"U32","shape":[4611686018427387904,4],"data_offsets":[0,8]})")
              .find("counted") != std::string::npos);
    CHECK(said(R"({"dtype":"U32","shape":[2],"data_offsets":[18446744073709551615,7]})")
              .find("begins") != std::string::npos);
    CHECK(said(R"({"dtype":"U32","shape":[3],"data_offsets":[0,8],"crc32c":7})").find("shape") !=
          std::string::npos);
    CHECK(said(R"({"dtype":"U32","shape":[3],"data_offsets":[0,12],"crc32c":7})").find("has") !=
          std::string::npos);
}
