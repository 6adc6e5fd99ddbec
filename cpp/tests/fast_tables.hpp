/// Small awkward tables, and how often each row counts, for the tests of forests.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <type_traits>
#include <vector>

#include "treewright/base/random.hpp"
#include "treewright/data/dataset.hpp"
#include "treewright/grow/options.hpp"

/// Owns the arrays that its Dataset views.
struct FastTable {
    std::vector<std::vector<float>> singles;
    std::vector<std::vector<double>> doubles;
    std::vector<std::vector<std::int64_t>> wholes;
    std::vector<std::vector<std::int32_t>> codes;
    std::vector<std::vector<std::uint8_t>> known;  ///< of the whole numbers
    std::vector<std::int32_t> classes;
    std::vector<double> values;
    std::vector<std::uint32_t> copies;
    std::vector<bool> is_real;
    treewright::data::Dataset data;
};

struct FastTableOptions {
    std::size_t n_rows = 60;
    std::uint32_t n_classes = 2;    ///< 0: numbers
    std::uint64_t distinct = 12;    ///< values of a column
    std::uint64_t most_copies = 3;  ///< of a row
    double gaps = 0.0;              ///< share of values that are missing
};

inline std::unique_ptr<FastTable> make_fast_table(const FastTableOptions& options,
                                                  treewright::Generator& random) {
    using namespace treewright;
    using namespace treewright::data;
    auto made = std::make_unique<FastTable>();
    const std::size_t n = options.n_rows;
    made->known.reserve(8);  // columns view them
    const auto add = [&](auto& columns, ValueType type, auto value_of) {
        auto& column = columns.emplace_back(n);
        for (auto& x : column) x = value_of();
        Column view;
        view.data = reinterpret_cast<const std::byte*>(column.data());
        view.stride = sizeof(column[0]);
        view.type = type;
        using Value = std::decay_t<decltype(column[0])>;
        for (std::size_t row = 0; row < n && options.gaps > 0.0; ++row) {
            if (random.uniform() >= options.gaps) continue;
            if constexpr (std::is_floating_point_v<Value>) {
                column[row] = std::numeric_limits<Value>::quiet_NaN();
            } else if (type == ValueType::code) {
                column[row] = kMissingCode;
            } else {
                if (view.known == nullptr)
                    view.known = made->known.emplace_back(n, std::uint8_t{1}).data();
                made->known.back()[row] = 0;
            }
        }
        made->data.columns.push_back(view);
        made->is_real.push_back(std::is_floating_point_v<Value>);
    };
    const auto drawn = [&] { return static_cast<double>(random.below(options.distinct)); };
    for (int i = 0; i < 2; ++i) {
        add(made->singles, ValueType::f32, [&] { return static_cast<float>(drawn() / 3.0 - 1.0); });
        add(made->doubles, ValueType::f64, [&] { return 0.1 * drawn() - 1e6; });
        add(made->wholes, ValueType::i64, [&] { return static_cast<std::int64_t>(drawn()) - 4; });
    }
    add(made->singles, ValueType::f32, [] { return 2.5F; });
    if (options.gaps > 0.0) {
        add(made->codes, ValueType::code, [&] { return static_cast<std::int32_t>(drawn()) % 3; });
        made->data.columns.back().scale = Scale::ordinal;
        made->data.columns.back().n_codes = 4;
    }
    made->data.n_rows = n;
    for (std::size_t row = 0; row < n; ++row) {
        const float single = made->singles[0][row];
        const double signal = (single == single ? static_cast<double>(single) : 0.5) +
                              static_cast<double>(made->wholes[0][row]) * 0.2;
        const double noisy = signal + 2.0 * random.uniform();
        if (options.n_classes > 0)
            made->classes.push_back(static_cast<std::int32_t>(
                random.uniform() < 0.3
                    ? random.below(options.n_classes)
                    : static_cast<std::uint64_t>(noisy + 100.0) % options.n_classes));
        else made->values.push_back(static_cast<double>(static_cast<int>(noisy * 8.0)) / 8.0);
        made->copies.push_back(static_cast<std::uint32_t>(random.below(options.most_copies + 1)));
    }
    made->copies[0] = static_cast<std::uint32_t>(options.most_copies);
    if (options.n_classes > 0) {
        made->data.target.n_classes = {options.n_classes};
        made->data.target.classes = made->classes;
    } else {
        made->data.target.values = made->values;
    }
    return made;
}

inline treewright::grow::GrowOptions fast_options(const FastTable& table) {
    treewright::grow::GrowOptions options;
    options.criterion = table.data.target.is_classification() ? "gini" : "squared_error";
    options.random_ties = true;
    for (std::uint32_t j = 0; j < table.data.columns.size(); ++j) options.columns.push_back(j);
    return options;
}
