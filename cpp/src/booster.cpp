#include "treewright/boost/booster.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>

#include "treewright/base/avx512.hpp"
#include "treewright/base/error.hpp"
#include "treewright/base/random.hpp"

namespace treewright {
namespace {

constexpr std::size_t kRowsPerBlock = 2048;
/// Room for hessians of eight bits beside the count of so many rows.
constexpr double kMostCopies = 0x1p27;
constexpr double kManyCopies = 0x1p20;  ///< that are left of more

std::size_t n_blocks(std::size_t n) {
    return (n + kRowsPerBlock - 1) / kRowsPerBlock;
}

/// Calls work(begin, end, block) for blocks of rows that do not depend on the number of threads.
template <class Work>
void by_blocks(std::size_t n, Team& team, Work&& work) {
    team.for_each(n_blocks(n), [&](std::size_t block, std::size_t) {
        const std::size_t begin = block * kRowsPerBlock;
        work(begin, std::min(n, begin + kRowsPerBlock), block);
    });
}

/// Bits of a row's gradient where a word holds the sum of so many and their count.
int narrow_bits(double n_copies) {
    return 62 - 2 * static_cast<int>(std::bit_width(static_cast<std::uint64_t>(n_copies)));
}

/// The least power of two that is not below x.
double power_above(double x) {
    int exponent = 0;
    const double mantissa = std::frexp(x, &exponent);
    return std::ldexp(1.0, mantissa == 0.5 ? exponent - 1 : exponent);
}

struct Residual {
    double value;
    double weight;
};

/// The least value with at least `level` of the weight up to it; midway where exactly so much is.
double weighted_quantile(std::vector<Residual>& residuals, double level) {
    std::sort(residuals.begin(), residuals.end(),
              [](const Residual& a, const Residual& b) { return a.value < b.value; });
    double all = 0.0;
    for (const Residual& one : residuals) all += one.weight;
    double below = 0.0;
    for (std::size_t i = 0; i < residuals.size(); ++i) {
        below += residuals[i].weight;
        if (below > level * all || i + 1 == residuals.size()) return residuals[i].value;
        if (below == level * all) return (residuals[i].value + residuals[i + 1].value) / 2.0;
    }
    return 0.0;
}

}  // namespace

LossKind loss_kind_of(std::string_view name) {
    constexpr std::pair<std::string_view, LossKind> kNames[] = {
        {"squared_error", LossKind::squared},
        {"absolute_error", LossKind::absolute},
        {"quantile", LossKind::quantile},
        {"huber", LossKind::huber},
        {"poisson", LossKind::poisson},
        {"gamma", LossKind::gamma},
        {"tweedie", LossKind::tweedie},
        {"log_loss", LossKind::logistic},
        {"exponential", LossKind::exponential},
        {"multinomial", LossKind::multinomial},
        {"given", LossKind::given}};
    for (const auto& [known, kind] : kNames)
        if (known == name) return kind;
    throw InvariantError("unknown loss");
}

template <class Work>
auto Booster::with_row(Form form, Work&& work) {
    switch (form) {
        case Form::odds: return work(OddsRow{});
        case Form::wide: return work(WideRow{});
        case Form::narrow: return work(NarrowRow{});
        case Form::single: return work(SingleRow{});
        default: return work(SlimRow{});
    }
}

std::size_t Booster::bytes_of(Form form) {
    return with_row(form, [](auto row) { return sizeof row; });
}

SlopeView Booster::slopes_of(std::size_t output) const {
    if (slopes.empty()) return table.slopes();
    // The rows of an output are rewritten at the start of each round.
    return {const_cast<std::uint8_t*>(slopes[output].data()), bytes_of(form)};
}

Booster::Booster(const Dataset& data, Codebook learned, LossKind kind, double parameter,
                 const RoundSample& sample, std::size_t n_outputs, std::vector<double> start,
                 Team& team)
    : scores(std::move(start)),
      book(std::move(learned)),
      raw(data.columns),
      kind(kind),
      parameter(parameter),
      sample(sample),
      n_outputs(n_outputs),
      y(data.target.values),
      weight(data.weight.begin(), data.weight.end()),
      copies(data.copies.begin(), data.copies.end()),
      form(choose_form()),
      table(data, book, n_outputs == 1 ? bytes_of(form) : 0, team) {
    require(y.size() == table.n_rows && scores.size() == n_outputs * table.n_rows,
            "a target for every row, and a score for every output");
    if (n_outputs > 1) slopes.resize(n_outputs);
    for (auto& own : slopes) own.resize(table.n_rows * bytes_of(form));
}

/// Rows of very many copies count as fewer, and weigh the more: limits on rows are small numbers.
void Booster::count_copies() {
    const auto add_up = [&] {
        total_copies = 0.0;
        for (std::size_t row = 0; row < y.size(); ++row) total_copies += copies_of(row);
    };
    if (!copies.empty() && weight == copies) weight.clear();
    add_up();
    require(static_cast<double>(y.size()) < kMostCopies, "fewer than 2^27 rows");
    if (total_copies < kMostCopies) return;
    if (weight.empty()) weight = copies;
    const double share = std::max(kManyCopies / static_cast<double>(y.size()), 1.0);
    const double most = std::ldexp(1.0, std::ilogb(share));
    for (double& own : copies) own = std::min(own, most);
    add_up();
}

/// Few bytes where nothing is lost by it.
Booster::Form Booster::choose_form() {
    count_copies();
    const bool counts_once = copies.empty() && weight.empty();
    if (kind == LossKind::logistic || kind == LossKind::multinomial) {
        if (!counts_once) return Form::wide;
        return sample.top_share > 0.0 ? Form::slim : Form::odds;  // sampled rows may weigh more
    }
    const bool has_same_hessian =
        kind != LossKind::given && with_loss(kind, parameter, [](const auto& loss) {
            return std::decay_t<decltype(loss)>::kSameHessian;
        });
    if (has_same_hessian && weight.empty() && sample.top_share <= 0.0)
        return counts_once && narrow_bits(total_copies) <= kSlimBits ? Form::single : Form::narrow;
    return counts_once ? Form::slim : Form::wide;
}

void Booster::set_slopes(std::span<const double> gradient, std::span<const double> hessian) {
    require(gradient.size() == n_outputs * table.n_rows && hessian.size() == gradient.size(),
            "a slope for every output and row");
    given_gradient.assign(gradient.begin(), gradient.end());
    given_hessian.assign(hessian.begin(), hessian.end());
}

namespace {

template <class Loss>
inline void fill_slopes(const Loss& loss, const double* score, const double* y, std::size_t n,
                        double* gradient, double* hessian) {
    for (std::size_t i = 0; i < n; ++i) {
        const Slope slope = loss.slope(score[i], y[i]);
        gradient[i] = slope.gradient;
        if constexpr (!Loss::kSameHessian) hessian[i] = slope.hessian;
    }
}

#ifdef TREEWRIGHT_AVX512
template <class Loss>
TREEWRIGHT_WIDE void fill_slopes_wide(const Loss& loss, const double* score, const double* y,
                                      std::size_t n, double* gradient, double* hessian) {
    fill_slopes(loss, score, y, n, gradient, hessian);
}
#endif

/// Softmax of the scores of some rows, and its slopes; inline, so that it is compiled for the wide
/// vectors of its caller.
[[gnu::always_inline]] inline void fill_multinomial(const double* scores, std::size_t stride,
                                                    const double* y, std::size_t n,
                                                    std::size_t n_outputs, double* gradient,
                                                    double* hessian) {
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
            const double own = y[i] == static_cast<double>(k) ? 1.0 : 0.0;
            gradient[k * kRowsPerBlock + i] = p - own;
            hessian[k * kRowsPerBlock + i] = p * (1.0 - p);
        }
}

#ifdef TREEWRIGHT_AVX512
TREEWRIGHT_WIDE void fill_multinomial_wide(const double* scores, std::size_t stride,
                                           const double* y, std::size_t n, std::size_t n_outputs,
                                           double* gradient, double* hessian) {
    fill_multinomial(scores, stride, y, n, n_outputs, gradient, hessian);
}
#endif

/// Working memory for the slopes of a block.
struct BlockSlopes {
    explicit BlockSlopes(std::size_t n_outputs)
        : gradient(n_outputs * kRowsPerBlock), hessian(n_outputs * kRowsPerBlock, 1.0) {}
    std::vector<double> gradient;
    std::vector<double> hessian;
};

}  // namespace

