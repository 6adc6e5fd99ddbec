/// Counter-based random numbers: a draw depends on a key and nothing else, so a node draws
/// the same numbers whichever thread reaches it first. Keys are mixed from (seed, tree, path of
/// branches from the root, column).
#pragma once

#include <cstdint>

namespace treewright {

/// splitmix64 finaliser (Steele, Lea, Flood, OOPSLA 2014).
[[gnu::always_inline]] constexpr std::uint64_t mix(std::uint64_t z) {
    z += 0x9e3779b97f4a7c15ULL;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31);
}

[[gnu::always_inline]] constexpr std::uint64_t mix(std::uint64_t key, std::uint64_t part) {
    return mix(mix(key) ^ part);
}

/// A key that many parts are mixed with: mix(key, part) with half the work done.
class Mixed {
public:
    explicit constexpr Mixed(std::uint64_t key) : half(mix(key)) {}
    [[nodiscard]] constexpr std::uint64_t with(std::uint64_t part) const {
        return mix(half ^ part);
    }

    [[nodiscard]] constexpr std::uint64_t value() const { return half; }

private:
    std::uint64_t half;
};

class Generator {
public:
    explicit Generator(std::uint64_t key) : key(key) {}

    std::uint64_t next() { return key.with(counter++); }

    /// Uniform in [0, 1) with 53 random bits.
    double uniform() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }

    /// Uniform in {0, ..., bound - 1}; the bias of at most bound / 2^64 is ignored.
    std::uint64_t below(std::uint64_t bound) {
        __extension__ using Wide = unsigned __int128;
        return static_cast<std::uint64_t>((static_cast<Wide>(next()) * bound) >> 64);
    }

private:
    Mixed key;
    std::uint64_t counter = 0;
};

}  // namespace treewright
