"""Model files with something altered, seeded: bytes anywhere, or values with all checksums right.

    python tests/model_mutations.py --n 1000000      what `make fuzz` runs: both kinds, all models

A mutant is loaded and, if it loads, asked. It may be refused with a ModelFormatError or answer;
it may not raise anything else while it is loaded, take a second or much memory, or end the process.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import signal
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pandas as pd

import treewright as tw
from treewright.errors import ModelFormatError
from treewright.persist.files import model_of, state_of_model
from treewright.state.container import container_pieces
from treewright.state.files import told_of
from treewright.state.json_twin import twin_bytes
from treewright.state.model_state import ModelState

SECONDS = 1.0
"""Of processor time, in which a mutant is refused or has answered."""
_INTERESTING = (0, 1, 2, 7, 8, 127, 128, 255)
_WORDS = (
    *("0", "-1", "1", "255", "65536", "2147483648", "4294967296", "9223372036854775807"),
    *("18446744073709551616", "1e308", "-0.0", "1e999", "null", "true", "[]", "{}", '""', '"x"'),
    *('"U8"', '"F64"', '"I64"', '"BOOL"', '{"is":0}', '{"is":1}', '{"float":"nan"}'),
)
_PLAIN_WORDS = tuple(word for word in _WORDS if word not in ("1e999", "-0.0"))


@cache
def tables() -> tuple[Any, Any, Any]:
    """Return a table of numbers and categories, classes and numbers to learn."""
    generator = np.random.default_rng(0)
    table = pd.DataFrame(
        {
            "size": generator.normal(size=40),
            "colour": generator.choice(["red", "green", "blue"], 40),
            "made": pd.date_range("2020-01-01", periods=40),
        }
    )
    table.loc[::9, "size"] = np.nan
    score = np.nan_to_num(table["size"].to_numpy()) + (table["colour"] == "red")
    return table, np.where(score > 0.4, "yes", "no"), score.to_numpy()


def models() -> dict[str, Any]:
    """Return small models of every form that a file can have."""
    table, classes, numbers = tables()
    plain = np.nan_to_num(table[["size"]].to_numpy())
    small: dict[str, Any] = {"n_estimators": 3, "max_depth": 3, "random_state": 0}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return {
            "tree": tw.C45Classifier().fit(table, classes),
            "surrogates": tw.CARTClassifier(min_samples_split=4).fit(table, classes),
            "model tree": tw.M5Regressor().fit(table[["size", "colour"]], numbers),
            "oblique": tw.ObliqueTreeClassifier(max_depth=3).fit(
                np.column_stack([plain, numbers]), classes
            ),
            "packed forest": tw.RandomForestClassifier(**small).fit(plain, classes),
            "listed forest": tw.RandomForestRegressor(**small).fit(table, numbers),
            "boosting": tw.GradientBoostingClassifier(**small).fit(table, classes),
            "stumps": tw.AdaBoostClassifier(n_estimators=4).fit(table, classes),
            "rules": tw.RuleSet.of_tree(tw.C45Classifier().fit(table, classes).tree_),
            "learned rules": tw.C45RulesClassifier().fit(table, classes),
            "stack": tw.StackingClassifier(
                [("a", tw.ID3Classifier()), ("b", tw.CARTClassifier())],
            ).fit(table[["colour", "made"]], classes),
            "bins": tw.Discretizer().fit(table[["size"]], classes),
        }


def altered_bytes(data: bytes, generator: np.random.Generator) -> bytes:
    """Return bytes with one to four alterations anywhere."""
    whole = bytearray(data)
    for _ in range(int(generator.integers(1, 5))):
        place = int(generator.integers(len(whole) + 1))
        way = int(generator.integers(8))
        if way == 0 and place < len(whole):
            whole[place] ^= 1 << int(generator.integers(8))
        elif way == 1 and place < len(whole):
            whole[place] = int(generator.choice(_INTERESTING))
        elif way == 2:
            whole[place:place] = generator.bytes(int(generator.integers(1, 9)))
        elif way == 3:
            del whole[place : place + int(generator.integers(1, 17))]
        elif way == 4:
            del whole[place:]
        elif way == 5:
            word = _WORDS[int(generator.integers(len(_WORDS)))].encode()
            whole[place : place + int(generator.integers(0, 6))] = word
        elif way == 6:
            other = int(generator.integers(len(whole) + 1))
            whole[place:place] = whole[other : other + int(generator.integers(1, 65))]
        elif len(whole) >= 8:
            whole[:8] = int(generator.integers(0, 1 << 62)).to_bytes(8, "little")
        if not whole:
            break
    return bytes(whole)


def altered_state(state: ModelState, generator: np.random.Generator) -> ModelState:
    """Return a state with some values or entries of arrays altered; its file is whole."""
    model = json.loads(json.dumps(state.model))
    arrays = dict(state.arrays)
    for _ in range(int(generator.integers(1, 4))):
        if arrays and generator.random() < 0.4:
            name = list(arrays)[int(generator.integers(len(arrays)))]
            arrays[name] = _altered_array(arrays[name], generator)
        else:
            _alter_value(model, generator)
    return ModelState(
        kind=state.kind, version=state.version, about=state.about, model=model, arrays=arrays
    )


def _altered_array(array: Any, generator: np.random.Generator) -> Any:
    way = int(generator.integers(6))
    flat = array.reshape(-1).copy()
    if way == 0:
        return flat[: int(generator.integers(len(flat) + 1))]
    if way == 1:
        return flat.astype(generator.choice(["f8", "i4", "u1", "i8", "?"]))
    if way == 2:
        return array.reshape(-1, 1)
    place = int(generator.integers(len(flat))) if len(flat) else 0
    if len(flat):
        if flat.dtype.kind == "f":
            flat[place] = generator.choice([np.nan, np.inf, -np.inf, -1.0, 1e300, 0.0])
        elif flat.dtype.kind == "b":
            flat[place] = not flat[place]
        else:
            limits = np.iinfo(flat.dtype)
            near = int(np.clip(int(flat[place]) + int(generator.integers(-3, 4)), 0, limits.max))
            flat[place] = [0, 1, limits.max, limits.min, near][int(generator.integers(5))]
    return flat.reshape(array.shape)


def _place(model: Any, generator: np.random.Generator) -> tuple[Any, Any]:
    """Return a container among the values, and the key of one of its entries."""
    at: Any = model
    key: Any = "objects" if "objects" in model else next(iter(model))
    while isinstance(at[key], dict | list) and at[key] and generator.random() < 0.85:
        at = at[key]
        keys = list(at) if isinstance(at, dict) else range(len(at))
        key = keys[int(generator.integers(len(keys)))]
    return at, key


def _alter_value(model: Any, generator: np.random.Generator) -> None:
    if not model:
        return
    at, key = _place(model, generator)
    way = int(generator.integers(6))
    other_at, other = _place(model, generator)
    if way == 0:
        at[key] = json.loads(_PLAIN_WORDS[int(generator.integers(len(_PLAIN_WORDS)))])
    elif way == 1 and isinstance(at[key], int | float):
        at[key] = at[key] + int(generator.integers(-2, 3))
    elif way == 2:
        at[key] = json.loads(json.dumps(other_at[other]))
    elif way == 3:
        del at[key]
    elif way == 4 and isinstance(at, dict):
        at[str(other)] = at.pop(key)
    elif isinstance(at[key], list) and at[key]:
        at[key].append(at[key][0])


def ask(model: Any) -> None:
    """Ask a model whatever a user might; what it says does not matter."""
    table = tables()[0].head(9)
    schema = getattr(model, "schema", None)
    names = getattr(model, "feature_names_in_", getattr(schema, "input_names", ()))
    known = [name for name in names if name in table]
    X: Any = table[known] if known else np.column_stack([np.linspace(-1, 1, 9)] * 2)
    n_columns = getattr(model, "n_features_in_", None)
    if not known and isinstance(n_columns, int) and n_columns == 1:
        X = X[:, :1]
    for name in ("predict", "predict_proba", "apply", "transform", "text"):
        if hasattr(model, name) and (name != "apply" or not isinstance(model, tw.RuleSet)):
            asked = getattr(model, name)
            asked() if name == "text" else asked(X)
    tree = getattr(model, "tree_", None)
    if tree is not None:
        tree.text()
        str(tree.rules())
        if tree.kept_whys is not None:
            str(tree.why(0))


class TooSlowError(BaseException):
    """A mutant took too long."""


def _on_alarm(_signal: int, _frame: object) -> None:
    raise TooSlowError


def judge(data: bytes) -> str:
    """Load a mutant and ask it; return what became of it."""
    signal.setitimer(signal.ITIMER_PROF, SECONDS)
    try:
        state = told_of("mutant", data)
        model = model_of(state)
        try:
            ask(model)
        except Exception as error:
            return f"answered with {type(error).__name__}"
        return "answered"
    except ModelFormatError:
        return "refused"
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0.0)


def run(n: int, seed: int, *, report: Callable[[str], None] = print) -> dict[str, int]:
    """Judge so many mutants; raise if one is neither refused nor answers in time."""
    signal.signal(signal.SIGPROF, _on_alarm)
    np.seterr(all="ignore")
    warnings.simplefilter("ignore")
    states = {name: state_of_model(model, why=name == "tree") for name, model in models().items()}
    files: list[tuple[str, bytes]] = []
    for name, state in states.items():
        files.append((f"{name}.tw", b"".join(bytes(piece) for piece in container_pieces(state))))
        files.append((f"{name}.json", twin_bytes(state)))
    names = list(states)
    counts: dict[str, int] = {}
    started = time.monotonic()
    for each in range(n):
        generator = np.random.default_rng((seed, each))
        if each % 5:
            name, data = files[int(generator.integers(len(files)))]
            mutant = altered_bytes(data, generator)
        else:
            name = names[int(generator.integers(len(names)))]
            state = altered_state(states[name], generator)
            if generator.random() < 0.5:
                mutant = b"".join(bytes(piece) for piece in container_pieces(state))
            else:
                mutant = twin_bytes(state)
        _remember(mutant)
        try:
            found = judge(mutant)
        except BaseException as error:
            path = os.path.join(tempfile.gettempdir(), f"mutant-{seed}-{each}")
            with open(path, "wb") as file:
                file.write(mutant)
            raise AssertionError(
                f"mutant {each} of seed {seed} ({name}) ended with {type(error).__name__}:"
                f" {str(error)[:300]}; it is kept in {path}"
            ) from error
        counts[found] = counts.get(found, 0) + 1
        if each % 10_000 == 9_999:
            most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
            rate = (each + 1) / (time.monotonic() - started)
            report(f"{each + 1:,} mutants, {rate:,.0f} a second, {most} MB at most: {counts}")
    return counts


_LAST = os.path.join(tempfile.gettempdir(), f"mutant-last-{os.getpid()}")


def _remember(mutant: bytes) -> None:
    """Keep the mutant that is judged now, for the case that the process ends."""
    if os.environ.get("KEEP_MUTANTS"):
        with open(_LAST, "wb") as file:
            file.write(mutant)


def main() -> int:
    """Judge mutants as told on the command line."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--n", type=int, default=1_000_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--write", metavar="FOLDER", help="write the models, unaltered, and end")
    given = parser.parse_args()
    if given.write is not None:
        os.makedirs(given.write, exist_ok=True)
        for name, model in models().items():
            for suffix in ("tw", "json"):
                tw.save(model, os.path.join(given.write, f"{name}.{suffix}".replace(" ", "_")))
        return 0
    counts = run(given.n, given.seed)
    print(f"{given.n:,} mutants: {counts}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
