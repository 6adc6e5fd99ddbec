/// Boosting, round by round: gradients at the scores so far, a tree for each output, new scores.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "treewright/base/parallel.hpp"
#include "treewright/base/progress.hpp"
#include "treewright/boosting/block_gradients.hpp"
#include "treewright/boosting/ensemble.hpp"
#include "treewright/boosting/grower.hpp"
#include "treewright/boosting/linear_leaves.hpp"
#include "treewright/boosting/objective.hpp"
#include "treewright/boosting/row_sampling.hpp"

namespace treewright::boosting {

/// Which rows and columns a round draws.
struct RoundSample {
    double share = 1.0;  ///< of the rows, drawn without replacement
    /// Gradient-based one-side sampling (Ke et al. 2017): this share of the rows with the largest
    /// gradients is kept, `share` of all is drawn from the others with a larger weight; 0: off.
    double top_share = 0.0;
    std::size_t n_columns = 0;  ///< drawn for each tree; 0: all
};

class Booster {
public:
    /// `target`: rows, numbers or class indices, which must outlive the booster. Scores are outputs
    /// x rows. Where leaves get lines the columns are read again in every round, and must stay.
    Booster(const data::Dataset& data, Codebook book, const Objective& objective,
            const RoundSample& sample, std::size_t n_outputs, std::vector<double> scores,
            Team& team);

    /// Grows the trees of a round and moves the scores; of an objective that is given the gradients
    /// must have been set. The trees are appended to `trees`, one for each output.
    void round(const BoostGrowth& growth, double learning_rate, std::uint64_t key, Team& team,
               Progress& progress);

    /// Draws rows of equal hashes together from now on, instead of rows of equal content.
    void draw_by(std::span<const std::uint64_t> hashes);
    /// Gradients and hessians of the next round, outputs x rows.
    void set_gradients(std::span<const double> gradient, std::span<const double> hessian);

    std::vector<BoostTree> trees;
    std::vector<double> scores;  ///< outputs x rows

    /// Sets the bounds of ordered classes (-inf, the thresholds, inf), for a loss that has them,
    /// and moves them to where the loss is least at the scores so far, by at most `n_steps`.
    void set_bounds(std::vector<double> given, std::size_t n_steps, Team& team);
    [[nodiscard]] std::span<const double> class_bounds() const { return bounds; }

    /// Upper bound of the absolute scores of training rows; not finite where one may not be.
    [[nodiscard]] double reach() const { return most_score; }
    [[nodiscard]] const Codebook& codebook() const { return book; }
    [[nodiscard]] std::size_t n_rows() const { return table.n_rows; }
    [[nodiscard]] std::size_t outputs() const { return n_outputs; }

private:
    [[nodiscard]] GradientInput gradient_input() const;
    [[nodiscard]] DerivativeRange derivative_range(Team& team);
    /// Makes memory for the gradients of a block of rows, for each thread.
    void make_room(const Team& team);
    [[nodiscard]] FixedPoint lay_out(const DerivativeRange& range) const;
    [[nodiscard]] RowSet top_rows(std::size_t n_wanted, Team& team) const;
    void note_content(const data::Dataset& data, Team& team);
    void draw_rows(std::uint64_t key, Team& team);
    /// Weights of rows as the grower wants them, where it does.
    void note_weights(const BoostGrowth& growth);
    /// Factor of the gradient and hessian of a row.
    [[nodiscard]] double share_of(std::size_t row) const {
        double share = factor.empty() ? 1.0 : static_cast<double>(factor[row]);
        if (!weight.empty()) share *= weight[row];
        return share;
    }
    /// The largest factor of a row, 1 at least.
    [[nodiscard]] double largest_share(Team& team) const;
    void quantise(Team& team);
    template <class Row>
    void quantise_block(const RowRange& rows, const double* gradient, const double* hessian,
                        const WritableGradients& into) const;
    BoostTree grow(std::size_t output, const BoostGrowth& growth, std::uint64_t key,
                   GrowBuffers& memory, Team& team, Progress& progress) const;
    [[nodiscard]] GradientView gradients_of(std::size_t output) const;
    [[nodiscard]] WritableGradients gradients_of(std::size_t output);
    void add_lines(std::size_t output, const GrowBuffers& memory, double l2, BoostTree& tree,
                   Team& team) const;
    /// The prediction of a leaf of the rows of some leaves together.
    [[nodiscard]] double residual_answer(const BoostTree& tree,
                                         std::span<const GrownLeaf> leaves) const;
    /// Leaves of losses that say little by their gradients answer from residuals.
    void renew(BoostTree& tree, const GrowBuffers& memory, std::span<const int> monotonic,
               Team& team) const;
    void keep_order(BoostTree& tree, std::span<const GrownLeaf> leaves,
                    std::span<const int> monotonic) const;
    /// Sets the delta of a loss whose delta is a quantile of the distances.
    void set_delta(Team& team);
    /// Takes a step of the thresholds of a loss that has them; returns its length.
    double learn_thresholds(bool keeps_mean, Team& team);
    [[nodiscard]] double distance_quantile(double level, Team& team) const;
    /// What the line of a row's leaf adds to the score.
    [[nodiscard]] double line_part(const BoostTree& tree, std::size_t leaf, std::size_t row) const {
        return tree.line_part(leaf, [&](std::size_t c) { return raw[c].number(row); });
    }
    void move_scores(const BoostTree& tree, std::size_t output, GrowBuffers& memory, Team& team);
    [[nodiscard]] double weight_of(std::size_t row) const {
        return weight.empty() ? 1.0 : weight[row];
    }
    /// Whether a row counts in limits on rows: one of weight 0 is as if removed.
    [[nodiscard]] bool counts(std::size_t row) const { return weight.empty() || weight[row] > 0.0; }

