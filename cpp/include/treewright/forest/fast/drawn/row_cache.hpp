/// Cache-friendly copies of the rows of a small node in growing by drawn cuts, for all nodes below
/// it: its rows are numbered 0, 1, ... and their cells copied row by row. A node below is a range
/// of `rows`; splitting it only reorders that range. Twice on the way down, when a node fits into
/// the L2 and the L1 cache, its rows are renumbered and copied once more ("rooms").
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "treewright/base/huge_pages.hpp"
#include "treewright/base/prefetch.hpp"
#include "treewright/forest/fast/drawn/name_sides.hpp"
#include "treewright/forest/fast/kernels/rows.hpp"

namespace treewright::forest {

template <class T>
class RowCache {
public:
    std::vector<std::uint32_t> rows;    ///< numbers, in the order of the nodes
    std::vector<std::uint32_t> words;   ///< their counted words, in the same order
    std::vector<std::uint32_t> weight;  ///< by number, as the next three: copies
    std::vector<std::uint32_t> target;  ///< classes: which, or of two copies of the second
    std::vector<double> value;          ///< numbers: copies x target on the grid
    std::vector<double> full;           ///< copies x weight; empty: rows weigh the same
    std::vector<std::uint32_t> row;     ///< of the table
    std::vector<std::uint8_t> gap;      ///< whether values are missing; empty: in no row
    bool has_values = false;            ///< sums of targets are sums of values

    /// Columns, of those of the table, that a tree of n rows considers. `names` are the codes of
    /// each column of the table, 0 of numbers, and stay where they are; none: there are no names.
    void choose(std::span<const std::uint32_t> chosen, std::size_t n_columns, std::uint32_t n,
                bool has_gaps, bool is_weighed, std::span<const std::uint32_t> names) {
        n_names_of = names;
        columns.assign(chosen.begin(), chosen.end());
        slot_of.assign(n_columns, 0);
        has_all = columns.size() == n_columns;
        for (std::size_t i = 0; i < columns.size(); ++i) {
            slot_of[columns[i]] = static_cast<std::uint32_t>(i);
            has_all = has_all && columns[i] == i;
        }
        stride = (columns.size() + kLanes - 1) / kLanes * kLanes;
        furnish(n);
        cells.resize(n_numbers * stride + kReadOver + kLine,
                     T{});  // cells that no row fills are read, too
        first_cell = cells.data();
        while (reinterpret_cast<std::uintptr_t>(first_cell) % (kLine * sizeof(T)) != 0)
            ++first_cell;
        for (auto* each : {&rows, &words, &spare[0], &spare[1], &weight, &target, &row})
            each->resize(n_numbers + kRowPadding);
        value.resize(n_numbers);
        if (is_weighed) full.resize(n_numbers);
        if (has_gaps) gap.resize(n_numbers);
        picked.resize((most_rows() + std::size_t{kMostTogether} * kRowsPicked) * kLanes);
        marks.clear();
    }

    /// Largest number of rows of a node that may be copied here.
    [[nodiscard]] std::uint32_t most_rows() const { return rooms[0].n_rows; }

    /// Copies the cells of n rows, given by `row`, from a table of rows; the caller has filled
    /// in their other data. `has_pairs`: two classes are counted in one word.
    void move_in(const T* table, std::size_t n_columns, std::uint32_t n, bool has_pairs) {
        is_pair = has_pairs;
        if (has_all) loops.copy({table, n_columns}, row.data(), n, first_cell, stride);
        else
            for (std::uint32_t i = 0; i < n; ++i)
                for (std::size_t c = 0; c < columns.size(); ++c)
                    first_cell[i * stride + c] = table[row[i] * n_columns + columns[c]];
        for (std::uint32_t i = 0; i < n; ++i) {
            rows[i] = i;
            words[i] = is_pair ? weight[i] | target[i] << RowWords::kPairShift : weight[i];
        }
    }

    /// Moves a node to the smallest room that it fits into; returns which.
    std::uint8_t move_on(std::uint32_t begin, std::uint32_t n, std::uint8_t room) {
        std::uint8_t best = room;
        for (std::uint8_t i = best + 1U; i < std::size(rooms); ++i)
            if (n <= rooms[i].n_rows) best = i;
        if (best != room) copy_to(rooms[best].first, begin, n);
        return best;
    }

