#include "treewright/state/json.hpp"

#include <algorithm>
#include <charconv>

namespace treewright::state {

std::string with_commas(std::size_t number) {
    std::string digits = std::to_string(number);
    for (std::size_t at = digits.size(); at > 3; at -= 3) digits.insert(at - 3, 1, ',');
    return digits;
}

namespace {

/// More digits than any whole number needs that a model holds; Python refuses 4300 and more.
constexpr std::size_t kMostDigits = 1000;

/// Bytes that a value takes as a Python object, about; containers and their entries apart.
constexpr std::size_t kBytesOfNumber = 32;
constexpr std::size_t kBytesOfText = 56;
constexpr std::size_t kBytesOfContainer = 64;
constexpr std::size_t kBytesOfEntry = 8;
constexpr std::size_t kBytesOfKey = 40;

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

int hex_digit(char c) {
    if (is_digit(c)) return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

/// Bytes of the character of UTF-8 that starts here; 0 where none does (RFC 3629, section 4).
std::size_t utf8_bytes(std::string_view rest) {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(rest[i]); };
    const auto follows = [&](std::size_t i, unsigned low, unsigned high) {
        return i < rest.size() && byte(i) >= low && byte(i) <= high;
    };
    const unsigned first = byte(0);
    if (first < 0x80) return 1;
    if (first >= 0xC2 && first <= 0xDF) return follows(1, 0x80, 0xBF) ? 2 : 0;
    if (first >= 0xE0 && first <= 0xEF) {
        const unsigned low = first == 0xE0 ? 0xA0 : 0x80;
        const unsigned high = first == 0xED ? 0x9F : 0xBF;  // no surrogates
        return follows(1, low, high) && follows(2, 0x80, 0xBF) ? 3 : 0;
    }
    if (first >= 0xF0 && first <= 0xF4) {
        const unsigned low = first == 0xF0 ? 0x90 : 0x80;
        const unsigned high = first == 0xF4 ? 0x8F : 0xBF;
        return follows(1, low, high) && follows(2, 0x80, 0xBF) && follows(3, 0x80, 0xBF) ? 4 : 0;
    }
    return 0;
}

void append_utf8(std::string& out, std::uint32_t point) {
    const auto put = [&](std::uint32_t byte) { out.push_back(static_cast<char>(byte)); };
    if (point < 0x80) {
        put(point);
    } else if (point < 0x800) {
        put(0xC0 | point >> 6);
        put(0x80 | (point & 0x3F));
    } else if (point < 0x10000) {
        put(0xE0 | point >> 12);
        put(0x80 | (point >> 6 & 0x3F));
        put(0x80 | (point & 0x3F));
    } else {
        put(0xF0 | point >> 18);
        put(0x80 | (point >> 12 & 0x3F));
        put(0x80 | (point >> 6 & 0x3F));
        put(0x80 | (point & 0x3F));
    }
}

std::uint32_t four_hex_digits(std::string_view text, std::size_t at) {
    std::uint32_t point = 0;
    for (std::size_t i = at; i < at + 4; ++i)
        point = point * 16 + static_cast<std::uint32_t>(hex_digit(text[i]));
    return point;
}

}  // namespace

/// One pass over the text. Containers that are open stand on a stack of their own: depth costs no
/// recursion.
struct Json::Scanner {
    Json& json;
    std::string_view text;
    std::size_t at = 0;
    std::size_t limit;
    std::size_t n_bytes = 0;  // that the values would take as objects
    std::vector<std::size_t> open;

    [[noreturn]] void refuse(const std::string& what, std::size_t where) const {
        throw FormatError(what + " (byte " + with_commas(json.source + where) + ")");
    }

    void skip_blanks() {
        while (at < text.size() &&
               (text[at] == ' ' || text[at] == '\n' || text[at] == '\r' || text[at] == '\t'))
            ++at;
    }

    bool next_is(char c) const { return at < text.size() && text[at] == c; }

    void count(std::size_t bytes) {
        n_bytes += bytes;
        if (n_bytes > limit)
            refuse("its values would take more than ten times the memory of the file", at);
    }

    Token& push(Kind kind, std::size_t begin, std::size_t end) {
        json.tokens.push_back(
            {static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end), 0, kind});
        return json.tokens.back();
    }

