/// What a cut of a sorted list brings, in growing by best cuts: the greatest decrease of the
/// impurity, the first cut that has it, and the gain as a tree that stands alone shows it, the same
/// double as the general grower notes. That one judges cuts by their score, the sum of the purities
/// of both sides (split/numeric/fused_scan.hpp), and notes the greatest; the first cut that ties
/// with it is taken.
///
///     score = (sum of squares left) * (1 / w) + (sum of squares right) * (1 / (W - w))
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "treewright/forest/fast/bits_of_counts.hpp"
#include "treewright/forest/fast/kernels/scan.hpp"
#include "treewright/forest/fast/name_search.hpp"
#include "treewright/forest/fast/nodes.hpp"
#include "treewright/forest/fast/row_runs.hpp"
#include "treewright/forest/fast/sorted_lists.hpp"

namespace treewright::forest {

/// Score of a cut of two classes with these sums left of it.
inline double score_of_two(const FastList& list, double w, double s) {
    const double all = list.weight;
    const double right = list.sum - s;
    const double left_others = w - s;
    const double right_others = (all - list.sum) - left_others;
    return (left_others * left_others + s * s) * (1.0 / w) +
           (right_others * right_others + right * right) * (1.0 / (all - w));
}

/// The same for numbers, about the mean as a whole number.
inline double score_of_values(const FastList& list, double w, double s) {
    const double all = list.weight;
    const double whole = FastMean(list, false).whole;
    const double left = s - whole * w;
    const double right = (list.sum - whole * all) - left;
    return left * left * (1.0 / w) + right * right * (1.0 / (all - w));
}

/// The greatest score of the cuts from a place on whose decrease is not much below `enough`.
template <bool kIsShare, class TargetOf>
double greatest_score(const FastList& list, const FastPlace& from, double enough,
                      const TargetOf& target_of) {
    constexpr double kSlack = 1.0 - 1e-14;
    const FastMean mean(list, kIsShare);
    const double all = list.weight;
    const std::uint32_t most = list.weight - list.least;
    std::uint32_t w = from.weight;
    double s = from.sum;
    double greatest = 0.0;
    for (std::uint32_t i = from.position; i < list.n && w <= most; ++i) {
        const double weight = w;
        const double excess = (s - mean.whole * weight) - mean.rest * weight;
        if ((list.entries[i] & kSameValueBit) == 0 && w >= list.least &&
            excess * excess >= kSlack * enough * (weight * (all - weight)))
            greatest = std::max(greatest, kIsShare ? score_of_two(list, weight, s)
                                                   : score_of_values(list, weight, s));
        w += weight_of(list.entries[i]);
        s += target_of(list.entries[i]);
    }
    return greatest;
}

/// The same of more classes, from sums of squares left and right of every cut.
inline double greatest_score(const FastList& list, std::uint32_t from, const double* left,
                             const double* right, const double* weights) {
    const double all = list.weight;
    double greatest = 0.0;
    for (std::uint32_t i = from - 1; i + 1 < list.n; ++i)
        if ((list.entries[i + 1] & kSameValueBit) == 0 && weights[i] >= list.least &&
            weights[i] <= all - list.least)
            greatest = std::max(
                greatest, left[i] * (1.0 / weights[i]) + right[i] * (1.0 / (all - weights[i])));
    return greatest;
}

struct ListMeasures : SortedLists {
    ListMeasures(const FastData& shared, const grow::GrowOptions& options, Progress& progress)
        : SortedLists(shared, options, progress),
          least(static_cast<std::uint32_t>(
              std::max({1.0, std::ceil(options.min_leaf), std::ceil(options.min_leaf_weight)}))) {}

    static constexpr std::uint32_t kFewClasses = 4;

    /// Two numbers, of the left side of a cut and of the right, that change together.
    using BothSides = double __attribute__((vector_size(16)));

