#include <algorithm>
#include <numeric>

#include "treewright/base/prefetch.hpp"
#include "treewright/forest/importance.hpp"
#include "treewright/forest/importance_walk.hpp"

namespace treewright::forest {
namespace {

/// Rows with more questions on their path walk all of it again for every column.
constexpr std::size_t kMostQuestions = 64;

/// Measures trees by permuting columns. A row whose permuted value gives the old answer to every
/// question about the column on its path stays in its leaf; others walk on from where they leave
/// the path. That is about a tenth of the steps of walking all rows from the root.
template <class T>
class Shuffler {
    static constexpr std::size_t kLine = 64 / sizeof(T);  ///< cells of a cache line

public:
    Shuffler(const PackedForest& forest, const RowTable<T>& table, std::uint64_t seed,
             std::size_t n_repeats, Progress& progress)
        : forest(forest),
          table(table),
          seed(seed),
          n_repeats(n_repeats),
          progress(progress),
          start(forest.n_columns + 1, 0) {}

    OutOfBagRows unseen;  ///< of the tree to measure

    void measure(std::size_t number, bool is_caller, std::span<double> out) {
        const PackedTree& tree = forest.trees[number];
        decide(tree);
        follow(tree, is_caller);
        for (std::size_t c = 0; c < forest.n_columns; ++c) {
            if (start[c] == start[c + 1] && long_paths.empty()) continue;
            double rise = 0.0;
            for (std::size_t repeat = 0; repeat < n_repeats; ++repeat) {
                progress.check(is_caller);
                rise += rise_of(tree, c, shuffle_key(seed, number, c, repeat));
            }
            out[c] = rise / (unseen.total * static_cast<double>(n_repeats));
        }
    }

private:
    /// A question on the path of a row, and its answer.
    struct Question {
        std::uint32_t row;     ///< among the out-of-bag rows
        std::uint32_t answer;  ///< node << 1 | branch

        [[nodiscard]] std::uint32_t node() const { return answer >> 1; }
        [[nodiscard]] std::uint32_t branch() const { return answer & 1U; }
    };

    /// The class of each leaf; of equally frequent ones the first.
    void decide(const PackedTree& tree) {
        if (forest.n_classes == 0) return;
        decided.resize(tree.counts.size() / forest.n_classes);
        for (std::size_t leaf = 0; leaf < decided.size(); ++leaf) {
            const auto counts =
                tree.counts.begin() + static_cast<std::ptrdiff_t>(leaf * forest.n_classes);
            const auto most = std::max_element(counts, counts + forest.n_classes);
            decided[leaf] = static_cast<std::int32_t>(most - counts);
        }
    }

    [[nodiscard]] double error(const PackedTree& tree, std::size_t row, std::uint32_t leaf) const {
        if (forest.n_classes > 0) return decided[leaf] == table.class_of[row] ? 0.0 : 1.0;
        const double off = table.value_of[row] - tree.values[leaf];
        return off * off;
    }

    /// Walks the out-of-bag rows with their own values; sorts the questions on their paths by
    /// column.
    void follow(const PackedTree& tree, bool is_caller) {
        questions.clear();
        long_paths.clear();
        before.resize(unseen.size());
        for (std::uint32_t i = 0; i < unseen.size(); ++i) {
            if (i % kRowsPerLook == 0) progress.check(is_caller);
            const std::size_t n_before = questions.size();
            const T* row = table.row(unseen.rows[i]);
            std::uint32_t at = 0;
            std::size_t n_asked = 0;
            for (; !tree.nodes[at].is_leaf(); ++n_asked) {
                const PackedNode& node = tree.nodes[at];
                const std::uint32_t next = next_of(node, static_cast<double>(row[column_of(node)]));
                if (n_asked < kMostQuestions)
                    questions.push_back({i, at << 1 | (next - node.first_child)});
                at = next;
            }
            if (n_asked > kMostQuestions) {
                questions.resize(n_before);
                long_paths.push_back(i);
            }
            before[i] = error(tree, unseen.rows[i], tree.nodes[at].leaf());
        }
        const auto column_at = [&](const Question& question) {
            return column_of(tree.nodes[question.node()]);
        };
        std::fill(start.begin(), start.end(), 0);
        for (const Question& question : questions) ++start[column_at(question) + 1];
        std::partial_sum(start.begin(), start.end(), start.begin());
        by_column.resize(questions.size());
        next.assign(start.begin(), start.end());
        for (const Question& question : questions)
            by_column[next[column_at(question)]++] = question;
    }

