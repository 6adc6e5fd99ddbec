#include <algorithm>
#include <numeric>

#include "check.hpp"
#include "made_data.hpp"
#include "treewright/data/order.hpp"
#include "treewright/data/target_grid.hpp"

using namespace treewright;
using namespace treewright::data;

namespace {

template <class T>
Column view_of(const std::vector<T>& values, ValueType type) {
    Column column;
    column.data = reinterpret_cast<const std::byte*>(values.data());
    column.stride = sizeof(T);
    column.type = type;
    return column;
}

/// Compares with a stable sort by value.
template <class T>
void check_order(const std::vector<T>& values, ValueType type) {
    std::vector<std::uint32_t> rows(values.size());
    std::iota(rows.begin(), rows.end(), 0U);
    const Column column = view_of(values, type);
    OrderScratch scratch;
    const Order order = order_of(column, rows, scratch, unstopped);
    std::vector<std::uint32_t> known;
    for (const std::uint32_t row : rows)
        if (!column.is_missing(row)) known.push_back(row);
    std::stable_sort(known.begin(), known.end(),
                     [&](auto a, auto b) { return values[a] < values[b]; });
    CHECK(order.entries.size() == values.size());
    CHECK(order.n_missing == values.size() - known.size());
    for (std::size_t i = 0; i < known.size(); ++i) {
        CHECK(order.entries[i] >> 1 == known[i]);
        const bool tie = i > 0 && values[known[i]] == values[known[i - 1]];
        CHECK((order.entries[i] & 1) == static_cast<std::uint32_t>(tie));
    }
    for (const std::size_t width : {1, 2, 4}) {
        const Codes codes = codes_of(order, rows, values.size(), unstopped, width);
        std::visit(
            [&](const auto& of_row) {
                for (std::size_t i = 0; i < known.size(); ++i)
                    CHECK(values[(*codes.first_row)[of_row[known[i]]]] == values[known[i]]);
                for (std::size_t i = 1; i < known.size(); ++i)
                    CHECK((of_row[known[i]] == of_row[known[i - 1]]) ==
                          (values[known[i]] == values[known[i - 1]]));
            },
            codes.of_row);
    }
}

}  // namespace

CASE(radix_sort_equals_stable_sort) {
    Generator random(11);
    for (const std::size_t n : {1, 2, 63, 64, 1000, 5000}) {
        std::vector<float> floats(n);
        std::vector<double> doubles(n);
        std::vector<std::int64_t> wholes(n);
        std::vector<std::int32_t> codes(n);
        for (std::size_t i = 0; i < n; ++i) {
            floats[i] = static_cast<float>((random.uniform() - 0.5) * 1e3);
            doubles[i] =
                std::ldexp(random.uniform() - 0.5, static_cast<int>(random.below(600)) - 300);
            wholes[i] = static_cast<std::int64_t>(random.next());
            codes[i] = static_cast<std::int32_t>(random.below(40)) - 1;
            if (random.below(10) == 0) floats[i] = doubles[i] = std::nan("");
        }
        check_order(floats, ValueType::f32);
        check_order(doubles, ValueType::f64);
        check_order(wholes, ValueType::i64);
        check_order(codes, ValueType::code);
    }
}

CASE(ties_and_values_that_differ_in_their_last_bits_are_ordered) {
    Generator random(12);
    for (const std::size_t n : {100, 5000}) {
        std::vector<double> binary(n);  // trailing bits that all values share
        std::vector<double> few(n);     // whole runs of one value with all bits in use
        std::vector<double> close(n);   // a long run that agrees in the leading bits
        std::vector<double> spiked(n);  // half of them zero
        for (std::size_t i = 0; i < n; ++i) {
            binary[i] = static_cast<double>(random.below(2));
            few[i] = 0.1 * static_cast<double>(random.below(7)) - 0.3;
            const auto step = static_cast<double>(random.below(900));
            close[i] = random.below(8) == 0 ? -1e300 * random.uniform() : 1.0 + step * 0x1p-52;
            spiked[i] = random.below(2) == 0 ? 0.0 : random.uniform() - 0.5;
            if (random.below(20) == 0) few[i] = close[i] = std::nan("");
        }
        for (const auto& values : {binary, few, close, spiked}) check_order(values, ValueType::f64);
    }
}

