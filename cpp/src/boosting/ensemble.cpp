#include <algorithm>
#include <cmath>
#include <numeric>

#include "treewright/base/error.hpp"
#include "treewright/boosting/ensemble.hpp"

namespace treewright::boosting {
namespace {

constexpr std::size_t kTogether = BoostBlock::kRows;
constexpr std::size_t kBlocksPerItem = 16;
constexpr std::size_t kMostLeaves = 256;  ///< of a tree that rows descend together: a byte
constexpr std::uint32_t kMostNarrow = 256;
constexpr std::size_t kFewRows = 4;  ///< up to which walking one by one is faster

/// Whether terms belong to leaves and multiply numbers of existing columns.
bool has_sound_lines(const BoostTree& tree, const Codebook& book) {
    if (tree.line_start.empty()) return tree.line_terms.empty();
    if (tree.line_start.size() != tree.nodes.size() + 1 || tree.line_start.front() != 0 ||
        tree.line_start.back() != tree.line_terms.size() ||
        tree.line_limits.size() != tree.nodes.size())
        return false;
    for (const Limits& limits : tree.line_limits)
        if (!(limits.low <= 0.0 && limits.high >= 0.0) || !std::isfinite(limits.high - limits.low))
            return false;
    for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
        if (tree.line_start[i] > tree.line_start[i + 1]) return false;
        if (tree.line_start[i] < tree.line_start[i + 1] && !tree.nodes[i].is_leaf()) return false;
    }
    return std::ranges::all_of(tree.line_terms, [&](const LineTerm& term) {
        return term.column < book.columns.size() && !book.columns[term.column].is_nominal &&
               std::isfinite(term.coefficient) && std::isfinite(term.center);
    });
}

bool is_narrow(const CodedColumn& coded) {
    return coded.n_all() <= kMostNarrow;
}

/// Words with a bit for each code.
std::size_t n_words_of(const CodedColumn& coded) {
    return coded.n_all() / 64 + 1;
}

/// Bits 64 w to 64 w + 63 of the codes above a cut.
std::uint64_t above(std::uint32_t cut, std::size_t w) {
    if (w < cut / 64) return 0;
    return w > cut / 64 ? ~std::uint64_t{0} : ~std::uint64_t{1} << cut % 64;
}

}  // namespace

BoostForest::BoostForest(Codebook given_book, std::vector<BoostTree> given_trees,
                         std::size_t n_outputs, Origin origin)
    : book(std::move(given_book)), trees(std::move(given_trees)), n_outputs(n_outputs) {
    require(origin != Origin::given || is_sound(),
            "an index leads outside, or a number is not finite");
    prepare(origin);
}

bool BoostForest::is_sound() const {
    if (n_outputs == 0 || trees.size() % n_outputs != 0 || book.columns.size() > 65536)
        return false;
    for (const CodedColumn& coded : book.columns) {
        if (coded.n_codes > 65535) return false;
        if (!coded.is_nominal && coded.cuts.size() + 1 != coded.n_codes) return false;
        if (!std::is_sorted(coded.cuts.begin(), coded.cuts.end())) return false;
    }
    for (const BoostTree& tree : trees) {
        if (tree.nodes.empty()) return false;
        const auto n_nodes = static_cast<std::int64_t>(tree.nodes.size());
        std::vector<bool> has_parent(tree.nodes.size());
        has_parent[0] = true;
        for (std::int64_t i = 0; i < n_nodes; ++i) {
            const BoostNode& node = tree.nodes[static_cast<std::size_t>(i)];
            if (!std::isfinite(node.value)) return false;
            if (node.is_leaf()) continue;
            if (node.first_child <= i || node.first_child >= n_nodes - 1) return false;
            for (const std::int32_t child : {node.first_child, node.first_child + 1}) {
                if (has_parent[static_cast<std::size_t>(child)]) return false;
                has_parent[static_cast<std::size_t>(child)] = true;
            }
            if (node.column >= book.columns.size()) return false;
            const CodedColumn& coded = book.columns[node.column];
            if (coded.is_nominal != (node.subset >= 0)) return false;
            if (!coded.is_nominal && node.cut >= coded.n_codes) return false;
            if (coded.is_nominal && static_cast<std::size_t>(node.subset) + coded.n_all() / 64 + 1 >
                                        tree.subsets.size())
                return false;
        }
        if (std::ranges::find(has_parent, false) != has_parent.end()) return false;
        if (!has_sound_lines(tree, book)) return false;
    }
    return true;
}

