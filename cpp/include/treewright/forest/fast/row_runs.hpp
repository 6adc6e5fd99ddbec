/// The rows of a node by the values of one column, in growing on rows (grower_rows.cpp): a run for
/// each value that they have, ascending, with the sums of its rows. Rows are not kept in order;
/// they are ordered when a column is looked at, in the way that costs least:
///
///   few values           counted into an array by code, which is read from end to end
///   many, many rows      the same, and a bit for each code that was met: the bits are read
///   many, few rows       sorted by code
///
/// Of two classes most columns of many values are looked at in bins instead (binned_runs.hpp).
///
/// Sums are exact (counts, classes, targets on their grid, weights of few bits), so that it does
/// not matter in which order rows are added.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "treewright/forest/fast/coded_columns.hpp"
#include "treewright/forest/fast/kernels/class_bits.hpp"
#include "treewright/forest/fast/radix_keys.hpp"
#include "treewright/forest/fast/row_sums.hpp"

namespace treewright::forest {

/// The runs of a column in a node.
struct Runs {
    std::uint32_t n = 0;              ///< runs of known values
    std::vector<std::uint32_t> code;  ///< of each run
    std::vector<double> weight;       ///< of the rows up to each run's end
    std::vector<double> target;       ///< the same: of the second class, or on the grid
    std::vector<double> copies;       ///< the same: rows drawn; where they weigh differently
    bool has_missing = false;         ///< some rows have no value
    double missing_weight = 0.0;
    double missing_target = 0.0;
    double missing_copies = 0.0;

    /// More than two classes: what each run consists of. The rows of run i are the events from
    /// `event_end[i - 1]` to `event_end[i]`.
    struct Event {
        std::uint32_t class_number;
        std::uint32_t copies;
        double weight;
    };
    std::vector<Event> events;
    std::vector<std::uint32_t> event_end;
    std::vector<Event> missing_events;

    /// Begins anew, with room for so many.
    void begin_runs(std::uint32_t n_most) {
        n = 0;
        missing_weight = missing_target = missing_copies = 0.0;
        has_missing = false;
        events.clear();
        event_end.clear();
        missing_events.clear();
        if (code.size() >= n_most + 1) return;
        for (auto* each : {&weight, &target, &copies}) each->resize(n_most + 1);
        code.resize(n_most + 1);
    }
    /// Adds a run of two classes, up to whose end the rows sum up to this.
    void add_run(std::uint32_t of_code, PairSums::Sum up_to) {
        code[n] = of_code;
        weight[n] = PairSums::weight(up_to);
        target[n] = PairSums::target(up_to);
        ++n;
    }
};

/// The same, and the memory to find them.
class RowRuns : public Runs {
public:
    /// `codes` are those of the column, by the rows' numbers.
    template <class Codes, class Sums>
    void collect(const NodeRows& rows, const CodedColumn& column, const Codes& codes,
                 const Sums& sums) {
        begin(std::min(rows.n, column.n_codes));
        switch (way_for(rows.n, column)) {
            case Way::halves: halve(rows, codes, column, sums); break;
            case Way::counting: count(rows, codes, column, sums); break;
            case Way::marking: mark(rows, codes, column, sums); break;
            case Way::sorting: sort(rows, codes, column, sums); break;
        }
    }

    /// The same for more than two classes, as events.
    template <class Codes>
    void collect_classes(const NodeRows& rows, const CodedColumn& column, const Codes& codes,
                         const RowClasses& classes) {
        begin(std::min(rows.n, column.n_codes));
        const bool counts_pay = column.is_narrow() && std::size_t{column.n_codes} * classes.n <=
                                                          kCodesPerRow * kCodesPerRow * rows.n;
        if (counts_pay) count_classes(rows, codes, column, classes);
        else sort_classes(rows, codes, column, classes);
    }

    /// The same of all rows of a table, two classes or more, of a column of narrow codes.
    void collect_all(const ClassBits& classes, const CodedColumn& column) {
        begin(column.n_codes);
        const std::uint32_t n_lines = column.n_codes + 1;
        counts.resize(std::size_t{n_lines} * classes.n_classes());
        classes.count(column.narrow.data(), n_lines, counts.data());
        if (classes.n_classes() > 2) {
            read_counts({nullptr, classes.n_classes()}, column.n_codes);
            return;
        }
        for (std::uint32_t c = 0; c < n_lines; ++c) {
            const PairSums::Sum second = counts[2 * c + 1];
            const PairSums::Sum sum = (counts[2 * c] + second) << 32 | second;
            if (c == column.n_codes) set_missing(PairSums{}, sum);
            else if (PairSums::weight(sum) > 0.0) end_run(PairSums{}, c, sum);
        }
    }

