#include "treewright/boosting/coding/slots.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <iterator>

#include "treewright/boosting/coding/few_codes.hpp"

namespace treewright::boosting {
namespace {

constexpr std::size_t kMostBundles = 64;
/// Codes of a slot of several digits: one for so many rows, since a leaf's histogram is cleared,
/// subtracted and read whatever its rows are, and not fewer than kFewestShared.
constexpr std::size_t kRowsOfACode = 128;
constexpr std::size_t kFewestShared = 16;

/// A slot may be sparse if its rare cells are at most such a share of what its codes would take in
/// the records (bytes, or the part of one that a digit takes): they are listed by four bytes each,
/// and a row of many takes longer to add up.
constexpr double kMostRare = 0.25;
constexpr double kMostRareOfDigit = 0.5;
/// The fewer rows, the more entries of a histogram count, which digits have many of: as so many.
constexpr double kRowsOfEntries = 6000.0;
constexpr double kMostRareOfSmall = 1.5;
/// Bytes of a record that sparse slots must save together, for a row's list takes time of its own.
constexpr double kLeastSaved = 20.0;

/// Columns of few codes without a row in which two differ from their most frequent codes, bundled
/// greedily.
struct Bundler {
    struct Bundle {
        std::vector<std::size_t> members;  ///< of the columns of few codes
        std::vector<std::uint64_t> taken;  ///< rows in which a column is away, a bit each
        std::uint32_t n_codes = 1;         ///< code 0: every column has its most frequent code
    };
    std::vector<Bundle> bundles;

    void add(std::size_t member, const FewCodes& own) {
        const auto& away = own.away;
        for (Bundle& bundle : bundles) {
            if (bundle.n_codes + own.n_kept - 1 > kMostNarrow) continue;
            bool meets = false;
            for (std::size_t w = 0; w < away.size() && !meets; ++w)
                meets = (bundle.taken[w] & away[w]) != 0;
            if (meets) continue;
            for (std::size_t w = 0; w < away.size(); ++w) bundle.taken[w] |= away[w];
            bundle.members.push_back(member);
            bundle.n_codes += own.n_kept - 1;
            return;
        }
        if (bundles.size() < kMostBundles) bundles.push_back({{member}, away, own.n_kept});
    }
};

/// The codes of a slot that digits share.
std::size_t most_shared(std::size_t n_rows) {
    return std::clamp<std::size_t>(std::bit_ceil(n_rows / kRowsOfACode + 1), kFewestShared,
                                   kMostNarrow);
}

}  // namespace

std::vector<Digit> digits_of(const std::vector<FewCodes>& few) {
    std::vector<std::size_t> sparse;
    for (std::size_t i = 0; i < few.size(); ++i)
        if (!few[i].away.empty()) sparse.push_back(i);
    std::ranges::stable_sort(sparse, std::greater{}, [&](std::size_t i) { return few[i].n_away; });
    Bundler bundler;
    for (const std::size_t i : sparse) bundler.add(i, few[i]);
    std::vector<Digit> made;
    std::vector<bool> is_bundled(few.size());
    for (const Bundler::Bundle& bundle : bundler.bundles) {
        if (bundle.members.size() < 2) continue;
        Digit& digit = made.emplace_back(Digit{{}, bundle.n_codes});
        for (const std::size_t i : bundle.members) {
            digit.columns.push_back(few[i].column);
            is_bundled[i] = true;
        }
        std::ranges::sort(digit.columns);
    }
    for (std::size_t i = 0; i < few.size(); ++i)
        if (!is_bundled[i]) made.push_back(Digit{{few[i].column}, few[i].n_kept});
    std::ranges::sort(made, {}, [](const Digit& digit) { return digit.columns.front(); });
    return made;
}

std::vector<Digit> take_sparse(std::vector<Digit>& few, std::vector<Digit>& alone,
                               std::span<const double> rare, std::size_t n_rows) {
    const double bits_of_slot = std::log2(static_cast<double>(most_shared(n_rows)));
    const auto rare_of = [&](const Digit& digit) {
        double sum = 0.0;  // of bundled columns: no row is in two of them
        for (const std::uint32_t c : digit.columns) sum += rare[c];
        return sum;
    };
    const auto bytes_of = [&](const Digit& digit) {
        return std::min(std::log2(static_cast<double>(digit.n_codes)) / bits_of_slot, 1.0);
    };
    const double most_of_digit =
        std::min(kMostRareOfDigit + kRowsOfEntries / static_cast<double>(n_rows), kMostRareOfSmall);
    const auto may_be = [&](const Digit& digit) {
        return rare_of(digit) <= most_of_digit * bytes_of(digit);
    };
    const auto may_be_alone = [&](const Digit& digit) { return rare_of(digit) <= kMostRare; };
    double saved = 0.0;
    for (const Digit& digit : few)
        if (may_be(digit)) saved += bytes_of(digit) - rare_of(digit);
    for (const Digit& digit : alone)
        if (may_be_alone(digit)) saved += 1.0 - rare_of(digit);
    if (saved < kLeastSaved) return {};
    std::vector<Digit> taken;
    const auto take = [&](std::vector<Digit>& from, auto&& is_wanted) {
        const auto rest = std::stable_partition(
            from.begin(), from.end(), [&](const Digit& digit) { return !is_wanted(digit); });
        taken.insert(taken.end(), std::move_iterator(rest), std::move_iterator(from.end()));
        from.erase(rest, from.end());
    };
    take(few, may_be);
    take(alone, may_be_alone);
    return taken;
}

/// Notes the codes of a slot that have each code of a digit.
static void note_codes(const Slot& slot, Digit& digit) {
    digit.in_slot.assign(digit.n_codes, CodeBits{});
    for (std::uint32_t code = 0; code < slot.n_codes; ++code)
        digit.in_slot[digit.of(code)][code / 32] |= 1U << (code % 32);
}

std::vector<Slot> slots_of(std::vector<Digit> digits, std::size_t n_rows) {
    const std::size_t most = most_shared(n_rows);
    std::vector<Slot> slots;
    for (Digit& digit : digits) {
        auto found = std::ranges::find_if(
            slots, [&](const Slot& slot) { return slot.n_codes * digit.n_codes <= most; });
        if (found == slots.end()) found = slots.insert(found, {false, 1, 0, 0, 0, {}});
        digit.place = found->n_codes;
        digit.per_place = (65536 + digit.place - 1) / digit.place;
        digit.per_code = (65536 + digit.n_codes - 1) / digit.n_codes;
        found->n_codes *= digit.n_codes;
        found->digits.push_back(std::move(digit));
    }
    std::ranges::stable_partition(slots, [](const Slot& slot) { return slot.is_shared(); });
    for (Slot& slot : slots)
        if (slot.is_shared())
            for (Digit& digit : slot.digits) note_codes(slot, digit);
    return slots;
}

}  // namespace treewright::boosting
