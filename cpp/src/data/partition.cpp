#include "treewright/data/partition.hpp"

#include <algorithm>

namespace treewright::data {
namespace {

constexpr std::uint32_t kAbsent = ~0U;

template <class From, class To>
void copy_list(const From* from, std::uint32_t begin, std::uint32_t end,
               const std::vector<std::uint32_t>& new_row, To* to) {
    std::uint32_t run = 0;
    std::uint32_t last = ~0U;
    for (std::uint32_t i = begin; i < end; ++i) {
        const From entry = from[i];
        run += (entry & 1) ^ 1;
        const std::uint32_t row = new_row[Entry<From>::row(entry)];
        if (row == kAbsent) continue;
        *to++ = static_cast<To>(row << 2 | (entry & Entry<From>::kPositive) |
                                static_cast<std::uint32_t>(last == run));
        last = run;
    }
}

}  // namespace

std::shared_ptr<Block> extract(const Block& from, std::uint32_t begin, std::uint32_t end,
                               const std::vector<std::uint32_t>& columns,
                               const std::vector<std::uint32_t>& rows,
                               const std::vector<double>& shares, std::size_t n_outputs, bool wide,
                               std::vector<std::uint32_t>& new_row) {
    auto block = std::make_shared<Block>();
    const std::size_t n = rows.size();
    block->holding = from.holding;
    block->n_rows = static_cast<std::uint32_t>(n);
    block->table_row.resize(n);
    for (std::size_t i = 0; i < n; ++i) block->table_row[i] = from.table_row[rows[i]];
    const auto gather = [&](const auto& source, auto& to, std::size_t per_row) {
        if (source.empty()) return;
        to.resize(n * per_row);
        for (std::size_t i = 0; i < n; ++i)
            for (std::size_t o = 0; o < per_row; ++o)
                to[i * per_row + o] = source[rows[i] * per_row + o];
    };
    gather(from.classes, block->classes, n_outputs);
    gather(from.raw, block->raw, n_outputs);
    gather(from.values, block->values, n_outputs);
    if (shares.empty()) {
        gather(from.weight, block->weight, 1);
        gather(from.copies, block->copies, 1);
    } else {
        block->weight.resize(n);
        block->copies.resize(n);
        for (std::size_t i = 0; i < n; ++i) {
            block->weight[i] = from.weight_of(rows[i]) * shares[i];
            block->copies[i] = from.copies_of(rows[i]) * shares[i];
        }
    }
    if (new_row.size() < from.n_rows) new_row.resize(from.n_rows);
    const auto number = [&](auto* list) {  // rows of the node that are left out stay unnumbered
        using Word = std::remove_const_t<std::remove_pointer_t<decltype(list)>>;
        for (std::uint32_t i = begin; i < end; ++i) new_row[Entry<Word>::row(list[i])] = kAbsent;
    };
    if (from.is_narrow()) number(from.list<Narrow>(columns[0]));
    else number(from.list<Wide>(columns[0]));
    for (std::size_t i = 0; i < n; ++i) new_row[rows[i]] = static_cast<std::uint32_t>(i);

    const std::size_t n_lists = block->holding == Holding::lists ? columns.size() : 1;
    const bool narrow = n <= Entry<Narrow>::kMostRows && !wide;
    if (narrow) block->entries = std::vector<Narrow>(n_lists * n);
    else block->entries = std::vector<Wide>(n_lists * n);
    block->slot_of_column.assign(from.slot_of_column.size(), 0);
    for (std::size_t slot = 0; slot < columns.size(); ++slot)
        block->slot_of_column[columns[slot]] = static_cast<std::uint32_t>(slot);
    for (std::size_t slot = 0; slot < n_lists; ++slot) {
        const std::uint32_t column = columns[slot];
        const auto to = [&](auto* list) {
            if (from.is_narrow()) copy_list(from.list<Narrow>(column), begin, end, new_row, list);
            else copy_list(from.list<Wide>(column), begin, end, new_row, list);
        };
        if (narrow) to(block->list<Narrow>(column));
        else to(block->list<Wide>(column));
    }
    if (block->holding == Holding::codes) {
        block->codes.resize(from.codes.size());
        for (const std::uint32_t column : columns) {
            block->codes[column].first_row = from.codes[column].first_row;
            std::visit(
                [&](const auto& source) {
                    std::decay_t<decltype(source)> of_row(n);
                    for (std::size_t i = 0; i < n; ++i) of_row[i] = source[rows[i]];
                    block->codes[column].of_row = std::move(of_row);
                },
                from.codes[column].of_row);
        }
    }
    return block;
}

}  // namespace treewright::data
