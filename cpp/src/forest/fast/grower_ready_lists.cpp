/// The sorted lists of a tree that stands alone, straight from sorting: no orders of columns are
/// kept that another tree could use.
#include "treewright/forest/fast/grower.hpp"

#include <algorithm>
#include <atomic>
#include <numeric>

#include "treewright/criteria/registry.hpp"
#include "treewright/data/side_by_side.hpp"
#include "treewright/forest/fast/kernels/scan.hpp"

namespace treewright::forest {
namespace {

/// Bit of each row's entry that tells the second of two classes.
std::vector<std::uint8_t> positives(const data::Target& target, std::size_t n_rows) {
    std::vector<std::uint8_t> positive(n_rows, 0);
    if (target.is_classification() && target.is_binary())
        for (std::size_t row = 0; row < n_rows; ++row)
            positive[row] = target.classes[row] == 1 ? kPositive : 0;
    return positive;
}

/// Writes a list and zeros behind it; returns whether values tie.
bool write_list(const data::Order& order, const std::vector<std::uint8_t>& positive,
                std::uint32_t* list, Progress& progress) {
    std::uint32_t ties = 0;
    in_blocks(progress, order.entries.size(), [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
            const std::uint32_t row = order.entries[i] >> 1;
            const std::uint32_t tie = order.entries[i] & 1U;
            list[i] = row << kRowAt | 1U << kWeightAt | positive[row] | tie;
            ties |= tie;
        }
    });
    std::fill_n(list + order.entries.size(), kPadding, 0U);
    return ties != 0;
}

/// The list of rows in their own order, where columns are nominal (sorted_lists.hpp).
void write_list_of_rows(const std::vector<std::uint8_t>& positive, std::uint32_t* list) {
    for (std::uint32_t row = 0; row < positive.size(); ++row)
        list[row] = row << kRowAt | 1U << kWeightAt | positive[row];
    std::fill_n(list + positive.size(), kPadding, 0U);
}

/// Two or more; 0: the target is a number.
std::uint32_t n_classes_of(const data::Target& target) {
    return target.is_classification() ? std::max(target.n_classes[0], 2U) : 0;
}

struct ColumnsByScale {
    std::vector<std::uint32_t> ordered;
    std::vector<std::uint32_t> nominal;
};
ColumnsByScale columns_by_scale(const data::Dataset& data,
                                const std::vector<std::uint32_t>& columns) {
    ColumnsByScale made;
    for (const std::uint32_t c : columns)
        (data.columns[c].scale == data::Scale::nominal ? made.nominal : made.ordered).push_back(c);
    return made;
}

}  // namespace

std::unique_ptr<FastData> make_single_data(const data::Dataset& data,
                                           const grow::GrowOptions& options, Team& team) {
    const std::size_t n_columns = data.columns.size();
    const std::size_t stride = data.n_rows + kPadding;
    auto made = std::make_unique<FastData>();
    made->data = &data;
    made->is_shown = true;
    if (criteria::traits_of(options.criterion).is_in_bits) made->bits.emplace(data.n_rows);
    made->gaps = TableGaps(data.n_rows, n_columns);
    made->ready = std::make_shared<ReadyLists>();
    made->ready->has_ties.assign(n_columns + 1, 0);
    made->has_names = grow::has_names(data);
    const auto [ordered, nominal] = columns_by_scale(data, options.columns);
    made->ready->entries.resize((ordered.size() + (made->has_names ? 1 : 0)) * stride + kPadding);
    const std::vector<std::uint8_t> positive = positives(data.target, data.n_rows);
    std::vector<std::uint32_t> rows(data.n_rows);
    std::iota(rows.begin(), rows.end(), 0U);
    const bool serves_gaps = grow::fast_grower_serves_gaps(options);
    std::atomic<bool> is_served{true};
    std::vector<data::OrderScratch> scratch(team.size());
    std::vector<data::SideBySide> copied(team.size());
    constexpr std::size_t kGroup = data::kSideBySide;
    const std::size_t n_slots = ordered.size();
    team.for_each((n_slots + kGroup - 1) / kGroup, [&](std::size_t group, std::size_t thread) {
        const std::size_t end = std::min(n_slots, (group + 1) * kGroup);
        std::vector<data::Column> columns;
        for (std::size_t slot = group * kGroup; slot < end; ++slot)
            columns.push_back(data.columns[ordered[slot]]);
        if (!is_served) return;
        copied[thread].copy(columns, data.n_rows, team.progress());
        for (std::size_t slot = group * kGroup; slot < end && is_served; ++slot) {
            const std::uint32_t c = ordered[slot];
            const data::Column& column = copied[thread].column(slot - group * kGroup);
            const data::Order order = order_of(column, rows, scratch[thread], team.progress());
            if ((order.n_missing > 0 && !serves_gaps) || !fits_double(column, data.n_rows))
                is_served = false;
            for (std::size_t i = data.n_rows - order.n_missing; i < data.n_rows; ++i)
                made->gaps.add(c, order.entries[i] >> 1);
            made->ready->has_ties[c] = write_list(
                order, positive, made->ready->entries.data() + slot * stride, team.progress());
        }
    });
    if (made->has_names) {
        write_list_of_rows(positive, made->ready->entries.data() + n_slots * stride);
        made->coded.resize(n_columns);
        if (const std::uint32_t n = n_classes_of(data.target); n > 0 && ClassBits::serves(n))
            made->classes.emplace(data.target.classes, n);
        team.for_each(nominal.size(), [&](std::size_t i, std::size_t thread) {
            CodedColumn& coded = made->coded[nominal[i]];
            coded = code_few(data.columns[nominal[i]], data.n_rows);
            if (!coded.is_narrow())
                coded =
                    code_sorted(data.columns[nominal[i]], rows, scratch[thread], team.progress());
            if (coded.has_gaps && !serves_gaps) is_served = false;
        });
    }
    made->gaps.finish();
    return is_served ? std::move(made) : nullptr;
}

}  // namespace treewright::forest
