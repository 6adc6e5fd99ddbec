#include "treewright/split/numeric/cal5.hpp"

#include <algorithm>

namespace treewright::split {
namespace {

std::size_t largest_class(const double* sums, std::size_t width) {
    return static_cast<std::size_t>(std::max_element(sums + criteria::kStatistics, sums + width) -
                                    sums);
}

constexpr std::uint32_t kNoClass = 0;  // classes are numbered by their place in the sums, from 2 on

/// kNoClass, then the classes whose share may reach that of an even distribution over those that
/// occur: the label of an interval where none dominates.
std::vector<std::uint32_t> remaining_classes(const double* sums, std::size_t width,
                                             const Dominance& dominance) {
    const auto n_present = std::count_if(sums + criteria::kStatistics, sums + width,
                                         [](double weight) { return weight > 0.0; });
    std::vector<std::uint32_t> remaining = {kNoClass};
    for (std::size_t k = criteria::kStatistics; k < width; ++k)
        if (sums[k] > 0.0 && dominance.bound(sums[k], sums[criteria::kWeight], 1.0) >=
                                 1.0 / static_cast<double>(n_present))
            remaining.push_back(static_cast<std::uint32_t>(k));
    return remaining;
}

}  // namespace

bool is_dominated(const double* sums, std::size_t width, const Dominance& dominance) {
    return dominance.dominates(sums[largest_class(sums, width)], sums[criteria::kWeight]);
}

void cal5_cuts(const Tally& tally, const SearchLimits& limits, const Dominance& dominance,
               Cal5Scratch& scratch, std::vector<std::uint32_t>& starts) {
    const std::size_t width = tally.width;
    starts.clear();
    scratch.start.clear();
    scratch.label.clear();
    std::vector<double>& sums = scratch.sums;
    const auto close = [&](std::uint32_t start, std::vector<std::uint32_t> label) {
        scratch.start.push_back(start);
        scratch.label.push_back(std::move(label));
    };
    const auto is_large = [&] {
        return sums[criteria::kCopies] >= limits.min_copies &&
               sums[criteria::kWeight] >= limits.min_weight;
    };
    sums.assign(width, 0.0);
    std::uint32_t start = 0;
    for (std::uint32_t i = 0; i < tally.n_runs(); ++i) {
        add_to(sums.data(), tally.run(i), width);
        const std::size_t largest = largest_class(sums.data(), width);
        if (!is_large()) continue;
        if (dominance.dominates(sums[largest], sums[criteria::kWeight]))
            close(start, {static_cast<std::uint32_t>(largest)});
        else if (dominance.cannot_dominate(sums[largest], sums[criteria::kWeight]))
            close(start, remaining_classes(sums.data(), width, dominance));
        else continue;
        start = i + 1;
        std::fill(sums.begin(), sums.end(), 0.0);
    }
    if (start < tally.n_runs() && is_large())  // a smaller remainder stays with its neighbour
        close(start, {static_cast<std::uint32_t>(largest_class(sums.data(), width))});
    for (std::size_t i = 1; i < scratch.start.size(); ++i)
        if (scratch.label[i] != scratch.label[i - 1]) starts.push_back(scratch.start[i]);
}

}  // namespace treewright::split
