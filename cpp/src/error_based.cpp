#include "treewright/prune/error_based.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <memory>
#include <numeric>
#include <utility>

#include "treewright/base/error.hpp"
#include "treewright/grow/question.hpp"
#include "treewright/prune/shares.hpp"

namespace treewright {

namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();
/// Rows that go down a branch together, so that they do not wait for the memory one by one.
constexpr std::size_t kInFlight = 16;
/// C5.0 grows branches again where they had less of the rows than this.
constexpr double kMostOfRows = 0.95;

/// A node as it is now.
struct Place {
    std::int32_t source;  ///< node of the tree whose question it asks
    std::int32_t first_child;
    std::int32_t n_branches;
    std::uint32_t question;  ///< place of `source` in the plan
    const Plan* plan;
};

/// A branch that was grown again.
struct Grown {
    Tree tree;
    Plan plan;
    std::int32_t first_source;  ///< number of its first node among all sources
};

/// Holds the tree while it is being changed. Nothing recurses: a tree may be a long chain.
class ErrorPruner {
public:
    ErrorPruner(const Dataset& data, const Tree& tree, const Plan& plan,
                const ErrorPruning& options, const Regrower* regrower, Progress& progress)
        : data(data),
          tree(tree),
          options(options),
          regrower(regrower),
          progress(progress),
          n_classes(data.target.n_classes.at(0)),
          rows{data.n_rows, data.columns},
          places(tree.nodes.size()),
          counts{std::vector<std::int64_t>(tree.nodes.size()),
                 std::vector<double>(tree.nodes.size() * n_classes)},
          errors(tree.nodes.size()),
          added(tree.nodes.size() * n_classes),
          has_parts(tree.nodes.size()),
          shares(data, tree) {
        for (std::uint32_t at = 0; at < places.size(); ++at) {
            const std::uint32_t i = plan.order()[at];
            const TreeNode& node = tree.nodes[i];
            places[i] = {static_cast<std::int32_t>(i), node.first_child, node.n_branches, at,
                         &plan};
        }
    }

