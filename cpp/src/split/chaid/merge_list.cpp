#include "treewright/split/chaid/merge_list.hpp"

#include <algorithm>

namespace treewright::split {
namespace {

constexpr std::size_t kNowhere = ~std::size_t{0};

}  // namespace

void Group::absorb(const Group& other) {
    const auto middle = static_cast<std::ptrdiff_t>(members.size());
    append(other);
    std::inplace_merge(members.begin(), members.begin() + middle, members.end());
}

void Group::append(const Group& other) {
    members.insert(members.end(), other.members.begin(), other.members.end());
    for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += other.sums[i];
}

double log_p_of(const GroupTest& test, const Group& a, const Group& b) {
    const double* const both[] = {a.sums.data(), b.sums.data()};
    return test.log_p(both);
}

Chain::Chain(std::vector<Group> in_order, const GroupTest& test)
    : groups(std::move(in_order)), test(test) {
    for (std::size_t i = 0; i < groups.size(); ++i)
        places.push_back({i == 0 ? kNowhere : i - 1, i + 1 == groups.size() ? kNowhere : i + 1});
    for (std::size_t i = 0; i + 1 < groups.size(); ++i) link(i, i + 1);
}

void Chain::link(std::size_t left, std::size_t right) {
    if (left == kNowhere || right == kNowhere) return;
    links.push({log_p_of(test, groups[left], groups[right]), left, right, places[left].version,
                places[right].version});
}

std::vector<Group> Chain::merged_down_to(std::size_t most) {
    for (std::size_t n_left = groups.size(); n_left > most;) {
        const Link best = links.top();
        links.pop();
        Place& place = places[best.left];
        Place& gone = places[best.right];
        if (place.version != best.left_version || gone.version != best.right_version) continue;
        groups[best.left].append(groups[best.right]);
        groups[best.right] = {};
        ++place.version;
        ++gone.version;  // links to it are no longer valid
        place.after = gone.after;
        if (place.after != kNowhere) places[place.after].before = best.left;
        --n_left;
        link(place.before, best.left);
        link(best.left, place.after);
    }
    std::erase_if(groups, [](const Group& group) { return group.members.empty(); });
    for (Group& group : groups) std::sort(group.members.begin(), group.members.end());
    return std::move(groups);
}

}  // namespace treewright::split
