/// Progress reports and interruption of a long call.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <thread>

#include "treewright/base/error.hpp"

namespace treewright {

/// Shared by the threads of one call. Only the thread that made it calls `ask`; the others check
/// the flag it sets. `is_caller` saves looking up which thread this is where it is known.
class Progress {
public:
    /// `ask` is called at most every 20 ms, on the calling thread; it throws to stop.
    explicit Progress(std::function<void(std::uint64_t rows_done)> ask) : ask(std::move(ask)) {}

    void advance(std::uint64_t rows) { done.fetch_add(rows, std::memory_order_relaxed); }

    void check(bool is_caller) {
        if (stop.load(std::memory_order_relaxed)) throw Interrupted{};
        if (!is_caller || !ask || std::this_thread::get_id() != caller) return;
        const auto now = Clock::now();
        if (now - last < std::chrono::milliseconds(20)) return;
        last = now;
        try {
            ask(done.load(std::memory_order_relaxed));
        } catch (...) {
            stop = true;
            throw;
        }
    }

private:
    using Clock = std::chrono::steady_clock;
    std::thread::id caller = std::this_thread::get_id();
    std::function<void(std::uint64_t)> ask;
    std::atomic<std::uint64_t> done{0};
    std::atomic<bool> stop{false};
    Clock::time_point last = Clock::now();
};

/// Calls work(begin, end) for blocks of [0, n) in order, with a check between two of them: few
/// rows pay nothing for it. A block takes a few milliseconds.
template <class Work>
void in_blocks(Progress& progress, std::size_t n, Work&& work) {
    constexpr std::size_t kBlock = 1 << 16;
    for (std::size_t begin = 0; begin < n; begin += kBlock) {
        if (begin > 0) progress.check(true);
        work(begin, n - begin < kBlock ? n : begin + kBlock);
    }
}

/// Sorts as std::sort does, with a check between blocks that are sorted and then merged.
template <class Iterator, class Less = std::less<>>
void sort_in_blocks(Progress& progress, Iterator first, Iterator last, Less less = {}) {
    const auto n = static_cast<std::size_t>(last - first);
    const auto at = [&](std::size_t i) { return first + static_cast<std::ptrdiff_t>(i); };
    std::size_t sorted = 0;  // length of the stretches that are
    in_blocks(progress, n, [&](std::size_t begin, std::size_t end) {
        std::sort(at(begin), at(end), less);
        sorted = std::max(sorted, end - begin);
    });
    for (; sorted < n; sorted *= 2)
        for (std::size_t begin = 0; begin + sorted < n; begin += 2 * sorted) {
            progress.check(true);
            std::inplace_merge(at(begin), at(begin + sorted), at(std::min(n, begin + 2 * sorted)),
                               less);
        }
}

}  // namespace treewright
