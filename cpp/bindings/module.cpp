#include "bindings.hpp"
#include "treewright/base/error.hpp"

NB_MODULE(_core, module) {
    module.doc() = "Compiled core of treewright: growing trees and predicting with them.";
    nb::register_exception_translator([](const std::exception_ptr& pointer, void*) {
        try {
            std::rethrow_exception(pointer);
        } catch (const treewright::Interrupted&) {
            // PyErr_CheckSignals has set the exception already when the poll was its own.
            if (!PyErr_Occurred()) PyErr_SetNone(PyExc_KeyboardInterrupt);
        }
    });
    bind_columns(module);
    bind_grow(module);
    bind_plan(module);
}
