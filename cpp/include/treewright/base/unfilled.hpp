/// Vectors that grow without being filled: large ones are written first by the threads that work
/// on them, instead of one thread that writes zeros nobody reads.
#pragma once

#include <memory>
#include <new>
#include <utility>
#include <vector>

namespace treewright {

template <class T>
struct UnfilledAllocator : std::allocator<T> {
    template <class U>
    struct rebind {
        using other = UnfilledAllocator<U>;
    };
    template <class U>
    void construct(U* at) {
        ::new (static_cast<void*>(at)) U;  // of a number: left as it is
    }
    template <class U, class... Arguments>
    void construct(U* at, Arguments&&... arguments) {
        ::new (static_cast<void*>(at)) U(std::forward<Arguments>(arguments)...);
    }
};

template <class T>
using UnfilledVector = std::vector<T, UnfilledAllocator<T>>;

}  // namespace treewright
