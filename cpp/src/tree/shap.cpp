#include "treewright/tree/shap.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <mutex>

#include "treewright/base/error.hpp"
#include "treewright/base/parallel.hpp"
#include "treewright/tree/shap_lanes.hpp"
#include "treewright/tree/shap_row.hpp"

namespace treewright::tree {
namespace {

constexpr std::size_t kMostBlocks = 16;       ///< of rows that share the constants of a tree
constexpr std::size_t kMostSums = 64 * 1024;  ///< of such rows, all columns and outputs: 512 KiB
constexpr std::size_t kItemsPerThread = 4;
static_assert(kGroups == ShapBlock::kRows / kLanes);

/// A block of an item's rows, as one tree needs it.
struct TreeBlock {
    ShapAnswers answers;
    std::vector<Known> known;   ///< by asker
    std::uint64_t odd = 0;      ///< rows that do not fit the lanes
    std::uint64_t alone = 0;    ///< rows that are walked one by one
    std::uint64_t divided = 0;  ///< rows divided anywhere
    std::vector<Eight> parts;   ///< lines x groups: what terms add where they are known
    Eight weight[kGroups] = {};
    std::vector<std::uint32_t> order;     ///< askers that some row may reach beside another
    std::vector<std::uint64_t> possible;  ///< by asker: rows that may
};

/// Working memory of a thread.
struct Bench {
    std::vector<std::unique_ptr<ShapBlock>> blocks;
    std::vector<TreeBlock> rows;     ///< by block
    std::vector<Quadrature> points;  ///< by their number, those that were needed
    Pass pass;
    std::vector<double> constants;  ///< by asker that is a leaf
    std::vector<double> line_parts;
    std::vector<double> by_known;  ///< by asker, of a row that is walked alone
    std::vector<std::uint8_t> several;
    std::vector<double> row_sums;
    std::vector<Eight> lean;   ///< e, by asker
    std::vector<Eight> reach;  ///< askers x points
    std::vector<Eight> value;
    std::vector<Eight> sums;  ///< slots x outputs x asked columns x groups of eight rows
};

/// A bit for each row of a block.
std::uint64_t rows_of(const ShapBlock& block) {
    return block.n == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << block.n) - 1;
}

/// A row that stands for what is not known.
struct Stand {
    std::size_t row;
    std::span<const std::uint8_t> several;  ///< by asker
};

class Explaining {
public:
    Explaining(const ShapModel& model, const ShapRows& rows, const ShapOptions& options,
               Progress& progress, ShapResult& result)
        : model(model),
          rows(rows),
          options(options),
          progress(progress),
          result(result),
          place(model.n_columns),
          n_slots(options.interactions ? model.asked.size() + 1 : 1) {
        for (std::uint32_t i = 0; i < model.asked.size(); ++i) place[model.asked[i]] = i;
        if (options.background != nullptr) {
            const std::size_t n = options.background->rows.n_rows;
            for (std::size_t begin = 0; begin < n; begin += ShapBlock::kRows)
                background.push_back(model.read(options.background->rows, begin,
                                                std::min(ShapBlock::kRows, n - begin)));
        }
    }

    void run() {
        const std::size_t n_blocks = (rows.rows.n_rows + ShapBlock::kRows - 1) / ShapBlock::kRows;
        const std::size_t sums = std::max<std::size_t>(
            1, n_slots * model.n_outputs * model.asked.size() * ShapBlock::kRows);
        const std::size_t shared_out =
            options.n_threads > 1 ? n_blocks / (kItemsPerThread * options.n_threads) : n_blocks;
        blocks_per_item =
            std::clamp<std::size_t>(std::min(kMostSums / sums, shared_out), 1, kMostBlocks);
        const std::size_t n_items = (n_blocks + blocks_per_item - 1) / blocks_per_item;
        Team team(std::min(options.n_threads, std::max<std::size_t>(1, n_items)), progress);
        std::vector<Bench> benches(team.size());
        team.for_each(n_items, [&](std::size_t item, std::size_t thread) {
            explain_item(item, n_blocks, benches[thread], thread);
        });
    }

    void expect() {
        for (std::size_t index = 0; index < model.n_trees; ++index) {
            const ShapTree tree(model.source(index), place);
            for (std::size_t output = 0; output < tree.n_outputs; ++output)
                result.expected[tree.first_output + output] += tree.expected(output);
        }
    }

private:
    [[nodiscard]] std::size_t stride() const { return blocks_per_item * kGroups; }
    [[nodiscard]] std::size_t output_stride() const { return model.asked.size() * stride(); }
    [[nodiscard]] std::size_t slot_stride() const { return model.n_outputs * output_stride(); }

