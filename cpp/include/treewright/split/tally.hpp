/// Statistics per distinct value of one column in one node: *runs*, in ascending order of value,
/// each with its sums, and the sums of the rows whose value is missing.
///
/// Three ways to fill one; all add the rows of a run in the same order, so they agree bit for bit:
///   lists     the block keeps each column sorted: one sequential pass;
///   counting  codes by row, an array indexed by code;
///   sorting   codes by row, sorted, for nodes much smaller than the codebook.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "treewright/base/progress.hpp"
#include "treewright/criteria/concept.hpp"
#include "treewright/data/block.hpp"
#include "treewright/split/options.hpp"

namespace treewright::split {

/// A node is a range of the block's lists.
struct NodeRange {
    const data::Block* block = nullptr;
    std::uint32_t begin = 0;
    std::uint32_t end = 0;

    [[nodiscard]] std::uint32_t size() const { return end - begin; }
};

struct Tally {
    std::size_t width = 0;
    std::vector<double> sums;              ///< runs x width
    std::vector<std::uint32_t> row;        ///< a row of the block for each run
    std::vector<std::uint32_t> last_row;   ///< the last row of each run
    std::vector<std::uint32_t> n_entries;  ///< rows of the block in each run
    std::vector<std::uint32_t> code;       ///< of each run, when the block holds codes
    std::vector<double> missing;
    std::vector<double> known;  ///< sum of all runs
    bool any_missing = false;
    std::vector<double> missing_copies;  ///< copies of the missing rows by class (first output)
    std::uint32_t first_missing_row = 0;
    std::uint32_t missing_code = 0;  ///< when the block holds codes

    [[nodiscard]] std::size_t n_runs() const { return row.size(); }
    [[nodiscard]] const double* run(std::size_t i) const { return sums.data() + i * width; }
    [[nodiscard]] double* run(std::size_t i) { return sums.data() + i * width; }

