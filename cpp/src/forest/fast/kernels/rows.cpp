/// The loops for any processor, and the choice between them and those of rows_avx512.cpp.
#include "treewright/forest/fast/kernels/rows.hpp"

#include <algorithm>
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
void look_at_lane(const CellTable<T>& table, Lanes<T>& lanes, std::size_t lane) {
    const auto cell = [&](std::uint32_t i) { return table.row(lanes.rows[i])[lanes.slot[lane]]; };
    T low = std::numeric_limits<T>::infinity();
    T high = -low;
    for (std::uint32_t i = 0; i < lanes.n; ++i) {
        low = cell(i) < low ? cell(i) : low;
        high = cell(i) > high ? cell(i) : high;
    }
    if (low < high) lanes.varies |= static_cast<std::uint8_t>(1U << lane);
    const DrawnCut<T> cut(lanes.key, lanes.column[lane], low, high);
    lanes.at[lane] = cut.at;
    std::uint32_t count = 0;
    double value = 0.0;
    for (std::uint32_t i = 0; i < lanes.n; ++i) {
        if (!(cell(i) <= cut.bound)) continue;
        lanes.mark(i, lane);
        count += lanes.words[i];
        if (table.values != nullptr) value += table.values[lanes.rows[i]];
    }
    const bool is_pair = table.values == nullptr;
    lanes.weight[lane] = is_pair ? count & RowWords::kPairMask : count;
    lanes.sum[lane] = is_pair ? count >> RowWords::kPairShift : value;
    lanes.decrease[lane] = lanes.judgement.decrease(lanes.weight[lane], lanes.sum[lane]);
}

template <class T>
void look(const CellTable<T>& table, std::span<Lanes<T>> nodes) {
    for (Lanes<T>& lanes : nodes) {
        lanes.varies = 0;
        lanes.winner = kLanes;
        std::fill_n(lanes.marks, lanes.n, std::uint8_t{0});
        for (std::size_t lane = 0; lane < lanes.width; ++lane) look_at_lane(table, lanes, lane);
    }
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
constexpr RowLoops<T> kAnywhere = {copy<T>, look<T>, divide<T>};

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
