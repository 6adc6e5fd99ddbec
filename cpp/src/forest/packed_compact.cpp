#include <bit>
#include <map>
#include <numeric>
#include <unordered_map>

#include "treewright/forest/packed.hpp"

namespace treewright::forest {
namespace {

/// Class counts divided by their greatest common divisor: a share is the same quotient, rounded
/// once.
std::vector<std::uint32_t> shares_of(const std::uint32_t* counts, std::uint32_t n_classes) {
    std::vector<std::uint32_t> shares(counts, counts + n_classes);
    std::uint32_t divisor = 0;
    for (const std::uint32_t count : shares) divisor = std::gcd(divisor, count);
    if (divisor > 1)
        for (std::uint32_t& count : shares) count /= divisor;
    return shares;
}

}  // namespace

PackedTree compacted(const PackedTree& tree, std::uint32_t n_classes) {
    PackedTree small;
    small.nodes = tree.nodes;
    std::map<std::vector<std::uint32_t>, std::uint32_t> of_shares;
    std::unordered_map<std::uint64_t, std::uint32_t> of_value;
    for (std::size_t i = 0; i < small.nodes.size(); ++i) {
        PackedNode& node = small.nodes[i];
        if (!node.is_leaf()) continue;
        std::uint32_t answer = 0;
        if (n_classes > 0) {
            const auto shares =
                shares_of(tree.counts.data() + std::size_t{node.leaf()} * n_classes, n_classes);
            const auto next = static_cast<std::uint32_t>(of_shares.size());
            const auto [found, is_new] = of_shares.try_emplace(shares, next);
            if (is_new) small.counts.insert(small.counts.end(), shares.begin(), shares.end());
            answer = found->second;
        } else {
            const double value = tree.values[node.leaf()];
            const auto next = static_cast<std::uint32_t>(of_value.size());
            const auto [found, is_new] =
                of_value.try_emplace(std::bit_cast<std::uint64_t>(value), next);
            if (is_new) small.values.push_back(value);
            answer = found->second;
        }
        node = PackedNode::make_leaf(static_cast<std::uint32_t>(i), answer);
    }
    small.counts.shrink_to_fit();
    small.values.shrink_to_fit();
    return small;
}

}  // namespace treewright::forest
