/// Memory for large arrays that are read here and there: in pages of two megabytes, where the
/// system has them, so that finding out where a page lies does not take longer than reading it;
/// and not filled: it is written first by the threads that work on it, instead of one thread that
/// writes zeros nobody reads.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <new>
#include <utility>
#include <vector>

namespace treewright {

/// Memory that is released by std::free; throws std::bad_alloc.
[[nodiscard]] void* allocate_far(std::size_t bytes);

/// Has the system lend all pages of some memory that is about to be written from end to end: in one
/// go instead of when each is come across. Where it cannot do that, nothing happens.
void write_ahead(void* memory, std::size_t bytes);

/// Hands memory that is no longer used back to the system, where the allocator can: glibc keeps
/// what threads have freed. Worth its milliseconds between two steps that both need much.
void give_back_memory();

template <class T>
struct FarAllocator {
    using value_type = T;
    FarAllocator() = default;
    template <class U>
    explicit(false) FarAllocator(const FarAllocator<U>&) {}
    T* allocate(std::size_t n) { return static_cast<T*>(allocate_far(n * sizeof(T))); }
    void deallocate(T* memory, std::size_t) { std::free(memory); }
    template <class U>
    void construct(U* at) {
        ::new (static_cast<void*>(at)) U;  // of a number: left as it is
    }
    template <class U, class... Arguments>
    void construct(U* at, Arguments&&... arguments) {
        ::new (static_cast<void*>(at)) U(std::forward<Arguments>(arguments)...);
    }
    bool operator==(const FarAllocator&) const = default;
};

template <class T>
using FarVector = std::vector<T, FarAllocator<T>>;

}  // namespace treewright
