#include "treewright/base/huge_pages.hpp"

#include <cstdint>
#include <new>

#if defined(__linux__)
#include <sys/mman.h>
#endif
#if defined(__GLIBC__)
#include <malloc.h>
#endif

namespace treewright {
namespace {

constexpr std::size_t kHugePage = std::size_t{1} << 21;
constexpr std::size_t kLine = 64;
[[maybe_unused]] constexpr std::uintptr_t kPage = 4096;  ///< at least a common one

/// Memory of which the first part lies in huge pages.
void* allocate(std::size_t bytes, [[maybe_unused]] std::size_t n_huge_pages) {
    const std::size_t unit = n_huge_pages > 0 ? kHugePage : kLine;
    void* memory = std::aligned_alloc(unit, (bytes + unit - 1) / unit * unit);
    if (memory == nullptr) throw std::bad_alloc();
#ifdef MADV_HUGEPAGE
    if (n_huge_pages > 0) madvise(memory, n_huge_pages * kHugePage, MADV_HUGEPAGE);
#endif
    return memory;
}

}  // namespace

void* allocate_far(std::size_t bytes) {
    const bool is_huge = bytes >= kHugePage / 4;
    return allocate(bytes, is_huge ? (bytes + kHugePage - 1) / kHugePage : 0);
}

void* allocate_side_by_side(std::size_t bytes) {
    return allocate(bytes, bytes / kHugePage);
}

void write_ahead([[maybe_unused]] void* memory, [[maybe_unused]] std::size_t bytes) {
#ifdef MADV_POPULATE_WRITE
    const auto begin = (reinterpret_cast<std::uintptr_t>(memory) + kPage - 1) / kPage * kPage;
    const auto end = (reinterpret_cast<std::uintptr_t>(memory) + bytes) / kPage * kPage;
    if (begin < end) madvise(reinterpret_cast<void*>(begin), end - begin, MADV_POPULATE_WRITE);
#endif
}

void give_back_memory() {
#if defined(__GLIBC__)
    malloc_trim(0);
#endif
}

}  // namespace treewright
