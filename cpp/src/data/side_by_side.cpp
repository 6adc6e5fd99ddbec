#include "treewright/data/side_by_side.hpp"

#include <algorithm>

namespace treewright::data {

void SideBySide::copy(std::span<const Column> columns, std::size_t n_rows, Progress& progress) {
    copies.resize(columns.size());
    for (std::size_t j = 0; j < columns.size(); ++j) {
        Copy& copy = copies[j];
        copy.column = columns[j];
        const std::size_t size = columns[j].type == ValueType::f32 ? 4 : 8;
        if (!columns[j].is_real() || columns[j].stride == static_cast<std::ptrdiff_t>(size))
            continue;
        progress.check(true);
        copy.bytes.resize(size * n_rows);
        copy.column.data = copy.bytes.data();
        copy.column.stride = static_cast<std::ptrdiff_t>(size);
    }
    constexpr std::size_t kRowsAtOnce = 256;
    constexpr std::size_t kRowsPerCheck = 1 << 15;
    for (std::size_t begin = 0; begin < n_rows; begin += kRowsAtOnce) {
        if (begin % kRowsPerCheck == 0) progress.check(true);
        const std::size_t end = std::min(begin + kRowsAtOnce, n_rows);
        for (std::size_t j = 0; j < columns.size(); ++j) {
            if (copies[j].column.data == columns[j].data) continue;
            if (columns[j].type == ValueType::f32) {
                auto* to = reinterpret_cast<float*>(copies[j].bytes.data());
                for (std::size_t row = begin; row < end; ++row) to[row] = columns[j].at<float>(row);
            } else {
                auto* to = reinterpret_cast<double*>(copies[j].bytes.data());
                for (std::size_t row = begin; row < end; ++row)
                    to[row] = columns[j].at<double>(row);
            }
        }
    }
}

}  // namespace treewright::data
