#include "treewright/prune/error_based.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "treewright/base/error.hpp"

namespace treewright {

double AddedErrors::operator()(double n, double e) const {
    if (nothing || n <= 0.0) return 0.0;
    const auto from_one = [&](double errors) {
        const double corrected = errors + 0.5;
        if (corrected >= n) return share_above * std::max(n - errors, least_right);
        const double inner =
            deviate_squared * (corrected * (1.0 - corrected / n) + deviate_squared / 4.0);
        const double rate = (corrected + deviate_squared / 2.0 + std::sqrt(std::max(inner, 0.0))) /
                            (n + deviate_squared);
        return n * rate - errors;
    };
    const bool none = e < no_error || e <= 0.0;
    const bool part = e < one_error && n > interpolate_above;
    if (!none && !part) return from_one(e);
    const double base = -n * std::expm1(log_confidence / n);
    return none ? base : base + e * (from_one(1.0) - base);
}

namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();

/// A part of a row that was divided above.
struct Part {
    std::uint32_t row;
    double weight;
};

/// The rows of a node: a range of `ErrorPruner::order`, whole, and parts of divided rows.
struct Share {
    std::size_t begin = 0;
    std::size_t end = 0;
    std::vector<Part> parts;

    [[nodiscard]] bool empty() const { return begin == end && parts.empty(); }
};

/// Holds the tree while it is being changed. Nothing recurses: a tree may be a long chain.
class ErrorPruner {
public:
    ErrorPruner(const Dataset& data, const Tree& tree, const Plan& plan,
                const ErrorPruning& options, Progress& progress)
        : data(data),
          tree(tree),
          plan(plan),
          options(options),
          progress(progress),
          n_classes(data.target.n_classes.at(0)),
          rows{data.n_rows, data.columns},
          source(tree.nodes.size()),
          first_child(tree.nodes.size()),
          n_branches(tree.nodes.size()),
          packed(tree.nodes.size()),
          counts(tree.nodes.size() * n_classes),
          n_rows(tree.nodes.size()),
          errors(tree.nodes.size()),
          added(tree.nodes.size() * n_classes),
          has_parts(tree.nodes.size()),
          branch_of_row(data.n_rows) {
        for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
            source[i] = static_cast<std::int32_t>(i);
            first_child[i] = tree.nodes[i].first_child;
            n_branches[i] = tree.nodes[i].n_branches;
            packed[plan.order()[i]] = static_cast<std::uint32_t>(i);
        }
        for (std::size_t row = 0; row < data.n_rows; ++row)
            if (weight_of(row) > 0.0) order.push_back(static_cast<std::uint32_t>(row));
        scratch.resize(order.size());
    }

    Pruned run() {
        std::vector<Frame> frames(1);
        frames[0].share.end = order.size();
        while (!frames.empty()) {
            progress.check(true);
            Frame& frame = frames.back();
            const auto node = static_cast<std::size_t>(frame.node);
            if (frame.next < 0) enter(frame);
            if (frame.next < n_branches[node]) {
                const std::int32_t branch = frame.next++;
                Frame below;
                below.node = first_child[node] + branch;
                below.share = share_of(frame, branch);
                if (below.share.empty()) empty(below.node);
                else frames.push_back(std::move(below));
            } else if (n_branches[node] == 0 || !settle(frame)) {
                frames.pop_back();
            }
        }
        return numbered();
    }

private:
    struct Frame {
        std::int32_t node = 0;
        Share share;
        std::vector<std::size_t> start;  ///< rows without the value, then those of each branch
        std::vector<int> branch_of_part;
        std::vector<double> known;  ///< weight each branch gets of rows with the value
        std::int32_t next = -1;     ///< branch to go down; -1: not entered yet
    };

    [[nodiscard]] double weight_of(std::size_t row) const {
        return data.weight.empty() ? 1.0 : data.weight[row];
    }

    double* count(const Share& share, double* into) const {
        std::fill(into, into + n_classes, 0.0);
        for (std::size_t i = share.begin; i < share.end; ++i)
            into[data.target.classes[order[i]]] += weight_of(order[i]);
        for (const Part& part : share.parts) into[data.target.classes[part.row]] += part.weight;
        return into;
    }

    struct Estimate {
        double errors = 0.0;
        Size size;

