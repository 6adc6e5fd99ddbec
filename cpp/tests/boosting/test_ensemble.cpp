#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "check.hpp"
#include "treewright/base/random.hpp"
#include "treewright/boosting/ensemble.hpp"

using namespace treewright;
using namespace treewright::data;
using namespace treewright::tree;
using namespace treewright::boosting;

namespace {

/// Columns of byte codes and of wider ones, of numbers and of categories, all with missing values.
struct MixedRows {
    static constexpr std::uint32_t kCodes[] = {255, 3, 400, 40, 255, 300};
    static constexpr bool kIsNominal[] = {false, false, false, true, true, true};

    Codebook book;
    std::vector<std::vector<double>> numbers{std::size(kCodes)};
    std::vector<std::vector<std::int32_t>> categories{std::size(kCodes)};
    std::vector<std::vector<std::uint32_t>> codes{std::size(kCodes)};
    Rows rows;

    MixedRows(std::size_t n_rows, Generator& draw) {
        rows.n_rows = n_rows;
        for (std::size_t c = 0; c < std::size(kCodes); ++c) {
            CodedColumn coded{kIsNominal[c], kCodes[c], {}};
            if (!coded.is_nominal)
                for (std::uint32_t cut = 0; cut + 1 < coded.n_codes; ++cut)
                    coded.cuts.push_back(cut + 0.5);
            for (std::size_t row = 0; row < n_rows; ++row) {
                const auto code = static_cast<std::uint32_t>(draw.below(coded.n_all()));
                const bool is_missing = code == coded.missing();
                codes[c].push_back(code);
                numbers[c].push_back(is_missing ? std::numeric_limits<double>::quiet_NaN() : code);
                categories[c].push_back(is_missing ? -1 : static_cast<std::int32_t>(code));
            }
            Column column;
            column.data = coded.is_nominal
                              ? reinterpret_cast<const std::byte*>(categories[c].data())
                              : reinterpret_cast<const std::byte*>(numbers[c].data());
            column.stride = coded.is_nominal ? sizeof(std::int32_t) : sizeof(double);
            column.type = coded.is_nominal ? ValueType::code : ValueType::f64;
            column.scale = coded.is_nominal ? Scale::nominal : Scale::numeric;
            column.n_codes = coded.n_codes;
            rows.columns.push_back(column);
            book.columns.push_back(std::move(coded));
        }
    }
};

BoostTree random_tree(const Codebook& book, std::size_t n_leaves, Generator& draw) {
    BoostTree tree;
    tree.nodes.resize(1);
    std::vector<std::size_t> leaves = {0};
    while (leaves.size() < n_leaves) {
        const std::size_t at = draw.below(leaves.size());
        BoostNode node;
        node.column = static_cast<std::uint32_t>(draw.below(book.columns.size()));
        node.first_child = static_cast<std::int32_t>(tree.nodes.size());
        node.missing_first = draw.below(2) == 0;
        const CodedColumn& coded = book.columns[node.column];
        if (coded.is_nominal) {
            node.subset = static_cast<std::int32_t>(tree.subsets.size());
            for (std::size_t w = 0; w < coded.n_all() / 64 + 1; ++w) {
                tree.subsets.push_back(0);
                for (std::size_t bit = 0; bit < 64; ++bit)
                    if (64 * w + bit < coded.n_codes)
                        tree.subsets.back() |= std::uint64_t{draw.below(2)} << bit;
            }
        } else {
            node.cut = static_cast<std::uint32_t>(draw.below(coded.n_codes));
        }
        tree.nodes[leaves[at]] = node;
        leaves[at] = tree.nodes.size();
        leaves.push_back(tree.nodes.size() + 1);
        tree.nodes.resize(tree.nodes.size() + 2);
    }
    for (const std::size_t leaf : leaves) tree.nodes[leaf].value = draw.uniform();
    return tree;
}

/// The leaf of a row, question by question.
std::size_t leaf_of(const BoostTree& tree, const MixedRows& made, std::size_t row) {
    std::size_t at = 0;
    while (!tree.nodes[at].is_leaf()) {
        const BoostNode& node = tree.nodes[at];
        const bool second = tree.goes_second(node, made.codes[node.column][row],
                                             made.book.columns[node.column].missing());
        at = static_cast<std::size_t>(node.first_child) + (second ? 1 : 0);
    }
    return at;
}

}  // namespace

CASE(rows_go_down_together_to_the_leaves_they_reach_one_by_one) {
    Generator draw(7);
    Progress progress(nullptr);
    for (const std::size_t n_rows : {1, 3, 4, 63, 64, 65, 1000}) {
        const MixedRows made(n_rows, draw);
        std::vector<BoostTree> trees;
        for (const std::size_t n_leaves : {1, 2, 3, 31, 64, 256, 257, 400, 5, 1})
            trees.push_back(random_tree(made.book, n_leaves, draw));
        const BoostForest forest(made.book, trees, 1);
        CHECK(forest.trees.size() == trees.size());
        std::vector<double> scores(n_rows, 0.25);
        std::vector<double> again = scores;
        std::vector<std::int32_t> leaves(n_rows * trees.size());
        forest.add_scores(made.rows, 0, trees.size(), 2, progress, scores);
        forest.add_scores(forest.code(made.rows, 2, progress), 0, trees.size(), 1, progress, again);
        forest.apply(made.rows, 2, progress, leaves);
        CHECK(again == scores);
        for (std::size_t row = 0; row < n_rows; ++row) {
            double sum = 0.25;
            for (std::size_t t = 0; t < trees.size(); ++t) {
                const std::size_t leaf = leaf_of(trees[t], made, row);
                CHECK(leaves[row * trees.size() + t] == static_cast<std::int32_t>(leaf));
                sum += trees[t].nodes[leaf].value;
            }
            CHECK(scores[row] == sum);
        }
    }
}

CASE(every_question_of_a_tree_is_answered_for_every_row_of_a_block) {
    Generator draw(11);
    const MixedRows made(64, draw);
    const std::vector<BoostTree> trees = {random_tree(made.book, 200, draw)};
    const BoostForest forest(made.book, trees, 1);
    BoostBlock block;
    forest.read_block(made.rows, 0, 64, block);
    std::vector<std::uint64_t> second(trees[0].nodes.size());
    forest.answer(0, block, second);
    for (std::size_t i = 0; i < second.size(); ++i) {
        const BoostNode& node = trees[0].nodes[i];
        if (node.is_leaf()) continue;
        for (std::size_t row = 0; row < 64; ++row)
            CHECK((second[i] >> row & 1) ==
                  trees[0].goes_second(node, made.codes[node.column][row],
                                       made.book.columns[node.column].missing()));
    }
}
