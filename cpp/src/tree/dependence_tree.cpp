#include "treewright/tree/dependence_tree.hpp"

#include <algorithm>
#include <utility>

#include "treewright/base/error.hpp"

namespace treewright::tree {
namespace {

void divide_point(const ShapTree& tree, LeafPoints& own, const ShapAnswers& answers,
                  std::size_t bit, std::uint32_t first_point) {
    LeafPoints::Divided point{first_point + static_cast<std::uint32_t>(bit),
                              std::vector<double>(tree.n_leaves)};
    std::vector<double> share(tree.askers.size());
    share[0] = 1.0;
    const auto give = [&](std::int32_t child, double part) {
        if (child < 0) point.share[static_cast<std::size_t>(~child)] = part;
        else share[static_cast<std::size_t>(child)] = part;
    };
    for (std::size_t i = 0; i < tree.askers.size(); ++i) {
        double first = 1.0;
        double other = 1.0;
        if (own.is_set[i] != 0) {
            const bool second = (answers.second[i] >> bit & 1) != 0;
            first = (answers.divided[i] >> bit & 1) != 0 ? tree.askers[i].cover
                    : second                             ? 0.0
                                                         : 1.0;
            other = 1.0 - first;
        }
        give(tree.askers[i].child[0], share[i] * first);
        give(tree.askers[i].child[1], share[i] * other);
    }
    own.divided.push_back(std::move(point));
}

void list_runs(std::span<const std::uint64_t> at_leaf, std::size_t n_words, LeafPoints& own,
               std::size_t n_leaves) {
    own.run_start.assign(1, 0);
    for (std::size_t leaf = 0; leaf < n_leaves; ++leaf) {
        const std::size_t first_run = own.runs.size();
        for (std::size_t w = 0; w < n_words; ++w) {
            std::uint64_t mask = at_leaf[leaf * n_words + w];
            const auto offset = static_cast<std::uint32_t>(w * ShapBlock::kRows);
            while (mask != 0) {
                const auto low = static_cast<std::uint32_t>(std::countr_zero(mask));
                const auto n = static_cast<std::uint32_t>(std::countr_one(mask >> low));
                const bool goes_on =
                    own.runs.size() > first_run && own.runs.back().end == offset + low;
                if (goes_on) own.runs.back().end = offset + low + n;
                else own.runs.push_back({offset + low, offset + low + n});
                mask = low + n == 64 ? 0 : mask & (~std::uint64_t{0} << (low + n));
            }
        }
        own.run_start.push_back(static_cast<std::uint32_t>(own.runs.size()));
    }
}

/// Finds the askers of set columns that have none above them, and the leaves below.
void find_tops(const ShapTree& tree, LeafPoints& own) {
    own.is_below.assign(tree.n_leaves, 0);
    std::vector<std::uint8_t> below(tree.askers.size());
    for (std::size_t i = 0; i < tree.askers.size(); ++i) {
        if (own.is_set[i] != 0 && below[i] == 0) {
            own.tops.push_back(static_cast<std::uint32_t>(i));
            below[i] = 1;
        }
        if (below[i] == 0) continue;
        for (const std::int32_t child : tree.askers[i].child) {
            if (child < 0) own.is_below[static_cast<std::size_t>(~child)] = 1;
            else below[static_cast<std::size_t>(child)] = 1;
        }
    }
}

/// Finds which points lead to which leaf.
void prepare_points(const ShapModel& model, std::size_t index, const ShapTree& tree,
                    const ReadSettings& read, std::size_t s, LeafPoints& own) {
    const auto& set = read.settings[s].columns;
    std::vector<std::uint8_t> is_set(tree.askers.size());
    bool any = false;
    for (std::size_t i = 0; i < tree.askers.size(); ++i) {
        const std::uint32_t column = model.asked[tree.askers[i].place];
        is_set[i] = std::binary_search(set.begin(), set.end(), column) ? 1 : 0;
        any = any || is_set[i] != 0;
    }
    if (!any) return;
    own.is_set = std::move(is_set);
    find_tops(tree, own);
    const std::size_t n_words = read.blocks[s].size();
    std::vector<std::uint64_t> at_leaf(tree.n_leaves * n_words);
    std::vector<std::uint64_t> reach(tree.askers.size());
    ShapAnswers answers;
    for (std::size_t w = 0; w < n_words; ++w) {
        const ShapBlock& block = *read.blocks[s][w];
        answer_block(model, index, tree, *read.settings[s].points, block, answers);
        std::uint64_t odd = 0;
        for (std::size_t i = 0; i < tree.askers.size(); ++i)
            if (own.is_set[i] != 0) odd |= answers.divided[i];
        reach[0] = rows_of(block) & ~odd;
        const auto give = [&](std::int32_t child, std::uint64_t mask) {
            if (child < 0) at_leaf[static_cast<std::size_t>(~child) * n_words + w] = mask;
            else reach[static_cast<std::size_t>(child)] = mask;
        };
        for (std::size_t i = 0; i < tree.askers.size(); ++i) {
            const bool decides = own.is_set[i] != 0;
            const std::uint64_t second = answers.second[i];
            give(tree.askers[i].child[0], decides ? reach[i] & ~second : reach[i]);
            give(tree.askers[i].child[1], decides ? reach[i] & second : reach[i]);
        }
        for (; odd != 0; odd &= odd - 1)
            divide_point(tree, own, answers, static_cast<std::size_t>(std::countr_zero(odd)),
                         static_cast<std::uint32_t>(w * ShapBlock::kRows));
    }
    list_runs(at_leaf, n_words, own, tree.n_leaves);
}

}  // namespace

ShapBlocks read_blocks(const ShapModel& model, const Rows& rows) {
    ShapBlocks blocks;
    for (std::size_t begin = 0; begin < rows.n_rows; begin += ShapBlock::kRows)
        blocks.push_back(model.read(rows, begin, std::min(ShapBlock::kRows, rows.n_rows - begin)));
    return blocks;
}

void answer_block(const ShapModel& model, std::size_t index, const ShapTree& tree, const Rows& rows,
                  const ShapBlock& block, ShapAnswers& answers) {
    answers.second.assign(tree.askers.size(), 0);
    answers.divided.assign(tree.askers.size(), 0);
    answers.several.assign(tree.askers.size(), 0);
    model.answer(index, tree, rows, block, answers);
}

void DependenceRows::follow(const ShapModel& model, std::size_t index, const ShapTree& tree,
                            const Rows& rows, const ShapBlock& block) {
    answer_block(model, index, tree, rows, block, answers);
    odd = 0;
    for (const std::uint64_t divided : answers.divided) odd |= divided;
    odd &= rows_of(block);
    whole = rows_of(block) & ~odd;
    reach.resize(tree.askers.size());
    leaf.resize(tree.n_leaves);
    const auto give = [&](std::int32_t child, std::uint64_t here) {
        if (child < 0) leaf[static_cast<std::size_t>(~child)] = here;
        else reach[static_cast<std::size_t>(child)] = here;
    };
    give(tree.askers.empty() ? ~0 : 0, whole);
    for (std::size_t i = 0; i < tree.askers.size(); ++i) {  // parents come first
        give(tree.askers[i].child[0], reach[i] & ~answers.second[i]);
        give(tree.askers[i].child[1], reach[i] & answers.second[i]);
    }
}

ReadSettings::ReadSettings(const ShapModel& model, std::span<const Setting> settings)
    : settings(settings), place(model.n_columns) {
    for (std::uint32_t i = 0; i < model.asked.size(); ++i) place[model.asked[i]] = i;
    for (const Setting& setting : settings) blocks.push_back(read_blocks(model, *setting.points));
}

DependenceTree prepare_tree(const ShapModel& model, std::size_t index, const ReadSettings& read) {
    const ShapSource source = model.source(index);
    DependenceTree prepared{std::make_unique<ShapTree>(source, read.place), {}};
    require(prepared.tree->lines.empty(), "leaves without linear models");
    prepared.points.resize(read.settings.size());
    for (std::size_t s = 0; s < read.settings.size(); ++s) {
        const auto& set = read.settings[s].columns;
        const auto is_among = [&](std::uint32_t column) {
            return std::binary_search(set.begin(), set.end(), column);
        };
        LeafPoints& own = prepared.points[s];
        if (std::any_of(source.further.begin(), source.further.end(), is_among)) {
            own.is_mixed = true;
        } else {
            prepare_points(model, index, *prepared.tree, read, s, own);
        }
    }
    return prepared;
}

}  // namespace treewright::tree