    /// Working memory of one thread: sums of squares of the class counts on both sides of every
    /// cut, and a list with the rows without a value in another place.
    struct Scratch {
        std::vector<double> left;
        std::vector<double> right;
        std::vector<double> weights;
        std::vector<BothSides> sides;  ///< by class
        std::vector<double> class_left;
        std::vector<double> class_right;
        std::vector<std::uint32_t> turned;
        RowRuns runs;  ///< of a nominal column
        std::unique_ptr<NameSearch> names;
    };

    [[nodiscard]] FastList part_of(const FastNode& node, std::uint32_t column) {
        return {entries_of(node, column), size_of(node), least,
                static_cast<std::uint32_t>(node.weight), node.sum};
    }

    /// The greatest decrease by a cut of a list.
    __attribute__((always_inline)) double best_of(const FastNode& node, const FastList& list,
                                                  double floor, Scratch& room) {
        if (shared.bits) return best_in_bits(node, list, room);
        if (kind == Kind::two_classes) {
            const double found = loops.best_two(list, floor / 2.0);
            return found == kNoPlainCut ? found : 2.0 * found;
        }
        if (kind == Kind::values) return loops.best_values(list, value_of, floor);
        const double purity = accumulate(node, list, room);
        const double found =
            loops.best_scores(list, room.left.data(), room.right.data(), room.weights.data());
        return found == kNoPlainCut ? found : std::max(0.0, found / node.weight - purity);
    }

    /// Notes the sums of squares on both sides of every cut; returns the purity of the node.
    double accumulate(const FastNode& node, const FastList& list, Scratch& room) {
        std::vector<double>& left = room.left;
        std::vector<double>& right = room.right;
        std::vector<double>& weights = room.weights;
        if (left.size() < list.n + kPadding)
            for (auto* each : {&left, &right, &weights}) each->resize(list.n + kPadding);
        // As long as the squares are exact it does not matter how they are summed up.
        constexpr double kExactSquares = 0x1.0p26;
        if (n_classes <= kFewClasses && node.weight <= kExactSquares)
            return accumulate_few(node, list, room);
        room.sides.resize(n_classes);
        const std::uint32_t* counts = nodes.classes.data() + node.classes;
        double all = 0.0;
        for (std::uint32_t k = 0; k < n_classes; ++k) {
            const double count = counts[k];
            all += count * count;
            room.sides[k] = BothSides{0.0, -count};
        }
        // A row moves w of its class to the left: both sums of squares change by w (2 x + w), if x
        // is the weight of the class on the left, or less that on the right.
        BothSides* sides = room.sides.data();
        BothSides sums = {0.0, all};
        double weight = 0.0;
        for (std::uint32_t i = 0; i < list.n; ++i) {
            BothSides& own = sides[class_of[row_of(list.entries[i])]];
            const double one = weight_of(list.entries[i]);
            const BothSides w = {one, one};
            sums += w * (own + own + w);
            own += w;
            weight += one;
            left[i] = sums[0];
            right[i] = sums[1];
            weights[i] = weight;
        }
        return all / node.weight / node.weight;
    }

