"""Models used from several processes and threads at once, and stopped (FAULTS 35-37)."""

from __future__ import annotations

import contextlib
import copy
import multiprocessing
import pickle
import signal
import subprocess
import sys
import textwrap
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import joblib
import numpy as np
import pytest
from sklearn.base import clone

from treewright import (
    AdaBoostClassifier,
    C45Classifier,
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    ExtraTreesRegressor,
    ID3Classifier,
    ObliqueTreeClassifier,
    RandomForestClassifier,
)
from treewright.data.read.table import read_table

pytestmark = pytest.mark.alone

RANDOM = np.random.default_rng(11)
X = RANDOM.normal(size=(20_000, 8)).astype(np.float32)
CLASSES = (X[:, 0] * X[:, 1] + RANDOM.normal(size=len(X)) > 0).astype(np.int64)
VALUES = X[:, 0] * X[:, 1] + RANDOM.normal(size=len(X))


MODELS: dict[str, Any] = {
    "tree": DecisionTreeClassifier(),
    "forest": RandomForestClassifier(n_estimators=6),
    "forest of listed trees": RandomForestClassifier(3, criterion="entropy", max_depth=6),
}
of_every_kind = pytest.mark.parametrize("kind", MODELS)


def fitted(kind: str, n_jobs: int = 2) -> Any:
    return clone(MODELS[kind]).set_params(n_jobs=n_jobs).fit(X, CLASSES)


def learned(model: Any) -> bytes:
    """What a model has learned, bit for bit."""
    trees = model.ensemble_ if hasattr(model, "ensemble_") else [model.tree_]
    arrays = [array for tree in trees for array in tree.arrays.to_dict().values()]
    return b"".join(np.asarray(array).tobytes() for array in arrays)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no fork")
@of_every_kind
def test_a_forked_process_can_predict_and_fit(kind: str) -> None:
    """FAULTS 36: the parent's threads do not exist in the child, and nothing waits for them."""
    model = fitted(kind)
    expected = model.predict(X)  # threads of the parent have worked in fit and here
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # fork beside threads, Python 3.12
        with multiprocessing.get_context("fork").Pool(2) as pool:
            answers = pool.map_async(model.predict, [X, X]).get(timeout=60)
            again = pool.apply_async(clone(model).fit, (X, CLASSES)).get(timeout=60)
    assert all((answer == expected).all() for answer in answers)
    assert learned(again) == learned(model)
    assert (model.predict(X) == expected).all()
    assert learned(clone(model).fit(X, CLASSES)) == learned(model)


@of_every_kind
def test_a_spawned_process_can_predict_and_fit(kind: str) -> None:
    """FAULTS 36."""
    model = fitted(kind)
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        answer = pool.apply_async(model.predict, (X[:500],)).get(timeout=60)
        again = pool.apply_async(clone(model).fit, (X, CLASSES)).get(timeout=60)
    assert (answer == model.predict(X[:500])).all()
    assert learned(again) == learned(model)


@of_every_kind
def test_loky_workers_can_predict_and_fit(kind: str) -> None:
    """FAULTS 36."""
    model = fitted(kind)
    with joblib.parallel_config(backend="loky", n_jobs=2):
        answers = joblib.Parallel()(joblib.delayed(model.predict)(X[:500]) for _ in range(4))
        models = joblib.Parallel()(joblib.delayed(clone(model).fit)(X, CLASSES) for _ in range(2))
    assert all((answer == model.predict(X[:500])).all() for answer in answers)
    assert all(learned(again) == learned(model) for again in models)


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_eight_threads_can_fit_at_once(n_jobs: int) -> None:
    """FAULTS 36."""
    estimators = [
        DecisionTreeClassifier(n_jobs=n_jobs),
        DecisionTreeRegressor(n_jobs=n_jobs),
        C45Classifier(n_jobs=n_jobs),
        DecisionTreeClassifier(missing="surrogates", max_depth=6, n_jobs=n_jobs),
        RandomForestClassifier(n_estimators=4, n_jobs=n_jobs),
        RandomForestClassifier(n_estimators=4, random_state=1, n_jobs=n_jobs),
        ExtraTreesRegressor(n_estimators=4, n_jobs=n_jobs),
        RandomForestClassifier(2, criterion="entropy", max_depth=6, n_jobs=n_jobs),
    ]
    targets = [CLASSES, VALUES, CLASSES, CLASSES, CLASSES, CLASSES, VALUES, CLASSES]
    alone = [learned(clone(model).fit(X, y)) for model, y in zip(estimators, targets, strict=True)]
    with ThreadPoolExecutor(8) as pool:
        jobs = [pool.submit(model.fit, X, y) for model, y in zip(estimators, targets, strict=True)]
        together = [learned(job.result(timeout=120)) for job in jobs]
    assert alone == together


