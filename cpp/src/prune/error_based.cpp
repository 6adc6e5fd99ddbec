#include "treewright/prune/error_based.hpp"

#include <algorithm>
#include <utility>

#include "treewright/base/error.hpp"
#include "treewright/prune/changing_tree.hpp"
#include "treewright/prune/divided_rows.hpp"
#include "treewright/prune/joint_estimate.hpp"
#include "treewright/prune/moved_rows.hpp"
#include "treewright/prune/question_origin.hpp"
#include "treewright/prune/rows_by_leaf.hpp"
#include "treewright/prune/validation_rows.hpp"

namespace treewright::prune {

namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();
/// C5.0 grows branches again where they had less of the rows than this.
constexpr double kMostOfRows = 0.95;
/// Nodes between two checks for an interrupt; long steps check on their own.
constexpr std::size_t kRoundsPerCheck = 64;

/// Nothing is recursive: a tree may be a long chain.
class ErrorPruner {
public:
    ErrorPruner(const data::Dataset& data, std::span<const data::Dataset> sets,
                const tree::Tree& tree, const tree::Plan& plan, const ErrorPruning& options,
                const Regrower* regrower, Progress& progress)
        : tree(tree),
          plan(plan),
          options(options),
          regrower(regrower),
          progress(progress),
          sources(tree),
          judge(options.added, options.prices, data.target.n_classes.at(0)),
          rows(data, tree, plan, regrower != nullptr, options.n_threads, progress),
          changing(tree, plan, rows),
          shares(rows.data()),
          trial(rows.data()),
          descent(options, changing, judge, progress),
          moved(changing, rows, shares, judge, descent, plan.is_deep(), progress),
          followers(sets, changing, judge, progress),
          local(changing.n_classes),
          small(judge, changing.n_classes) {}

    Pruned run() {
        std::vector<Frame> frames(1);
        frames[0].share = shares.everything();
        frames[0].followers = followers.everything();
        frames[0].is_sorted = rows.is_sorted();
        frames[0].may_regrow = regrower != nullptr;
        for (std::size_t n_rounds = 0; !frames.empty(); ++n_rounds) {
            if (n_rounds % kRoundsPerCheck == 0) progress.check(true);
            Frame& frame = frames.back();
            if (frame.next < 0) enter(frame);
            const Place& place = changing.place(frame.node);
            if (frame.next < place.n_branches) {
                const std::int32_t branch = frame.next++;
                if (!changing.state(place.first_child + branch).is_open) continue;
                Frame below = branch_of(frame, branch);
                if (is_empty(below.share)) {
                    empty(below);
                    moved.settled(below.node);
                } else {
                    frames.push_back(std::move(below));
                }
            } else if (place.n_branches == 0 || !settle(frame)) {
                moved.settled(frame.node);
                frames.pop_back();
            }
        }
        return numbered();
    }

private:
    struct Frame {
        std::int32_t node = 0;
        Share share;
        Division division;
        Followers::Arrived followers;
        Followers::Divided followers_divided;
        std::int32_t next = -1;  ///< next branch to visit; -1: not entered yet
        /// Rows lie sorted by leaf, and are counted: none is divided here or below.
        bool is_sorted = false;
        bool was_raised = false;  ///< the node, or one above, has replaced another
        bool may_regrow = false;
    };

    [[nodiscard]] bool is_empty(const Share& share) const {
        return descent.is_empty(share, shares);
    }

    void enter(Frame& frame) {
        NodeState& state = changing.state(frame.node);
        const Place& place = changing.place(frame.node);
        frame.next = 0;
        state.is_open = false;
        if (!frame.is_sorted) note_rows(frame.node, frame.share);
        if (place.n_branches == 0) {
            state.estimate = judge.estimate(changing.weights(frame.node));
            state.at_least = at_least(frame.node);
            followers.settle_leaf(frame.node, frame.followers);
            return;
        }
        if (frame.is_sorted) {
            changing.fractions(frame.node, frame.division.known);
        } else {
            frame.division = descent.divide(shares, frame.share, frame.node);
            for (std::int32_t b = 0; b < place.n_branches; ++b)
                changing.state(place.first_child + b).is_open = true;
        }
        if (followers.size() > 0)
            frame.followers_divided = followers.divide(frame.followers, frame.node, kept(frame));
    }

    /// Fraction of the rows of each branch, without those of empty branches.
    [[nodiscard]] std::vector<double> kept(const Frame& frame) {
        std::vector<double> out = frame.division.known;
        // The other variants count an empty branch as 0.
        if (options.least_branch == 0.0) return out;
        for (std::size_t b = 0; b < out.size(); ++b)
            if (is_empty(share_of(frame, static_cast<std::int32_t>(b)))) out[b] = 0.0;
        make_fractions(out);
        return out;
    }

