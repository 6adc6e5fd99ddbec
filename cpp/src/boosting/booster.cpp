#include "treewright/boosting/booster.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>

#include "treewright/base/error.hpp"
#include "treewright/base/random.hpp"
#include "treewright/boosting/residual_leaves.hpp"
#include "treewright/data/row_hash.hpp"
#include "treewright/grow/draw_columns.hpp"

namespace treewright::boosting {
namespace {

/// Number of rows up to which a word has room for hessians of eight bits beside the count.
constexpr std::size_t kMostRows = std::size_t{1} << 27;

/// Bits of a row's gradient where a word holds the sum of so many and their count.
int narrow_bits(std::size_t n_rows) {
    return 62 - 2 * static_cast<int>(std::bit_width(n_rows));
}

/// The largest absolute value; infinite where one is not finite.
double largest(std::span<const double> numbers) {
    double most = 0.0;
    bool is_finite = true;
    for (const double x : numbers) {
        is_finite &= std::isfinite(x);
        most = std::max(most, std::abs(x));
    }
    return is_finite ? most : std::numeric_limits<double>::infinity();
}

/// The largest size(x), 0 at least and NaN left out; several at once, as each comparison waits for
/// the one before it.
template <class Size>
double largest_of(std::span<const double> numbers, Size&& size) {
    constexpr std::size_t kAtOnce = 16;
    double most[kAtOnce] = {};
    std::size_t i = 0;
    for (; i + kAtOnce <= numbers.size(); i += kAtOnce)
        for (std::size_t k = 0; k < kAtOnce; ++k) {
            const double x = size(numbers[i + k]);
            most[k] = most[k] < x ? x : most[k];
        }
    for (; i < numbers.size(); ++i) most[0] = std::max(most[0], size(numbers[i]));
    return *std::max_element(most, most + kAtOnce);
}

/// The least power of two that is not below x.
double power_above(double x) {
    int exponent = 0;
    const double mantissa = std::frexp(x, &exponent);
    return std::ldexp(1.0, mantissa == 0.5 ? exponent - 1 : exponent);
}

}  // namespace

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

GradientView Booster::gradients_of(std::size_t output) const {
    if (gradients.empty()) return table.gradients();
    return {gradients[output].data(), bytes_of(form)};
}

WritableGradients Booster::gradients_of(std::size_t output) {
    if (gradients.empty()) return table.gradients();
    return {gradients[output].data(), bytes_of(form)};
}

Booster::Booster(const data::Dataset& data, Codebook learned, const Objective& objective,
                 const RoundSample& sample, std::size_t n_outputs, std::vector<double> start,
                 Team& team)
    : scores(std::move(start)),
      book(std::move(learned)),
      raw(data.columns),
      objective(objective),
      sample(sample),
      n_outputs(n_outputs),
      y(data.target.values),
      weight(data.weight.begin(), data.weight.end()),
      form(choose_form()),
      table(data, book, n_outputs == 1 ? bytes_of(form) : 0, team) {
    require(y.size() == table.n_rows && scores.size() == n_outputs * table.n_rows,
            "a target for every row, and a score for every output");
    if (n_outputs > 1) gradients.resize(n_outputs);
    for (auto& own : gradients) own.resize(table.n_rows * bytes_of(form));
    note_content(data, team);
    most_score = largest(scores);
}

/// The smallest form that loses nothing.
Booster::Form Booster::choose_form() {
    require(y.size() < kMostRows, "fewer than 2^27 rows");
    for (std::size_t row = 0; row < y.size(); ++row) n_counted += counts(row) ? 1 : 0;
    const LossTraits traits = objective.traits();
    if (traits.is_of_odds) {
        if (!weight.empty()) return Form::wide;
        return sample.top_share > 0.0 ? Form::slim : Form::odds;  // sampled rows may be reweighted
    }
    if (traits.has_same_hessian && weight.empty() && sample.top_share <= 0.0)
        return narrow_bits(n_counted) <= kSlimBits ? Form::single : Form::narrow;
    return weight.empty() ? Form::slim : Form::wide;
}

void Booster::set_gradients(std::span<const double> gradient, std::span<const double> hessian) {
    require(gradient.size() == n_outputs * table.n_rows && hessian.size() == gradient.size(),
            "a gradient and a hessian for every output and row");
    given_gradient.assign(gradient.begin(), gradient.end());
    given_hessian.assign(hessian.begin(), hessian.end());
}

GradientInput Booster::gradient_input() const {
    return {objective, n_outputs, y, scores, given_gradient, given_hessian};
}

void Booster::make_room(const Team& team) {
    while (room.size() < team.size()) room.emplace_back(n_outputs, table.n_rows);
}

/// The largest gradient and hessian of a row: known beforehand, or looked for.
DerivativeRange Booster::derivative_range(Team& team) {
    DerivativeRange range = objective.range();
    if (range.hessian > 0.0) {
        const double most = largest_share(team);
        return {range.gradient * most, range.hessian * most};
    }
    std::vector<DerivativeRange> ranges(n_row_blocks(table.n_rows));
    make_room(team);
    const bool is_plain = weight.empty() && factor.empty();
    is_filled = ranges.size() == 1;
    by_blocks(table.n_rows, team, [&](std::size_t begin, std::size_t end, std::size_t thread) {
        BlockGradients& found = room[thread];
        found.fill(gradient_input(), {nullptr, begin, end - begin});
        DerivativeRange most;
        if (is_plain) {
            const auto largest = [n = end - begin](const double* own, auto&& size) {
                return largest_of({own, n}, size);
            };
            for (std::size_t k = 0; k < n_outputs; ++k) {
                const double gradient =
                    largest(found.gradient_of(k), [](double x) { return std::abs(x); });
                const double hessian = largest(found.hessian_of(k), [](double x) { return x; });
                most.gradient = std::max(most.gradient, gradient);
                most.hessian = std::max(most.hessian, hessian);
            }
            ranges[begin / kRowsPerBlock] = most;
            return;
        }
        for (std::size_t k = 0; k < n_outputs; ++k)
            for (std::size_t i = 0; i < end - begin; ++i) {
                if (!counts(begin + i)) continue;  // as if removed
                const double share = share_of(begin + i);
                most.gradient = std::max(most.gradient, std::abs(found.gradient_of(k)[i]) * share);
                most.hessian = std::max(most.hessian, found.hessian_of(k)[i] * share);
            }
        ranges[begin / kRowsPerBlock] = most;
    });
    for (const DerivativeRange& one : ranges) {
        range.gradient = std::max(range.gradient, one.gradient);
        range.hessian = std::max(range.hessian, one.hessian);
    }
    return range;
}

double Booster::largest_share(Team& team) const {
    if (weight.empty() && factor.empty()) return 1.0;
    std::vector<double> most(n_row_blocks(table.n_rows));
    by_blocks(table.n_rows, team, [&](std::size_t begin, std::size_t end, std::size_t) {
        double own = 1.0;
        for (std::size_t row = begin; row < end; ++row) own = std::max(own, share_of(row));
        most[begin / kRowsPerBlock] = own;
    });
    return *std::ranges::max_element(most);
}

/// Chooses units such that no sum leaves its bits.
FixedPoint Booster::lay_out(const DerivativeRange& range) const {
    FixedPoint made;
    made.count_bits = static_cast<int>(std::bit_width(n_counted));
    const int bits = made.count_bits;
    const double gradient_top = power_above(std::max(range.gradient, 1e-300));
    if (form == Form::narrow || form == Form::single) {
        made.gradient_unit = std::ldexp(gradient_top, -narrow_bits(n_counted));
        return made;
    }
    made.gradient_unit = std::ldexp(gradient_top, -std::min(62 - bits, kSlimBits));
    const int hessian_bits = std::min(62 - 2 * bits, kSlimBits);
    made.hessian_unit = std::ldexp(power_above(std::max(range.hessian, 1e-300)), -hessian_bits);
    made.odds_shift = 2 * kSlimBits - 2 - hessian_bits;  // hessians of odds are at most 1/4
    return made;
}

template <class Row>
void Booster::quantise_block(const RowRange& rows, const double* gradient, const double* hessian,
                             const WritableGradients& into) const {
    const double per_gradient = 1.0 / fixed.gradient_unit;
    const double per_hessian = 1.0 / fixed.hessian_unit;
    const bool is_plain = weight.empty() && factor.empty();
    // In every form as in OddsRow.
    const bool is_odds = is_plain && objective.traits().is_of_odds;
    // Adding and taking away this rounds a number below 2^51 to the nearest whole one.
    constexpr double kRound = 0x1.8p52;
    for (std::size_t i = 0; i < rows.n; ++i) {
        const std::size_t row = rows[i];
        const double share = is_plain ? 1.0 : share_of(row);
        const std::int64_t count = counts(row) ? 1 : 0;
        const double g = gradient[i] * share * per_gradient;
        const double h = hessian[i] * share * per_hessian;
        Sums sums;
        const auto whole = static_cast<std::int64_t>((g + kRound) - kRound);
        sums.gradient = whole * count;
        sums.hessian = count * (is_odds ? odds_hessian(whole, fixed)
                                        : static_cast<std::int64_t>((h + kRound) - kRound));
        sums.n_rows = count;
        into.set(row, Row::of(sums, fixed));
    }
}

void Booster::quantise(Team& team) {
    is_filled = false;
    fixed = lay_out(derivative_range(team));
    const RowRange rows = sampled.empty() ? RowRange{nullptr, 0, table.n_rows}
                                          : RowRange{sampled.data(), 0, sampled.size()};
    make_room(team);
    by_blocks(rows.n, team, [&](std::size_t begin, std::size_t end, std::size_t thread) {
        const RowRange part = rows.part(begin, end);
        if (!is_filled || !sampled.empty()) room[thread].fill(gradient_input(), part);
        for (std::size_t output = 0; output < n_outputs; ++output)
            with_row(form, [&](auto row) {
                quantise_block<decltype(row)>(part, room[thread].gradient_of(output),
                                              room[thread].hessian_of(output),
                                              gradients_of(output));
            });
    });
}

/// The rows whose gradients are largest, all outputs together (Ke et al. 2017, algorithm 2). Of
/// gradients that agree to 20 bits the content of the rows decides, so that their order does not.
RowSet Booster::top_rows(std::size_t n_wanted, Team& team) const {
    std::vector<BlockGradients> own_room(team.size(), {n_outputs, table.n_rows});
    const KeysOfRows keys_of = [&](const RowRange& rows, std::size_t thread, std::uint64_t* keys) {
        BlockGradients& own = own_room[thread];
        own.fill(gradient_input(), rows);
        for (std::size_t i = 0; i < rows.n; ++i) {
            double size = 0.0;
            for (std::size_t k = 0; k < n_outputs; ++k)
                size += std::abs(own.gradient_of(k)[i]) * own.hessian_of(k)[i] * weight_of(rows[i]);
            keys[i] = falling_key(size) >> 32 << 32 | content[rows[i]];
        }
    };
    const KeyRange guess = guess_from_some(table.n_rows, n_wanted, keys_of);
    return smallest_rows(table.n_rows, n_wanted, keys_of, guess, team);
}

void Booster::note_content(const data::Dataset& data, Team& team) {
    if (sample.share >= 1.0 && sample.top_share <= 0.0) return;
    content.resize(data.n_rows);
    by_blocks(data.n_rows, team, [&](std::size_t begin, std::size_t end, std::size_t) {
        std::uint64_t hash[kRowsPerBlock];
        data::content_hashes(data, begin, end, hash);
        for (std::size_t row = begin; row < end; ++row)
            content[row] = static_cast<std::uint32_t>(hash[row - begin] >> 32);
    });
}

void Booster::draw_by(std::span<const std::uint64_t> hashes) {
    require(hashes.size() == table.n_rows, "a hash for every row");
    content.resize(hashes.size());
    for (std::size_t row = 0; row < hashes.size(); ++row)
        content[row] = static_cast<std::uint32_t>(hashes[row] >> 32);
}

void Booster::draw_rows(std::uint64_t key, Team& team) {
    if (sample.share >= 1.0 && sample.top_share <= 0.0) return;
    const std::size_t n = table.n_rows;
    const auto so_many = [&](double share) {
        return static_cast<std::size_t>(std::floor(share * static_cast<double>(n) + 0.5));
    };
    const std::size_t n_top = sample.top_share > 0.0 ? std::min(n, so_many(sample.top_share)) : 0;
    const double share = sample.share / (1.0 - static_cast<double>(n_top) / static_cast<double>(n));
    RowSet top;
    factor.clear();
    if (sample.top_share > 0.0) top = top_rows(n_top, team);
    RowSet drawn = draw_contents(content, share, key_of_rows(key), top, team);
    if (sample.top_share > 0.0) {
        const auto more = static_cast<float>(1.0 / std::min(share, 1.0));
        factor.resize(n);
        by_blocks(n, team, [&](std::size_t begin, std::size_t end, std::size_t) {
            for (std::size_t row = begin; row < end; ++row)
                factor[row] = drawn.has(row) ? more : 1.0F;
        });
        drawn.add(top);
    }
    if (drawn.size() == 0) drawn = first_content(content, key_of_rows(key));
    sampled = drawn.list(team);
}

void Booster::note_weights(const BoostGrowth& growth) {
    row_weight.clear();
    const bool matters = growth.by_squared_error || growth.limits.min_weight > 0.0;
    if (!matters || (weight.empty() && factor.empty())) return;
    row_weight.resize(table.n_rows);
    for (std::size_t row = 0; row < table.n_rows; ++row)
        row_weight[row] = std::llround(share_of(row) / kWeightUnit);
}

BoostTree Booster::grow(std::size_t output, const BoostGrowth& growth, std::uint64_t key,
                        GrowBuffers& memory, Team& team, Progress& progress) const {
    std::vector<std::uint32_t>& columns = memory.columns;
    columns.resize(table.columns.size());
    std::iota(columns.begin(), columns.end(), 0U);
    if (sample.n_columns > 0 && sample.n_columns < columns.size()) {
        Generator draw(mix(key, 0x434f4cULL));
        for (std::size_t i = 0; i < sample.n_columns; ++i) grow::draw_next(columns, i, draw);
        columns.resize(sample.n_columns);
        std::sort(columns.begin(), columns.end());
    }
    const BoostRound round{table,   book,    gradients_of(output), fixed,
                           sampled, columns, mix(key, output),     row_weight};
    return with_row(form, [&](auto row) {
        return grow_boosted<decltype(row)>(round, growth, memory, team, progress);
    });
}

void Booster::add_lines(std::size_t output, const GrowBuffers& memory, double l2, BoostTree& tree,
                        Team& team) const {
    const LineRows own{raw, spread, gradients_of(output), fixed, sampled, memory.leaf_of_row};
    with_row(form, [&](auto row) { fit_lines<decltype(row)>(own, l2, tree, team); });
}

void Booster::set_delta(Team& team) {
    if (!objective.traits().delta_is_quantile) return;
    std::visit(
        [&](auto& loss) {
            if constexpr (HasDelta<std::decay_t<decltype(loss)>>)
                loss.delta = distance_quantile(loss.level, team);
        },
        objective.loss);
}

void Booster::set_bounds(std::vector<double> given, std::size_t n_steps, Team& team) {
    bounds = std::move(given);
    std::visit(
        [&](auto& loss) {
            if constexpr (HasThresholds<std::decay_t<decltype(loss)>>) {
                require(static_cast<double>(bounds.size()) == loss.n_classes + 1.0,
                        "bounds of every class");
                loss.bounds = bounds;
            } else {
                require(false, "a loss of ordered classes");
            }
        },
        objective.loss);
    constexpr double kShortStep = 1e-10;
    for (std::size_t step = 0; step < n_steps; ++step)
        if (learn_thresholds(false, team) < kShortStep) break;
}

double Booster::learn_thresholds(bool keeps_mean, Team& team) {
    if (!objective.traits().has_thresholds) return 0.0;
    return move_thresholds(bounds, {y, scores, weight}, keeps_mean, team);
}

double Booster::distance_quantile(double level, Team& team) const {
    if (weight.empty()) return quantile_of_distances(y, scores.data(), level, team);
    std::vector<Residual> distances;
    for (std::size_t row = 0; row < table.n_rows; ++row)
        if (weight_of(row) > 0.0)
            distances.push_back({std::abs(y[row] - scores[row]), weight_of(row)});
    return quantile_of(distances, level);
}

void Booster::move_scores(const BoostTree& tree, std::size_t output, GrowBuffers& memory,
                          Team& team) {
    std::vector<double>& value = memory.values;
    value.resize(tree.nodes.size());
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
    require(!objective.traits().has_thresholds || !bounds.empty(), "bounds of ordered classes");
    set_delta(team);
    draw_rows(key, team);
    quantise(team);
    note_weights(growth);
    if (growth.has_lines && spread.empty()) spread = spreads_of(raw, table.n_rows, weight, team);
    grown.resize(n_outputs);
    const auto make = [&](std::size_t output, GrowBuffers& memory, Team& own_team) {
        grown[output] = grow(output, growth, key, memory, own_team, progress);
        if (growth.has_lines) add_lines(output, memory, growth.line_l2, grown[output], own_team);
        renew(grown[output], memory, growth.monotonic, own_team);
        grown[output].multiply(learning_rate);
        move_scores(grown[output], output, memory, own_team);
    };
    buffers.resize(n_outputs == 1 ? 1 : team.size());
    // Trees of one round do not wait for each other; the remaining ones are grown by all threads.
    const std::size_t n_apart =
        team.size() == 1 ? n_outputs : n_outputs / team.size() * team.size();
    if (n_outputs > 1)
        team.for_each(n_apart, [&](std::size_t output, std::size_t thread) {
            Team alone(1, progress);
            make(output, buffers[thread], alone);
        });
    for (std::size_t output = n_outputs > 1 ? n_apart : 0; output < n_outputs; ++output)
        make(output, buffers[0], team);
    learn_thresholds(true, team);
    double most = 0.0;
    for (const BoostTree& tree : grown) most = std::max(most, tree.largest_answer());
    most_score += most;
    for (BoostTree& tree : grown) trees.push_back(std::move(tree));
}

}  // namespace treewright::boosting
