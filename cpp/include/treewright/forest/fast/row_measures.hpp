/// What a cut brings, in growing on rows: the decrease of the impurity by each cut of a column,
/// from the sums of runs of equal values, by Gini, entropy or squared error.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "treewright/criteria/entropy.hpp"
#include "treewright/criteria/registry.hpp"
#include "treewright/forest/fast/binned_runs.hpp"
#include "treewright/forest/fast/gaps.hpp"
#include "treewright/forest/fast/grower.hpp"
#include "treewright/forest/fast/kernels/run_cuts.hpp"
#include "treewright/forest/fast/kernels/scan.hpp"
#include "treewright/forest/fast/name_search.hpp"
#include "treewright/forest/fast/nodes.hpp"
#include "treewright/forest/fast/row_draws.hpp"
#include "treewright/forest/fast/row_runs.hpp"

namespace treewright::forest {

struct RowMeasures {
    enum class Kind : std::uint8_t { two_classes, classes, values };
    static constexpr std::uint32_t kNowhere = ~0U;

    RowMeasures(const FastData& shared, const grow::GrowOptions& options)
        : shared(shared),
          data(*shared.data),
          nodes(options, data.target, data.columns.size()),
          n_classes(data.target.is_classification() ? data.target.n_classes[0] : 0),
          kind(n_classes == 0            ? Kind::values
               : data.target.is_binary() ? Kind::two_classes
                                         : Kind::classes),
          is_weighed(shared.is_weighed) {
        if (criteria::traits_of(options.criterion).is_in_bits) entropy.emplace(data.target);
        nodes.is_weighed = is_weighed;
        nodes.is_unpacked = shared.is_unpacked;
    }

    /// Reads the limits, which may differ from tree to tree where rows weigh differently.
    void begin_limits() {
        const grow::GrowOptions& options = nodes.options;
        least_copies = std::max(1.0, std::ceil(options.min_leaf));
        least = is_weighed ? options.min_leaf_weight
                           : std::max(least_copies, std::ceil(options.min_leaf_weight));
    }

    /// The runs of the column of a node that leads so far.
    struct Kept {
        std::uint32_t column = kNowhere;
        double decrease = kNoPlainCut;
        Runs runs;
        split::Candidate names;  ///< of a nominal column
    };

    /// Working memory of one thread.
    struct Scratch {
        RowRuns runs;
        BinnedRuns binned;
        std::unique_ptr<NameSearch> names;
        Kept kept;
        bool may_be_rough = false;  ///< few names may be judged roughly (rough_names)
        bool is_rough = false;      ///< those judged last are
        bool is_binned = false;     ///< the runs are those of bins
        DrawnNames drawn_names;
        std::vector<double> values;  ///< of the rows of a node in a column that a cut is drawn for
        std::vector<std::uint8_t> side_of_code;  ///< of the names that were located
        std::vector<double> left;  ///< sums of squares of the class counts on either side
        std::vector<double> right;
        std::vector<double> weight;  ///< of the first side
        std::vector<double> copies;  ///< the same: rows drawn
        std::vector<double> class_left;
        std::vector<double> class_right;
    };

    [[nodiscard]] NodeRows rows_of(const FastNode& node) const {
        return {words + node.begin, node.size()};
    }

    /// Which cuts are gone through.
    struct Cuts {
        GapSide gaps = GapSide::second;  ///< where rows without a value are
        bool asks_known = false;         ///< on the second side: also the cut between them and all
    };

    /// The size of what gains are differences of, per unit of the node's weight.
    [[nodiscard]] double tie_scale_of(const FastNode& node) const {
        if (!entropy) return nodes.purity_of(node);
        const double sums[] = {node.copies, node.weight};
        return (std::abs(purity_in_bits(node)) + 0.5 * entropy->magnitude(sums)) / node.weight;
    }
    /// The impurity of a node, of numbers that of their grid.
    [[nodiscard]] double impurity_of(const FastNode& node) const {
        if (entropy) return -purity_in_bits(node) / node.weight;
        return kind == Kind::values ? variance_of(node) : 1.0 - nodes.purity_of(node);
    }

    const FastData& shared;
    const data::Dataset& data;
    FastNodes nodes;
    std::uint32_t n_classes;
    Kind kind;
    bool is_weighed;                           ///< rows weigh differently
    std::optional<ClassSums> of_classes;       ///< they weigh as their class, which is one of two
    std::optional<criteria::Entropy> entropy;  ///< judges in place of Gini
    double least = 1.0;                        ///< weight that either side of a cut must have
    double least_copies = 1.0;             ///< rows that it must have where rows weigh differently
    const WeighedRow* weighed = nullptr;   ///< by row of the node at hand, as the next two
    const std::uint32_t* words = nullptr;  ///< of the tree's rows; a node is a range of them
    const double* on_grid = nullptr;       ///< targets on the grid, by row of the node at hand
    const std::int32_t* class_of_row = nullptr;  ///< more than two classes, by row as well

