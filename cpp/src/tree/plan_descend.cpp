/// Plans whose questions fit into a descent, and what becomes of rows that stop on the way.
#include <algorithm>
#include <limits>
#include <numeric>

#include "treewright/tree/descent.hpp"
#include "treewright/tree/plan.hpp"

namespace treewright::tree {
namespace {

/// Nodes between two checks for an interrupt.
constexpr std::size_t kNodesPerCheck = 1 << 12;
/// A table has four bytes for every code up to the greatest; where few of many occur in a node,
/// rows stop there.
constexpr std::size_t kCodesPerListed = 64;
constexpr std::size_t kCodesOfSmallTable = 1024;
/// Entries of all tables, by node: about as much memory again as the tree's arrays take.
constexpr std::size_t kEntriesPerNode = 64;
/// Share of the training weight that may stop, of all questions together.
constexpr double kMostStopped = 0.25;

std::uint8_t entry_of(std::int32_t branch) {
    return branch < 0 ? Descent::kUndecided : static_cast<std::uint8_t>(branch);
}

}  // namespace

/// The descent takes the place of the general loop; a row that stops goes on by that (`go_on`).
void Plan::make_descent(Progress& progress) {
    if (only_real_cuts || !shortcuts.empty() || needs.size() > Descent::kMostColumns ||
        nodes.size() > Descent::kMostNodes)
        return;
    const bool has_cuts = std::any_of(nodes.begin(), nodes.end(),
                                      [](const Node& node) { return kind_of(node) == real_cut; });
    auto made = std::make_shared<Descent>(nodes.size(), has_cuts);
    double stopped = 0.0;
    std::size_t n_entries = 0;
    for (std::uint32_t node = 0; node < nodes.size(); ++node) {
        if (node % kNodesPerCheck == 0) progress.check(true);
        const Kind kind = kind_of(nodes[node]);
        if (kind == leaf) {
            made->add_leaf();
            continue;
        }
        if (routes[node].n_branches >= Descent::kUndecided) return;
        if (kind == real_cut) {
            const bool settles = surrogates_of(node).empty();
            made->add_cut(column_of(nodes[node]), nodes[node].threshold, nodes[node].first_child,
                          entry_of(settles ? routes[node].missing : -1));
            continue;
        }
        if (kind != categories && kind != whole_cut) return;
        std::vector<std::uint8_t> branch = branches_by_code(node);
        n_entries += branch.size();
        if (n_entries > kEntriesPerNode * nodes.size() + kCodesOfSmallTable ||
            made->is_full(branch.size()))
            return;
        if (branch.size() == 1) stopped += weight[tree_node[node]];
        made->add_names(column_of(nodes[node]), branch, nodes[node].first_child);
    }
    if (stopped > kMostStopped * weight[0]) return;
    made->close(progress);
    descent = std::move(made);
}

/// The branches of codes from -2 on, the last entry that of all codes from there on. One entry:
/// every row stops.
std::vector<std::uint8_t> Plan::branches_by_code(std::uint32_t node) const {
    const Node& asked_node = nodes[node];
    const bool is_cut = kind_of(asked_node) == whole_cut;
    const CodeList* list = is_cut || asked_node.whole >= 0
                               ? nullptr
                               : &code_lists[static_cast<std::size_t>(-1 - asked_node.whole)];
    std::int64_t n_codes = 0;
    // A cut of whole numbers, or of whether there is one, may be at the greatest of 64 bits.
    if (is_cut) n_codes = std::clamp<std::int64_t>(asked_node.whole, -1, kCodesOfSmallTable) + 1;
    else if (list == nullptr)
        n_codes = (asked_node.whole >> kWidthBits) & ((std::int64_t{1} << kReachBits) - 1);
    else if (list->n > 0) n_codes = std::int64_t{listed_codes[list->start + list->n - 1]} + 1;
    const std::size_t most = kCodesOfSmallTable + (list == nullptr ? 0 : kCodesPerListed * list->n);
    const bool is_table = !is_cut && list == nullptr;  // few codes for each that is there
    if (!is_table && static_cast<std::size_t>(n_codes) > most) return {Descent::kUndecided};

    const bool settles = surrogates_of(node).empty();
    const std::uint8_t unseen = entry_of(settles ? routes[node].unseen : -1);
    std::uint8_t rest = unseen;
    if (is_cut) rest = 1;
    else if (list != nullptr && list->rest_branch >= 0) rest = entry_of(list->rest_branch);
    std::vector<std::uint8_t> branch(static_cast<std::size_t>(n_codes) + 3, rest);
    branch[0] = unseen;
    branch[1] = entry_of(settles ? routes[node].missing : -1);
    for (std::int64_t code = 0; code < n_codes; ++code) {
        const std::int32_t own = is_cut ? 0 : branch_in(asked_node, code);
        if (own >= 0) branch[static_cast<std::size_t>(code) + 2] = entry_of(own);
    }
    return branch;
}

bool Plan::reads_cells(const Rows& rows) const {
    return (descent != nullptr || only_real_cuts) && shortcuts.empty() &&
           std::all_of(used_columns.begin(), used_columns.end(),
                       [&](std::uint32_t c) { return RowCells::can_read(rows.columns[c]); });
}

void Plan::find_in_cells(const Rows& rows, const RowCells& cells, std::size_t begin,
                         std::size_t end, Found& found) const {
    if (descent == nullptr) {
        const Cells of_rows{cells.first(), static_cast<std::ptrdiff_t>(cells.stride()),
                            sizeof(double)};
        found.leaf.resize(end - begin);
        return find_in_matrix<double>(rows, of_rows, begin, end, found);
    }
    found.leaf.resize(end - begin);
    std::vector<std::uint32_t> stopped;
    descent->find(cells, end - begin, found.leaf.data(), stopped);
    if (!stopped.empty()) go_on(rows, cells, begin, std::move(stopped), found);
}

/// Where the rows arrive that have stopped on the way: their leaves, or kDivided and the number of
/// their parts. `row_of` has the row of each part, at first of each stopped row. All parts walk on
/// together, so that their cache misses overlap; those of a row are linked in the order of going
/// down one branch after the other, the first one first.
void Plan::go_on(const Rows& rows, const RowCells& cells, std::size_t begin,
                 std::vector<std::uint32_t> row_of, Found& found) const {
    constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();
    std::vector<std::uint32_t> node;
    std::vector<std::uint32_t> later;  // the part after it, of the same row
    std::vector<double> share;
    std::vector<std::uint32_t> stopped;
    const auto add = [&](std::uint32_t row, std::uint32_t at, std::uint32_t after, double part) {
        stopped.push_back(static_cast<std::uint32_t>(node.size()));
        row_of.push_back(row);
        node.push_back(at);
        later.push_back(after);
        share.push_back(part);
    };
    const std::size_t n_rows = row_of.size();
    stopped.resize(n_rows);
    std::iota(stopped.begin(), stopped.end(), 0U);
    for (const std::uint32_t row : row_of) node.push_back(found.leaf[row]);
    later.assign(n_rows, kNone);
    share.assign(n_rows, 1.0);
    std::vector<Visit> children;
    while (!stopped.empty()) {
        const std::size_t n_stopped = stopped.size();
        for (std::size_t i = 0; i < n_stopped; ++i) {
            const std::uint32_t part = stopped[i];
            const int branch = branch_of(rows, begin + row_of[part], node[part]);
            if (branch >= 0) {
                node[part] = nodes[node[part]].first_child + static_cast<std::uint32_t>(branch);
                continue;
            }
            push_children({node[part], share[part]}, children);  // the first one on top
            node[part] = children.back().node;
            share[part] = children.back().share;
            children.pop_back();
            for (const Visit& child : children) {  // from the last one on
                add(row_of[part], child.node, later[part], child.share);
                later[part] = stopped.back();
            }
            children.clear();
        }
        descent->go_on(cells, row_of.data(), stopped, node.data());
    }
    for (std::uint32_t first = 0; first < n_rows; ++first) {
        std::uint32_t& at = found.leaf[row_of[first]];
        at = node[first];
        if (later[first] == kNone) continue;
        for (std::uint32_t part = first; part != kNone; part = later[part])
            found.parts.push_back({node[part], share[part]});
        found.start.push_back(found.parts.size());
        at = kDivided | static_cast<std::uint32_t>(found.start.size() - 2);
    }
}

}  // namespace treewright::tree