    /// Finds the rows that permuted values of a column lead off their paths.
    void depart(const PackedTree& tree, std::size_t shuffled) {
        const auto value_of = [&](std::uint32_t row) {
            return table.row(unseen.rows[places[row]])[shuffled];
        };
        const auto asked =
            std::span(by_column).subspan(start[shuffled], start[shuffled + 1] - start[shuffled]);
        values.resize(asked.size());  // first, so that cache misses overlap
        for (std::size_t i = 0; i < asked.size(); ++i) values[i] = value_of(asked[i].row);
        departures.clear();
        std::uint32_t gone = kNobody;  // questions of a row are adjacent
        for (std::size_t i = 0; i < asked.size(); ++i) {
            const PackedNode& node = tree.nodes[asked[i].node()];
            const std::uint32_t next = next_of(node, static_cast<double>(values[i]));
            if (next == node.first_child + asked[i].branch() || asked[i].row == gone) continue;
            gone = asked[i].row;
            departures.push_back({table.row(unseen.rows[gone]), next, gone, values[i]});
        }
        for (const std::uint32_t row : long_paths)
            departures.push_back({table.row(unseen.rows[row]), 0, row, value_of(row)});
    }

    /// Rise of the weighted out-of-bag error when the column's values are permuted.
    double rise_of(const PackedTree& tree, std::size_t shuffled, std::uint64_t key) {
        places.resize(unseen.size());
        std::iota(places.begin(), places.end(), 0U);
        shuffle(std::span(places), key);
        depart(tree, shuffled);
        double rise = 0.0;
        descend<T>(
            tree.nodes, departures.size(), static_cast<std::uint32_t>(shuffled),
            [&](std::size_t i) {
                prefetch(departures[i].row);
                prefetch(departures[i].row + std::min(kLine, forest.n_columns - 1));
                return departures[i];
            },
            [&](std::size_t i, const PackedNode& leaf) {
                const double after = error(tree, unseen.rows[i], leaf.leaf());
                rise += unseen.weight[i] * (after - before[i]);
            });
        return rise;
    }

    static constexpr std::uint32_t kNobody = ~0U;

    const PackedForest& forest;
    const RowTable<T>& table;
    std::uint64_t seed;
    std::size_t n_repeats;
    Progress& progress;
    std::vector<std::int32_t> decided;
    std::vector<double> before;       ///< error of each out-of-bag row
    std::vector<Question> questions;  ///< row by row
    std::vector<Question> by_column;
    std::vector<std::size_t> start;  ///< of each column's questions
    std::vector<std::size_t> next;
    std::vector<std::uint32_t> long_paths;  ///< rows with too many questions to keep
    std::vector<std::uint32_t> places;      ///< whose value each out-of-bag row gets
    std::vector<T> values;                  ///< these values, by question about the column
    std::vector<Walker<T>> departures;
};

}  // namespace

std::vector<double> permutation_importances(const PackedForest& forest, const DrawnTable& table,
                                            std::uint64_t seed, std::size_t n_repeats,
                                            Progress& progress) {
    return by_tree(forest, table, progress, [&]<class T>(const RowTable<T>& rows) {
        return Shuffler<T>(forest, rows, seed, n_repeats, progress);
    });
}

}  // namespace treewright::forest