    /// The decrease of the impurity, per unit of weight, that a measure of for_each_cut means.
    [[nodiscard]] double decrease_of(const FastNode& node, double measure) const {
        if (measure == kNoPlainCut) return kNoPlainCut;
        if (entropy) return measure / node.weight;
        if (kind == Kind::two_classes) return 2.0 * measure;
        if (kind == Kind::values) return measure;
        return std::max(0.0, measure / node.weight - nodes.purity_of(node));
    }
    [[nodiscard]] double measure_for(const FastNode& node, double decrease) const {
        if (entropy) return decrease * node.weight;
        if (kind == Kind::two_classes) return decrease / 2.0;
        if (kind == Kind::values) return decrease;
        return (decrease + nodes.purity_of(node)) * node.weight;
    }

    /// The first cut of enough decrease: the run that it follows.
    [[nodiscard]] std::uint32_t first_of(const FastNode& node, Scratch& room, const Cuts& cuts,
                                         double enough) const {
        const double least_measure = measure_for(node, enough);
        std::uint32_t found = kNowhere;
        for_each_cut(node, room, cuts, [&](std::uint32_t run, double measure) {
            if (!(measure >= least_measure)) return false;
            found = run;
            return true;
        });
        return found;
    }
    /// The greatest measure of a cut.
    [[nodiscard]] double best(const FastNode& node, Scratch& room, const Cuts& cuts) const {
        // Where rows weigh differently one of them is on either side of a cut, but no more is sure.
        if (kind != Kind::classes && !entropy && (!is_weighed || least_copies <= 1.0))
            return best_plain_cut(node, room.runs, cuts);
        double most = kNoPlainCut;
        for_each_cut(node, room, cuts, [&](std::uint32_t, double measure) {
            most = std::max(most, measure);
            return false;
        });
        return most;
    }

    [[nodiscard]] bool admits(const FastNode& node, double weight, double copies) const {
        return weight >= least && weight <= node.weight - least &&
               (!is_weighed ||
                (copies >= least_copies && copies <= node.copies - least_copies && weight > 0.0));
    }

    /// Calls f(run before the cut, measure) for every admissible cut until it returns true. The
    /// measure is that of the kernels (kernels/scan.hpp), in the same operations, or of entropy
    /// the number of bits that are saved.
    template <class F>
    void for_each_cut(const FastNode& node, Scratch& room, const Cuts& cuts, F&& f) const {
        const Runs& runs = room.runs;
        const std::uint32_t n_cuts = runs.n - (cuts.asks_known ? 0U : 1U);
        if (runs.n == 0 || n_cuts == 0) return;
        if (kind == Kind::classes) for_each_cut_of_classes(node, room, cuts, n_cuts, f);
        else if (entropy) for_each_cut_in_bits(node, runs, cuts, n_cuts, f);
        else for_each_plain_cut(node, runs, cuts, n_cuts, f);
    }

    [[nodiscard]] double best_plain_cut(const FastNode& node, const Runs& runs,
                                        const Cuts& cuts) const {
        if (runs.n == 0) return kNoPlainCut;
        const bool is_first = cuts.gaps == GapSide::first;
        const FastMean mean(node.sum, node.weight, kind == Kind::two_classes);
        return best_of_runs(
            {runs.weight.data(), runs.target.data(), runs.n - (cuts.asks_known ? 0U : 1U),
             is_first ? runs.missing_weight : 0.0, is_first ? runs.missing_target : 0.0,
             node.weight, least, mean.whole, mean.rest});
    }

    template <class F>
    void for_each_plain_cut(const FastNode& node, const Runs& runs, const Cuts& cuts,
                            std::uint32_t n_cuts, F&& f) const {
        const double all = node.weight;
        const double most = all - least;
        const bool is_first = cuts.gaps == GapSide::first;
        const double more_weight = is_first ? runs.missing_weight : 0.0;
        const double more_target = is_first ? runs.missing_target : 0.0;
        const double more_copies = is_first ? runs.missing_copies : 0.0;
        const FastMean mean(node.sum, all, kind == Kind::two_classes);
        for (std::uint32_t i = 0; i < n_cuts; ++i) {
            const double w = runs.weight[i] + more_weight;
            if (w < least) continue;
            if (w > most) return;
            if (is_weighed && !admits(node, w, runs.copies[i] + more_copies)) continue;
            const double s = runs.target[i] + more_target;
            const double excess = (s - mean.whole * w) - mean.rest * w;
            if (f(i, excess * excess / (w * (all - w)))) return;
        }
    }

    template <class F>
    void for_each_cut_in_bits(const FastNode& node, const Runs& runs, const Cuts& cuts,
                              std::uint32_t n_cuts, F&& f) const {
        const double parent = purity_in_bits(node);
        const bool is_first = cuts.gaps == GapSide::first;
        for (std::uint32_t i = 0; i < n_cuts; ++i) {
            const double w = runs.weight[i] + (is_first ? runs.missing_weight : 0.0);
            const double copies = runs.copies[i] + (is_first ? runs.missing_copies : 0.0);
            if (!admits(node, w, copies)) continue;
            const double s = runs.target[i] + (is_first ? runs.missing_target : 0.0);
            const double purities =
                purity_in_bits(w, s) + purity_in_bits(node.weight - w, node.sum - s);
            if (f(i, std::max(0.0, purities - parent))) return;
        }
    }