    void explain_item(std::size_t item, std::size_t n_blocks, Bench& bench, std::size_t thread) {
        const std::size_t first = item * blocks_per_item;
        const std::size_t last = std::min(n_blocks, first + blocks_per_item);
        bench.blocks.clear();
        bench.rows.resize(blocks_per_item);
        bench.sums.assign(n_slots * slot_stride(), Eight{});
        for (std::size_t b = first; b < last; ++b)
            bench.blocks.push_back(
                model.read(rows.rows, b * ShapBlock::kRows,
                           std::min(ShapBlock::kRows, rows.rows.n_rows - b * ShapBlock::kRows)));
        for (std::size_t index = 0; index < model.n_trees; ++index) {
            const ShapTree tree(model.source(index), place);
            for (std::size_t b = 0; b < bench.blocks.size(); ++b) {
                progress.check(thread == 0);
                answer(index, tree, *bench.blocks[b], bench.rows[b]);
            }
            if (options.background == nullptr) explain_tree(index, tree, nullptr, bench, thread);
            else explain_beside(index, tree, bench, thread);
        }
        write(bench);
    }

    /// How the rows of a block answer all questions of a tree.
    void answer(std::size_t index, const ShapTree& tree, const ShapBlock& block,
                TreeBlock& into) const {
        const std::size_t n = tree.askers.size();
        ShapAnswers& answers = into.answers;
        for (auto* bits : {&answers.second, &answers.divided, &answers.several}) bits->assign(n, 0);
        model.answer(index, tree, rows.rows, block, answers);
        into.known.resize(n);
        into.odd = into.divided = 0;
        for (std::size_t i = 0; i < n; ++i) {
            const ShapTree::Asker& asker = tree.askers[i];
            if (asker.is_leaf()) continue;
            const std::uint64_t here = here_by_own(asker.before, into.known);
            const std::uint64_t second = answers.second[i];
            into.known[i] = {here & ~second & ~answers.divided[i],
                             here & second & ~answers.divided[i]};
            into.odd |= answers.several[i];
            into.divided |= answers.divided[i];
        }
        if (into.divided == 0) return;
        if (options.background != nullptr) {
            into.odd |= into.divided;
        } else {  // divided at one question about a column, but not at another
            std::vector<std::uint64_t> any(model.asked.size(), 0);
            std::vector<std::uint64_t> all(model.asked.size(), ~std::uint64_t{0});
            for (std::size_t i = 0; i < n; ++i) {
                if (tree.askers[i].is_leaf()) continue;
                any[tree.askers[i].place] |= answers.divided[i];
                all[tree.askers[i].place] &= answers.divided[i];
            }
            for (std::size_t c = 0; c < any.size(); ++c) into.odd |= any[c] & ~all[c];
        }
        note_divided(tree, block, answers);
    }

    static std::uint64_t here_by_own(const ShapTree::Before& before, std::span<const Known> known) {
        if (before.asker < 0) return ~std::uint64_t{0};
        const Known& above = known[static_cast<std::size_t>(before.asker)];
        return before.second ? above.second : above.first;
    }

    /// Notes the first row that is divided on its own way through a tree.
    void note_divided(const ShapTree& tree, const ShapBlock& block,
                      const ShapAnswers& answers) const {
        std::vector<std::uint64_t> here(tree.askers.size(), 0);
        here[0] = rows_of(block);
        std::uint64_t found = 0;
        for (std::size_t i = 0; i < tree.askers.size(); ++i) {
            const ShapTree::Asker& asker = tree.askers[i];
            if (asker.is_leaf()) continue;
            found |= here[i] & answers.divided[i];
            for (const bool second : {false, true}) {
                const std::int32_t child = asker.child[second ? 1 : 0];
                if (child < 0) continue;
                const std::uint64_t side = second ? answers.second[i] : ~answers.second[i];
                here[static_cast<std::size_t>(child)] |= here[i] & (side | answers.divided[i]);
            }
        }
        if (found == 0) return;
        const auto row = static_cast<std::int64_t>(
            block.begin + static_cast<std::size_t>(std::countr_zero(found)));
        const std::scoped_lock lock(noting);
        if (result.divided_row < 0 || row < result.divided_row) result.divided_row = row;
    }