    /// The same of up to four classes. Their rows are counted in the quarters of a word, as a count
    /// in memory that was just written is slow to read; where most values tie, only the ends of
    /// their runs are summed up.
    double accumulate_few(const FastNode& node, const FastList& list, Scratch& room) const {
        constexpr std::uint32_t kSome = 64;
        const std::uint32_t n_some = std::min(list.n, kSome);
        std::uint32_t n_ties = 0;
        for (std::uint32_t i = 0; i < n_some; ++i) n_ties += list.entries[i] & kSameValueBit;
        BothSides all[2] = {};
        for (std::uint32_t k = 0; k < n_classes; ++k)
            all[k / 2][k % 2] = nodes.classes[node.classes + k];
        if (4 * n_ties > 3 * n_some) sum_squares<true>(list, all, room);
        else sum_squares<false>(list, all, room);
        const BothSides squares = all[0] * all[0] + all[1] * all[1];
        return (squares[0] + squares[1]) / node.weight / node.weight;
    }
    template <bool kSkipsTies>
    void sum_squares(const FastList& list, const BothSides* all, Scratch& room) const {
        constexpr unsigned kBits = 16;
        constexpr std::uint32_t kAtOnce = 1U << 12;
        static_assert(kAtOnce * kMostWeight < 1U << kBits);
        using Quarters = std::uint16_t __attribute__((vector_size(8)));
        using Whole = std::int32_t __attribute__((vector_size(16)));
        using Pair = std::int32_t __attribute__((vector_size(8)));
        BothSides low = {};  // rows of the first two classes on the left, and of the others
        BothSides high = {};
        std::uint64_t counted = 0;
        std::int32_t weight = 0;
        for (std::uint32_t i = 0; i < list.n; ++i) {
            const std::uint32_t entry = list.entries[i];
            const std::uint32_t own = weight_of(entry);
            weight += static_cast<std::int32_t>(own);
            counted += std::uint64_t{own}
                       << (kBits * static_cast<unsigned>(class_of[row_of(entry)]));
            if (kSkipsTies && (list.entries[i + 1] & kSameValueBit) != 0 &&
                i % kAtOnce != kAtOnce - 1)
                continue;
            const Whole more = __builtin_convertvector(std::bit_cast<Quarters>(counted), Whole);
            low += __builtin_convertvector(Pair{more[0], more[1]}, BothSides);
            high += __builtin_convertvector(Pair{more[2], more[3]}, BothSides);
            counted = 0;
            const BothSides rest_low = all[0] - low;
            const BothSides rest_high = all[1] - high;
            const BothSides left = low * low + high * high;
            const BothSides right = rest_low * rest_low + rest_high * rest_high;
            room.left[i] = left[0] + left[1];
            room.right[i] = right[0] + right[1];
            room.weights[i] = weight;
        }
    }

    /// The first cut of a list whose decrease is enough.
    [[nodiscard]] FastPlace locate(const FastNode& node, const FastList& list, double enough) {
        if (shared.bits) return locate_in_bits(node, list, enough);
        if (kind == Kind::two_classes) return loops.locate_two(list, enough / 2.0);
        if (kind == Kind::values) return loops.locate_values(list, value_of, enough);
        const double purity = accumulate(node, list, scratch);
        FastPlace found;
        found.position =
            loops.locate_scores(list, scratch.left.data(), scratch.right.data(),
                                scratch.weights.data(), (enough + purity) * node.weight);
        for (std::uint32_t i = 0; i < found.position; ++i)
            found.weight += weight_of(list.entries[i]);
        return found;
    }

    // ---------------------------------------------------------------- entropy

