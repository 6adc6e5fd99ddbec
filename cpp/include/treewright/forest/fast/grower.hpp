/// The fast grower of forests (grow/engines.hpp): missing values on the side where they gain more,
/// one target, Gini, entropy or squared error. Most forests are of this kind, and grow many times
/// faster here than by the general grow/grower.hpp; both grow the same trees.
///
/// Best cuts (grower_best_cuts.cpp) are found in lists of rows sorted by each column, as in
/// data/block.hpp, or among the rows of a node, ordered by the columns that it draws
/// (grower_rows.cpp); drawn cuts (grower_drawn_cuts.cpp) need no order, only the cells of the
/// node's rows, of names their codes. Best cuts of rows that weigh differently are for
/// grower_rows.cpp, as are drawn ones by entropy.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "treewright/base/huge_pages.hpp"
#include "treewright/base/parallel.hpp"
#include "treewright/base/progress.hpp"
#include "treewright/data/dataset.hpp"
#include "treewright/data/order.hpp"
#include "treewright/forest/fast/bit_home.hpp"
#include "treewright/forest/fast/bits_of_counts.hpp"
#include "treewright/forest/fast/coded_columns.hpp"
#include "treewright/forest/fast/gaps.hpp"
#include "treewright/forest/fast/kernels/class_bits.hpp"
#include "treewright/forest/packed.hpp"
#include "treewright/grow/engines.hpp"
#include "treewright/grow/options.hpp"

namespace treewright::forest {

/// The cells of a column of few values: a byte each, which more rows of share a cache line.
template <class T>
struct FewValues {
    SideVector<std::uint8_t> codes;  ///< by row; empty: the column has many values
    std::vector<T> values;           ///< by code; the last, not a number, of missing cells

    [[nodiscard]] bool any() const { return !codes.empty(); }
    /// Copies the cells of n rows.
    void gather(const std::uint32_t* rows, std::uint32_t n, T* to) const {
        const std::uint8_t* code = codes.data();
        const T* value = values.data();
        for (std::uint32_t i = 0; i < n; ++i) to[i] = value[code[rows[i]]];
    }
};

/// The values of all columns.
template <class T>
struct FastCells {
    FarVector<T> by_column;          ///< of columns of many values
    std::vector<std::size_t> begin;  ///< by column: of its cells
    std::vector<FewValues<T>> few;   ///< by column
    FarVector<T> by_row;             ///< empty where nodes consider few of very many columns
};

/// The lists of a tree of all rows, each once, column by column (sorted_lists.hpp): used up by it.
struct ReadyLists {
    FarVector<std::uint32_t> entries;
    std::vector<char> has_ties;  ///< by column
};

/// Data shared by the trees of a forest.
struct FastData {
    const data::Dataset* data = nullptr;
    grow::Engine engine = grow::Engine::best_cuts;
    std::vector<data::Order> orders;    ///< by column, for best cuts in lists
    std::vector<CodedColumn> coded;     ///< by column, for growing on rows
    BitRows bit_rows;                   ///< the same, if all columns have at most two values
    bool has_names = false;             ///< some columns are nominal
    bool is_weighed = false;            ///< rows weigh differently
    bool is_unpacked = false;           ///< the trees will not stay packed (packed.hpp)
    bool is_shown = false;              ///< for one tree that stands alone (single_tree.hpp)
    bool refines = false;               ///< nodes have finer grids than the root
    std::shared_ptr<ReadyLists> ready;  ///< of such a tree, instead of orders
    std::optional<BitsOfCounts> bits;   ///< best cuts in lists by entropy
    std::optional<ClassBits> classes;   ///< of such a tree with names, to count all rows by
    FastCells<float> singles;           ///< for drawn cuts, if floats hold all values
    FastCells<double> doubles;          ///< the same otherwise
    TableGaps gaps;
};

/// Whether doubles hold every value of an integer column exactly.
[[nodiscard]] bool fits_double(const data::Column& column, std::size_t n_rows);

/// Sorts the columns (or stores the rows for drawn cuts); null if a value is missing and its policy
/// is not served, or if a double does not hold an integer. Of the growers of best cuts the faster
/// one is chosen, unless `engine` is given; `is_weighed`: rows will weigh differently.
[[nodiscard]] std::unique_ptr<FastData> make_fast_data(
    const data::Dataset& data, const grow::GrowOptions& options, Team& team,
    std::optional<grow::Engine> engine = std::nullopt, bool is_weighed = false);

/// The rows of a tree.
struct DrawnRows {
    std::span<const std::uint32_t> copies;  ///< how often each row of the table was drawn
    /// What a row weighs each time, so that sums are exact (data/exact_weights.hpp); empty: 1.
    std::span<const double> weight;

    // NOLINTNEXTLINE(google-explicit-constructor): rows that weigh the same are the usual case
    DrawnRows(const std::vector<std::uint32_t>& copies, std::span<const double> weight = {})
        : copies(copies), weight(weight) {}
};

/// The same for one tree by best cuts, which stands alone.
[[nodiscard]] std::unique_ptr<FastData> make_single_data(const data::Dataset& data,
                                                         const grow::GrowOptions& options,
                                                         Team& team);

/// Grows trees one after the other, in memory that it keeps.
class FastGrower {
public:
    virtual ~FastGrower() = default;
    /// `drawn` says how often each row of the table counts; options.tree is not used. The
    /// tree is the same for any number of threads in the team; `is_caller`: the calling thread
    /// is the one that made `progress`.
    virtual PackedTree grow(const DrawnRows& drawn, std::uint64_t tree, bool is_caller,
                            Team& team) = 0;
};

[[nodiscard]] std::unique_ptr<FastGrower> make_best_cuts_grower(const FastData& shared,
                                                                const grow::GrowOptions& options,
                                                                Progress& progress);
[[nodiscard]] std::unique_ptr<FastGrower> make_rows_grower(const FastData& shared,
                                                           const grow::GrowOptions& options,
                                                           Progress& progress);
[[nodiscard]] std::unique_ptr<FastGrower> make_drawn_cuts_grower(const FastData& shared,
                                                                 const grow::GrowOptions& options,
                                                                 Progress& progress);
[[nodiscard]] std::unique_ptr<FastGrower> make_fast_grower(const FastData& shared,
                                                           const grow::GrowOptions& options,
                                                           Progress& progress);

}  // namespace treewright::forest
