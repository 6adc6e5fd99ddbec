#include <algorithm>
#include <cmath>
#include <numeric>

#include "check.hpp"
#include "treewright/base/random.hpp"
#include "treewright/forest/fast/kernels/scan.hpp"

using namespace treewright;
using namespace treewright::forest;

namespace {

/// A list of all rows of a tree, as several nodes hold parts of it.
struct MadeList {
    std::vector<std::uint32_t> entries;  ///< with padding
    std::vector<double> values;          ///< weight x target by row: whole numbers
    std::uint32_t n = 0;
};

MadeList make_list(std::uint32_t n, double ties, std::uint32_t most_weight, Generator& random) {
    MadeList made;
    made.n = n;
    std::vector<std::uint32_t> rows(n);
    std::iota(rows.begin(), rows.end(), 0U);
    for (std::uint32_t i = n; i > 1; --i) std::swap(rows[i - 1], rows[random.below(i)]);
    made.values.resize(n);
    for (const std::uint32_t row : rows) {
        const auto weight = 1 + static_cast<std::uint32_t>(random.below(most_weight));
        made.values[row] = weight * (static_cast<double>(random.below(1U << 20)) - 400'000.0);
        const std::uint32_t positive = random.below(2) == 0 ? kPositive : 0;
        const std::uint32_t tie = random.uniform() < ties ? kSameValueBit : 0;
        made.entries.push_back(row << kRowAt | weight << kWeightAt | positive | tie);
    }
    made.entries.resize(n + kPadding, 0U);
    return made;
}

bool any_tie(const std::uint32_t* list, std::uint32_t n) {
    return std::any_of(list, list + n,
                       [](std::uint32_t entry) { return (entry & kSameValueBit) != 0; });
}

bool same(const FastPlace& a, const FastPlace& b) {
    return a.position == b.position && a.weight == b.weight && a.sum == b.sum;
}

/// Calls work(list, begin, n, random) for lists of many kinds, and for parts inside them.
template <class Work>
void for_each_part(Work&& work) {
    Generator random(17);
    for (std::uint32_t n = 2; n <= 200; n += n < 40 ? 1 : 7)
        for (const double ties : {0.0, 0.3, 0.95})
            for (const std::uint32_t most_weight : {1U, 4U, kMostWeight}) {
                const MadeList made = make_list(n, ties, most_weight, random);
                work(made, 0U, n, random);
                const auto begin = static_cast<std::uint32_t>(random.below(n - 1));
                work(made, begin, 2 + static_cast<std::uint32_t>(random.below(n - begin - 1)),
                     random);
            }
}

}  // namespace

CASE(wide_loops_find_the_cuts_that_the_portable_ones_find) {
    const FastLoops& wide = fast_loops();
    const FastLoops& anywhere = portable_loops();
    for_each_part(
        [&](const MadeList& made, std::uint32_t begin, std::uint32_t n, Generator& random) {
            FastList list{made.entries.data() + begin, n, 1, 0, 0.0};
            double positives = 0.0;
            double total = 0.0;
            for (std::uint32_t i = 0; i < n; ++i) {
                const std::uint32_t entry = list.entries[i];
                list.weight += weight_of(entry);
                if ((entry & kPositive) != 0) positives += weight_of(entry);
                total += made.values[row_of(entry)];
            }
            for (const std::uint32_t least : {1U, 3U, list.weight / 2, list.weight / 2 + 1}) {
                list.least = std::max(1U, least);
                list.sum = positives;
                const double best = anywhere.best_two(list, 0.0);
                for (const double floor : {0.0, 0.9 * best, best, 2.0 * best})
                    if (floor >= 0.0)
                        CHECK(wide.best_two(list, floor) == anywhere.best_two(list, floor));
                list.sum = total;
                const double best_value = anywhere.best_values(list, made.values.data(), 0.0);
                for (const double floor : {0.0, 0.9 * best_value, best_value, 2.0 * best_value}) {
                    if (floor < 0.0) continue;
                    const double told = anywhere.best_values(list, made.values.data(), floor);
                    CHECK(wide.best_values(list, made.values.data(), floor) == told);
                    CHECK(told ==
                          (best_value == kNoPlainCut ? best_value : std::max(best_value, floor)));
                }
                for (const double share : {1.0, 0.5, random.uniform()}) {
                    list.sum = positives;
                    if (best != kNoPlainCut)
                        CHECK(same(wide.locate_two(list, share * best),
                                   anywhere.locate_two(list, share * best)));
                    list.sum = total;
                    if (best_value == kNoPlainCut) continue;
                    const FastPlace place =
                        anywhere.locate_values(list, made.values.data(), share * best_value);
                    CHECK(same(wide.locate_values(list, made.values.data(), share * best_value),
                               place));
                    CHECK(place.position > 0 && place.position < n);
                    CHECK((list.entries[place.position] & kSameValueBit) == 0);
                    CHECK(place.weight >= list.least && list.weight - place.weight >= list.least);
                }
            }
        });
}

CASE(wide_loops_find_the_best_scores_that_the_portable_ones_find) {
    const FastLoops& wide = fast_loops();
    const FastLoops& anywhere = portable_loops();
    for_each_part([&](const MadeList& made, std::uint32_t begin, std::uint32_t n,
                      Generator& random) {
        FastList list{made.entries.data() + begin, n, 1, 0, 0.0};
        std::vector<double> left(n + kPadding);
        std::vector<double> right(n + kPadding);
        std::vector<double> weight(n + kPadding);
        for (std::uint32_t i = 0; i < n; ++i) {
            list.weight += weight_of(list.entries[i]);
            weight[i] = list.weight;
            left[i] = static_cast<double>(random.below(1000));
            right[i] = static_cast<double>(random.below(1000));
        }
        for (const std::uint32_t least : {1U, 4U, list.weight / 2, list.weight / 2 + 1}) {
            list.least = std::max(1U, least);
            const double best =
                anywhere.best_scores(list, left.data(), right.data(), weight.data());
            CHECK(wide.best_scores(list, left.data(), right.data(), weight.data()) == best);
            if (best == kNoPlainCut) continue;
            for (const double enough : {best, 0.7 * best})
                CHECK(
                    wide.locate_scores(list, left.data(), right.data(), weight.data(), enough) ==
                    anywhere.locate_scores(list, left.data(), right.data(), weight.data(), enough));
        }
    });
}

CASE(wide_loops_divide_lists_as_the_portable_ones_do_and_touch_nothing_else) {
    constexpr std::uint32_t kUntouched = 0xdeadbeef;
    const FastLoops* both[2] = {&fast_loops(), &portable_loops()};
    for_each_part(
        [&](const MadeList& made, std::uint32_t begin, std::uint32_t n, Generator& random) {
            std::vector<std::uint8_t> side(made.n + 3);
            for (std::uint32_t i = 0; i < n; ++i)
                side[row_of(made.entries[begin + i])] = static_cast<std::uint8_t>(random.below(2));
            std::uint32_t n_left = 0;
            for (std::uint32_t i = 0; i < n; ++i)
                n_left += side[row_of(made.entries[begin + i])] == 0 ? 1U : 0U;
            const auto is_intact = [&](const std::vector<std::uint32_t>& list) {
                return std::equal(list.begin(), list.begin() + begin, made.entries.begin()) &&
                       std::equal(list.begin() + begin + n, list.end(),
                                  made.entries.begin() + begin + n);
            };
            std::vector<std::uint32_t> lists[2] = {made.entries, made.entries};
            std::vector<std::uint32_t> others[2];
            std::vector<std::uint32_t> kept[2] = {made.entries, made.entries};
            for (int i = 0; i < 2; ++i) {
                others[i].assign(made.n + kPadding, kUntouched);
                const unsigned tied =
                    both[i]->divide(lists[i].data() + begin, n, side.data(), others[i].data());
                CHECK(tied == (any_tie(lists[i].data() + begin, n_left) ? 1U : 0U) +
                                  (any_tie(others[i].data(), n - n_left) ? 2U : 0U));
                both[i]->keep(kept[i].data() + begin, n, side.data(), 1);
                CHECK(is_intact(lists[i]));
                CHECK(is_intact(kept[i]));
                // Those that are kept are those that are divided off.
                CHECK(std::equal(others[i].begin(), others[i].begin() + (n - n_left),
                                 kept[i].begin() + begin));
            }
            CHECK(std::equal(lists[0].begin() + begin, lists[0].begin() + begin + n_left,
                             lists[1].begin() + begin));
            CHECK(others[0] == others[1]);
            CHECK(std::count(others[0].begin(), others[0].end(), kUntouched) ==
                  static_cast<std::ptrdiff_t>(made.n + kPadding - (n - n_left)));
        });
}

CASE(wide_loops_fill_and_rename_lists_as_the_portable_ones_do) {
    const FastLoops& wide = fast_loops();
    const FastLoops& anywhere = portable_loops();
    for_each_part([&](const MadeList& made, std::uint32_t, std::uint32_t, Generator& random) {
        std::vector<std::uint32_t> order;
        std::vector<std::uint32_t> words(made.n, 0U);
        std::uint32_t n_drawn = 0;
        for (std::uint32_t i = 0; i < made.n; ++i) {
            const std::uint32_t row = row_of(made.entries[i]);
            order.push_back(row << 1 | (i > 0 ? made.entries[i] & kSameValueBit : 0U));
            if (random.uniform() < 0.6) {
                words[row] = made.entries[i] & ~kSameValueBit;
                ++n_drawn;
            }
        }
        std::vector<std::uint32_t> lists[2];
        for (auto& list : lists) list.assign(made.n + kPadding, 1U);
        CHECK(wide.fill(order.data(), order.size(), words.data(), lists[0].data()) ==
              anywhere.fill(order.data(), order.size(), words.data(), lists[1].data()));
        CHECK(std::equal(lists[0].begin(), lists[0].begin() + n_drawn, lists[1].begin()));
        std::vector<std::uint32_t> new_row(made.n);
        for (auto& row : new_row) row = static_cast<std::uint32_t>(random.below(1U << 25));
        wide.rename(lists[0].data(), n_drawn, new_row.data());
        anywhere.rename(lists[1].data(), n_drawn, new_row.data());
        CHECK(std::equal(lists[0].begin(), lists[0].begin() + n_drawn, lists[1].begin()));
        CHECK(lists[0][n_drawn] == 1U);
    });
}

CASE(lists_without_ties_are_divided_alike_by_every_loop) {
    const FastLoops* both[2] = {&fast_loops(), &portable_loops()};
    Generator random(23);
    for (std::uint32_t n = 2; n <= 100; ++n) {
        const MadeList made = make_list(n, 0.0, kMostWeight, random);
        std::vector<std::uint8_t> side(n + 3);
        for (std::uint32_t i = 0; i < n; ++i) side[i] = static_cast<std::uint8_t>(random.below(2));
        const auto n_right =
            static_cast<std::uint32_t>(std::count(side.begin(), side.begin() + n, 1));
        std::vector<std::uint32_t> expected = made.entries;
        std::vector<std::uint32_t> expected_other(n + kPadding, 7U);
        CHECK(both[1]->divide(expected.data(), n, side.data(), expected_other.data()) == 0);
        for (const FastLoops* loops : both) {
            std::vector<std::uint32_t> list = made.entries;
            std::vector<std::uint32_t> other(n + kPadding, 7U);
            loops->divide_untied(list.data(), n, side.data(), other.data());
            CHECK(std::equal(list.begin(), list.begin() + (n - n_right), expected.begin()));
            CHECK(other == expected_other);
            std::vector<std::uint8_t> bits(n / 8 + 1, 0x5a);
            for (std::uint32_t i = 0; i < n; ++i) SideBits::set(bits.data(), i, side[i]);
            list = made.entries;
            other.assign(n + kPadding, 7U);
            loops->divide_untied_by_bits(list.data(), n, bits.data(), other.data());
            CHECK(std::equal(list.begin(), list.begin() + (n - n_right), expected.begin()));
            CHECK(other == expected_other);
        }
    }
}

CASE(wide_loops_pick_what_the_portable_ones_pick) {
    Generator random(29);
    for (std::uint32_t n = 1; n <= kPocket; ++n)
        for (int repeat = 0; repeat < 20; ++repeat) {
            const MadeList made = make_list(n, 0.4, kMostWeight, random);
            const auto rows = static_cast<std::uint32_t>(random.below(1U << n));
            std::vector<std::uint32_t> picked[2];
            for (auto& each : picked) each.assign(kPocket + kPadding, 7U);
            fast_loops().pick(made.entries.data(), n, rows, picked[0].data());
            portable_loops().pick(made.entries.data(), n, rows, picked[1].data());
            CHECK(picked[0] == picked[1]);
            CHECK(std::count_if(picked[0].begin(), picked[0].begin() + kPocket,
                                [](std::uint32_t entry) { return entry != 0; }) ==
                  __builtin_popcount(rows));
        }
}

CASE(all_columns_of_a_pocket_are_judged_as_their_lists_are) {
    Generator random(31);
    for (std::uint32_t n = 2; n <= kPocket; ++n)
        for (int repeat = 0; repeat < 20; ++repeat) {
            FastPocket pocket;
            pocket.n = n;
            pocket.n_slots = FastPocket::kLanes * (1 + random.below(3));
            pocket.order.resize(kPocket * pocket.n_slots);
            for (std::uint32_t row = 0; row < n; ++row) {
                pocket.weights[row] = 1.0 + static_cast<double>(random.below(3));
                pocket.values[row] = std::floor(1000.0 * random.uniform()) * pocket.weights[row];
            }
            auto rows = static_cast<std::uint32_t>(random.below(1U << n));
            rows |= 1U | 1U << (n - 1);
            FastList sums{nullptr, 0, 1 + static_cast<std::uint32_t>(random.below(2)), 0, 0.0};
            for (std::uint32_t row = 0; row < n; ++row) {
                if ((rows >> row & 1U) == 0) continue;
                ++sums.n;
                sums.weight += static_cast<std::uint32_t>(pocket.weights[row]);
                sums.sum += pocket.values[row];
            }
            std::vector<std::vector<std::uint32_t>> lists(pocket.n_slots);
            for (std::size_t slot = 0; slot < pocket.n_slots; ++slot) {
                std::vector<std::uint32_t> order(n);
                for (std::uint32_t i = 0; i < n; ++i) order[i] = i;
                for (std::uint32_t i = 0; i < n; ++i)
                    std::swap(order[i], order[i + random.below(n - i)]);
                std::uint32_t run = 0;
                std::uint32_t last = ~0U;
                for (std::uint32_t i = 0; i < n; ++i) {
                    run += i > 0 && random.uniform() < 0.6 ? 1 : 0;
                    pocket.order[i * pocket.n_slots + slot] =
                        static_cast<std::uint8_t>(run << 4U | order[i]);
                    if ((rows >> order[i] & 1U) == 0) continue;
                    const auto weight = static_cast<std::uint32_t>(pocket.weights[order[i]]);
                    lists[slot].push_back(order[i] << kRowAt | weight << kWeightAt |
                                          (run == last ? kSameValueBit : 0U));
                    last = run;
                }
                lists[slot].resize(kPocket + kPadding);
            }
            for (const FastLoops* loops : {&fast_loops(), &portable_loops()}) {
                std::vector<double> best(pocket.n_slots);
                std::vector<std::uint8_t> varies(pocket.n_slots / FastPocket::kLanes);
                loops->best_pocket(pocket, rows, sums, best.data(), varies.data());
                for (std::size_t slot = 0; slot < pocket.n_slots; ++slot) {
                    FastList list = sums;
                    list.entries = lists[slot].data();
                    CHECK(best[slot] == portable_loops().best_values(list, pocket.values, 0.0));
                    const bool is_constant = std::all_of(
                        list.entries + 1, list.entries + list.n,
                        [](std::uint32_t entry) { return (entry & kSameValueBit) != 0; });
                    CHECK(((varies[slot / 8] >> (slot % 8) & 1U) == 0) == is_constant);
                }
            }
        }
}

CASE(columns_that_are_level_with_the_best_are_told) {
    constexpr double kTie = 1e-9;
    std::vector<double> best(16, -1.0);
    const std::uint8_t among[2] = {0xff, 0x07};
    best[3] = 5.0;
    best[9] = 5.0 * (1.0 - 0.5 * kTie);
    best[10] = 4.0;
    best[12] = 9.0;  // not among them
    for (const FastLoops* loops : {&fast_loops(), &portable_loops()}) {
        std::uint8_t level[2] = {};
        CHECK(loops->level_with_best(best.data(), 16, among, kTie, level) == 2);
        CHECK(level[0] == 1U << 3U && level[1] == 1U << 1U);
        std::vector<double> unclear = best;
        unclear[0] = 5.0 * (1.0 - 2.0 * kTie);
        CHECK(loops->level_with_best(unclear.data(), 16, among, kTie, level) == 0);
        const std::vector<double> none(16, -1.0);
        CHECK(loops->level_with_best(none.data(), 16, among, kTie, level) == 0);
    }
}