    /// Prepares the evaluation of up to kLanes columns of a node.
    void aim(std::uint32_t begin, std::uint32_t n, Mixed key, const Judgement& judgement,
             std::span<const std::uint32_t> chosen, std::size_t n_wanted, Lanes<T>& lanes) const {
        lanes.rows = rows.data() + begin;
        lanes.words = words.data() + begin;
        lanes.n = n;
        lanes.key = key;
        lanes.judgement = judgement;
        lanes.n_looked = static_cast<std::uint32_t>(chosen.size());
        lanes.n_wanted = static_cast<std::uint32_t>(std::min(n_wanted, chosen.size()));
        for (std::size_t i = 0; i < chosen.size(); ++i) {
            lanes.slot[i] = slot_of[chosen[i]];
            lanes.column[i] = chosen[i];
            lanes.gaps[i] = GapSide::heavier;
        }
        lanes.names = lanes.many_names = 0;
        for (std::size_t i = 0; i < chosen.size() && !n_names_of.empty(); ++i) {
            const std::uint32_t n_names = n_names_of[chosen[i]];
            const auto bit = static_cast<std::uint8_t>(n_names > 0 ? 1U << i : 0U);
            (n_names <= kFewNames ? lanes.names : lanes.many_names) |= bit;
        }
    }

    [[nodiscard]] bool has_gaps(std::uint32_t begin, std::uint32_t end) const {
        for (std::uint32_t i = begin; i < end; ++i)
            if (gap[rows[i]] != 0) return true;
        return false;
    }
    /// Sums over rows.
    struct Sums {
        double weight = 0.0;
        double sum = 0.0;
        double copies = 0.0;  ///< where rows weigh differently
    };
    /// Notes which cells of a node are missing, as soon as it has been evaluated: before others
    /// are.
    void find_missing(Lanes<T>& lanes) const { loops.find_missing(cell_table(), lanes); }
    /// Those of the rows whose cell of a lane is missing, once they have been found.
    [[nodiscard]] Sums sums_of_missing(const Lanes<T>& lanes, std::size_t lane) const {
        const std::uint32_t words = lanes.missing_words[lane];
        const double counted = is_pair ? words & RowWords::kPairMask : words;
        Sums made;
        if (has_values) made.sum = lanes.missing_values[lane];
        else made.sum = is_pair ? words >> RowWords::kPairShift : 0.0;
        made.weight = full.empty() ? counted : lanes.missing_weights[lane];
        made.copies = full.empty() ? 0.0 : counted;
        return made;
    }
    /// Marks the rows that a lane's cut sends to the first side: beside those up to the threshold
    /// the missing ones if they go there and, if it asks whether the value is known, all others.
    void mark_gaps(const Lanes<T>& lanes, std::size_t lane, bool is_open) const {
        const unsigned of_lane = lanes.width == kLanes ? 1U << lane : 0x11U << lane;
        const unsigned others = is_open ? 0xffU : 0U;
        const std::size_t n_bytes = lanes.n_bytes();
        for (std::size_t i = 0; i < n_bytes; ++i)
            lanes.marks[i] |= static_cast<std::uint8_t>((lanes.missing[i] ^ others) & of_lane);
    }
    /// Evaluates up to kMostTogether nodes. The results are valid until the next evaluation with
    /// the same number: a node may have several.
    void look(std::size_t k, std::span<Lanes<T>> nodes) {
        const std::size_t n_marks = most_rows() + std::size_t{kMostTogether} * kRowsMarked;
        while (k >= marks.size()) marks.emplace_back((gap.empty() ? 1 : 2) * n_marks);
        std::uint32_t width = kFewLanes;
        for (const Lanes<T>& lanes : nodes) width = lanes.n_looked > kFewLanes ? kLanes : width;
        T* cells_left = picked.data();
        std::uint8_t* marks_left = marks[k].data();
        for (Lanes<T>& lanes : nodes) {
            lanes.width = width;
            lanes.picked = cells_left;
            lanes.marks = marks_left;
            if (!gap.empty()) lanes.missing = marks_left + n_marks;
            cells_left += (lanes.n + kRowsPicked - 1) / kRowsPicked * kRowsPicked * width;
            marks_left += (lanes.n + kRowsMarked - 1) / kRowsMarked * kRowsMarked * width / 8;
        }
        const CellTable<T> table = cell_table();
        loops.pick(table, nodes);
        if (!n_names_of.empty()) {
            loops.send_names(nodes);
            for (Lanes<T>& lanes : nodes) send_many_names(lanes);
        }
        loops.judge(table, nodes);
    }

    /// Evaluates a node of more than two classes, which the k-th evaluation has marked; `sums` are
    /// those of its rows.
    void look_at_classes(std::size_t k, std::span<const std::uint32_t> sums, Lanes<T>& lanes) {
        while (k >= class_left.size()) class_left.emplace_back(kClassTables * kLanes * sums.size());
        loops.judge_classes({target.data(), sums}, lanes, class_left[k].data());
        lanes.class_left = class_left[k].data();
    }

    /// The names of a node and their sides, as they were drawn in a lane that varies.
    [[nodiscard]] const NameSides& names_of(const Lanes<T>& lanes, std::size_t lane) {
        if ((lanes.names >> lane & 1U) != 0) {
            sides.set(lanes.there[lane], lanes.second[lane]);
            return sides;
        }
        draw_many_names(lanes, lane, [&](std::uint32_t i) { return cell_of(lanes, lane, i); });
        return sides;
    }

