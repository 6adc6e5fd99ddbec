#include "treewright/forest/fast/kernels/class_bits.hpp"

#include <algorithm>

#include "treewright/base/avx512.hpp"
#include "treewright/base/error.hpp"

namespace treewright::forest {
namespace {

constexpr std::size_t kRows = 64;

#ifdef TREEWRIGHT_AVX512
/// The rows of sixteen that have a class.
TREEWRIGHT_WIDE_INLINE std::uint64_t rows_of(const std::int32_t* classes, std::size_t n,
                                             std::int32_t wanted) {
    const auto ours = static_cast<__mmask16>((1U << n) - 1U);
    return _mm512_mask_cmpeq_epi32_mask(ours, _mm512_maskz_loadu_epi32(ours, classes),
                                        _mm512_set1_epi32(wanted));
}

TREEWRIGHT_WIDE void note_classes(std::span<const std::int32_t> classes, std::uint32_t n_classes,
                                  std::uint64_t* words) {
    constexpr std::size_t kLanes = 16;
    for (std::size_t row = 0; row < classes.size(); row += kLanes)
        for (std::uint32_t k = 0; k < n_classes; ++k)
            words[row / kRows * n_classes + k] |=
                rows_of(classes.data() + row, std::min(kLanes, classes.size() - row),
                        static_cast<std::int32_t>(k))
                << (row % kRows);
}

TREEWRIGHT_WIDE void count_wide(const std::uint8_t* codes, std::size_t n_rows, std::size_t n_codes,
                                const std::uint64_t* words, std::uint32_t n_classes,
                                std::uint32_t* counts) {
    for (std::size_t row = 0; row < n_rows; row += kRows, words += n_classes) {
        const std::size_t left = n_rows - row;
        const __mmask64 ours = left >= kRows ? ~0ULL : (1ULL << left) - 1ULL;
        const __m512i here = _mm512_maskz_loadu_epi8(ours, codes + row);
        for (std::size_t code = 0; code < n_codes; ++code) {
            // Rows beyond the last have no class.
            const std::uint64_t those =
                _mm512_cmpeq_epi8_mask(here, _mm512_set1_epi8(static_cast<char>(code)));
            for (std::uint32_t k = 0; k < n_classes; ++k)
                counts[code * n_classes + k] +=
                    static_cast<std::uint32_t>(__builtin_popcountll(those & words[k]));
        }
    }
}
#endif

}  // namespace

bool ClassBits::serves([[maybe_unused]] std::uint32_t n_classes) {
#ifdef TREEWRIGHT_AVX512
    constexpr std::uint32_t kMostClasses = 8;
    return n_classes <= kMostClasses && has_avx512();
#else
    return false;
#endif
}

ClassBits::ClassBits(std::span<const std::int32_t> class_of_row, std::uint32_t n_classes)
    : n(class_of_row.size()),
      n_of_classes(n_classes),
      words((class_of_row.size() + kRows - 1) / kRows * n_classes, 0) {
    require(serves(n_classes), "a processor that counts by bits");
#ifdef TREEWRIGHT_AVX512
    note_classes(class_of_row, n_classes, words.data());
#endif
}

void ClassBits::count([[maybe_unused]] const std::uint8_t* codes, std::size_t n_codes,
                      std::uint32_t* counts) const {
    std::fill_n(counts, n_codes * n_of_classes, 0U);
#ifdef TREEWRIGHT_AVX512
    count_wide(codes, n, n_codes, words.data(), n_of_classes, counts);
#endif
}

}  // namespace treewright::forest
