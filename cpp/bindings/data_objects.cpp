// Texts among Python objects, and in arrays of text: codes of a column of them, without Python code
// for each row.

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <numeric>
#include <string_view>

#include "bindings.hpp"
#include "treewright/base/error.hpp"
#include "treewright/base/parallel.hpp"
#include "treewright/base/prefetch.hpp"
#include "treewright/base/random.hpp"
#include "treewright/base/rows_per_item.hpp"
#include "treewright/data/fixed_texts.hpp"

using namespace treewright;

namespace {

constexpr std::int32_t kMissing = -1;
/// Rows after which to look for a signal: some milliseconds.
constexpr std::size_t kRowsAtATime = std::size_t{1} << 16;
/// Texts of known values that one item of a thread finds, and for which a thread pays: 5 ns each.
constexpr std::size_t kTextsAtATime = std::size_t{1} << 13;
constexpr std::size_t kTextsPerThread = std::size_t{1} << 15;
/// Objects that are prefetched before they are read: a table has them where they were made, far
/// from each other. 41,188 texts, an object each, took 22 ns a text, half of it waiting.
constexpr std::size_t kObjectsAhead = 16;
constexpr std::size_t kBytesOfObject = 64;

std::uint64_t hash_of(std::string_view text) {
    std::uint64_t hash = text.size();
    while (text.size() >= 8) {
        std::uint64_t word = 0;
        std::memcpy(&word, text.data(), 8);
        hash = mix(hash ^ word);
        text.remove_prefix(8);
    }
    std::uint64_t word = 0;
    std::memcpy(&word, text.data(), text.size());
    return mix(hash ^ word);
}

/// The distinct texts so far, in the order in which they came.
class Texts {
public:
    /// Tables of people have each text as one object, mostly: then its place tells it, and the
    /// object is not read. Nothing for an object that was not met lately.
    [[nodiscard]] const std::int32_t* seen(const PyObject* object) const {
        const Seen& last = recent[place_of(object)];
        return last.object == object ? &last.code : nullptr;
    }

    /// The code of a text; nothing where it has half characters, which have no bytes in UTF-8.
    std::optional<std::int32_t> code_of(PyObject* text) {
        const std::optional<std::string_view> bytes = bytes_of(text);
        if (!bytes) return std::nullopt;
        Seen& last = recent[place_of(text)];
        last = {text, find(*bytes, text)};
        return last.code;
    }
    /// Notes an object that is no text.
    void take_for_missing(const PyObject* object) { recent[place_of(object)] = {object, kMissing}; }

    /// Brings the texts in the order of their letters; returns the place of each, nothing where
    /// they came in that order.
    [[nodiscard]] std::vector<std::int32_t> sort() {
        std::vector<std::int32_t> order(known.size());
        std::iota(order.begin(), order.end(), 0);
        // UTF-8 is ordered as its letters are.
        std::sort(order.begin(), order.end(), [&](std::int32_t a, std::int32_t b) {
            return known[static_cast<std::size_t>(a)].bytes <
                   known[static_cast<std::size_t>(b)].bytes;
        });
        if (std::is_sorted(order.begin(), order.end())) return {};
        std::vector<std::int32_t> place(order.size());
        nb::list sorted;
        for (std::size_t i = 0; i < order.size(); ++i) {
            place[static_cast<std::size_t>(order[i])] = static_cast<std::int32_t>(i);
            sorted.append(distinct[static_cast<std::size_t>(order[i])]);
        }
        distinct = sorted;
        return place;
    }

    /// Objects may have gone, and others come to their places.
    void forget_places() { recent.fill({}); }

    nb::list distinct;  ///< keeps the bytes that `known` refers to

private:
    struct Known {
        std::uint64_t hash;
        std::string_view bytes;
    };
    struct Seen {
        const PyObject* object = nullptr;  ///< null: None
        std::int32_t code = kMissing;
    };

    static constexpr std::size_t kMostSeen = 512;
    static std::size_t place_of(const PyObject* object) {
        return reinterpret_cast<std::uintptr_t>(object) / 16 % kMostSeen;
    }

