/// Unpacks a packed tree: the figures of its leaves, summed up node by node.
#include "treewright/forest/packed.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "treewright/forest/packed_questions.hpp"

namespace treewright::forest {
namespace {

/// Weight, mean and sum of squares of two sets of numbers together (Chan, Golub, LeVeque 1983).
struct Moments {
    double weight = 0.0;
    double mean = 0.0;
    double squares = 0.0;

    [[nodiscard]] Moments with(const Moments& other) const {
        const double all = weight + other.weight;
        const double apart = other.mean - mean;
        return {all, mean + apart * other.weight / all,
                squares + other.squares + apart * apart * weight * other.weight / all};
    }
};

double weight_at(const PackedTree& packed, std::size_t i) {
    return packed.weights.empty() ? packed.counts[i] : packed.weights[i];
}

// Purity and impurity as in criteria/gini.hpp and criteria/entropy.hpp, in the same operations.

double x_log_x(double x) {
    return x > 0.0 ? x * std::log2(x) : 0.0;
}
double purity_of(const double* counts, std::uint32_t n_classes, double weight, bool in_bits) {
    double sum = 0.0;
    for (std::size_t k = 0; k < n_classes; ++k)
        sum += in_bits ? x_log_x(counts[k]) : counts[k] * counts[k];
    return in_bits ? sum - x_log_x(weight) : sum * (1.0 / weight);
}
double impurity_of(double purity, double weight, bool in_bits) {
    return std::max(0.0, in_bits ? -purity / weight : 1.0 - purity / weight);
}

/// A tree that is unpacked: figures of all nodes, the last first, so that those of the children are
/// there.
struct Unpacking {
    const PackedTree& packed;
    std::uint32_t n_classes;
    bool in_bits;
    tree::TreeArrays& arrays;
    std::vector<double> purity;    ///< of classes
    std::vector<Moments> moments;  ///< of numbers

    void sum_up(Progress& progress) {
        const std::size_t n = packed.nodes.size();
        for (auto* figures : {&arrays.weight, &arrays.impurity, &arrays.gain, &arrays.score})
            figures->assign(n, 0.0);
        arrays.n_rows.resize(n);
        arrays.value.resize(n * std::max(n_classes, 1U));
        if (n_classes > 0) purity.resize(n);
        else moments.resize(n);
        constexpr std::size_t kNodesPerCheck = 1 << 14;
        for (std::size_t i = n; i-- > 0;) {
            if (i % kNodesPerCheck == 0) progress.check(true);
            const PackedNode& node = packed.nodes[i];
            if (n_classes > 0) sum_up_classes(i, node);
            else sum_up_values(i, node);
            count_rows(i, node);
            if (!node.is_leaf()) note_gain(i, node);
        }
    }

private:
    void sum_up_classes(std::size_t i, const PackedNode& node) {
        double* value = arrays.value.data() + i * n_classes;
        if (node.is_leaf()) {
            const std::size_t leaf = node.leaf();
            for (std::size_t k = 0; k < n_classes; ++k)
                value[k] = weight_at(packed, leaf * n_classes + k);
        } else {
            const double* left = arrays.value.data() + std::size_t{node.first_child} * n_classes;
            for (std::size_t k = 0; k < n_classes; ++k) value[k] = left[k] + left[n_classes + k];
        }
        double weight = 0.0;
        for (std::size_t k = 0; k < n_classes; ++k) weight += value[k];
        arrays.weight[i] = weight;
        purity[i] = purity_of(value, n_classes, weight, in_bits);
        arrays.impurity[i] = impurity_of(purity[i], weight, in_bits);
    }

    void sum_up_values(std::size_t i, const PackedNode& node) {
        if (node.is_leaf()) {
            const std::size_t leaf = node.leaf();
            moments[i] = {weight_at(packed, leaf), packed.values[leaf],
                          packed.spread.empty() ? 0.0 : packed.spread[leaf]};
        } else {
            moments[i] = moments[node.first_child].with(moments[node.first_child + 1]);
        }
        arrays.weight[i] = moments[i].weight;
        arrays.value[i] = moments[i].mean;
        arrays.impurity[i] = moments[i].squares / moments[i].weight;
    }

    void count_rows(std::size_t i, const PackedNode& node) {
        if (!packed.must_be_unpacked())
            arrays.n_rows[i] = static_cast<std::int64_t>(arrays.weight[i]);
        else if (node.is_leaf()) arrays.n_rows[i] = packed.names.n_rows[node.leaf()];
        else
            arrays.n_rows[i] =
                arrays.n_rows[node.first_child] + arrays.n_rows[node.first_child + 1];
    }

    /// Of classes in trees that must be unpacked the bits that the general grower notes.
    void note_gain(std::size_t i, const PackedNode& node) {
        const std::size_t first = node.first_child;
        const double weight = arrays.weight[i];
        double gain = 0.0;
        if (n_classes > 0 && packed.must_be_unpacked()) {
            gain = (purity[first] + purity[first + 1] - purity[i]) * (1.0 / weight);
        } else {
            double left_over = 0.0;
            for (std::size_t b = 0; b < 2; ++b)
                left_over += arrays.impurity[first + b] * arrays.weight[first + b];
            gain = arrays.impurity[i] - left_over / weight;
        }
        arrays.gain[i] = arrays.score[i] = std::max(0.0, gain);
        if (asks_for_names(node)) ask_for_names(i, static_cast<std::size_t>(node.threshold));
    }

    void ask_for_names(std::size_t i, std::size_t question) {
        const PackedNames& names = packed.names;
        const std::uint32_t begin = question == 0 ? 0 : names.end[question - 1];
        arrays.code_offset[i] = begin;
        arrays.code_count[i] = static_cast<std::int32_t>(names.end[question] - begin);
        arrays.rest_branch[i] = names.rest[question];
        arrays.score[i] -= arrays.impurity[i] * names.share[question];
    }
};

}  // namespace

void PackedNames::finish(bool has_rest, double share_paid) {
    end.push_back(static_cast<std::uint32_t>(code.size()));
    rest.push_back(has_rest ? 1 : -1);
    share.push_back(share_paid);
}

void PackedNames::append(const PackedNames& more) {
    for (std::size_t question = 0; question < more.size(); ++question) append(more, question);
}

void PackedNames::append(const PackedNames& from, std::size_t question) {
    for (std::uint32_t i = question == 0 ? 0 : from.end[question - 1]; i < from.end[question];
         ++i) {
        code.push_back(from.code[i]);
        branch.push_back(from.branch[i]);
    }
    end.push_back(static_cast<std::uint32_t>(code.size()));
    rest.push_back(from.rest[question]);
    share.push_back(from.share[question]);
}

std::int64_t whole_threshold(double threshold) {
    return std::isinf(threshold) ? std::numeric_limits<std::int64_t>::max()
                                 : static_cast<std::int64_t>(threshold);
}

UnpackedTree unpack(const PackedTree& packed, std::uint32_t n_classes,
                    const std::vector<bool>& is_real, bool in_bits, Progress& progress) {
    UnpackedTree made;
    made.width = std::max(n_classes, 1U);
    const auto same = [](std::size_t node) { return node; };
    list_questions(
        packed, same, same, [&](std::uint32_t column) { return is_real[column]; }, progress,
        made.arrays);
    Unpacking{packed, n_classes, in_bits, made.arrays, {}, {}}.sum_up(progress);
    made.arrays.code = packed.names.code;
    made.arrays.branch_of_code = packed.names.branch;
    return made;
}

}  // namespace treewright::forest
