#include "treewright/tree/descent.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "treewright/tree/in_flight.hpp"

namespace treewright::tree {
namespace {

constexpr std::size_t kRowsPerTile = 64;  // columns are read by turns: rows of a tile stay in L1
constexpr std::size_t kBytesAtOnce = std::size_t{1} << 19;
constexpr std::size_t kFewestRows = 64;
constexpr std::size_t kMostRows = 8192;
constexpr std::size_t kNodesPerCheck = 1 << 12;
constexpr std::uint32_t kNoPlace = std::numeric_limits<std::uint32_t>::max();

template <class T>
inline T read_at(const std::byte* from) {
    T value;
    std::memcpy(&value, from, sizeof value);
    return value;
}

template <class T>
inline void write_at(std::byte* to, T value) {
    std::memcpy(to, &value, sizeof value);
}

/// Writes a column of decimals, `stride` bytes apart; whether any is a NaN.
template <class T>
bool read_decimals(const data::Column& column, std::size_t begin, std::size_t end, std::byte* to,
                   std::size_t stride) {
    bool gaps = false;
    for (std::size_t row = begin; row < end; ++row, to += stride) {
        const T value = column.at<T>(row);
        gaps |= value != value;
        write_at(to, static_cast<double>(value));
    }
    return gaps;
}

/// Writes a column of names as cells of type T.
template <class T>
void read_names(const data::Column& column, std::size_t begin, std::size_t end, std::byte* to,
                std::size_t stride) {
    constexpr std::uint32_t kMost = std::numeric_limits<RowCells::Name>::max();
    for (std::size_t row = begin; row < end; ++row, to += stride) {
        const auto cell = static_cast<std::uint32_t>(column.at<std::int32_t>(row)) + 2;
        write_at(to, static_cast<T>(std::min(cell, kMost)));
    }
}

}  // namespace

std::size_t RowCells::bytes_of_cell(std::span<const data::Column> columns,
                                    std::span<const std::uint32_t> which) {
    const bool has_decimals = std::any_of(which.begin(), which.end(),
                                          [&](std::uint32_t c) { return columns[c].is_real(); });
    return has_decimals ? sizeof(std::uint64_t) : sizeof(Name);
}

std::size_t RowCells::rows_at_once(std::span<const data::Column> columns,
                                   std::span<const std::uint32_t> which) {
    const std::size_t n = std::max<std::size_t>(columns.size(), 1) * bytes_of_cell(columns, which);
    return std::clamp(kBytesAtOnce / n, kFewestRows, kMostRows);
}

void RowCells::read(std::span<const data::Column> columns, std::span<const std::uint32_t> which,
                    std::size_t begin, std::size_t end) {
    n_columns = columns.size();
    n_bytes = bytes_of_cell(columns, which);
    gaps = false;
    cells.resize(((end - begin) * stride() + sizeof(std::uint64_t) - 1) / sizeof(std::uint64_t));
    for (std::size_t first = begin; first < end; first += kRowsPerTile) {
        const std::size_t last = std::min(end, first + kRowsPerTile);
        std::byte* const row =
            reinterpret_cast<std::byte*>(cells.data()) + (first - begin) * stride();
        for (const std::uint32_t c : which) {
            const data::Column& column = columns[c];
            std::byte* const to = row + c * n_bytes;
            if (column.type == data::ValueType::f64)
                gaps |= read_decimals<double>(column, first, last, to, stride());
            else if (column.type == data::ValueType::f32)
                gaps |= read_decimals<float>(column, first, last, to, stride());
            else if (has_decimals()) read_names<std::uint64_t>(column, first, last, to, stride());
            else read_names<Name>(column, first, last, to, stride());
        }
    }
}

void Descent::add(Asked node, std::span<const std::uint8_t> branch) {
    node.start = static_cast<std::uint32_t>(branches.size());
    asked.push_back(node);
    branches.insert(branches.end(), branch.begin(), branch.end());
}

/// A leaf leads to itself, whatever the value.
void Descent::add_leaf() {
    constexpr std::uint8_t kStays[] = {kUndecided};
    add({.threshold = std::numeric_limits<double>::quiet_NaN(), .is_leaf = true}, kStays);
}

void Descent::add_cut(std::uint32_t column, double threshold, std::uint32_t first_child,
                      std::uint8_t missing) {
    const std::uint8_t branch[] = {0, 1, missing};
    add({.threshold = threshold,
         .first_child = first_child,
         .column = static_cast<std::uint16_t>(column),
         .if_missing = 2},
        branch);
}

void Descent::add_names(std::uint32_t column, std::span<const std::uint8_t> branch,
                        std::uint32_t first_child) {
    add({.threshold = std::numeric_limits<double>::quiet_NaN(),
         .first_child = first_child,
         .column = static_cast<std::uint16_t>(column),
         .last = static_cast<std::uint16_t>(branch.size() - 1)},
        branch);
}

/// Nodes lie behind their parents, one branch after the other: the small trees at the end of long
/// paths, where most steps are taken that no cache foresees, are in a few lines of it.
void Descent::place_from(std::uint32_t top, std::size_t& n_words) {
    std::vector<std::uint32_t> to_place = {top};
    while (!to_place.empty()) {
        const std::uint32_t node = to_place.back();
        to_place.pop_back();
        const std::span<const std::uint8_t> branch = branches_of(node);
        place_of[node] = static_cast<std::uint32_t>(n_words);
        n_words += (has_cuts ? kWordsOfAny : kWordsOfNames) + branch.size();
        std::uint32_t n_branches = 0;
        for (const std::uint8_t each : branch)
            if (each != kUndecided) n_branches = std::max<std::uint32_t>(n_branches, each + 1U);
        for (std::uint32_t b = n_branches; b-- > 0;)
            to_place.push_back(asked[node].first_child + b);
    }
}

void Descent::write(std::uint32_t node) {
    const Asked& question = asked[node];
    auto* const to = reinterpret_cast<std::byte*>(words.data() + place_of[node]);
    write_at(to + kNumber, question.is_leaf ? node : node | kAsks);
    write_at(to + kColumn, question.column);
    write_at(to + kLast, question.last);
    if (has_cuts) {
        write_at(to + kIfMissing, question.if_missing);
        write_at(to + kThreshold, question.threshold);
    }
    std::uint32_t* entry = words.data() + place_of[node] + (has_cuts ? kWordsOfAny : kWordsOfNames);
    for (const std::uint8_t each : branches_of(node))
        *entry++ = place_of[each == kUndecided ? node : question.first_child + each];
}

void Descent::close(Progress& progress) {
    place_of.assign(asked.size(), kNoPlace);
    std::size_t n_words = 0;
    for (std::uint32_t node = 0; node < asked.size(); ++node) {  // also where no value leads
        if (node % kNodesPerCheck == 0) progress.check(true);
        if (place_of[node] == kNoPlace) place_from(node, n_words);
    }
    words.resize(n_words);
    for (std::uint32_t node = 0; node < asked.size(); ++node) {
        if (node % kNodesPerCheck == 0) progress.check(true);
        write(node);
    }
    std::vector<Asked>().swap(asked);
    std::vector<std::uint8_t>().swap(branches);
}

template <class Use>
void Descent::with_next(const RowCells& rows, Use&& use) const {
    const auto* const first = reinterpret_cast<const std::byte*>(words.data());
    const auto at_place = [=](std::uint32_t place) {
        return first + std::size_t{place} * sizeof(std::uint32_t);
    };
    const auto cell_of = [](const std::byte* node, const std::byte* row, std::size_t n_bytes) {
        return row + std::size_t{read_at<std::uint16_t>(node + kColumn)} * n_bytes;
    };
    const auto by_name = [](const std::byte* node, auto cell) {
        return std::min(static_cast<std::uint32_t>(cell),
                        std::uint32_t{read_at<std::uint16_t>(node + kLast)});
    };
    const auto by_any = [=](const std::byte* node, const std::byte* cell) {
        const double threshold = read_at<double>(node + kThreshold);
        return by_name(node, read_at<std::uint64_t>(cell)) +
               static_cast<std::uint32_t>(read_at<double>(cell) > threshold);
    };
    const auto entry = [](const std::byte* node, std::size_t n_words, std::uint32_t further) {
        return read_at<std::uint32_t>(node + (n_words + further) * sizeof(std::uint32_t));
    };
    const auto use_names = [&]<class T>(T /*a cell*/) {
        use([=](std::uint32_t place, const std::byte* row) {
            const std::byte* node = at_place(place);
            const T cell = read_at<T>(cell_of(node, row, sizeof(T)));
            return entry(node, kWordsOfNames, by_name(node, cell));
        });
    };
    constexpr std::size_t kWide = sizeof(std::uint64_t);
    if (!has_cuts) {
        if (rows.has_decimals()) use_names(std::uint64_t{0});
        else use_names(RowCells::Name{0});
    } else if (!rows.has_gaps()) {
        use([=](std::uint32_t place, const std::byte* row) {
            const std::byte* node = at_place(place);
            return entry(node, kWordsOfAny, by_any(node, cell_of(node, row, kWide)));
        });
    } else {
        use([=](std::uint32_t place, const std::byte* row) {
            const std::byte* node = at_place(place);
            const std::byte* cell = cell_of(node, row, kWide);
            const double x = read_at<double>(cell);
            const auto if_missing = read_at<std::uint32_t>(node + kIfMissing);
            return entry(node, kWordsOfAny, by_any(node, cell) + either(x != x, 0U, if_missing));
        });
    }
}

void Descent::find(const RowCells& rows, std::size_t n, std::uint32_t* node,
                   std::vector<std::uint32_t>& stopped) const {
    stopped.resize(n + 1);  // numbers of the rows under way until then
    with_next(rows, [&](auto&& next) {
        walk_in_waves(rows.first(), rows.stride(), n, next, node, stopped.data());
    });
    std::size_t n_stopped = 0;
    for (std::size_t i = 0; i < n; ++i) {  // nobody can tell who has stopped: without a branch
        const std::uint32_t number = words[node[i]];
        node[i] = number & ~kAsks;
        stopped[n_stopped] = static_cast<std::uint32_t>(i);
        n_stopped += static_cast<std::size_t>((number & kAsks) != 0);
    }
    stopped.resize(n_stopped);
}

void Descent::go_on(const RowCells& rows, const std::uint32_t* row,
                    std::vector<std::uint32_t>& walking, std::uint32_t* node) const {
    const std::vector<std::uint32_t> all = walking;
    for (const std::uint32_t number : all) node[number] = place_of[node[number]];
    with_next(rows, [&](auto&& next) {
        walk_on_in_waves(
            [&](std::uint32_t number) { return rows.first() + row[number] * rows.stride(); },
            walking.size(), next, node, walking.data());
    });
    walking.clear();
    for (const std::uint32_t number : all) {
        const std::uint32_t found = words[node[number]];
        node[number] = found & ~kAsks;
        if ((found & kAsks) != 0) walking.push_back(number);
    }
}

}  // namespace treewright::tree