@of_every_kind
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_threads_that_predict_on_one_model_all_get_its_answers(kind: str, n_jobs: int) -> None:
    """FAULTS 37: also when none has predicted before, so that all of them pack the tree."""
    expected = fitted(kind).predict_proba(X)
    model = fitted(kind, n_jobs)
    start = threading.Barrier(8)

    def predict(part: int) -> bool:
        start.wait(timeout=30)
        rows = slice(part * 2_000, (part + 1) * 2_000)
        return all((model.predict_proba(X[rows]) == expected[rows]).all() for _ in range(20))

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(predict, range(8)))


@of_every_kind
def test_a_model_can_be_copied_while_it_predicts(kind: str) -> None:
    """FAULTS 37."""
    model = fitted(kind, 1)
    expected = fitted(kind, 1).predict(X)
    is_done = threading.Event()
    failures: list[BaseException] = []

    def use(work: Any) -> None:
        try:
            while not is_done.is_set():
                work()
        except BaseException as failure:
            failures.append(failure)
            raise

    def predict() -> None:
        assert (model.predict(X) == expected).all()

    threads = [threading.Thread(target=use, args=(predict,)) for _ in range(3)]
    threads.append(threading.Thread(target=use, args=(lambda: str(model._model()),)))
    for thread in threads:
        thread.start()
    try:
        for _ in range(10):
            assert (pickle.loads(pickle.dumps(model)).predict(X) == expected).all()
            assert (copy.deepcopy(model).predict(X) == expected).all()
            assert not hasattr(clone(model), "n_features_in_")
    finally:
        is_done.set()
        for thread in threads:
            thread.join(timeout=60)
    assert not failures


LONG_FIT = """
    import os, pickle, signal, sys, time
    import numpy as np
    import treewright as tw

    def n_threads():  # of the process, not only those that Python knows
        return len(os.listdir("/proc/self/task")) if os.path.exists("/proc/self/task") else 1

    n_jobs, kind = int(sys.argv[1]), sys.argv[2]
    x = np.random.default_rng(0).normal(size=(400_000, 20)).astype(np.float32)
    y = x[:, 0] + np.random.default_rng(1).normal(size=len(x))
    if kind == "chain":  # one column, one long path
        x = np.arange(300_000, dtype=np.float32)[:, np.newaxis]
        y = np.arange(300_000) % 2
        model = tw.DecisionTreeClassifier(n_jobs=n_jobs)
    elif kind == "wide":  # many columns
        model = tw.DecisionTreeRegressor(n_jobs=n_jobs)
    elif kind == "forest":
        y = (y > 0).astype(int)
        model = tw.RandomForestClassifier(5, n_jobs=n_jobs)
    elif kind == "drawn cuts":
        model = tw.ExtraTreesRegressor(5, n_jobs=n_jobs)
    elif kind == "one tree":  # of a forest: threads share it
        x = np.concatenate([x, x])
        y = np.concatenate([y, y[::-1]])
        model = tw.RandomForestRegressor(1, bootstrap=False, n_jobs=n_jobs)
    elif kind == "one tree of drawn cuts":
        x = np.concatenate([x, x])
        y = np.concatenate([y, y[::-1]])
        model = tw.ExtraTreesRegressor(1, n_jobs=n_jobs)
    else:  # trees that are not packed
        y = (y > 0).astype(int)
        model = tw.RandomForestClassifier(5, criterion="entropy", n_jobs=n_jobs)
    n_at_rest = n_threads()  # what is imported with the class may have started some
    before = model.fit(x[:1000], y[:1000])._model()
    answer = model.predict(x[:1000])
    more = {"n_estimators": 1_000} if getattr(model, "n_estimators", 1) > 1 else {}
    kept = pickle.dumps(model.set_params(**more))

    def on_interrupt(number, frame):  # a fit may have ended just before
        if model._model() is before:
            signal.default_int_handler(number, frame)
        print("between two fits", flush=True)

    signal.signal(signal.SIGINT, on_interrupt)
    print("growing", flush=True)
    try:
        while True:
            model.fit(x, y)
            kept, answer = pickle.dumps(model), model.predict(x[:1000])
            before = model._model()
    except KeyboardInterrupt:
        stopped = time.time()
    assert model._model() is before
    assert pickle.dumps(model) == kept
    assert (model.predict(x[:1000]) == answer).all()
    patience = time.time() + 5  # the system lists a thread for a moment after it was joined
    while n_threads() != n_at_rest and time.time() < patience:
        time.sleep(0.01)
    assert n_threads() == n_at_rest
    model.set_params(**dict.fromkeys(more, 2)).fit(x[:1000], y[:1000])
    print(stopped, flush=True)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="signals are sent another way")
@pytest.mark.parametrize(
    ("kind", "n_jobs"),
    [
        *[(kind, n_jobs) for kind in ("chain", "wide", "forest") for n_jobs in "12"],
        ("drawn cuts", "2"),
        ("one tree", "2"),
        ("one tree of drawn cuts", "2"),
        ("listed forest", "2"),
    ],
)
def test_ctrl_c_stops_a_fit_and_leaves_the_estimator_as_it_was(kind: str, n_jobs: str) -> None:
    """FAULTS 35."""
    printed, sent = interrupted(LONG_FIT, n_jobs, kind)
    assert float(printed) - sent < 1.0  # about 0.05 s when the machine is idle


LONG_MEASURE = """
    import time
    import numpy as np
    import treewright as tw

    x = np.random.default_rng(0).normal(size=(100_000, 20)).astype(np.float32)
    model = tw.RandomForestClassifier(10, n_jobs=2).fit(x, x[:, 0] * x[:, 1] > 0)
    print("growing", flush=True)
    try:
        while True:
            model.importances("permutation")
    except KeyboardInterrupt:
        print(time.time(), flush=True)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="signals are sent another way")