        void operator+=(const Estimate& other) {
            errors += other.errors;
            size.leaves += other.size.leaves;
            size.wrong += other.size.wrong;
        }
        void operator-=(const Estimate& other) {
            errors -= other.errors;
            size.leaves -= other.size.leaves;
            size.wrong -= other.size.wrong;
        }
    };

    /// Of a leaf with these class weights.
    [[nodiscard]] Estimate estimate(const double* class_weights) const {
        double total = 0.0;
        double most = 0.0;
        for (std::size_t k = 0; k < n_classes; ++k) {
            total += class_weights[k];
            most = std::max(most, class_weights[k]);
        }
        const double wrong = std::max(total - most, 0.0);
        return {wrong + options.added(total, wrong), {1.0, wrong}};
    }

    double* counts_of(std::int32_t node) {
        return counts.data() + static_cast<std::size_t>(node) * n_classes;
    }

    void enter(Frame& frame) {
        const auto node = static_cast<std::size_t>(frame.node);
        count(frame.share, counts_of(frame.node));
        n_rows[node] = static_cast<std::int64_t>(frame.share.end - frame.share.begin +
                                                 frame.share.parts.size());
        frame.next = 0;
        has_parts[node] = frame.share.parts.empty() ? 0 : 1;
        if (n_branches[node] == 0) errors[node] = estimate(counts_of(frame.node));
        else divide(frame);
    }

    /// A branch that no row reaches says nothing, whatever it asked.
    void empty(std::int32_t node) {
        const auto at = static_cast<std::size_t>(node);
        double* own = counts_of(node);
        std::fill_n(own, n_classes, 0.0);
        const std::int32_t above = tree.nodes[static_cast<std::size_t>(source[at])].parent;
        if (options.empty_leaves_keep_class && above >= 0) {
            const double* line = tree.value.data() + static_cast<std::size_t>(above) * n_classes;
            // The first of equals; parts of rows add up to them but for rounding.
            const double most = *std::max_element(line, line + n_classes) * (1.0 - 1e-12);
            own[std::find_if(line, line + n_classes, [&](double w) { return w >= most; }) - line] =
                1.0;
        }
        n_rows[at] = 0;
        errors[at] = {0.0, {1.0, 0.0}};
        n_branches[at] = 0;
    }

    /// Sorts a frame's whole rows by branch, rows without the value first:
    ///     order:  ... | gaps | branch 0 | branch 1 | ...
    ///     start:        0      1          2          3
    void divide(Frame& frame) {
        const auto at =
            packed[static_cast<std::size_t>(source[static_cast<std::size_t>(frame.node)])];
        const auto n = static_cast<std::size_t>(n_branches[static_cast<std::size_t>(frame.node)]);
        frame.start.assign(n + 1, 0);
        frame.known.assign(n, 0.0);
        frame.branch_of_part.clear();
        const Share& share = frame.share;
        for (std::size_t i = share.begin; i < share.end; ++i) {
            const std::uint32_t row = order[i];
            const int branch = plan.branch_of(rows, row, at);
            branch_of_row[row] = branch;
            if (branch >= 0) frame.known[static_cast<std::size_t>(branch)] += weight_of(row);
            const auto group = static_cast<std::size_t>(branch + 1);
            if (group < n) ++frame.start[group + 1];
        }
        frame.start[0] = share.begin;
        for (std::size_t g = 1; g <= n; ++g) frame.start[g] += frame.start[g - 1];
        std::vector<std::size_t> next(frame.start.begin(), frame.start.end());
        for (std::size_t i = share.begin; i < share.end; ++i) {
            const auto group = static_cast<std::size_t>(branch_of_row[order[i]] + 1);
            scratch[next[group]++] = order[i];
        }
        std::copy(scratch.begin() + static_cast<std::ptrdiff_t>(share.begin),
                  scratch.begin() + static_cast<std::ptrdiff_t>(share.end),
                  order.begin() + static_cast<std::ptrdiff_t>(share.begin));
        for (const Part& part : share.parts) {
            const int branch = plan.branch_of(rows, part.row, at);
            frame.branch_of_part.push_back(branch);
            if (branch >= 0) frame.known[static_cast<std::size_t>(branch)] += part.weight;
        }
        const double all = std::accumulate(frame.known.begin(), frame.known.end(), 0.0);
        for (double& each : frame.known)
            each = all > 0.0 ? each / all : 1.0 / static_cast<double>(n);
    }

