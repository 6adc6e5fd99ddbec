#include "treewright/boosting/coding/few_codes.hpp"

#include <array>
#include <bit>

#include "treewright/boosting/coding/adjacent.hpp"
#include "treewright/boosting/coding/rare_cells.hpp"
#include "treewright/boosting/row_blocks.hpp"

namespace treewright::boosting {
namespace {

/// A column is worth bundling if at most this share of its rows differs from the most frequent
/// code, and has at most so many codes.
constexpr double kSparse = 0.5;
/// Values of a column that may be a digit without being bundled.
constexpr std::uint32_t kMostOfDigit = 16;

/// Whether a column may share a slot, judged by its first rows.
bool may_share(const data::Column& column, const CodedColumn& coded, const Encoder& encoder,
               std::size_t n_rows) {
    if (coded.n_codes <= kMostOfDigit) return true;
    if (coded.n_all() > kMostOfBundled) return false;
    const std::size_t n_look = std::min(n_rows, kRowsPerBlock);
    std::uint8_t codes[kRowsPerBlock];
    encoder.encode(column, 0, n_look, codes);
    std::array<std::size_t, kMostOfBundled> count{};
    for (std::size_t i = 0; i < n_look; ++i) ++count[codes[i]];
    const auto most = static_cast<double>(*std::ranges::max_element(count));
    return static_cast<double>(n_look) - most <= kSparse * static_cast<double>(n_look);
}

/// Notes which code is the most frequent, whether any row is missing, and which rows are away.
void look_at(FewCodes& own) {
    const std::size_t n_rows = own.codes.size();
    own.away.resize((n_rows + 63) / 64);
    std::array<std::size_t, kMostOfBundled> count{};
    for (std::uint32_t code = 0; code < own.n_kept; ++code) {
        rows_of_others(own.codes.data(), n_rows, static_cast<std::uint8_t>(code), own.away.data());
        count[code] = n_rows;
        for (const std::uint64_t word : own.away)
            count[code] -= static_cast<std::size_t>(std::popcount(word));
    }
    const auto most = std::ranges::max_element(count);
    own.common = static_cast<std::uint32_t>(most - count.begin());
    own.n_away = n_rows - *most;
    if (count[own.n_kept - 1] == 0) --own.n_kept;
    if (static_cast<double>(own.n_away) > kSparse * static_cast<double>(n_rows)) own.away.clear();
    else
        rows_of_others(own.codes.data(), n_rows, static_cast<std::uint8_t>(own.common),
                       own.away.data());
}

/// Encodes columns of few codes, several of two codes at once where they are adjacent.
class FewEncoder {
public:
    FewEncoder(const data::Dataset& data, const std::vector<Encoder>& encoders,
               std::vector<FewCodes>& found)
        : data(data), encoders(encoders), found(found) {
        for (std::size_t i = 0; i < found.size(); i += n_together.back())
            n_together.push_back(n_from(i));
    }

    /// Rows [begin, end).
    void encode(std::size_t begin, std::size_t end) const {
        std::size_t i = 0;
        for (const std::size_t n : n_together) {
            const data::Column& column = data.columns[found[i].column];
            const std::size_t rest = n == 1 ? begin : end - (end - begin) % 8;
            if (rest > begin && column.type == data::ValueType::f32)
                encode_two<float>(column, i, begin, rest);
            else if (rest > begin) encode_two<double>(column, i, begin, rest);
            for (const std::size_t until = i + n; i < until; ++i) {
                FewCodes& one = found[i];
                encoders[one.column].encode(data.columns[one.column], rest, end,
                                            one.codes.data() + rest);
            }
        }
    }

private:
    /// Columns from the i-th on that are encoded together: a full register of them, or one.
    [[nodiscard]] std::size_t n_from(std::size_t i) const {
        const data::Column& first = data.columns[found[i].column];
        if (!first.is_real()) return 1;
        const std::size_t n =
            first.type == data::ValueType::f32 ? kAdjacent<float> : kAdjacent<double>;
        if (i + n > found.size()) return 1;
        for (std::size_t k = i; k < i + n; ++k) {
            if (!encoders[found[k].column].has_one_cut()) return 1;
            if (k > i && !is_next(data.columns[found[k].column], data.columns[found[k - 1].column]))
                return 1;
        }
        return n;
    }

    template <class T>
    void encode_two(const data::Column& column, std::size_t i, std::size_t begin,
                    std::size_t end) const {
        T cuts[kAdjacent<T>];
        std::uint8_t* codes[kAdjacent<T>];
        for (std::size_t k = 0; k < kAdjacent<T>; ++k) {
            cuts[k] = encoders[found[i + k].column].template first_cut<T>();
            codes[k] = found[i + k].codes.data() + begin;
        }
        boosting::encode_two(column, begin, end, cuts, codes);
    }

    const data::Dataset& data;
    const std::vector<Encoder>& encoders;
    std::vector<FewCodes>& found;
    std::vector<std::size_t> n_together;
};

}  // namespace

/// Columns that may share slots; block by block, so that rows are read once for all of them.
std::vector<FewCodes> few_codes_of(const data::Dataset& data, const Codebook& book,
                                   const std::vector<Encoder>& encoders, Team& team) {
    std::vector<FewCodes> found;
    for (std::uint32_t c = 0; c < book.columns.size(); ++c)
        if (may_share(data.columns[c], book.columns[c], encoders[c], data.n_rows))
            found.push_back({c, book.columns[c].n_all(), 0, {}, 0, {}});
    if (found.size() < 2) return {};
    for (FewCodes& one : found) one.codes.resize(data.n_rows);
    const FewEncoder encoder(data, encoders, found);
    by_blocks(data.n_rows, team, [&](std::size_t begin, std::size_t end, std::size_t) {
        by_stretches(begin, end, data.columns.size(),
                     [&](std::size_t from, std::size_t to) { encoder.encode(from, to); });
    });
    team.for_each(found.size(), [&](std::size_t i, std::size_t) { look_at(found[i]); });
    return found;
}

}  // namespace treewright::boosting
