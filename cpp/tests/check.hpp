/// As much of a test framework as these tests need: named cases that register themselves.
#pragma once

#include <cmath>
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

#include "treewright/base/progress.hpp"

/// A call that nobody stops.
inline treewright::Progress unstopped(nullptr);

namespace check {

struct Case {
    std::string name;
    std::function<void()> run;
};

inline std::vector<Case>& cases() {
    static std::vector<Case> all;
    return all;
}

inline int& failures() {
    static int count = 0;
    return count;
}

struct Register {
    Register(const char* name, std::function<void()> run) { cases().push_back({name, run}); }
};

inline void that(bool holds, const char* what, const char* file, int line) {
    if (holds) return;
    ++failures();
    std::printf("%s:%d: %s\n", file, line, what);
}

}  // namespace check

#define CHECK(condition) check::that((condition), #condition, __FILE__, __LINE__)
#define CHECK_NEAR(a, b, tolerance) CHECK(std::abs((a) - (b)) <= (tolerance))
#define CASE(name)                                             \
    static void name();                                        \
    static const check::Register register_##name(#name, name); \
    static void name()
