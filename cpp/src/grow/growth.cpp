/// The figures of nodes: their rows, sums, limits, grids.
#include "treewright/grow/growth.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "treewright/base/error.hpp"
#include "treewright/base/random.hpp"
#include "treewright/criteria/registry.hpp"
#include "treewright/criteria/regression_impurity.hpp"
#include "treewright/grow/limits.hpp"
#include "treewright/split/numeric/cal5.hpp"

namespace treewright::grow {
namespace {

/// Rows x columns of a node from which its columns are worth dividing among the threads.
constexpr std::size_t kSharedWork = std::size_t{1} << 18;

/// Rows x columns that make another thread worth starting.
constexpr std::size_t kWorkPerThread = std::size_t{1} << 15;

/// How much more work a cell is with a search for linear combinations (OC1 reads it more than a
/// hundred times; 20,000 x 10 by Gini: 4 s instead of 0.02).
constexpr std::size_t kObliqueWork = 32;

/// Work on that many rows and columns, in cells.
std::size_t work_on(std::size_t n_rows, std::size_t n_columns, const GrowOptions& options) {
    return n_rows * n_columns * (options.oblique.is_on() ? kObliqueWork : 1);
}

}  // namespace

Growth::Growth(const data::Dataset& data, const GrowOptions& options, Progress& progress)
    : data(data),
      options(options),
      progress(progress),
      team(std::min(options.n_threads,
                    1 + work_on(data.n_rows, options.columns.size(), options) / kWorkPerThread),
           progress),
      criterion(criteria::traits_of(options.criterion)),
      gridding(data, criterion.is_deviance),
      reciprocals(options.block.holding == data::Holding::lists ? data.n_rows : 0) {
    for (std::size_t thread = 0; thread < team.size(); ++thread) {
        Workspace& ws = workspaces.emplace_back();
        ws.finder = make_finder(data, options, reciprocals, progress);
        if (options.oblique.is_on()) ws.oblique = make_oblique_finder(data, options);
        ws.is_caller = thread == 0;
    }
}

double Growth::unit_of(const data::Grid& grid) const {
    if (data.target.is_classification()) return 1.0;
    if (criterion.power_of_unit == 1.0) return 1.0 / grid.scale;
    if (criterion.power_of_unit == 2.0) return 1.0 / grid.scale / grid.scale;
    return std::pow(grid.scale, -criterion.power_of_unit);
}

Open Growth::open_root(Fragment& fragment, SortedTable table) {
    Open root;
    root.block = std::move(table.block);
    bins = std::move(table.bins);
    if (std::any_of(table.n_missing.begin(), table.n_missing.end(), [](auto n) { return n > 0; }))
        root.n_missing = std::move(table.n_missing);
    root.end = root.block->n_rows;
    root.key = mix(options.seed, options.tree);
    root.columns = std::make_shared<const std::vector<std::uint32_t>>(options.columns);
    fragment.nodes.emplace_back();
    fragment.leaf_range.emplace_back();
    Workspace& ws = workspaces[0];
    ws.rows.resize(root.end);
    std::iota(ws.rows.begin(), ws.rows.end(), 0U);  // table order
    look_up(root.end);
    if (!data.target.is_classification()) gridding.refine(*root.block, ws.rows, root.grid);
    look_up(root.end);
    root.total.assign(ws.finder->width(), 0.0);
    ws.finder->add(root.total.data(), *root.block, ws.rows);
    root.is_settled = is_settled(*root.block, ws.rows, root.total.data(), *ws.finder);
    note(fragment, 0, *root.block, ws.rows, root.lower, root.upper);
    total_weight =
        options.whole_weight > 0.0 ? options.whole_weight : root.total[criteria::kWeight];
    return root;
}

void Growth::collect_rows(const Open& open, std::vector<std::uint32_t>& rows) const {
    rows.resize(open.size());
    if (open.columns->empty()) {
        require(open.begin == 0 && open.end == open.block->n_rows, "rows without a column");
        std::iota(rows.begin(), rows.end(), 0U);
        return;
    }
    const auto collect = [&]<class Word>() {
        const Word* list = open.block->list<Word>((*open.columns)[0]) + open.begin;
        for (std::uint32_t i = 0; i < open.size(); ++i) rows[i] = data::Entry<Word>::row(list[i]);
    };
    if (open.block->is_narrow()) collect.template operator()<data::Narrow>();
    else collect.template operator()<data::Wide>();
}

bool Growth::is_settled(const data::Block& block, std::span<const std::uint32_t> rows,
                        const double* sums, const Finder& finder) const {
    if (agree(block, rows)) return true;
    if (options.numeric == split::Numeric::cal5 &&
        is_dominated(sums, finder.width(), dominance(options)))
        return true;
    if (options.pure_share < 1.0 && data.target.is_classification()) {
        const double most = *std::max_element(sums + criteria::kStatistics, sums + finder.width());
        if (most >= options.pure_share * sums[criteria::kWeight]) return true;
    }
    return options.min_impurity > 0.0 &&
           impurity_of(block, rows, sums, finder) <= options.min_impurity;
}

double Growth::impurity_of(const data::Block& block, std::span<const std::uint32_t> rows,
                           const double* sums, const Finder& finder) const {
    if (data.target.is_classification()) return finder.impurity_of(sums);
    std::vector<std::uint32_t> table_rows;
    std::vector<double> weights;
    for (const std::uint32_t row : rows) {
        table_rows.push_back(block.table_row[row]);
        weights.push_back(block.weight_of(row));
    }
    return criteria::value_impurity(criterion, data.target, table_rows, weights);
}

bool Growth::agree(const data::Block& block, std::span<const std::uint32_t> rows) const {
    const std::size_t n_outputs = data.target.n_outputs;
    for (std::size_t o = 0; o < n_outputs; ++o)
        for (const std::uint32_t row : rows) {
            const std::size_t at = row * n_outputs + o;
            const std::size_t first = rows[0] * n_outputs + o;
            if (block.raw.empty() ? block.classes[at] != block.classes[first]
                                  : block.raw[at] != block.raw[first])
                return false;
        }
    return true;
}

void Growth::note(Fragment& fragment, std::uint32_t node, const data::Block& block,
                  std::span<const std::uint32_t> rows, double lower, double upper) const {
    fragment.nodes[node].n_rows = static_cast<std::int64_t>(rows.size());
    fragment.nodes[node].lower = lower;
    fragment.nodes[node].upper = upper;
    if (criterion.is_additive) return;  // no median is needed
    const std::size_t n_outputs = data.target.n_outputs;
    fragment.medians.resize(fragment.nodes.size() * n_outputs);
    fragment.deviations.resize(fragment.nodes.size());
    double deviation = 0.0;
    for (std::size_t o = 0; o < n_outputs; ++o) {
        std::vector<std::pair<double, double>> pairs;
        for (const std::uint32_t row : rows)
            pairs.emplace_back(data.target.values[block.table_row[row] * n_outputs + o],
                               block.weight_of(row));
        const criteria::MedianOf middle = criteria::median_of(pairs);
        fragment.medians[node * n_outputs + o] = middle.median;
        deviation += middle.deviation;
    }
    fragment.deviations[node] = deviation / static_cast<double>(n_outputs);
}

bool Growth::within_limits(std::size_t n_rows, std::int64_t depth, const double* sums) const {
    return grow::within_limits(options, n_rows, depth, sums[criteria::kCopies],
                               sums[criteria::kWeight]);
}

bool Growth::may_split(const Open& open) const {
    return !open.is_settled && !open.columns->empty() &&
           within_limits(open.size(), open.depth, open.total.data());
}

void Growth::look_up(std::size_t n_rows) const {
    constexpr std::size_t kManyRows = 1 << 14;  // a pass takes a tenth of a millisecond
    if (n_rows >= kManyRows) progress.check(true);
}

bool Growth::is_shared(const Open& open) const {
    return work_on(open.size(), open.columns->size(), options) > kSharedWork;
}

bool is_shared_work(std::size_t n_rows, std::size_t n_columns) {
    return n_rows * n_columns > kSharedWork;
}

void Growth::record_leaf(std::uint32_t node, const data::Block& block,
                         std::span<const std::uint32_t> rows, Fragment& fragment) {
    const std::size_t begin = fragment.leaf_rows.size();
    for (const std::uint32_t row : rows) {
        fragment.leaf_rows.push_back(block.table_row[row]);
        if (options.missing.divides) fragment.leaf_weights.push_back(block.weight_of(row));
    }
    fragment.leaf_range[node] = {begin, fragment.leaf_rows.size()};
    progress.advance(rows.size());
}

double Growth::on_grid(const data::Grid& grid, double level) {
    return grid.offset.empty() ? level : (level - grid.offset[0]) * grid.scale;
}

double Growth::off_grid(const data::Grid& grid, double level) {
    return grid.offset.empty() ? level : grid.offset[0] + level / grid.scale;
}

NodeContext Growth::context_of(const Open& open) const {
    NodeContext context;
    context.range = {open.block.get(), open.begin, open.end};
    context.any_column = open.columns->empty() ? 0 : (*open.columns)[0];
    context.key = open.key;
    context.lower = on_grid(open.grid, open.lower);
    context.upper = on_grid(open.grid, open.upper);
    context.total = open.total;
    context.grid = &open.grid;
    return context;
}

std::uint32_t Growth::n_missing_of(const Open& open, std::uint32_t column) const {
    return open.n_missing.empty() ? 0 : open.n_missing[column];
}

}  // namespace treewright::grow
