#include <cstring>

#include "check.hpp"
#include "fast_tables.hpp"
#include "treewright/forest/fast/grower.hpp"

using namespace treewright;
using namespace treewright::split;
using namespace treewright::grow;
using namespace treewright::forest;

namespace {

template <class T>
bool same_bytes(const std::vector<T>& a, const std::vector<T>& b) {
    return a.size() == b.size() &&
           (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
}

bool same_bytes(const PackedTree& a, const PackedTree& b) {
    return same_bytes(a.nodes, b.nodes) && same_bytes(a.counts, b.counts) &&
           same_bytes(a.values, b.values) && same_bytes(a.spread, b.spread) &&
           same_bytes(a.importance, b.importance);
}

PackedTree grown(const FastTable& table, const GrowOptions& options, std::size_t n_threads) {
    Progress progress(nullptr);
    Team team(n_threads, unstopped);
    const auto shared = make_fast_data(table.data, options, team);
    const auto grower = make_fast_grower(*shared, options, progress);
    (void)grower->grow(table.copies, 7, true, team);  // memory is kept, trees are not
    return grower->grow(table.copies, 8, true, team);
}

/// Trees of more rows than one thread keeps to itself (ParallelSubtrees::begin).
template <class Change>
void check_same(const FastTableOptions& kind, Change&& change) {
    for (const Splitter splitter : {Splitter::best, Splitter::random})
        for (const std::uint32_t n_classes : {0U, 2U, 5U}) {
            Generator random(mix(n_classes, 5));
            FastTableOptions made = kind;
            made.n_rows = 26000;
            made.n_classes = n_classes;
            const auto table = make_fast_table(made, random);
            GrowOptions options = fast_options(*table);
            options.splitter = splitter;
            options.seed = 11;
            change(options);
            const PackedTree alone = grown(*table, options, 1);
            CHECK(is_sound(alone, n_classes, table->data.columns.size()));
            for (const std::size_t n_threads : {2, 3, 4})
                CHECK(same_bytes(grown(*table, options, n_threads), alone));
        }
}

}  // namespace

CASE(trees_grown_by_several_threads_are_those_of_one) {
    check_same({.distinct = 1000000}, [](GrowOptions&) {});
    check_same({.distinct = 40}, [](GrowOptions& options) { options.max_columns = 2; });
}

CASE(trees_of_rows_drawn_often_are_the_same_for_several_threads) {
    check_same({.distinct = 1000, .most_copies = 40},
               [](GrowOptions& options) { options.max_columns = 3; });
}

CASE(trees_with_gaps_are_the_same_for_several_threads) {
    check_same({.distinct = 1000, .gaps = 0.1},
               [](GrowOptions& options) { options.max_columns = 3; });
}

CASE(trees_within_limits_are_the_same_for_several_threads) {
    for (const std::int64_t max_depth : {0, 1, 3})  // no part, or parts that are a leaf or two
        check_same({.distinct = 1000}, [&](GrowOptions& options) {
            options.max_depth = max_depth;
            options.min_leaf = 3.0;
        });
    check_same({.distinct = 2}, [](GrowOptions&) {});  // few cuts: large leaves
    check_same({.distinct = 1000}, [](GrowOptions& options) {
        options.columns = {0, 3, 6};  // the last is constant
        options.max_columns = 1;
        options.min_gain = 1e-4;
    });
}
