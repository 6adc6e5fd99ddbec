#include "treewright/split/chaid/merge.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>

#include "treewright/base/combinatorics.hpp"
#include "treewright/split/chaid/merge_list.hpp"

namespace treewright::split {
namespace {

constexpr std::size_t kMostGroups = 128;     // compared each with each
constexpr std::size_t kMostEnumerated = 10;  // categories whose every division in two is tried

/// Two groups that may be merged, by their names.
struct Pair {
    std::uint32_t a = 0;
    std::uint32_t b = 0;
    double log_p = 0.0;
};

class Merger {
public:
    Merger(const Categories& categories, const GroupTest& test, const Merging& merging,
           const SearchLimits& limits)
        : categories(categories), test(test), merging(merging), limits(limits) {}

    Grouping run() {
        const bool floats_last = categories.floats && merging.floats_last;
        start(categories.n - (floats_last ? 1 : 0));
        if (merging.exhaustive) merge_to_two();
        else merge_alike();
        if (floats_last) attach_missing();
        absorb_small();
        return told();
    }

private:
    // Groups, ordered by their names; a floating category by itself stands last.

    [[nodiscard]] bool is_floating(const Group& group) const {
        return categories.floats && group.members.size() == 1 && group.name() + 1 == categories.n;
    }
    [[nodiscard]] bool may_merge(std::size_t i, std::size_t j) const {
        return categories.is_nominal || i + 1 == j || is_floating(groups[j]);
    }
    [[nodiscard]] std::size_t position_of(std::uint32_t name) const {
        return static_cast<std::size_t>(
            std::lower_bound(groups.begin(), groups.end(), name,
                             [](const Group& g, std::uint32_t n) { return g.name() < n; }) -
            groups.begin());
    }
    [[nodiscard]] Group group_of(std::vector<std::uint32_t> members) const {
        Group group{std::move(members), std::vector<double>(categories.width, 0.0)};
        for (const std::uint32_t member : group.members)
            add_to(group.sums.data(), categories.at(member), categories.width);
        return group;
    }
    [[nodiscard]] double log_p_of_all() {
        pointers.clear();
        for (const Group& group : groups) pointers.push_back(group.sums.data());
        return test.log_p(pointers);
    }

    void start(std::size_t n) {
        groups.clear();
        if (n > kMostGroups) coarsen(n);
        else
            for (std::uint32_t i = 0; i < n; ++i) groups.push_back(group_of({i}));
        list_pairs();
    }

    // Pairs

    void list_pairs() {
        pairs.clear();
        const std::size_t last = groups.size() - 1;
        for (std::size_t i = 0; i < last; ++i) {
            const std::size_t end = categories.is_nominal ? last : i + 1;
            for (std::size_t j = i + 1; j <= end; ++j) list(i, j);
            if (end < last && is_floating(groups[last])) list(i, last);
        }
    }
    void list(std::size_t i, std::size_t j) {
        pairs.push_back({groups[i].name(), groups[j].name(), log_p_of(test, groups[i], groups[j])});
    }
    /// Lists the pairs of one group again.
    void relist(std::size_t position) {
        for (std::size_t i = 0; i < groups.size(); ++i) {
            if (i == position) continue;
            const std::size_t low = std::min(i, position);
            const std::size_t high = std::max(i, position);
            if (may_merge(low, high)) list(low, high);
        }
    }
    void strike(std::uint32_t name) {
        std::erase_if(pairs, [&](const Pair& pair) { return pair.a == name || pair.b == name; });
    }
    /// The pair that differs least, of ties the first; null if there is none.
    [[nodiscard]] const Pair* most_alike(const Group* of = nullptr) const {
        const auto concerns = [&](const Pair& pair) {
            return of == nullptr || pair.a == of->name() || pair.b == of->name();
        };
        double most = -std::numeric_limits<double>::infinity();
        bool any = false;
        for (const Pair& pair : pairs) {
            if (!concerns(pair)) continue;
            most = std::max(most, pair.log_p);
            any = true;
        }
        if (!any) return nullptr;
        const double enough = most - p_slack(most);
        const Pair* best = nullptr;
        for (const Pair& pair : pairs) {
            if (!concerns(pair) || !(pair.log_p >= enough)) continue;
            if (best == nullptr || std::tie(pair.a, pair.b) < std::tie(best->a, best->b))
                best = &pair;
        }
        return best;
    }

