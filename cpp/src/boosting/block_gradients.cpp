#include "treewright/boosting/block_gradients.hpp"

#include <algorithm>

#include "treewright/base/avx512.hpp"

namespace treewright::boosting {
namespace {

/// Contiguous scores and targets; outputs are `stride` apart.
struct Near {
    const double* scores = nullptr;
    std::size_t stride = 0;
    const double* y = nullptr;
    std::size_t n = 0;
    std::size_t n_outputs = 1;
};

template <Loss L>
inline void fill_gradients(const L& loss, const Near& rows, double* gradient, double* hessian) {
    for (std::size_t i = 0; i < rows.n; ++i) {
        const Derivatives own = loss.derivatives(rows.scores[i], rows.y[i]);
        gradient[i] = own.gradient;
        if constexpr (!L::traits.has_same_hessian) hessian[i] = own.hessian;
    }
}

#ifdef TREEWRIGHT_AVX512
template <Loss L>
TREEWRIGHT_WIDE void fill_gradients_wide(const L& loss, const Near& rows, double* gradient,
                                         double* hessian) {
    fill_gradients(loss, rows, gradient, hessian);
}
#endif

/// Softmax of the scores of some rows, and the derivatives; inline, so that it is compiled for the
/// wide vectors of its caller.
[[gnu::always_inline]] inline void fill_multinomial(const Near& rows, const std::size_t apart,
                                                    double* gradient, double* hessian) {
    const double* scores = rows.scores;
    const std::size_t stride = rows.stride;
    const std::size_t n = rows.n;
    const std::size_t n_outputs = rows.n_outputs;
    double most[kRowsPerBlock];
    double all[kRowsPerBlock];
    std::copy(scores, scores + n, most);
    for (std::size_t k = 1; k < n_outputs; ++k)
        for (std::size_t i = 0; i < n; ++i) most[i] = std::max(most[i], scores[k * stride + i]);
    std::fill(all, all + n, 0.0);
    for (std::size_t k = 0; k < n_outputs; ++k) {
        double* part = gradient + k * apart;
        for (std::size_t i = 0; i < n; ++i) {
            part[i] = exp_of(scores[k * stride + i] - most[i]);
            all[i] += part[i];
        }
    }
    for (std::size_t k = 0; k < n_outputs; ++k)
        for (std::size_t i = 0; i < n; ++i) {
            const double p = gradient[k * apart + i] / all[i];
            const double own = rows.y[i] == static_cast<double>(k) ? 1.0 : 0.0;
            gradient[k * apart + i] = p - own;
            hessian[k * apart + i] = p * (1.0 - p);
        }
}

#ifdef TREEWRIGHT_AVX512
TREEWRIGHT_WIDE void fill_multinomial_wide(const Near& rows, std::size_t apart, double* gradient,
                                           double* hessian) {
    fill_multinomial(rows, apart, gradient, hessian);
}
#endif

/// Outputs of the derivatives are `apart` from each other.
void fill_near(const Objective& objective, const Near& rows, std::size_t apart, double* gradient,
               double* hessian) {
    const bool is_multinomial = objective.source == GradientSource::multinomial;
#ifdef TREEWRIGHT_AVX512
    if (has_avx512()) {
        if (is_multinomial) return fill_multinomial_wide(rows, apart, gradient, hessian);
        return std::visit(
            [&](const auto& loss) { fill_gradients_wide(loss, rows, gradient, hessian); },
            objective.loss);
    }
#endif
    if (is_multinomial) return fill_multinomial(rows, apart, gradient, hessian);
    std::visit([&](const auto& loss) { fill_gradients(loss, rows, gradient, hessian); },
               objective.loss);
}

/// Copies the numbers of some rows, output by output, to where outputs are `apart`.
void gather(std::span<const double> from, std::size_t n_outputs, const RowRange& rows,
            std::size_t apart, double* to) {
    const std::size_t n_rows = from.size() / n_outputs;
    for (std::size_t k = 0; k < n_outputs; ++k) {
        const double* own = from.data() + k * n_rows;
        double* next = to + k * apart;
        if (rows.list == nullptr) std::copy_n(own + rows.first, rows.n, next);
        else
            for (std::size_t i = 0; i < rows.n; ++i) next[i] = own[rows.list[i]];
    }
}

}  // namespace

void BlockGradients::fill(const GradientInput& input, const RowRange& rows) {
    if (input.objective.source == GradientSource::given) {
        gather(input.given_gradient, input.n_outputs, rows, stride, gradient.data());
        gather(input.given_hessian, input.n_outputs, rows, stride, hessian.data());
        return;
    }
    Near near{input.scores.data() + rows.first, input.y.size(), input.y.data() + rows.first, rows.n,
              input.n_outputs};
    if (rows.list != nullptr) {
        y.resize(stride);
        scores.resize(input.n_outputs * stride);
        gather(input.y, 1, rows, stride, y.data());
        gather(input.scores, input.n_outputs, rows, stride, scores.data());
        near = {scores.data(), stride, y.data(), rows.n, input.n_outputs};
    }
    fill_near(input.objective, near, stride, gradient.data(), hessian.data());
}

}  // namespace treewright::boosting
