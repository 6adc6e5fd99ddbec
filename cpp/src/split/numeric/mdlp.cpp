#include "treewright/split/numeric/mdlp.hpp"

#include <algorithm>
#include <cmath>

namespace treewright::split {
namespace {

constexpr std::size_t kSeveral = ~std::size_t{0};
constexpr double kNone = -std::numeric_limits<double>::infinity();
constexpr std::uint32_t kFewBlocks = 64;  // of an interval, examined one by one
constexpr std::uint32_t kFewCuts = 6;     // of a stretch: a bound costs about as much
constexpr std::uint32_t kStretches = 16;
constexpr std::size_t kMostBoundClasses = 4;  // a bound costs 2^classes evaluations

double x_log_x(double x) {
    return x > 0.0 ? x * std::log2(x) : 0.0;
}

/// -weight x entropy, in bits.
double purity(const double* sums, std::size_t width) {
    double sum = 0.0;
    for (std::size_t k = criteria::kStatistics; k < width; ++k) sum += x_log_x(sums[k]);
    return sum - x_log_x(sums[criteria::kWeight]);
}

double n_classes(const double* sums, std::size_t width) {
    return static_cast<double>(std::count_if(sums + criteria::kStatistics, sums + width,
                                             [](double weight) { return weight > 0.0; }));
}

/// The one class of the sums, or kSeveral.
std::size_t only_class(const double* sums, std::size_t width) {
    std::size_t found = kSeveral;
    for (std::size_t k = criteria::kStatistics; k < width; ++k) {
        if (!(sums[k] > 0.0)) continue;
        if (found != kSeveral) return kSeveral;
        found = k;
    }
    return found;
}

/// Whether a cut into these parts is worth its description length.
bool pays(const double* all, const double* left, const double* right, std::size_t width,
          double evidence) {
    const double n = all[criteria::kWeight] * evidence;
    if (!(n > 2.0 - 1e-9)) return false;
    const auto entropy = [&](const double* sums) {
        return -purity(sums, width) / sums[criteria::kWeight];
    };
    const double k = n_classes(all, width);
    const double gain =
        entropy(all) + (purity(left, width) + purity(right, width)) / all[criteria::kWeight];
    const double delta = k * std::log2(3.0) + std::log2(1.0 - 2.0 * std::pow(3.0, -k)) -
                         (k * entropy(all) - n_classes(left, width) * entropy(left) -
                          n_classes(right, width) * entropy(right));
    return gain > (std::log2(n - 1.0) + delta) / n;
}

/// Runs or cuts between two checks for an interrupt.
constexpr std::size_t kLooksPerCheck = 1 << 14;

/// Looks for the best cut of one interval of blocks after another.
class Cutter {
public:
    Cutter(const Tally& tally, const SearchLimits& limits, Progress& progress, MdlpScratch& scratch)
        : width(tally.width), limits(limits), progress(progress), scratch(scratch) {
        scratch.left.resize(width);
        scratch.right.resize(width);
        scratch.all.resize(width);
        make_blocks(tally);
    }

