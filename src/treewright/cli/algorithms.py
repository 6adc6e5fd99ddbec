"""Learners by the names of ``--algorithm``, with the parameters of ``--set``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from treewright.cli.failure import Exit, Failure, usage
from treewright.cli.names import ALGORITHMS
from treewright.cli.python_lines import Raw, call, literal

if TYPE_CHECKING:
    from treewright.cli.data_files import LearningTable, Task
    from treewright.cli.fitting.costs import Costs
    from treewright.cli.fitting.like import Like

Orders = Mapping[str, tuple[str, ...]]
"""The values of columns in their order, as ``--order`` says them."""


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
    like
        The model whose parameters it has, where they are not typed.
    """

    algorithm: str
    settings: tuple[tuple[str, str], ...] = ()
    seed: int | None = None
    threads: int | None = None
    like: Like | None = None

    def estimator(
        self, task: Task, *, order: Orders | None = None, costs: Costs | None = None
    ) -> Any:
        """Return the estimator, not fitted, its parameters checked by name."""
        import treewright as tw

        made = getattr(tw, self.class_name(task))() if self.like is None else self.like.unfitted()
        known = made.get_params(deep=False)
        values: dict[str, Any] = {}
        if self._is_recipe:
            values = {"min_samples_leaf": 5, "prune": tw.prune.CostComplexity(rule="1-SE")}
        values |= self._typed(known)
        if order:
            values["schema"] = _schema(known["schema"], order)
        if costs is not None:
            values["cost_matrix"] = costs
        return made.set_params(**values)

    def class_name(self, task: Task) -> str:
        """Return the name of the class for a target of classes or of numbers."""
        if self.like is not None:
            self.like.refuse(task)
            return self.like.class_name
        check_algorithm(self.algorithm)
        entry = ALGORITHMS[self.algorithm]
        name = entry.classes if task == "classes" else entry.numbers
        if name is None:
            raise _wrong_task(self.algorithm, task)
        return name

    @property
    def _is_recipe(self) -> bool:
        """Whether it is the default: a tree whose parameters are not its class's."""
        return self.algorithm == "tree" and self.like is None

    def _typed(self, known: Mapping[str, Any]) -> dict[str, Any]:
        """Return the parameters that options say, the last word of all."""
        values: dict[str, Any] = {}
        if "random_state" in known and (self.seed is not None or self.like is None):
            values["random_state"] = self.seed or 0
        if "n_jobs" in known and self.threads is not None:
            values["n_jobs"] = self.threads
        for name, text in self.settings:
            if name not in known:
                raise unknown_parameter(self.algorithm, name, known)
            values[name] = value_of(text)
        return values

    def python(self, table: LearningTable, *, oob_score: bool = False) -> str:
        """Return the Python that makes the estimator, what was assumed written out."""
        import treewright as tw

        check_task(self, table)
        class_name = self.class_name(table.task)
        made: dict[str, Any] = {}
        if self._is_recipe:
            prune = Raw(call("tw.prune.CostComplexity", rule="1-SE"))
            made = {"min_samples_leaf": 5, "prune": prune}
        known = getattr(tw, class_name)().get_params(deep=False)
        if self.like is not None:
            known = self.like.model.get_params(deep=False)
        # What is None or False is typed, too, and must be seen.
        made |= {name: Raw(literal(value)) for name, value in self._typed(known).items()}
        if oob_score:
            made["oob_score"] = True
        if table.order:
            schema = _schema(known["schema"], table.order)
            made["schema"] = Raw(f"tw.{schema!r}")
        if table.costs is not None:
            made["cost_matrix"] = Raw("costs")
        if self.like is None:
            return call(f"tw.{class_name}", **made)
        alike = f"clone({call('tw.load', self.like.path)})"
        return call(f"{alike}.set_params", **made) if made else alike

    @property
    def imports(self) -> str:
        """The lines of Python that import what :meth:`python` needs."""
        return "import treewright as tw" + (
            "" if self.like is None else "\nfrom sklearn.base import clone\n"
        )


def _schema(given: Any, order: Orders) -> Any:
    """Return what was declared of the columns, with the orders that were typed."""
    from treewright import Schema

    schema = Schema() if given is None else given
    return replace(schema, order={**schema.order, **order})


def parse_learner(text: str, *, seed: int | None = None, threads: int | None = None) -> Choice:
    """Return the learner of ``A`` or ``A:name=value,name=value``.

    >>> parse_learner("boosting:n_estimators=100").settings
    (('n_estimators', '100'),)
    """
    from treewright.cli.typed_values import pair

    algorithm, _, rest = text.partition(":")
    check_algorithm(algorithm)
    settings = tuple(pair(each, f"{algorithm}:") for each in rest.split(",") if each)
    choice = Choice(algorithm=algorithm, settings=settings, seed=seed, threads=threads)
    check_settings(choice)
    return choice


def check_settings(choice: Choice) -> None:
    """Refuse parameters that an algorithm has for no target, before a table is read."""
    if not choice.settings:
        return
    if choice.like is not None:
        known = choice.like.unfitted().get_params(deep=False)
    else:
        known = parameters_of(choice.algorithm)
    for name, _ in choice.settings:
        if name not in known:
            raise unknown_parameter(choice.algorithm, name, known)


def parameters_of(algorithm: str) -> dict[str, Any]:
    """Return the parameters of an algorithm, for either kind of target, and their defaults."""
    import treewright as tw

    entry = ALGORITHMS[algorithm]
    known: dict[str, Any] = {}
    for name in (entry.numbers, entry.classes):
        if name is not None:
            known |= getattr(tw, name)().get_params(deep=False)
    return known


def check_algorithm(name: str) -> None:
    """Refuse a name that is no algorithm, with the nearest that is one."""
    if name in ALGORITHMS:
        return
    from treewright.parameters import nearest

    plain = name.casefold().replace("_", "").replace("-", "")
    near = ALIASES.get(plain) or nearest(name, ALGORITHMS)
    near = near or ALIASES.get(nearest(plain, ALIASES) or "")
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


def unknown_parameter(algorithm: str, name: str, known: Mapping[str, Any]) -> Failure:
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