void Booster::block_slopes(std::size_t begin, std::size_t end, double* gradient,
                           double* hessian) const {
    const std::size_t n = end - begin;
    if (kind == LossKind::given) {
        for (std::size_t k = 0; k < n_outputs; ++k) {
            const std::size_t at = k * table.n_rows + begin;
            std::copy_n(given_gradient.data() + at, n, gradient + k * kRowsPerBlock);
            std::copy_n(given_hessian.data() + at, n, hessian + k * kRowsPerBlock);
        }
        return;
    }
    const double* score = scores.data() + begin;
    const double* target = y.data() + begin;
#ifdef TREEWRIGHT_AVX512
    if (has_avx512()) {
        if (kind == LossKind::multinomial)
            return fill_multinomial_wide(score, table.n_rows, target, n, n_outputs, gradient,
                                         hessian);
        return with_loss(kind, parameter, [&](const auto& loss) {
            fill_slopes_wide(loss, score, target, n, gradient, hessian);
        });
    }
#endif
    if (kind == LossKind::multinomial)
        return fill_multinomial(score, table.n_rows, target, n, n_outputs, gradient, hessian);
    with_loss(kind, parameter,
              [&](const auto& loss) { fill_slopes(loss, score, target, n, gradient, hessian); });
}

double Booster::mean_loss(Team& team) const {
    if (kind == LossKind::given) return std::numeric_limits<double>::quiet_NaN();
    const std::size_t n = table.n_rows;
    std::vector<double> losses(n_blocks(n));
    std::vector<double> weights(n_blocks(n));
    const auto add = [&](auto&& loss_at) {
        by_blocks(n, team, [&](std::size_t begin, std::size_t end, std::size_t block) {
            for (std::size_t row = begin; row < end; ++row) {
                losses[block] += weight_of(row) * loss_at(row);
                weights[block] += weight_of(row);
            }
        });
    };
    if (kind == LossKind::multinomial)
        add([&](std::size_t row) {
            double most = scores[row];
            for (std::size_t k = 1; k < n_outputs; ++k) most = std::max(most, scores[k * n + row]);
            double all = 0.0;
            for (std::size_t k = 0; k < n_outputs; ++k) all += std::exp(scores[k * n + row] - most);
            return std::log(all) + most - scores[static_cast<std::size_t>(y[row]) * n + row];
        });
    else
        with_loss(kind, parameter, [&](const auto& loss) {
            add([&](std::size_t row) { return loss.loss(scores[row], y[row]); });
        });
    return std::accumulate(losses.begin(), losses.end(), 0.0) /
           std::accumulate(weights.begin(), weights.end(), 0.0);
}

