#include "check.hpp"

int main() {
    for (const check::Case& each : check::cases()) {
        const int before = check::failures();
        each.run();
        if (check::failures() > before) std::printf("FAILED %s\n", each.name.c_str());
    }
    std::printf("%zu cases, %d failures\n", check::cases().size(), check::failures());
    return check::failures() == 0 ? 0 : 1;
}