def test_ctrl_c_stops_measuring_importances() -> None:
    """FAULTS 35."""
    printed, sent = interrupted(LONG_MEASURE)
    assert float(printed) - sent < 1.0


def interrupted(code: str, *arguments: str) -> tuple[str, float]:
    """Run code, interrupt it once it has said that it is growing; what it says then, and when."""
    with subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(code), *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == "growing\n"
            printed = "between two fits\n"
            while printed == "between two fits\n":
                time.sleep(0.4)
                sent = time.time()
                process.send_signal(signal.SIGINT)
                printed = process.stdout.readline()
            _, complaints = process.communicate(timeout=60)
        finally:
            process.kill()
    assert process.returncode == 0, complaints
    return printed, sent


def large_tree(n_rows: int, n_columns: int = 4) -> tuple[Any, Any]:
    random = np.random.default_rng(0)
    table = random.normal(size=(n_rows, n_columns)).astype(np.float32)
    return DecisionTreeClassifier(n_jobs=1).fit(table, random.integers(0, 2, n_rows)), table


def decision_path() -> Callable[[], Any]:
    model, table = large_tree(200_000)
    model.predict(table[:1])
    return lambda: model.decision_path(table)


def first_prediction() -> Callable[[], Any]:
    model, table = large_tree(1_000_000, 2)

    def predict() -> Any:
        return model.tree_.with_arrays(model.tree_.arrays).predict(table[:1])

    return predict


def oblique_prediction() -> Callable[[], Any]:
    table = np.random.default_rng(0).normal(size=(3_000_000, 4))
    few = table[:2_000]
    model = ObliqueTreeClassifier(n_jobs=1).fit(few, few.sum(axis=1) + few[:, 0] ** 2 > 0)
    return lambda: model.predict(table)


def adaboost_prediction() -> Callable[[], Any]:
    table = np.random.default_rng(0).normal(size=(2_000_000, 8)).astype(np.float32)
    few = table[:2_000]
    classes = np.clip(few[:, 0] * 4, -8, 8).astype(int)  # many: votes are added for each
    model = AdaBoostClassifier(n_estimators=50, n_jobs=1).fit(few, classes)
    return lambda: model.predict(table)


def text_columns() -> Callable[[], Any]:
    random = np.random.default_rng(0)
    words = np.array([f"word {i}" for i in range(200_000)], dtype=object)
    table = words[random.integers(0, len(words), (600_000, 1))]
    return lambda: read_table(table).columns[0]


def many_branches() -> Callable[[], Any]:
    random = np.random.default_rng(0)
    table = random.integers(0, 500, (40_000, 3)).astype(str)
    classes = random.integers(0, 5, len(table))
    return lambda: ID3Classifier(n_jobs=1).fit(table, classes).tree_.arrays.first_child


def pickling() -> Callable[[], Any]:
    model, _ = large_tree(1_000_000, 2)
    return lambda: np.frombuffer(pickle.dumps(model), dtype=np.uint8)


def unpickling() -> Callable[[], Any]:
    model, _ = large_tree(1_000_000, 2)
    kept = pickle.dumps(model)
    return lambda: pickle.loads(kept).tree_.arrays.first_child


LONG_WORK = [
    decision_path,
    first_prediction,
    oblique_prediction,
    adaboost_prediction,
    text_columns,
    many_branches,
]
of_long_work = pytest.mark.parametrize("prepare", LONG_WORK)


@contextmanager
def ticking(tick: Callable[..., None], every: float) -> Iterator[None]:
    before = signal.signal(signal.SIGALRM, tick)
    try:
        signal.setitimer(signal.ITIMER_REAL, every, every)
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