/// The largest slopes of a copy of a row: known beforehand, or looked for.
SlopeRange Booster::range_of_slopes(Team& team) const {
    SlopeRange range;
    if (kind == LossKind::multinomial) range = {1.0, 0.25};
    else if (kind != LossKind::given)
        range = with_loss(kind, parameter, [](const auto& loss) { return loss.range(); });
    const std::size_t n = table.n_rows;
    if (range.hessian > 0.0) {
        double most = 1.0;
        if (!weight.empty() || !factor.empty())
            for (std::size_t row = 0; row < n; ++row) most = std::max(most, share_of(row));
        return {range.gradient * most, range.hessian * most};
    }
    std::vector<SlopeRange> ranges(n_blocks(n));
    const bool is_plain = weight.empty() && factor.empty();
    by_blocks(n, team, [&](std::size_t begin, std::size_t end, std::size_t block) {
        BlockSlopes found(n_outputs);
        block_slopes(begin, end, found.gradient.data(), found.hessian.data());
        SlopeRange most;
        for (std::size_t k = 0; k < n_outputs; ++k)
            for (std::size_t i = 0; i < end - begin; ++i) {
                if (!copies.empty() && copies_of(begin + i) == 0.0) continue;  // as if removed
                const double share = is_plain ? 1.0 : share_of(begin + i);
                const std::size_t at = k * kRowsPerBlock + i;
                most.gradient = std::max(most.gradient, std::abs(found.gradient[at]) * share);
                most.hessian = std::max(most.hessian, found.hessian[at] * share);
            }
        ranges[block] = most;
    });
    for (const SlopeRange& one : ranges) {
        range.gradient = std::max(range.gradient, one.gradient);
        range.hessian = std::max(range.hessian, one.hessian);
    }
    return range;
}

