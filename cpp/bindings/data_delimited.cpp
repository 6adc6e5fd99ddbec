#include "bindings.hpp"
#include "treewright/data/delimited.hpp"

using namespace treewright;
using namespace treewright::data;

namespace {

/// Delimited text and its rows; keeps the bytes alive.
struct BoundRows {
    nb::bytes text;
    DelimitedRows rows;

    BoundRows(nb::bytes given, std::string delimiter, std::size_t first_line, std::size_t n_columns)
        : text(std::move(given)),
          rows({text.c_str(), text.size()}, std::move(delimiter), first_line, n_columns) {}
};

nb::str to_str(std::string_view utf8) {
    return nb::steal<nb::str>(
        PyUnicode_DecodeUTF8(utf8.data(), static_cast<Py_ssize_t>(utf8.size()), "surrogateescape"));
}

const char* word_for(RowFault fault) {
    switch (fault) {
        case RowFault::width: return "width";
        case RowFault::after_quote: return "after_quote";
        case RowFault::unclosed: return "unclosed";
        case RowFault::large_cell: return "large_cell";
        case RowFault::none: break;
    }
    return "";
}

void require_column(const BoundRows& self, std::size_t column, std::size_t first) {
    if (column >= self.rows.n_columns()) throw nb::index_error("no such column");
    if (first > self.rows.n_rows()) throw nb::index_error("no such row");
}

nb::tuple coded(const BoundRows& self, std::size_t column, std::size_t first) {
    require_column(self, column, first);
    Progress progress = make_progress(std::nullopt);
    auto [codes, distinct] = [&] {
        const nb::gil_scoped_release release;
        return self.rows.coded(column, first, progress);
    }();
    nb::list texts;
    for (const std::string& text : distinct) texts.append(to_str(text));
    return nb::make_tuple(to_numpy(std::move(codes)), texts);
}

nb::object numbers(const BoundRows& self, std::size_t column, std::size_t first,
                   std::vector<std::string> missing, const std::string& decimal,
                   const std::string& thousands) {
    require_column(self, column, first);
    const NumberMarks marks{std::move(missing), decimal == "," ? ',' : '.', thousands};
    Progress progress = make_progress(std::nullopt);
    std::optional<NumberColumn> found;
    {
        const nb::gil_scoped_release release;
        found = self.rows.numbers(column, first, marks, progress);
    }
    if (!found) return nb::none();
    nb::list others;
    for (const OtherText& other : found->others)
        others.append(nb::make_tuple(to_str(other.text), other.n_rows, other.first_row));
    return nb::make_tuple(found->is_whole, found->is_beyond, found->n_numbers,
                          to_numpy(std::move(found->values)), to_numpy(std::move(found->wholes)),
                          to_numpy(std::move(found->present)), others);
}

nb::list texts(const BoundRows& self, std::size_t column, std::size_t first, std::size_t step) {
    require_column(self, column, first);
    nb::list made;
    std::string scratch;
    for (std::size_t row = first; row < self.rows.n_rows(); row += std::max<std::size_t>(step, 1))
        made.append(to_str(self.rows.cell(row, column, scratch)));
    return made;
}

}  // namespace

void bind_data_delimited(nb::module_& module) {
    nb::class_<BoundRows>(module, "DelimitedRows", "Delimited text as cells.")
        .def(nb::init<nb::bytes, std::string, std::size_t, std::size_t>(), nb::arg("text"),
             nb::arg("delimiter"), nb::arg("first_line") = 1, nb::arg("n_columns") = 0)
        .def(
            "read",
            [](BoundRows& self, std::size_t most_rows, bool is_end) {
                Progress progress = make_progress(std::nullopt);
                const nb::gil_scoped_release release;
                self.rows.read(most_rows, is_end, progress);
            },
            nb::arg("most_rows"), nb::arg("is_end"))
        .def_prop_ro("n_rows", [](const BoundRows& self) { return self.rows.n_rows(); })
        .def_prop_ro("n_columns", [](const BoundRows& self) { return self.rows.n_columns(); })
        .def_prop_ro("consumed", [](const BoundRows& self) { return self.rows.consumed(); })
        .def_prop_ro("next_line", [](const BoundRows& self) { return self.rows.next_line(); })
        .def_prop_ro("fault", [](const BoundRows& self) { return word_for(self.rows.fault()); })
        .def_prop_ro("fault_line", [](const BoundRows& self) { return self.rows.fault_line(); })
        .def_prop_ro("fault_width", [](const BoundRows& self) { return self.rows.fault_width(); })
        .def(
            "lines", [](const BoundRows& self) { return to_numpy(self.rows.lines()); },
            nb::sig("def lines(self) -> NDArray[numpy.int64]"))
        .def("texts", &texts, nb::arg("column"), nb::arg("first"), nb::arg("step") = 1,
             nb::sig("def texts(self, column: int, first: int, step: int = 1) -> list[str]"))
        .def(
            "row_texts",
            [](const BoundRows& self, std::size_t first) {
                nb::list made;
                for (std::size_t row = first; row < self.rows.n_rows(); ++row)
                    made.append(to_str(self.rows.row_text(row)));
                return made;
            },
            nb::arg("first"), nb::sig("def row_texts(self, first: int) -> list[str]"))
        .def("coded", &coded, nb::arg("column"), nb::arg("first"),
             nb::sig("def coded(self, column: int, first: int) -> tuple[NDArray[numpy.int32], "
                     "list[str]]"))
        .def("numbers", &numbers, nb::arg("column"), nb::arg("first"), nb::arg("missing"),
             nb::arg("decimal"), nb::arg("thousands"),
             nb::sig("def numbers(self, column: int, first: int, missing: list[str], decimal: str, "
                     "thousands: str) -> tuple[bool, bool, int, NDArray[numpy.float64], "
                     "NDArray[numpy.int64], NDArray[numpy.uint8], list[tuple[str, int, int]]] | "
                     "None"));
}