    void note_rows(std::int32_t node, const Share& share) {
        shares.count(share, changing.weights(node));
        changing.n_rows(node) = static_cast<std::int64_t>(share.size());
        changing.begin_of(node) = share.begin;
        changing.state(node).n_whole = share.n_whole();
        changing.state(node).has_parts = !share.parts.empty();
    }

    /// Lower bound of the estimate of a leaf, by its whole rows alone.
    [[nodiscard]] double at_least(std::int32_t leaf) {
        const Share whole{changing.begin_of(leaf), changing.end_of(leaf), {}};
        const bool has_parts = changing.state(leaf).has_parts;
        return descent.at_least(
            has_parts ? shares.count(whole, local.data()) : changing.weights(leaf),
            shares.n_copies(whole));
    }

    [[nodiscard]] Frame branch_of(const Frame& frame, std::int32_t branch) {
        Frame below;
        below.node = changing.place(frame.node).first_child + branch;
        below.is_sorted = frame.is_sorted;
        below.was_raised = frame.was_raised;
        below.may_regrow = frame.may_regrow;
        below.share = share_of(frame, branch);
        below.followers = followers.branch_of(frame.followers, frame.followers_divided, branch);
        return below;
    }

    [[nodiscard]] Share share_of(const Frame& frame, std::int32_t branch) {
        const std::int32_t child = changing.place(frame.node).first_child + branch;
        if (frame.is_sorted) return {changing.begin_of(child), changing.end_of(child), {}};
        return shares.branch_of(frame.share, frame.division, branch);
    }

    /// A branch that no training row reaches becomes an empty leaf, whatever it asked.
    void empty(const Frame& frame) {
        const auto change = [&] {
            make_empty(frame.node, frame.share.begin);
            followers.settle_leaf(frame.node, frame.followers);
        };
        const Place& place = changing.place(frame.node);
        // Branches that become empty by raising are part of that step.
        if (place.n_branches == 0 || frame.was_raised) return change();
        const Estimate grown = as_grown(frame.node);
        followers.spread(frame.node, frame.followers);
        note_step(frame, place.source, false, grown, {0.0, {1.0, 0.0}}, change);
    }

    /// Counts below a node as in growing; only the size of the returned estimate is used.
    Estimate as_grown(std::int32_t node) {
        Estimate total;
        std::vector<std::int32_t> pending = {node};
        while (!pending.empty()) {
            const std::int32_t at = pending.back();
            pending.pop_back();
            const Place& place = changing.place(at);
            std::copy_n(sources.value(place.source), changing.n_classes, changing.weights(at));
            changing.n_rows(at) = sources.node(place.source).weight > 0.0 ? 1 : 0;
            if (place.n_branches == 0) total += {0.0, judge.estimate(changing.weights(at)).size};
            for (std::int32_t b = 0; b < place.n_branches; ++b)
                pending.push_back(place.first_child + b);
        }
        return total;
    }

    void make_empty(std::int32_t node, std::size_t begin) {
        Place& place = changing.place(node);
        double* own = changing.weights(node);
        std::fill_n(own, changing.n_classes, 0.0);
        const std::int32_t above = sources.node(place.source).parent;
        if (options.empty_leaves_keep_class && above >= 0) {
            const double* line =
                tree.value.data() + static_cast<std::size_t>(above) * changing.n_classes;
            // The first of equals; parts of rows add up to them but for rounding.
            const double most = *std::max_element(line, line + changing.n_classes) * (1.0 - 1e-12);
            own[std::find_if(line, line + changing.n_classes, [&](double w) { return w >= most; }) -
                line] = 1.0;
        }
        NodeState& state = changing.state(node);
        state = {.parent = state.parent, .is_open = false, .estimate = {0.0, {1.0, 0.0}}};
        changing.n_rows(node) = 0;
        changing.begin_of(node) = begin;
        place.n_branches = 0;
    }

    /// Expected errors if all these rows followed this branch; stops above the limit.
    [[nodiscard]] Estimate estimate_branch(std::int32_t node, const Share& share, double limit) {
        // Tried on a copy: the rows below the node keep their order.
        const auto begin = static_cast<std::ptrdiff_t>(share.begin);
        const auto end = static_cast<std::ptrdiff_t>(share.end);
        std::copy(shares.order().begin() + begin, shares.order().begin() + end,
                  trial.order().begin() + begin);
        return descent.estimate(trial, node, share, limit);
    }