    template <class F>
    void for_each_cut_of_classes(const FastNode& node, Scratch& room, const Cuts& cuts,
                                 std::uint32_t n_cuts, F&& f) const {
        if (entropy) accumulate(node, room, cuts, Bits{*entropy});
        else if (is_weighed) accumulate(node, room, cuts, Squares{});
        else accumulate(node, room, cuts, RunningSquares{});
        const double parent = entropy ? purity_in_bits(node) : 0.0;
        for (std::uint32_t i = 0; i < n_cuts; ++i) {
            const double w = room.weight[i];
            if (!admits(node, w, room.copies[i])) continue;
            const double measure = entropy ? std::max(0.0, room.left[i] + room.right[i] - parent)
                                           : room.left[i] / w + room.right[i] / (node.weight - w);
            if (f(i, measure)) return;
        }
    }

    // Purities as in criteria/entropy.hpp.

    [[nodiscard]] double purity_in_bits(double weight, double positive) const {
        return entropy->x_log_x(weight - positive) + entropy->x_log_x(positive) -
               entropy->x_log_x(weight);
    }
    [[nodiscard]] double purity_in_bits(const FastNode& node) const {
        if (kind != Kind::classes) return purity_in_bits(node.weight, node.sum);
        double sum = 0.0;
        for (std::uint32_t k = 0; k < n_classes; ++k)
            sum += entropy->x_log_x(class_weight(node, k));
        return sum - entropy->x_log_x(node.weight);
    }
    [[nodiscard]] double class_weight(const FastNode& node, std::uint32_t k) const {
        return is_weighed ? nodes.class_weights[node.classes + k] : nodes.classes[node.classes + k];
    }

    [[nodiscard]] double variance_of(const FastNode& node) const {
        const NodeRows rows = rows_of(node);
        const double mean = node.sum / node.weight;
        double squares = 0.0;
        for (std::uint32_t i = 0; i < rows.n; ++i) {
            const std::uint32_t row = row_of(rows.words[i]);
            const double off = on_grid[row] - mean;
            squares +=
                weight_of(rows.words[i]) * (is_weighed ? weighed[row].weight : 1.0) * off * off;
        }
        return squares / node.weight;
    }

    // What a side of a cut is judged by, from the weights of its classes: the sum of their squares,
    // exact and so kept up to date where they are whole numbers, or the purity in bits.

    struct RunningSquares {
        static constexpr bool kRuns = true;
    };
    struct Squares {
        static constexpr bool kRuns = false;
        [[nodiscard]] double operator()(const std::vector<double>& weights, double) const {
            double sum = 0.0;
            for (const double weight : weights) sum += weight * weight;
            return sum;
        }
    };
    struct Bits {
        static constexpr bool kRuns = false;
        const criteria::Entropy& entropy;
        [[nodiscard]] double operator()(const std::vector<double>& weights, double all) const {
            double sum = 0.0;
            for (const double weight : weights) sum += entropy.x_log_x(weight);
            return sum - entropy.x_log_x(all);
        }
    };

    /// What both sides of every cut are judged by.
    template <class Side>
    void accumulate(const FastNode& node, Scratch& room, const Cuts& cuts, const Side& side) const {
        const Runs& runs = room.runs;
        for (auto* each : {&room.left, &room.right, &room.weight, &room.copies})
            if (each->size() < runs.n) each->resize(runs.n);
        room.class_left.assign(n_classes, 0.0);
        room.class_right.resize(n_classes);
        for (std::uint32_t k = 0; k < n_classes; ++k) room.class_right[k] = class_weight(node, k);
        double of_left = 0.0;
        double of_right = 0.0;
        for (const double count : room.class_right) of_right += count * count;
        double weight = 0.0;
        double copies = 0.0;
        const auto add = [&](const Runs::Event& event) {
            const double w = event.weight;
            double& left = room.class_left[event.class_number];
            double& right = room.class_right[event.class_number];
            if constexpr (Side::kRuns) {
                of_left += w * (2.0 * left + w);
                of_right -= w * (2.0 * right - w);
            }
            left += w;
            right -= w;
            weight += w;
            copies += event.copies;
        };
        if (cuts.gaps == GapSide::first)
            for (const Runs::Event& event : runs.missing_events) add(event);
        std::uint32_t next = 0;
        for (std::uint32_t i = 0; i < runs.n; ++i) {
            for (; next < runs.event_end[i]; ++next) add(runs.events[next]);
            if constexpr (!Side::kRuns) {
                of_left = side(room.class_left, weight);
                of_right = side(room.class_right, node.weight - weight);
            }
            room.left[i] = of_left;
            room.right[i] = of_right;
            room.weight[i] = weight;
            room.copies[i] = copies;
        }
    }
};

}  // namespace treewright::forest
