/// Rounds on some of the rows: which are drawn, their gradients, and the leaves of all rows.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <span>
#include <vector>

#include "check.hpp"
#include "treewright/base/random.hpp"
#include "treewright/boosting/block_gradients.hpp"
#include "treewright/boosting/booster.hpp"
#include "treewright/boosting/coding/bins.hpp"
#include "treewright/boosting/ensemble.hpp"
#include "treewright/boosting/leaves.hpp"
#include "treewright/boosting/row_sampling.hpp"

using namespace treewright;
using namespace treewright::data;
using namespace treewright::tree;
using namespace treewright::boosting;

namespace {

constexpr std::uint64_t kMostKey = std::numeric_limits<std::uint64_t>::max();

KeysOfRows keys_in(const std::vector<std::uint64_t>& all) {
    return [&all](const RowRange& rows, std::size_t, std::uint64_t* keys) {
        for (std::size_t i = 0; i < rows.n; ++i) keys[i] = all[rows[i]];
    };
}

/// By putting all rows in order.
std::vector<std::uint32_t> smallest_by_sorting(const std::vector<std::uint64_t>& keys,
                                               std::size_t n_wanted) {
    std::vector<std::uint32_t> rows(keys.size());
    std::iota(rows.begin(), rows.end(), 0U);
    std::stable_sort(rows.begin(), rows.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return keys[a] < keys[b]; });
    rows.resize(n_wanted);
    std::sort(rows.begin(), rows.end());
    return rows;
}

std::vector<std::uint64_t> some_keys(std::size_t n, bool has_ties) {
    std::vector<std::uint64_t> keys(n);
    Generator draw(n);
    for (std::uint64_t& key : keys) key = has_ties ? draw.below(5) << 60 : draw.next();
    return keys;
}

/// Numbers with missing ones, columns that share a slot, categories of one byte and of two.
struct Mixture {
    static constexpr std::size_t kColumns = 8;
    std::vector<std::vector<double>> numbers;
    std::vector<std::vector<std::int32_t>> codes;
    std::vector<double> y;
    Dataset data;

    explicit Mixture(std::size_t n_rows) : numbers(kColumns), codes(kColumns), y(n_rows) {
        Generator draw(n_rows);
        data.n_rows = n_rows;
        for (std::size_t c = 0; c < kColumns; ++c) {
            const bool is_nominal = c == 2 || c == 3;
            const std::uint32_t n_codes = c == 2 ? 12 : 400;
            for (std::size_t row = 0; row < n_rows; ++row) {
                const bool is_missing = draw.below(12) == 0 && c != 1;
                if (is_nominal) {
                    const auto code = static_cast<std::int32_t>(draw.below(n_codes));
                    codes[c].push_back(is_missing ? kMissingCode : code);
                    y[row] += is_missing ? 1.0 : static_cast<double>(mix(code) % 8) / 4.0;
                    continue;
                }
                // Of columns from the fifth on a row has at most one away from 0, or missing.
                double value = draw.uniform();
                if (c >= 4) value = row % 40 == c ? static_cast<double>(1 + draw.below(3)) : 0.0;
                y[row] += is_missing ? -1.0 : value;
                if (is_missing && (c < 4 || row % 40 == c))
                    value = std::numeric_limits<double>::quiet_NaN();
                numbers[c].push_back(value);
            }
            Column column;
            column.data = is_nominal ? reinterpret_cast<const std::byte*>(codes[c].data())
                                     : reinterpret_cast<const std::byte*>(numbers[c].data());
            column.stride = is_nominal ? sizeof(std::int32_t) : sizeof(double);
            if (is_nominal) {
                column.type = ValueType::code;
                column.scale = Scale::nominal;
                column.n_codes = n_codes;
            }
            data.columns.push_back(column);
        }
        data.target.values = y;
    }
};

/// A tree that divides leaves drawn at random, by cuts and sets of codes drawn at random.
std::vector<NodeDivision> random_divisions(const CodedTable& table, std::size_t n,
                                           Generator& draw) {
    std::vector<NodeDivision> made;
    std::vector<std::uint32_t> leaves = {0};
    for (std::size_t i = 0; i < n; ++i) {
        NodeDivision own;
        const std::size_t chosen = draw.below(leaves.size());
        own.node = leaves[chosen];
        own.first_child = static_cast<std::uint32_t>(2 * i + 1);
        own.slot = static_cast<std::uint32_t>(draw.below(table.slots.size()));
        const std::uint32_t n_codes = table.slots[own.slot].n_codes;
        const std::uint64_t shape = draw.below(4);
        const std::uint64_t cut = draw.below(n_codes - 1);
        const std::uint64_t last = cut + draw.below(n_codes - cut);
        own.ways.reset(n_codes);
        for (std::uint32_t code = 0; code < n_codes; ++code) {
            const bool is_inside = code > cut && (shape == 0 || code <= last);
            own.ways.set(code, shape < 2    ? is_inside
                               : shape == 2 ? !is_inside
                                            : draw.below(2) == 0);
        }
        leaves[chosen] = own.first_child;
        leaves.push_back(own.first_child + 1);
        made.push_back(std::move(own));
    }
    return made;
}

}  // namespace

