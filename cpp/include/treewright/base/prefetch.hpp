/// Memory that will be wanted soon.
#pragma once

#include <cstddef>

namespace treewright {

/// Asks for the cache line of an address. GCC takes a function that does nothing but
/// `__builtin_prefetch` for one without effect and drops the calls of it, hence the second line.
inline void fetch(const void* address) {
    __builtin_prefetch(address);
    asm volatile("");
}

/// Asks for the cache lines of n values that lie side by side.
template <class T>
void call_for(const T* from, std::size_t n) {
    constexpr std::size_t kLine = 64 / sizeof(T);
    for (std::size_t i = 0; i < n; i += kLine) fetch(from + i);
    fetch(from + n - 1);
}

}  // namespace treewright
