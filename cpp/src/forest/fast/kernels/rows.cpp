/// The loops for any processor, and the choice between them and those of rows_avx512.cpp.
#include "treewright/forest/fast/kernels/rows.hpp"

#include <algorithm>
#include <bit>
#include <limits>

#include "treewright/base/avx512.hpp"
#include "treewright/base/prefetch.hpp"

namespace treewright::forest {
namespace {

template <class T>
void copy(const CellTable<T>& table, const std::uint32_t* rows, std::uint32_t n, T* to,
          std::size_t stride) {
    const std::size_t n_cells = std::min(table.stride, stride);
    for (std::uint32_t i = 0; i < n; ++i, to += stride) {
        if (i + kRowsAhead < n) call_for(table.row(rows[i + kRowsAhead]), n_cells);
        std::copy_n(table.row(rows[i]), n_cells, to);
    }
}

template <class T>
void pick(const CellTable<T>& table, std::span<Lanes<T>> nodes) {
    for (Lanes<T>& lanes : nodes)
        for (std::size_t lane = 0; lane < lanes.width; ++lane) {
            T low = std::numeric_limits<T>::infinity();
            T high = -low;
            for (std::uint32_t i = 0; i < lanes.n; ++i) {
                const T cell = table.row(lanes.rows[i])[lanes.slot[lane]];
                lanes.picked[i * lanes.width + lane] = cell;
                low = cell < low ? cell : low;
                high = cell > high ? cell : high;
            }
            lanes.low[lane] = low;
            lanes.high[lane] = high;
        }
}

template <class T>
void send_names_of(Lanes<T>& lanes, std::size_t lane) {
    if (!(lanes.low[lane] < lanes.high[lane])) return;
    const auto cell = [&](std::uint32_t i) -> T& { return lanes.picked[i * lanes.width + lane]; };
    const auto bit_of = [&](std::uint32_t i) {
        return std::uint64_t{1} << static_cast<std::uint32_t>(cell(i));
    };
    std::uint64_t there = 0;
    for (std::uint32_t i = 0; i < lanes.n; ++i)
        if (cell(i) == cell(i)) there |= bit_of(i);
    const std::uint64_t key = lanes.key.with(lanes.column[lane]);
    Generator coins(key);
    std::uint64_t second = 0;
    for (std::uint64_t left = there; left != 0; left &= left - 1)
        if (coins.next() >> 63 != 0) second |= left & (~left + 1);
    if (second == 0 || second == there) {
        std::uint64_t last = there;
        for (auto before = name_to_move(key, std::uint64_t(std::popcount(there))); before > 0;
             --before)
            last &= last - 1;
        second ^= last & (~last + 1);
    }
    lanes.there[lane] = there;
    lanes.second[lane] = second;
    for (std::uint32_t i = 0; i < lanes.n; ++i)
        if (cell(i) == cell(i)) cell(i) = (second & bit_of(i)) != 0 ? T{1} : T{0};
    lanes.low[lane] = T{0};
    lanes.high[lane] = T{1};
}

template <class T>
void send_names(std::span<Lanes<T>> nodes) {
    for (Lanes<T>& lanes : nodes)
        for (std::size_t lane = 0; lane < lanes.width; ++lane)
            if ((lanes.names >> lane & 1U) != 0) send_names_of(lanes, lane);
}

template <class T>
void judge_lane(const CellTable<T>& table, Lanes<T>& lanes, std::size_t lane) {
    const T low = lanes.low[lane];
    const T high = lanes.high[lane];
    if (low < high) lanes.varies |= static_cast<std::uint8_t>(1U << lane);
    const DrawnCut<T> cut(lanes.key, lanes.column[lane], low, high);
    lanes.at[lane] = cut.at;
    std::uint32_t count = 0;
    double weight = 0.0;
    double value = 0.0;
    for (std::uint32_t i = 0; i < lanes.n; ++i) {
        if (!(lanes.picked[i * lanes.width + lane] <= cut.bound)) continue;
        lanes.mark(i, lane);
        count += lanes.words[i];
        if (table.values != nullptr) value += table.values[lanes.rows[i]];
        if (table.weights != nullptr) weight += table.weights[lanes.rows[i]];
    }
    const bool is_pair = table.values == nullptr;
    lanes.weight[lane] = table.weights != nullptr ? weight
                         : is_pair                ? count & RowWords::kPairMask
                                                  : count;
    lanes.sum[lane] = is_pair ? count >> RowWords::kPairShift : value;
    lanes.copies[lane] = table.weights != nullptr ? count : 0.0;
    lanes.decrease[lane] =
        lanes.judgement.decrease(lanes.weight[lane], lanes.sum[lane], lanes.copies[lane]);
}

template <class T>
void judge(const CellTable<T>& table, std::span<Lanes<T>> nodes) {
    for (Lanes<T>& lanes : nodes) {
        lanes.varies = 0;
        lanes.winner = kLanes;
        std::fill_n(lanes.marks, lanes.n, std::uint8_t{0});
        for (std::size_t lane = 0; lane < lanes.width; ++lane) judge_lane(table, lanes, lane);
    }
}

template <class T>
void find_missing(const CellTable<T>& table, Lanes<T>& lanes) {
    std::fill_n(lanes.missing, lanes.n_bytes(), std::uint8_t{0});
    for (std::size_t lane = 0; lane < lanes.width; ++lane) {
        std::uint32_t words = 0;
        double value = 0.0;
        double weight = 0.0;
        for (std::uint32_t i = 0; i < lanes.n; ++i) {
            const T cell = lanes.picked[i * lanes.width + lane];
            if (cell == cell) continue;
            const std::size_t bit = i * lanes.width + lane;
            lanes.missing[bit / 8] |= static_cast<std::uint8_t>(1U << bit % 8);
            words += lanes.words[i];
            if (table.values != nullptr) value += table.values[lanes.rows[i]];
            if (table.weights != nullptr) weight += table.weights[lanes.rows[i]];
        }
        lanes.missing_words[lane] = words;
        lanes.missing_values[lane] = value;
        lanes.missing_weights[lane] = weight;
    }
}

template <class T>
void judge_classes(const NodeClasses& classes, Lanes<T>& lanes, std::uint32_t* left) {
    std::fill_n(left, classes.sums.size() * kLanes, 0U);
    for (std::uint32_t i = 0; i < lanes.n; ++i) {
        std::uint32_t* own = left + classes.of_row[lanes.rows[i]] * kLanes;
        for (std::size_t lane = 0; lane < lanes.n_looked; ++lane)
            own[lane] += lanes.is_marked(i, lane) ? lanes.words[i] : 0;
    }
    for (std::size_t lane = 0; lane < lanes.n_looked; ++lane)
        lanes.decrease[lane] =
            decrease_by_classes(lanes.judgement, classes.sums, left + lane, kLanes);
}

template <class T>
std::uint32_t divide(const Lanes<T>& lanes, std::size_t lane, std::uint32_t* rows,
                     std::uint32_t* words, std::uint32_t* const* spare) {
    std::uint32_t n_left = 0;
    std::uint32_t n_right = 0;
    for (std::uint32_t i = 0; i < lanes.n; ++i) {
        const bool is_left = lanes.is_marked(i, lane);
        (is_left ? rows[n_left] : spare[0][n_right]) = rows[i];
        (is_left ? words[n_left] : spare[1][n_right]) = words[i];
        n_left += is_left ? 1 : 0;
        n_right += is_left ? 0 : 1;
    }
    std::copy_n(spare[0], n_right, rows + n_left);
    std::copy_n(spare[1], n_right, words + n_left);
    return n_left;
}

template <class T>
constexpr RowLoops<T> kAnywhere = {copy<T>,         pick<T>,          send_names<T>, judge<T>,
                                   find_missing<T>, judge_classes<T>, divide<T>};

}  // namespace

template <class T>
const RowLoops<T>& row_loops_anywhere() {
    return kAnywhere<T>;
}

template <class T>
const RowLoops<T>& row_loops() {
#ifdef TREEWRIGHT_AVX512
    if (has_avx512()) return row_loops_avx512<T>();
#endif
    return kAnywhere<T>;
}

template const RowLoops<float>& row_loops();
template const RowLoops<double>& row_loops();
template const RowLoops<float>& row_loops_anywhere();
template const RowLoops<double>& row_loops_anywhere();

}  // namespace treewright::forest
