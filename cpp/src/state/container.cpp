#include "treewright/state/container.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "treewright/state/checksum.hpp"
#include "treewright/state/json.hpp"

namespace treewright::state {

namespace {

constexpr std::size_t kLengthBytes = 8;
constexpr std::string_view kMetadata = "__metadata__";
constexpr std::string_view kName = "treewright";

struct DType {
    std::string_view name;
    std::size_t n_bytes;
};
constexpr std::array<DType, 11> kDTypes = {{{"F64", 8},
                                            {"I64", 8},
                                            {"U64", 8},
                                            {"F32", 4},
                                            {"I32", 4},
                                            {"U32", 4},
                                            {"I16", 2},
                                            {"U16", 2},
                                            {"I8", 1},
                                            {"U8", 1},
                                            {"BOOL", 1}}};

struct Entry {
    ArrayEntry array;
    std::uint64_t checksum = 0;
};

[[noreturn]] void refuse(const std::string& name, const std::string& what) {
    throw FormatError("the array '" + name.substr(0, 60) + "' " + what);
}

/// The number of bytes of an array; no product overflows.
std::uint64_t bytes_of(const std::string& name, std::string_view dtype,
                       const std::vector<std::uint64_t>& shape) {
    std::uint64_t n_bytes = bytes_of_dtype(dtype);
    for (const std::uint64_t length : shape)
        if (__builtin_mul_overflow(n_bytes, length, &n_bytes))
            refuse(name, "has more entries than can be counted");
    return n_bytes;
}

std::string dtype_at(const Json& json, const std::string& name, std::size_t value) {
    if (value == 0 || json[value].kind != Kind::text) refuse(name, "has no dtype");
    std::string dtype = json.text(value);
    if (bytes_of_dtype(dtype) == 0)
        refuse(name, "has the unknown dtype '" + dtype.substr(0, 20) + "'");
    return dtype;
}

std::vector<std::uint64_t> shape_at(const Json& json, const std::string& name, std::size_t value) {
    if (value == 0 || json[value].kind != Kind::list || json[value].count > kMostDimensions)
        refuse(name, "has no shape");
    std::vector<std::uint64_t> shape;
    for (std::size_t i = value + 1; i < json[value].end; i = json.behind(i)) {
        const auto length = json.size_at(i);
        if (!length) refuse(name, "has no shape");
        shape.push_back(*length);
    }
    return shape;
}

/// Bytes of an array as the model had it.
std::uint64_t bytes_in_memory(const ArrayEntry& array) {
    const std::string& stored = array.packed ? array.packed->dtype : array.dtype;
    return bytes_of(array.name, array.holds.empty() ? stored : array.holds,
                    array.packed ? array.packed->shape : array.shape);
}

Entry read_entry(const Json& json, std::string name, std::size_t object, std::uint64_t head,
                 std::uint64_t file_size) {
    Entry entry;
    ArrayEntry& array = entry.array;
    array.name = std::move(name);
    if (json[object].kind != Kind::object) refuse(array.name, "is not described");
    array.dtype = dtype_at(json, array.name, json.find(object, "dtype"));
    array.shape = shape_at(json, array.name, json.find(object, "shape"));
    if (const std::size_t packed = json.find(object, "packed"); packed != 0) {
        if (array.dtype != "U8") refuse(array.name, "is packed, but not as bytes");
        array.packed = Unpacked{dtype_at(json, array.name, json.find(packed, "dtype")),
                                shape_at(json, array.name, json.find(packed, "shape"))};
    }
    if (const std::size_t holds = json.find(object, "holds"); holds != 0)
        array.holds = dtype_at(json, array.name, holds);
    const std::size_t offsets = json.find(object, "data_offsets");
    if (offsets == 0 || json[offsets].kind != Kind::list || json[offsets].count != 2)
        refuse(array.name, "has no data_offsets");
    const auto begin = json.size_at(offsets + 1);
    const auto end = begin ? json.size_at(offsets + 2) : std::nullopt;
    if (!begin || !end) refuse(array.name, "has no data_offsets");
    if (__builtin_add_overflow(*begin, head, &array.begin) ||
        __builtin_add_overflow(*end, head, &array.end) || array.end < array.begin)
        refuse(array.name, "ends before it begins");
    if (bytes_of(array.name, array.dtype, array.shape) != array.end - array.begin)
        refuse(array.name,
               "(byte " + with_commas(array.begin) + ") has another size than its shape");
    if (array.end > file_size)
        refuse(array.name, "ends at byte " + with_commas(array.end) + ", but the file has " +
                               with_commas(file_size) + " bytes");
    if (array.begin % bytes_of_dtype(array.dtype) != 0)
        refuse(array.name, "(byte " + with_commas(array.begin) + ") is not aligned");
    const std::size_t sum = json.find(object, "crc32c");
    const auto given = sum == 0 ? std::nullopt : json.size_at(sum);
    if (!given || *given > 0xFFFFFFFF) refuse(array.name, "has no checksum");
    entry.checksum = *given;
    return entry;
}

std::string text_of(const Json& json, std::size_t object, std::string_view key) {
    const std::size_t value = json.find(object, key);
    if (value == 0 || json[value].kind != Kind::text)
        throw FormatError("its header has no '" + std::string(key) + "'");
    return json.text(value);
}

/// A whole number that is written as a text, since safetensors has nothing else in metadata.
std::uint64_t format_of(const std::string& text) {
    constexpr std::size_t kMostDigits = 9;
    if (text.empty() || text.size() > kMostDigits ||
        !std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; }))
        throw FormatError("its header has no 'format'");
    return std::stoull(text);
}

