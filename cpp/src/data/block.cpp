#include "treewright/data/block.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "treewright/base/error.hpp"
#include "treewright/data/side_by_side.hpp"

namespace treewright::data {
std::shared_ptr<Block> make_block(const Dataset& data, const BlockOptions& options, Team& team,
                                  std::vector<std::uint32_t>& n_missing, std::vector<Bins>& bins) {
    Progress& progress = team.progress();
    auto block = std::make_shared<Block>();
    block->holding = options.holding;
    const Target& target = data.target;

    block->table_row.reserve(data.n_rows);
    for (std::size_t row = 0; row < data.n_rows; ++row)
        if (data.weight.empty() || data.weight[row] > 0.0)
            block->table_row.push_back(static_cast<std::uint32_t>(row));
    progress.check(true);
    const auto& rows = block->table_row;
    const std::size_t n = rows.size();
    block->n_rows = static_cast<std::uint32_t>(n);
    require(n > 0 && n < Entry<Wide>::kMostRows, "number of rows");

    std::vector<std::uint32_t> local(data.n_rows, 0);
    for (std::size_t i = 0; i < n; ++i) local[rows[i]] = static_cast<std::uint32_t>(i);
    const auto gather = [&](std::span<const double> from, std::vector<double>& to) {
        if (from.empty()) return;
        to.resize(n);
        for (std::size_t i = 0; i < n; ++i) to[i] = from[rows[i]];
    };
    gather(data.weight, block->weight);
    progress.check(true);
    gather(data.copies, block->copies);
    progress.check(true);
    if (target.is_classification()) {
        block->classes.resize(n * target.n_outputs);
        for (std::size_t i = 0; i < n; ++i)
            for (std::size_t o = 0; o < target.n_outputs; ++o)
                block->classes[i * target.n_outputs + o] =
                    static_cast<std::uint32_t>(target.classes[rows[i] * target.n_outputs + o]);
    } else {
        block->raw.resize(n * target.n_outputs);
        for (std::size_t i = 0; i < n; ++i)
            for (std::size_t o = 0; o < target.n_outputs; ++o)
                block->raw[i * target.n_outputs + o] =
                    target.values[rows[i] * target.n_outputs + o];
        progress.check(true);
        block->values.resize(block->raw.size());
    }
    progress.check(true);

    const bool binary = target.is_binary();
    const auto positive = [&](std::uint32_t i) { return binary ? block->classes[i] << 1 : 0U; };
    const std::size_t n_columns = data.columns.size();
    const bool narrow = n <= Entry<Narrow>::kMostRows && !options.wide;
    const std::size_t n_lists = options.holding == Holding::lists ? n_columns : 1;
    if (narrow) block->entries = std::vector<Narrow>(n_lists * n);
    else block->entries = std::vector<Wide>(n_lists * n);
    if (options.holding == Holding::codes) block->codes.resize(n_columns);
    block->slot_of_column.resize(n_columns);
    std::iota(block->slot_of_column.begin(), block->slot_of_column.end(), 0U);
    n_missing.assign(n_columns, 0);
    bins.assign(n_columns, {});

    std::vector<OrderScratch> scratch(team.size());
    std::vector<SideBySide> copied(team.size());
    const std::size_t n_groups = (n_columns + kSideBySide - 1) / kSideBySide;
    team.for_each(n_groups, [&](std::size_t group, std::size_t thread) {
        const std::size_t first = group * kSideBySide;
        const std::size_t last = std::min(first + kSideBySide, n_columns);
        copied[thread].copy(std::span(data.columns).subspan(first, last - first), data.n_rows,
                            progress);
        for (std::size_t column = first; column < last; ++column) {
            progress.check(true);
            Order order =
                order_of(copied[thread].column(column - first), rows, scratch[thread], progress);
            n_missing[column] = static_cast<std::uint32_t>(order.n_missing);
            if (options.n_bins > 0 && data.columns[column].scale == Scale::numeric)
                bins[column] = bin_by_rank(order, data.copies, options.n_bins);
            if (options.holding == Holding::codes) {
                block->codes[column] =
                    codes_of(order, rows, data.n_rows, progress, options.min_code_width);
                continue;
            }
            const auto write = [&](auto* list) {
                using Word = std::remove_pointer_t<decltype(list)>;
                in_blocks(progress, n, [&](std::size_t begin, std::size_t end) {
                    for (std::size_t i = begin; i < end; ++i) {
                        const std::uint32_t row = local[order.entries[i] >> 1];
                        list[i] =
                            static_cast<Word>(row << 2 | positive(row) | (order.entries[i] & 1));
                    }
                });
            };
            if (narrow) write(block->list<Narrow>(column));
            else write(block->list<Wide>(column));
        }
    });
    if (options.holding == Holding::codes) {
        const auto write = [&](auto* list) {
            using Word = std::remove_pointer_t<decltype(list)>;
            for (std::uint32_t i = 0; i < n; ++i) list[i] = static_cast<Word>(i << 2 | positive(i));
        };
        if (narrow) write(block->list<Narrow>(0));
        else write(block->list<Wide>(0));
    }
    return block;
}

}  // namespace treewright::data