    /// The same, if the rows of the other branches suffice to compute it.
    [[nodiscard]] Estimate estimate_raised(const Frame& frame, std::int32_t child, double limit,
                                           bool& can_move) {
        Estimate estimate{kInfinite, {}};
        const auto verdict = moved.send(frame.node, child, limit, estimate);
        can_move = verdict == MovedRows::Verdict::known;
        if (verdict == MovedRows::Verdict::unknown)
            estimate = estimate_branch(child, frame.share, limit + 1e-6);
        return estimate;
    }

    [[nodiscard]] bool may_be_raised(const Frame& frame, std::int32_t branch) const {
        const Place& place = changing.place(frame.node);
        const Place& child = changing.place(place.first_child + branch);
        const tree::TreeNode& asked = sources.node(place.source);
        const tree::TreeNode& below = sources.node(child.source);
        const bool same_cut = below.kind == 1 && below.column == asked.column;
        return child.n_branches > 0 &&
               frame.division.known[static_cast<std::size_t>(branch)] >= 0.1 && !same_cut;
    }

    /// The largest of the branches that may replace their node; -1: none may.
    [[nodiscard]] std::int32_t largest_branch(const Frame& frame) const {
        const std::vector<double>& known = frame.division.known;
        std::int32_t largest = options.choosy ? -1 : 0;
        for (std::int32_t b = 0; b < changing.place(frame.node).n_branches; ++b) {
            if (options.choosy && !may_be_raised(frame, b)) continue;
            // Of equally large ones the last in release 8 and J48, the first in C5.0.
            const double here = known[static_cast<std::size_t>(b)];
            const double there = largest < 0 ? -1.0 : known[static_cast<std::size_t>(largest)];
            if (options.choosy ? here > there : here >= there) largest = b;
        }
        return largest;
    }

    /// Decides about a node whose branches are done; true if it must be visited again.
    bool settle(Frame& frame) {
        NodeState& state = changing.state(frame.node);
        Place& place = changing.place(frame.node);
        add_up(frame);
        const Estimate subtree = state.estimate;
        const Estimate leaf = judge.estimate(changing.weights(frame.node));
        const double bound = subtree.errors + options.slack;
        const bool leaf_will_do = leaf.errors <= bound;
        const std::int32_t largest = options.raising ? largest_branch(frame) : -1;
        const std::int32_t child = place.first_child + largest;
        Estimate branch{kInfinite, {}};
        bool can_move = false;
        // A branch without a question is the same as the leaf.
        if (largest >= 0 && changing.place(child).n_branches > 0)
            branch = estimate_raised(frame, child,
                                     leaf_will_do ? leaf.errors - options.slack : bound, can_move);
        if (leaf_will_do && leaf.errors <= branch.errors + options.slack) {
            note_step(frame, place.source, false, subtree, leaf, [&] {
                place.n_branches = 0;
                state.estimate = leaf;
                state.at_least = at_least(frame.node);
                followers.settle_leaf(frame.node, frame.followers);
            });
            return false;
        }
        if (branch.errors > bound) return false;
        const bool regrows = frame.may_regrow &&
                             frame.division.known[static_cast<std::size_t>(largest)] < kMostOfRows;
        can_move = can_move && !regrows;  // all rows descend the regrown branches
        note_step(frame, place.source, true, subtree, branch, [&] {
            if (can_move) moved.move(frame.node, child);
            else changing.raise(frame.node, child);
            frame.is_sorted = can_move;
            frame.was_raised = true;
            frame.may_regrow = false;
            frame.next = -1;
            if (regrows) regrow(frame);
            if (!can_move && (regrows || followers.size() > 0)) branch.size = recount(frame);
            followers.spread(frame.node, frame.followers);
        });
        return true;
    }

    /// Adds up the figures of the branches of a node.
    void add_up(const Frame& frame) {
        NodeState& state = changing.state(frame.node);
        const Place& place = changing.place(frame.node);
        state.estimate = {};
        state.at_least = 0.0;
        small.forget();
        for (std::int32_t b = 0; b < place.n_branches; ++b) {
            const NodeState& child = changing.state(place.first_child + b);
            const bool joint =
                !descent.is_each_alone() && descent.is_joint(share_of(frame, b), shares);
            if (joint) small.add(changing.weights(place.first_child + b));
            state.estimate += joint ? Estimate{0.0, child.estimate.size} : child.estimate;
            state.at_least += child.at_least;
            state.has_parts |= child.has_parts;
        }
        state.estimate += small.estimate();
        followers.add_up(frame.node);
    }

