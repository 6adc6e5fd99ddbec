#include "treewright/state/checksum.hpp"
#include "treewright/state/container.hpp"
#include "treewright/state/json.hpp"

#include "bindings.hpp"

using namespace treewright::state;

namespace {

using Bytes = Flat<std::uint8_t>;

std::span<const unsigned char> bytes_of(const Bytes& given) {
    return {given.data(), given.size()};
}

/// What the core finds wrong becomes a ValueError; who knows the name of the file says it.
template <class Work>
auto translated(Work&& work) {
    try {
        return work();
    } catch (const FormatError& error) {
        throw nb::value_error(error.what());
    }
}

/// Surrogates alone are allowed: Python has texts with them.
nb::object python_text(const std::string& text) {
    return nb::steal(
        PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "surrogatepass"));
}

nb::object python_of(const Json& json, std::size_t i) {
    switch (json[i].kind) {
        case Kind::null: return nb::none();
        case Kind::no: return nb::bool_(false);
        case Kind::yes: return nb::bool_(true);
        case Kind::real: return nb::float_(json.real(i));
        case Kind::text: return python_text(json.text(i));
        case Kind::integer:
            return nb::steal(PyLong_FromString(std::string(json.written(i)).c_str(), nullptr, 10));
        case Kind::list: {
            nb::list list;
            for (std::size_t at = i + 1; at < json[i].end; at = json.behind(at))
                list.append(python_of(json, at));
            return std::move(list);
        }
        default: break;
    }
    nb::dict object;
    for (std::size_t at = i + 1; at < json[i].end; at = json.behind(at + 1))
        object[python_text(json.text(at))] = python_of(json, at + 1);
    return std::move(object);
}

nb::object python_of(const Container& container) {
    nb::list arrays;
    for (const ArrayEntry& array : container.arrays) {
        nb::object packed = nb::none();
        if (array.packed)
            packed = nb::make_tuple(array.packed->dtype, nb::tuple(nb::cast(array.packed->shape)));
        nb::object holds = nb::none();
        if (!array.holds.empty()) holds = nb::cast(array.holds);
        arrays.append(nb::make_tuple(python_text(array.name), array.dtype,
                                     nb::tuple(nb::cast(array.shape)), array.begin, packed, holds));
    }
    return nb::make_tuple(container.format, python_text(container.version),
                          python_text(container.kind), arrays);
}

}  // namespace

void bind_state(nb::module_& module) {
    module.attr("NEWEST_FORMAT") = kNewestFormat;
    module.def(
        "read_json",
        [](Bytes text, std::size_t file_size) {
            return translated([&] {
                const auto bytes = bytes_of(text);
                const std::string_view whole(reinterpret_cast<const char*>(bytes.data()),
                                             bytes.size());
                const Json json(whole, 0, most_object_bytes(file_size));
                return python_of(json, 0);
            });
        },
        nb::arg("text"), nb::arg("file_size"),
        nb::sig("def read_json(text: NDArray[numpy.uint8], file_size: int) -> object"),
        "JSON of a file of this size as Python objects; a ValueError says what is wrong, and "
        "where.");
    module.def(
        "read_head",
        [](Bytes bytes, std::uint64_t file_size) {
            return translated([&] { return python_of(read_head(bytes_of(bytes), file_size)); });
        },
        nb::arg("bytes"), nb::arg("file_size"),
        nb::sig("def read_head(bytes: NDArray[numpy.uint8], file_size: int) -> tuple[int, str, "
                "str, list[tuple[str, str, tuple[int, ...], int, tuple[str, tuple[int, ...]] | "
                "None, str | None]]]"),
        "Format, version, kind and arrays of a model file whose first bytes are given.");
    module.def(
        "head_bytes",
        [](Bytes bytes) { return translated([&] { return head_bytes(bytes_of(bytes)); }); },
        nb::arg("bytes"), nb::sig("def head_bytes(bytes: NDArray[numpy.uint8]) -> int"));
    module.def(
        "read_container",
        [](Bytes bytes) {
            return translated([&] {
                const auto given = bytes_of(bytes);
                Container container;
                {
                    const nb::gil_scoped_release release;
                    container = read_container(given);
                }
                return python_of(container);
            });
        },
        nb::arg("bytes"),
        nb::sig("def read_container(bytes: NDArray[numpy.uint8]) -> tuple[int, str, str, "
                "list[tuple[str, str, tuple[int, ...], int, tuple[str, tuple[int, ...]] | None, "
                "str | None]]]"),
        "Format, version, kind and arrays of a model file, all checksums compared.");
    module.def(
        "checksum",
        [](Bytes bytes) {
            const auto given = bytes_of(bytes);
            const nb::gil_scoped_release release;
            return checksum(given);
        },
        nb::arg("bytes"), nb::sig("def checksum(bytes: NDArray[numpy.uint8]) -> int"),
        "CRC-32C of the bytes.");
}