    /// Two runs: values up to a drawn one, and the others, of a node with these sums; one run if
    /// there are no others. `value_at(i, row)` is that of the node's i-th row (row_draws.hpp).
    template <class Sums, class ValueAt>
    void collect_parted(const NodeRows& rows, const ValueAt& value_at, double drawn, bool gaps,
                        const Sums& sums, const typename Sums::Sum& all) {
        begin(2);
        typename Sums::Sum first{};
        typename Sums::Sum missing{};
        for (std::uint32_t i = 0; i < rows.n; ++i)  // which side is unpredictable: no branch
            first +=
                Sums::only_if(value_at(i, row_of(rows.words[i])) <= drawn, sums.of(rows.words[i]));
        for (std::uint32_t i = 0; i < rows.n && gaps; ++i)
            missing += Sums::only_if(std::isnan(value_at(i, row_of(rows.words[i]))),
                                     sums.of(rows.words[i]));
        end_run(sums, 0, first);
        const typename Sums::Sum second = all - first - missing;
        if (sums.weight(second) > 0.0) end_run(sums, 1, second);
        set_missing(sums, missing);
    }
    template <class ValueAt>
    void collect_parted_classes(const NodeRows& rows, const ValueAt& value_at, double drawn,
                                const RowClasses& classes) {
        begin(2);
        count_by_class(rows, classes, 2, [&](std::uint32_t i, std::uint32_t row) {
            const double value = value_at(i, row);
            return std::isnan(value) ? 2U : value <= drawn ? 0U : 1U;
        });
        read_counts(classes, 2);
    }

private:
    enum class Way : std::uint8_t { halves, counting, marking, sorting };
    /// Codes that may be read per row of a node.
    static constexpr std::size_t kCodesPerRow = 2;
    static constexpr std::size_t kWordsOfMarks = 64;
    static constexpr std::uint32_t kWays = 4;      ///< places where rows of a code are added up
    static constexpr std::size_t kRowsPerSum = 8;  ///< from which on they are several

    [[nodiscard]] static Way way_for(std::uint32_t n_rows, const CodedColumn& column) {
        if (column.n_codes <= 2 && !column.has_gaps) return Way::halves;
        if (column.is_narrow())
            return column.n_codes <= kCodesPerRow * n_rows ? Way::counting : Way::sorting;
        return column.n_codes / kWordsOfMarks <= kCodesPerRow * n_rows ? Way::marking
                                                                       : Way::sorting;
    }

    template <class Sums>
    auto& sums_by_code() {
        if constexpr (std::is_base_of_v<PairSums, Sums>) return pairs;
        else if constexpr (std::is_same_v<Sums, WeighedSums>) return weighed;
        else return moments;
    }

    void begin(std::uint32_t n_rows) {
        running_weight = running_target = running_copies = 0.0;
        begin_runs(n_rows);
    }
    template <class Sums>
    void end_run(const Sums& sums, std::uint32_t of_code, const typename Sums::Sum& sum) {
        code[n] = of_code;
        weight[n] = running_weight += sums.weight(sum);
        target[n] = running_target += sums.target(sum);
        if constexpr (Sums::kIsWeighed) copies[n] = running_copies += sums.copies(sum);
        ++n;
    }
    template <class Sums>
    void set_missing(const Sums& sums, const typename Sums::Sum& sum) {
        missing_weight = sums.weight(sum);
        missing_target = sums.target(sum);
        if constexpr (Sums::kIsWeighed) missing_copies = sums.copies(sum);
        has_missing = missing_weight > 0.0;
    }

    /// Two values: one of them is added up.
    template <class Codes, class Sums>
    void halve(const NodeRows& rows, const Codes& codes, const CodedColumn&, const Sums& sums) {
        typename Sums::Sum of[2] = {};
        if constexpr (std::is_base_of_v<PairSums, Sums>) {
            typename Sums::Sum all = 0;
            for (std::uint32_t i = 0; i < rows.n; ++i) {
                const std::uint64_t own = sums.of(rows.words[i]);
                all += own;
                of[1] += own & (std::uint64_t{0} - codes[row_of(rows.words[i])]);
            }
            of[0] = all - of[1];
        } else {
            for (std::uint32_t i = 0; i < rows.n; ++i)
                of[codes[row_of(rows.words[i])]] += sums.of(rows.words[i]);
        }
        for (std::uint32_t b = 0; b < 2; ++b)
            if (sums.weight(of[b]) > 0.0) end_run(sums, b, of[b]);
    }

