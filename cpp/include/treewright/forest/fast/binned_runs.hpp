/// The best cut of two classes in a column of many values, in growing on rows, without putting all
/// rows in order: a column's codes lie in up to 256 bins (coded_columns.hpp). The rows of a node
/// are counted by bin; then only bins that may hold a better cut than is known are looked into.
///
/// Let w and s be the weight and the second class's weight up to a cut. From one end of a bin of
/// weight v, t of it of the second class, to the other they lie in the parallelogram of (0, 0),
/// (t, t), (v - t, 0), (v, t), moved to where the bin begins. What a cut brings, (s - w S / W)^2 /
/// (w (W - w)), is convex in both, so that no cut in the bin is better than the best corner.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "treewright/forest/fast/coded_columns.hpp"
#include "treewright/forest/fast/kernels/scan.hpp"
#include "treewright/forest/fast/radix_keys.hpp"
#include "treewright/forest/fast/row_runs.hpp"
#include "treewright/forest/fast/row_sums.hpp"
#include "treewright/split/ties.hpp"

namespace treewright::forest {

/// What cuts of a node are judged by: its weight, that of the second class, the size of ties.
struct BinnedNode {
    double weight;
    double sum;
    double purity;
};

class BinnedRuns {
public:
    enum class Found : std::uint8_t {
        runs,      ///< the runs hold every cut that reaches the best one or the floor
        below,     ///< some cut exists, none is above the floor
        too_many,  ///< so many rows would have to be put in order that all may be as well
    };

    /// Collects the runs of a column with bins, as RowRuns::collect does, but for those of bins
    /// that hold no cut above `floor`: they are one run each, whose code is not said. Some cut is
    /// admissible wherever values differ.
    template <class Codes>
    Found collect(const NodeRows& rows, const CodedColumn& column, const Codes& codes,
                  const BinnedNode& node, double floor, Runs& runs) {
        count(rows, column);
        const double bar = list_bins(column, node, floor);
        if (bins.size() < 2) return Found::too_many;  // it may be one value
        const std::uint64_t weight_inside = mark_bins(node, bar);
        if (weight_inside == 0 && !any_single) return Found::below;
        if (kMostInside * static_cast<double>(weight_inside) > node.weight) return Found::too_many;
        order_inside(rows, column, codes);
        write(rows, runs, column);
        return Found::runs;
    }

    /// Rows of a node from which on bins pay.
    static constexpr std::uint32_t kLeastRows = 128;

private:
    static constexpr double kMostInside = 2.0;
    static constexpr std::size_t kWays = 2;  ///< a sum that was just written is slow to read
    static constexpr unsigned kLowBits = (1U << kRowAt) - 1U;

    /// What an entry adds, by its last bits.
    static constexpr std::array<PairSums::Sum, 1U << kRowAt> kSumOf = [] {
        std::array<PairSums::Sum, 1U << kRowAt> made{};
        for (std::uint32_t bits = 0; bits < made.size(); ++bits) made[bits] = PairSums::of(bits);
        return made;
    }();

    /// A bin that rows of the node are in: sums up to its begin, and up to its end.
    struct Bin {
        std::uint32_t number;
        bool is_single;  ///< of one value
        bool is_inside;  ///< its rows are put in order
        PairSums::Sum before;
        PairSums::Sum after;
    };

    void count(const NodeRows& rows, const CodedColumn& column) {
        const std::uint8_t* const bin_of_row = column.bins.data();
        for (auto& way : sums) way.fill(0);
        std::uint32_t i = 0;
        for (; i + kWays <= rows.n; i += kWays)
            for (std::uint32_t way = 0; way < kWays; ++way) {
                const std::uint32_t word = rows.words[i + way];
                sums[way][bin_of_row[row_of(word)]] += kSumOf[word & kLowBits];
            }
        for (; i < rows.n; ++i)
            sums[0][bin_of_row[row_of(rows.words[i])]] += kSumOf[rows.words[i] & kLowBits];
    }

