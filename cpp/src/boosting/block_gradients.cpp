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

template <class Loss>
inline void fill_slopes(const Loss& loss, const Near& rows, double* gradient, double* hessian) {
    for (std::size_t i = 0; i < rows.n; ++i) {
        const Slope slope = loss.slope(rows.scores[i], rows.y[i]);
        gradient[i] = slope.gradient;
        if constexpr (!Loss::kSameHessian) hessian[i] = slope.hessian;
    }
}

#ifdef TREEWRIGHT_AVX512
template <class Loss>
TREEWRIGHT_WIDE void fill_slopes_wide(const Loss& loss, const Near& rows, double* gradient,
                                      double* hessian) {
    fill_slopes(loss, rows, gradient, hessian);
}
#endif

/// Softmax of the scores of some rows, its gradients and hessians; inline, so that it is compiled
/// for the vector width of its caller.
[[gnu::always_inline]] inline void fill_multinomial(const Near& rows, double* gradient,
                                                    double* hessian) {
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
        double* part = gradient + k * kRowsPerBlock;
        for (std::size_t i = 0; i < n; ++i) {
            part[i] = exp_of(scores[k * stride + i] - most[i]);
            all[i] += part[i];
        }
    }
    for (std::size_t k = 0; k < n_outputs; ++k)
        for (std::size_t i = 0; i < n; ++i) {
            const double p = gradient[k * kRowsPerBlock + i] / all[i];
            const double own = rows.y[i] == static_cast<double>(k) ? 1.0 : 0.0;
            gradient[k * kRowsPerBlock + i] = p - own;
            hessian[k * kRowsPerBlock + i] = p * (1.0 - p);
        }
}

#ifdef TREEWRIGHT_AVX512
TREEWRIGHT_WIDE void fill_multinomial_wide(const Near& rows, double* gradient, double* hessian) {
    fill_multinomial(rows, gradient, hessian);
}
#endif

void fill_near(const SlopeSource& source, const Near& rows, double* gradient, double* hessian) {
#ifdef TREEWRIGHT_AVX512
    if (has_avx512()) {
        if (source.kind == LossKind::multinomial)
            return fill_multinomial_wide(rows, gradient, hessian);
        return with_loss(source.kind, source.parameter, [&](const auto& loss) {
            fill_slopes_wide(loss, rows, gradient, hessian);
        });
    }
#endif
    if (source.kind == LossKind::multinomial) return fill_multinomial(rows, gradient, hessian);
    with_loss(source.kind, source.parameter,
              [&](const auto& loss) { fill_slopes(loss, rows, gradient, hessian); });
}

/// Copies the numbers of some rows, output by output.
void gather(std::span<const double> from, std::size_t n_outputs, const RowRange& rows, double* to) {
    const std::size_t n_rows = from.size() / n_outputs;
    for (std::size_t k = 0; k < n_outputs; ++k) {
        const double* own = from.data() + k * n_rows;
        double* next = to + k * kRowsPerBlock;
        if (rows.list == nullptr) std::copy_n(own + rows.first, rows.n, next);
        else
            for (std::size_t i = 0; i < rows.n; ++i) next[i] = own[rows.list[i]];
    }
}

}  // namespace

void BlockSlopes::fill(const SlopeSource& source, const RowRange& rows) {
    if (source.kind == LossKind::given) {
        gather(source.given_gradient, source.n_outputs, rows, gradient.data());
        gather(source.given_hessian, source.n_outputs, rows, hessian.data());
        return;
    }
    Near near{source.scores.data() + rows.first, source.y.size(), source.y.data() + rows.first,
              rows.n, source.n_outputs};
    if (rows.list != nullptr) {
        y.resize(kRowsPerBlock);
        scores.resize(source.n_outputs * kRowsPerBlock);
        gather(source.y, 1, rows, y.data());
        gather(source.scores, source.n_outputs, rows, scores.data());
        near = {scores.data(), kRowsPerBlock, y.data(), rows.n, source.n_outputs};
    }
    fill_near(source, near, gradient.data(), hessian.data());
}

}  // namespace treewright::boosting
