/// Prefetching of memory that is needed soon.
#pragma once

#include <cstddef>

namespace treewright {

/// Prefetches the cache line of an address. GCC treats a function that only calls
/// `__builtin_prefetch` as free of effects and drops calls of it, hence the second line.
inline void prefetch(const void* address) {
    __builtin_prefetch(address);
    asm volatile("");
}

/// Prefetches the cache lines of n contiguous values.
template <class T>
void call_for(const T* from, std::size_t n) {
    constexpr std::size_t kLine = 64 / sizeof(T);
    for (std::size_t i = 0; i < n; i += kLine) prefetch(from + i);
    prefetch(from + n - 1);
}

}  // namespace treewright