    /// Lists the bins with rows; returns what a cut must reach to matter.
    double list_bins(const CodedColumn& column, const BinnedNode& node, double floor) {
        const double rest = node.sum / node.weight;
        PairSums::Sum running = 0;
        double best = floor;
        bins.clear();
        for (std::uint32_t b = 0; b + 1 < column.bin_begin.size(); ++b) {
            const PairSums::Sum own = sums[0][b] + sums[1][b];
            if (own == 0) continue;
            const bool is_single = column.bin_begin[b + 1] - column.bin_begin[b] == 1;
            bins.push_back({b, is_single, false, running, running + own});
            running += own;
            const double w = PairSums::weight(running);
            const double excess = PairSums::target(running) - rest * w;
            const double below = w * (node.weight - w);
            if (below > 0.0 && excess * excess > best * below) best = excess * excess / below;
        }
        // Cuts that tie with the best one matter as well; rounding is far less than this.
        return best - 16.0 * split::kTie * (node.purity + 2.0 * best);
    }

    /// Marks the bins that may hold a cut that reaches the bar; returns their rows' weight.
    std::uint64_t mark_bins(const BinnedNode& node, double bar) {
        const double rest = node.sum / node.weight;
        const auto reaches = [&](double w, double s) {
            const double excess = s - rest * w;
            const double below = w * (node.weight - w);
            return (below > 0.0) & (excess * excess >= bar * below);
        };
        std::uint64_t weight_inside = 0;
        any_single = false;
        for (Bin& bin : bins) {
            const double w = PairSums::weight(bin.before);
            const double s = PairSums::target(bin.before);
            const double v = PairSums::weight(bin.after - bin.before);
            const double t = PairSums::target(bin.after - bin.before);
            const bool may_hold = reaches(w, s) | reaches(w + t, s + t) | reaches(w + (v - t), s) |
                                  reaches(w + v, s + t);
            bin.is_inside = may_hold & !bin.is_single;
            any_single = any_single | (may_hold & bin.is_single);
            if (bin.is_inside) weight_inside += (bin.after - bin.before) >> 32;
        }
        return weight_inside;
    }

    /// Keys of code << 32 | place of the rows in the marked bins, ascending.
    template <class Codes>
    void order_inside(const NodeRows& rows, const CodedColumn& column, const Codes& codes) {
        is_inside.fill(0);
        for (const Bin& bin : bins) is_inside[bin.number] = bin.is_inside ? 1 : 0;
        if (keys.size() < rows.n + 1) keys.resize(rows.n + 1);
        const std::uint8_t* const bin_of_row = column.bins.data();
        n_keys = 0;
        for (std::uint32_t i = 0; i < rows.n; ++i) {  // which rows is unpredictable: no branch
            keys[n_keys] = i;
            n_keys += is_inside[bin_of_row[row_of(rows.words[i])]];
        }
        for (std::uint32_t k = 0; k < n_keys; ++k)
            keys[k] |= std::uint64_t{codes[row_of(rows.words[keys[k]])]} << 32;
        sort_by_code(keys.data(), n_keys, column.n_codes, spare);
    }

    void write(const NodeRows& rows, Runs& runs, const CodedColumn& column) const {
        runs.begin_runs(static_cast<std::uint32_t>(bins.size()) + n_keys);
        std::uint32_t k = 0;
        for (const Bin& bin : bins) {
            if (!bin.is_inside) {
                runs.add_run(column.bin_begin[bin.number], bin.after);
                continue;
            }
            PairSums::Sum running = bin.before;
            while (running != bin.after) {
                running += PairSums::of(rows.words[static_cast<std::uint32_t>(keys[k])]);
                const std::uint64_t code = keys[k++] >> 32;
                if (running == bin.after || keys[k] >> 32 != code)
                    runs.add_run(static_cast<std::uint32_t>(code), running);
            }
        }
    }

    std::array<std::array<PairSums::Sum, CodedColumn::kMostBins>, kWays> sums;
    std::array<std::uint8_t, CodedColumn::kMostBins> is_inside;
    std::vector<Bin> bins;
    bool any_single = false;  ///< a bin of one value may hold a cut that reaches the bar
    std::vector<std::uint64_t> keys;
    std::vector<std::uint64_t> spare;
    std::uint32_t n_keys = 0;
};

}  // namespace treewright::forest
