/// What the core throws. User errors are found in Python before any C++ runs; an InvariantError
/// means the caller broke a contract of this library.
#pragma once

#include <stdexcept>
#include <string>

namespace treewright {

struct InvariantError : std::logic_error {
    using std::logic_error::logic_error;
};

/// The user asked to stop (Ctrl-C); the binding turns it into KeyboardInterrupt.
struct Interrupted {};

inline void require(bool holds, const char* what) {
    if (!holds) throw InvariantError(what);
}

}  // namespace treewright
