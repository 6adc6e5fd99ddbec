/// Seeded tables for the tests of the core.
#pragma once

#include <cmath>
#include <limits>
#include <memory>
#include <vector>

#include "treewright/base/random.hpp"
#include "treewright/data/dataset.hpp"
#include "treewright/grow/options.hpp"

/// Owns the arrays that a Dataset only views.
struct MadeData {
    std::vector<std::vector<float>> reals;
    std::vector<std::vector<std::int32_t>> codes;
    std::vector<std::int32_t> classes;
    std::vector<double> values;
    std::vector<double> weight;
    treewright::data::Dataset data;
};

struct MadeOptions {
    std::size_t n_rows = 200;
    std::size_t n_real = 4;
    std::size_t n_nominal = 2;
    std::uint32_t n_classes = 2;  ///< 0 = regression
    double missing = 0.0;
    std::uint32_t distinct = 20;  ///< distinct values of a real column
    bool weighted = false;
    double signal = 0.0;  ///< share of rows whose target follows the first real column
};

inline std::unique_ptr<MadeData> make_data(const MadeOptions& options, std::uint64_t seed) {
    using namespace treewright;
    using namespace treewright::data;
    auto made = std::make_unique<MadeData>();
    Generator random(seed);
    const std::size_t n = options.n_rows;
    made->data.n_rows = n;
    for (std::size_t j = 0; j < options.n_real; ++j) {
        auto& column = made->reals.emplace_back(n);
        for (float& x : column)
            x = random.uniform() < options.missing
                    ? std::numeric_limits<float>::quiet_NaN()
                    : static_cast<float>(random.below(options.distinct)) - 3.5F;
    }
    for (std::size_t j = 0; j < options.n_nominal; ++j) {
        auto& column = made->codes.emplace_back(n);
        for (std::int32_t& x : column)
            x = random.uniform() < options.missing ? kMissingCode
                                                   : static_cast<std::int32_t>(random.below(6));
    }
    for (auto& column : made->reals) {
        Column view;
        view.data = reinterpret_cast<const std::byte*>(column.data());
        view.stride = sizeof(float);
        view.type = ValueType::f32;
        made->data.columns.push_back(view);
    }
    for (auto& column : made->codes) {
        Column view;
        view.data = reinterpret_cast<const std::byte*>(column.data());
        view.stride = sizeof(std::int32_t);
        view.type = ValueType::code;
        view.scale = Scale::nominal;
        view.n_codes = 6;
        made->data.columns.push_back(view);
    }
    /// Where the first real column is known, its third of the range, now and then.
    const auto follows = [&](std::size_t i) {
        if (options.signal == 0.0 || !(random.uniform() < options.signal)) return -1;
        const float x = made->reals[0][i];
        if (std::isnan(x)) return -1;
        return static_cast<int>((x + 3.5F) * 3.0F / static_cast<float>(options.distinct));
    };
    Target& target = made->data.target;
    if (options.n_classes > 0) {
        for (std::size_t i = 0; i < n; ++i) {
            const int third = follows(i);
            const auto k = third < 0 ? random.below(options.n_classes)
                                     : static_cast<std::uint64_t>(third) % options.n_classes;
            made->classes.push_back(static_cast<std::int32_t>(k));
        }
        target.n_classes = {options.n_classes};
        target.classes = made->classes;
    } else {
        for (std::size_t i = 0; i < n; ++i) {
            const int third = follows(i);
            made->values.push_back(third < 0 ? static_cast<double>(random.below(1000)) / 8.0
                                             : 40.0 * third);
        }
        target.values = made->values;
    }
    if (options.weighted) {
        for (std::size_t i = 0; i < n; ++i)
            made->weight.push_back(static_cast<double>(random.below(4)));
        made->weight[0] = 1.0;
        made->data.weight = made->weight;
    }
    return made;
}

inline treewright::grow::GrowOptions grow_options(const MadeData& made, const char* criterion) {
    treewright::grow::GrowOptions options;
    options.criterion = criterion;
    for (std::uint32_t j = 0; j < made.data.columns.size(); ++j) options.columns.push_back(j);
    return options;
}