    /// Merges a pair; returns the position of the result.
    std::size_t merge(Pair pair) {
        const std::size_t i = position_of(pair.a);
        const std::size_t j = position_of(pair.b);
        groups[i].absorb(groups[j]);
        groups.erase(groups.begin() + static_cast<std::ptrdiff_t>(j));
        strike(pair.a);
        strike(pair.b);
        relist(i);
        return i;
    }

    // Steps

    void merge_alike() {
        const double alpha = std::log(merging.alpha_merge);
        std::size_t n_resplits = 0;
        while (groups.size() > 1) {
            const Pair* pair = most_alike();
            if (!(pair->log_p > alpha)) return;
            const std::size_t merged = merge(*pair);
            // A limit, because merging and splitting could alternate indefinitely.
            if (groups[merged].members.size() >= 3 && merging.alpha_resplit > 0.0 &&
                n_resplits < categories.n && resplit(merged))
                ++n_resplits;
        }
    }

    void merge_to_two() {
        std::vector<Group> best = groups;
        double least = log_p_of_all();
        while (groups.size() > 2) {
            merge(*most_alike());
            const double log_p = log_p_of_all();
            if (!(log_p < least - p_slack(least))) continue;
            least = log_p;
            best = groups;
        }
        groups = std::move(best);
        list_pairs();
    }

    /// Splits a merged group where that is most significant, if it is significant at all.
    bool resplit(std::size_t position) {
        const std::vector<std::uint32_t> members = groups[position].members;
        const std::vector<std::vector<std::uint32_t>> halves = first_halves(members);
        std::vector<double> log_p(halves.size());
        const auto other_half = [&](const std::vector<std::uint32_t>& half) {
            std::vector<std::uint32_t> rest;
            std::set_difference(members.begin(), members.end(), half.begin(), half.end(),
                                std::back_inserter(rest));
            return rest;
        };
        for (std::size_t i = 0; i < halves.size(); ++i)
            log_p[i] = log_p_of(test, group_of(halves[i]), group_of(other_half(halves[i])));
        const double least = *std::min_element(log_p.begin(), log_p.end());
        if (!(least <= std::log(merging.alpha_resplit))) return false;
        const double enough = least + p_slack(least);
        const auto best =
            std::find_if(log_p.begin(), log_p.end(), [&](double each) { return each <= enough; });
        const auto& half = halves[static_cast<std::size_t>(best - log_p.begin())];
        Group parts[] = {group_of(half), group_of(other_half(half))};
        strike(groups[position].name());
        groups.erase(groups.begin() + static_cast<std::ptrdiff_t>(position));
        for (Group& part : parts) {
            const std::size_t at = position_of(part.name());
            groups.insert(groups.begin() + static_cast<std::ptrdiff_t>(at), std::move(part));
        }
        list_pairs();
        return true;
    }

    /// The divisions of a group in two, each by one of its parts.
    [[nodiscard]] std::vector<std::vector<std::uint32_t>> first_halves(
        const std::vector<std::uint32_t>& members) const {
        std::vector<std::vector<std::uint32_t>> halves;
        std::vector<std::uint32_t> in_order = members;
        const bool floats = categories.floats && members.back() + 1 == categories.n;
        if (categories.is_nominal) {
            if (members.size() <= kMostEnumerated) {
                for (std::uint32_t mask = 1; mask < 1U << (members.size() - 1); ++mask) {
                    auto& half = halves.emplace_back();
                    for (std::size_t i = 0; i < members.size(); ++i)
                        if (i == 0 || (mask >> (i - 1) & 1U) == 0) half.push_back(members[i]);
                }
                return halves;
            }
            in_order = by_level(members);
        } else if (floats) {
            in_order.pop_back();
        }
        for (std::size_t cut = 1; cut < in_order.size(); ++cut) {
            const auto end = in_order.begin() + static_cast<std::ptrdiff_t>(cut);
            std::vector<std::uint32_t> half(in_order.begin(), end);
            std::sort(half.begin(), half.end());
            if (floats) {
                auto& with_missing = halves.emplace_back(half);
                with_missing.push_back(members.back());
            }
            halves.push_back(std::move(half));
        }
        if (floats && !categories.is_nominal) halves.push_back(in_order);
        return halves;
    }

