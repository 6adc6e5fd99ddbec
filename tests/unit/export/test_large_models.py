"""Large models are data and a walker: they compile or load in seconds."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from treewright import GradientBoostingRegressor, RandomForestClassifier, export
from treewright.export.proof.engines.base import Engine, call


@pytest.fixture(scope="module")
def forest() -> Any:
    random = np.random.default_rng(0)
    X = random.normal(size=(12_000, 10))
    y = (X[:, 0] + 2 * random.normal(size=12_000) > 0) + 2 * (random.random(12_000) < 0.2)
    return RandomForestClassifier(n_estimators=190, random_state=0).fit(X, y)


# By a process of its own: a program's peak counts that of the process which started it.
_USED = """
import resource, subprocess, sys
code = subprocess.run(sys.argv[1:]).returncode
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(used.ru_utime + used.ru_stime, used.ru_maxrss)
sys.exit(code)
"""


@pytest.mark.slow
@pytest.mark.alone
@pytest.mark.parametrize("target", ["c", "rust", "javascript"])
def test_a_forest_of_a_million_nodes_compiles_or_loads(
    target: str, forest: Any, tmp_path: Path
) -> None:
    assert forest.ensemble_.trees.n_nodes().sum() > 900_000
    engine_of = export.TARGETS[target].engine
    assert engine_of is not None
    engine: Engine = engine_of(None)
    if engine.version() is None:
        pytest.skip(engine.absent())
    path = tmp_path / f"big{export.TARGETS[target].suffixes[0]}"
    getattr(export, target)(forest, path, proof=False)
    command = {
        "c": ["gcc", "-std=c99", "-O1", "-c", "-o", str(tmp_path / "big.o"), str(path)],
        "rust": ["rustc", "--crate-type=lib", "-o", str(tmp_path / "libbig.rlib"), str(path)],
        "javascript": ["node", "-e", f"require({str(path)!r})"],
    }[target]
    done = subprocess.run([sys.executable, "-c", _USED, *command], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    seconds, kilobytes = map(float, done.stdout.split()[-2:])
    assert seconds < 30.0
    assert kilobytes < 2_000_000


@pytest.mark.slow
@pytest.mark.alone
def test_a_boosted_model_in_c_answers_a_row_in_microseconds(tmp_path: Path) -> None:
    if export.TARGETS["c"].engine(None).version() is None:  # type: ignore[misc]
        pytest.skip("no gcc here")
    random = np.random.default_rng(0)
    X = random.normal(size=(20_000, 20))
    y = 2 * X[:, 0] + np.sin(3 * X[:, 1]) + X[:, 2] * X[:, 3] + random.normal(size=20_000)
    boosted = GradientBoostingRegressor(
        n_estimators=500, max_leaf_nodes=63, max_depth=None, early_stopping=False
    ).fit(X, y)
    export.c(boosted, tmp_path / "boost.c", proof=False)
    main = """
#include "boost.c"
#include <stdio.h>
#include <string.h>
#include <time.h>
int main(void) {
    static double x[2000][20];
    unsigned seed = 1;
    double best = 1e9, sum = 0.0;
    for (int i = 0; i < 2000; ++i)
        for (int j = 0; j < 20; ++j) {
            seed = seed * 1664525u + 1013904223u;
            x[i][j] = seed / 4294967296.0 * 4.0 - 2.0;
        }
    for (int round = 0; round < 400; ++round) {  // a millisecond each: some are undisturbed
        clock_t start = clock();
        for (int i = 0; i < 100; ++i) {
            boost_row row;
            memcpy(&row, x[round % 20 * 100 + i], sizeof row);
            sum += boost_predict(&row);
        }
        double took = (double)(clock() - start) / CLOCKS_PER_SEC * 1e6 / 100;
        if (took < best) best = took;
    }
    printf("%g %g", best, sum);
    return 0;
}
"""
    (tmp_path / "main.c").write_text(main)
    call(["gcc", "-std=c99", "-O2", "-o", tmp_path / "ask", tmp_path / "main.c", "-lm"])
    took = float(call([tmp_path / "ask"]).split()[0])
    assert took < 10.0, took
