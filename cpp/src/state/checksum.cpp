#include "treewright/state/checksum.hpp"

#include <array>
#include <cstddef>
#include <cstring>

#if defined(__x86_64__)
#include <nmmintrin.h>
#endif

namespace treewright::state {

namespace {

constexpr std::uint32_t kPolynomial = 0x82F63B78;  // reflected

/// tables[k][b]: the remainder of byte b followed by k bytes of 0 (Kounavis and Berry 2005).
using Tables = std::array<std::array<std::uint32_t, 256>, 8>;
constexpr Tables make_tables() {
    Tables tables{};
    for (std::uint32_t byte = 0; byte < 256; ++byte) {
        std::uint32_t rest = byte;
        for (int bit = 0; bit < 8; ++bit) rest = (rest >> 1) ^ ((rest & 1) ? kPolynomial : 0);
        tables[0][byte] = rest;
    }
    for (std::size_t k = 1; k < 8; ++k)
        for (std::size_t byte = 0; byte < 256; ++byte) {
            const std::uint32_t before = tables[k - 1][byte];
            tables[k][byte] = (before >> 8) ^ tables[0][before & 0xFF];
        }
    return tables;
}
constexpr Tables kTables = make_tables();

std::uint32_t by_table(std::uint32_t rest, std::span<const unsigned char> bytes) {
    std::size_t i = 0;
    for (; i + 8 <= bytes.size(); i += 8) {
        std::uint64_t eight = 0;
        for (std::size_t k = 0; k < 8; ++k) eight |= std::uint64_t{bytes[i + k]} << (8 * k);
        eight ^= rest;
        rest = 0;
        for (std::size_t k = 0; k < 8; ++k) rest ^= kTables[7 - k][eight >> (8 * k) & 0xFF];
    }
    for (; i < bytes.size(); ++i) rest = (rest >> 8) ^ kTables[0][(rest ^ bytes[i]) & 0xFF];
    return rest;
}

#if defined(__x86_64__)

/// Bytes of one of three streams that are computed side by side: the instruction takes three cycles
/// and can start every cycle.
constexpr std::size_t kStream = 4096;

/// shifts[k][b]: the remainder of byte k of a remainder, b, followed by a stream of 0.
using Shifts = std::array<std::array<std::uint32_t, 256>, 4>;
Shifts make_shifts() {
    const std::array<unsigned char, kStream> zeros{};
    Shifts shifts{};
    for (std::size_t k = 0; k < 4; ++k)
        for (std::uint32_t byte = 0; byte < 256; ++byte)
            shifts[k][byte] = by_table(byte << (8 * k), zeros);
    return shifts;
}

__attribute__((target("sse4.2"))) std::uint32_t by_instruction(
    std::span<const unsigned char> bytes) {
    static const Shifts shifts = make_shifts();
    const auto shifted = [&](std::uint64_t rest) {
        return std::uint64_t{shifts[0][rest & 0xFF] ^ shifts[1][rest >> 8 & 0xFF] ^
                             shifts[2][rest >> 16 & 0xFF] ^ shifts[3][rest >> 24 & 0xFF]};
    };
    const auto eight_at = [&](std::size_t at) {
        std::uint64_t eight = 0;
        std::memcpy(&eight, bytes.data() + at, sizeof eight);
        return eight;
    };
    std::uint64_t rest = 0xFFFFFFFF;
    std::size_t i = 0;
    for (; i + 3 * kStream <= bytes.size(); i += 3 * kStream) {
        std::uint64_t second = 0;
        std::uint64_t third = 0;
        for (std::size_t k = 0; k < kStream; k += 8) {
            rest = _mm_crc32_u64(rest, eight_at(i + k));
            second = _mm_crc32_u64(second, eight_at(i + kStream + k));
            third = _mm_crc32_u64(third, eight_at(i + 2 * kStream + k));
        }
        rest = shifted(shifted(rest) ^ second) ^ third;
    }
    for (; i + 8 <= bytes.size(); i += 8) rest = _mm_crc32_u64(rest, eight_at(i));
    auto last = static_cast<std::uint32_t>(rest);
    for (; i < bytes.size(); ++i) last = _mm_crc32_u8(last, bytes[i]);
    return ~last;
}

#endif

}  // namespace

std::uint32_t checksum_by_table(std::span<const unsigned char> bytes) {
    return ~by_table(0xFFFFFFFF, bytes);
}

std::uint32_t checksum(std::span<const unsigned char> bytes) {
#if defined(__x86_64__)
    if (__builtin_cpu_supports("sse4.2")) return by_instruction(bytes);
#endif
    return checksum_by_table(bytes);
}

}  // namespace treewright::state