void BoostForest::prepare(Origin origin) {
    std::vector<bool> is_used(book.columns.size());
    std::size_t n_nodes = 0;
    std::size_t n_listed = 0;
    std::size_t n_bits = 0;
    for (const BoostTree& tree : trees) {
        n_nodes += tree.nodes.size();
        for (const BoostNode& node : tree.nodes) {
            if (node.is_leaf()) continue;
            is_used[node.column] = true;
            if (is_plain(node)) continue;
            ++n_listed;
            n_bits += n_words_of(book.columns[node.column]);
        }
    }
    const std::size_t n_asking = n_nodes / 2;  // a tree has one leaf more than questions
    lists.reserve(n_listed);
    bits.reserve(n_bits);
    steps.reserve(n_nodes);
    choices.reserve(n_asking);
    values.reserve(n_nodes - n_asking);
    leaf_nodes.reserve(n_nodes - n_asking);
    prepared.reserve(trees.size() + 1);
    place.resize(book.columns.size());
    for (std::uint32_t c = 0; c < book.columns.size(); ++c) {
        const CodedColumn& coded = book.columns[c];
        if (origin != Origin::judged) encoders.emplace_back(coded);
        if (is_used[c]) used.push_back(c);
        place[c] = static_cast<std::uint32_t>(is_narrow(coded) ? n_narrow++ : n_wide++);
    }
    for (const BoostTree& tree : trees) {
        prepared.push_back({steps.size(), values.size(), choices.size(), lists.size(), 0});
        add_steps(tree);
        prepared.back().n_leaves = values.size() - prepared.back().first_leaf;
        if (prepared.back().n_leaves > kMostLeaves) continue;
        most_leaves = std::max(most_leaves, prepared.back().n_leaves);
        most_choices = std::max(most_choices, tree.nodes.size() - prepared.back().n_leaves);
    }
    std::vector<std::uint16_t> slot;
    for (std::size_t t = 0; t < trees.size(); ++t) {
        prepared[t].first_choice = choices.size();
        if (prepared[t].n_leaves <= kMostLeaves) add_choices(t, slot);
    }
    prepared.push_back({steps.size(), values.size(), choices.size(), lists.size(), 0});
}

bool BoostForest::is_plain(const BoostNode& node) const {
    return node.subset < 0 && is_narrow(book.columns[node.column]);
}

void BoostForest::add_steps(const BoostTree& tree) {
    for (std::uint32_t i = 0; i < tree.nodes.size(); ++i) {
        const BoostNode& node = tree.nodes[i];
        BoostStep step{};
        step.is_leaf = node.is_leaf();
        if (step.is_leaf) {
            step.first_child =
                static_cast<std::uint32_t>(values.size() - prepared.back().first_leaf);
            values.push_back(node.value);
            leaf_nodes.push_back(i);
            steps.push_back(step);
            continue;
        }
        step.first_child = static_cast<std::uint32_t>(node.first_child);
        step.is_plain = is_plain(node);
        if (step.is_plain) {
            // Codes move up by one where missing values are the lowest.
            const std::uint32_t moved = node.missing_first ? 1 : 0;
            step.cut = static_cast<std::uint8_t>(node.cut + moved);
            step.codes = (2 * place[node.column] + moved) * sizeof(RowBytes);
        } else {
            step.codes = static_cast<std::uint32_t>(lists.size());
            lists.push_back(list_of(tree, node));
        }
        steps.push_back(step);
    }
}