    [[nodiscard]] Share share_of(const Frame& frame, std::int32_t branch) const {
        const auto b = static_cast<std::size_t>(branch);
        const double known = frame.known[b];
        Share share;
        share.begin = frame.start[b + 1];
        share.end = b + 2 < frame.start.size() ? frame.start[b + 2] : frame.share.end;
        if (known > 0.0)
            for (std::size_t i = frame.start[0]; i < frame.start[1]; ++i)
                share.parts.push_back({order[i], weight_of(order[i]) * known});
        for (std::size_t i = 0; i < frame.share.parts.size(); ++i) {
            const Part& part = frame.share.parts[i];
            if (frame.branch_of_part[i] == branch) share.parts.push_back(part);
            else if (frame.branch_of_part[i] < 0 && known > 0.0)
                share.parts.push_back({part.row, part.weight * known});
        }
        return share;
    }

    /// Errors to expect if all these rows went down this branch instead.
    [[nodiscard]] Estimate estimate_branch(std::int32_t node, const Share& share) {
        std::vector<double> local(n_classes);
        std::vector<Frame> pending(1);
        pending[0].node = node;
        pending[0].share = share;
        Estimate total;
        while (!pending.empty()) {
            progress.check(true);
            Frame frame = std::move(pending.back());
            pending.pop_back();
            const std::int32_t n = n_branches[static_cast<std::size_t>(frame.node)];
            if (n == 0) {
                total += estimate(count(frame.share, local.data()));
                continue;
            }
            divide(frame);
            for (std::int32_t b = 0; b < n; ++b) {
                Frame below;
                below.node = first_child[static_cast<std::size_t>(frame.node)] + b;
                below.share = share_of(frame, b);
                if (!below.share.empty()) pending.push_back(std::move(below));
            }
        }
        return total;
    }

    /// The same where no row is divided: the branch's own rows stay where they are, so only the
    /// rows of the other branches have to go down, and only the leaves they reach change. False if
    /// one of them would be divided.
    [[nodiscard]] bool estimate_with_others(const Frame& frame, std::int32_t largest,
                                            Estimate& total) {
        const auto at = static_cast<std::size_t>(frame.node);
        const std::int32_t child = first_child[at] + largest;
        if (has_parts[at] != 0 || has_parts[static_cast<std::size_t>(child)] != 0) return false;
        const Share own = share_of(frame, largest);
        bool whole = true;
        for (std::size_t i = frame.share.begin; i < frame.share.end && whole; ++i) {
            if (i == own.begin) i = own.end;
            if (i >= frame.share.end) break;
            std::int32_t leaf = child;
            while (whole && n_branches[static_cast<std::size_t>(leaf)] > 0) {
                const auto question =
                    static_cast<std::size_t>(source[static_cast<std::size_t>(leaf)]);
                const int branch = plan.branch_of(rows, order[i], packed[question]);
                whole = branch >= 0;
                leaf = first_child[static_cast<std::size_t>(leaf)] + branch;
            }
            if (!whole) break;
            double* into = added.data() + static_cast<std::size_t>(leaf) * n_classes;
            if (std::all_of(into, into + n_classes, [](double w) { return w == 0.0; }))
                reached.push_back(leaf);
            into[data.target.classes[order[i]]] += weight_of(order[i]);
        }
        total = errors[static_cast<std::size_t>(child)];
        for (const std::int32_t leaf : reached) {
            double* more = added.data() + static_cast<std::size_t>(leaf) * n_classes;
            total -= errors[static_cast<std::size_t>(leaf)];
            if (n_rows[static_cast<std::size_t>(leaf)] > 0)
                for (std::size_t k = 0; k < n_classes; ++k) more[k] += counts_of(leaf)[k];
            total += estimate(more);
            std::fill_n(more, n_classes, 0.0);
        }
        reached.clear();
        return whole;
    }

    [[nodiscard]] bool may_be_raised(const Frame& frame, std::int32_t branch) const {
        const auto child =
            static_cast<std::size_t>(first_child[static_cast<std::size_t>(frame.node)] + branch);
        const auto& asked =
            tree.nodes[static_cast<std::size_t>(source[static_cast<std::size_t>(frame.node)])];
        const auto& below = tree.nodes[static_cast<std::size_t>(source[child])];
        const bool same_cut = below.kind == 1 && below.column == asked.column;
        return n_branches[child] > 0 && frame.known[static_cast<std::size_t>(branch)] >= 0.1 &&
               !same_cut;
    }

