#include "treewright/tree/shap_lanes.hpp"

namespace treewright::tree {

void Pass::set(const ShapTree& tree, const Quadrature& points, std::size_t begin, std::size_t end) {
    n_points = end - begin;
    const std::size_t n_terms = tree.has_slots ? tree.n_slots : ShapTree::kUnknown + 1;
    weight.assign(points.weight.begin() + static_cast<std::ptrdiff_t>(begin),
                  points.weight.begin() + static_cast<std::ptrdiff_t>(end));
    known.resize(n_terms * n_points);
    slope.resize(n_terms * n_points);
    for (std::size_t q = 0; q < n_points; ++q) {
        known[ShapTree::kFree * n_points + q] = points.at[begin + q];
        slope[ShapTree::kFree * n_points + q] = 1.0;
        known[ShapTree::kKnown * n_points + q] = 1.0;
        known[ShapTree::kUnknown * n_points + q] = 0.0;
        slope[ShapTree::kKnown * n_points + q] = slope[ShapTree::kUnknown * n_points + q] = 0.0;
    }
    if (!tree.has_slots) return;
    const auto fill = [&](const ShapTree::Before& before) {
        if (before.terms <= ShapTree::kUnknown) return;
        for (std::size_t q = 0; q < n_points; ++q) {
            const double t = points.at[begin + q];
            const double came = before.passed + (1.0 - before.passed) * t;
            known[before.terms * n_points + q] = t / came;
            slope[before.terms * n_points + q] = before.passed / (came * came);
        }
    };
    for (const ShapTree::Asker& asker : tree.askers)
        if (!asker.is_leaf()) fill(asker.before);
    for (const ShapTree::Line& line : tree.lines) fill(line.before);
}

void find_possible(const ShapTree& tree, std::span<const Known> known, std::uint64_t rows,
                   std::vector<std::uint32_t>& order, std::vector<std::uint64_t>& possible) {
    order.clear();
    possible.resize(tree.askers.size());
    if (tree.askers.empty()) return;
    possible[0] = rows;
    order.push_back(0);
    for (std::size_t k = 0; k < order.size(); ++k) {
        const std::size_t i = order[k];
        const ShapTree::Asker& asker = tree.askers[i];
        if (asker.is_leaf()) continue;
        // Where z = 0, only rows whose own value leads here are here.
        const bool only_own = asker.before.passed == 0.0;
        const auto lead = [&](std::int32_t child, std::uint64_t own, bool others) {
            if (child < 0) return;
            const auto to = static_cast<std::size_t>(child);
            possible[to] = possible[i] & (others && !only_own ? ~std::uint64_t{0} : own);
            if (possible[to] != 0) order.push_back(static_cast<std::uint32_t>(to));
        };
        lead(asker.child[0], known[i].first, asker.share > 0.0);
        lead(asker.child[1], known[i].second, asker.share < 1.0);
    }
}

namespace {

template <std::size_t N, bool Few>
TREEWRIGHT_SIMD_INLINE void walk_down(const Lanes& lanes, std::size_t shift, Doubles weight) {
    const Longs bits = {1, 2, 4, 8, 16, 32, 64, 128};
    const ShapTree& tree = lanes.tree;
    for (std::size_t q = 0; q < N; ++q) store(lanes.reach[q], lanes.pass.weight[q] * weight);
    const std::size_t n = Few ? lanes.order->size() : tree.askers.size();
    for (std::size_t k = 0; k < n; ++k) {
        const std::size_t i = Few ? (*lanes.order)[k] : k;
        if (Few && (lanes.possible[i] >> shift & 255) == 0) continue;
        const ShapTree::Asker& asker = tree.askers[i];
        if (asker.is_leaf()) continue;
        const Known& rows = lanes.rows[i];
        const Longs first = (Longs{} + static_cast<std::int64_t>(rows.first >> shift)) & bits;
        const Longs second = (Longs{} + static_cast<std::int64_t>(rows.second >> shift)) & bits;
        const Doubles e = first != 0    ? in_every_lane(1.0 - asker.share)
                          : second != 0 ? in_every_lane(-asker.share)
                                        : Doubles{};
        store(lanes.lean[i], e);
        if (asker.child[0] < 0 && asker.child[1] < 0) continue;
        const double* known = lanes.pass.known.data() + asker.before.terms * N;
        const Eight* reach = lanes.reach + i * N;
        Doubles to_first[N];
        for (std::size_t q = 0; q < N; ++q)
            to_first[q] = load(reach[q]) * (asker.share + known[q] * e);
        if (asker.child[1] >= 0) {
            Eight* into = lanes.reach + static_cast<std::size_t>(asker.child[1]) * N;
            for (std::size_t q = 0; q < N; ++q) store(into[q], load(reach[q]) - to_first[q]);
        }
        if (asker.child[0] >= 0) {
            Eight* into = lanes.reach + static_cast<std::size_t>(asker.child[0]) * N;
            for (std::size_t q = 0; q < N; ++q) store(into[q], to_first[q]);
        }
    }
}

/// The value of a leaf with a linear model; what its terms give is added to sums.
template <std::size_t N>
TREEWRIGHT_SIMD_INLINE void add_lines(const Lanes& lanes, std::size_t i, const Eight* reach,
                                      Eight* value, std::size_t group, Eight* sums,
                                      std::size_t stride) {
    const ShapTree::Asker& asker = lanes.tree.askers[i];
    Doubles answer[N];
    for (std::size_t q = 0; q < N; ++q) answer[q] = load(lanes.constants[i]);
    for (std::size_t k = asker.first_line; k < asker.first_line + asker.n_lines; ++k) {
        const ShapTree::Line& line = lanes.tree.lines[k];
        const double* known = lanes.pass.known.data() + line.before.terms * N;
        const double* slope = lanes.pass.slope.data() + line.before.terms * N;
        const Doubles part = load(lanes.parts[k * kGroups + group]);
        Doubles sum{};
        for (std::size_t q = 0; q < N; ++q) {
            answer[q] += known[q] * part;
            sum += slope[q] * load(reach[i * N + q]);
        }
        Eight& into = sums[line.place * stride];
        store(into, load(into) + sum * part);
    }
    for (std::size_t q = 0; q < N; ++q) store(value[i * N + q], answer[q]);
}

/// Adds the values of one output to sums[place x stride]. `value` may be `reach`, which is then
/// overwritten.
template <std::size_t N, bool Few>
TREEWRIGHT_SIMD_INLINE void walk_up(const Lanes& lanes, std::size_t group, const Eight* leaves,
                                    const Eight* reach, Eight* value, Eight* sums,
                                    std::size_t stride) {
    const ShapTree& tree = lanes.tree;
    static constexpr Eight kNothing{};
    const auto answer_of = [&](std::int32_t child, std::size_t & step)
        __attribute__((always_inline)) {
        step = child < 0 ? 0 : 1;
        // What no row reaches has no part in any answer, and no value from this group.
        if (Few && child >= 0 && (lanes.possible[child] >> (group * kLanes) & 255) == 0) {
            step = 0;
            return &kNothing;
        }
        return child < 0 ? leaves + ~child : value + static_cast<std::size_t>(child) * N;
    };
    for (std::size_t k = Few ? lanes.order->size() : tree.askers.size(); k-- > 0;) {
        const std::size_t i = Few ? (*lanes.order)[k] : k;
        if (Few && (lanes.possible[i] >> (group * kLanes) & 255) == 0) continue;
        const ShapTree::Asker& asker = tree.askers[i];
        if (asker.is_leaf()) {
            add_lines<N>(lanes, i, reach, value, group, sums, stride);
            continue;
        }
        const Doubles e = load(lanes.lean[i]);
        const double* known = lanes.pass.known.data() + asker.before.terms * N;
        const double* slope = lanes.pass.slope.data() + asker.before.terms * N;
        const Eight* came = reach + i * N;
        Eight* own = value + i * N;
        std::size_t first_step;
        std::size_t second_step;
        const Eight* first = answer_of(asker.child[0], first_step);
        const Eight* second = answer_of(asker.child[1], second_step);
        Doubles sum{};
        const auto climb = [&](auto weighted) __attribute__((always_inline)) {
            for (std::size_t q = 0; q < N; ++q) {
                const Doubles other = load(second[q * second_step]);
                const Doubles apart = load(first[q * first_step]) - other;
                sum += weighted(load(came[q]), q) * apart;
                store(own[q], other + (asker.share + known[q] * e) * apart);
            }
        };
        if (asker.before.terms == ShapTree::kFree)
            climb([](Doubles here, std::size_t) __attribute__((always_inline)) { return here; });
        else
            climb([&](Doubles here, std::size_t q)
                      __attribute__((always_inline)) { return here * slope[q]; });
        Eight& into = sums[asker.place * stride];
        store(into, load(into) + sum * e);
    }
}

/// Explains the first groups of eight rows of a block; `sums` of the tree's first output.
template <std::size_t N, bool Few>
TREEWRIGHT_SIMD_INLINE void explain_groups(const Lanes& lanes, const Eight* weight,
                                           std::size_t n_groups, Eight* sums, std::size_t stride,
                                           std::size_t output_stride) {
    const std::size_t n_outputs = lanes.tree.n_outputs;
    for (std::size_t group = 0; group < n_groups; ++group) {
        walk_down<N, Few>(lanes, group * kLanes, load(weight[group]));
        for (std::size_t output = 0; output < n_outputs; ++output)
            walk_up<N, Few>(lanes, group, lanes.tree.leaves.data() + output * lanes.tree.n_leaves,
                            lanes.reach, output + 1 < n_outputs ? lanes.value : lanes.reach,
                            sums + output * output_stride + group, stride);
    }
}

template <bool Few>
TREEWRIGHT_SIMD_INLINE void explain_points(const Lanes& lanes, const Eight* weight,
                                           std::size_t n_groups, Eight* sums, std::size_t stride,
                                           std::size_t output_stride) {
    switch (lanes.pass.n_points) {
        case 1: return explain_groups<1, Few>(lanes, weight, n_groups, sums, stride, output_stride);
        case 2: return explain_groups<2, Few>(lanes, weight, n_groups, sums, stride, output_stride);
        case 3: return explain_groups<3, Few>(lanes, weight, n_groups, sums, stride, output_stride);
        case 4: return explain_groups<4, Few>(lanes, weight, n_groups, sums, stride, output_stride);
        case 5: return explain_groups<5, Few>(lanes, weight, n_groups, sums, stride, output_stride);
        case 6: return explain_groups<6, Few>(lanes, weight, n_groups, sums, stride, output_stride);
        case 7: return explain_groups<7, Few>(lanes, weight, n_groups, sums, stride, output_stride);
        default:
            return explain_groups<8, Few>(lanes, weight, n_groups, sums, stride, output_stride);
    }
}

}  // namespace

TREEWRIGHT_SIMD void explain_block(const Lanes& lanes, const Eight* weight, std::size_t n_groups,
                                   Eight* sums, std::size_t stride, std::size_t output_stride) {
    if (lanes.order == nullptr)
        explain_points<false>(lanes, weight, n_groups, sums, stride, output_stride);
    else explain_points<true>(lanes, weight, n_groups, sums, stride, output_stride);
}

}  // namespace treewright::tree