    /// Explains a tree beside each of the background rows.
    void explain_beside(std::size_t index, const ShapTree& tree, Bench& bench, std::size_t thread) {
        ShapTree beside = tree;
        std::vector<double> share(tree.askers.size());
        std::vector<std::uint8_t> several(tree.askers.size());
        ShapAnswers answers;
        for (const auto& block : background) {
            for (auto* bits : {&answers.second, &answers.divided, &answers.several})
                bits->assign(tree.askers.size(), 0);
            model.answer(index, tree, options.background->rows, *block, answers);
            for (std::size_t k = 0; k < block->n; ++k) {
                for (std::size_t i = 0; i < share.size(); ++i) {
                    const bool second = (answers.second[i] >> k & 1) != 0;
                    const bool divided = (answers.divided[i] >> k & 1) != 0;
                    share[i] = divided ? tree.askers[i].cover : second ? 0.0 : 1.0;
                    several[i] = answers.several[i] >> k & 1;
                }
                beside.set_shares(share);
                const Stand stand{block->begin + k, several};
                explain_tree(index, beside, &stand, bench, thread);
            }
        }
    }

    /// What the terms of the leaves' linear models add to the row's answer: all of them together
    /// give the answer of the model within its limits. Returns the answers without them.
    void measure_lines(const ShapTree& tree, std::size_t row, const Stand* stand,
                       std::span<double> parts, std::span<double> constants) const {
        for (std::size_t i = 0; i < tree.askers.size(); ++i) {
            const ShapTree::Asker& leaf = tree.askers[i];
            if (!leaf.is_leaf()) continue;
            double without = tree.constants[i];
            double sum = 0.0;
            for (std::size_t k = leaf.first_line; k < leaf.first_line + leaf.n_lines; ++k) {
                const ShapTerm& term = tree.lines[k].term;
                const auto number = [&](const ShapRows& from, std::size_t which) {
                    const double x = model.number(from, which, term.number);
                    return std::isfinite(x) ? x : term.fill;
                };
                double other = term.fill;
                if (stand != nullptr) {
                    other = number(*options.background, stand->row);
                    without += term.coefficient * (other - term.fill);
                }
                parts[k] = term.coefficient * (number(rows, row) - other);
                sum += parts[k];
            }
            const auto [low, high] = tree.limits[i];
            constants[i] = std::clamp(without, low, high);
            const double limited = std::clamp(without + sum, low, high);
            double factor = 1.0;
            if (!std::isfinite(sum)) factor = 0.0;
            else if (limited != without + sum || constants[i] != without)
                factor = sum == 0.0 ? 0.0 : (limited - constants[i]) / sum;
            if (factor == 1.0) continue;
            for (std::size_t k = leaf.first_line; k < leaf.first_line + leaf.n_lines; ++k)
                parts[k] = factor == 0.0 ? 0.0 : parts[k] * factor;
        }
    }

    /// The lines of all rows of a block, 0 where the row is there though its value leads elsewhere.
    void measure_block(const ShapTree& tree, const ShapBlock& block, const Stand* stand,
                       TreeBlock& into, Bench& bench) const {
        into.parts.assign(tree.lines.size() * kGroups, Eight{});
        for (std::size_t r = 0; r < block.n; ++r) {
            measure_lines(tree, block.begin + r, stand, bench.line_parts, bench.constants);
            for (std::size_t k = 0; k < tree.lines.size(); ++k)
                if ((here_by_own(tree.lines[k].before, into.known) >> r & 1) != 0)
                    into.parts[k * kGroups + r / kLanes].lane[r % kLanes] = bench.line_parts[k];
        }
    }

    void explain_tree(std::size_t index, const ShapTree& tree, const Stand* stand, Bench& bench,
                      std::size_t thread) {
        bench.line_parts.resize(tree.lines.size());
        bench.constants.assign(tree.askers.size(), 0.0);
        const bool several_beside =
            stand != nullptr && std::any_of(stand->several.begin(), stand->several.end(),
                                            [](std::uint8_t each) { return each != 0; });
        for (std::size_t b = 0; b < bench.blocks.size(); ++b) {
            const ShapBlock& block = *bench.blocks[b];
            TreeBlock& own = bench.rows[b];
            own.alone = several_beside ? ~std::uint64_t{0} : own.odd;
            for (std::size_t r = 0; r < ShapBlock::kRows; ++r)
                own.weight[r / kLanes].lane[r % kLanes] = r >= block.n || (own.alone >> r & 1) != 0
                                                              ? 0.0
                                                              : weight_of(block.begin + r, stand);
            if (!tree.lines.empty()) measure_block(tree, block, stand, own, bench);
            if (stand != nullptr)
                find_possible(tree, own.known, ~own.alone & rows_of(block), own.order,
                              own.possible);
        }
        explain_fixed(index, tree, stand, {}, 1.0, 0, bench, thread);
        if (!options.interactions) return;
        ShapTree fixed = tree;
        for (const std::uint32_t one : tree.places)
            for (const bool known : {true, false}) {
                const std::size_t terms = known ? ShapTree::kKnown : ShapTree::kUnknown;
                for (std::size_t i = 0; i < tree.askers.size(); ++i)
                    fixed.askers[i].before.terms =
                        tree.askers[i].place == one ? terms : tree.askers[i].before.terms;
                for (std::size_t k = 0; k < tree.lines.size(); ++k)
                    fixed.lines[k].before.terms =
                        tree.lines[k].place == one ? terms : tree.lines[k].before.terms;
                explain_fixed(index, fixed, stand, {static_cast<std::int32_t>(one), known},
                              known ? 0.5 : -0.5, one + 1, bench, thread);
            }
    }

