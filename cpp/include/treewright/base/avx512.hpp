/// Shared parts of the loops written for AVX-512. They exist beside loops for any processor, which
/// give the same results; the choice is made at run time.
#pragma once

#include <cstdint>

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__SANITIZE_ADDRESS__)
#define TREEWRIGHT_AVX512 1
#include <immintrin.h>

#define TREEWRIGHT_WIDE __attribute__((target("avx512f,avx512dq,avx512bw,avx512vl,bmi2,popcnt")))
#define TREEWRIGHT_WIDE_INLINE \
    __attribute__((target("avx512f,avx512dq,avx512bw,avx512vl,bmi2,popcnt"), always_inline)) inline

namespace treewright {

/// Lanes i, i + 1, ... of sixteen that are below n.
TREEWRIGHT_WIDE_INLINE __mmask16 ours_of(std::uint32_t i, std::uint32_t n) {
    return n - i >= 16 ? __mmask16{0xffff} : static_cast<__mmask16>((1U << (n - i)) - 1U);
}
TREEWRIGHT_WIDE_INLINE __mmask8 lower(std::uint32_t mask) {
    return static_cast<__mmask8>(mask);
}
TREEWRIGHT_WIDE_INLINE __mmask8 upper(std::uint32_t mask) {
    return static_cast<__mmask8>(mask >> 8);
}

/// Whether the processor we run on has AVX-512.
inline bool has_avx512() {
    static const bool has = __builtin_cpu_supports("avx512f") &&
                            __builtin_cpu_supports("avx512dq") &&
                            __builtin_cpu_supports("avx512bw") &&
                            __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("bmi2");
    return has;
}

}  // namespace treewright
#endif
