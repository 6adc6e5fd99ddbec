/// Progress reports and interruption of a long call.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <thread>

#include "treewright/base/error.hpp"

namespace treewright {

/// Shared by the threads of one call. Only the thread that made it calls `ask`; the others check
/// the flag it sets. `is_caller` saves looking up which thread this is where it is known.
class Progress {
public:
    /// `ask` is called at most every 50 ms, on the calling thread; it throws to stop.
    explicit Progress(std::function<void(std::uint64_t rows_done)> ask) : ask(std::move(ask)) {}

    void advance(std::uint64_t rows) { done.fetch_add(rows, std::memory_order_relaxed); }

    void check(bool is_caller) {
        if (stop.load(std::memory_order_relaxed)) throw Interrupted{};
        if (!is_caller || !ask || std::this_thread::get_id() != caller) return;
        const auto now = Clock::now();
        if (now - last < std::chrono::milliseconds(50)) return;
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

}  // namespace treewright