    void word(std::string_view name, Kind kind) {
        if (text.substr(at, name.size()) != name) refuse("this is no JSON", at);
        push(kind, at, at + name.size());
        at += name.size();
    }

    void digits() {
        if (at >= text.size() || !is_digit(text[at])) refuse("a number lacks a digit", at);
        while (at < text.size() && is_digit(text[at])) ++at;
    }

    void number() {
        const std::size_t begin = at;
        bool is_real = false;
        if (next_is('-')) ++at;
        if (next_is('0')) {
            ++at;
            if (at < text.size() && is_digit(text[at])) refuse("a number starts with 0", begin);
        } else {
            digits();
        }
        if (next_is('.')) {
            is_real = true;
            ++at;
            digits();
        }
        if (next_is('e') || next_is('E')) {
            is_real = true;
            ++at;
            if (next_is('+') || next_is('-')) ++at;
            digits();
        }
        if (at - begin > kMostDigits) refuse("a number has more than 1,000 digits", begin);
        const std::size_t own = json.tokens.size();
        push(is_real ? Kind::real : Kind::integer, begin, at);
        count(kBytesOfNumber);
        if (!is_real) return;
        double value = 0.0;
        const std::string_view written = json.written(own);
        const auto result = std::from_chars(written.data(), written.data() + written.size(), value);
        if (result.ec != std::errc()) refuse("a number is beyond what a float can hold", begin);
    }

    void escape() {
        const std::size_t begin = at++;
        if (at >= text.size()) refuse("a text does not end", begin);
        if (text[at] == 'u') {
            for (std::size_t i = at + 1; i < at + 5; ++i)
                if (i >= text.size() || hex_digit(text[i]) < 0)
                    refuse("an escape in a text is none", begin);
            at += 5;
        } else if (std::string_view("\"\\/bfnrt").find(text[at]) != std::string_view::npos) {
            ++at;
        } else {
            refuse("an escape in a text is none", begin);
        }
    }

    void string() {
        const std::size_t quote = at++;
        bool escapes = false;
        while (!next_is('"')) {
            if (at >= text.size()) refuse("a text does not end", quote);
            if (text[at] == '\\') {
                escapes = true;
                escape();
                continue;
            }
            if (static_cast<unsigned char>(text[at]) < 0x20)
                refuse("a text has a control character that is not escaped", at);
            const std::size_t n = utf8_bytes(text.substr(at));
            if (n == 0) refuse("a text is not valid UTF-8", at);
            at += n;
        }
        push(Kind::text, quote + 1, at).count = escapes ? 1 : 0;
        count(kBytesOfText + (at - quote));
        ++at;
    }

    /// A key and its colon.
    void key() {
        skip_blanks();
        if (!next_is('"')) refuse("a key of an object is due", at);
        string();
        count(kBytesOfKey);
        skip_blanks();
        if (!next_is(':')) refuse("a colon is due", at);
        ++at;
    }

    void begin(Kind kind) {
        if (open.size() == kMostDepth)
            refuse("it is nested more than " + std::to_string(kMostDepth) + " deep", at);
        open.push_back(json.tokens.size());
        push(kind, at, 0);
        count(kBytesOfContainer);
        ++at;
    }

    void end() {
        const std::size_t own = open.back();
        open.pop_back();
        json.tokens[own].end = static_cast<std::uint32_t>(json.tokens.size());
        if (json.tokens[own].kind == Kind::object) json.refuse_keys_twice(own);
        ++at;
    }

    /// Reads one value; of a container, its opening.
    void value() {
        skip_blanks();
        if (at >= text.size()) refuse("it ends too soon", at);
        if (!open.empty()) {
            ++json.tokens[open.back()].count;
            count(kBytesOfEntry);
        }
        switch (text[at]) {
            case '{': return begin(Kind::object);
            case '[': return begin(Kind::list);
            case '"': return string();
            case 'n': return word("null", Kind::null);
            case 't': return word("true", Kind::yes);
            case 'f': return word("false", Kind::no);
            default:
                if (text[at] != '-' && !is_digit(text[at])) refuse("this is no JSON", at);
                return number();
        }
    }