    Pruned run() {
        std::vector<Frame> frames(1);
        frames[0].share.end = shares.order().size();
        frames[0].is_sorted = shares.sort_by_leaf(*places[0].plan, counts, progress);
        frames[0].may_regrow = regrower != nullptr;
        while (!frames.empty()) {
            progress.check(true);
            Frame& frame = frames.back();
            if (frame.next < 0) enter(frame);
            const Place place = place_of(frame.node);
            if (frame.next < place.n_branches) {
                const std::int32_t branch = frame.next++;
                Frame below;
                below.node = place.first_child + branch;
                below.share = shares.branch_of(frame.share, frame.division, branch);
                below.is_sorted = frame.is_sorted;
                below.may_regrow = frame.may_regrow;
                if (is_empty(below.share)) empty(below.node);
                else frames.push_back(std::move(below));
            } else if (place.n_branches == 0 || !settle(frame)) {
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
        std::int32_t next = -1;  ///< branch to go down; -1: not entered yet
        bool is_sorted = false;  ///< rows lie as `sort_by_leaf` left them, and are counted
        bool may_regrow = false;
        bool is_joint = false;  ///< estimated together with others, above
    };

    [[nodiscard]] bool is_empty(const Share& share) const {
        return share.empty() ||
               (share.begin == share.end && shares.n_copies(share) < options.least_branch);
    }

    [[nodiscard]] Place& place_of(std::int32_t node) {
        return places[static_cast<std::size_t>(node)];
    }
    [[nodiscard]] const Place& place_of(std::int32_t node) const {
        return places[static_cast<std::size_t>(node)];
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
        return counts.weights.data() + static_cast<std::size_t>(node) * n_classes;
    }

    void enter(Frame& frame) {
        const auto node = static_cast<std::size_t>(frame.node);
        frame.next = 0;
        has_parts[node] = frame.share.parts.empty() ? 0 : 1;
        if (!frame.is_sorted) {
            shares.count(frame.share, counts_of(frame.node));
            counts.n_rows[node] = static_cast<std::int64_t>(frame.share.size());
        }
        if (places[node].n_branches == 0) errors[node] = estimate(counts_of(frame.node));
        else frame.division = frame.is_sorted ? known_division(frame) : divide(frame);
    }

    /// A branch that no row reaches says nothing, whatever it asked.
    void empty(std::int32_t node) {
        const auto at = static_cast<std::size_t>(node);
        double* own = counts_of(node);
        std::fill_n(own, n_classes, 0.0);
        const std::int32_t above = source_node(places[at].source).parent;
        if (options.empty_leaves_keep_class && above >= 0) {
            const double* line = tree.value.data() + static_cast<std::size_t>(above) * n_classes;
            // The first of equals; parts of rows add up to them but for rounding.
            const double most = *std::max_element(line, line + n_classes) * (1.0 - 1e-12);
            own[std::find_if(line, line + n_classes, [&](double w) { return w >= most; }) - line] =
                1.0;
        }
        counts.n_rows[at] = 0;
        errors[at] = {0.0, {1.0, 0.0}};
        if (places[at].n_branches == 0) return;
        steps.push_back({origin_of(places[at].source), false, 0.0, 0.0, kInfinite, size_below(node),
                         errors[at].size});
        places[at].n_branches = 0;
    }

    /// Leaves below a node, and what they got wrong when they were grown.
    [[nodiscard]] Size size_below(std::int32_t node) const {
        Size size;
        std::vector<std::int32_t> pending = {node};
        while (!pending.empty()) {
            const Place& place = place_of(pending.back());
            pending.pop_back();
            for (std::int32_t b = 0; b < place.n_branches; ++b)
                pending.push_back(place.first_child + b);
            if (place.n_branches > 0) continue;
            const double* line = source_value(place.source);
            size.leaves += 1.0;
            size.wrong += std::accumulate(line, line + n_classes, 0.0) -
                          *std::max_element(line, line + n_classes);
        }
        return size;
    }

    [[nodiscard]] Division divide(const Frame& frame) {
        const Place& place = place_of(frame.node);
        return shares.divide(frame.share, *place.plan, place.question,
                             static_cast<std::size_t>(place.n_branches));
    }

    /// The same for rows that are already sorted: none lacks the value, and nothing is asked.
    [[nodiscard]] Division known_division(const Frame& frame) {
        const Place& place = place_of(frame.node);
        std::size_t begin = frame.share.begin;
        Division out;
        out.start.push_back(begin);
        for (std::int32_t b = 0; b < place.n_branches; ++b) {
            const std::int32_t child = place.first_child + b;
            const double* line = counts_of(child);
            out.known.push_back(std::accumulate(line, line + n_classes, 0.0));
            out.start.push_back(begin);
            begin += static_cast<std::size_t>(counts.n_rows[static_cast<std::size_t>(child)]);
        }
        out.make_fractions();
        return out;
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
            const Place& place = place_of(frame.node);
            if (place.n_branches == 0) {
                const Estimate leaf = estimate(shares.count(frame.share, local.data()));
                total += frame.is_joint ? Estimate{0.0, leaf.size} : leaf;
                continue;
            }
            frame.division = divide(frame);
            std::vector<double> together(n_classes);
            for (std::int32_t b = 0; b < place.n_branches; ++b) {
                Frame below;
                below.node = place.first_child + b;
                below.share = shares.branch_of(frame.share, frame.division, b);
                if (is_empty(below.share)) {  // what it asks goes once it is looked at
                    const bool asks = place_of(below.node).n_branches > 0;
                    total += {0.0, asks ? size_below(below.node) : Size{1.0, 0.0}};
                    continue;
                }
                below.is_joint = frame.is_joint;
                if (!frame.is_joint && is_joint(below.share)) {
                    below.is_joint = true;
                    shares.count(below.share, local.data());
                    for (std::size_t k = 0; k < n_classes; ++k) together[k] += local[k];
                }
                pending.push_back(std::move(below));
            }
            total += estimate_joint(together);
        }
        return total;
    }

    /// Whether a branch has so few rows that it is estimated together with others of its node.
    [[nodiscard]] bool is_joint(const Share& share) const {
        return options.joint_below > 0.0 && shares.n_copies(share) < options.joint_below;
    }
    [[nodiscard]] Estimate estimate_joint(const std::vector<double>& together) const {
        if (!std::any_of(together.begin(), together.end(), [](double w) { return w > 0.0; }))
            return {};
        return {estimate(together.data()).errors, {}};  // its leaves are counted one by one
    }

    /// The same where no row is divided: the branch's own rows stay where they are, so only the
    /// rows of the other branches have to go down, and only the leaves they reach change. False if
    /// one of them would be divided.
    [[nodiscard]] bool estimate_with_others(const Frame& frame, std::int32_t largest,
                                            Estimate& total) {
        const std::int32_t child = place_of(frame.node).first_child + largest;
        if (has_parts[static_cast<std::size_t>(frame.node)] != 0 || options.joint_below > 0.0)
            return false;
        const Share own = shares.branch_of(frame.share, frame.division, largest);
        const bool whole = send_down(frame.share.begin, own.begin, child) &&
                           send_down(own.end, frame.share.end, child);
        total = errors[static_cast<std::size_t>(child)];
        for (const std::int32_t leaf : reached) {
            double* more = added.data() + static_cast<std::size_t>(leaf) * n_classes;
            total -= errors[static_cast<std::size_t>(leaf)];
            if (counts.n_rows[static_cast<std::size_t>(leaf)] > 0)
                for (std::size_t k = 0; k < n_classes; ++k) more[k] += counts_of(leaf)[k];
            total += estimate(more);
            std::fill_n(more, n_classes, 0.0);
        }
        reached.clear();
        return whole;
    }

    /// Adds the rows `order[begin .. end)` to the leaves they reach from a node; false if one of
    /// them would be divided.
    bool send_down(std::size_t begin, std::size_t end, std::int32_t node) {
        std::array<std::int32_t, kInFlight> at;
        const std::uint32_t* order = shares.order().data();
        for (; begin < end; begin += kInFlight) {
            progress.check(true);
            const std::size_t n = std::min(kInFlight, end - begin);
            at.fill(node);
            for (bool moved = true; moved;) {
                moved = false;
                for (std::size_t r = 0; r < n; ++r) {
                    const Place& place = place_of(at[r]);
                    if (place.n_branches == 0) continue;
                    const int branch =
                        place.plan->branch_of(rows, order[begin + r], place.question);
                    if (branch < 0) return false;
                    at[r] = place.first_child + branch;
                    moved = true;
                }
            }
            for (std::size_t r = 0; r < n; ++r) {
                double* into = added.data() + static_cast<std::size_t>(at[r]) * n_classes;
                if (std::all_of(into, into + n_classes, [](double w) { return w == 0.0; }))
                    reached.push_back(at[r]);
                into[data.target.classes[order[begin + r]]] += shares.weight_of(order[begin + r]);
            }
        }
        return true;
    }

    [[nodiscard]] bool may_be_raised(const Frame& frame, std::int32_t branch) const {
        const Place& place = place_of(frame.node);
        const Place& child = place_of(place.first_child + branch);
        const TreeNode& asked = source_node(place.source);
        const TreeNode& below = source_node(child.source);
        const bool same_cut = below.kind == 1 && below.column == asked.column;
        return child.n_branches > 0 &&
               frame.division.known[static_cast<std::size_t>(branch)] >= 0.1 && !same_cut;
    }

    /// Decides about a node whose branches are done; true if it is to be gone through again.
    bool settle(Frame& frame) {
        const auto node = static_cast<std::size_t>(frame.node);
        Place& place = places[node];
        Estimate subtree;
        std::vector<double> together(n_classes);
        std::int32_t largest = options.choosy ? -1 : 0;
        for (std::int32_t b = 0; b < place.n_branches; ++b) {
            const auto child = static_cast<std::size_t>(place.first_child + b);
            if (counts.n_rows[child] > 0 &&
                is_joint(shares.branch_of(frame.share, frame.division, b))) {
                subtree += {0.0, errors[child].size};
                for (std::size_t k = 0; k < n_classes; ++k)
                    together[k] += counts_of(place.first_child + b)[k];
            } else {
                subtree += errors[child];
            }
            has_parts[node] |= has_parts[child];
            if (options.choosy && !may_be_raised(frame, b)) continue;
            if (largest < 0) {
                largest = b;
                continue;
            }
            // Of equally large ones the last in release 8 and J48, the first in C5.0.
            const double here = frame.division.known[static_cast<std::size_t>(b)];
            const double there = frame.division.known[static_cast<std::size_t>(largest)];
            if (options.choosy ? here > there : here >= there) largest = b;
        }
        subtree += estimate_joint(together);
        const std::int32_t child = place.first_child + largest;
        const Estimate leaf = estimate(counts_of(frame.node));
        Estimate branch{kInfinite, {}};
        if (options.raising && largest >= 0 && !estimate_with_others(frame, largest, branch))
            branch = estimate_branch(child, frame.share);
        const double bound = subtree.errors + options.slack;
        const bool to_leaf = leaf.errors <= bound && leaf.errors <= branch.errors + options.slack;
        const bool to_branch = !to_leaf && branch.errors <= bound;
        errors[node] = to_leaf ? leaf : subtree;
        if (!to_leaf && !to_branch) return false;
        steps.push_back({place.source, to_branch, subtree.errors, leaf.errors, branch.errors,
                         subtree.size, (to_leaf ? leaf : branch).size});
        if (to_leaf) {
            place.n_branches = 0;
            return false;
        }
        place = place_of(child);
        frame.is_sorted = false;
        frame.next = -1;
        if (frame.may_regrow && place.n_branches > 0 &&
            frame.division.known[static_cast<std::size_t>(largest)] < kMostOfRows)
            steps.back().after = regrow(frame);
        frame.may_regrow = false;
        return true;
    }

    /// Grows the branches of a node again, on the rows it has now.
    Size regrow(const Frame& frame) {
        const Division division = divide(frame);
        const auto node = static_cast<std::size_t>(frame.node);
        const std::int32_t n_branches = places[node].n_branches;
        const std::int32_t origin = origin_of(places[node].source);
        const std::int32_t first_child = add_places(n_branches);
        places[node].first_child = first_child;
        Size size;
        std::vector<Part> taken;
        for (std::int32_t b = 0; b < n_branches; ++b) {
            const Share share = shares.branch_of(frame.share, division, b);
            taken = share.parts;
            for (std::size_t i = share.begin; i < share.end; ++i)
                taken.push_back({shares.order()[i], shares.weight_of(shares.order()[i])});
            if (is_empty(share)) {  // no rows come here: only its class weights are ever asked for
                place_of(first_child + b) = {places[node].source, -1, 0, places[node].question,
                                             places[node].plan};
                size.leaves += 1.0;
                continue;
            }
            Tree found = regrower->grow(taken, progress);
            Plan packed(found, std::vector<std::int32_t>(found.nodes.size(), -1),
                        data.target.n_classes);
            regrower->collapse(found);
            const auto n_known = static_cast<std::int32_t>(tree.nodes.size() + origins.size());
            origins.resize(origins.size() + found.nodes.size(), origin);
            grown.push_back(
                std::make_unique<Grown>(Grown{std::move(found), std::move(packed), n_known}));
            adopt(*grown.back(), first_child + b);
            const Size below = size_below(first_child + b);
            size.leaves += below.leaves;
            size.wrong += below.wrong;
        }
        return size;
    }

    /// Makes the nodes of a tree the place `at` and places below it.
    void adopt(const Grown& from, std::int32_t at) {
        std::vector<std::uint32_t> position(from.tree.nodes.size());
        for (std::uint32_t p = 0; p < position.size(); ++p) position[from.plan.order()[p]] = p;
        std::vector<std::pair<std::int32_t, std::int32_t>> pending = {{at, 0}};  // place, node
        while (!pending.empty()) {
            const auto [place, i] = pending.back();
            pending.pop_back();
            const TreeNode& node = from.tree.nodes[static_cast<std::size_t>(i)];
            const std::int32_t first = node.n_branches > 0 ? add_places(node.n_branches) : -1;
            place_of(place) = {from.first_source + i, first, node.n_branches,
                               position[static_cast<std::size_t>(i)], &from.plan};
            for (std::int32_t b = 0; b < node.n_branches; ++b)
                pending.emplace_back(first + b, node.first_child + b);
        }
    }

    /// Makes room for more nodes; gives the first of them.
    std::int32_t add_places(std::int32_t n) {
        const auto first = static_cast<std::int32_t>(places.size());
        const std::size_t size = places.size() + static_cast<std::size_t>(n);
        places.resize(size);
        counts.n_rows.resize(size);
        counts.weights.resize(size * n_classes);
        errors.resize(size);
        added.resize(size * n_classes);
        has_parts.resize(size);
        return first;
    }

    /// The node that asks the question of a source, in the tree or in a branch grown again.
    [[nodiscard]] const TreeNode& source_node(std::int32_t source) const {
        const auto [from, node] = at_source(source);
        return from->nodes[node];
    }
    [[nodiscard]] const double* source_value(std::int32_t source) const {
        const auto [from, node] = at_source(source);
        return from->value.data() + node * n_classes;
    }
    [[nodiscard]] std::pair<const Tree*, std::size_t> at_source(std::int32_t source) const {
        if (source < static_cast<std::int32_t>(tree.nodes.size()))
            return {&tree, static_cast<std::size_t>(source)};
        const auto after = std::upper_bound(
            grown.begin(), grown.end(), source,
            [](std::int32_t at, const auto& each) { return at < each->first_source; });
        const Grown& from = **(after - 1);
        return {&from.tree, static_cast<std::size_t>(source - from.first_source)};
    }
    [[nodiscard]] std::int32_t origin_of(std::int32_t source) const {
        const auto n_nodes = static_cast<std::int32_t>(tree.nodes.size());
        return source < n_nodes ? source : origins[static_cast<std::size_t>(source - n_nodes)];
    }

    /// The branches that were grown again, one after the other.
    [[nodiscard]] Tree joined() const {
        Tree out;
        out.width = n_classes;
        for (const auto& from : grown) {
            const auto base = static_cast<std::int32_t>(out.nodes.size());
            const auto first_code = static_cast<std::int64_t>(out.branches.code.size());
            const auto first_cut = static_cast<std::int64_t>(out.cuts.real.size());
            const auto first_term = static_cast<std::int64_t>(out.terms.size());
            const Tree& part = from->tree;
            for (TreeNode node : part.nodes) {
                if (node.first_child >= 0) node.first_child += base;
                if (node.parent >= 0) node.parent += base;
                if (node.code_offset >= 0) node.code_offset += first_code;
                if (node.cut_offset >= 0) node.cut_offset += first_cut;
                if (node.term_offset >= 0) node.term_offset += first_term;
                out.nodes.push_back(std::move(node));
            }
            append_cuts(out.cuts, part.cuts);
            out.terms.append(part.terms);
            append_branches(out.branches, part.branches);
            out.value.insert(out.value.end(), part.value.begin(), part.value.end());
        }
        return out;
    }

    /// The tree as it is now, numbered from the root, children side by side.
    Pruned numbered() {
        Pruned out;
        out.steps = std::move(steps);
        out.regrown = joined();
        out.origin = origins;
        std::vector<std::int32_t> nodes = {0};
        out.parent = {-1};
        for (std::size_t i = 0; i < nodes.size(); ++i) {
            const Place& place = place_of(nodes[i]);
            const std::int32_t n = place.n_branches;
            out.source.push_back(place.source);
            out.n_branches.push_back(n);
            out.first_child.push_back(n > 0 ? static_cast<std::int32_t>(nodes.size()) : -1);
            out.n_rows.push_back(counts.n_rows[static_cast<std::size_t>(nodes[i])]);
            const double* value = counts_of(nodes[i]);
            out.value.insert(out.value.end(), value, value + n_classes);
            for (std::int32_t b = 0; b < n; ++b) {
                nodes.push_back(place.first_child + b);
                out.parent.push_back(static_cast<std::int32_t>(i));
            }
        }
        return out;
    }

    const Dataset& data;
    const Tree& tree;
    const ErrorPruning& options;
    const Regrower* regrower;  ///< null: branches stay as they were grown
    Progress& progress;
    std::size_t n_classes;
    Rows rows;
    std::vector<Place> places;
    Counts counts;
    std::vector<Estimate> errors;
    std::vector<double> added;  ///< class weights of rows that would come to a leaf; all 0 between
    std::vector<std::int32_t> reached;
    std::vector<char> has_parts;  ///< whether parts of rows are in the node or below
    Shares shares;
    std::vector<Pruned::Step> steps;
    std::vector<std::unique_ptr<Grown>> grown;
    std::vector<std::int32_t> origins;  ///< of all their nodes
};

}  // namespace

Pruned prune_by_error(const Dataset& data, const Tree& tree, const Plan& plan,
                      const ErrorPruning& options, const Regrower* regrower, Progress& progress) {
    require(data.target.n_classes.size() == 1, "one target of classes");
    return ErrorPruner(data, tree, plan, options, regrower, progress).run();
}

}  // namespace treewright
