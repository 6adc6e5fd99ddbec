/// Columns as few codes: numbers in bins of about equal weight, categories as they are, and one
/// more code for missing values. Learned once from the training rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "treewright/data/column.hpp"

namespace treewright::boosting {

/// Codes 0 .. n_codes - 1 are values, n_codes is missing. In a column with more categories than two
/// bytes can tell apart, those beyond count as missing.
struct CodedColumn {
    bool is_nominal = false;
    std::uint32_t n_codes = 0;
    /// Numbers: x has code c if cuts[c - 1] < x <= cuts[c]; ascending, n_codes - 1 of them.
    std::vector<double> cuts;
    /// Numbers: the code of the most rows, among those that bins were made from, and its share of
    /// them; 0 if it is not known.
    std::uint32_t fullest = 0;
    double share_of_fullest = 0.0;

    [[nodiscard]] std::uint32_t missing() const { return n_codes; }
    [[nodiscard]] std::uint32_t n_all() const { return n_codes + 1; }
};

inline constexpr std::uint32_t kMostCategories = 65534;

struct Codebook {
    std::vector<CodedColumn> columns;
};

/// Encodes values, many at a time: cuts are a search tree, padded to a full one, so that counting
/// the cuts below a value takes a fixed number of steps without a branch. Up to 255 cuts of floats
/// are searched in registers where the processor has AVX-512.
class Encoder {
public:
    explicit Encoder(const CodedColumn& coded);

    /// The codes of rows [begin, end) of a column; `Code` holds n_codes.
    template <class Code>
    void encode(const data::Column& column, std::size_t begin, std::size_t end, Code* codes) const;

    /// Whether numbers have two codes, and the cut between them.
    [[nodiscard]] bool has_one_cut() const { return !is_nominal && missing == 2; }
    template <class T>
    [[nodiscard]] T first_cut() const {
        if constexpr (sizeof(T) == sizeof(float)) return float_cuts[1];
        else return double_cuts[1];
    }

private:
    template <class T, class Code, class ValueAt>
    void encode_numbers(const std::vector<T>& cuts, std::size_t begin, std::size_t end, Code* codes,
                        ValueAt&& value_at) const;

    bool is_nominal;
    std::uint32_t missing;
    unsigned n_levels;              ///< of the trees of cuts
    std::vector<float> float_cuts;  ///< the first is not used, the second is the root
    std::vector<double> double_cuts;
};

}  // namespace treewright::boosting
