#include "treewright/prune/divided_rows.hpp"

#include <algorithm>
#include <numeric>

namespace treewright::prune {

Shares::Shares(const data::Dataset& data)
    : data(data), n_classes(data.target.n_classes.at(0)), rows{data.n_rows, data.columns} {
    for (std::uint32_t row = 0; row < data.n_rows; ++row)
        if (weight_of(row) > 0.0) sequence.push_back(row);
    scratch.resize(sequence.size());
    branch_at.resize(sequence.size());
}

double Shares::n_copies(const Share& share) const {
    double total = n_copies(share.begin, share.end);
    for (const Part& part : share.parts)
        total += copies_of(part.row) * part.weight / weight_of(part.row);
    return total;
}

double* Shares::count(const Share& share, double* into) const {
    std::fill(into, into + n_classes, 0.0);
    add_whole(share.begin, share.end, into);
    for (const Part& part : share.parts) into[class_of(part.row)] += part.weight;
    return into;
}

void Shares::add_whole(std::size_t begin, std::size_t end, double* into) const {
    for (std::size_t i = begin; i < end; ++i) into[class_of(sequence[i])] += weight_of(sequence[i]);
}

Division Shares::divide(const Share& share, const tree::Plan& plan, std::uint32_t question,
                        std::size_t n_branches) {
    Division out;
    out.start.assign(n_branches + 1, 0);
    out.known.assign(n_branches, 0.0);
    const std::size_t n_whole = share.end - share.begin;
    plan.branches_of(rows, {sequence.data() + share.begin, n_whole}, question,
                     {branch_at.data() + share.begin, n_whole});
    for (std::size_t i = share.begin; i < share.end; ++i) {
        const std::int32_t branch = branch_at[i];
        if (branch >= 0) out.known[static_cast<std::size_t>(branch)] += weight_of(sequence[i]);
        const auto group = static_cast<std::size_t>(branch + 1);
        if (group < n_branches) ++out.start[group + 1];
    }
    out.start[0] = share.begin;
    for (std::size_t g = 1; g <= n_branches; ++g) out.start[g] += out.start[g - 1];
    std::vector<std::size_t> next(out.start);
    for (std::size_t i = share.begin; i < share.end; ++i)
        scratch[next[static_cast<std::size_t>(branch_at[i] + 1)]++] = sequence[i];
    std::copy(scratch.begin() + static_cast<std::ptrdiff_t>(share.begin),
              scratch.begin() + static_cast<std::ptrdiff_t>(share.end),
              sequence.begin() + static_cast<std::ptrdiff_t>(share.begin));
    part_rows.clear();
    for (const Part& part : share.parts) part_rows.push_back(part.row);
    out.branch_of_part.resize(part_rows.size());
    plan.branches_of(rows, part_rows, question, out.branch_of_part);
    for (std::size_t i = 0; i < part_rows.size(); ++i) {
        const std::int32_t branch = out.branch_of_part[i];
        if (branch >= 0) out.known[static_cast<std::size_t>(branch)] += share.parts[i].weight;
    }
    make_fractions(out.known);
    return out;
}

void make_fractions(std::vector<double>& weights) {
    const double all = std::accumulate(weights.begin(), weights.end(), 0.0);
    for (double& each : weights)
        each = all > 0.0 ? each / all : 1.0 / static_cast<double>(weights.size());
}

Share Shares::branch_of(const Share& share, const Division& division, std::int32_t branch) const {
    const auto b = static_cast<std::size_t>(branch);
    const double known = division.known[b];
    Share out;
    out.begin = division.start[b + 1];
    out.end = b + 2 < division.start.size() ? division.start[b + 2] : share.end;
    if (known > 0.0)
        for (std::size_t i = division.start[0]; i < division.start[1]; ++i)
            out.parts.push_back({sequence[i], weight_of(sequence[i]) * known});
    for (std::size_t i = 0; i < share.parts.size(); ++i) {
        const Part& part = share.parts[i];
        if (division.branch_of_part[i] == branch) out.parts.push_back(part);
        else if (division.branch_of_part[i] < 0 && known > 0.0)
            out.parts.push_back({part.row, part.weight * known});
    }
    return out;
}

}  // namespace treewright::prune