    [[nodiscard]] double weight_of(std::size_t row, const Stand* stand) const {
        if (stand == nullptr) return 1.0;
        if (options.pair_weight.empty())
            return 1.0 / static_cast<double>(options.background->rows.n_rows);
        return options.pair_weight[row * options.background->rows.n_rows + stand->row];
    }

    /// Adds a tree, with a column known or unknown for certain, to the sums of a slot.
    void explain_fixed(std::size_t index, const ShapTree& tree, const Stand* stand, ShapFixed fixed,
                       double factor, std::size_t slot, Bench& bench, std::size_t thread) {
        const std::size_t n_points = (tree.most_columns + 1) / 2;
        if (n_points == 0) return;
        if (bench.points.size() <= n_points) bench.points.resize(n_points + 1);
        if (bench.points[n_points].at.empty()) bench.points[n_points] = gauss_legendre(n_points);
        const std::size_t n_passes = (n_points + kMostPoints - 1) / kMostPoints;
        const std::size_t n_together = (n_points + n_passes - 1) / n_passes;
        const std::size_t n = tree.askers.size();
        bench.lean.resize(std::max(bench.lean.size(), n));
        for (auto* state : {&bench.reach, &bench.value})
            state->resize(std::max(state->size(), n * n_together));
        std::vector<Eight> constants(tree.lines.empty() ? 0 : n);
        for (std::size_t i = 0; i < constants.size(); ++i)
            std::fill_n(constants[i].lane, kLanes, bench.constants[i]);
        Eight* sums =
            bench.sums.data() + slot * slot_stride() + tree.first_output * output_stride();
        for (std::size_t begin = 0; begin < n_points; begin += n_together) {
            bench.pass.set(tree, bench.points[n_points], begin,
                           std::min(n_points, begin + n_together));
            for (double& weight : bench.pass.weight) weight *= factor;
            for (std::size_t b = 0; b < bench.blocks.size(); ++b) {
                progress.check(thread == 0);
                const TreeBlock& own = bench.rows[b];
                if (~own.alone == 0) continue;
                const Lanes lanes{tree,
                                  bench.pass,
                                  own.known.data(),
                                  constants.data(),
                                  own.parts.data(),
                                  bench.lean.data(),
                                  bench.reach.data(),
                                  bench.value.data(),
                                  stand == nullptr ? nullptr : &own.order,
                                  stand == nullptr ? nullptr : own.possible.data()};
                explain_block(lanes, own.weight, (bench.blocks[b]->n + kLanes - 1) / kLanes,
                              sums + b * kGroups, stride(), output_stride());
            }
        }
        for (std::size_t b = 0; b < bench.blocks.size(); ++b)
            for (std::size_t r = 0; r < bench.blocks[b]->n; ++r)
                if ((bench.rows[b].alone >> r & 1) != 0) {
                    progress.check(thread == 0);
                    explain_alone(index, tree, stand, fixed, factor, b, r, bench, sums);
                }
    }