BoostList BoostForest::list_of(const BoostTree& tree, const BoostNode& node) {
    const CodedColumn& coded = book.columns[node.column];
    const std::size_t n_words = n_words_of(coded);
    const BoostList list{node.column, bits.size(), n_words};
    bits.resize(bits.size() + n_words);
    std::uint64_t* const own = bits.data() + list.first_word;
    const std::uint64_t* const first =
        node.subset < 0 ? nullptr : tree.subsets.data() + node.subset;
    for (std::size_t w = 0; w < n_words; ++w)
        own[w] = first != nullptr ? ~first[w] : above(node.cut, w);
    const std::uint64_t missing = std::uint64_t{1} << coded.missing() % 64;
    if (node.missing_first) own[coded.missing() / 64] &= ~missing;
    else own[coded.missing() / 64] |= missing;
    return list;
}

void BoostForest::add_choices(std::size_t tree, std::vector<std::uint16_t>& slot) {
    const BoostStep* own = steps.data() + prepared[tree].first_step;
    const std::size_t n_steps = trees[tree].nodes.size();
    slot.resize(n_steps);  // filled from the last one on: children come after their parents
    std::size_t free = most_leaves;
    for (std::size_t i = n_steps; i-- > 0;) {
        const BoostStep& step = own[i];
        const std::size_t at = step.is_leaf ? step.first_child : free++;
        slot[i] = static_cast<std::uint16_t>(at * sizeof(RowBytes));
        if (step.is_leaf) continue;
        const auto in_list = static_cast<std::uint32_t>(step.codes - prepared[tree].first_list);
        choices.push_back(
            {step.is_plain ? step.codes : in_list * static_cast<std::uint32_t>(sizeof(RowBytes)),
             slot[step.first_child], slot[step.first_child + 1], step.cut, !step.is_plain});
    }
}

bool BoostForest::has_lines() const {
    return std::ranges::any_of(trees, &BoostTree::has_lines);
}

void BoostForest::read_block(const tree::Rows& rows, std::size_t begin, std::size_t n,
                             BoostBlock& block) const {
    block.begin = begin;
    block.n = n;
    read_columns(rows, used, block);
}

void BoostForest::read_columns(const tree::Rows& rows, std::span<const std::uint32_t> columns,
                               BoostBlock& block) const {
    block.narrow.resize(2 * n_narrow);
    block.wide.resize(n_wide * kTogether);
    const std::size_t end = block.begin + block.n;
    for (const std::uint32_t c : columns) {
        const CodedColumn& coded = book.columns[c];
        if (!is_narrow(coded)) {
            encoders[c].encode(rows.columns[c], block.begin, end,
                               block.wide.data() + place[c] * kTogether);
            continue;
        }
        RowBytes* const own = block.narrow.data() + 2 * place[c];
        encoders[c].encode(rows.columns[c], block.begin, end, own->of);
        missing_lowest(own[0], static_cast<std::uint8_t>(coded.missing()), own[1]);
    }
}

std::uint32_t BoostForest::walk(std::size_t tree, const BoostBlock& block, std::size_t i) const {
    const BoostStep* own = steps.data() + prepared[tree].first_step;
    const std::uint8_t* codes = reinterpret_cast<const std::uint8_t*>(block.narrow.data()) + i;
    const BoostStep* at = own;
    while (!at->is_leaf) {
        bool second = false;
        if (at->is_plain) {
            second = codes[at->codes] > at->cut;
        } else {
            const BoostList& list = lists[at->codes];
            const std::size_t of_column = place[list.column];
            const std::uint32_t code = is_narrow(book.columns[list.column])
                                           ? block.narrow[2 * of_column].of[i]
                                           : block.wide[of_column * kTogether + i];
            second = (bits[list.first_word + code / 64] >> code % 64 & 1) != 0;
        }
        at = own + at->first_child + (second ? 1 : 0);
    }
    return at->first_child;
}

void BoostForest::answer_list(const BoostList& list, const BoostBlock& block,
                              RowBytes& answers) const {
    const auto own = std::span(bits).subspan(list.first_word, list.n_words);
    const std::size_t of_column = place[list.column];
    if (is_narrow(book.columns[list.column]))
        answer_by_bits(block.narrow[2 * of_column].of, own, answers);
    else answer_by_bits(block.wide.data() + of_column * kTogether, own, answers);
}