@pytest.mark.skipif(sys.platform == "win32", reason="signals are sent another way")
@of_long_work
def test_signals_are_obeyed_all_the_while(prepare: Callable[[], Callable[[], Any]]) -> None:
    """FAULTS 35: no stretch is long in which Ctrl-C would have to wait."""
    work = prepare()
    times: list[float] = []
    begin = time.perf_counter()
    with ticking(lambda *_: times.append(time.perf_counter()), 0.005):
        work()
    times.append(time.perf_counter())
    longest = np.diff([begin, *times]).max()  # some 0.03 s when the machine is idle
    assert longest < max(0.2, (times[-1] - begin) / 3)


@pytest.mark.skipif(sys.platform == "win32", reason="signals are sent another way")
@of_long_work
def test_what_was_stopped_can_be_done_again(prepare: Callable[[], Callable[[], Any]]) -> None:
    """FAULTS 35."""
    work = prepare()

    def ring(*_: object) -> None:
        raise TimeoutError("rang")

    with pytest.raises(TimeoutError, match="rang"), ticking(ring, 0.01):
        work()
    first, second = work(), work()
    assert (first != second).sum() == 0


@pytest.mark.skipif(sys.platform == "win32", reason="signals are sent another way")
@pytest.mark.parametrize("prepare", [pickling, unpickling])
def test_what_was_stopped_is_freed_soon(prepare: Callable[[], Callable[[], Any]]) -> None:
    """FAULTS 35: Ctrl-C is felt once everything that was made so far is gone.

    Measured in seconds of this process, which do not depend on what else the machine does.
    """
    work = prepare()
    rang = [0.0]

    def ring(*_: object) -> None:
        rang.append(time.process_time())
        raise TimeoutError("rang")

    begin = time.process_time()
    work()
    whole = time.process_time() - begin
    before = signal.signal(signal.SIGPROF, ring)
    try:
        for part in (0.3, 0.6, 0.85):
            with contextlib.suppress(TimeoutError):  # unless it was done sooner this time
                signal.setitimer(signal.ITIMER_PROF, part * whole)
                work()
                rang.append(time.process_time())
            stopped = time.process_time()
            signal.setitimer(signal.ITIMER_PROF, 0)
            assert stopped - rang[-1] < 0.1
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


@pytest.mark.skipif(sys.platform == "win32", reason="signals are sent another way")
@pytest.mark.parametrize("part", [0.4, 0.7, 0.9])
def test_a_tree_of_millions_of_nodes_is_let_go_of_at_once(part: float) -> None:
    """FAULTS 35: its nodes are freed by a thread of their own."""
    random = np.random.default_rng(0)
    table = random.integers(0, 2_000, (60_000, 3)).astype(str)
    classes = random.integers(0, 2, len(table))
    begin = time.perf_counter()
    ID3Classifier().fit(table, classes)
    whole = time.perf_counter() - begin
    rang = []

    def ring(*_: object) -> None:
        rang.append(time.perf_counter())
        raise TimeoutError("rang")

    before = signal.signal(signal.SIGALRM, ring)
    try:
        signal.setitimer(signal.ITIMER_REAL, part * whole)
        with contextlib.suppress(TimeoutError):  # unless it was done sooner this time
            ID3Classifier().fit(table, classes)
            rang.append(time.perf_counter())
        stopped = time.perf_counter()
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert stopped - rang[-1] < 0.1


def test_what_a_signal_handler_raises_is_what_fit_raises() -> None:
    """Faults 35 and 39: a time-out is a TimeoutError, not a KeyboardInterrupt."""

    def ring(*_: object) -> None:
        raise TimeoutError("rang")

    random = np.random.default_rng(0)
    X = random.normal(size=(400_000, 20)).astype(np.float32)
    y = random.integers(0, 2, len(X))
    before = signal.signal(signal.SIGALRM, ring)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.1)
        with pytest.raises(TimeoutError, match="rang"):
            DecisionTreeClassifier(n_jobs=2).fit(X, y)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def test_more_threads_than_can_be_started_are_no_fault() -> None:
    """Fault 38, in part: a thread that cannot be had is done without."""
    code = (
        "import resource, numpy as np\n"
        "from treewright import DecisionTreeClassifier\n"
        "X = np.random.default_rng(0).normal(size=(60_000, 20)); y = (X[:, 0] > 0).astype(int)\n"
        "used = int(open('/proc/self/statm').read().split()[0]) * resource.getpagesize()\n"
        "limit = used + 400 * 2**20\n"
        "resource.setrlimit(resource.RLIMIT_AS, (limit, limit))\n"
        "print(DecisionTreeClassifier(n_jobs=500, max_depth=3).fit(X, y).get_n_leaves())\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