    void clear(std::size_t new_width) {
        width = new_width;
        sums.clear();
        row.clear();
        last_row.clear();
        n_entries.clear();
        code.clear();
        missing.assign(width, 0.0);
        known.assign(width, 0.0);
        any_missing = false;
        missing_copies.assign(width, 0.0);
    }
    void open_run(std::uint32_t first_row) {
        sums.resize(sums.size() + width, 0.0);
        row.push_back(first_row);
        last_row.push_back(first_row);
        n_entries.push_back(0);
    }
    /// The missing rows were added to runs: from here on all rows are known.
    void absorb_missing() {
        std::fill(missing.begin(), missing.end(), 0.0);
        any_missing = false;
        sum_known();
    }
    void sum_known() {
        std::fill(known.begin(), known.end(), 0.0);
        for (std::size_t i = 0; i < n_runs(); ++i)
            for (std::size_t j = 0; j < width; ++j) known[j] += run(i)[j];
    }
};

struct TallyScratch {
    std::vector<std::uint64_t> keys;         // sorting: code << 32 | position
    std::vector<std::uint32_t> run_of_code;  // counting
    std::vector<data::Wide> entries;         // a node's rows by code, as lists have them
};

/// Inlined always: called as a function it costs regression trees a twentieth of their time.
template <criteria::Criterion C>
[[gnu::always_inline]] inline void add_row(const C& criterion, double* into,
                                           const data::Block& block, std::uint32_t row) {
    const double weight = block.weight_of(row);
    into[criteria::kCopies] += block.copies_of(row);
    into[criteria::kWeight] += weight;
    criterion.add(into, block, row, weight);
}

template <criteria::Criterion C>
void add_missing(const C& criterion, const data::Block& block, std::uint32_t row, Tally& tally) {
    if (!tally.any_missing) tally.first_missing_row = row;
    tally.any_missing = true;
    add_row(criterion, tally.missing.data(), block, row);
    if constexpr (std::is_base_of_v<criteria::ClassSums, C>)
        tally.missing_copies[block.classes[row * criterion.n_outputs]] += block.copies_of(row);
}

/// Opens the runs of some entries of a list and adds their rows.
template <criteria::Criterion C, class Word>
void tally_entries(const C& criterion, const data::Block& block, const Word* list, std::uint32_t n,
                   bool is_first, Tally& tally) {
    // Room for a run each, which is taken back: most values of a column of decimals differ.
    std::size_t n_runs = tally.n_runs();
    const std::size_t width = tally.width;
    tally.sums.resize((n_runs + n) * width, 0.0);
    for (auto* each : {&tally.row, &tally.last_row, &tally.n_entries}) each->resize(n_runs + n);
    std::uint32_t* const row_of = tally.row.data();
    std::uint32_t* const last_row_of = tally.last_row.data();
    std::uint32_t* const n_entries_of = tally.n_entries.data();
    double* run = tally.sums.data() + (n_runs - (is_first ? 0 : 1)) * width;
    for (std::uint32_t i = 0; i < n; ++i) {
        const std::uint32_t row = data::Entry<Word>::row(list[i]);
        if ((is_first && i == 0) || (list[i] & data::Entry<Word>::kSameValue) == 0) {
            run = tally.sums.data() + n_runs * width;
            row_of[n_runs] = row;
            n_entries_of[n_runs++] = 0;
        }
        last_row_of[n_runs - 1] = row;
        ++n_entries_of[n_runs - 1];
        add_row(criterion, run, block, row);
    }
    tally.sums.resize(n_runs * width);
    for (auto* each : {&tally.row, &tally.last_row, &tally.n_entries}) each->resize(n_runs);
}

template <criteria::Criterion C, class Word>
void tally_list(const C& criterion, const NodeRange& node, std::uint32_t column,
                std::uint32_t n_missing, Progress& progress, Tally& tally) {
    const data::Block& block = *node.block;
    const Word* list = block.list<Word>(column);
    const std::uint32_t known_end = node.end - n_missing;
    constexpr std::size_t kAtOnce = 256;
    in_blocks(progress, known_end - node.begin, [&](std::size_t from, std::size_t to) {
        for (std::size_t begin = from; begin < to; begin += kAtOnce)
            tally_entries(criterion, block, list + node.begin + begin,
                          static_cast<std::uint32_t>(std::min(kAtOnce, to - begin)), begin == 0,
                          tally);
    });
    for (std::uint32_t i = known_end; i < node.end; ++i)
        add_missing(criterion, block, data::Entry<Word>::row(list[i]), tally);
}

/// Counting touches the whole codebook, sorting costs n log n: count unless the codes outnumber
/// the node's rows 8:1.
inline bool counting_is_cheaper(std::size_t n_codes, std::size_t n_rows) {
    return n_codes <= 8 * n_rows;
}

template <criteria::Criterion C, class Word, class Code>
void tally_codes(const C& criterion, const NodeRange& node, const std::vector<Code>& code_of_row,
                 std::size_t n_codes, TallyWay way, Progress& progress, Tally& tally,
                 TallyScratch& scratch) {
    const data::Block& block = *node.block;
    const Word* list = block.list<Word>(0);
    const bool count = way == TallyWay::counting ||
                       (way == TallyWay::automatic && counting_is_cheaper(n_codes, node.size()));
    tally.missing_code = static_cast<std::uint32_t>(n_codes);
    if (count) {
        // Two passes: which codes are present, then their sums at the run each code has.
        scratch.run_of_code.assign(n_codes + 1, 0);
        for (std::uint32_t i = node.begin; i < node.end; ++i)
            scratch.run_of_code[code_of_row[data::Entry<Word>::row(list[i])]] = 1;
        std::uint32_t n_runs = 0;
        for (std::size_t code = 0; code < n_codes; ++code) {
            if (scratch.run_of_code[code] == 0) continue;
            scratch.run_of_code[code] = n_runs++;
            tally.open_run(0);
            tally.code.push_back(static_cast<std::uint32_t>(code));
        }
        in_blocks(progress, node.size(), [&](std::size_t from, std::size_t to) {
            for (std::size_t i = node.begin + from; i < node.begin + to; ++i) {
                const std::uint32_t row = data::Entry<Word>::row(list[i]);
                const std::size_t code = code_of_row[row];
                if (code == n_codes) {
                    add_missing(criterion, block, row, tally);
                    continue;
                }
                const std::uint32_t run = scratch.run_of_code[code];
                if (tally.n_entries[run]++ == 0) tally.row[run] = row;
                tally.last_row[run] = row;
                add_row(criterion, tally.run(run), block, row);
            }
        });
        return;
    }
    scratch.keys.clear();
    for (std::uint32_t i = node.begin; i < node.end; ++i)
        scratch.keys.push_back(
            static_cast<std::uint64_t>(code_of_row[data::Entry<Word>::row(list[i])]) << 32 | i);
    std::sort(scratch.keys.begin(), scratch.keys.end());
    for (std::size_t k = 0; k < scratch.keys.size(); ++k) {
        const auto code = static_cast<std::uint32_t>(scratch.keys[k] >> 32);
        const std::uint32_t row =
            data::Entry<Word>::row(list[static_cast<std::uint32_t>(scratch.keys[k])]);
        if (code == n_codes) {
            add_missing(criterion, block, row, tally);
            continue;
        }
        if (tally.code.empty() || tally.code.back() != code) {
            tally.open_run(row);
            tally.code.push_back(code);
        }
        tally.last_row.back() = row;
        ++tally.n_entries.back();
        add_row(criterion, tally.run(tally.n_runs() - 1), block, row);
    }
}

/// Lists the rows of a node whose block holds codes as a block of lists would, in
/// scratch.entries. False if a value is missing: there is no such list then.
template <class Word, class Code>
bool list_by_code(const NodeRange& node, const std::vector<Code>& code_of_row, std::size_t n_codes,
                  TallyWay way, TallyScratch& scratch) {
    const Word* list = node.block->list<Word>(0) + node.begin;
    const std::uint32_t n = node.size();
    scratch.entries.resize(n);
    if (way == TallyWay::sorting ||
        (way == TallyWay::automatic && !counting_is_cheaper(n_codes, n))) {
        scratch.keys.clear();
        for (std::uint32_t i = 0; i < n; ++i) {
            const std::uint64_t code = code_of_row[data::Entry<Word>::row(list[i])];
            if (code == n_codes) return false;
            scratch.keys.push_back(code << 32 | i);
        }
        std::sort(scratch.keys.begin(), scratch.keys.end());
        for (std::uint32_t i = 0; i < n; ++i) {
            const bool same = i > 0 && scratch.keys[i] >> 32 == scratch.keys[i - 1] >> 32;
            const std::uint32_t row =
                data::Entry<Word>::row(list[static_cast<std::uint32_t>(scratch.keys[i])]);
            scratch.entries[i] = row << 2 | static_cast<std::uint32_t>(same);
        }
        return true;
    }
    std::vector<std::uint32_t>& place = scratch.run_of_code;  // of the next row of each code
    place.assign(n_codes + 1, 0);
    for (std::uint32_t i = 0; i < n; ++i)
        ++place[static_cast<std::size_t>(code_of_row[data::Entry<Word>::row(list[i])])];
    if (place[n_codes] > 0) return false;
    std::uint32_t before = 0;
    for (std::uint32_t& count : place) before += std::exchange(count, before);
    for (std::uint32_t i = 0; i < n; ++i) {
        const std::uint32_t row = data::Entry<Word>::row(list[i]);
        scratch.entries[place[code_of_row[row]]++] = row << 2;
    }
    for (std::uint32_t i = 1; i < n; ++i)
        scratch.entries[i] |= static_cast<std::uint32_t>(code_of_row[scratch.entries[i] >> 2] ==
                                                         code_of_row[scratch.entries[i - 1] >> 2]);
    return true;
}

/// Fills the tally of `column` in `node` in the way that fits the block. `n_missing` is known
/// beforehand only when the block holds lists.
template <criteria::Criterion C>
void fill_tally(const C& criterion, const NodeRange& node, std::uint32_t column,
                std::uint32_t n_missing, TallyWay way, Progress& progress, Tally& tally,
                TallyScratch& scratch) {
    tally.clear(criterion.width());
    const data::Block& block = *node.block;
    const auto by_word = [&]<class Word>() {
        if (block.holding == data::Holding::lists) {
            tally_list<C, Word>(criterion, node, column, n_missing, progress, tally);
            return;
        }
        const data::Codes& codes = block.codes[column];
        std::visit(
            [&](const auto& of_row) {
                using Code = typename std::decay_t<decltype(of_row)>::value_type;
                tally_codes<C, Word, Code>(criterion, node, of_row, codes.n_codes(), way, progress,
                                           tally, scratch);
            },
            codes.of_row);
    };
    if (block.is_narrow()) by_word.template operator()<data::Narrow>();
    else by_word.template operator()<data::Wide>();
    tally.sum_known();
}

}  // namespace treewright::split