CASE(the_rows_of_the_smallest_keys_are_those_that_sorting_finds) {
    for (const std::size_t n : {1UL, 64UL, 777UL, 30000UL})
        for (const bool has_ties : {false, true}) {
            const std::vector<std::uint64_t> keys = some_keys(n, has_ties);
            for (const double share : {0.0, 0.01, 0.5, 0.9, 1.0}) {
                const auto n_wanted = static_cast<std::size_t>(share * static_cast<double>(n));
                const auto expected = smallest_by_sorting(keys, n_wanted);
                // Guesses that hold, and those that are too low, too high or empty.
                for (const KeyRange& guess :
                     {KeyRange{}, guess_from_some(n, n_wanted, keys_in(keys)), KeyRange{0, 0},
                      KeyRange{kMostKey, kMostKey}, KeyRange{std::uint64_t{1} << 63}})
                    for (const std::size_t n_threads : {1, 3}) {
                        Team team(n_threads, unstopped);
                        const RowSet found = smallest_rows(n, n_wanted, keys_in(keys), guess, team);
                        CHECK(found.list(team) == expected);
                    }
            }
        }
}

CASE(guesses_hold_and_leave_few_rows_to_compare) {
    constexpr std::size_t kRows = 200000;
    const std::vector<std::uint64_t> keys = some_keys(kRows, false);
    std::vector<std::uint64_t> sorted = keys;
    std::sort(sorted.begin(), sorted.end());
    for (const std::size_t n_wanted : {20UL, 20000UL, 100000UL, 199990UL}) {
        const std::uint64_t border = sorted[n_wanted - 1];
        const KeyRange range = guess_from_some(kRows, n_wanted, keys_in(keys));
        CHECK(range.low <= border && border <= range.high);
        const auto inside = std::upper_bound(sorted.begin(), sorted.end(), range.high) -
                            std::lower_bound(sorted.begin(), sorted.end(), range.low);
        CHECK(inside < 20000);
    }
}

CASE(rows_of_the_same_content_are_drawn_together_wherever_they_stand) {
    constexpr std::size_t kRows = 20000;
    std::vector<std::uint32_t> content(kRows);
    for (std::size_t row = 0; row < kRows; ++row)
        content[row] = static_cast<std::uint32_t>(mix(row % 7919) >> 32);
    const std::vector<std::uint32_t> turned(content.rbegin(), content.rend());
    RowSet without(kRows);
    for (std::size_t row = 0; row < kRows; row += 3) without.add(row);
    for (const double share : {0.02, 0.3, 0.97})
        for (std::uint64_t key = 0; key < 4; ++key) {
            Team team(1, unstopped);
            Team three(3, unstopped);
            const RowSet drawn = draw_contents(content, share, key, {}, team);
            CHECK(draw_contents(content, share, key, {}, three).words == drawn.words);
            const RowSet other = draw_contents(turned, share, key, {}, team);
            const RowSet less = draw_contents(content, share, key, without, team);
            for (std::size_t row = 0; row < kRows; ++row) {
                CHECK(drawn.has(row) == drawn.has(row % 7919));
                CHECK(other.has(kRows - 1 - row) == drawn.has(row));
                CHECK(less.has(row) == (drawn.has(row) && row % 3 != 0));
            }
            const double found = static_cast<double>(drawn.size()) / kRows;
            CHECK(std::abs(found - share) < 5.0 * std::sqrt(share * (1.0 - share) / 7919.0));
        }
    Team team(1, unstopped);
    CHECK(draw_contents(content, 1.0, 3, {}, team).size() == kRows);
}

CASE(falling_keys_fall) {
    const double infinity = std::numeric_limits<double>::infinity();
    const double rising[] = {-infinity, -2.0, -1e-310, 0.0, 1e-310, 1.0, 1.5, infinity};
    for (std::size_t i = 1; i < std::size(rising); ++i)
        CHECK(falling_key(rising[i]) < falling_key(rising[i - 1]));
    CHECK(falling_key(-0.0) == falling_key(0.0));
}

