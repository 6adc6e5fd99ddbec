/// One raw column of a table: a read-only, possibly strided view of memory that the caller owns.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace treewright::data {

enum class ValueType : std::uint8_t { f32, f64, i64, code };

/// How a column may be split: cut at a threshold, or divided by its categories.
enum class Scale : std::uint8_t { numeric, ordinal, nominal };

/// Code of a missing category and of an unseen one.
inline constexpr std::int32_t kMissingCode = -1;
inline constexpr std::int32_t kUnseenCode = -2;

struct Column {
    const std::byte* data = nullptr;
    std::ptrdiff_t stride = 0;  ///< bytes from one row to the next
    const std::uint8_t* known =
        nullptr;  ///< i64 only: 0 marks a missing value; null = none missing
    ValueType type = ValueType::f64;
    Scale scale = Scale::numeric;
    std::uint32_t n_codes = 0;  ///< size of the declared domain of a nominal or ordinal column

    template <class T>
    [[nodiscard]] T at(std::size_t row) const {
        return *reinterpret_cast<const T*>(data + static_cast<std::ptrdiff_t>(row) * stride);
    }

    [[nodiscard]] double real(std::size_t row) const {
        return type == ValueType::f32 ? static_cast<double>(at<float>(row)) : at<double>(row);
    }

    /// Whole-number value: an integer column, or the code of an ordinal or nominal one.
    [[nodiscard]] std::int64_t whole(std::size_t row) const {
        return type == ValueType::i64 ? at<std::int64_t>(row) : at<std::int32_t>(row);
    }

    /// A number of a float or integer column as a float64; NaN if missing.
    [[nodiscard]] double number(std::size_t row) const {
        if (is_real()) return real(row);
        return is_missing(row) ? std::numeric_limits<double>::quiet_NaN()
                               : static_cast<double>(whole(row));
    }

    [[nodiscard]] bool is_real() const { return type == ValueType::f32 || type == ValueType::f64; }

    [[nodiscard]] bool is_missing(std::size_t row) const {
        switch (type) {
            case ValueType::f32: return std::isnan(at<float>(row));
            case ValueType::f64: return std::isnan(at<double>(row));
            case ValueType::i64: return known != nullptr && known[row] == 0;
            case ValueType::code: return at<std::int32_t>(row) < 0;
        }
        return false;
    }
};

}  // namespace treewright::data