    static std::optional<std::string_view> bytes_of(PyObject* text) {
#ifndef Py_LIMITED_API
        if (PyUnicode_IS_COMPACT_ASCII(text))
            return std::string_view(static_cast<const char*>(PyUnicode_DATA(text)),
                                    static_cast<std::size_t>(PyUnicode_GET_LENGTH(text)));
#endif
        Py_ssize_t n = 0;
        const char* bytes = PyUnicode_AsUTF8AndSize(text, &n);
        if (bytes != nullptr) return std::string_view(bytes, static_cast<std::size_t>(n));
        PyErr_Clear();
        return std::nullopt;
    }

    std::int32_t find(std::string_view bytes, PyObject* text) {
        const std::uint64_t hash = hash_of(bytes);
        std::size_t at = hash & (slots.size() - 1);
        for (; slots[at] != kMissing; at = (at + 1) & (slots.size() - 1)) {
            const Known& other = known[static_cast<std::size_t>(slots[at])];
            if (other.hash == hash && other.bytes == bytes) return slots[at];
        }
        const auto code = static_cast<std::int32_t>(known.size());
        slots[at] = code;
        known.push_back({hash, bytes});
        distinct.append(nb::borrow(text));
        if (2 * known.size() > slots.size()) grow();
        return code;
    }

    void grow() {
        slots.assign(4 * slots.size(), kMissing);
        for (std::size_t code = 0; code < known.size(); ++code) {
            std::size_t at = known[code].hash & (slots.size() - 1);
            while (slots[at] != kMissing) at = (at + 1) & (slots.size() - 1);
            slots[at] = static_cast<std::int32_t>(code);
        }
    }

    std::array<Seen, kMostSeen> recent;
    std::vector<std::int32_t> slots = std::vector<std::int32_t>(256, kMissing);
    std::vector<Known> known;
};

/// The objects of a tuple, a list or an array of objects; it stays as it is while this lives.
class Objects {
public:
    explicit Objects(nb::handle given) {
        if (PyTuple_Check(given.ptr()) || PyList_Check(given.ptr())) {
            whole = nb::steal(PySequence_Tuple(given.ptr()));
            if (!whole.is_valid()) nb::raise_python_error();
            n = nb::len(whole);
            return;
        }
        if (PyObject_GetBuffer(given.ptr(), &view, PyBUF_STRIDES | PyBUF_FORMAT) != 0)
            nb::raise_python_error();
        is_viewed = true;
        if (view.ndim != 1 || view.format == nullptr || std::string_view(view.format) != "O") {
            PyBuffer_Release(&view);
            throw nb::type_error("a list, a tuple or a flat array of objects");
        }
        n = static_cast<std::size_t>(view.shape[0]);
    }
    Objects(const Objects&) = delete;
    Objects& operator=(const Objects&) = delete;
    ~Objects() {
        if (is_viewed) PyBuffer_Release(&view);
    }

    [[nodiscard]] PyObject* operator[](std::size_t i) const {
        if (!is_viewed) return PyTuple_GetItem(whole.ptr(), static_cast<Py_ssize_t>(i));
        PyObject* object = nullptr;  // null: None, in arrays that nothing was written to
        std::memcpy(
            &object,
            static_cast<const char*>(view.buf) + static_cast<std::ptrdiff_t>(i) * view.strides[0],
            sizeof object);
        return object;
    }

