#include <algorithm>
#include <string_view>

#include "bindings.hpp"
#include "treewright/base/error.hpp"
#include "treewright/data/sound_codes.hpp"

using namespace treewright;
using namespace treewright::data;

namespace {

/// `stride` is in bytes.
void append(BoundColumns& self, const std::byte* data, std::size_t n, std::ptrdiff_t stride,
            ValueType type) {
    require(self.rows.columns.empty() || n == self.rows.n_rows, "columns of one length");
    self.rows.n_rows = n;
    Column column;
    column.data = data;
    column.stride = stride;
    column.type = type;
    self.rows.columns.push_back(column);
}

template <class T>
void add_matrix(BoundColumns& self, const nb::ndarray<const T, nb::ndim<2>, nb::device::cpu>& x,
                ValueType type) {
    constexpr auto kSize = static_cast<std::ptrdiff_t>(sizeof(T));
    const auto* base = reinterpret_cast<const std::byte*>(x.data());
    for (std::size_t j = 0; j < x.shape(1); ++j)
        append(self, base + static_cast<std::ptrdiff_t>(j) * x.stride(1) * kSize, x.shape(0),
               x.stride(0) * kSize, type);
    self.owners.push_back(nb::cast(x));
}

/// A flat NumPy array, whose memory is there as long as it is.
struct FlatBuffer {
    const std::byte* data;
    std::size_t n;
    std::ptrdiff_t stride;  ///< in bytes
    char type;              ///< of the struct module
};

/// As its buffer tells: nanobind's own arrays take 3.5 us a column, of small tables a twentieth of
/// `fit`.
FlatBuffer flat_buffer(nb::handle array, std::string_view types) {
    Py_buffer view;
    if (PyObject_GetBuffer(array.ptr(), &view, PyBUF_STRIDES | PyBUF_FORMAT) != 0)
        nb::raise_python_error();
    const std::string_view format = view.format == nullptr ? "B" : view.format;
    const bool is_due =
        view.ndim == 1 && format.size() == 1 && types.find(format[0]) != std::string_view::npos;
    FlatBuffer made{static_cast<const std::byte*>(view.buf), 0, 0, format[0]};
    if (is_due) {
        made.n = static_cast<std::size_t>(view.shape[0]);
        made.stride = view.strides[0];
    }
    PyBuffer_Release(&view);
    if (!is_due) throw nb::type_error("a flat array of the type that is due");
    return made;
}

template <class T>
using Numbers = nb::ndarray<const T, nb::ndim<1>, nb::device::cpu>;
using CodeOfWhole = nb::ndarray<const std::int32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

/// Codes of category numbers by a table of whole numbers, which has -1 where there is no category.
template <class T>
nb::object find_codes(const Numbers<T>& numbers, const CodeOfWhole& code_of_whole,
                      std::int32_t absent, std::int32_t missing) {
    const std::size_t n = numbers.shape(0);
    const auto n_wholes = static_cast<T>(code_of_whole.shape(0));
    std::vector<std::int32_t> codes(n);
    for (std::size_t row = 0; row < n; ++row) {
        const T x = numbers.data()[static_cast<std::ptrdiff_t>(row) * numbers.stride(0)];
        std::int32_t code = std::isnan(x) ? missing : absent;
        if (x >= 0 && x < n_wholes) {
            const auto whole = static_cast<std::uint32_t>(x);
            const std::int32_t found = code_of_whole.data()[whole];
            if (found >= 0 && static_cast<T>(whole) == x) code = found;
        }
        codes[row] = code;
    }
    return to_numpy(std::move(codes));
}

/// A Python function of an array (sets of rows x classes) as the core calls it; what it raises
/// ends the growth.
Impurity impurity_by(const nb::callable& given) {
    return [given](std::span<const double* const> counts, std::size_t n_classes,
                   std::span<double> impurities) {
        const nb::gil_scoped_acquire acquire;
        std::vector<double> lines;
        lines.reserve(counts.size() * n_classes);
        for (const double* line : counts) lines.insert(lines.end(), line, line + n_classes);
        const auto found =
            nb::cast<Flat<double>>(given(to_numpy(std::move(lines), {counts.size(), n_classes})));
        require(found.size() == impurities.size(), "an impurity for every set of rows");
        std::copy(found.data(), found.data() + found.size(), impurities.begin());
    };
}

}  // namespace

Dataset dataset_of(const BoundColumns& columns, const BoundTarget& target) {
    Dataset data;
    data.n_rows = columns.rows.n_rows;
    data.columns = columns.rows.columns;
    data.target.n_outputs = target.n_outputs;
    data.target.n_classes = target.n_classes;
    data.target.classes = span_of(target.classes);
    data.target.values = span_of(target.values);
    data.weight = span_of(target.weight);
    data.case_weight = span_of(target.case_weight);
    data.copies = span_of(target.copies);
    data.target.impurity = target.impurity;
    require(target.n_rows == data.n_rows, "target and columns of one length");
    require(data.weight.empty() || data.weight.size() == data.n_rows, "a weight for every row");
    require(data.case_weight.empty() || data.case_weight.size() == data.n_rows,
            "a case weight for every row");
    require(data.copies.empty() || data.copies.size() == data.n_rows, "copies for every row");
    const std::size_t n_outputs = target.n_classes.size();
    for (std::size_t o = 0; o < n_outputs; ++o) {
        std::uint32_t most = 0;  // negative ones are larger than any
        for (std::size_t i = o; i < data.target.classes.size(); i += n_outputs)
            most = std::max(most, static_cast<std::uint32_t>(data.target.classes[i]));
        require(data.target.classes.empty() || most < target.n_classes[o], "classes there are");
    }
    return data;
}