CASE(few_values_of_many_bits_are_ordered_as_many_are) {
    Generator random(13);
    for (const std::size_t n : {255, 256, 5000, 70000})
        for (const std::size_t n_values : {1, 2, 130, 500, 1023, 1024, 1025}) {
            std::vector<double> spread(n);
            std::vector<double> late(n);  // most values come after the first rows
            std::vector<std::int64_t> wholes(n);
            for (std::size_t i = 0; i < n; ++i) {
                const std::size_t value = random.below(n_values);
                spread[i] = 0.1 * static_cast<double>(value) - 20.0;
                late[i] = i < n / 2 ? -0.0 : 0.7 * static_cast<double>(value);
                wholes[i] = static_cast<std::int64_t>(value * 0x123456789abcULL);
                if (random.below(20) == 0) spread[i] = late[i] = std::nan("");
            }
            check_order(spread, ValueType::f64);
            check_order(late, ValueType::f64);
            check_order(wholes, ValueType::i64);
        }
}

CASE(extremes_are_ordered) {
    const double infinity = std::numeric_limits<double>::infinity();
    const double tiny = std::numeric_limits<double>::denorm_min();
    check_order<double>({infinity, -0.0, 0.0, -infinity, tiny, -tiny, 1.7e308, -1.7e308, infinity},
                        ValueType::f64);
    check_order<std::int64_t>({(1LL << 53) + 1, 1LL << 53, (1LL << 53) + 2, -5, 7}, ValueType::i64);
}

namespace {

/// The targets of all rows on a grid of their own.
struct Laid {
    std::shared_ptr<Block> block;
    Grid grid;
};

Laid lay(const MadeData& made) {
    Team team(1, unstopped);
    std::vector<std::uint32_t> n_missing;
    std::vector<Bins> bins;
    Laid laid{make_block(made.data, {}, team, n_missing, bins), {}};
    std::vector<std::uint32_t> rows(laid.block->n_rows);
    std::iota(rows.begin(), rows.end(), 0U);
    CHECK(Gridding(made.data, false).refine(*laid.block, rows, laid.grid));
    CHECK(!Gridding(made.data, false).refine(*laid.block, rows, laid.grid));
    return laid;
}

}  // namespace

CASE(grid_sums_are_exact_in_any_order) {
    auto made = make_data({.n_rows = 5000, .n_classes = 0}, 2);
    Generator random(4);
    for (double& y : made->values) y = (random.uniform() - 0.3) * 1e9;
    const Laid laid = lay(*made);
    const auto& values = laid.block->values;
    const double bound = 1e9 * 5000 * 0x1p-50;  // range x weight x 2^-50
    double forward = 0.0, backward = 0.0;
    for (std::size_t i = 0; i < values.size(); ++i) {
        forward += values[i];
        backward += values[values.size() - 1 - i];
        CHECK_NEAR(laid.grid.offset[0] + values[i] / laid.grid.scale, made->values[i], bound);
    }
    CHECK(forward == backward);
    CHECK(std::abs(forward) < 0x1p52);
}

CASE(whole_number_targets_are_not_rounded) {
    auto made = make_data({.n_rows = 5000, .n_classes = 0}, 2);
    Generator random(4);
    for (double& y : made->values) y = std::floor(random.uniform() * 1e6);
    const Laid laid = lay(*made);
    for (std::size_t i = 0; i < made->values.size(); ++i)
        CHECK(laid.grid.offset[0] + laid.block->values[i] / laid.grid.scale == made->values[i]);
}

CASE(weights_of_any_size_leave_the_grid_fine) {
    auto made = make_data({.n_rows = 500, .n_classes = 0}, 2);
    const double scale = lay(*made).grid.scale;
    for (const double weight : {1.0, 0x1p-40, 0x1p40, 3.0}) {
        made->weight.assign(500, weight);
        made->data.weight = made->weight;
        CHECK(lay(*made).grid.scale >= scale / 4.0);
    }
    made->weight[7] = 0.0;
    made->values[7] = 1e300;  // a row that does not count
    CHECK(lay(*made).grid.scale >= scale / 4.0);
}
