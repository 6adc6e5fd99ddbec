#include <atomic>
#include <stdexcept>
#include <vector>

#include "check.hpp"
#include "treewright/base/parallel.hpp"

using namespace treewright;

CASE(team_does_every_item_once) {
    for (const std::size_t n_threads : {1, 2, 4}) {
        Team team(n_threads);
        std::vector<std::atomic<int>> done(1000);
        for (int round = 0; round < 20; ++round)
            team.for_each(done.size(), [&](std::size_t item, std::size_t) { ++done[item]; });
        for (const auto& count : done) CHECK(count == 20);
    }
}

CASE(team_survives_an_exception) {
    Team team(3);
    bool thrown = false;
    try {
        team.for_each(100, [](std::size_t item, std::size_t) {
            if (item == 7) throw std::runtime_error("seven");
        });
    } catch (const std::runtime_error&) {
        thrown = true;
    }
    CHECK(thrown);
    std::atomic<int> done{0};
    team.for_each(50, [&](std::size_t, std::size_t) { ++done; });
    CHECK(done == 50);
}
