/// A thread pool for the duration of one call. No thread outlives the call that made its Team, so a
/// process may fork between calls, and an exception leaves no thread running. Waiting threads spin
/// for a moment before they sleep: waking a thread costs more than most work items.
///
/// Every loop of a team obeys Ctrl-C: `progress` is checked before each item, and by the calling
/// thread while it waits for the others. So an item should take a few milliseconds at most, or
/// check on its own.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "treewright/base/progress.hpp"

namespace treewright {

class Team {
public:
    /// `n_threads` counts the calling thread, which works too.
    Team(std::size_t n_threads, Progress& progress);
    ~Team();
    Team(const Team&) = delete;
    Team& operator=(const Team&) = delete;

    [[nodiscard]] std::size_t size() const { return workers.size() + 1; }
    /// For items that check on their own.
    [[nodiscard]] Progress& progress() { return of_call; }

    using Work = std::function<void(std::size_t item, std::size_t thread)>;

    /// Calls work(item, thread) for every item in [0, n_items), each exactly once. Items are handed
    /// out in order; thread 0 is the caller. Rethrows the first exception after all have stopped.
    /// A thread that the system has not let run by then is not waited for: on a machine with other
    /// work that would take longer than the items.
    void for_each(std::size_t n_items, const Work& work);

private:
    /// Starts threads as long as they can be had.
    void start(std::size_t n_threads);
    void stop();
    void serve(std::size_t thread);
    void drain(std::size_t thread, const Work& work);
    /// Does work; what it throws ends the loop.
    template <class Action>
    void attempt(Action&& action);
    void fail(std::exception_ptr exception, bool is_cause);
    /// Waits until no other thread works.
    void wait_for_others();

    Progress& of_call;
    std::vector<std::thread> workers;
    std::mutex mutex;
    std::condition_variable wake;
    std::condition_variable done;
    const Work* job = nullptr;  ///< null once its items are handed out
    std::atomic<std::size_t> next_item{0};
    std::size_t n_items = 0;
    std::atomic<std::size_t> n_busy{0};
    std::atomic<std::size_t> generation{0};
    std::atomic<bool> is_closing{false};
    std::exception_ptr failure;
};

}  // namespace treewright
