/// The loops for any processor, and the choice between them and those of scan_avx512.cpp.
#include "treewright/forest/fast/kernels/scan.hpp"

#include <algorithm>

#include "treewright/base/avx512.hpp"

namespace treewright::forest {
namespace {

/// Calls f(position, w, s) for every admissible cut until it returns true.
template <class TargetOf, class F>
inline void for_each_cut(const FastList& list, const TargetOf& target_of, F&& f) {
    std::uint32_t w = 0;
    double s = 0.0;
    const std::uint32_t most = list.weight - list.least;
    for (std::uint32_t i = 0; i + 1 < list.n; ++i) {
        w += weight_of(list.entries[i]);
        s += target_of(list.entries[i]);
        if (w > most) return;
        if (w < list.least || (list.entries[i + 1] & kSameValueBit) != 0) continue;
        if (f(i + 1, w, s)) return;
    }
}

template <bool kIsShare>
inline double decrease_of(const FastList& list, const FastMean& mean, std::uint32_t w, double s) {
    const double weight = w;
    if constexpr (!kIsShare) s = s - mean.whole * weight;
    const double excess = s - mean.rest * weight;
    return excess * excess / (weight * (static_cast<double>(list.weight) - weight));
}

template <bool kIsShare, class TargetOf>
inline double best_by(const FastList& list, const TargetOf& target_of, double floor) {
    if (list.weight < 2 * list.least) return kNoPlainCut;
    const FastMean mean(list, kIsShare);
    double best = kNoPlainCut;
    for_each_cut(list, target_of, [&](std::uint32_t, std::uint32_t w, double s) {
        best = std::max(best, decrease_of<kIsShare>(list, mean, w, s));
        return false;
    });
    return best == kNoPlainCut ? best : std::max(best, floor);
}

template <bool kIsShare, class TargetOf>
inline FastPlace locate_by(const FastList& list, const TargetOf& target_of, double enough) {
    const FastMean mean(list, kIsShare);
    FastPlace found;
    for_each_cut(list, target_of, [&](std::uint32_t position, std::uint32_t w, double s) {
        if (!(decrease_of<kIsShare>(list, mean, w, s) >= enough)) return false;
        found = {position, w, s};
        return true;
    });
    return found;
}

inline auto positives() {
    return [](std::uint32_t entry) {
        return (entry & kPositive) != 0 ? static_cast<double>(weight_of(entry)) : 0.0;
    };
}
inline auto weighted(const double* values) {
    return [values](std::uint32_t entry) { return values[row_of(entry)]; };
}

double best_two(const FastList& list, double floor) {
    return best_by<true>(list, positives(), floor);
}
FastPlace locate_two(const FastList& list, double enough) {
    return locate_by<true>(list, positives(), enough);
}
double best_values(const FastList& list, const double* values, double floor) {
    return best_by<false>(list, weighted(values), floor);
}
FastPlace locate_values(const FastList& list, const double* values, double enough) {
    return locate_by<false>(list, weighted(values), enough);
}

void best_pocket(const FastPocket& pocket, std::uint32_t rows, const FastList& list, double* best,
                 std::uint8_t* varies) {
    const FastMean mean(list, false);
    std::fill_n(varies, pocket.n_slots / FastPocket::kLanes, std::uint8_t{0});
    for (std::size_t slot = 0; slot < pocket.n_slots; ++slot) {
        best[slot] = kNoPlainCut;
        std::uint32_t w = 0;
        double s = 0.0;
        unsigned last = 0;
        for (std::uint32_t i = 0; i < pocket.n; ++i) {
            const std::uint8_t at = pocket.order[i * pocket.n_slots + slot];
            const unsigned row = at & 15U;
            const unsigned run = at >> 4U;
            if ((rows >> row & 1U) == 0) continue;
            if (w > 0 && run != last) {
                varies[slot / FastPocket::kLanes] |=
                    static_cast<std::uint8_t>(1U << (slot % FastPocket::kLanes));
                if (w >= list.least && list.weight - w >= list.least)
                    best[slot] = std::max(best[slot], decrease_of<false>(list, mean, w, s));
            }
            last = run;
            w += static_cast<std::uint32_t>(pocket.weights[row]);
            s += pocket.values[row];
        }
    }
}

std::uint32_t level_with_best(const double* best, std::size_t n_slots, const std::uint8_t* among,
                              double tie, std::uint8_t* level) {
    constexpr std::size_t kLanes = FastPocket::kLanes;
    double greatest = 0.0;
    const auto for_each = [&](const auto& f) {
        for (std::size_t i = 0; i < n_slots; ++i)
            if ((among[i / kLanes] >> (i % kLanes) & 1U) != 0) f(i);
    };
    for_each([&](std::size_t i) { greatest = std::max(greatest, best[i]); });
    const double high = greatest * (1.0 - tie);
    const double low = greatest * (1.0 - 8.0 * tie);
    std::uint32_t n_level = 0;
    bool is_clear = greatest > 0.0;
    std::fill_n(level, n_slots / kLanes, std::uint8_t{0});
    for_each([&](std::size_t i) {
        is_clear = is_clear && (best[i] >= high || best[i] <= low);
        if (!(best[i] >= high)) return;
        level[i / kLanes] |= static_cast<std::uint8_t>(1U << (i % kLanes));
        ++n_level;
    });
    return is_clear ? n_level : 0;
}

inline bool admits(const FastList& list, const double* w, std::uint32_t i) {
    return w[i] >= list.least && w[i] <= static_cast<double>(list.weight - list.least) &&
           (list.entries[i + 1] & kSameValueBit) == 0;
}

double best_scores(const FastList& list, const double* left, const double* right, const double* w) {
    double best = kNoPlainCut;
    for (std::uint32_t i = 0; i + 1 < list.n; ++i)
        if (admits(list, w, i))
            best = std::max(best, left[i] / w[i] + right[i] / (double(list.weight) - w[i]));
    return best;
}

std::uint32_t locate_scores(const FastList& list, const double* left, const double* right,
                            const double* w, double enough) {
    for (std::uint32_t i = 0; i + 1 < list.n; ++i)
        if (admits(list, w, i) &&
            left[i] / w[i] + right[i] / (double(list.weight) - w[i]) >= enough)
            return i + 1;
    return 0;
}

/// Recomputes the ties of entries as they are appended to their new list: an entry is tied if the
/// one before it *there* belongs to the same run of equal values.
struct TieTeller {
    std::uint32_t last = ~0U;