    template <class Codes, class Sums>
    void count(const NodeRows& rows, const Codes& codes, const CodedColumn& column,
               const Sums& sums) {
        auto& of = sums_by_code<Sums>();
        const std::size_t n_sums = std::size_t{column.n_codes} + 1;
        const bool in_several = rows.n >= kRowsPerSum * n_sums;
        of.assign((in_several ? kWays : 1) * n_sums, {});
        auto* const here = of.data();
        std::uint32_t i = 0;
        // A sum that was just written is slow to read: rows of a code are added in several places.
        for (; in_several && i + kWays <= rows.n; i += kWays)
            for (std::uint32_t way = 0; way < kWays; ++way)
                here[way * n_sums + codes[row_of(rows.words[i + way])]] +=
                    sums.of(rows.words[i + way]);
        for (; i < rows.n; ++i) here[codes[row_of(rows.words[i])]] += sums.of(rows.words[i]);
        for (std::uint32_t c = 0; c < n_sums; ++c) {
            typename Sums::Sum own = here[c];
            for (std::uint32_t way = 1; way < kWays && in_several; ++way)
                own += here[way * n_sums + c];
            if (c == column.n_codes) set_missing(sums, own);
            else if (sums.weight(own) > 0.0) end_run(sums, c, own);
        }
    }

    template <class Codes, class Sums>
    void mark(const NodeRows& rows, const Codes& codes, const CodedColumn& column,
              const Sums& sums) {
        auto& of = sums_by_code<Sums>();
        if (of.size() < std::size_t{column.n_codes} + 1) of.resize(std::size_t{column.n_codes} + 1);
        marks.assign(column.n_codes / kBits + 1, 0);
        typename Sums::Sum missing{};
        typename Sums::Sum usual{};
        std::uint32_t n_usual = 0;
        for (std::uint32_t i = 0; i < rows.n; ++i) {
            const std::uint32_t c = codes[row_of(rows.words[i])];
            if (c == column.usual) {
                usual += sums.of(rows.words[i]);
                ++n_usual;
                continue;
            }
            if (c == column.n_codes) {
                missing += sums.of(rows.words[i]);
                continue;
            }
            std::uint64_t& word = marks[c / kBits];
            const std::uint64_t bit = std::uint64_t{1} << (c % kBits);
            // What earlier looks have left behind counts for nothing.
            typename Sums::Sum own = (word & bit) != 0 ? of[c] : typename Sums::Sum{};
            own += sums.of(rows.words[i]);
            of[c] = own;
            word |= bit;
        }
        if (n_usual > 0) {
            of[column.usual] = usual;
            marks[column.usual / kBits] |= std::uint64_t{1} << (column.usual % kBits);
        }
        for (std::size_t w = 0; w < marks.size(); ++w)
            for (std::uint64_t left = marks[w]; left != 0; left &= left - 1) {
                const auto c =
                    static_cast<std::uint32_t>(w * kBits + std::size_t(std::countr_zero(left)));
                end_run(sums, c, of[c]);
            }
        set_missing(sums, missing);
    }

    template <class Codes, class Sums>
    void sort(const NodeRows& rows, const Codes& codes, const CodedColumn& column,
              const Sums& sums) {
        sort_keys(rows, codes, column);
        typename Sums::Sum own{};
        for (std::uint32_t i = 0; i < rows.n; ++i) {
            own += sums.of(rows.words[static_cast<std::uint32_t>(keys[i])]);
            const auto c = static_cast<std::uint32_t>(keys[i] >> 32);
            if (i + 1 < rows.n && static_cast<std::uint32_t>(keys[i + 1] >> 32) == c) continue;
            if (c == column.n_codes) set_missing(sums, own);
            else end_run(sums, c, own);
            own = {};
        }
    }

    /// Fills `keys` with code << 32 | place among the rows, ascending.
    template <class Codes>
    void sort_keys(const NodeRows& rows, const Codes& codes, const CodedColumn& column) {
        if (keys.size() < rows.n) keys.resize(rows.n);
        for (std::uint32_t i = 0; i < rows.n; ++i)
            keys[i] = std::uint64_t{codes[row_of(rows.words[i])]} << 32 | i;
        sort_by_code(keys.data(), rows.n, column.n_codes, spare);
    }

    template <class Codes>
    void count_classes(const NodeRows& rows, const Codes& codes, const CodedColumn& column,
                       const RowClasses& classes) {
        count_by_class(
            rows, classes, column.n_codes,
            [&](std::uint32_t, std::uint32_t row) -> std::uint32_t { return codes[row]; });
        read_counts(classes, column.n_codes);
    }

