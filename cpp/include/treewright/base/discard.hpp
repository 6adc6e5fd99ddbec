/// Freeing what a call has made when it is stopped. Millions of nodes take longer to free than
/// Ctrl-C should wait, so a thread of their own does it; it touches nothing else, and a process may
/// fork or end meanwhile.
#pragma once

#include <memory>
#include <system_error>
#include <thread>
#include <utility>

namespace treewright {

template <class Made>
void discard(std::unique_ptr<Made> made) {
    try {
        std::thread([made = std::move(made)]() mutable { made.reset(); }).detach();
    } catch (const std::system_error&) {  // no thread can be had: it has been freed here
    }
}

/// Calls fill(*made), which may be stopped.
template <class Made, class Fill>
void fill_or_discard(std::unique_ptr<Made>& made, Fill&& fill) {
    try {
        fill(*made);
    } catch (...) {
        discard(std::move(made));
        throw;
    }
}

}  // namespace treewright