Container described(const Json& json) {
    const std::size_t metadata = json.find(0, kMetadata);
    if (json[0].kind != Kind::object || metadata == 0 || json[metadata].kind != Kind::object ||
        json.find(metadata, kName) == 0)
        throw FormatError("its header does not say that treewright wrote it");
    Container container;
    container.format = format_of(text_of(json, metadata, "format"));
    container.version = text_of(json, metadata, kName);
    container.kind = text_of(json, metadata, "kind");
    return container;
}

/// The head and the checksums it has for its arrays.
std::pair<Container, std::vector<std::uint64_t>> read_all(std::span<const unsigned char> bytes,
                                                          std::uint64_t file_size) {
    const std::uint64_t head = head_bytes(bytes);
    if (head > file_size)
        throw FormatError("its header ends at byte " + with_commas(head) + ", but the file has " +
                          with_commas(file_size) + " bytes");
    if (head > bytes.size()) throw FormatError("its header is not whole");
    const std::string_view text(reinterpret_cast<const char*>(bytes.data()) + kLengthBytes,
                                head - kLengthBytes);
    const Json json(text, kLengthBytes, most_object_bytes(file_size));
    Container container = described(json);
    if (container.format > kNewestFormat) return {std::move(container), {}};
    std::vector<Entry> entries;
    for (std::size_t i = 1; i < json[0].end; i = json.behind(i + 1)) {
        std::string name = json.text(i);
        if (name != kMetadata)
            entries.push_back(read_entry(json, std::move(name), i + 1, head, file_size));
    }
    std::ranges::stable_sort(entries, [](const Entry& a, const Entry& b) {
        return std::pair(a.array.begin, a.array.end) < std::pair(b.array.begin, b.array.end);
    });
    std::uint64_t expected = head;
    std::uint64_t in_memory = 0;
    std::vector<std::uint64_t> checksums;
    for (Entry& entry : entries) {
        if (entry.array.begin != expected)
            refuse(entry.array.name, "begins at byte " + with_commas(entry.array.begin) +
                                         " instead of " + with_commas(expected));
        expected = entry.array.end;
        if (__builtin_add_overflow(in_memory, bytes_in_memory(entry.array), &in_memory) ||
            in_memory > kMostExpansion * file_size + kFreeBytes)
            refuse(entry.array.name, "would take more than ten times the memory of the file");
        checksums.push_back(entry.checksum);
        container.arrays.push_back(std::move(entry.array));
    }
    if (expected != file_size)
        throw FormatError("its arrays end at byte " + with_commas(expected) +
                          ", but the file has " + with_commas(file_size) + " bytes");
    return {std::move(container), std::move(checksums)};
}

}  // namespace

std::size_t bytes_of_dtype(std::string_view dtype) {
    const auto found = std::ranges::find(kDTypes, dtype, &DType::name);
    return found == kDTypes.end() ? 0 : found->n_bytes;
}

std::uint64_t head_bytes(std::span<const unsigned char> bytes) {
    if (bytes.size() < kLengthBytes)
        throw FormatError("it has " + std::to_string(bytes.size()) +
                          " bytes, too few for a model file");
    std::uint64_t length = 0;
    for (std::size_t i = 0; i < kLengthBytes; ++i) length |= std::uint64_t{bytes[i]} << (8 * i);
    if (length > kMostHeaderBytes)
        throw FormatError("its first eight bytes are not the length of a header");
    return length + kLengthBytes;
}

Container read_head(std::span<const unsigned char> bytes, std::uint64_t file_size) {
    return read_all(bytes, file_size).first;
}

Container read_container(std::span<const unsigned char> bytes) {
    auto [container, checksums] = read_all(bytes, bytes.size());
    for (std::size_t i = 0; i < container.arrays.size(); ++i) {
        const ArrayEntry& array = container.arrays[i];
        if (checksum(bytes.subspan(array.begin, array.end - array.begin)) != checksums[i])
            refuse(array.name,
                   "(byte " + with_commas(array.begin) + ") does not match its checksum");
    }
    return std::move(container);
}

}  // namespace treewright::state
