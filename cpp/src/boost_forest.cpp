#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

#include "treewright/base/avx512.hpp"
#include "treewright/base/error.hpp"
#include "treewright/boost/forest.hpp"

namespace treewright {
namespace {

constexpr std::size_t kTogether = BoostBlock::kRows;
constexpr std::size_t kBlocksPerItem = 16;
constexpr std::size_t kMostLeaves = 256;  ///< of a tree that rows go down together
constexpr std::uint32_t kMostNarrow = 256;
constexpr std::size_t kFewRows = 4;  ///< that walk faster one by one

/// Whether terms belong to leaves and multiply numbers of columns that are there.
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

}  // namespace

BoostForest::BoostForest(Codebook given_book, std::vector<BoostTree> given_trees,
                         std::size_t n_outputs)
    : book(std::move(given_book)), trees(std::move(given_trees)), n_outputs(n_outputs) {
    if (is_sound()) prepare();
    else trees.clear();
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

void BoostForest::prepare() {
    encoders.clear();
    for (const CodedColumn& coded : book.columns) encoders.emplace_back(coded);
    std::vector<bool> is_used(book.columns.size());
    for (const BoostTree& tree : trees) {
        Prepared ready{steps.size(), tree.nodes.size(), values.size(), 0};
        for (const BoostNode& node : tree.nodes) {
            BoostStep step{};
            step.is_leaf = node.is_leaf();
            if (step.is_leaf) {
                step.first_child = static_cast<std::uint32_t>(ready.n_leaves++);
                values.push_back(node.value);
            } else {
                step.first_child = static_cast<std::uint32_t>(node.first_child);
                step.column = static_cast<std::uint16_t>(node.column);
                step.cut = static_cast<std::uint16_t>(node.cut);
                step.is_nominal = node.subset >= 0;
                step.is_plain =
                    !step.is_nominal && book.columns[node.column].n_all() <= kMostNarrow;
                step.missing_first = node.missing_first;
                is_used[node.column] = true;
            }
            steps.push_back(step);
        }
        prepared.push_back(ready);
    }
    place.resize(book.columns.size());
    for (std::uint32_t c = 0; c < book.columns.size(); ++c) {
        if (is_used[c]) used.push_back(c);
        place[c] = static_cast<std::uint32_t>(book.columns[c].n_all() <= kMostNarrow ? n_narrow++
                                                                                     : n_wide++);
    }
}

bool BoostForest::has_lines() const {
    return std::ranges::any_of(trees, &BoostTree::has_lines);
}

void BoostForest::read_block(const Rows& rows, std::size_t begin, std::size_t n,
                             BoostBlock& block) const {
    block.begin = begin;
    block.n = n;
    read_columns(rows, used, block);
}

void BoostForest::read_columns(const Rows& rows, std::span<const std::uint32_t> columns,
                               BoostBlock& block) const {
    block.narrow.resize(n_narrow * kTogether);
    block.wide.resize(n_wide * kTogether);
    block.missing.resize(book.columns.size());
    for (const std::uint32_t c : columns) {
        const std::uint32_t missing = book.columns[c].missing();
        std::uint64_t without = 0;
        const auto read = [&](auto* codes) {
            encoders[c].encode(rows.columns[c], block.begin, block.begin + block.n, codes);
            for (std::size_t i = 0; i < block.n; ++i)
                without |= std::uint64_t{codes[i] == missing} << i;
        };
        if (book.columns[c].n_all() <= kMostNarrow)
            read(block.narrow.data() + place[c] * kTogether);
        else read(block.wide.data() + place[c] * kTogether);
        block.missing[c] = without;
    }
}

std::uint32_t BoostForest::walk(std::size_t tree, const BoostBlock& block, std::size_t i) const {
    const BoostStep* own = steps.data() + prepared[tree].first_step;
    std::uint32_t at = 0;
    while (!own[at].is_leaf) {
        const BoostStep& step = own[at];
        const bool is_narrow = book.columns[step.column].n_all() <= kMostNarrow;
        const std::size_t cell = place[step.column] * kTogether + i;
        const std::uint32_t code = is_narrow ? block.narrow[cell] : block.wide[cell];
        bool second = code > step.cut;
        if (step.is_nominal || step.missing_first)
            second = trees[tree].goes_second(trees[tree].nodes[at], code,
                                             book.columns[step.column].missing());
        at = step.first_child + (second ? 1U : 0U);
    }
    return at;
}

/// Rows of a block that go to the second child of a node whose question is not a plain cut.
std::uint64_t BoostForest::second_of(std::size_t tree, std::size_t node,
                                     const BoostBlock& block) const {
    const BoostNode& asked = trees[tree].nodes[node];
    const CodedColumn& coded = book.columns[asked.column];
    std::uint64_t second = 0;
    const auto look = [&](const auto* codes) {
        for (std::size_t i = 0; i < block.n; ++i)
            second |= std::uint64_t{trees[tree].goes_second(asked, codes[i], coded.missing())} << i;
    };
    if (coded.n_all() <= kMostNarrow) look(block.narrow.data() + place[asked.column] * kTogether);
    else look(block.wide.data() + place[asked.column] * kTogether);
    return second;
}

#ifdef TREEWRIGHT_AVX512
namespace {

/// Rows of 64 whose code is above the cut.
TREEWRIGHT_WIDE_INLINE std::uint64_t above(const std::uint8_t* codes, std::uint16_t cut) {
    return _mm512_cmpgt_epu8_mask(_mm512_loadu_si512(codes),
                                  _mm512_set1_epi8(static_cast<char>(cut)));
}

/// Rows of a block that a plain cut sends to the second child.
TREEWRIGHT_WIDE std::uint64_t above_64(const BoostBlock& block, std::uint32_t place,
                                       const BoostStep& step) {
    const std::uint64_t second = above(block.narrow.data() + place * kTogether, step.cut);
    return step.missing_first ? second & ~block.missing[step.column] : second;
}

/// Adds the answers of a tree to the scores of 64 rows; `other(node)` answers for questions that
/// are not plain cuts of bytes.
template <class Other>
TREEWRIGHT_WIDE void walk_64(const BoostStep* steps, std::size_t n_steps, const double* value,
                             const std::uint8_t* narrow, const std::uint32_t* place,
                             const std::uint64_t* missing, std::uint64_t* reach, double* scores,
                             Other&& other) {
    __m512i leaf = _mm512_setzero_si512();  // a byte a row
    reach[0] = ~std::uint64_t{0};
    for (std::size_t node = 0; node < n_steps; ++node) {
        const BoostStep& step = steps[node];
        const std::uint64_t here = reach[node];
        if (step.is_leaf) {
            leaf = _mm512_mask_mov_epi8(leaf, here,
                                        _mm512_set1_epi8(static_cast<char>(step.first_child)));
            continue;
        }
        std::uint64_t second =
            step.is_plain ? above(narrow + place[step.column] * kTogether, step.cut) : other(node);
        if (step.is_plain && step.missing_first) second &= ~missing[step.column];
        reach[step.first_child] = here & ~second;
        reach[step.first_child + 1] = here & second;
    }
    alignas(64) std::uint8_t leaves[kTogether];
    _mm512_store_si512(leaves, leaf);
    for (std::size_t i = 0; i < kTogether; i += 8) {
        const __m128i eight = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(leaves + i));
        const __m512d answers = _mm512_i64gather_pd(_mm512_cvtepu8_epi64(eight), value, 8);
        _mm512_storeu_pd(scores + i, _mm512_add_pd(_mm512_loadu_pd(scores + i), answers));
    }
}

}  // namespace
#endif

void BoostForest::answer(std::size_t tree, const BoostBlock& block,
                         std::span<std::uint64_t> second) const {
    const BoostStep* own = steps.data() + prepared[tree].first_step;
    for (std::size_t node = 0; node < prepared[tree].n_steps; ++node) {
        if (own[node].is_leaf) continue;
#ifdef TREEWRIGHT_AVX512
        if (has_avx512() && own[node].is_plain) {
            second[node] = above_64(block, place[own[node].column], own[node]);
            continue;
        }
#endif
        second[node] = second_of(tree, node, block);
    }
}

void BoostForest::walk_together(std::size_t tree, const BoostBlock& block, BoostPaths& paths,
                                double* scores) const {
    const Prepared& ready = prepared[tree];
    const BoostStep* own = steps.data() + ready.first_step;
    const double* value = values.data() + ready.first_value;
#ifdef TREEWRIGHT_AVX512
    if (has_avx512() && ready.n_leaves <= kMostLeaves && block.n >= kFewRows) {
        paths.reach.resize(std::max(paths.reach.size(), ready.n_steps));
        walk_64(own, ready.n_steps, value, block.narrow.data(), place.data(), block.missing.data(),
                paths.reach.data(), scores,
                [&](std::size_t node) { return second_of(tree, node, block); });
        return;
    }
#endif
    for (std::size_t i = 0; i < block.n; ++i)
        scores[i] += value[own[walk(tree, block, i)].first_child];
}

void BoostForest::walk_lines(std::size_t tree, const Rows& rows, const BoostBlock& block,
                             BoostPaths& paths, double* scores) const {
    const BoostTree& own = trees[tree];
    const auto add = [&](std::size_t leaf, std::size_t i) {
        scores[i] += own.nodes[leaf].value;
        scores[i] += own.line_part(
            leaf, [&](std::size_t c) { return rows.columns[c].number(block.begin + i); });
    };
    if (block.n < kFewRows) {
        for (std::size_t i = 0; i < block.n; ++i) add(walk(tree, block, i), i);
        return;
    }
    const std::size_t n_nodes = own.nodes.size();
    paths.reach.resize(std::max(paths.reach.size(), n_nodes));
    paths.second.resize(std::max(paths.second.size(), n_nodes));
    answer(tree, block, paths.second);
    paths.reach[0] = ~std::uint64_t{0} >> (kTogether - block.n);
    for (std::size_t node = 0; node < n_nodes; ++node) {
        const std::uint64_t here = paths.reach[node];
        if (own.nodes[node].is_leaf()) {
            for (std::uint64_t left = here; left != 0; left &= left - 1)
                add(node, static_cast<std::size_t>(std::countr_zero(left)));
            continue;
        }
        const auto child = static_cast<std::size_t>(own.nodes[node].first_child);
        paths.reach[child] = here & ~paths.second[node];
        paths.reach[child + 1] = here & paths.second[node];
    }
}

template <class BlockOf>
void BoostForest::add_by_blocks(const Rows& rows, std::size_t first, std::size_t last,
                                std::size_t n_threads, Progress& progress, std::span<double> scores,
                                BlockOf&& block_of) const {
    require(rows.columns.size() == book.columns.size(), "the columns of the model");
    require(scores.size() == rows.n_rows * n_outputs, "a score for every row and output");
    const std::size_t n_blocks = (rows.n_rows + kTogether - 1) / kTogether;
    const std::size_t n_items = (n_blocks + kBlocksPerItem - 1) / kBlocksPerItem;
    Team team(std::min(n_threads, n_items));
    std::vector<BoostBlock> memory(team.size());
    team.for_each(n_items, [&](std::size_t item, std::size_t thread) {
        std::vector<double> sums(n_outputs * kTogether);
        BoostPaths paths;
        for (std::size_t b = item * kBlocksPerItem;
             b < std::min(n_blocks, (item + 1) * kBlocksPerItem); ++b) {
            progress.check(thread == 0);
            const BoostBlock& block = block_of(b, memory[thread]);
            double* const own = scores.data() + block.begin * n_outputs;
            for (std::size_t i = 0; i < block.n; ++i)
                for (std::size_t k = 0; k < n_outputs; ++k)
                    sums[k * kTogether + i] = own[i * n_outputs + k];
            for (std::size_t tree = first; tree < last; ++tree) {
                double* const of_tree = sums.data() + tree % n_outputs * kTogether;
                if (trees[tree].has_lines()) walk_lines(tree, rows, block, paths, of_tree);
                else walk_together(tree, block, paths, of_tree);
            }
            for (std::size_t i = 0; i < block.n; ++i)
                for (std::size_t k = 0; k < n_outputs; ++k)
                    own[i * n_outputs + k] = sums[k * kTogether + i];
        }
    });
}

void BoostForest::add_scores(const Rows& rows, std::size_t first, std::size_t last,
                             std::size_t n_threads, Progress& progress,
                             std::span<double> scores) const {
    add_by_blocks(rows, first, last, n_threads, progress, scores,
                  [&](std::size_t b, BoostBlock& memory) -> const BoostBlock& {
                      const std::size_t begin = b * kTogether;
                      read_block(rows, begin, std::min(kTogether, rows.n_rows - begin), memory);
                      return memory;
                  });
}

void BoostForest::add_scores(const CodedRows& coded, std::size_t first, std::size_t last,
                             std::size_t n_threads, Progress& progress,
                             std::span<double> scores) const {
    add_by_blocks(coded.rows, first, last, n_threads, progress, scores,
                  [&](std::size_t b, BoostBlock&) -> const BoostBlock& { return coded.blocks[b]; });
}

CodedRows BoostForest::code(const Rows& rows, std::size_t n_threads, Progress& progress) const {
    require(rows.columns.size() == book.columns.size(), "the columns of the model");
    std::vector<std::uint32_t> all(book.columns.size());
    std::iota(all.begin(), all.end(), 0U);
    CodedRows coded{rows, std::vector<BoostBlock>((rows.n_rows + kTogether - 1) / kTogether)};
    Team team(std::min(n_threads, std::max<std::size_t>(coded.blocks.size(), 1)));
    team.for_each(coded.blocks.size(), [&](std::size_t b, std::size_t thread) {
        progress.check(thread == 0);
        BoostBlock& block = coded.blocks[b];
        block.begin = b * kTogether;
        block.n = std::min(kTogether, rows.n_rows - block.begin);
        read_columns(rows, all, block);
    });
    return coded;
}

void BoostForest::apply(const Rows& rows, std::size_t n_threads, Progress& progress,
                        std::span<std::int32_t> leaves) const {
    require(rows.columns.size() == book.columns.size(), "the columns of the model");
    require(leaves.size() == rows.n_rows * trees.size(), "a leaf for every row and tree");
    const std::size_t n_blocks = (rows.n_rows + kTogether - 1) / kTogether;
    Team team(std::min(n_threads, n_blocks));
    std::vector<BoostBlock> blocks(team.size());
    team.for_each(n_blocks, [&](std::size_t b, std::size_t thread) {
        progress.check(thread == 0);
        const std::size_t begin = b * kTogether;
        read_block(rows, begin, std::min(kTogether, rows.n_rows - begin), blocks[thread]);
        for (std::size_t tree = 0; tree < trees.size(); ++tree)
            for (std::size_t i = 0; i < blocks[thread].n; ++i)
                leaves[(begin + i) * trees.size() + tree] =
                    static_cast<std::int32_t>(walk(tree, blocks[thread], i));
    });
}

}  // namespace treewright
