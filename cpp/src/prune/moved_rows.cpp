#include "treewright/prune/moved_rows.hpp"

#include <algorithm>
#include <numeric>

namespace treewright::prune {

namespace {

/// Groups of rows, and nodes, between two checks for an interrupt.
constexpr std::size_t kGroupsPerCheck = 64;
constexpr std::size_t kNodesPerCheck = 256;
/// The limit is first checked after so many rows.
constexpr std::size_t kFirstLook = 32;
/// Sums in another order differ by less than this.
constexpr double kRounding = 1e-6;

}  // namespace

MovedRows::Verdict MovedRows::send(std::int32_t node, std::int32_t child, double limit,
                                   Estimate& estimate) {
    arrivals.clear();
    any_divided = false;
    next_look = kFirstLook;
    const double missing = limit - tree.state(child).at_least;
    if (missing < -kRounding) return Verdict::too_many;
    // Whole rows alone do not suffice where most errors are made by parts of rows.
    if (tree.state(node).has_parts && missing > tree.weight(node) - tree.weight(child))
        return Verdict::unknown;
    const std::size_t end = tree.begin_of(node) + tree.state(node).n_whole;
    const bool all_sent = send_range(tree.begin_of(node), tree.begin_of(child), child, limit) &&
                          send_range(tree.end_of(child), end, child, limit);
    n_rows_sent += static_cast<std::int64_t>(arrivals.size());
    Verdict verdict = Verdict::unknown;
    if (!all_sent || at_least(child) > limit + kRounding) {
        verdict = Verdict::too_many;
    } else if (!any_divided && !tree.state(node).has_parts) {
        verdict = Verdict::known;
        estimate = estimate_with_added(child);
    }
    forget();
    return verdict;
}

/// Sends the rows `order[begin .. end)`; false once the limit is certainly exceeded. Rows that
/// would be divided are left out: the others alone give a lower bound of the errors.
bool MovedRows::send_range(std::size_t begin, std::size_t end, std::int32_t child, double limit) {
    Reached at;
    for (std::size_t n_groups = 0; begin < end; begin += kInFlight) {
        if (n_groups++ % kGroupsPerCheck == 0) progress.check(true);
        const Group group(shares.order().data() + begin, std::min(kInFlight, end - begin));
        at.fill(child);
        descend(group, at);
        for (std::size_t r = 0; r < group.size(); ++r) {
            if (at[r] < 0) any_divided = true;
            else note_arrival(group[r], at[r]);
        }
        if (arrivals.size() >= next_look) {
            const double bound = at_least(child);
            if (bound > limit + kRounding) return false;
            // Check again when the limit will be exceeded at the current rate of errors.
            const double start = tree.state(child).at_least;
            const double times = (limit - start) / std::max(bound - start, 1e-300);
            const auto sent = static_cast<double>(arrivals.size());
            next_look = arrivals.size() + kInFlight +
                        static_cast<std::size_t>(sent * std::clamp(times - 1.0, 0.0, 1.0));
        }
    }
    return true;
}

/// Sends some rows down from the nodes they are at to a leaf; -1: one would be divided.
void MovedRows::descend(Group group, Reached& at) const {
    if (is_deep) descend_by_shortcuts(group, at);
    else if (rows.has_floats()) descend_by_cells<float>(group, at);
    else descend_by_cells<double>(group, at);
}

template <class T>
void MovedRows::descend_by_cells(Group group, Reached& at) const {
    std::array<const T*, kInFlight> line;
    std::array<std::uint8_t, kInFlight> moving;
    for (std::size_t r = 0; r < group.size(); ++r) line[r] = rows.line<T>(group[r]);
    std::iota(moving.begin(), moving.begin() + group.size(), 0);
    for (std::size_t n_moving = group.size(); n_moving > 0;) {
        std::size_t n_left = 0;
        for (std::size_t i = 0; i < n_moving; ++i) {
            const std::uint8_t r = moving[i];
            const Place& place = tree.place(at[r]);
            const bool asks = place.n_branches > 0;
            moving[n_left] = r;
            if (place.cell >= 0) {
                const double x = line[r][place.cell];
                if (x == x) {  // no branch on the values or on where leaves are
                    const std::int32_t next = place.first_child + (x > place.threshold ? 1 : 0);
                    at[r] = asks ? next : at[r];
                    n_left += asks ? 1 : 0;
                    continue;
                }
            }
            if (!asks) continue;
            at[r] = ask(group[r], at[r]);
            n_left += at[r] < 0 ? 0 : 1;
        }
        n_moving = n_left;
    }
}

void MovedRows::descend_by_shortcuts(Group group, Reached& at) const {
    for (std::size_t r = 0; r < group.size(); ++r)
        while (at[r] >= 0 && tree.place(at[r]).n_branches > 0) {
            const auto here = static_cast<std::uint32_t>(at[r]);
            const std::uint32_t ahead = shortcuts.follow(shares.columns(), group[r], here);
            at[r] = ahead != here ? static_cast<std::int32_t>(ahead) : ask(group[r], at[r]);
        }
}

/// Where a row goes from a node; -1: it is divided.
std::int32_t MovedRows::ask(std::uint32_t row, std::int32_t node) const {
    const NodeQuestion& question = tree.question(node);
    const int branch = shares.branch_of(row, *question.plan, question.at);
    return branch < 0 ? -1 : tree.place(node).first_child + branch;
}

void MovedRows::note_arrival(std::uint32_t row, std::int32_t leaf) {
    std::int32_t& number = number_of[static_cast<std::size_t>(leaf)];
    if (number < 0) {
        number = static_cast<std::int32_t>(reached.size());
        reached.push_back(leaf);
        added.resize(added.size() + tree.n_classes, 0.0);
        added_copies.push_back(0.0);
    }
    const auto at = static_cast<std::size_t>(number);
    added[at * tree.n_classes + shares.class_of(row)] += shares.weight_of(row);
    added_copies[at] += shares.copies_of(row);
    arrivals.push_back({leaf, row, -1});
}

void MovedRows::settled(std::int32_t node) {
    if (!is_deep) return;
    const Place& place = tree.place(node);
    const auto at = static_cast<std::uint32_t>(node);
    if (place.n_branches == 0) return shortcuts.end(at);
    std::int32_t most = 0;  // the branch of most leaves
    for (std::int32_t b = 1; b < place.n_branches; ++b)
        if (tree.state(place.first_child + b).estimate.size.leaves >
            tree.state(place.first_child + most).estimate.size.leaves)
            most = b;
    const NodeQuestion& question = tree.question(node);
    shortcuts.lead(at, static_cast<std::uint32_t>(place.first_child + most),
                   question.plan->values_of(question.at, most));
}

/// Class weights of the whole rows of a leaf and of those that would come.
const double* MovedRows::weights(std::int32_t leaf) {
    const std::int32_t number = number_of[static_cast<std::size_t>(leaf)];
    if (number < 0) std::fill(local.begin(), local.end(), 0.0);
    else
        std::copy_n(added.data() + static_cast<std::size_t>(number) * tree.n_classes,
                    tree.n_classes, local.data());
    if (tree.state(leaf).has_parts) {
        shares.add_whole(tree.begin_of(leaf), tree.end_of(leaf), local.data());
    } else if (tree.n_rows(leaf) > 0) {
        const double* own = tree.weights(leaf);
        for (std::size_t k = 0; k < tree.n_classes; ++k) local[k] += own[k];
    }
    return local.data();
}

/// How many whole rows a leaf would have.
double MovedRows::n_copies(std::int32_t leaf) const {
    const std::int32_t number = number_of[static_cast<std::size_t>(leaf)];
    return shares.n_copies(tree.begin_of(leaf), tree.end_of(leaf)) +
           (number < 0 ? 0.0 : added_copies[static_cast<std::size_t>(number)]);
}

Estimate MovedRows::estimate_with_added(std::int32_t child) {
    if (!descent.is_each_alone()) return descent.estimate_counted(child, *this);
    Estimate estimate = tree.state(child).estimate;
    for (const std::int32_t leaf : reached) {
        estimate -= tree.state(leaf).estimate;
        estimate += judge.estimate(weights(leaf));
    }
    return estimate;
}

double MovedRows::at_least(std::int32_t child) {
    double bound = tree.state(child).at_least;
    for (const std::int32_t leaf : reached)
        bound += descent.at_least(weights(leaf), n_copies(leaf)) - tree.state(leaf).at_least;
    return bound;
}

void MovedRows::forget() {
    for (const std::int32_t leaf : reached) number_of[static_cast<std::size_t>(leaf)] = -1;
    reached.clear();
    added.clear();
    added_copies.clear();
}

void MovedRows::move(std::int32_t node, std::int32_t child) {
    const std::size_t begin = tree.begin_of(node);
    tree.raise(node, child);
    for (std::size_t i = arrivals.size(); i-- > 0;) {  // from the end, so that lists are in order
        std::int64_t& first = first_arrived[static_cast<std::size_t>(arrivals[i].leaf)];
        arrivals[i].next = first;
        first = static_cast<std::int64_t>(i);
    }
    moved.clear();
    std::vector<std::int32_t> asking;  // every node before those below it
    std::vector<std::int32_t> pending = {node};
    for (std::size_t n_nodes = 0; !pending.empty(); ++n_nodes) {
        if (n_nodes % kNodesPerCheck == 0) progress.check(true);
        const std::int32_t at = pending.back();
        pending.pop_back();
        const Place& place = tree.place(at);
        if (place.n_branches == 0) {
            fill_leaf(at, begin + moved.size());
        } else {
            tree.begin_of(at) = begin + moved.size();
            asking.push_back(at);
        }
        for (std::int32_t b = place.n_branches; b-- > 0;) pending.push_back(place.first_child + b);
    }
    std::copy(moved.begin(), moved.end(),
              shares.order().begin() + static_cast<std::ptrdiff_t>(begin));
    for (std::size_t i = asking.size(); i-- > 1;)
        add_up(asking[i]);  // the node itself has them all
}

/// Appends the arrived rows to those of a leaf, at another place in the order.
void MovedRows::fill_leaf(std::int32_t leaf, std::size_t begin) {
    const auto own = shares.order().begin() + static_cast<std::ptrdiff_t>(tree.begin_of(leaf));
    NodeState& state = tree.state(leaf);
    moved.insert(moved.end(), own, own + static_cast<std::ptrdiff_t>(state.n_whole));
    tree.begin_of(leaf) = begin;
    std::int64_t& first = first_arrived[static_cast<std::size_t>(leaf)];
    if (first < 0) return;
    double* weights = tree.weights(leaf);
    if (tree.n_rows(leaf) == 0) std::fill_n(weights, tree.n_classes, 0.0);
    for (std::int64_t i = first; i >= 0; i = arrivals[static_cast<std::size_t>(i)].next) {
        const std::uint32_t row = arrivals[static_cast<std::size_t>(i)].row;
        moved.push_back(row);
        weights[shares.class_of(row)] += shares.weight_of(row);
        ++state.n_whole;
    }
    first = -1;
    tree.n_rows(leaf) = static_cast<std::int64_t>(state.n_whole);
    state.is_open = true;
}

/// Recounts the rows of a node if rows have arrived below it.
void MovedRows::add_up(std::int32_t node) {
    const Place& place = tree.place(node);
    NodeState& state = tree.state(node);
    for (std::int32_t b = 0; b < place.n_branches; ++b)
        state.is_open |= tree.state(place.first_child + b).is_open;
    if (!state.is_open) return;
    double* sum = tree.weights(node);
    std::fill_n(sum, tree.n_classes, 0.0);
    state.n_whole = 0;
    for (std::int32_t b = 0; b < place.n_branches; ++b) {
        const std::int32_t child = place.first_child + b;
        if (tree.n_rows(child) == 0) continue;  // its weights, if any, are its assigned class
        state.n_whole += tree.state(child).n_whole;
        for (std::size_t k = 0; k < tree.n_classes; ++k) sum[k] += tree.weights(child)[k];
    }
    tree.n_rows(node) = static_cast<std::int64_t>(state.n_whole);
}

}  // namespace treewright::prune