void BoostForest::answer(std::size_t tree, const BoostBlock& block,
                         std::span<std::uint64_t> second) const {
    const BoostStep* own = steps.data() + prepared[tree].first_step;
    RowBytes answers;
    for (std::size_t node = 0; node < trees[tree].nodes.size(); ++node) {
        const BoostStep& step = own[node];
        if (step.is_leaf) continue;
        if (!step.is_plain) answer_list(lists[step.codes], block, answers);
        second[node] = step.is_plain
                           ? bits_above(block.narrow[step.codes / sizeof(RowBytes)], step.cut)
                           : bits_above(answers, 0);
    }
}

bool BoostForest::goes_together(std::size_t tree, const BoostBlock& block) const {
    return prepared[tree].n_leaves <= kMostLeaves && block.n >= kFewRows;
}

const RowBytes& BoostForest::leaves_together(std::size_t tree, const BoostBlock& block,
                                             BoostPaths& paths) const {
    const Prepared& own = prepared[tree];
    const Prepared& next = prepared[tree + 1];
    if (paths.slots.empty()) {
        paths.slots.resize(most_leaves + most_choices);
        for (std::size_t leaf = 0; leaf < most_leaves; ++leaf)
            std::ranges::fill(paths.slots[leaf].of, static_cast<std::uint8_t>(leaf));
    }
    const std::size_t n_lists = next.first_list - own.first_list;
    if (paths.answers.size() < n_lists) paths.answers.resize(n_lists);
    for (std::size_t i = 0; i < n_lists; ++i)
        answer_list(lists[own.first_list + i], block, paths.answers[i]);
    return go_together(
        std::span(choices).subspan(own.first_choice, next.first_choice - own.first_choice),
        block.narrow.data(), paths.answers.data(), paths.slots.data(), most_leaves);
}

template <class Use>
void BoostForest::for_each_leaf(std::size_t tree, const BoostBlock& block, BoostPaths& paths,
                                Use&& use) const {
    if (goes_together(tree, block)) {
        const RowBytes& leaves = leaves_together(tree, block, paths);
        for (std::size_t i = 0; i < block.n; ++i) use(i, std::size_t{leaves.of[i]});
    } else {
        for (std::size_t i = 0; i < block.n; ++i) use(i, std::size_t{walk(tree, block, i)});
    }
}

void BoostForest::add_tree(std::size_t tree, const tree::Rows& rows, const BoostBlock& block,
                           BoostPaths& paths, double* scores) const {
    const BoostTree& own = trees[tree];
    const double* const value = values.data() + prepared[tree].first_leaf;
    if (own.has_lines()) {
        const std::uint32_t* const node = leaf_nodes.data() + prepared[tree].first_leaf;
        for_each_leaf(tree, block, paths, [&](std::size_t i, std::size_t leaf) {
            scores[i] += value[leaf];
            scores[i] += own.line_part(
                node[leaf], [&](std::size_t c) { return rows.columns[c].number(block.begin + i); });
        });
    } else if (goes_together(tree, block)) {
        add_values(leaves_together(tree, block, paths), value, scores);
    } else {
        for (std::size_t i = 0; i < block.n; ++i) scores[i] += value[walk(tree, block, i)];
    }
}

template <class BlockOf>
void BoostForest::add_by_blocks(const tree::Rows& rows, std::size_t first, std::size_t last,
                                std::size_t n_threads, Progress& progress, std::span<double> scores,
                                std::vector<BoostPaths>& paths, BlockOf&& block_of) const {
    require(rows.columns.size() == book.columns.size(), "the columns of the model");
    require(scores.size() == rows.n_rows * n_outputs, "a score for every row and output");
    const std::size_t n_blocks = (rows.n_rows + kTogether - 1) / kTogether;
    const std::size_t n_items = (n_blocks + kBlocksPerItem - 1) / kBlocksPerItem;
    Team team(std::min(n_threads, n_items), progress);
    std::vector<BoostBlock> memory(team.size());
    if (paths.size() < team.size()) paths.resize(team.size());
    team.for_each(n_items, [&](std::size_t item, std::size_t thread) {
        std::vector<double> sums(n_outputs * kTogether);
        for (std::size_t b = item * kBlocksPerItem;
             b < std::min(n_blocks, (item + 1) * kBlocksPerItem); ++b) {
            progress.check(thread == 0);
            const BoostBlock& block = block_of(b, memory[thread]);
            double* const own = scores.data() + block.begin * n_outputs;
            for (std::size_t i = 0; i < block.n; ++i)
                for (std::size_t k = 0; k < n_outputs; ++k)
                    sums[k * kTogether + i] = own[i * n_outputs + k];
            for (std::size_t tree = first; tree < last; ++tree)
                add_tree(tree, rows, block, paths[thread],
                         sums.data() + tree % n_outputs * kTogether);
            for (std::size_t i = 0; i < block.n; ++i)
                for (std::size_t k = 0; k < n_outputs; ++k)
                    own[i * n_outputs + k] = sums[k * kTogether + i];
        }
    });
}

