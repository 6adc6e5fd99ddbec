#include "treewright/boosting/coding/bins.hpp"

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "treewright/base/huge_pages.hpp"
#include "treewright/boosting/coding/distinct_values.hpp"
#include "treewright/data/order.hpp"

namespace treewright::boosting {
namespace {

/// Rows that bins are computed from: all of positive weight, or some of them, evenly spread.
std::vector<std::uint32_t> rows_for_bins(const data::Dataset& data,
                                         std::span<const double> weights) {
    const std::size_t n = std::min(data.n_rows, kRowsForBins);
    std::vector<std::uint32_t> rows;
    rows.reserve(n);
    for (std::size_t i = 0; i < n; ++i) {
        const std::size_t row = i * data.n_rows / n;
        if (weights.empty() || weights[row] > 0.0) rows.push_back(static_cast<std::uint32_t>(row));
    }
    return rows;
}

/// The known numbers of a column with the weights of their rows, ascending, equal ones joined.
std::vector<Weighed> distinct_values(const data::Column& column,
                                     std::span<const std::uint32_t> rows,
                                     std::span<const double> weights, data::OrderScratch& scratch,
                                     Progress& progress) {
    const data::Order order = order_of(column, rows, scratch, progress);
    std::vector<Weighed> found;
    for (std::size_t i = 0; i < order.entries.size() - order.n_missing; ++i) {
        const std::uint32_t row = order.entries[i] >> 1;
        const double weight = weights.empty() ? 1.0 : weights[row];
        if (i > 0 && (order.entries[i] & 1) != 0) found.back().weight += weight;
        else found.push_back({column.number(row), weight});
    }
    return found;
}

/// A number from a up to, but not including, b > a, as near to their midpoint as there is.
double midway(double a, double b) {
    if (std::isinf(a) || std::isinf(b)) {
        if (std::isinf(a) && std::isinf(b)) return 0.0;
        return std::isinf(a) ? std::nextafter(b, a) : a;
    }
    const double middle = a / 2.0 + b / 2.0;
    return middle >= a && middle < b ? middle : a;
}

/// Cuts a column's values into bins, and notes which code most of `all` weight has.
[[gnu::noinline]] void make_bins(const std::vector<Weighed>& values, std::size_t max_bins,
                                 double all, CodedColumn& coded) {
    std::vector<double>& cuts = coded.cuts;
    double left = 0.0;
    for (const Weighed& one : values) left += one.weight;
    const double missing = all - left;
    double most = 0.0;
    std::size_t fullest = 0;
    const bool keeps_all = values.size() <= max_bins;
    std::size_t bins_left = max_bins;
    double in_bin = 0.0;
    for (std::size_t i = 0; i + 1 < values.size() && bins_left > 1; ++i) {
        in_bin += values[i].weight;
        // The bin is full if more than half of the next value would exceed its share.
        const double share = left / static_cast<double>(bins_left);
        const bool is_full = in_bin + values[i + 1].weight / 2.0 > share;
        if (!keeps_all && !is_full && values.size() - i - 1 >= bins_left) continue;
        if (in_bin > most) fullest = cuts.size();
        most = std::max(most, in_bin);
        cuts.push_back(midway(values[i].value, values[i + 1].value));
        left -= in_bin;
        in_bin = 0.0;
        --bins_left;
    }
    if (left > most) fullest = cuts.size();
    most = std::max(most, left);
    coded.n_codes = static_cast<std::uint32_t>(cuts.size() + 1);
    coded.fullest = missing > most ? coded.missing() : static_cast<std::uint32_t>(fullest);
    coded.share_of_fullest = std::max(most, missing) / all;
}

}  // namespace

Codebook learn_codebook(const data::Dataset& data, std::size_t max_bins, Team& team) {
    constexpr std::size_t kMostTogether = 16;  // columns that lie in one or two lines of memory
    const std::size_t n_columns = data.columns.size();
    Codebook book;
    book.columns.resize(n_columns);
    const std::span<const double> weights = data.weight;
    const std::vector<std::uint32_t> rows = rows_for_bins(data, weights);
    std::vector<data::OrderScratch> scratch(team.size());
    double all = weights.empty() ? static_cast<double>(rows.size()) : 0.0;
    if (!weights.empty())
        for (const std::uint32_t row : rows) all += weights[row];
    const auto learn = [&](std::size_t c, const std::vector<Weighed>& values) {
        make_bins(values, max_bins, all, book.columns[c]);
    };
    const std::size_t together =
        std::clamp<std::size_t>(n_columns / (2 * team.size()), 1, kMostTogether);
    const std::size_t n_groups = (n_columns + together - 1) / together;
    team.for_each(n_groups, [&](std::size_t group, std::size_t thread) {
        std::vector<std::size_t> alike;
        for (std::size_t c = group * n_columns / n_groups; c < (group + 1) * n_columns / n_groups;
             ++c) {
            const data::Column& column = data.columns[c];
            CodedColumn& coded = book.columns[c];
            coded.is_nominal = column.scale == data::Scale::nominal;
            const bool is_float =
                column.type == data::ValueType::f32 || column.type == data::ValueType::f64;
            if (coded.is_nominal) coded.n_codes = std::min(column.n_codes, kMostCategories);
            else if (weights.empty() && is_float) alike.push_back(c);
            else learn(c, distinct_values(column, rows, weights, scratch[thread], team.progress()));
        }
        for_distinct_floats(data, alike, rows, team.progress(), learn);
    });
    if (data.n_rows >= kRowsForBins) give_back_memory();  // before the codes are allocated
    return book;
}

}  // namespace treewright::boosting