    /// The purity of a node in bits.
    [[nodiscard]] double bits_of(const FastNode& node) const {
        const auto n = static_cast<std::uint32_t>(node.weight);
        return kind == Kind::two_classes
                   ? shared.bits->purity(n, static_cast<std::uint32_t>(node.sum))
                   : shared.bits->purity_of_classes(n, nodes.classes.data() + node.classes,
                                                    n_classes);
    }
    /// The size of what the decreases of the impurity are differences of, per unit of weight.
    [[nodiscard]] double tie_scale_of(const FastNode& node) const {
        return shared.bits
                   ? shared.bits->tie_scale(bits_of(node), static_cast<std::uint32_t>(node.weight))
                   : nodes.purity_of(node);
    }
    /// Calls f(place, purities of both sides in bits) for the cuts of a list until it returns true.
    template <class F>
    void for_each_cut_in_bits(const FastNode& node, const FastList& list, Scratch& room, F&& f) {
        const BitsOfCounts& bits = *shared.bits;
        const std::uint32_t most = list.weight - list.least;
        const auto all_positive = static_cast<std::uint32_t>(list.sum);
        if (kind == Kind::classes) {
            room.class_left.assign(n_classes, 0.0);
            room.class_right.assign(nodes.classes.begin() + node.classes,
                                    nodes.classes.begin() + node.classes + n_classes);
        }
        std::uint32_t n = 0;
        std::uint32_t n_positive = 0;
        for (std::uint32_t i = 0; i + 1 < list.n; ++i) {
            const std::uint32_t entry = list.entries[i];
            n += weight_of(entry);
            if (kind == Kind::classes) {
                const auto k = static_cast<std::size_t>(class_of[row_of(entry)]);
                room.class_left[k] += weight_of(entry);
                room.class_right[k] -= weight_of(entry);
            } else {
                n_positive += (entry & kPositive) != 0 ? weight_of(entry) : 0;
            }
            if ((list.entries[i + 1] & kSameValueBit) != 0 || n < list.least) continue;
            if (n > most) return;
            const double purities =
                kind == Kind::classes
                    ? bits.purity_of_classes(n, room.class_left, n_classes) +
                          bits.purity_of_classes(list.weight - n, room.class_right, n_classes)
                    : bits.purity(n, n_positive) +
                          bits.purity(list.weight - n, all_positive - n_positive);
            if (f(FastPlace{i + 1, n, static_cast<double>(n_positive)}, purities)) return;
        }
    }
    [[nodiscard]] double greatest_bits(const FastNode& node, const FastList& list, Scratch& room) {
        double most = -std::numeric_limits<double>::infinity();
        for_each_cut_in_bits(node, list, room, [&](const FastPlace&, double purities) {
            most = std::max(most, purities);
            return false;
        });
        return most;
    }
    [[nodiscard]] double decrease_in_bits(const FastNode& node, double purities) const {
        return std::max(0.0, purities - bits_of(node)) / node.weight;
    }
    [[nodiscard]] double best_in_bits(const FastNode& node, const FastList& list, Scratch& room) {
        const double most = greatest_bits(node, list, room);
        return std::isinf(most) ? kNoPlainCut : decrease_in_bits(node, most);
    }
    [[nodiscard]] FastPlace locate_in_bits(const FastNode& node, const FastList& list,
                                           double enough) {
        FastPlace found;
        const double parent = bits_of(node);
        for_each_cut_in_bits(node, list, scratch, [&](const FastPlace& place, double purities) {
            if (!(std::max(0.0, purities - parent) >= enough * node.weight)) return false;
            found = place;
            return true;
        });
        return found;
    }
    /// Purities of the rows with a value and of those without.
    [[nodiscard]] double bits_by_known(const FastNode& node, const FastList& list,
                                       const FastPlace& known, std::uint32_t n_known) {
        const BitsOfCounts& bits = *shared.bits;
        const std::uint32_t n_missing = list.weight - known.weight;
        if (kind == Kind::two_classes)
            return bits.purity(known.weight, static_cast<std::uint32_t>(known.sum)) +
                   bits.purity(n_missing, static_cast<std::uint32_t>(list.sum - known.sum));
        const std::vector<double>& missing = classes_of_missing(list, n_known);
        std::vector<double>& here = scratch.class_left;
        here.resize(n_classes);
        for (std::uint32_t k = 0; k < n_classes; ++k)
            here[k] = nodes.classes[node.classes + k] - missing[k];
        return bits.purity_of_classes(known.weight, here, n_classes) +
               bits.purity_of_classes(n_missing, missing, n_classes);
    }

    // ---------------------------------------------------------------- gains that are shown

    /// The gain of a cut with this score.
    [[nodiscard]] double gain_of(const FastNode& node, double score) const {
        const double reciprocal = 1.0 / node.weight;
        if (shared.bits) return std::max(0.0, (score - bits_of(node)) * reciprocal);
        double parent = 0.0;
        double unit = 1.0;
        if (kind == Kind::two_classes) {
            const double others = node.weight - node.sum;
            parent = others * others + node.sum * node.sum;
        } else if (kind == Kind::classes) {
            for (std::uint32_t k = 0; k < n_classes; ++k) {
                const double count = nodes.classes[node.classes + k];
                parent += count * count;
            }
        } else {
            const double about_mean =
                node.sum - node.weight * std::nearbyint(node.sum / node.weight);
            parent = about_mean * about_mean;
            unit = 1.0 / node.unit / node.unit;
        }
        return std::max(0.0, (score - parent * reciprocal) * reciprocal) * unit;
    }

