#include "treewright/tree/shortcuts.hpp"

#include <algorithm>
#include <bit>
#include <iterator>
#include <utility>

namespace treewright::tree {

namespace {

/// Narrows the ranges of the columns by one more.
void narrow(std::vector<Shortcuts::Stay>& stays, const Shortcuts::Stay& more) {
    const auto same = std::find_if(stays.begin(), stays.end(), [&](const Shortcuts::Stay& each) {
        return each.column == more.column;
    });
    if (same == stays.end()) {
        stays.push_back(more);
        return;
    }
    same->above = std::max(same->above, more.above);
    same->up_to = std::min(same->up_to, more.up_to);
    if (more.leaving.empty()) return;
    std::vector<std::int32_t> both;
    std::set_union(same->leaving.begin(), same->leaving.end(), more.leaving.begin(),
                   more.leaving.end(), std::back_inserter(both));
    same->leaving = std::move(both);
}

}  // namespace

std::int64_t Shortcuts::key(double x) {
    const auto bits = std::bit_cast<std::int64_t>(x + 0.0);  // -0 is 0
    return bits < 0 ? bits ^ std::numeric_limits<std::int64_t>::max() : bits;
}

void Shortcuts::make_room(std::size_t n_nodes) {
    for (auto i = static_cast<std::uint32_t>(jumps.size()); i < n_nodes; ++i) jumps.push_back({i});
}

void Shortcuts::lead(std::uint32_t node, std::uint32_t next, const std::optional<Stay>& stay) {
    const Jump& first = jumps[next];
    const Jump& second = jumps[first.to];
    Jump jump{next, 1, stay.has_value(), {}};
    if (stay) jump.stays.push_back(*stay);
    if (first.length > 0 && first.length == second.length) {
        jump.to = second.to;
        jump.length += first.length + second.length;
        jump.is_known = jump.is_known && first.is_known && second.is_known;
        for (const Jump* part : {&first, &second})
            for (const Stay& each : part->stays)
                if (jump.is_known) narrow(jump.stays, each);
    }
    jumps[node] = std::move(jump);
}

bool Shortcuts::stays(const data::Column& column, std::size_t row, const Stay& stay) {
    if (column.is_missing(row)) return false;
    const std::int64_t value = column.is_real() ? key(column.real(row)) : column.whole(row);
    return value > stay.above && value <= stay.up_to &&
           !std::binary_search(stay.leaving.begin(), stay.leaving.end(), value);
}

}  // namespace treewright::tree
