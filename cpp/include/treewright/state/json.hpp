/// JSON of a model file, scanned strictly: RFC 8259, valid UTF-8, no key twice in one object, a cap
/// on depth and on what the values would take as objects. The bytes may come from anyone.
///
/// The scan gives a list of tokens that point into the text, and copies nothing:
///
///     {"a": [1, 2]}      object(2) text"a" list(2) integer"1" integer"2"
///
/// A container knows where the token behind its last one is, so that a reader may step over it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "treewright/state/error.hpp"

namespace treewright::state {

enum class Kind : std::uint8_t { null, no, yes, integer, real, text, list, object };

struct Token {
    std::uint32_t begin = 0;  ///< first byte; of a text, behind its quotation mark
    std::uint32_t end = 0;    ///< behind the last byte; of a container, the token behind it
    std::uint32_t count = 0;  ///< entries of a list, keys of an object; of a text, 1 if it escapes
    Kind kind = Kind::null;
};

/// Far more than the writer nests, and little enough to recurse.
constexpr std::size_t kMostDepth = 64;
/// Positions are 32 bits wide.
constexpr std::size_t kMostJsonBytes = std::size_t{1} << 31;

/// Bytes that the values of a file may take as objects: ten times the file, and what a small file
/// may take that is packed tightly.
[[nodiscard]] constexpr std::size_t most_object_bytes(std::size_t file_size) {
    return 10 * file_size + (std::size_t{1} << 25);
}

class Json {
public:
    /// Scans a text, to its end.
    /// @param source  where its first byte stands in the file, for messages
    /// @param limit   bytes that its values may take as objects
    Json(std::string_view text, std::size_t source, std::size_t limit);

    [[nodiscard]] const Token& operator[](std::size_t i) const { return tokens[i]; }
    [[nodiscard]] std::size_t size() const { return tokens.size(); }
    /// The token behind a value and all it contains.
    [[nodiscard]] std::size_t behind(std::size_t i) const;
    /// The bytes of a number as they are written.
    [[nodiscard]] std::string_view written(std::size_t i) const;
    /// A text without its escapes. A surrogate that was escaped alone becomes its three bytes, as
    /// Python's "surrogatepass" writes them.
    [[nodiscard]] std::string text(std::size_t i) const;
    [[nodiscard]] double real(std::size_t i) const;
    /// Of an integer that is not below 0 and fits.
    [[nodiscard]] std::optional<std::uint64_t> size_at(std::size_t i) const;
    /// The value of a key of an object; 0, which is the root, if there is none.
    [[nodiscard]] std::size_t find(std::size_t object, std::string_view key) const;

private:
    struct Scanner;
    std::string_view whole;
    std::size_t source;
    std::vector<Token> tokens;

    void refuse_keys_twice(std::size_t object) const;
};

}  // namespace treewright::state
