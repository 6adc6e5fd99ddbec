/// Weighted medians of the predictions of many models for each row (AdaBoost.R2).
#pragma once

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <span>
#include <vector>

#include "treewright/base/parallel.hpp"

namespace treewright::adaboost {

/// The least prediction of each row such that it and those below it have half of the weight
/// (Drucker 1997, step 8). `predictions` is rows x models. Equal predictions share their weight,
/// so their order does not matter; `weight` lies on a grid on which doubles add exactly.
inline void weighted_medians(std::span<const double> predictions, std::span<const double> weight,
                             Team& team, std::span<double> median) {
    constexpr std::size_t kChunk = 512;
    const std::size_t n_models = weight.size();
    const double half = std::accumulate(weight.begin(), weight.end(), 0.0) / 2.0;
    team.for_each((median.size() + kChunk - 1) / kChunk, [&](std::size_t chunk, std::size_t) {
        std::vector<std::pair<double, double>> sorted(n_models);
        const std::size_t end = std::min(median.size(), (chunk + 1) * kChunk);
        for (std::size_t row = chunk * kChunk; row < end; ++row) {
            for (std::size_t i = 0; i < n_models; ++i)
                sorted[i] = {predictions[row * n_models + i], weight[i]};
            std::sort(sorted.begin(), sorted.end());
            double below = 0.0;
            std::size_t i = 0;
            while (i + 1 < n_models && (below += sorted[i].second) < half) ++i;
            median[row] = sorted[i].first;
        }
    });
}

}  // namespace treewright::adaboost
