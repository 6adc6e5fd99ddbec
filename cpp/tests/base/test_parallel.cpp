#include <algorithm>
#include <atomic>
#include <chrono>
#include <stdexcept>
#include <thread>
#include <vector>

#include "check.hpp"
#include "treewright/base/parallel.hpp"

using namespace treewright;

CASE(team_does_every_item_once) {
    for (const std::size_t n_threads : {1, 2, 4}) {
        Team team(n_threads, unstopped);
        std::vector<std::atomic<int>> done(1000);
        for (int round = 0; round < 20; ++round)
            team.for_each(done.size(), [&](std::size_t item, std::size_t) { ++done[item]; });
        for (const auto& count : done) CHECK(count == 20);
    }
}

CASE(team_survives_an_exception) {
    Team team(3, unstopped);
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

CASE(team_asks_while_it_waits_for_another_thread) {
    int n_asked = 0;
    Progress progress([&](std::uint64_t) {
        if (++n_asked == 2) throw std::runtime_error("stopped");
    });
    Team team(2, progress);
    if (team.size() < 2) return;  // no second thread could be started
    bool thrown = false;
    std::atomic<int> n_begun{0};
    try {
        team.for_each(100, [&](std::size_t, std::size_t thread) {
            ++n_begun;
            if (thread == 0) return;  // the calling thread has nothing to do but wait
            for (;;) {
                std::this_thread::sleep_for(std::chrono::milliseconds(1));
                progress.check(false);  // throws once the calling thread was told to stop
            }
        });
    } catch (const std::runtime_error&) {
        thrown = true;
    }
    CHECK(thrown || n_begun == 100);  // the other thread may come too late to get an item
}

CASE(blocks_are_checked_between) {
    int n_asked = 0;
    Progress progress([&](std::uint64_t) {
        ++n_asked;
        throw Interrupted{};
    });
    std::size_t n_done = 0;
    bool stopped = false;
    try {
        in_blocks(progress, std::size_t{1} << 20, [&](std::size_t begin, std::size_t end) {
            CHECK(begin == n_done);
            n_done = end;
            std::this_thread::sleep_for(std::chrono::milliseconds(25));
        });
    } catch (const Interrupted&) {
        stopped = true;
    }
    CHECK(stopped);
    CHECK(n_asked == 1);
    CHECK(n_done < std::size_t{1} << 20);
}

CASE(sorting_in_blocks_sorts) {
    for (const std::size_t n : {0, 1, 65536, 65537, 300000}) {
        std::vector<std::uint32_t> values(n);
        for (std::size_t i = 0; i < n; ++i)
            values[i] = static_cast<std::uint32_t>(i * 2654435761U) % 1000;
        std::vector<std::uint32_t> expected = values;
        std::sort(expected.begin(), expected.end());
        sort_in_blocks(unstopped, values.begin(), values.end());
        CHECK(values == expected);
    }
}
