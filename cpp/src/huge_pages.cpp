#include "treewright/base/huge_pages.hpp"

#include <new>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace treewright {
namespace {

constexpr std::size_t kHugePage = std::size_t{1} << 21;
constexpr std::size_t kLine = 64;

}  // namespace

void* allocate_far(std::size_t bytes) {
    const bool is_huge = bytes >= kHugePage / 4;
    const std::size_t unit = is_huge ? kHugePage : kLine;
    void* memory = std::aligned_alloc(unit, (bytes + unit - 1) / unit * unit);
    if (memory == nullptr) throw std::bad_alloc();
#ifdef MADV_HUGEPAGE
    if (is_huge) madvise(memory, (bytes + unit - 1) / unit * unit, MADV_HUGEPAGE);
#endif
    return memory;
}

}  // namespace treewright