CASE(listed_rows_have_the_gradients_they_have_among_all) {
    constexpr std::size_t kRows = 1500;
    Generator draw(4);
    std::vector<double> y(kRows);
    std::vector<double> scores(3 * kRows);
    for (double& one : y) one = static_cast<double>(draw.below(3));
    for (double& one : scores) one = 4.0 * draw.uniform() - 2.0;
    std::vector<std::uint32_t> listed;
    for (std::uint32_t row = 0; row < kRows; ++row)
        if (draw.below(3) == 0) listed.push_back(row);
    for (const std::string_view name :
         {"squared_error", "poisson", "log_loss", "multinomial", "given"}) {
        GradientInput input;
        input.objective = objective_named(name, 0.0);
        input.n_outputs = input.objective.source == GradientSource::loss ? 1 : 3;
        input.y = y;
        input.scores = std::span(scores).first(input.n_outputs * kRows);
        input.given_gradient = input.given_hessian = input.scores;
        BlockGradients all(input.n_outputs, input.y.size());
        BlockGradients some(input.n_outputs, input.y.size());
        all.fill(input, {nullptr, 0, kRows});
        some.fill(input, {listed.data(), 0, listed.size()});
        for (std::size_t k = 0; k < input.n_outputs; ++k)
            for (std::size_t i = 0; i < listed.size(); ++i) {
                CHECK(some.gradient_of(k)[i] == all.gradient_of(k)[listed[i]]);
                CHECK(some.hessian_of(k)[i] == all.hessian_of(k)[listed[i]]);
            }
    }
}

CASE(leaves_found_together_are_those_that_rows_walk_to) {
    const Mixture made(5000);
    Team one(1, unstopped);
    Team three(3, unstopped);
    const Codebook book = learn_codebook(made.data, 255, one);
    const CodedTable table(made.data, book, 0, one);
    CHECK(std::ranges::any_of(table.slots, [](const Slot& slot) { return slot.is_wide; }));
    CHECK(std::ranges::any_of(table.slots,
                              [](const Slot& slot) { return slot.digits[0].columns.size() > 1; }));
    Generator draw(6);
    for (const std::size_t n : {0UL, 1UL, 30UL, 255UL, 256UL, 700UL}) {
        const std::vector<NodeDivision> divisions = random_divisions(table, n, draw);
        std::vector<std::uint32_t> expected(made.data.n_rows);
        for (const NodeDivision& own : divisions)
            for (std::size_t row = 0; row < expected.size(); ++row)
                if (expected[row] == own.node)
                    expected[row] =
                        own.first_child +
                        (own.ways.goes_second(table.code(table.slots[own.slot], row)) ? 1U : 0U);
        for (Team* team : {&one, &three}) {
            std::vector<std::uint32_t> found(made.data.n_rows, 9999);
            find_leaves(table, divisions, found, *team);
            CHECK(found == expected);
        }
    }
}

CASE(rows_outside_the_sample_get_the_scores_that_the_model_gives) {
    const Mixture made(6000);
    Progress progress(nullptr);
    for (const RoundSample& sample :
         {RoundSample{0.3, 0.0, 0}, RoundSample{0.9, 0.0, 0}, RoundSample{0.1, 0.2, 0}})
        for (const std::size_t max_leaves : {20UL, 0UL}) {
            Team team(2, unstopped);
            BoostGrowth growth;
            growth.max_leaves = max_leaves;
            growth.limits.min_leaf = 2;
            Booster booster(made.data, learn_codebook(made.data, 64, team), Objective{}, sample, 1,
                            std::vector<double>(6000), team);
            for (std::uint64_t round = 0; round < 4; ++round)
                booster.round(growth, 0.3, round, team, progress);
            const double share = sample.share + sample.top_share;
            const double off = std::abs(booster.trees[0].nodes[0].n_rows - share * 6000);
            CHECK(off < 5.0 * std::sqrt(share * (1.0 - share) * 6000));
            const BoostForest forest(booster.codebook(), booster.trees, 1);
            const Rows rows{6000, made.data.columns};
            std::vector<double> scores(6000);
            forest.add_scores(rows, 0, forest.trees.size(), 1, progress, scores);
            CHECK(scores == booster.scores);
            CHECK(std::ranges::any_of(booster.trees,
                                      [](const BoostTree& tree) { return !tree.subsets.empty(); }));
            CHECK(max_leaves != 0 || booster.trees[0].nodes.size() > 2 * 256);
        }
}