    /// Divides the rows of a node by a lane; returns how many are up to the threshold.
    std::uint32_t divide(std::uint32_t begin, const Lanes<T>& lanes, std::size_t lane) {
        std::uint32_t* const spares[] = {spare[0].data(), spare[1].data()};
        return loops.divide(lanes, lane, rows.data() + begin, words.data() + begin, spares);
    }

    static constexpr std::uint32_t kMostTogether = 16;  ///< nodes that are evaluated side by side

    /// Weight up to which two classes are counted in one word.
    static constexpr double kMostPairs = RowWords::kPairMask;

private:
    static constexpr std::size_t kLine = 64 / sizeof(T);

    [[nodiscard]] CellTable<T> cell_table() const {
        return {first_cell, stride, has_values ? value.data() : nullptr,
                full.empty() ? nullptr : full.data()};
    }
    [[nodiscard]] T cell_of(const Lanes<T>& lanes, std::size_t lane, std::uint32_t i) const {
        return first_cell[lanes.rows[i] * stride + lanes.slot[lane]];
    }
    template <class CellAt>
    void draw_many_names(const Lanes<T>& lanes, std::size_t lane, const CellAt& cell_at) {
        sides.find(lanes.n, n_names_of[lanes.column[lane]], cell_at);
        sides.draw(lanes.key.with(lanes.column[lane]));
    }
    /// RowLoops::send_names of columns of many names.
    void send_many_names(Lanes<T>& lanes) {
        for (unsigned left = lanes.many_names; left != 0; left &= left - 1) {
            const auto lane = static_cast<std::size_t>(std::countr_zero(left));
            if (!(lanes.low[lane] < lanes.high[lane])) continue;
            T* own = lanes.picked + lane;
            draw_many_names(lanes, lane, [&](std::uint32_t i) { return own[i * lanes.width]; });
            for (std::uint32_t i = 0; i < lanes.n; ++i)
                own[i * lanes.width] = sides.side_of(own[i * lanes.width]);
            lanes.low[lane] = T{0};
            lanes.high[lane] = T{1};
        }
    }

    /// Chooses how many rows fit: those whose cells fill about half of a cache. Of very
    /// wide rows an evaluation reads a few cache lines: copying them whole does not pay.
    void furnish(std::uint32_t n) {
        constexpr std::size_t kBytes[] = {3U << 20U, 384U << 10U, 24U << 10U};
        constexpr std::uint32_t kLeast = 8192;
        constexpr std::size_t kMostGroups = 4;
        n_numbers = 0;
        for (std::size_t i = 0; i < std::size(rooms); ++i) {
            auto n_rows = static_cast<std::uint32_t>(kBytes[i] / (stride * sizeof(T)));
            if (i == 0) n_rows = std::min(std::max(n_rows, kLeast), n);
            else if (stride > kMostGroups * kLanes || n_rows >= rooms[i - 1].n_rows) n_rows = 0;
            rooms[i] = {n_numbers, n_rows};
            n_numbers += n_rows;
        }
    }

    void copy_to(std::uint32_t first, std::uint32_t begin, std::uint32_t n) {
        loops.copy({first_cell, stride}, rows.data() + begin, n, first_cell + first * stride,
                   stride);
        for (std::uint32_t i = 0; i < n; ++i) {
            const std::uint32_t from = rows[begin + i];
            const std::uint32_t to = first + i;
            if (!gap.empty()) gap[to] = gap[from];
            if (!is_pair) {
                weight[to] = weight[from];
                target[to] = target[from];
                value[to] = value[from];
                row[to] = row[from];
                if (!full.empty()) full[to] = full[from];
            }
            rows[begin + i] = to;
        }
    }

    const RowLoops<T>& loops = row_loops<T>();
    std::vector<std::uint32_t> columns;
    std::vector<std::uint32_t> slot_of;
    bool is_pair = false;
    bool has_all = false;  ///< columns are those of the table
    std::size_t stride = 0;
    struct Room {
        std::uint32_t first;  ///< number
        std::uint32_t n_rows;
    };
    Room rooms[3] = {};
    std::uint32_t n_numbers = 0;
    FarVector<T> cells;
    T* first_cell = nullptr;  ///< of `cells`, at the beginning of a cache line
    std::vector<T> picked;
    std::vector<std::vector<std::uint8_t>> marks;        ///< by look
    std::vector<std::vector<std::uint32_t>> class_left;  ///< the same: sums, if more than two
    std::span<const std::uint32_t> n_names_of;  ///< by column of the table; empty: no names
    NameSides sides;                            ///< of the column at hand
    std::vector<std::uint32_t> spare[2];
};

}  // namespace treewright::forest
