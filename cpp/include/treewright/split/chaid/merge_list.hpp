/// A long list of categories of which neighbours are merged (CHAID, split/chaid/merge.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <queue>
#include <vector>

#include "treewright/split/chaid/group_test.hpp"

namespace treewright::split {

/// Categories of a column that have been merged.
struct Group {
    std::vector<std::uint32_t> members;  ///< ascending; the first is the group's name
    std::vector<double> sums;

    [[nodiscard]] std::uint32_t name() const { return members.front(); }
    /// Takes in the members of another group, in order.
    void absorb(const Group& other);
    /// The same without ordering them.
    void append(const Group& other);
};

[[nodiscard]] double log_p_of(const GroupTest& test, const Group& a, const Group& b);

/// A list of groups and a heap of its links: n merges take O(n log n).
class Chain {
public:
    Chain(std::vector<Group> groups, const GroupTest& test);

    /// Merges the neighbours that differ least repeatedly; returns the groups left, in order.
    [[nodiscard]] std::vector<Group> merged_down_to(std::size_t most);

private:
    struct Link {
        double log_p;
        std::size_t left, right;
        std::size_t left_version, right_version;  ///< of the groups when they were compared

        bool operator<(const Link& other) const {
            return log_p != other.log_p ? log_p < other.log_p : left > other.left;
        }
    };
    struct Place {
        std::size_t before;
        std::size_t after;
        std::size_t version = 0;  ///< changes with the group
    };

    void link(std::size_t left, std::size_t right);

    std::vector<Group> groups;
    const GroupTest& test;
    std::vector<Place> places;
    std::priority_queue<Link> links;
};

}  // namespace treewright::split
