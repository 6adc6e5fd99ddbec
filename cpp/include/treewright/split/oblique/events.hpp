/// The points along a pencil of planes where rows change sides, in ascending order.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <vector>

namespace treewright::split {

/// An event is one word,  alpha : 32 | payload : 31 | rises : 1. Single precision is enough: it
/// decides which planes are tried, not how they are judged. A row that rises is left of planes
/// below its alpha and right of those above.
class Events {
public:
    /// Lists the rows that change sides; `starts(payload, is_left)` is called for all rows with
    /// their side at alpha = -infinity, whether they change or not.
    template <class Starts>
    void collect(const double* value, const double* slope,
                 const std::vector<std::uint32_t>& payload_of_row, Starts&& starts) {
        const std::size_t n = payload_of_row.size();
        alphas.resize(n);
        for (std::size_t row = 0; row < n; ++row)
            alphas[row] = static_cast<float>(-value[row] / slope[row]);
        events.clear();
        for (std::size_t row = 0; row < n; ++row) {
            const bool rises = slope[row] > 0.0;
            if (std::abs(alphas[row]) < kFar) {  // false for NaN too
                events.push_back(key_of(alphas[row] + 0.0F) << 32 |
                                 std::uint64_t{payload_of_row[row]} << 1 | std::uint64_t{rises});
                starts(payload_of_row[row], rises);
            } else {
                starts(payload_of_row[row], value[row] <= 0.0);
            }
        }
    }

    /// By radix: 8 bits at a time for few events, 11 for many.
    void sort() {
        if (events.size() < 64) std::sort(events.begin(), events.end());
        else if (events.size() < 4096) sort_digits<8>();
        else sort_digits<11>();
    }
    [[nodiscard]] const std::vector<std::uint64_t>& sorted() const { return events; }

    [[nodiscard]] static std::uint32_t payload(std::uint64_t event) {
        return static_cast<std::uint32_t>(event) >> 1;
    }
    [[nodiscard]] static bool rises(std::uint64_t event) { return (event & 1) != 0; }
    [[nodiscard]] static bool differ(std::uint64_t one, std::uint64_t other) {
        return one >> 32 != other >> 32;
    }
    /// A number between an event and the one before it; well outside all events at both ends.
    [[nodiscard]] double alpha_before(std::size_t i) const {
        if (events.empty()) return 0.0;
        if (i == 0) return alpha(events[0]) - 1.0 - std::abs(alpha(events[0]));
        const double last = alpha(events[i - 1]);
        return i == events.size() ? last + 1.0 + std::abs(last) : (last + alpha(events[i])) / 2.0;
    }

private:
    static constexpr float kFar = 1e30F;  // a row that crosses beyond does not cross

    [[nodiscard]] static double alpha(std::uint64_t event) {
        const auto key = static_cast<std::uint32_t>(event >> 32);
        return std::bit_cast<float>(key & kSign ? key ^ kSign : ~key);
    }
    /// Orders as the number does.
    [[nodiscard]] static std::uint64_t key_of(float alpha) {
        const auto bits = std::bit_cast<std::uint32_t>(alpha);
        return bits & kSign ? ~bits : bits ^ kSign;
    }
    static constexpr std::uint32_t kSign = 0x80000000U;

    template <int kBits>
    void sort_digits() {
        constexpr int kPasses = (32 + kBits - 1) / kBits;
        constexpr std::uint32_t kDigits = 1U << kBits;
        starts.assign(kPasses * kDigits, 0);
        const auto digit = [](std::uint64_t event, int pass) {
            return static_cast<std::uint32_t>(event >> (32 + kBits * pass)) & (kDigits - 1);
        };
        for (const std::uint64_t event : events)
            for (int pass = 0; pass < kPasses; ++pass)
                ++starts[static_cast<std::uint32_t>(pass) * kDigits + digit(event, pass)];
        spare.resize(events.size());
        for (int pass = 0; pass < kPasses; ++pass) {
            std::uint32_t* start = starts.data() + static_cast<std::uint32_t>(pass) * kDigits;
            std::uint32_t at = 0;
            for (std::uint32_t d = 0; d < kDigits; ++d) {
                const std::uint32_t count = start[d];
                start[d] = at;
                at += count;
            }
            for (const std::uint64_t event : events) spare[start[digit(event, pass)]++] = event;
            events.swap(spare);
        }
    }

    std::vector<float> alphas;
    std::vector<std::uint64_t> events;
    std::vector<std::uint64_t> spare;
    std::vector<std::uint32_t> starts;
};

}  // namespace treewright::split