    void explain_alone(std::size_t index, const ShapTree& tree, const Stand* stand, ShapFixed fixed,
                       double factor, std::size_t b, std::size_t r, Bench& bench, Eight* sums) {
        const std::size_t row = bench.blocks[b]->begin + r;
        const double weight = factor * weight_of(row, stand);
        if (weight == 0.0) return;
        const ShapAnswers& answers = bench.rows[b].answers;
        const std::size_t n = tree.askers.size();
        bench.by_known.resize(n);
        bench.several.resize(n);
        for (std::size_t i = 0; i < n; ++i) {
            const bool divided = (answers.divided[i] >> r & 1) != 0;
            const bool second = (answers.second[i] >> r & 1) != 0;
            bench.by_known[i] = divided ? tree.askers[i].cover : second ? 0.0 : 1.0;
            bench.several[i] = answers.several[i] >> r & 1;
            if (stand != nullptr) bench.several[i] |= stand->several[i];
        }
        if (!tree.lines.empty()) measure_lines(tree, row, stand, bench.line_parts, bench.constants);
        bench.row_sums.assign(tree.n_outputs * model.asked.size(), 0.0);
        const ShapPair pair{model,
                            index,
                            tree,
                            bench.by_known,
                            bench.several,
                            bench.line_parts,
                            bench.constants,
                            rows.rows,
                            row,
                            stand == nullptr ? nullptr : &options.background->rows,
                            stand == nullptr ? 0 : stand->row,
                            place};
        std::size_t n_together = 0;
        if (!explain_row(pair, fixed, weight, bench.row_sums, n_together)) {
            const std::scoped_lock lock(noting);
            result.most_together = std::max(result.most_together, n_together);
            return;
        }
        for (std::size_t output = 0; output < tree.n_outputs; ++output)
            for (std::size_t c = 0; c < model.asked.size(); ++c)
                sums[output * output_stride() + c * stride() + b * kGroups + r / kLanes]
                    .lane[r % kLanes] += bench.row_sums[output * model.asked.size() + c];
    }

    /// Writes the sums of an item's rows, columns that are not asked having 0 already.
    void write(const Bench& bench) {
        const std::size_t n_asked = model.asked.size();
        for (std::size_t b = 0; b < bench.blocks.size(); ++b)
            for (std::size_t r = 0; r < bench.blocks[b]->n; ++r)
                for (std::size_t output = 0; output < model.n_outputs; ++output) {
                    const std::size_t line =
                        (bench.blocks[b]->begin + r) * model.n_outputs + output;
                    const auto sum = [&](std::size_t slot, std::size_t c) {
                        return bench
                            .sums[slot * slot_stride() + output * output_stride() + c * stride() +
                                  b * kGroups + r / kLanes]
                            .lane[r % kLanes];
                    };
                    if (!options.interactions) {
                        double* into = result.values.data() + line * model.n_columns;
                        for (std::size_t c = 0; c < n_asked; ++c) into[model.asked[c]] = sum(0, c);
                        continue;
                    }
                    double* into = result.values.data() + line * model.n_columns * model.n_columns;
                    for (std::size_t i = 0; i < n_asked; ++i) {
                        double left = sum(0, i);
                        for (std::size_t j = 0; j < n_asked; ++j) {
                            if (i == j) continue;
                            const double both = 0.5 * (sum(1 + i, j) + sum(1 + j, i));
                            into[model.asked[i] * model.n_columns + model.asked[j]] = both;
                            left -= both;
                        }
                        into[model.asked[i] * model.n_columns + model.asked[i]] = left;
                    }
                }
    }

    const ShapModel& model;
    const ShapRows& rows;
    const ShapOptions& options;
    Progress& progress;
    ShapResult& result;
    std::vector<std::uint32_t> place;  ///< of each column among the asked ones
    std::size_t n_slots;
    std::vector<std::unique_ptr<ShapBlock>> background;
    std::size_t blocks_per_item = 1;
    mutable std::mutex noting;
};

}  // namespace

void ShapModel::decided_by(std::size_t, std::uint32_t, const Rows&, std::size_t,
                           std::vector<std::uint32_t>&) const {
    require(false, "questions about one column");
}

void ShapModel::may_decide(std::size_t, std::uint32_t, std::vector<std::uint32_t>&) const {
    require(false, "questions about one column");
}

int ShapModel::branch(std::size_t, std::uint32_t, const Rows&, std::size_t) const {
    require(false, "questions about one column");
    return -1;
}

ShapResult shap_values(const ShapModel& model, const ShapRows& rows, const ShapOptions& options,
                       Progress& progress) {
    require(rows.rows.columns.size() == model.n_columns, "the columns of the model");
    if (options.background != nullptr) {
        require(options.background->rows.columns.size() == model.n_columns,
                "the columns of the model");
        require(
            options.pair_weight.empty() ||
                options.pair_weight.size() == rows.rows.n_rows * options.background->rows.n_rows,
            "a weight for every row and background row");
    }
    ShapResult result;
    const std::size_t width = options.interactions ? model.n_columns : 1;
    result.values.assign(rows.rows.n_rows * model.n_outputs * model.n_columns * width, 0.0);
    result.expected.assign(model.n_outputs, 0.0);
    Explaining explaining(model, rows, options, progress, result);
    explaining.run();
    if (options.background == nullptr) explaining.expect();
    return result;
}

}  // namespace treewright::tree