    /// Counts the rows of all nodes below again, so that the leaves' decisions are known.
    Size recount(const Frame& frame) {
        Estimate total;
        descent.send(shares, frame.node, frame.share,
                     [&](const Descent::Sent& here, const auto& below) {
                         if (is_empty(here.share)) {
                             make_empty(here.node, here.share.begin);
                             total += changing.state(here.node).estimate;
                         } else {
                             note_rows(here.node, here.share);
                             if (below.empty())
                                 total += judge.estimate(changing.weights(here.node));
                         }
                         return true;
                     });
        return total.size;
    }

    /// Regrows the branches of a node, on its current rows.
    void regrow(const Frame& frame) {
        const Place place = changing.place(frame.node);
        const Division division = descent.divide(shares, frame.share, frame.node);
        const std::int32_t first_child = changing.add(frame.node, place.n_branches);
        changing.place(frame.node).first_child = first_child;
        for (std::int32_t b = 0; b < place.n_branches; ++b) {
            const Share share = shares.branch_of(frame.share, division, b);
            if (is_empty(share)) {  // empty: only its class weights are used
                changing.place(first_child + b).source = place.source;
                continue;
            }
            std::vector<Part> taken = share.parts;
            for (std::size_t i = share.begin; i < share.end; ++i)
                taken.push_back({shares.order()[i], shares.weight_of(shares.order()[i])});
            for (Part& part : taken) part.row = rows.given_row(part.row);
            auto [grown, packed] = regrower->grow(taken, judge, progress);
            const Sources::Grown& known =
                sources.add(std::move(grown), std::move(packed), place.source);
            changing.adopt(first_child + b, known.tree, known.plan, known.first_source);
        }
        followers.make_room();
        moved.make_room();
    }

    /// Makes a change and records its effect on the errors.
    template <class Change>
    void note_step(const Frame& frame, std::int32_t source, bool raised, const Estimate& before,
                   const Estimate& after, Change&& change) {
        const std::vector<double> cost = followers.costs(frame.node);
        change();
        const std::vector<double> now = followers.costs(frame.node);
        for (std::size_t s = 0; s < cost.size(); ++s) followed.push_back(now[s] - cost[s]);
        const Size difference{after.size.leaves - before.size.leaves,
                              after.size.wrong - before.size.wrong};
        steps.push_back({source, raised, before.errors, after.errors, difference});
    }

    /// The current tree, numbered from the root, children contiguous.
    Pruned numbered() {
        Pruned out;
        out.steps = std::move(steps);
        out.followed = std::move(followed);
        out.errors_left = followers.costs(0);
        out.n_sent = moved.n_sent();
        out.regrown = sources.joined();
        out.origin = sources.origins();
        std::vector<std::int32_t> nodes = {0};
        out.parent = {-1};
        for (std::size_t i = 0; i < nodes.size(); ++i) {
            const Place& place = changing.place(nodes[i]);
            const std::int32_t n = place.n_branches;
            out.source.push_back(place.source);
            out.n_branches.push_back(n);
            out.first_child.push_back(n > 0 ? static_cast<std::int32_t>(nodes.size()) : -1);
            out.n_rows.push_back(changing.n_rows(nodes[i]));
            for (std::int32_t b = 0; b < n; ++b) {
                nodes.push_back(place.first_child + b);
                out.parent.push_back(static_cast<std::int32_t>(i));
            }
        }
        out.value.reserve(nodes.size() * changing.n_classes);
        for (const std::int32_t node : nodes) {
            const double* value = changing.weights(node);
            out.value.insert(out.value.end(), value, value + changing.n_classes);
        }
        return out;
    }

    const tree::Tree& tree;
    const tree::Plan& plan;
    const ErrorPruning& options;
    const Regrower* regrower;  ///< null: branches stay as they were grown
    Progress& progress;
    Sources sources;
    LeafJudge judge;
    RowsByLeaf rows;
    ChangingTree changing;
    Shares shares;
    Shares trial;  ///< for trial divisions of rows
    Descent descent;
    MovedRows moved;
    Followers followers;
    std::vector<double> local;
    SmallBranches small;
    std::vector<Pruned::Step> steps;
    std::vector<double> followed;
};

}  // namespace

Pruned prune_by_error(const data::Dataset& data, std::span<const data::Dataset> followers,
                      const tree::Tree& tree, const tree::Plan& plan, const ErrorPruning& options,
                      const Regrower* regrower, Progress& progress) {
    require(data.target.n_classes.size() == 1, "one target of classes");
    return ErrorPruner(data, followers, tree, plan, options, regrower, progress).run();
}

}  // namespace treewright::prune