    std::size_t n = 0;

private:
    nb::object whole;
    Py_buffer view{};
    bool is_viewed = false;
};

/// Whether something that is no text is None or NaN.
bool is_gap(PyObject* object) {
    if (object == nullptr || object == Py_None) return true;
    if (!PyFloat_Check(object)) return false;
    const double number = PyFloat_AsDouble(object);
    return number != number;
}

/// Codes and distinct texts, in their order up to so many; None where something is neither a text,
/// None nor NaN, or all is missing.
nb::object code_objects(nb::handle given, std::size_t most_sorted) {
    const Objects objects(given);
    Texts texts;
    std::vector<std::int32_t> codes(objects.n);
    std::size_t ahead = 0;  // objects before it have been prefetched, or are not to be read
    for (std::size_t row = 0; row < objects.n; ++row) {
        if (row % kRowsAtATime == kRowsAtATime - 1) {
            if (PyErr_CheckSignals() != 0) nb::raise_python_error();
            texts.forget_places();
        }
        PyObject* object = objects[row];
        if (const std::int32_t* code = texts.seen(object)) {
            codes[row] = *code;
            continue;
        }
        const std::size_t end = std::min(objects.n, row + 1 + kObjectsAhead);
        for (ahead = std::max(ahead, row + 1); ahead < end; ++ahead)
            call_for(reinterpret_cast<const char*>(objects[ahead]), kBytesOfObject);
        if (object == nullptr || !PyUnicode_CheckExact(object)) {
            if (!is_gap(object)) return nb::none();
            texts.take_for_missing(object);
            codes[row] = kMissing;
            continue;
        }
        const std::optional<std::int32_t> code = texts.code_of(object);
        if (!code) return nb::none();
        codes[row] = *code;
    }
    if (nb::len(texts.distinct) == 0) return nb::none();
    if (nb::len(texts.distinct) <= most_sorted) {
        const std::vector<std::int32_t> place = texts.sort();
        if (place.empty()) return nb::make_tuple(to_numpy(std::move(codes)), texts.distinct);
        for (std::int32_t& code : codes)
            if (code != kMissing) code = place[static_cast<std::size_t>(code)];
    }
    return nb::make_tuple(to_numpy(std::move(codes)), texts.distinct);
}

/// The cells of a flat NumPy array of texts (kind U).
class TextCells {
public:
    explicit TextCells(nb::handle array) {
        if (PyObject_GetBuffer(array.ptr(), &view, PyBUF_STRIDES | PyBUF_FORMAT) != 0)
            nb::raise_python_error();
        if (view.ndim != 1 || view.format == nullptr ||
            std::string_view(view.format).find('w') == std::string_view::npos) {
            PyBuffer_Release(&view);
            throw nb::type_error("a flat array of texts");
        }
    }
    TextCells(const TextCells&) = delete;
    TextCells& operator=(const TextCells&) = delete;
    ~TextCells() { PyBuffer_Release(&view); }

    [[nodiscard]] std::size_t size() const { return static_cast<std::size_t>(view.shape[0]); }
    [[nodiscard]] std::size_t n_bytes() const { return static_cast<std::size_t>(view.itemsize); }
    [[nodiscard]] std::ptrdiff_t stride() const { return view.strides[0]; }
    [[nodiscard]] const std::byte* at(std::size_t i) const {
        return static_cast<const std::byte*>(view.buf) + static_cast<std::ptrdiff_t>(i) * stride();
    }

private:
    Py_buffer view{};
};

/// Codes of the texts in the order of their first rows, and these rows.
nb::object code_fixed_texts(nb::handle array) {
    const TextCells cells(array);
    data::FixedTexts texts(cells.n_bytes());
    std::vector<std::int32_t> codes(cells.size());
    for (std::size_t row = 0; row < codes.size(); row += kRowsAtATime) {
        if (PyErr_CheckSignals() != 0) nb::raise_python_error();
        texts.code(cells.at(row), cells.stride(), std::min(kRowsAtATime, codes.size() - row),
                   codes.data() + row);
    }
    std::vector<std::int64_t> rows(texts.first_rows().begin(), texts.first_rows().end());
    return nb::make_tuple(to_numpy(std::move(codes)), to_numpy(std::move(rows)));
}

/// The texts of a domain with their codes, for arrays of texts of the same size.
struct KnownTexts {
    KnownTexts(nb::handle domain, const Flat<std::int32_t>& given)
        : cells(std::make_unique<TextCells>(domain)),
          codes(given.data(), given.data() + given.size()),
          texts(cells->n_bytes()) {
        require(codes.size() == cells->size(), "a code for every text");
        std::vector<std::int32_t> places(codes.size());
        texts.code(cells->at(0), cells->stride(), places.size(), places.data());
        require(texts.first_rows().size() == places.size(), "texts that differ");
    }
    /// The codes of texts; `absent` for those that are not among the known ones.
    void find(const std::byte* first, std::ptrdiff_t stride, std::size_t n, std::int32_t absent,
              std::int32_t* found) const {
        texts.find(first, stride, n, kMissing, found);
        for (std::size_t i = 0; i < n; ++i)
            found[i] = found[i] < 0 ? absent : codes[static_cast<std::size_t>(found[i])];
    }

