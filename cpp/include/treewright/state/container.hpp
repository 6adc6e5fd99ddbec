/// The container of a model file: a length, a header of JSON, and arrays behind one another.
///
///     | n: 8 bytes | header: n bytes | array | array | ... | array |      all little-endian
///                                    0 <- offsets count from here
///
/// It is the layout of safetensors, whose readers can open it, with a checksum for every array.
/// docs/model-files.md describes it for those who write a reader.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "treewright/state/error.hpp"

namespace treewright::state {

/// The newest format that is read here.
constexpr std::uint64_t kNewestFormat = 1;
constexpr std::size_t kMostHeaderBytes = std::size_t{1} << 28;
constexpr std::size_t kMostDimensions = 8;
/// All arrays, unpacked and in the types they had, take at most so many times the file's size, and
/// what a small file may take that is packed tightly.
constexpr std::uint64_t kMostExpansion = 10;
constexpr std::uint64_t kFreeBytes = std::uint64_t{1} << 22;

/// What an array is once it is unpacked.
struct Unpacked {
    std::string dtype;
    std::vector<std::uint64_t> shape;
};

struct ArrayEntry {
    std::string name;
    std::string dtype;  ///< as safetensors calls it: "F64", "U8" ...
    std::vector<std::uint64_t> shape;
    std::optional<Unpacked> packed;  ///< none: it is stored as it is
    std::string holds;        ///< the type it had in the model; empty: the one it is stored in
    std::uint64_t begin = 0;  ///< in the file
    std::uint64_t end = 0;
};

struct Container {
    std::uint64_t format = 0;
    std::string version;  ///< of the treewright that wrote it
    std::string kind;     ///< the class of the model
    /// In the order of their bytes; none where the format is newer than is read here.
    std::vector<ArrayEntry> arrays;
};

/// Bytes of an entry of an array; 0 for a type that is unknown.
[[nodiscard]] std::size_t bytes_of_dtype(std::string_view dtype);

/// Reads the head of a file, which may be all that is given, and checks it against the size that
/// the file has. Throws a FormatError that says what is wrong and where.
[[nodiscard]] Container read_head(std::span<const unsigned char> bytes, std::uint64_t file_size);

/// Reads a whole file: the head, and the checksums of all arrays.
[[nodiscard]] Container read_container(std::span<const unsigned char> bytes);

/// Bytes of a file up to its first array, from its first eight; what they say may be wrong.
[[nodiscard]] std::uint64_t head_bytes(std::span<const unsigned char> bytes);

}  // namespace treewright::state
