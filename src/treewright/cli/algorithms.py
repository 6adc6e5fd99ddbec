"""Learners by the names of ``--algorithm``, with the parameters of ``--set``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from treewright.cli.failure import Exit, Failure, usage
from treewright.cli.names import ALGORITHMS
from treewright.cli.python_lines import Raw, call

if TYPE_CHECKING:
    from treewright.cli.data_files import LearningTable, Task


@dataclass(frozen=True, kw_only=True)
class Choice:
    """An algorithm with its parameters, as typed.

    Parameters
    ----------
    algorithm
        Its name.
    settings
        NAME and VALUE of each ``--set``.
    seed, threads
        The options of these names.
    """

    algorithm: str
    settings: tuple[tuple[str, str], ...] = ()
    seed: int = 0
    threads: int | None = None

    def estimator(self, task: Task) -> Any:
        """Return the estimator, not fitted, its parameters checked by name."""
        import treewright as tw

        made = getattr(tw, self.class_name(task))()
        values = self._values(made)
        return made.set_params(**values)

    def class_name(self, task: Task) -> str:
        """Return the name of the class for a target of classes or of numbers."""
        check_algorithm(self.algorithm)
        entry = ALGORITHMS[self.algorithm]
        name = entry.classes if task == "classes" else entry.numbers
        if name is None:
            raise _wrong_task(self.algorithm, task)
        return name

    def _values(self, made: Any) -> dict[str, Any]:
        known = made.get_params(deep=False)
        values: dict[str, Any] = {}
        if self.algorithm == "tree":
            from treewright.prune import CostComplexity

            values = {"min_samples_leaf": 5, "prune": CostComplexity(rule="1-SE")}
        if "random_state" in known:
            values["random_state"] = self.seed
        if "n_jobs" in known and self.threads is not None:
            values["n_jobs"] = self.threads
        for name, text in self.settings:
            if name not in known:
                raise unknown_parameter(self.algorithm, name, known)
            values[name] = value_of(text)
        return values

    def python(self, task: Task, *, oob_score: bool = False) -> str:
        """Return the Python that makes the estimator, what was assumed written out."""
        made: dict[str, Any] = {}
        if self.algorithm == "tree":
            made = {
                "min_samples_leaf": 5,
                "prune": Raw(call("tw.prune.CostComplexity", rule="1-SE")),
            }
        import treewright as tw

        known = getattr(tw, self.class_name(task))().get_params(deep=False)
        if "random_state" in known:
            made["random_state"] = Raw(str(self.seed))
        if "n_jobs" in known and self.threads is not None:
            made["n_jobs"] = self.threads
        for name, text in self.settings:
            if name not in known:
                raise unknown_parameter(self.algorithm, name, known)
            made[name] = Raw(repr(value_of(text)))
        return call(f"tw.{self.class_name(task)}", **made, oob_score=oob_score)


def parse_learner(text: str, *, seed: int = 0, threads: int | None = None) -> Choice:
    """Return the learner of ``A`` or ``A:name=value,name=value``.

    >>> parse_learner("boosting:n_estimators=100").settings
    (('n_estimators', '100'),)
    """
    from treewright.cli.typed_values import pair

    algorithm, _, rest = text.partition(":")
    check_algorithm(algorithm)
    settings = tuple(pair(each, f"{algorithm}:") for each in rest.split(",") if each)
    return Choice(algorithm=algorithm, settings=settings, seed=seed, threads=threads)


def check_algorithm(name: str) -> None:
    """Refuse a name that is no algorithm, with the nearest that is one."""
    if name in ALGORITHMS:
        return
    from treewright.parameters import nearest

    near = ALIASES.get(name.casefold().replace("_", "").replace("-", ""))
    near = near or nearest(name, ALGORITHMS)
    first = f"--algorithm {near}; " if near else ""
    raise usage(
        f"no algorithm {name!r}",
        code="unknown-algorithm",
        hint=f"{first}treewright help algorithms lists all",
        parameter="algorithm",
    )


ALIASES = {
    "randomforest": "forest",
    "rf": "forest",
    "extratrees": "extra-trees",
    "decisiontree": "tree",
    "j48": "c45",
    "c4.5": "c45",
    "c5.0": "c45",
    "c50": "c45",
    "part": "c45rules",
    "rpart": "cart",
    "gbm": "boosting",
    "gradientboosting": "boosting",
    "histgradientboosting": "hist-boosting",
    "xgboost": "boosting",
    "lightgbm": "boosting",
    "m5p": "m5",
}
"""What others call them."""


def unknown_parameter(algorithm: str, name: str, known: dict[str, Any]) -> Failure:
    """Return the refusal of a parameter that an algorithm does not have."""
    from treewright.parameters import nearest

    near = nearest(name, known)
    hint = f"treewright help parameters {algorithm} lists them"
    if near is not None:
        hint = f"--set {near}={_shown(known[near])}"
    return usage(
        f"{algorithm} has no parameter {name!r}",
        code="unknown-parameter",
        hint=hint,
        parameter=name,
    )


def _shown(value: Any) -> str:
    return (
        "none" if value is None else str(value).lower() if isinstance(value, bool) else str(value)
    )


def value_of(text: str) -> Any:
    """Return a value of ``--set`` as Python has it: a number, true, false, none or a text.

    >>> [value_of(text) for text in ("5", "0.25", "true", "none", "gini", "1e-3")]
    [5, 0.25, True, None, 'gini', 0.001]
    """
    words = {"true": True, "false": False, "none": None}
    if text.casefold() in words:
        return words[text.casefold()]
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def _wrong_task(algorithm: str, task: Task) -> Failure:
    needs = "numbers" if task == "classes" else "classes"
    others = [
        name
        for name, each in ALGORITHMS.items()
        if (each.classes if task == "classes" else each.numbers) is not None
    ]
    near = {"m5": "c45", "id3": "cart", "c45": "cart", "c45rules": "cart"}.get(algorithm, others[0])
    column = "numbers" if needs == "numbers" else "classes"
    return Failure(
        code="wrong-task",
        message=f"algorithm {algorithm} predicts {needs}; the target has {task}",
        hint=f"--algorithm {near}, or --target with a column of {column}",
        parameter="algorithm",
        exit=Exit.DATA,
    )


def check_task(choice: Choice, table: LearningTable) -> None:
    """Refuse an algorithm that cannot learn the target, and say what the target has."""
    try:
        choice.class_name(table.task)
    except Failure as failure:
        if failure.code != "wrong-task":
            raise
        predicts = failure.message.partition(";")[0]
        failure.message = f"{predicts}; {table.target!r} has {_told(table.y, table.task)}"
        failure.column = table.target
        raise


def _told(values: Any, task: Task) -> str:
    if task == "numbers":
        return f"numbers, {min(values):g} to {max(values):g}"
    names = list(dict.fromkeys(map(str, values.tolist())))
    what = "texts" if isinstance(values.tolist()[0], str) else "values"
    shown: Sequence[str] = names[:5]
    more = ", …" if len(names) > 5 else ""
    return f"{len(names)} {what} ({', '.join(shown)}{more})"
