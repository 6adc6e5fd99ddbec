#include "treewright/tree/shap_row.hpp"

#include <algorithm>
#include <bit>

#include "treewright/base/quadrature.hpp"

namespace treewright::tree {
namespace {

/// Whether a column is known: with probability t, or for certain.
enum class State : std::uint8_t { free, known, unknown };

/// One column of a row, shifted so that the row is row 0.
data::Column only(const data::Column& column, std::size_t row) {
    data::Column own = column;
    own.data += static_cast<std::ptrdiff_t>(row) * column.stride;
    if (own.known != nullptr) own.known += row;
    return own;
}

class Walk {
public:
    Walk(const ShapPair& pair, ShapFixed fixed, std::size_t n_places)
        : pair(pair), state(n_places, State::free) {
        if (fixed.place >= 0)
            state[static_cast<std::size_t>(fixed.place)] =
                fixed.known ? State::known : State::unknown;
        find_together();
    }

    [[nodiscard]] std::size_t n_together() const { return together.size(); }

    void explain(double weight, std::span<double> sums) {
        const std::size_t n_places = state.size();
        const std::size_t n_columns = std::min(n_places, pair.form.most_columns + together.size());
        points = gauss_legendre(std::max<std::size_t>(1, (n_columns + 1) / 2));
        const std::size_t n_points = points.at.size();
        const std::size_t n = pair.form.askers.size();
        reach.resize((n + 1) * n_points);
        value.resize((n + 1) * n_points);
        first.resize(n);
        arrives.resize(n);
        leaves_arrive.resize(pair.form.lines.size());
        const std::size_t n_sets = std::size_t{1} << together.size();
        std::vector<double> answer(n_sets * n_points * pair.form.n_outputs);
        for (std::size_t set = 0; set < n_sets; ++set) {
            for (std::size_t k = 0; k < together.size(); ++k)
                state[together[k]] = (set >> k & 1) != 0 ? State::known : State::unknown;
            route();
            const auto size = static_cast<std::size_t>(std::popcount(set));
            for (std::size_t q = 0; q < n_points; ++q)
                start(q) = weight * points.weight[q] * chance(points.at[q], size, together.size());
            down();
            for (std::size_t output = 0; output < pair.form.n_outputs; ++output)
                up(output, sums.subspan(output * n_places, n_places),
                   answer.data() + (set * pair.form.n_outputs + output) * n_points);
        }
        for (std::size_t k = 0; k < together.size(); ++k) {
            for (std::size_t set = 0; set < n_sets; ++set) {
                if ((set >> k & 1) != 0) continue;
                const std::size_t with = set | std::size_t{1} << k;
                const auto size = static_cast<std::size_t>(std::popcount(set));
                for (std::size_t output = 0; output < pair.form.n_outputs; ++output)
                    for (std::size_t q = 0; q < n_points; ++q)
                        sums[output * n_places + together[k]] +=
                            weight * points.weight[q] *
                            chance(points.at[q], size, together.size() - 1) *
                            (answer[(with * pair.form.n_outputs + output) * n_points + q] -
                             answer[(set * pair.form.n_outputs + output) * n_points + q]);
            }
        }
    }

private:
    /// The probability that exactly `size` certain ones of `all` columns are known.
    static double chance(double t, std::size_t size, std::size_t all) {
        double product = 1.0;
        for (std::size_t k = 0; k < all; ++k) product *= k < size ? t : 1.0 - t;
        return product;
    }

    void find_together() {
        std::vector<std::uint32_t> columns;
        needs.resize(pair.form.askers.size());
        for (std::size_t i = 0; i < pair.form.askers.size(); ++i) {
            if (pair.several[i] == 0) continue;
            asks_several = true;
            columns.clear();
            if (pair.background == nullptr)
                pair.model.decided_by(pair.tree, pair.form.askers[i].node, pair.rows, pair.row,
                                      columns);
            else pair.model.may_decide(pair.tree, pair.form.askers[i].node, columns);
            for (const std::uint32_t column : columns) {
                needs[i].push_back(pair.place[column]);
                if (state[pair.place[column]] == State::free)
                    together.push_back(pair.place[column]);
            }
        }
        std::sort(together.begin(), together.end());
        together.erase(std::unique(together.begin(), together.end()), together.end());
    }

    double& start(std::size_t q) { return pair.form.askers.empty() ? alone : reach[q]; }

