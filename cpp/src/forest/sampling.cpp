#include "treewright/forest/sampling.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

#include "treewright/base/error.hpp"
#include "treewright/base/random.hpp"
#include "treewright/data/row_hash.hpp"

namespace treewright::forest {
namespace {

/// The hash of a row and the row. Hashes are spread evenly: keys are sorted in buckets, by their
/// leading bits, which many threads can do and which fit into a cache close to the core.
using Key = std::pair<std::uint64_t, std::uint32_t>;
constexpr std::size_t kChunk = 8192;
constexpr unsigned kBucketBits = 8;
constexpr std::size_t kBuckets = std::size_t{1} << kBucketBits;
using BucketCounts = std::array<std::uint32_t, kBuckets>;

std::size_t bucket_of(const Key& key) {
    return key.first >> (64 - kBucketBits);
}

/// Turns the counts of keys, by chunk and bucket, into the position of the first of them; returns
/// where the buckets end.
BucketCounts lay_out(std::vector<BucketCounts>& place) {
    BucketCounts end{};
    std::uint32_t total = 0;
    for (std::size_t bucket = 0; bucket < kBuckets; ++bucket) {
        for (BucketCounts& of_chunk : place) total += std::exchange(of_chunk[bucket], total);
        end[bucket] = total;
    }
    return end;
}

/// A hash of the content of a row and of its weight.
std::uint64_t hash_of(const data::Dataset& data, std::span<const double> weight, std::size_t row) {
    const std::uint64_t hash = content_hash(data, row);
    if (weight.empty() || weight[row] == 1.0) return hash;  // 1 is what a row without one has
    return mix(hash ^ std::bit_cast<std::uint64_t>(weight[row]));
}

}  // namespace

std::vector<std::uint32_t> canonical_order(const data::Dataset& data,
                                           std::span<const double> weight, Team& team) {
    const std::size_t n_chunks = (data.n_rows + kChunk - 1) / kChunk;
    std::vector<Key> keys(data.n_rows);
    std::vector<BucketCounts> place(n_chunks);  // by chunk and bucket, first how many keys
    const auto for_chunk = [&](std::size_t chunk, auto&& work) {
        const std::size_t end = std::min(data.n_rows, (chunk + 1) * kChunk);
        for (std::size_t row = chunk * kChunk; row < end; ++row) work(row);
    };
    team.for_each(n_chunks, [&](std::size_t chunk, std::size_t) {
        for_chunk(chunk, [&](std::size_t row) {
            keys[row] = {hash_of(data, weight, row), static_cast<std::uint32_t>(row)};
            ++place[chunk][bucket_of(keys[row])];
        });
    });
    const BucketCounts end = lay_out(place);
    std::vector<Key> sorted(data.n_rows);
    team.for_each(n_chunks, [&](std::size_t chunk, std::size_t) {
        for_chunk(chunk, [&](std::size_t row) {
            sorted[place[chunk][bucket_of(keys[row])]++] = keys[row];
        });
    });
    std::vector<std::uint32_t> order(data.n_rows);
    team.for_each(kBuckets, [&](std::size_t bucket, std::size_t) {
        const std::size_t begin = bucket == 0 ? 0 : end[bucket - 1];
        std::sort(sorted.data() + begin, sorted.data() + end[bucket]);
        for (std::size_t i = begin; i < end[bucket]; ++i) order[i] = sorted[i].second;
    });
    return order;
}

Sampling::Sampling(const data::Dataset& data, std::span<const double> weight,
                   std::span<const std::uint32_t> groups, std::span<const std::uint64_t> n_draws,
                   bool with_replacement, std::uint64_t seed, Team& team)
    : n(data.n_rows),
      n_units(data.n_rows),
      with_replacement(with_replacement),
      seed(seed),
      strata(n_draws.size()),
      group_of_row(groups.begin(), groups.end()) {
    require(!n_draws.empty(), "something to draw");
    require(n_draws.size() == 1 || data.target.is_classification(), "strata are classes");
    if (groups.empty()) {
        list_rows(data, weight, team);
    } else {
        require(groups.size() == n && n_draws.size() == 1, "a group for every row, one stratum");
        list_groups(data, weight, team);
    }
    for (std::size_t i = 0; i < strata.size(); ++i) {
        strata[i].n_draws = strata[i].units.empty() ? 0 : n_draws[i];
        require(with_replacement || strata[i].n_draws <= strata[i].units.size(),
                "no more draws than rows");
    }
}

void Sampling::list_rows(const data::Dataset& data, std::span<const double> weight, Team& team) {
    const bool by_class = strata.size() > 1;
    for (const std::uint32_t row : canonical_order(data, weight, team)) {
        if (!weight.empty() && !(weight[row] > 0.0)) continue;
        const std::size_t which =
            by_class ? static_cast<std::size_t>(data.target.classes[row * data.target.n_outputs])
                     : 0;
        strata[which].units.push_back(row);
    }
}

void Sampling::list_groups(const data::Dataset& data, std::span<const double> weight, Team& team) {
    has_weight.resize(n);
    std::vector<std::uint64_t> hash(n);
    team.for_each((n + kChunk - 1) / kChunk, [&](std::size_t chunk, std::size_t) {
        for (std::size_t row = chunk * kChunk; row < std::min(n, (chunk + 1) * kChunk); ++row)
            hash[row] = hash_of(data, weight, row);
    });
    n_units = *std::max_element(group_of_row.begin(), group_of_row.end()) + std::size_t{1};
    // The sum of the hashes, whatever the order of the rows; groups of one row are drawn as rows.
    std::vector<std::uint64_t> sum(n_units);
    std::vector<bool> is_drawn(n_units);
    for (std::size_t row = 0; row < n; ++row) {
        has_weight[row] = weight.empty() || weight[row] > 0.0;
        if (!has_weight[row]) continue;
        sum[group_of_row[row]] += hash[row];
        is_drawn[group_of_row[row]] = true;
    }
    std::vector<Key> keys;
    for (std::size_t group = 0; group < n_units; ++group)
        if (is_drawn[group]) keys.emplace_back(sum[group], static_cast<std::uint32_t>(group));
    std::sort(keys.begin(), keys.end());
    for (const Key& key : keys) strata[0].units.push_back(key.second);
}

void Sampling::draw(std::uint64_t tree, std::vector<std::uint32_t>& copies) const {
    if (group_of_row.empty()) {
        draw_units(tree, copies);
        return;
    }
    std::vector<std::uint32_t> times;
    draw_units(tree, times);
    copies.resize(n);
    for (std::size_t row = 0; row < n; ++row)
        copies[row] = has_weight[row] ? times[group_of_row[row]] : 0;
}

void Sampling::left_out(std::uint64_t tree, std::vector<std::uint32_t>& is_out) const {
    std::vector<std::uint32_t> times;
    draw_units(tree, times);
    is_out.resize(n);
    for (std::size_t row = 0; row < n; ++row)
        is_out[row] = times[group_of_row.empty() ? row : group_of_row[row]] == 0 ? 1 : 0;
}

void Sampling::draw_units(std::uint64_t tree, std::vector<std::uint32_t>& times) const {
    times.assign(n_units, 0);
    const std::uint64_t key = mix(mix(seed, tree), 0x626f6f74ULL);  // "boot": not a node's key
    for (std::size_t i = 0; i < strata.size(); ++i) {
        if (with_replacement) draw_with_replacement(strata[i], mix(key, i), times);
        else draw_without_replacement(strata[i], mix(key, i), times);
    }
}

void Sampling::draw_by(std::span<const double> weight, std::uint64_t tree,
                       std::vector<std::uint32_t>& copies) const {
    require(strata.size() == 1 && group_of_row.empty() && with_replacement && weight.size() == n,
            "one draw from all rows");
    const Stratum& all = strata[0];
    std::vector<double> until;  // cumulative weight up to and with each row
    double total = 0.0;
    for (const std::uint32_t row : all.units) until.push_back(total += std::max(weight[row], 0.0));
    copies.assign(n, 0);
    Generator generator(mix(mix(mix(seed, tree), 0x626f6f74ULL), 0));
    for (std::uint64_t i = 0; i < all.n_draws; ++i) {
        const auto at = std::upper_bound(until.begin(), until.end(), total * generator.uniform());
        ++copies[all.units[std::min<std::size_t>(at - until.begin(), all.units.size() - 1)]];
    }
}

void Sampling::draw_with_replacement(const Stratum& stratum, std::uint64_t key,
                                     std::vector<std::uint32_t>& times) const {
    Generator generator(key);
    for (std::uint64_t i = 0; i < stratum.n_draws; ++i)
        ++times[stratum.units[generator.below(stratum.units.size())]];
}

void Sampling::draw_without_replacement(const Stratum& stratum, std::uint64_t key,
                                        std::vector<std::uint32_t>& times) const {
    // The units with the smallest keys are drawn: each set of that size is equally likely.
    std::vector<std::pair<std::uint64_t, std::uint32_t>> places;
    Generator generator(key);
    for (const std::uint32_t unit : stratum.units) places.emplace_back(generator.next(), unit);
    const auto middle = places.begin() + static_cast<std::ptrdiff_t>(stratum.n_draws);
    std::nth_element(places.begin(), middle, places.end());
    for (auto place = places.begin(); place != middle; ++place) times[place->second] = 1;
}

}  // namespace treewright::forest