    void whole() {
        bool due = true;  // a value must follow, else what comes after one
        while (true) {
            if (due) {
                const std::size_t before = open.size();
                value();
                const bool opened = open.size() > before;
                if (opened) {
                    skip_blanks();
                    const bool is_object = json.tokens[open.back()].kind == Kind::object;
                    if (next_is(is_object ? '}' : ']')) {
                        end();
                    } else {
                        if (is_object) key();
                        continue;
                    }
                }
            }
            if (open.empty()) break;
            skip_blanks();
            const bool is_object = json.tokens[open.back()].kind == Kind::object;
            if (next_is(',')) {
                ++at;
                if (is_object) key();
                due = true;
            } else if (next_is(is_object ? '}' : ']')) {
                end();
                due = false;
            } else if (at >= text.size()) {
                refuse("it ends too soon", at);
            } else {
                refuse("a comma is due", at);
            }
        }
        skip_blanks();
        if (at != text.size()) refuse("something follows its end", at);
    }
};

Json::Json(std::string_view text, std::size_t source, std::size_t limit)
    : whole(text), source(source) {
    if (text.size() > kMostJsonBytes)
        throw FormatError("its JSON is longer than " + with_commas(kMostJsonBytes) + " bytes");
    Scanner{*this, text, 0, limit, 0, {}}.whole();
}

std::size_t Json::behind(std::size_t i) const {
    const bool contains = tokens[i].kind == Kind::list || tokens[i].kind == Kind::object;
    return contains ? tokens[i].end : i + 1;
}

std::string_view Json::written(std::size_t i) const {
    return whole.substr(tokens[i].begin, tokens[i].end - tokens[i].begin);
}

std::string Json::text(std::size_t i) const {
    const std::string_view raw = written(i);
    if (tokens[i].count == 0) return std::string(raw);
    std::string out;
    out.reserve(raw.size());
    for (std::size_t at = 0; at < raw.size(); ++at) {
        if (raw[at] != '\\') {
            out.push_back(raw[at]);
            continue;
        }
        switch (raw[++at]) {
            case 'b': out.push_back('\b'); break;
            case 'f': out.push_back('\f'); break;
            case 'n': out.push_back('\n'); break;
            case 'r': out.push_back('\r'); break;
            case 't': out.push_back('\t'); break;
            case 'u': {
                std::uint32_t point = four_hex_digits(raw, at + 1);
                at += 4;
                const bool is_high = point >= 0xD800 && point < 0xDC00;
                if (is_high && raw.substr(at + 1, 2) == "\\u") {
                    const std::uint32_t low = four_hex_digits(raw, at + 3);
                    if (low >= 0xDC00 && low < 0xE000) {
                        point = 0x10000 + ((point - 0xD800) << 10) + (low - 0xDC00);
                        at += 6;
                    }
                }
                append_utf8(out, point);
                break;
            }
            default: out.push_back(raw[at]);  // a quotation mark, \ or /
        }
    }
    return out;
}

double Json::real(std::size_t i) const {
    double value = 0.0;
    const std::string_view digits = written(i);
    std::from_chars(digits.data(), digits.data() + digits.size(), value);
    return value;
}

std::optional<std::uint64_t> Json::size_at(std::size_t i) const {
    if (tokens[i].kind != Kind::integer) return std::nullopt;
    std::uint64_t value = 0;
    const std::string_view digits = written(i);
    const auto result = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (result.ec != std::errc() || result.ptr != digits.data() + digits.size())
        return std::nullopt;
    return value;
}

std::size_t Json::find(std::size_t object, std::string_view key) const {
    if (tokens[object].kind != Kind::object) return 0;
    for (std::size_t i = object + 1; i < tokens[object].end; i = behind(i + 1))
        if (text(i) == key) return i + 1;
    return 0;
}

void Json::refuse_keys_twice(std::size_t object) const {
    std::vector<std::string> keys;
    keys.reserve(tokens[object].count);
    for (std::size_t i = object + 1; i < tokens[object].end; i = behind(i + 1))
        keys.push_back(text(i));
    std::ranges::sort(keys);
    const auto twice = std::ranges::adjacent_find(keys);
    if (twice != keys.end())
        throw FormatError("an object has the key '" + twice->substr(0, 60) + "' twice (byte " +
                          with_commas(source + tokens[object].begin) + ")");
}

}  // namespace treewright::state
