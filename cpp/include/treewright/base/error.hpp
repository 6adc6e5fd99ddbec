/// What the core throws. User errors are found in Python before any C++ runs; an InvariantError
/// means the caller broke a contract of this library.
#pragma once

#include <stdexcept>
#include <string>

namespace treewright {

struct InvariantError : std::logic_error {
    using std::logic_error::logic_error;
};

/// Thrown in the other threads once the calling thread has been told to stop (Ctrl-C).
struct Interrupted {};

inline void require(bool holds, const char* what) {
    if (!holds) throw InvariantError(what);
}

}  // namespace treewright