    std::unique_ptr<TextCells> cells;  // `texts` refers to their memory
    std::vector<std::int32_t> codes;   // by place among the texts
    data::FixedTexts texts;
};

/// Codes of arrays of texts among the texts that are known of each, `absent` for others.
nb::list find_fixed_texts(const std::vector<nb::object>& arrays,
                          const std::vector<const KnownTexts*>& known, std::int32_t absent,
                          std::size_t n_threads) {
    require(arrays.size() == known.size(), "known texts for every array");
    std::vector<std::unique_ptr<TextCells>> cells;
    std::vector<std::vector<std::int32_t>> codes;
    std::size_t n_rows = 0;
    for (const nb::object& array : arrays) {
        cells.push_back(std::make_unique<TextCells>(array));
        n_rows = cells[0]->size();
        require(cells.back()->size() == n_rows, "columns of one length");
        require(cells.back()->n_bytes() == known[cells.size() - 1]->cells->n_bytes(),
                "texts of one size");
        codes.emplace_back(n_rows);
    }
    Progress progress = make_progress(std::nullopt);
    {
        const nb::gil_scoped_release release;
        Team team(std::min(n_threads, n_rows * arrays.size() / kTextsPerThread + 1), progress);
        const std::size_t at_once = rows_per_item(n_rows, kTextsAtATime, team.size());
        const std::size_t n_blocks = (n_rows + at_once - 1) / at_once;
        team.for_each(n_blocks * arrays.size(), [&](std::size_t item, std::size_t) {
            const std::size_t c = item / n_blocks;
            const std::size_t row = item % n_blocks * at_once;
            known[c]->find(cells[c]->at(row), cells[c]->stride(), std::min(at_once, n_rows - row),
                           absent, codes[c].data() + row);
        });
    }
    nb::list found;
    for (std::vector<std::int32_t>& each : codes) found.append(to_numpy(std::move(each)));
    return found;
}

}  // namespace

void bind_data_objects(nb::module_& module) {
    nb::class_<KnownTexts>(module, "KnownTexts", "The texts of a domain with their codes.")
        .def(nb::init<nb::handle, const Flat<std::int32_t>&>(), nb::arg("domain"), nb::arg("codes"),
             nb::sig("def __init__(self, domain: object, codes: NDArray[numpy.int32]) -> None"));
    module.def("find_fixed_texts", &find_fixed_texts, nb::arg("arrays"), nb::arg("known"),
               nb::arg("absent"), nb::arg("n_threads"),
               "Codes of the texts of arrays: their places among the known ones of each.",
               nb::sig("def find_fixed_texts(arrays: list[object], known: list[KnownTexts], "
                       "absent: int, n_threads: int) -> list[NDArray[numpy.int32]]"));
    module.def("code_fixed_texts", &code_fixed_texts, nb::arg("array"),
               "Codes of the texts of an array in the order of their first rows, and these rows.",
               nb::sig("def code_fixed_texts(array: object) -> tuple[NDArray[numpy.int32], "
                       "NDArray[numpy.int64]]"));
    module.def(
        "code_objects", &code_objects, nb::arg("objects"), nb::arg("most_sorted"),
        "Codes of texts (-1: None or NaN), and the texts: in their order or, if they are more than "
        "so many, in that of their first rows; None where there is anything else, or no text.",
        nb::sig("def code_objects(objects: object, most_sorted: int) -> "
                "tuple[NDArray[numpy.int32], list[str]] | None"));
}