    [[nodiscard]] std::uint32_t n_blocks() const {
        return static_cast<std::uint32_t>(scratch.first_run.size());
    }
    /// The first block above the best cut of blocks [begin, end); `end` if there is none.
    std::uint32_t best_cut(std::uint32_t begin, std::uint32_t end) {
        interval_begin = begin;
        interval_end = end;
        most = kNone;
        scratch.looked_at.clear();
        difference(scratch.all.data(), before(end), before(begin), width);
        const double* all = scratch.all.data();
        slack = kTie * (2.0 * x_log_x(all[criteria::kWeight]) + all[criteria::kWeight]);
        scratch.present.clear();
        for (std::size_t k = criteria::kStatistics; k < width; ++k)
            if (all[k] > 0.0) scratch.present.push_back(k);
        if (end - begin <= kFewBlocks || scratch.present.size() > kMostBoundClasses)
            in_blocks(progress, end - begin - 1, [&](std::size_t first, std::size_t last) {
                for (std::size_t i = first; i < last; ++i)
                    look_at(begin + 1 + static_cast<std::uint32_t>(i));
            });
        else look_at_stretches();
        std::uint32_t best = end;
        for (const auto& [cut, purity] : scratch.looked_at)
            if (purity >= most - slack) best = std::min(best, cut);
        return best;
    }
    /// Whether the cut pays, and the sums of its parts and of the interval.
    bool pays_at(std::uint32_t cut, double evidence) {
        sum_parts(cut);
        return pays(scratch.all.data(), scratch.left.data(), scratch.right.data(), width, evidence);
    }

private:
    [[nodiscard]] const double* before(std::size_t block) const {
        return scratch.before.data() + block * width;
    }
    void make_blocks(const Tally& tally) {
        scratch.before.assign(width, 0.0);
        scratch.first_run.clear();
        std::size_t last = kSeveral;
        for (std::size_t i = 0; i < tally.n_runs(); ++i) {
            if (i % kLooksPerCheck == kLooksPerCheck - 1) progress.check(true);
            const std::size_t here = only_class(tally.run(i), width);
            if (i == 0 || here == kSeveral || here != last) {
                const std::size_t end = scratch.before.size();
                scratch.before.resize(end + width);
                std::copy_n(scratch.before.data() + end - width, width,
                            scratch.before.data() + end);
                scratch.first_run.push_back(static_cast<std::uint32_t>(i));
            }
            add_to(scratch.before.data() + scratch.before.size() - width, tally.run(i), width);
            last = here;
        }
    }
    void sum_parts(std::uint32_t cut) {
        difference(scratch.left.data(), before(cut), before(interval_begin), width);
        difference(scratch.right.data(), before(interval_end), before(cut), width);
    }
    [[nodiscard]] bool admits(const std::vector<double>& sums) const {
        return sums[criteria::kCopies] >= limits.min_copies &&
               sums[criteria::kWeight] >= limits.min_weight;
    }
    void look_at(std::uint32_t cut) {
        sum_parts(cut);
        if (!admits(scratch.left) || !admits(scratch.right)) return;
        const double found =
            purity(scratch.left.data(), width) + purity(scratch.right.data(), width);
        scratch.looked_at.emplace_back(cut, found);
        most = std::max(most, found);
    }
    /// Evaluates some cuts spread over the interval first; then between them, where a better one
    /// may be.
    void look_at_stretches() {
        const std::uint32_t step = (interval_end - interval_begin) / kStretches;
        std::vector<std::pair<std::uint32_t, std::uint32_t>>& stretches = scratch.stretches;
        stretches.clear();
        for (std::uint32_t first = interval_begin + 1; first < interval_end; first += step) {
            stretches.emplace_back(first, std::min(first + step, interval_end - 1));
            look_at(first);
        }
        look_at(interval_end - 1);
        while (!stretches.empty()) {
            if (scratch.looked_at.size() % kLooksPerCheck == 0) progress.check(true);
            const auto [first, last] = stretches.back();
            stretches.pop_back();
            if (last < first + 2 || bound(first, last) < most - slack) continue;
            if (last - first <= kFewCuts) {
                for (std::uint32_t cut = first + 1; cut < last; ++cut) look_at(cut);
                continue;
            }
            const std::uint32_t middle = first + (last - first) / 2;
            look_at(middle);
            stretches.emplace_back(first, middle);
            stretches.emplace_back(middle, last);
        }
    }
    /// Upper bound of the cuts from `first` to `last`: the classes' weights on the left lie between
    /// those at the two ends, and a convex function of them is largest at a corner of that box
    /// (Alsabti, Ranka and Singh, CLOUDS, KDD 1998).
    double bound(std::uint32_t first, std::uint32_t last) {
        double* left = scratch.left.data();
        double* right = scratch.right.data();
        const double* base = before(interval_begin);
        const double* ends[] = {before(first), before(last)};
        double largest = kNone;
        std::fill(left, left + width, 0.0);
        std::fill(right, right + width, 0.0);
        for (std::size_t corner = 0; corner < std::size_t{1} << scratch.present.size(); ++corner) {
            left[criteria::kWeight] = right[criteria::kWeight] = 0.0;
            for (std::size_t bit = 0; bit < scratch.present.size(); ++bit) {
                const std::size_t k = scratch.present[bit];
                left[k] = ends[corner >> bit & 1][k] - base[k];
                right[k] = scratch.all[k] - left[k];
                left[criteria::kWeight] += left[k];
                right[criteria::kWeight] += right[k];
            }
            largest = std::max(largest, purity(left, width) + purity(right, width));
        }
        return largest;
    }

    std::size_t width;
    const SearchLimits& limits;
    Progress& progress;
    MdlpScratch& scratch;
    std::uint32_t interval_begin = 0;
    std::uint32_t interval_end = 0;
    double most = kNone;
    double slack = 0.0;
};

}  // namespace

void mdlp_cuts(const Tally& tally, const SearchLimits& limits, double evidence, Progress& progress,
               MdlpScratch& scratch, std::vector<std::uint32_t>& starts) {
    starts.clear();
    Cutter cutter(tally, limits, progress, scratch);
    scratch.open.assign(1, {0, cutter.n_blocks()});
    while (!scratch.open.empty()) {
        const auto [begin, end] = scratch.open.back();
        scratch.open.pop_back();
        if (end - begin < 2) continue;
        const std::uint32_t cut = cutter.best_cut(begin, end);
        if (cut == end || !cutter.pays_at(cut, evidence)) continue;
        starts.push_back(scratch.first_run[cut]);
        scratch.open.emplace_back(begin, cut);
        scratch.open.emplace_back(cut, end);
    }
    std::sort(starts.begin(), starts.end());
}

}  // namespace treewright::split
