#include "treewright/data/delimited.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <memory>
#include <unordered_map>

namespace treewright::data {
namespace {

constexpr std::size_t kMostOthers = 64;
constexpr std::size_t kRowsBeforeDoubt = 1000;
constexpr double kMostlyNumbers = 0.9;

bool is_space(char c) {
    return c == ' ' || (c >= '\t' && c <= '\r');
}
bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

std::string_view stripped(std::string_view text) {
    while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
    while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
    return text;
}

/// Nothing but spaces, in quotes or not.
bool is_blank_cell(std::string_view written) {
    written = stripped(written);
    if (written.size() >= 2 && written.front() == '"')
        written = written.substr(1, written.size() - 2);
    return stripped(written).empty();
}

std::size_t n_characters(std::string_view utf8) {
    return static_cast<std::size_t>(
        std::count_if(utf8.begin(), utf8.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

/// A number without thousands marks, its decimal mark a point; false if the marks are no groups.
/// The first group has one to three digits, each of the others three.
bool in_plain_marks(std::string_view text, const NumberMarks& marks, std::string& plain) {
    plain.clear();
    std::size_t at = 0;
    if (!text.empty() && (text[0] == '+' || text[0] == '-')) plain += text[at++];
    if (!marks.thousands.empty() && text.find(marks.thousands) != std::string_view::npos) {
        const std::string_view mark = marks.thousands;
        std::size_t n_digits = 0;
        bool is_first = true;
        while (true) {
            n_digits = 0;
            while (at < text.size() && is_digit(text[at])) {
                plain += text[at++];
                ++n_digits;
            }
            if (is_first ? n_digits < 1 || n_digits > 3 : n_digits != 3) return false;
            is_first = false;
            if (text.substr(at, mark.size()) != mark) break;
            at += mark.size();
        }
    }
    for (; at < text.size(); ++at) {
        if (text[at] == '.' && marks.decimal != '.') return false;
        plain += text[at] == marks.decimal ? '.' : text[at];
    }
    return true;
}

enum class Sort : std::uint8_t { whole, beyond, real, none };

/// Digits with a sign, or decimals with or without an exponent, or inf and infinity.
Sort number_of(std::string_view text, double& value, std::int64_t& whole) {
    if (text.empty()) return Sort::none;
    if (text.front() == '+') {
        text.remove_prefix(1);
        if (text.empty() || text.front() == '-' || text.front() == '+') return Sort::none;
    }
    const char* begin = text.data();
    const char* end = begin + text.size();
    const auto as_whole = std::from_chars(begin, end, whole);
    if (as_whole.ptr == end && as_whole.ec == std::errc{}) {
        value = static_cast<double>(whole);
        return Sort::whole;
    }
    const bool is_beyond = as_whole.ptr == end && as_whole.ec == std::errc::result_out_of_range;
    const char first = text[text.front() == '-' && text.size() > 1 ? 1 : 0];
    if (first == 'n' || first == 'N') return Sort::none;  // nan
    const auto as_real = std::from_chars(begin, end, value);
    if (as_real.ptr != end) return Sort::none;
    if (as_real.ec == std::errc::result_out_of_range)
        value = std::strtod(std::string(text).c_str(), nullptr);  // infinite, or nearly 0
    else if (as_real.ec != std::errc{}) return Sort::none;
    return is_beyond ? Sort::beyond : Sort::real;
}

/// Texts that mean no value, asked for most cells of a file.
class Missing {
public:
    explicit Missing(const std::vector<std::string>& texts) : texts(texts) {
        for (const std::string& text : texts)
            if (!text.empty()) begins[static_cast<unsigned char>(text[0])] = true;
            else is_empty_missing = true;
    }
    bool has(std::string_view text) const {
        if (text.empty()) return is_empty_missing;
        if (!begins[static_cast<unsigned char>(text[0])]) return false;
        return std::find(texts.begin(), texts.end(), text) != texts.end();
    }

private:
    const std::vector<std::string>& texts;
    std::array<bool, 256> begins{};
    bool is_empty_missing = false;
};

}  // namespace

DelimitedRows::DelimitedRows(std::string_view text, std::string delimiter, std::size_t first_line,
                             std::size_t n_columns)
    : text(text), delimiter(std::move(delimiter)), line(first_line), width(n_columns) {}

void DelimitedRows::read(std::size_t most_rows, bool is_end, Progress& progress) {
    constexpr std::size_t kRowsBetweenChecks = 1 << 12;
    while (n_rows() < most_rows && found_fault == RowFault::none) {
        if (read_row(is_end) == RowEnd::text_end) break;
        if (n_rows() % kRowsBetweenChecks == 0) progress.check(true);
    }
    const bool is_done = is_end && found_fault == RowFault::none &&
                         text.find_first_not_of("\r\n", position) == std::string_view::npos;
    if (is_done) drop_blank_end();
}

/// In a table of one column an empty line is a missing value, except at the end of the file.
void DelimitedRows::drop_blank_end() {
    position = text.size();
    for (; n_blank_at_end > 0; --n_blank_at_end) {
        row_begin.pop_back();
        line_of_row.pop_back();
        cell_end.pop_back();
    }
}

DelimitedRows::RowEnd DelimitedRows::read_row(bool is_end) {
    const std::size_t begin = position;
    const std::size_t size = text.size();
    if (begin >= size) return RowEnd::text_end;
    const char mark = delimiter.front();
    const std::size_t first_cell = cell_end.size();
    std::size_t at = begin;
    std::size_t row_line = line;
    const auto fail = [&](RowFault fault) {
        cell_end.resize(first_cell);
        found_fault = fault;
        line_at_fault = row_line;
        return RowEnd::fault;
    };
    const auto wait = [&] {  // the rest of the row is not there yet
        cell_end.resize(first_cell);
        return RowEnd::text_end;
    };
    bool is_empty_line = false;
    while (true) {
        while (at < size && text[at] == ' ') ++at;
        const std::size_t cell_begin = at;
        if (at < size && text[at] == '"') {
            ++at;
            while (true) {
                while (at < size && text[at] != '"' && text[at] != '\n' && text[at] != '\r') ++at;
                if (at >= size || (at + 1 == size && !is_end)) {
                    if (!is_end && at - cell_begin <= 4 * kMostCharacters) return wait();
                    if (n_characters(text.substr(cell_begin, at - cell_begin)) > kMostCharacters)
                        return fail(RowFault::large_cell);
                    if (!is_end) return wait();
                    if (at >= size) {  // the line after the last line end is none
                        if (text[size - 1] == '\n' || text[size - 1] == '\r') --row_line;
                        return fail(RowFault::unclosed);
                    }
                }
                if (text[at] != '"') {
                    if (text[at] == '\r' && at + 1 < size && text[at + 1] == '\n') ++at;
                    ++row_line;
                    ++at;
                } else if (at + 1 < size && text[at + 1] == '"') {
                    at += 2;
                } else {
                    ++at;
                    break;
                }
            }
            if (!is_end && at + delimiter.size() > size) return wait();
            const bool is_done = at >= size || text[at] == '\n' || text[at] == '\r' ||
                                 text.substr(at, delimiter.size()) == delimiter;
            if (!is_done) return fail(RowFault::after_quote);
        } else {
            while (at < size && text[at] != mark && text[at] != '\n' && text[at] != '\r') ++at;
            if (delimiter.size() > 1)
                while (at < size && text[at] == mark &&
                       text.substr(at, delimiter.size()) != delimiter) {
                    ++at;
                    while (at < size && text[at] != mark && text[at] != '\n' && text[at] != '\r')
                        ++at;
                }
        }
        if (at - cell_begin > kMostCharacters &&
            n_characters(text.substr(cell_begin, at - cell_begin)) > kMostCharacters)
            return fail(RowFault::large_cell);
        if (at - begin > std::numeric_limits<std::uint32_t>::max())
            return fail(RowFault::large_cell);
        cell_end.push_back(static_cast<std::uint32_t>(at - begin));
        if (at >= size) {
            if (!is_end) return wait();
            break;
        }
        if (text[at] == '\n' || text[at] == '\r') {
            if (text[at] == '\r' && at + 1 == size && !is_end) return wait();
            is_empty_line = at == begin;
            break;
        }
        at += delimiter.size();
    }
    const std::size_t n_cells = cell_end.size() - first_cell;
    position = at;
    line = row_line;
    if (at < size) {
        position += text[at] == '\r' && at + 1 < size && text[at + 1] == '\n' ? 2 : 1;
        ++line;
    }
    const bool is_blank = n_cells == 1 && is_blank_cell(text.substr(begin, at - begin));
    if (is_blank && width != 1) {
        cell_end.resize(first_cell);
        return RowEnd::blank;
    }
    if (width == 0) width = n_cells;
    if (n_cells != width) {
        width_at_fault = n_cells;
        return fail(RowFault::width);
    }
    n_blank_at_end = is_empty_line ? n_blank_at_end + 1 : 0;
    row_begin.push_back(begin);
    line_of_row.push_back(static_cast<std::int64_t>(row_line));
    return RowEnd::row;
}

std::string_view DelimitedRows::cell(std::size_t row, std::size_t column,
                                     std::string& scratch) const {
    const std::size_t at = row * width + column;
    const std::uint64_t begin = row_begin[row];
    std::size_t from = begin + (column == 0 ? 0 : cell_end[at - 1] + delimiter.size());
    const std::size_t to = begin + cell_end[at];
    while (from < to && text[from] == ' ') ++from;
    if (from == to || text[from] != '"') return text.substr(from, to - from);
    const std::string_view inside = text.substr(from + 1, to - from - 2);
    if (inside.find('"') == std::string_view::npos) return inside;
    scratch.clear();
    for (std::size_t i = 0; i < inside.size(); ++i) {
        scratch += inside[i];
        if (inside[i] == '"') ++i;
    }
    return scratch;
}

std::string_view DelimitedRows::row_text(std::size_t row) const {
    return text.substr(row_begin[row], cell_end[(row + 1) * width - 1]);
}

std::pair<std::vector<std::int32_t>, std::vector<std::string>> DelimitedRows::coded(
    std::size_t column, std::size_t first, Progress& progress) const {
    std::vector<std::int32_t> codes(n_rows() - first);
    std::vector<std::string> distinct;
    std::unordered_map<std::string_view, std::int32_t> code_of_text;
    std::vector<std::unique_ptr<std::string>> unquoted;  // cells that are not in the text as such
    std::string scratch;
    in_blocks(progress, codes.size(), [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
            const std::string_view found = cell(first + i, column, scratch);
            auto place = code_of_text.find(found);
            if (place == code_of_text.end()) {
                std::string_view kept = found;
                if (found.data() == scratch.data()) {
                    unquoted.push_back(std::make_unique<std::string>(found));
                    kept = *unquoted.back();
                }
                place =
                    code_of_text.emplace(kept, static_cast<std::int32_t>(distinct.size())).first;
                distinct.emplace_back(found);
            }
            codes[i] = place->second;
        }
    });
    return {std::move(codes), std::move(distinct)};
}

std::optional<NumberColumn> DelimitedRows::numbers(std::size_t column, std::size_t first,
                                                   const NumberMarks& marks,
                                                   Progress& progress) const {
    const std::size_t n = n_rows() - first;
    const Missing missing(marks.missing);
    const bool is_plain = marks.decimal == '.' && marks.thousands.empty();
    NumberColumn found;
    found.values.assign(n, std::numeric_limits<double>::quiet_NaN());
    found.wholes.assign(n, 0);
    found.present.assign(n, 0);
    std::size_t n_others = 0;
    bool is_hopeless = false;
    std::string scratch;
    std::string plain;
    in_blocks(progress, n, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end && !is_hopeless; ++i) {
            const std::string_view given = stripped(cell(first + i, column, scratch));
            if (missing.has(given)) continue;
            double value = 0.0;
            std::int64_t whole = 0;
            Sort sort = Sort::none;
            if (is_plain) sort = number_of(given, value, whole);
            else if (in_plain_marks(given, marks, plain)) sort = number_of(plain, value, whole);
            if (sort != Sort::none) {
                found.values[i] = value;
                found.wholes[i] = whole;
                found.present[i] = 1;
                ++found.n_numbers;
                found.is_whole &= sort != Sort::real;
                found.is_beyond |= sort == Sort::beyond;
                continue;
            }
            ++n_others;
            const auto same = std::find_if(found.others.begin(), found.others.end(),
                                           [&](const OtherText& o) { return o.text == given; });
            if (same != found.others.end()) ++same->n_rows;
            else found.others.push_back({std::string(given), 1, i});
            const std::size_t n_known = n_others + found.n_numbers;
            const double most = (1.0 - kMostlyNumbers) * static_cast<double>(n_known);
            is_hopeless = found.others.size() > kMostOthers ||
                          (n_known >= kRowsBeforeDoubt && static_cast<double>(n_others) > 2 * most);
        }
    });
    if (is_hopeless) return std::nullopt;
    return found;
}

}  // namespace treewright::data
