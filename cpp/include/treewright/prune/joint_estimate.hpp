/// Rows of a node sent through the subtree below another node: the rows that reach each node, and
/// the errors expected there. C5.0 treats small branches as one leaf in this.
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <utility>
#include <vector>

#include "treewright/base/progress.hpp"
#include "treewright/prune/changing_tree.hpp"
#include "treewright/prune/divided_rows.hpp"
#include "treewright/prune/error_based.hpp"
#include "treewright/prune/error_estimate.hpp"

namespace treewright::prune {

/// Class weights of small branches of a node, which are estimated together.
class SmallBranches {
public:
    SmallBranches(const LeafJudge& judge, std::size_t n_classes)
        : judge(judge), weights(n_classes) {}

    void forget() { std::fill(weights.begin(), weights.end(), 0.0); }
    void add(const double* more) {
        for (std::size_t k = 0; k < weights.size(); ++k) weights[k] += more[k];
    }
    [[nodiscard]] Estimate estimate() const { return estimate(weights.data()); }
    /// Errors of all as one leaf; the leaves of each are counted with it.
    [[nodiscard]] Estimate estimate(const double* together) const {
        if (std::all_of(together, together + weights.size(), [](double w) { return w == 0.0; }))
            return {};
        return {judge.estimate(together).errors, {}};
    }

private:
    const LeafJudge& judge;
    std::vector<double> weights;
};

/// The rows that leaves would have after a move, all of them whole.
class LeavesToBe {
public:
    virtual ~LeavesToBe() = default;
    [[nodiscard]] virtual bool gets_rows(std::int32_t leaf) const = 0;
    [[nodiscard]] virtual double n_copies(std::int32_t leaf) const = 0;
    /// Class weights, until asked again.
    [[nodiscard]] virtual const double* weights(std::int32_t leaf) = 0;
};

class Descent {
public:
    Descent(const ErrorPruning& options, const ChangingTree& tree, const LeafJudge& judge,
            Progress& progress)
        : options(options),
          tree(tree),
          judge(judge),
          progress(progress),
          small(judge, tree.n_classes),
          local(tree.n_classes) {}

    /// A share on its way down.
    struct Sent {
        std::int32_t node;
        Share share;
        bool is_joint = false;  ///< estimated together with others, above
    };

    /// Whether every leaf is estimated on its own.
    [[nodiscard]] bool is_each_alone() const { return options.joint_below == 0.0; }
    /// Whether a share counts as an empty branch.
    [[nodiscard]] bool is_empty(const Share& share, const Shares& rows) const {
        return share.empty() ||
               (share.n_whole() == 0 && rows.n_copies(share) < options.least_branch);
    }
    /// Whether a branch has so few rows that it is estimated together with others of its node.
    [[nodiscard]] bool is_joint(const Share& share, const Shares& rows) const {
        return !is_each_alone() && !is_empty(share, rows) &&
               rows.n_copies(share) < options.joint_below;
    }
    /// Lower bound of what a leaf of these whole rows adds to the estimate once more have come:
    /// 0 where it may be estimated together with others.
    [[nodiscard]] double at_least(const double* weights, double n_copies) const {
        return n_copies < options.joint_below ? 0.0 : judge.at_least(weights);
    }
    [[nodiscard]] Division divide(Shares& rows, const Share& share, std::int32_t node) const {
        const NodeQuestion& question = tree.question(node);
        return rows.divide(share, *question.plan, question.at,
                           static_cast<std::size_t>(tree.place(node).n_branches));
    }

    /// Sends a share through the subtree below a node. `visit` receives the share of every node,
    /// and those of its branches, and returns whether to continue.
    template <class Visit>
    void send(Shares& rows, std::int32_t node, const Share& share, Visit&& visit) {
        std::vector<Sent> pending = {{node, share}};
        std::vector<Sent> below;
        while (!pending.empty()) {
            progress.check(true);
            const Sent here = std::move(pending.back());
            pending.pop_back();
            below.clear();
            const Place& place = tree.place(here.node);
            if (place.n_branches > 0 && !is_empty(here.share, rows)) {
                const Division division = divide(rows, here.share, here.node);
                for (std::int32_t b = 0; b < place.n_branches; ++b)
                    below.push_back({place.first_child + b, rows.branch_of(here.share, division, b),
                                     here.is_joint});
            }
            if (!visit(here, below)) return;
            std::move(below.begin(), below.end(), std::back_inserter(pending));
        }
    }

    /// Expected errors if all these rows followed this branch; stops above the limit.
    [[nodiscard]] Estimate estimate(Shares& rows, std::int32_t node, const Share& share,
                                    double limit);
    /// The same from the rows that each leaf would have.
    [[nodiscard]] Estimate estimate_counted(std::int32_t node, LeavesToBe& leaves);

private:
    /// A node below the one that is estimated.
    struct Counted {
        std::int32_t node;
        std::size_t above;  ///< place of its parent in the list
        double n_copies = 0.0;
        bool is_joint = false;
        bool is_leaf = false;
        bool is_settled = false;  ///< its rows would not change
    };
    void count_below(std::int32_t node, LeavesToBe& leaves);

    const ErrorPruning& options;
    const ChangingTree& tree;
    const LeafJudge& judge;
    Progress& progress;
    SmallBranches small;
    std::vector<double> local;
    std::vector<std::pair<std::int32_t, std::size_t>> pending;
    std::vector<Counted> counted;  ///< in the order in which `send` comes to them
    std::vector<double> counts;    ///< class weights of each that is small or would get rows
    std::vector<double> joint;     ///< and of its small branches
};

}  // namespace treewright::prune
