#include "treewright/base/parallel.hpp"

#include <chrono>
#include <system_error>

#include "treewright/base/error.hpp"

namespace treewright {
namespace {

/// How long to spin before sleeping: waking a thread takes some 50 microseconds, and a work
/// item often less. After a while the thread yields the processor between two checks.
constexpr int kLooks = 500;
constexpr int kOffers = 300;
/// How long the calling thread waits for the others between two checks for an interrupt.
constexpr std::chrono::milliseconds kPatience{10};

template <class IsDone>
void look(IsDone&& is_done) {
    for (int i = 0; i < kLooks + kOffers && !is_done(); ++i) {
        if (i >= kLooks) {
            std::this_thread::yield();
            continue;
        }
#if defined(__x86_64__) && defined(__GNUC__)
        __builtin_ia32_pause();
#endif
    }
}

}  // namespace

Team::Team(std::size_t n_threads, Progress& progress) : of_call(progress) {
    // Fewer threads than asked for change nothing but the time it takes.
    start(n_threads);
    if (size() >= n_threads) return;
    const std::size_t n_had = workers.size();
    stop();  // those that could be had hold what the work itself needs, as a rule its memory
    start(1 + n_had / 2);
}

Team::~Team() {
    stop();
}

void Team::start(std::size_t n_threads) {
    is_closing = false;
    try {
        for (std::size_t thread = 1; thread < n_threads; ++thread)
            workers.emplace_back([this, thread] { serve(thread); });
    } catch (const std::system_error&) {
    } catch (const std::bad_alloc&) {
    }
}

void Team::stop() {
    {
        const std::lock_guard lock(mutex);
        is_closing = true;
    }
    wake.notify_all();
    for (std::thread& worker : workers) worker.join();
    workers.clear();
}

void Team::for_each(std::size_t count, const Work& work) {
    if (workers.empty() || count <= 1) {
        for (std::size_t item = 0; item < count; ++item) {
            of_call.check(true);
            work(item, 0);
        }
        return;
    }
    {
        const std::lock_guard lock(mutex);
        job = &work;
        next_item = 0;
        n_items = count;
        failure = nullptr;
        ++generation;
    }
    wake.notify_all();
    drain(0, work);
    {
        const std::lock_guard lock(mutex);
        job = nullptr;  // who has not begun by now is not waited for: nothing is left to do
    }
    wait_for_others();
    if (failure) std::rethrow_exception(failure);
}

void Team::wait_for_others() {
    look([&] { return n_busy.load(std::memory_order_acquire) == 0; });
    std::unique_lock lock(mutex);
    while (!done.wait_for(lock, kPatience, [this] { return n_busy == 0; })) {
        lock.unlock();
        attempt([this] { of_call.check(true); });
        lock.lock();
    }
}

void Team::serve(std::size_t thread) {
    std::size_t seen = 0;
    while (true) {
        look([&] { return generation.load(std::memory_order_relaxed) != seen || is_closing; });
        const Work* work = nullptr;
        {
            std::unique_lock lock(mutex);
            wake.wait(lock, [&] { return is_closing || generation != seen; });
            if (is_closing) return;
            seen = generation;
            if (job == nullptr) continue;  // the others have done it
            work = job;
            ++n_busy;
        }
        drain(thread, *work);
        const std::lock_guard lock(mutex);
        if (--n_busy == 0) done.notify_one();
    }
}

void Team::drain(std::size_t thread, const Work& work) {
    while (true) {
        const std::size_t item = next_item.fetch_add(1);
        if (item >= n_items) return;
        attempt([&] {
            of_call.check(thread == 0);
            work(item, thread);
        });
    }
}

template <class Action>
void Team::attempt(Action&& action) {
    try {
        action();
    } catch (const Interrupted&) {  // stopped by another thread, which has the reason
        fail(std::current_exception(), false);
    } catch (...) {
        fail(std::current_exception(), true);
    }
}

void Team::fail(std::exception_ptr exception, bool is_cause) {
    const std::lock_guard lock(mutex);
    if (!failure || is_cause) failure = std::move(exception);
    next_item = n_items;  // no thread starts another item
}

}  // namespace treewright
