#include "bindings.hpp"
#include "treewright/base/error.hpp"

using namespace treewright;
using namespace treewright::data;

namespace {

template <class T>
void append(BoundColumns& self, const std::byte* data, std::size_t n, std::ptrdiff_t stride,
            ValueType type) {
    require(self.rows.columns.empty() || n == self.rows.n_rows, "columns of one length");
    self.rows.n_rows = n;
    Column column;
    column.data = data;
    column.stride = stride * static_cast<std::ptrdiff_t>(sizeof(T));
    column.type = type;
    self.rows.columns.push_back(column);
}

template <class T>
void add_matrix(BoundColumns& self, const nb::ndarray<const T, nb::ndim<2>, nb::device::cpu>& x,
                ValueType type) {
    const auto* base = reinterpret_cast<const std::byte*>(x.data());
    for (std::size_t j = 0; j < x.shape(1); ++j)
        append<T>(self,
                  base + static_cast<std::ptrdiff_t>(j) * x.stride(1) *
                             static_cast<std::ptrdiff_t>(sizeof(T)),
                  x.shape(0), x.stride(0), type);
    self.owners.push_back(nb::cast(x));
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

}  // namespace

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
        .def("add_float",
             [](BoundColumns& self, nb::ndarray<const float, nb::ndim<1>, nb::device::cpu> x) {
                 append<float>(self, reinterpret_cast<const std::byte*>(x.data()), x.shape(0),
                               x.stride(0), ValueType::f32);
                 self.owners.push_back(nb::cast(x));
             })
        .def("add_float",
             [](BoundColumns& self, nb::ndarray<const double, nb::ndim<1>, nb::device::cpu> x) {
                 append<double>(self, reinterpret_cast<const std::byte*>(x.data()), x.shape(0),
                                x.stride(0), ValueType::f64);
                 self.owners.push_back(nb::cast(x));
             })
        .def(
            "add_int",
            [](BoundColumns& self, nb::ndarray<const std::int64_t, nb::ndim<1>, nb::device::cpu> x,
               std::optional<
                   nb::ndarray<const std::uint8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>>
                   known) {
                append<std::int64_t>(self, reinterpret_cast<const std::byte*>(x.data()), x.shape(0),
                                     x.stride(0), ValueType::i64);
                self.owners.push_back(nb::cast(x));
                if (!known) return;
                require(known->shape(0) == x.shape(0), "a mark for every row");
                self.rows.columns.back().known = known->data();
                self.owners.push_back(nb::cast(*known));
            },
            nb::arg("values"), nb::arg("known").none())
        .def(
            "add_codes",
            [](BoundColumns& self, nb::ndarray<const std::int32_t, nb::ndim<1>, nb::device::cpu> x,
               std::uint32_t n_codes, bool ordered) {
                std::int32_t least = 0;
                std::int32_t most = -1;
                for (std::size_t row = 0; row < x.shape(0); ++row) {
                    const std::int32_t code =
                        x.data()[static_cast<std::ptrdiff_t>(row) * x.stride(0)];
                    least = std::min(least, code);
                    most = std::max(most, code);
                }
                require(least >= kUnseenCode && static_cast<std::int64_t>(most) < n_codes,
                        "codes of categories there are");
                append<std::int32_t>(self, reinterpret_cast<const std::byte*>(x.data()), x.shape(0),
                                     x.stride(0), ValueType::code);
                self.rows.columns.back().scale = ordered ? Scale::ordinal : Scale::nominal;
                self.rows.columns.back().n_codes = n_codes;
                self.owners.push_back(nb::cast(x));
            },
            nb::arg("codes"), nb::arg("n_codes"), nb::arg("ordered"))
        .def_prop_ro("n_rows", [](const BoundColumns& self) { return self.rows.n_rows; })
        .def("__len__", [](const BoundColumns& self) { return self.rows.columns.size(); });
}