    /// The greatest score of the cuts from a place on; below all if there is none. Of more than two
    /// classes the sums are those that `locate` has left.
    [[nodiscard]] double score_from(const FastNode& node, const FastList& list,
                                    const FastPlace& place, double enough) {
        if (place.position == 0) return -std::numeric_limits<double>::infinity();
        if (shared.bits) return greatest_bits(node, list, scratch);
        if (kind == Kind::two_classes)
            return greatest_score<true>(list, place, enough / 2.0, [](std::uint32_t entry) {
                return (entry & kPositive) != 0 ? static_cast<double>(weight_of(entry)) : 0.0;
            });
        if (kind == Kind::values)
            return greatest_score<false>(
                list, place, enough, [&](std::uint32_t entry) { return value_of[row_of(entry)]; });
        return greatest_score(list, place.position, scratch.left.data(), scratch.right.data(),
                              scratch.weights.data());
    }

    [[nodiscard]] double score_by_known(const FastNode& node, const FastList& list,
                                        const FastPlace& known, std::uint32_t n_known) {
        if (shared.bits) return bits_by_known(node, list, known, n_known);
        if (kind == Kind::two_classes) return score_of_two(list, known.weight, known.sum);
        if (kind == Kind::values) return score_of_values(list, known.weight, known.sum);
        const auto [of_known, of_missing] = squares_by_known(node, list, n_known);
        return of_known * (1.0 / known.weight) +
               of_missing * (1.0 / (static_cast<double>(list.weight) - known.weight));
    }

    /// The place between the rows with a value and those without.
    [[nodiscard]] FastPlace sums_of_known(const FastList& list, std::uint32_t n_known) const {
        FastPlace known{n_known, list.weight, list.sum};
        for (std::uint32_t i = n_known; i < list.n; ++i) {
            const std::uint32_t entry = list.entries[i];
            known.weight -= weight_of(entry);
            if (kind == Kind::values) known.sum -= value_of[row_of(entry)];
            else if ((entry & kPositive) != 0) known.sum -= weight_of(entry);
        }
        return known;
    }

    [[nodiscard]] double decrease_by_known(const FastNode& node, const FastList& list,
                                           const FastPlace& known, std::uint32_t n_known) {
        if (known.weight < least || list.weight - known.weight < least) return kNoPlainCut;
        if (shared.bits) return decrease_in_bits(node, bits_by_known(node, list, known, n_known));
        const double weight = known.weight;
        const double rest = static_cast<double>(list.weight) - weight;
        if (kind != Kind::classes) {
            const FastMean mean(list, kind == Kind::two_classes);
            const double excess = (known.sum - mean.whole * weight) - mean.rest * weight;
            const double found = excess * excess / (weight * rest);
            return kind == Kind::values ? found : 2.0 * found;
        }
        const auto [of_known, of_missing] = squares_by_known(node, list, n_known);
        const double score = of_known / weight + of_missing / rest;
        return std::max(0.0, score / node.weight - nodes.purity_of(node));
    }

    /// Counts of the classes among the rows without a value.
    [[nodiscard]] const std::vector<double>& classes_of_missing(const FastList& list,
                                                                std::uint32_t n_known) {
        scratch.class_right.assign(n_classes, 0.0);
        for (std::uint32_t i = n_known; i < list.n; ++i)
            scratch.class_right[static_cast<std::size_t>(class_of[row_of(list.entries[i])])] +=
                weight_of(list.entries[i]);
        return scratch.class_right;
    }

    /// Sums of squares of the class counts of the rows with a value and of those without.
    [[nodiscard]] std::pair<double, double> squares_by_known(const FastNode& node,
                                                             const FastList& list,
                                                             std::uint32_t n_known) {
        const std::vector<double>& missing = classes_of_missing(list, n_known);
        std::pair<double, double> squares;
        for (std::uint32_t k = 0; k < n_classes; ++k) {
            const double here = nodes.classes[node.classes + k] - missing[k];
            squares.first += here * here;
            squares.second += missing[k] * missing[k];
        }
        return squares;
    }

    std::uint32_t least;  ///< weight that either side of a cut must have
    Scratch scratch;      ///< of the thread that grows the tree
};

}  // namespace treewright::forest