    std::uint32_t tell(std::uint32_t entry, std::uint32_t run) {
        const std::uint32_t told = (entry & ~kSameValueBit) | (last == run ? kSameValueBit : 0U);
        last = run;
        return told;
    }
};

std::uint32_t fill(const std::uint32_t* order, std::size_t n, const std::uint32_t* words,
                   std::uint32_t* list) {
    std::uint32_t run = 0;
    std::uint32_t n_ties = 0;
    TieTeller teller;
    for (std::size_t i = 0; i < n; ++i) {
        run += (order[i] & 1U) ^ 1U;
        const std::uint32_t word = words[order[i] >> 1];
        if (word == 0) continue;
        *list = teller.tell(word, run);
        n_ties += *list++ & kSameValueBit;
    }
    return n_ties;
}

void rename(std::uint32_t* list, std::uint32_t n, const std::uint32_t* new_row) {
    constexpr std::uint32_t kRest = (1U << kRowAt) - 1U;
    for (std::uint32_t i = 0; i < n; ++i)
        list[i] = new_row[row_of(list[i])] << kRowAt | (list[i] & kRest);
}

void pick(const std::uint32_t* list, std::uint32_t n, std::uint32_t rows, std::uint32_t* to) {
    std::uint32_t run = 0;
    std::uint32_t n_picked = 0;
    TieTeller teller;
    for (std::uint32_t i = 0; i < n; ++i) {
        run += (list[i] & kSameValueBit) ^ 1U;
        if ((rows >> row_of(list[i]) & 1U) != 0) to[n_picked++] = teller.tell(list[i], run);
    }
    std::fill(to + n_picked, to + kPocket, 0U);
}

unsigned divide(std::uint32_t* list, std::uint32_t n, const std::uint8_t* side,
                std::uint32_t* other) {
    std::uint32_t* to[2] = {list, other};
    std::uint32_t told[2] = {0, 0};
    TieTeller tellers[2];
    std::uint32_t run = 0;
    for (std::uint32_t i = 0; i < n; ++i) {
        const std::uint32_t entry = list[i];
        const std::uint32_t branch = side[row_of(entry)];
        run += (entry & kSameValueBit) ^ 1U;
        *to[branch] = tellers[branch].tell(entry, run);
        told[branch] |= *to[branch]++;
    }
    return (told[0] & kSameValueBit) | (told[1] & kSameValueBit) << 1;
}

void divide_untied(std::uint32_t* list, std::uint32_t n, const std::uint8_t* side,
                   std::uint32_t* other) {
    std::uint32_t* to[2] = {list, other};
    for (std::uint32_t i = 0; i < n; ++i) {
        const std::uint32_t entry = list[i];
        *to[side[row_of(entry)]]++ = entry;
    }
}

void divide_untied_by_bits(std::uint32_t* list, std::uint32_t n, const std::uint8_t* bits,
                           std::uint32_t* other) {
    std::uint32_t* to[2] = {list, other};
    for (std::uint32_t i = 0; i < n; ++i) {
        const std::uint32_t entry = list[i];
        *to[SideBits::of(bits, row_of(entry))]++ = entry;
    }
}

void keep(std::uint32_t* list, std::uint32_t n, const std::uint8_t* side, std::uint8_t which) {
    std::uint32_t n_kept = 0;
    std::uint32_t run = 0;
    TieTeller teller;
    for (std::uint32_t i = 0; i < n; ++i) {
        const std::uint32_t entry = list[i];
        run += (entry & kSameValueBit) ^ 1U;
        if (side[row_of(entry)] == which) list[n_kept++] = teller.tell(entry, run);
    }
}

constexpr FastLoops kAnywhere = {best_two,      locate_two,
                                 best_values,   locate_values,
                                 best_pocket,   level_with_best,
                                 best_scores,   locate_scores,
                                 fill,          rename,
                                 pick,          divide,
                                 divide_untied, divide_untied_by_bits,
                                 keep};

}  // namespace

const FastLoops& fast_loops() {
#ifdef TREEWRIGHT_AVX512
    if (has_avx512()) return avx512_loops();
#endif
    return kAnywhere;
}

const FastLoops& portable_loops() {
    return kAnywhere;
}

}  // namespace treewright::forest