void bind_data(nb::module_& module) {
    module.def("find_codes", &find_codes<float>, nb::arg("numbers"), nb::arg("code_of_whole"),
               nb::arg("absent"), nb::arg("missing"),
               nb::sig("def find_codes(numbers: NDArray[numpy.float32], code_of_whole: "
                       "NDArray[numpy.int32], absent: int, missing: int) -> NDArray[numpy.int32]"));
    module.def("find_codes", &find_codes<double>, nb::arg("numbers"), nb::arg("code_of_whole"),
               nb::arg("absent"), nb::arg("missing"),
               nb::sig("def find_codes(numbers: NDArray[numpy.float64], code_of_whole: "
                       "NDArray[numpy.int32], absent: int, missing: int) -> NDArray[numpy.int32]"));
    nb::class_<BoundColumns>(module, "Columns", "Typed columns of a table, in order.")
        .def(nb::init<>())
        .def("add_matrix",
             [](BoundColumns& self, nb::ndarray<const float, nb::ndim<2>, nb::device::cpu> x) {
                 add_matrix<float>(self, x, ValueType::f32);
             })
        .def("add_matrix",
             [](BoundColumns& self, nb::ndarray<const double, nb::ndim<2>, nb::device::cpu> x) {
                 add_matrix<double>(self, x, ValueType::f64);
             })
        .def(
            "add_float",
            [](BoundColumns& self, nb::handle array) {
                const FlatBuffer x = flat_buffer(array, "fd");
                append(self, x.data, x.n, x.stride,
                       x.type == 'f' ? ValueType::f32 : ValueType::f64);
                self.owners.push_back(nb::borrow(array));
            },
            nb::arg("values"),
            nb::sig("def add_float(self, values: NDArray[numpy.float32] | NDArray[numpy.float64])"
                    " -> None"))
        .def(
            "add_int",
            [](BoundColumns& self, nb::ndarray<const std::int64_t, nb::ndim<1>, nb::device::cpu> x,
               std::optional<
                   nb::ndarray<const std::uint8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>>
                   known) {
                append(self, reinterpret_cast<const std::byte*>(x.data()), x.shape(0),
                       x.stride(0) * static_cast<std::ptrdiff_t>(sizeof(std::int64_t)),
                       ValueType::i64);
                self.owners.push_back(nb::cast(x));
                if (!known) return;
                require(known->shape(0) == x.shape(0), "a mark for every row");
                self.rows.columns.back().known = known->data();
                self.owners.push_back(nb::cast(*known));
            },
            nb::arg("values"), nb::arg("known").none())
        .def(
            "add_codes",
            [](BoundColumns& self, nb::handle array, std::uint32_t n_codes, bool ordered) {
                const FlatBuffer x = flat_buffer(array, "i");
                require(data::are_between(x.data, x.stride, x.n, kUnseenCode, n_codes),
                        "codes of categories there are");
                append(self, x.data, x.n, x.stride, ValueType::code);
                self.rows.columns.back().scale = ordered ? Scale::ordinal : Scale::nominal;
                self.rows.columns.back().n_codes = n_codes;
                self.owners.push_back(nb::borrow(array));
            },
            nb::arg("codes"), nb::arg("n_codes"), nb::arg("ordered"),
            nb::sig("def add_codes(self, codes: NDArray[numpy.int32], n_codes: int, ordered: bool) "
                    "-> None"))
        .def_prop_ro("n_rows", [](const BoundColumns& self) { return self.rows.n_rows; })
        .def("__len__", [](const BoundColumns& self) { return self.rows.columns.size(); });

    nb::class_<BoundTarget>(module, "Target", "What to learn, and the weight of each row.")
        .def_static(
            "classes",
            [](Flat<std::int32_t> codes, std::vector<std::uint32_t> n_classes) {
                BoundTarget target;
                target.n_rows = codes.shape(0);
                target.n_outputs = n_classes.size();
                require(codes.size() == target.n_rows * target.n_outputs, "codes per output");
                target.classes = std::move(codes);
                target.n_classes = std::move(n_classes);
                return target;
            },
            nb::arg("codes"), nb::arg("n_classes"))
        .def_static(
            "values",
            [](Flat<double> values, std::size_t n_outputs) {
                BoundTarget target;
                target.n_rows = values.shape(0);
                target.n_outputs = n_outputs;
                require(values.size() == target.n_rows * n_outputs, "values per output");
                target.values = std::move(values);
                return target;
            },
            nb::arg("values"), nb::arg("n_outputs"))
        .def("set_weight", [](BoundTarget& self, Flat<double> w) { self.weight = std::move(w); })
        .def("set_case_weight",
             [](BoundTarget& self, Flat<double> w) { self.case_weight = std::move(w); })
        .def("set_copies", [](BoundTarget& self, Flat<double> c) { self.copies = std::move(c); })
        .def(
            "set_impurity",
            [](BoundTarget& self, const nb::callable& given) {
                self.impurity = impurity_by(given);
            },
            nb::arg("given"), nb::sig("def set_impurity(self, given: object) -> None"));
}
