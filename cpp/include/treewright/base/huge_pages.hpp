/// Memory for large arrays with random access: in huge pages of two megabytes, where the system has
/// them, to avoid TLB misses; and not initialised: it is first written by the threads that work on
/// it, instead of being zeroed by one thread.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <new>
#include <utility>
#include <vector>

namespace treewright {

/// Memory that is released by std::free; throws std::bad_alloc.
[[nodiscard]] void* allocate_far(std::size_t bytes);

/// The same for arrays of which there are many: none takes more memory than it asks for. What does
/// not fill a huge page lies in ordinary ones.
[[nodiscard]] void* allocate_side_by_side(std::size_t bytes);

/// Has the system map all pages of some memory that is about to be written from end to end: at
/// once instead of by a page fault each. Where the system cannot do that, nothing happens.
void write_ahead(void* memory, std::size_t bytes);

/// Returns freed memory to the system, where the allocator can: glibc keeps
/// what threads have freed. Worth its milliseconds between two steps that both need much memory.
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
        ::new (static_cast<void*>(at)) U;  // default-initialised: numbers are left unset
    }
    template <class U, class... Arguments>
    void construct(U* at, Arguments&&... arguments) {
        ::new (static_cast<void*>(at)) U(std::forward<Arguments>(arguments)...);
    }
    bool operator==(const FarAllocator&) const = default;
};

template <class T>
using FarVector = std::vector<T, FarAllocator<T>>;

template <class T>
struct SideAllocator : FarAllocator<T> {
    SideAllocator() = default;
    template <class U>
    explicit(false) SideAllocator(const SideAllocator<U>&) {}
    T* allocate(std::size_t n) { return static_cast<T*>(allocate_side_by_side(n * sizeof(T))); }
    bool operator==(const SideAllocator&) const = default;
};

/// One of many far vectors, such as those of all columns.
template <class T>
using SideVector = std::vector<T, SideAllocator<T>>;

}  // namespace treewright
