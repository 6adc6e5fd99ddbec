#include <vector>

#include "check.hpp"
#include "treewright/base/random.hpp"
#include "treewright/forest/fast/kernels/run_cuts.hpp"
#include "treewright/forest/fast/kernels/scan.hpp"

using namespace treewright;
using namespace treewright::forest;

CASE(wide_loops_over_runs_find_what_the_portable_ones_find) {
    Generator random(41);
    int n_cuts = 0;
    for (std::uint32_t n = 0; n < 70; ++n)
        for (int time = 0; time < 20; ++time) {
            std::vector<double> weight;
            std::vector<double> target;
            double w = 0.0;
            double s = 0.0;
            for (std::uint32_t i = 0; i < n; ++i) {
                w += static_cast<double>(1 + random.below(5)) / 4.0;
                s += static_cast<double>(random.below(9)) - 4.0;
                weight.push_back(w);
                target.push_back(s);
            }
            const double missing = time % 2 == 0 ? 0.0 : 1.5;
            const RunCuts cuts{weight.data(),
                               target.data(),
                               n,
                               time % 4 == 1 ? missing : 0.0,
                               time % 4 == 1 ? 2.0 : 0.0,
                               w + missing,
                               static_cast<double>(random.below(6)) / 2.0,
                               static_cast<double>(random.below(3)),
                               random.uniform() - 0.5};
            const double best = best_of_runs(cuts);
            CHECK(best == best_of_runs_anywhere(cuts));
            n_cuts += best != kNoPlainCut ? 1 : 0;
        }
    CHECK(n_cuts > 500);
}
