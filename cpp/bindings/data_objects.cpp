// Texts among Python objects, and in arrays of text: codes of a column of them, without Python code
// for each row.

#include <algorithm>
#include <array>
#include <cstring>
#include <string_view>

#include "bindings.hpp"
#include "treewright/base/random.hpp"
#include "treewright/data/fixed_texts.hpp"

using namespace treewright;

namespace {

constexpr std::int32_t kMissing = -1;
/// Rows after which to look for a signal: some milliseconds.
constexpr std::size_t kRowsAtATime = std::size_t{1} << 16;

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
    /// The code of a text; nothing where it has half characters, which have no bytes in UTF-8.
    std::optional<std::int32_t> code_of(PyObject* text) {
        // Tables of people have each text as one object, mostly: then its place tells it.
        Seen& seen = recent[reinterpret_cast<std::uintptr_t>(text) / 16 % recent.size()];
        if (seen.text == text) return seen.code;
        Py_ssize_t n = 0;
        const char* bytes = PyUnicode_AsUTF8AndSize(text, &n);
        if (bytes == nullptr) {
            PyErr_Clear();
            return std::nullopt;
        }
        seen = {text, find({bytes, static_cast<std::size_t>(n)}, text)};
        return seen.code;
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
        PyObject* text = nullptr;
        std::int32_t code = kMissing;
    };

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

    std::array<Seen, 512> recent;
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

bool is_gap(PyObject* object) {
    if (object == nullptr || object == Py_None) return true;
    if (!PyFloat_Check(object)) return false;
    const double number = PyFloat_AsDouble(object);
    return number != number;
}

/// Codes and distinct texts; None where something is neither a text, None nor NaN, or all is
/// missing.
nb::object code_objects(nb::handle given) {
    const Objects objects(given);
    Texts texts;
    std::vector<std::int32_t> codes(objects.n);
    for (std::size_t row = 0; row < objects.n; ++row) {
        if (row % kRowsAtATime == kRowsAtATime - 1) {
            if (PyErr_CheckSignals() != 0) nb::raise_python_error();
            texts.forget_places();
        }
        PyObject* object = objects[row];
        if (is_gap(object)) {
            codes[row] = kMissing;
            continue;
        }
        if (!PyUnicode_CheckExact(object)) return nb::none();
        const std::optional<std::int32_t> code = texts.code_of(object);
        if (!code) return nb::none();
        codes[row] = *code;
    }
    if (nb::len(texts.distinct) == 0) return nb::none();
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

}  // namespace

void bind_data_objects(nb::module_& module) {
    module.def("code_fixed_texts", &code_fixed_texts, nb::arg("array"),
               "Codes of the texts of an array in the order of their first rows, and these rows.",
               nb::sig("def code_fixed_texts(array: object) -> tuple[NDArray[numpy.int32], "
                       "NDArray[numpy.int64]]"));
    module.def(
        "code_objects", &code_objects, nb::arg("objects"),
        "Codes of texts in the order of their first rows (-1: None or NaN), and the texts; "
        "None where there is anything else, or no text.",
        nb::sig("def code_objects(objects: object) -> tuple[NDArray[numpy.int32], list[str]] "
                "| None"));
}