    /// For every asker whose answer is certain: the part of the row that goes first.
    void route() {
        Rows mixed;
        if (pair.background != nullptr && asks_several) {
            mixed.n_rows = 1;
            for (std::size_t c = 0; c < pair.rows.columns.size(); ++c)
                mixed.columns.push_back(
                    state[pair.place[c]] == State::known
                        ? only(pair.rows.columns[c], pair.row)
                        : only(pair.background->columns[c], pair.background_row));
        }
        const auto after = [&](const ShapTree::Before& before) {
            if (before.asker < 0) return Arrival{1.0, 1.0};
            const auto above = static_cast<std::size_t>(before.asker);
            const Arrival& came = arrives[above];
            const double known = pair.by_known[above];
            const double share = pair.form.askers[above].share;
            return before.second ? Arrival{came.known * (1.0 - known), came.unknown * (1.0 - share)}
                                 : Arrival{came.known * known, came.unknown * share};
        };
        for (std::size_t i = 0; i < pair.form.askers.size(); ++i) {
            const ShapTree::Asker& asker = pair.form.askers[i];
            if (asker.is_leaf()) {
                for (std::uint32_t k = 0; k < asker.n_lines; ++k)
                    leaves_arrive[asker.first_line + k] =
                        after(pair.form.lines[asker.first_line + k].before);
                continue;
            }
            arrives[i] = after(asker.before);
            if (pair.several[i] == 0) {
                first[i] = state[asker.place] == State::known ? pair.by_known[i] : asker.share;
            } else if (pair.background == nullptr) {
                const bool known =
                    std::all_of(needs[i].begin(), needs[i].end(),
                                [&](std::uint32_t place) { return state[place] == State::known; });
                first[i] = known ? pair.by_known[i] : asker.share;
            } else {
                const int branch = pair.model.branch(pair.tree, asker.node, mixed, 0);
                first[i] = branch < 0 ? asker.cover : branch >= asker.middle ? 0.0 : 1.0;
            }
        }
    }

    struct Arrival {
        double known;    ///< K
        double unknown;  ///< U
    };
    struct Chance {
        double known;
        double slope;
    };
    [[nodiscard]] Chance chance_of(const Arrival& arrival, std::uint32_t place, double t) const {
        if (state[place] != State::free) return {state[place] == State::known ? 1.0 : 0.0, 0.0};
        const double came = arrival.unknown * (1.0 - t) + arrival.known * t;
        if (came <= 0.0) return {0.0, 0.0};
        return {arrival.known * t / came, arrival.known * arrival.unknown / (came * came)};
    }
    /// The probability that the row goes first at an asker, and its slope over t.
    [[nodiscard]] Chance first_at(std::size_t i, double t) const {
        const ShapTree::Asker& asker = pair.form.askers[i];
        if (pair.several[i] != 0 || state[asker.place] != State::free) return {first[i], 0.0};
        const Chance own = chance_of(arrives[i], asker.place, t);
        const double apart = pair.by_known[i] - asker.share;
        return {asker.share + own.known * apart, own.slope * apart};
    }

    void down() {
        const std::size_t n_points = points.at.size();
        for (std::size_t i = 0; i < pair.form.askers.size(); ++i) {
            const ShapTree::Asker& asker = pair.form.askers[i];
            if (asker.is_leaf()) continue;
            for (std::size_t q = 0; q < n_points; ++q) {
                const double to_first = first_at(i, points.at[q]).known * reach[i * n_points + q];
                if (asker.child[0] >= 0)
                    reach[static_cast<std::size_t>(asker.child[0]) * n_points + q] = to_first;
                if (asker.child[1] >= 0)
                    reach[static_cast<std::size_t>(asker.child[1]) * n_points + q] =
                        reach[i * n_points + q] - to_first;
            }
        }
    }

    void up(std::size_t output, std::span<double> sums, double* answer) {
        const std::size_t n_points = points.at.size();
        const ShapTree& form = pair.form;
        const auto answer_of = [&](std::int32_t child, std::size_t q) {
            return child < 0
                       ? form.leaves[output * form.n_leaves + static_cast<std::size_t>(~child)]
                             .lane[0]
                       : value[static_cast<std::size_t>(child) * n_points + q];
        };
        for (std::size_t i = form.askers.size(); i-- > 0;) {
            const ShapTree::Asker& asker = form.askers[i];
            for (std::size_t q = 0; q < n_points; ++q) {
                const double came = reach[i * n_points + q];
                double& own = value[i * n_points + q];
                if (asker.is_leaf()) {
                    own = pair.constants[i];
                    for (std::uint32_t k = asker.first_line; k < asker.first_line + asker.n_lines;
                         ++k) {
                        const std::uint32_t place = form.lines[k].place;
                        const Chance chance = chance_of(leaves_arrive[k], place, points.at[q]);
                        own += chance.known * pair.parts[k];
                        sums[place] += came * chance.slope * pair.parts[k];
                    }
                    continue;
                }
                const Chance chance = first_at(i, points.at[q]);
                const double other = answer_of(asker.child[1], q);
                const double apart = answer_of(asker.child[0], q) - other;
                own = other + chance.known * apart;
                sums[asker.place] += came * chance.slope * apart;
            }
        }
        for (std::size_t q = 0; q < n_points; ++q)
            answer[q] = answer_of(form.askers.empty() ? ~0 : 0, q);
    }

    const ShapPair& pair;
    bool asks_several = false;
    std::vector<State> state;                       ///< by place
    std::vector<std::uint32_t> together;            ///< places asked together, not fixed
    std::vector<std::vector<std::uint32_t>> needs;  ///< by asker about several: their places
    Quadrature points;
    std::vector<double> first;
    std::vector<Arrival> arrives;        ///< by asker
    std::vector<Arrival> leaves_arrive;  ///< by line
    std::vector<double> reach;           ///< askers x points
    std::vector<double> value;
    double alone = 0.0;
};

}  // namespace

bool explain_row(const ShapPair& pair, ShapFixed fixed, double weight, std::span<double> sums,
                 std::size_t& n_together) {
    Walk walk(pair, fixed, sums.size() / pair.form.n_outputs);
    n_together = walk.n_together();
    if (n_together > kMostTogether) return false;
    walk.explain(weight, sums);
    return true;
}

}  // namespace treewright::tree