/// Chooses units such that no sum leaves its bits.
FixedPoint Booster::lay_out(const SlopeRange& range) const {
    FixedPoint made;
    made.count_bits = static_cast<int>(std::bit_width(static_cast<std::uint64_t>(total_copies)));
    const int bits = made.count_bits;
    const double gradient_top = power_above(std::max(range.gradient, 1e-300));
    if (form == Form::narrow || form == Form::single) {
        made.gradient_unit = std::ldexp(gradient_top, -narrow_bits(total_copies));
        return made;
    }
    made.gradient_unit = std::ldexp(gradient_top, -std::min(62 - bits, kSlimBits));
    const int hessian_bits = std::min(62 - 2 * bits, kSlimBits);
    made.hessian_unit = std::ldexp(power_above(std::max(range.hessian, 1e-300)), -hessian_bits);
    made.odds_shift = 2 * kSlimBits - 2 - hessian_bits;  // hessians of odds are at most 1/4
    return made;
}

template <class Row>
void Booster::quantise_block(std::size_t begin, std::size_t end, const double* gradient,
                             const double* hessian, const SlopeView& rows) const {
    const double per_gradient = 1.0 / fixed.gradient_unit;
    const double per_hessian = 1.0 / fixed.hessian_unit;
    const bool is_plain = weight.empty() && factor.empty();
    const bool is_counted = !copies.empty() || !weight.empty();
    // In every form as in OddsRow, so that a row of two copies adds what two rows do.
    const bool is_odds = is_plain && (kind == LossKind::logistic || kind == LossKind::multinomial);
    // Adding and taking away this rounds a number below 2^51 to the nearest whole one.
    constexpr double kRound = 0x1.8p52;
    for (std::size_t row = begin; row < end; ++row) {
        const double share = is_plain ? 1.0 : share_of(row);
        const auto count = is_counted ? static_cast<std::int64_t>(copies_of(row)) : std::int64_t{1};
        const double g = gradient[row - begin] * share * per_gradient;
        const double h = hessian[row - begin] * share * per_hessian;
        Sums sums;
        const auto whole = static_cast<std::int64_t>((g + kRound) - kRound);
        sums.gradient = whole * count;
        sums.hessian = count * (is_odds ? odds_hessian(whole, fixed)
                                        : static_cast<std::int64_t>((h + kRound) - kRound));
        sums.n_rows = count;
        rows.set(row, Row::of(sums, fixed));
    }
}

void Booster::quantise(Team& team) {
    fixed = lay_out(range_of_slopes(team));
    by_blocks(table.n_rows, team, [&](std::size_t begin, std::size_t end, std::size_t) {
        BlockSlopes found(n_outputs);
        block_slopes(begin, end, found.gradient.data(), found.hessian.data());
        for (std::size_t output = 0; output < n_outputs; ++output)
            with_row(form, [&](auto row) {
                quantise_block<decltype(row)>(
                    begin, end, found.gradient.data() + output * kRowsPerBlock,
                    found.hessian.data() + output * kRowsPerBlock, slopes_of(output));
            });
    });
}

