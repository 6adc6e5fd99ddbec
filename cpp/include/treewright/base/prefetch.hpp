/// Memory that will be wanted soon.
#pragma once

namespace treewright {

/// Asks for the cache line of an address. GCC takes a function that does nothing but
/// `__builtin_prefetch` for one without effect and drops the calls of it, hence the second line.
inline void fetch(const void* address) {
    __builtin_prefetch(address);
    asm volatile("");
}

}  // namespace treewright
