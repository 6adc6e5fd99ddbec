/// Which rows of a table have each class, as bits: how many rows have a name and a class is then
/// counted 64 rows at a time. For AVX-512; other processors count row by row (row_runs.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace treewright::forest {

class ClassBits {
public:
    /// Whether the processor we run on has the loops, and a word for each class pays.
    [[nodiscard]] static bool serves(std::uint32_t n_classes);

    ClassBits(std::span<const std::int32_t> class_of_row, std::uint32_t n_classes);

    [[nodiscard]] std::size_t n_rows() const { return n; }
    [[nodiscard]] std::uint32_t n_classes() const { return n_of_classes; }
    /// Whether so many codes are counted faster than row by row.
    [[nodiscard]] bool counts_pay(std::size_t n_codes) const {
        return n_codes * n_of_classes <= kMostPairs;
    }
    /// By code and class, the rows that have both; `codes` are by row, and below n_codes.
    void count(const std::uint8_t* codes, std::size_t n_codes, std::uint32_t* counts) const;

private:
    /// Codes times classes: 64 rows take a comparison a code and a count a pair.
    static constexpr std::size_t kMostPairs = 32;

    std::size_t n;
    std::uint32_t n_of_classes;
    std::vector<std::uint64_t> words;  ///< by block of 64 rows and class
};

}  // namespace treewright::forest