void Booster::draw_rows(std::uint64_t key, Team& team) {
    sampled.clear();
    factor.clear();
    const std::size_t n = table.n_rows;
    if (sample.share >= 1.0 && sample.top_share <= 0.0) return;
    const auto n_drawn = static_cast<std::size_t>(
        std::max(1.0, std::floor(sample.share * static_cast<double>(n) + 0.5)));
    const Mixed draw(mix(key, 0x5a4d504cULL));
    std::vector<std::uint32_t> rest(n);
    std::iota(rest.begin(), rest.end(), 0U);
    if (sample.top_share > 0.0) {
        std::vector<double> size(n);
        by_blocks(n, team, [&](std::size_t begin, std::size_t end, std::size_t) {
            BlockSlopes found(n_outputs);
            block_slopes(begin, end, found.gradient.data(), found.hessian.data());
            for (std::size_t k = 0; k < n_outputs; ++k)
                for (std::size_t row = begin; row < end; ++row) {
                    const std::size_t at = k * kRowsPerBlock + row - begin;
                    size[row] += std::abs(found.gradient[at]) * found.hessian[at] * weight_of(row);
                }
        });
        const auto n_top = std::min(
            n,
            static_cast<std::size_t>(std::floor(sample.top_share * static_cast<double>(n) + 0.5)));
        std::nth_element(rest.begin(), rest.begin() + static_cast<std::ptrdiff_t>(n_top),
                         rest.end(), [&](std::uint32_t a, std::uint32_t b) {
                             return size[a] != size[b] ? size[a] > size[b] : a < b;
                         });
        sampled.assign(rest.begin(), rest.begin() + static_cast<std::ptrdiff_t>(n_top));
        rest.erase(rest.begin(), rest.begin() + static_cast<std::ptrdiff_t>(n_top));
        std::sort(rest.begin(), rest.end());
    }
    const std::size_t n_from_rest = std::min(n_drawn, rest.size());
    std::vector<std::pair<std::uint64_t, std::uint32_t>> keyed(rest.size());
    for (std::size_t i = 0; i < rest.size(); ++i) keyed[i] = {draw.with(rest[i]), rest[i]};
    std::nth_element(keyed.begin(), keyed.begin() + static_cast<std::ptrdiff_t>(n_from_rest),
                     keyed.end());
    if (sample.top_share > 0.0) {
        factor.assign(n, 1.0F);
        const auto more =
            static_cast<float>(static_cast<double>(rest.size()) /
                               static_cast<double>(std::max<std::size_t>(n_from_rest, 1)));
        for (std::size_t i = 0; i < n_from_rest; ++i) factor[keyed[i].second] = more;
    }
    for (std::size_t i = 0; i < n_from_rest; ++i) sampled.push_back(keyed[i].second);
    std::sort(sampled.begin(), sampled.end());
}

BoostTree Booster::grow(std::size_t output, const BoostGrowth& growth, std::uint64_t key,
                        GrowBuffers& memory, Team& team, Progress& progress) const {
    std::vector<std::uint32_t> columns(table.columns.size());
    std::iota(columns.begin(), columns.end(), 0U);
    if (sample.n_columns > 0 && sample.n_columns < columns.size()) {
        Generator draw(mix(key, 0x434f4cULL));
        for (std::size_t i = 0; i < sample.n_columns; ++i)
            std::swap(columns[i], columns[i + draw.below(columns.size() - i)]);
        columns.resize(sample.n_columns);
        std::sort(columns.begin(), columns.end());
    }
    const BoostRound round{table,   book,    slopes_of(output), fixed,
                           sampled, columns, mix(key, output)};
    return with_row(form, [&](auto row) {
        return grow_boosted<decltype(row)>(round, growth, memory, team, progress);
    });
}

