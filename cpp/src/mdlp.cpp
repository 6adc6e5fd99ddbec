#include "treewright/split/mdlp.hpp"

#include <algorithm>
#include <cmath>

namespace treewright {
namespace {

constexpr std::size_t kSeveral = ~std::size_t{0};

double x_log_x(double x) {
    return x > 0.0 ? x * std::log2(x) : 0.0;
}

/// -weight x entropy, in bits.
double purity(const double* sums, std::size_t width) {
    double sum = 0.0;
    for (std::size_t k = kStatistics; k < width; ++k) sum += x_log_x(sums[k]);
    return sum - x_log_x(sums[kWeight]);
}

double n_classes(const double* sums, std::size_t width) {
    return static_cast<double>(std::count_if(sums + kStatistics, sums + width,
                                             [](double weight) { return weight > 0.0; }));
}

bool admits(const SearchLimits& limits, const double* sums) {
    return sums[kCopies] >= limits.min_copies && sums[kWeight] >= limits.min_weight;
}

/// The one class of the sums, or kSeveral.
std::size_t only_class(const double* sums, std::size_t width) {
    std::size_t found = kSeveral;
    for (std::size_t k = kStatistics; k < width; ++k) {
        if (!(sums[k] > 0.0)) continue;
        if (found != kSeveral) return kSeveral;
        found = k;
    }
    return found;
}

void make_blocks(const Tally& tally, MdlpScratch& scratch) {
    const std::size_t width = tally.width;
    scratch.blocks.clear();
    scratch.first_run.clear();
    std::size_t before = kSeveral;
    for (std::size_t i = 0; i < tally.n_runs(); ++i) {
        const double* run = tally.run(i);
        const std::size_t here = only_class(run, width);
        if (i > 0 && here != kSeveral && here == before) {
            add_to(scratch.blocks.data() + scratch.blocks.size() - width, run, width);
        } else {
            scratch.blocks.insert(scratch.blocks.end(), run, run + width);
            scratch.first_run.push_back(static_cast<std::uint32_t>(i));
        }
        before = here;
    }
}

/// Whether a cut into these parts pays for its description.
bool pays(const double* all, const double* left, const double* right, std::size_t width,
          double evidence) {
    const double n = all[kWeight] * evidence;
    if (!(n > 2.0 - 1e-9)) return false;
    const auto entropy = [&](const double* sums) { return -purity(sums, width) / sums[kWeight]; };
    const double k = n_classes(all, width);
    const double gain = entropy(all) + (purity(left, width) + purity(right, width)) / all[kWeight];
    const double delta = k * std::log2(3.0) + std::log2(1.0 - 2.0 * std::pow(3.0, -k)) -
                         (k * entropy(all) - n_classes(left, width) * entropy(left) -
                          n_classes(right, width) * entropy(right));
    return gain > (std::log2(n - 1.0) + delta) / n;
}

}  // namespace

void mdlp_cuts(const Tally& tally, const SearchLimits& limits, double evidence,
               MdlpScratch& scratch, std::vector<std::uint32_t>& starts) {
    const std::size_t width = tally.width;
    starts.clear();
    make_blocks(tally, scratch);
    const auto block = [&](std::size_t i) { return scratch.blocks.data() + i * width; };
    scratch.total.resize(width);
    scratch.left.resize(width);
    scratch.right.resize(width);
    double* total = scratch.total.data();
    double* left = scratch.left.data();
    double* right = scratch.right.data();
    const auto sum = [&](double* into, std::size_t begin, std::size_t end) {
        std::fill(into, into + width, 0.0);
        for (std::size_t i = begin; i < end; ++i) add_to(into, block(i), width);
    };

    scratch.open.assign(1, {0, static_cast<std::uint32_t>(scratch.first_run.size())});
    while (!scratch.open.empty()) {
        const auto [begin, end] = scratch.open.back();
        scratch.open.pop_back();
        if (end - begin < 2) continue;
        sum(total, begin, end);
        std::fill(left, left + width, 0.0);
        constexpr double kNone = -std::numeric_limits<double>::infinity();
        double most = kNone;
        scratch.purity.assign(end - begin, kNone);
        for (std::uint32_t i = begin; i + 1 < end; ++i) {
            add_to(left, block(i), width);
            difference(right, total, left, width);
            if (!admits(limits, left)) continue;
            if (!admits(limits, right)) break;  // only lighter from here
            scratch.purity[i - begin] = purity(left, width) + purity(right, width);
            most = std::max(most, scratch.purity[i - begin]);
        }
        if (most == kNone) continue;
        const double enough =
            most - kTie * (std::abs(most) + x_log_x(total[kWeight]) + total[kWeight]);
        const auto best = std::find_if(scratch.purity.begin(), scratch.purity.end(),
                                       [&](double each) { return each >= enough; });
        const auto cut =
            begin + static_cast<std::uint32_t>(best - scratch.purity.begin()) + 1;  // first above
        sum(left, begin, cut);
        sum(right, cut, end);
        if (!pays(total, left, right, width, evidence)) continue;
        starts.push_back(scratch.first_run[cut]);
        scratch.open.emplace_back(begin, cut);
        scratch.open.emplace_back(cut, end);
    }
    std::sort(starts.begin(), starts.end());
}

}  // namespace treewright