void BoostForest::add_scores(const tree::Rows& rows, std::size_t first, std::size_t last,
                             std::size_t n_threads, Progress& progress,
                             std::span<double> scores) const {
    std::vector<BoostPaths> paths;
    add_by_blocks(rows, first, last, n_threads, progress, scores, paths,
                  [&](std::size_t b, BoostBlock& memory) -> const BoostBlock& {
                      const std::size_t begin = b * kTogether;
                      read_block(rows, begin, std::min(kTogether, rows.n_rows - begin), memory);
                      return memory;
                  });
}

void BoostForest::add_scores(const CodedRows& coded, std::size_t first, std::size_t last,
                             std::size_t n_threads, Progress& progress,
                             std::span<double> scores) const {
    std::vector<BoostPaths> paths;
    add_scores(coded, first, last, n_threads, progress, scores, paths);
}

void BoostForest::add_scores(const CodedRows& coded, std::size_t first, std::size_t last,
                             std::size_t n_threads, Progress& progress, std::span<double> scores,
                             std::vector<BoostPaths>& paths) const {
    add_by_blocks(coded.rows, first, last, n_threads, progress, scores, paths,
                  [&](std::size_t b, BoostBlock&) -> const BoostBlock& { return coded.blocks[b]; });
}

CodedRows BoostForest::code(const tree::Rows& rows, std::size_t n_threads,
                            Progress& progress) const {
    require(rows.columns.size() == book.columns.size(), "the columns of the model");
    std::vector<std::uint32_t> all(book.columns.size());
    std::iota(all.begin(), all.end(), 0U);
    CodedRows coded{rows, std::vector<BoostBlock>((rows.n_rows + kTogether - 1) / kTogether)};
    Team team(std::min(n_threads, std::max<std::size_t>(coded.blocks.size(), 1)), progress);
    team.for_each(coded.blocks.size(), [&](std::size_t b, std::size_t) {
        BoostBlock& block = coded.blocks[b];
        block.begin = b * kTogether;
        block.n = std::min(kTogether, rows.n_rows - block.begin);
        read_columns(rows, all, block);
    });
    return coded;
}

void BoostForest::apply(const tree::Rows& rows, std::size_t n_threads, Progress& progress,
                        std::span<std::int32_t> leaves) const {
    require(rows.columns.size() == book.columns.size(), "the columns of the model");
    require(leaves.size() == rows.n_rows * trees.size(), "a leaf for every row and tree");
    const std::size_t n_blocks = (rows.n_rows + kTogether - 1) / kTogether;
    Team team(std::min(n_threads, n_blocks), progress);
    std::vector<BoostBlock> blocks(team.size());
    std::vector<BoostPaths> paths(team.size());
    team.for_each(n_blocks, [&](std::size_t b, std::size_t thread) {
        const std::size_t begin = b * kTogether;
        read_block(rows, begin, std::min(kTogether, rows.n_rows - begin), blocks[thread]);
        for (std::size_t tree = 0; tree < trees.size(); ++tree) {
            const std::uint32_t* const node = leaf_nodes.data() + prepared[tree].first_leaf;
            for_each_leaf(tree, blocks[thread], paths[thread],
                          [&](std::size_t i, std::size_t leaf) {
                              leaves[(begin + i) * trees.size() + tree] =
                                  static_cast<std::int32_t>(node[leaf]);
                          });
        }
    });
}

}  // namespace treewright::boosting
