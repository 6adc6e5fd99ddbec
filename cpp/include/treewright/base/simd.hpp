/// Loops written with GCC's vector extensions, eight doubles wide, compiled three times (AVX-512,
/// AVX2, baseline); the variant is chosen when the library is loaded. Every variant performs the
/// same operations on the same doubles: no FMA (-ffp-contract=off). Functions called by such a loop
/// must be inlined into it, or they are compiled for the baseline alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "treewright/base/lanes.hpp"

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define TREEWRIGHT_SIMD \
    __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define TREEWRIGHT_SIMD
#endif
#if defined(__clang__)
#define TREEWRIGHT_INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#elif defined(__GNUC__)
#define TREEWRIGHT_INDEPENDENT _Pragma("GCC ivdep")
#else
#define TREEWRIGHT_INDEPENDENT  ///< the loop's steps touch different memory
#endif
#define TREEWRIGHT_SIMD_INLINE __attribute__((always_inline)) inline

namespace treewright {

using Doubles = double __attribute__((vector_size(64)));
using Longs = std::int64_t __attribute__((vector_size(64)));

/// Doubles as they are stored in memory. A vector's own alignment depends on what the file is
/// compiled for, so it must not be stored outside the loop.
struct alignas(64) Eight {
    double lane[kLanes];
};

// These are always inlined: no ABI is involved. The name of the warning is GCC's.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpsabi"
#endif
TREEWRIGHT_SIMD_INLINE Doubles load(const Eight& from) {
    Doubles vector;
    std::memcpy(&vector, &from, sizeof vector);
    return vector;
}
TREEWRIGHT_SIMD_INLINE void store(Eight& into, Doubles vector) {
    std::memcpy(&into, &vector, sizeof vector);
}
TREEWRIGHT_SIMD_INLINE Doubles in_every_lane(double x) {
    return Doubles{x, x, x, x, x, x, x, x};
}
/// Always in the same order, whatever the file is compiled for.
TREEWRIGHT_SIMD_INLINE double sum_of_lanes(Doubles v) {
    return ((v[0] + v[4]) + (v[2] + v[6])) + ((v[1] + v[5]) + (v[3] + v[7]));
}
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic pop
#endif

}  // namespace treewright