    /// How rows keep their gradients.
    enum class Form : std::uint8_t { slim, odds, wide, narrow, single };
    [[nodiscard]] Form choose_form();
    /// Calls work with the row type of a form.
    template <class Work>
    static auto with_row(Form form, Work&& work);
    static std::size_t bytes_of(Form form);

    Codebook book;
    std::vector<data::Column> raw;  ///< views of the raw values behind the codes
    std::vector<double> spread;     ///< of each column, once lines are fitted
    Objective objective;
    RoundSample sample;
    std::size_t n_outputs;
    double most_score = 0.0;
    std::span<const double> y;
    std::vector<double> weight;  ///< empty: 1 each
    std::size_t n_counted = 0;   ///< rows of positive weight
    Form form;
    CodedTable table;

    std::vector<double> given_gradient;  ///< outputs x rows, if given by the caller
    std::vector<double> given_hessian;
    std::vector<double> bounds;  ///< of ordered classes; empty where a loss has none
    FixedPoint fixed;
    std::vector<std::vector<std::uint8_t>> gradients;  ///< of several outputs; of one: in the table
    std::vector<std::uint32_t> content;                ///< a hash of each row, where some are drawn
    std::vector<std::uint32_t> sampled;                ///< empty: all rows
    std::vector<std::int64_t> row_weight;              ///< in units of kWeightUnit; empty: 1 each
    std::vector<float> factor;                         ///< of sampled rows' gradients; empty: 1
    std::vector<BoostTree> grown;                      ///< of the round at hand, by output
    std::vector<BlockGradients> room;
    bool is_filled = false;  ///< with those of all rows, at the scores so far
    std::vector<GrowBuffers> buffers;
};

/// Several rounds to make, and after which of them the held-out rows are looked at.
struct RoundsAhead {
    double learning_rate = 1.0;
    std::vector<std::uint64_t> keys;  ///< of each round
    std::vector<std::size_t> looks;   ///< rounds made by then, ascending; the last is all of them
};

/// A booster and its held-out rows.
struct JudgedBooster {
    Booster& booster;
    const BoostGrowth& growth;
    const CodedRows& rows;       ///< coded by the codebook of the booster
    std::vector<double> scores;  ///< of these rows so far, rows x outputs

    /// What was found at each look of the last rounds made: the scores, and the bounds of ordered
    /// classes where there are any.
    std::vector<std::vector<double>> found;
    std::vector<std::vector<double>> found_bounds;

    std::size_t first_tree = 0;  ///< of the rounds at hand
    std::size_t n_made = 0;      ///< of these

    /// Makes the rounds up to each of some looks (not the last); those before must have been made.
    /// They end early where scores reach beyond `most_score`.
    void make_rounds(const RoundsAhead& ahead, std::size_t first_look, std::size_t last_look,
                     double most_score, Team& team, Progress& progress);
    /// Scores the held-out rows at every look of rounds that have been made; at none if they ended
    /// early. The trees are not kept: the booster only knows how many there are.
    void judge(const RoundsAhead& ahead, double most_score, std::size_t n_threads,
               Progress& progress);
};

/// Makes the rounds of each booster on a thread of its own, as far as there are threads; where
/// there are more, boosters share them. What is found does not depend on their number.
void make_side_by_side(std::span<JudgedBooster* const> boosters, std::span<const RoundsAhead> ahead,
                       double most_score, std::size_t n_threads, Progress& progress);

}  // namespace treewright::boosting