void Booster::add_lines(std::size_t output, const GrowBuffers& memory, double l2, BoostTree& tree,
                        Team& team, Progress& progress) const {
    const LineRows own{raw, spread, slopes_of(output), fixed, sampled, memory.leaf_of_row};
    with_row(form, [&](auto row) { fit_lines<decltype(row)>(own, l2, tree, team, progress); });
}

void Booster::renew(BoostTree& tree, const GrowBuffers& memory) const {
    if (kind != LossKind::absolute && kind != LossKind::quantile && kind != LossKind::huber) return;
    std::vector<std::vector<Residual>> of_leaf(tree.nodes.size());
    const auto note = [&](std::size_t row) {
        const double own = weight_of(row);
        if (!(own > 0.0)) return;
        const std::uint32_t leaf = memory.leaf_of_row[row];
        of_leaf[leaf].push_back({y[row] - scores[row] - line_part(tree, leaf, row), own});
    };
    if (sampled.empty())
        for (std::size_t row = 0; row < table.n_rows; ++row) note(row);
    else
        for (const std::uint32_t row : sampled) note(row);
    for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
        if (!tree.nodes[i].is_leaf() || of_leaf[i].empty()) continue;
        const double level = kind == LossKind::quantile ? parameter : 0.5;
        double answer = weighted_quantile(of_leaf[i], level);
        if (kind == LossKind::huber) {  // Friedman 2001, algorithm 4
            double sum = 0.0;
            double all = 0.0;
            for (const Residual& one : of_leaf[i]) {
                sum += one.weight * std::clamp(one.value - answer, -parameter, parameter);
                all += one.weight;
            }
            answer += sum / all;
        }
        tree.nodes[i].value = answer;
    }
}

void Booster::move_scores(const BoostTree& tree, std::size_t output, const GrowBuffers& memory,
                          Team& team) {
    std::vector<double> value(tree.nodes.size());
    for (std::size_t i = 0; i < value.size(); ++i) value[i] = tree.nodes[i].value;
    double* own = scores.data() + output * table.n_rows;
    by_blocks(table.n_rows, team, [&](std::size_t begin, std::size_t end, std::size_t) {
        for (std::size_t row = begin; row < end; ++row) own[row] += value[memory.leaf_of_row[row]];
        if (tree.has_lines())
            for (std::size_t row = begin; row < end; ++row)
                own[row] += line_part(tree, memory.leaf_of_row[row], row);
    });
}

void Booster::round(const BoostGrowth& growth, double learning_rate, std::uint64_t key, Team& team,
                    Progress& progress) {
    draw_rows(key, team);
    quantise(team);
    if (growth.has_lines && spread.empty())
        spread = spreads_of(raw, table.n_rows, weight.empty() ? copies : weight, team);
    std::vector<BoostTree> grown(n_outputs);
    const auto make = [&](std::size_t output, GrowBuffers& memory, Team& own_team) {
        grown[output] = grow(output, growth, key, memory, own_team, progress);
        if (growth.has_lines)
            add_lines(output, memory, growth.line_l2, grown[output], own_team, progress);
        renew(grown[output], memory);
        grown[output].multiply(learning_rate);
        move_scores(grown[output], output, memory, own_team);
    };
    buffers.resize(n_outputs == 1 ? 1 : team.size());
    // Trees of one round do not wait for each other; what is left over is grown by all threads.
    const std::size_t n_apart =
        team.size() == 1 ? n_outputs : n_outputs / team.size() * team.size();
    if (n_outputs > 1)
        team.for_each(n_apart, [&](std::size_t output, std::size_t thread) {
            Team alone(1);
            make(output, buffers[thread], alone);
        });
    for (std::size_t output = n_outputs > 1 ? n_apart : 0; output < n_outputs; ++output)
        make(output, buffers[0], team);
    for (BoostTree& tree : grown) trees.push_back(std::move(tree));
}

}  // namespace treewright