    /// SPSS's treatment of missing values: groups first, then the missing category joins the one it
    /// differs least from, or stays alone, whichever is more significant.
    void attach_missing() {
        groups.push_back(group_of({static_cast<std::uint32_t>(categories.n - 1)}));
        list_pairs();
        const std::vector<Group> apart = groups;
        const double log_p_apart = log_p_of_all();
        merge(*most_alike(&groups.back()));
        const double log_p_joined = log_p_of_all();
        if (log_p_joined <= log_p_apart + p_slack(log_p_apart)) return;
        groups = apart;
        list_pairs();
    }

    [[nodiscard]] bool is_small(const Group& group) const {
        return group.sums[criteria::kCopies] < limits.min_copies ||
               group.sums[criteria::kWeight] < limits.min_weight;
    }
    void absorb_small() {
        while (groups.size() > 1) {
            const Group* smallest = nullptr;
            for (const Group& group : groups)
                if (is_small(group) &&
                    (smallest == nullptr ||
                     group.sums[criteria::kCopies] < smallest->sums[criteria::kCopies]))
                    smallest = &group;
            if (smallest == nullptr) return;
            merge(*most_alike(smallest));
        }
    }

    // Many categories

    /// Categories in the order of their class shares or means, ties by their number.
    [[nodiscard]] std::vector<std::uint32_t> by_level(std::vector<std::uint32_t> members) const {
        const std::size_t n_levels = test.n_levels();
        std::vector<double> levels(members.size() * n_levels);
        for (std::size_t i = 0; i < members.size(); ++i)
            test.levels(categories.at(members[i]), levels.data() + i * n_levels);
        std::vector<std::uint32_t> order(members.size());
        std::iota(order.begin(), order.end(), 0U);
        std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
            const double* of_a = levels.data() + a * n_levels;
            const double* of_b = levels.data() + b * n_levels;
            return std::lexicographical_compare(of_a, of_a + n_levels, of_b, of_b + n_levels);
        });
        for (std::uint32_t& i : order) i = members[i];
        return order;
    }

    /// Merges neighbours until there are few enough groups: a column gets no more branches than
    /// that.
    void coarsen(std::size_t n) {
        const bool floats = categories.floats && n == categories.n;
        std::vector<std::uint32_t> order(n - (floats ? 1 : 0));
        std::iota(order.begin(), order.end(), 0U);
        if (categories.is_nominal) order = by_level(std::move(order));
        for (const std::uint32_t category : order) groups.push_back(group_of({category}));
        groups = Chain(std::move(groups), test).merged_down_to(kMostGroups);
        if (floats) groups.push_back(group_of({static_cast<std::uint32_t>(n - 1)}));
        std::sort(groups.begin(), groups.end(),
                  [](const Group& a, const Group& b) { return a.name() < b.name(); });
    }

    // Result

    [[nodiscard]] double log_multiplier() const {
        if (!merging.adjusts) return 0.0;
        const std::size_t c = categories.n;
        const std::size_t r = groups.size();
        const auto n = static_cast<double>(c);
        if (merging.exhaustive)
            return categories.is_nominal ? std::log(n * (n * n - 1.0) / 6.0)
                                         : std::log(n * (n - 1.0) / 2.0);
        if (categories.is_nominal) return log_groupings(c, r);
        if (!categories.floats) return log_choose(c - 1, r - 1);
        const double alone = log_choose(c - 2, r - 2);
        const double joined = log_choose(c - 2, r - 1) + std::log(static_cast<double>(r));
        const double larger = std::max(alone, joined);
        return larger + std::log(std::exp(alone - larger) + std::exp(joined - larger));
    }
    [[nodiscard]] Grouping told() {
        Grouping found;
        found.n_groups = groups.size();
        found.group_of_category.resize(categories.n);
        for (std::uint32_t g = 0; g < groups.size(); ++g)
            for (const std::uint32_t member : groups[g].members)
                found.group_of_category[member] = g;
        if (groups.size() < 2) return found;
        found.log_p = log_p_of_all();
        found.log_adjusted_p = std::min(0.0, found.log_p + log_multiplier());
        return found;
    }

    const Categories& categories;
    const GroupTest& test;
    const Merging& merging;
    const SearchLimits& limits;
    std::vector<Group> groups;
    std::vector<Pair> pairs;
    std::vector<const double*> pointers;
};

}  // namespace

Grouping merge_categories(const Categories& categories, const GroupTest& test,
                          const Merging& merging, const SearchLimits& limits) {
    return Merger(categories, test, merging, limits).run();
}

}  // namespace treewright::split
