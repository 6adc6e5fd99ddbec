#include "treewright/data/bins.hpp"

#include <algorithm>

namespace treewright::data {

Bins bin_by_rank(Order& order, std::span<const double> copies, std::uint32_t n_bins) {
    const std::size_t n_known = order.entries.size() - order.n_missing;
    const auto row_at = [&](std::size_t i) { return order.entries[i] >> 1; };
    const auto copies_at = [&](std::size_t i) { return copies.empty() ? 1.0 : copies[row_at(i)]; };
    double all = 0.0;
    for (std::size_t i = 0; i < n_known; ++i) all += copies_at(i);

    Bins bins;
    double below = 0.0;
    double bin = -1.0;
    for (std::size_t begin = 0; begin < n_known;) {
        double count = 0.0;
        std::size_t end = begin;
        do count += copies_at(end++);
        while (end < n_known && (order.entries[end] & 1) != 0);
        // Twice the average rank, so that halves stay whole: both sides of the division are exact.
        const double rank = 2.0 * below + count + 1.0;
        const double next = std::floor(rank * n_bins / (2.0 * (all + 1.0)));
        if (next != bin) {
            bins.first_row.push_back(row_at(begin));
            bins.last_row.push_back(0);
        } else {
            order.entries[begin] |= 1;
        }
        bins.last_row.back() = row_at(end - 1);
        bin = next;
        below += count;
        begin = end;
    }
    return bins;
}

std::size_t bin_of(const Bins& bins, const Column& column, std::uint32_t row) {
    const auto is_below = [&](std::uint32_t last, std::uint32_t of_row) {
        return column.is_real() ? column.real(last) < column.real(of_row)
                                : column.whole(last) < column.whole(of_row);
    };
    const auto at = std::lower_bound(bins.last_row.begin(), bins.last_row.end(), row, is_below);
    return static_cast<std::size_t>(at - bins.last_row.begin());
}

}  // namespace treewright::data