    /// Fills `counts` and, where rows weigh differently, `weights` with n lines of a number for
    /// each class, and one more; `line_of(i, row)` says which the i-th row belongs to.
    template <class LineOf>
    void count_by_class(const NodeRows& rows, const RowClasses& classes, std::uint32_t n_lines,
                        const LineOf& line_of) {
        const std::size_t size = (std::size_t{n_lines} + 1) * classes.n;
        const auto place_of = [&](std::uint32_t i, std::uint32_t row) {
            return std::size_t{line_of(i, row)} * classes.n + classes.of(row);
        };
        if (classes.weighed != nullptr) {
            counts.assign(size, 0);
            weights.assign(size, 0.0);
            for (std::uint32_t i = 0; i < rows.n; ++i) {
                const std::uint32_t row = row_of(rows.words[i]);
                const std::size_t at = place_of(i, row);
                const std::uint32_t times = weight_of(rows.words[i]);
                counts[at] += times;
                weights[at] += times * classes.weighed[row].weight;
            }
            return;
        }
        // A count that was just written is slow to read, and most rows may have one name and class.
        const bool in_several = rows.n >= kRowsPerSum * size;
        counts.assign((in_several ? kWays : 1) * size, 0);
        std::uint32_t* const here = counts.data();
        const auto add = [&](std::uint32_t i, std::uint32_t* to) {
            to[place_of(i, row_of(rows.words[i]))] += weight_of(rows.words[i]);
        };
        std::uint32_t i = 0;
        for (; in_several && i + kWays <= rows.n; i += kWays)
            for (std::uint32_t way = 0; way < kWays; ++way) add(i + way, here + way * size);
        for (; i < rows.n; ++i) add(i, here);
        for (std::uint32_t way = 1; way < kWays && in_several; ++way)
            for (std::size_t at = 0; at < size; ++at) here[at] += here[way * size + at];
    }

    /// Makes runs of the first n lines of `counts`; the next is that of missing values.
    void read_counts(const RowClasses& classes, std::uint32_t n_lines) {
        for (std::uint32_t line = 0; line <= n_lines; ++line) {
            const std::size_t begin = std::size_t{line} * classes.n;
            const std::uint32_t* own = counts.data() + begin;
            auto& into = line < n_lines ? events : missing_events;
            const std::size_t before = into.size();
            for (std::uint32_t k = 0; k < classes.n; ++k)
                if (own[k] > 0)
                    into.push_back({k, own[k],
                                    classes.weighed != nullptr ? weights[begin + k]
                                                               : static_cast<double>(own[k])});
            if (into.size() == before) continue;
            if (line < n_lines) end_events(line);
        }
        sum_missing_events();
    }

    template <class Codes>
    void sort_classes(const NodeRows& rows, const Codes& codes, const CodedColumn& column,
                      const RowClasses& classes) {
        sort_keys(rows, codes, column);
        for (std::uint32_t i = 0; i < rows.n; ++i) {
            const std::uint32_t word = rows.words[static_cast<std::uint32_t>(keys[i])];
            const auto c = static_cast<std::uint32_t>(keys[i] >> 32);
            const std::uint32_t row = row_of(word);
            const std::uint32_t times = weight_of(word);
            const Event event{
                static_cast<std::uint32_t>(classes.of(row)), times,
                times * (classes.weighed != nullptr ? classes.weighed[row].weight : 1.0)};
            if (c == column.n_codes) {
                missing_events.push_back(event);
                continue;
            }
            events.push_back(event);
            if (i + 1 == rows.n || static_cast<std::uint32_t>(keys[i + 1] >> 32) != c)
                end_events(c);
        }
        sum_missing_events();
    }
    void end_events(std::uint32_t of_code) {
        code[n++] = of_code;
        event_end.push_back(static_cast<std::uint32_t>(events.size()));
    }
    void sum_missing_events() {
        for (const Event& event : missing_events) {
            missing_weight += event.weight;
            missing_copies += event.copies;
        }
        has_missing = !missing_events.empty();
    }

    static constexpr std::size_t kBits = 64;
    double running_weight = 0.0;
    double running_target = 0.0;
    double running_copies = 0.0;
    std::vector<PairSums::Sum> pairs;  ///< by code, as the next four
    std::vector<ValueSums::Sum> moments;
    std::vector<WeighedSums::Sum> weighed;
    std::vector<std::uint32_t> counts;  ///< code x class, as the next
    std::vector<double> weights;
    std::vector<std::uint64_t> marks;  ///< bits by code
    std::vector<std::uint64_t> keys;
    std::vector<std::uint64_t> spare;
};

}  // namespace treewright::forest