    /// Decides about a node whose branches are done; true if it is to be gone through again.
    bool settle(Frame& frame) {
        const auto node = static_cast<std::size_t>(frame.node);
        const std::int32_t n = n_branches[node];
        Estimate subtree;
        std::int32_t largest = options.choosy ? -1 : 0;
        for (std::int32_t b = 0; b < n; ++b) {
            subtree += errors[static_cast<std::size_t>(first_child[node] + b)];
            has_parts[node] |= has_parts[static_cast<std::size_t>(first_child[node] + b)];
            if (options.choosy && !may_be_raised(frame, b)) continue;
            // The last of equally large ones, as both programs have it.
            if (largest < 0 || frame.known[static_cast<std::size_t>(b)] >=
                                   frame.known[static_cast<std::size_t>(largest)])
                largest = b;
        }
        const std::int32_t child = first_child[node] + largest;
        const Estimate leaf = estimate(counts_of(frame.node));
        Estimate branch{kInfinite, {}};
        if (options.raising && largest >= 0 && !estimate_with_others(frame, largest, branch))
            branch = estimate_branch(child, frame.share);
        const double bound = subtree.errors + options.slack;
        const bool to_leaf = leaf.errors <= bound && leaf.errors <= branch.errors + options.slack;
        const bool to_branch = !to_leaf && branch.errors <= bound;
        errors[node] = to_leaf ? leaf : subtree;
        if (!to_leaf && !to_branch) return false;
        steps.push_back({source[node], to_branch, subtree.errors, leaf.errors, branch.errors,
                         subtree.size, (to_leaf ? leaf : branch).size});
        if (to_leaf) {
            n_branches[node] = 0;
            return false;
        }
        const auto raised = static_cast<std::size_t>(child);
        source[node] = source[raised];
        first_child[node] = first_child[raised];
        n_branches[node] = n_branches[raised];
        frame.next = -1;
        return true;
    }

    /// The tree as it is now, numbered from the root, children side by side.
    Pruned numbered() {
        Pruned out;
        out.steps = std::move(steps);
        std::vector<std::int32_t> nodes = {0};
        out.parent = {-1};
        for (std::size_t i = 0; i < nodes.size(); ++i) {
            const auto node = static_cast<std::size_t>(nodes[i]);
            const std::int32_t n = n_branches[node];
            out.source.push_back(source[node]);
            out.n_branches.push_back(n);
            out.first_child.push_back(n > 0 ? static_cast<std::int32_t>(nodes.size()) : -1);
            out.n_rows.push_back(n_rows[node]);
            const double* value = counts_of(nodes[i]);
            out.value.insert(out.value.end(), value, value + n_classes);
            for (std::int32_t b = 0; b < n; ++b) {
                nodes.push_back(first_child[node] + b);
                out.parent.push_back(static_cast<std::int32_t>(i));
            }
        }
        return out;
    }

    const Dataset& data;
    const Tree& tree;
    const Plan& plan;
    const ErrorPruning& options;
    Progress& progress;
    std::size_t n_classes;
    Rows rows;
    std::vector<std::int32_t> source;  ///< node whose question this one asks
    std::vector<std::int32_t> first_child;
    std::vector<std::int32_t> n_branches;
    std::vector<std::uint32_t> packed;  ///< place of each node in the plan
    std::vector<double> counts;
    std::vector<std::int64_t> n_rows;
    std::vector<Estimate> errors;
    std::vector<double> added;  ///< class weights of rows that would come to a leaf; all 0 between
    std::vector<std::int32_t> reached;
    std::vector<char> has_parts;  ///< whether parts of rows are in the node or below
    std::vector<std::uint32_t> order;
    std::vector<std::uint32_t> scratch;
    std::vector<int> branch_of_row;
    std::vector<Pruned::Step> steps;
};

}  // namespace

Pruned prune_by_error(const Dataset& data, const Tree& tree, const Plan& plan,
                      const ErrorPruning& options, Progress& progress) {
    require(data.target.n_classes.size() == 1, "one target of classes");
    return ErrorPruner(data, tree, plan, options, progress).run();
}

}  // namespace treewright
