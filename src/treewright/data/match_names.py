"""Names of columns: those of a table, matched with those a model was fitted on.

The first lines of the messages are scikit-learn's, word for word, because its estimator checks
and its users know them; what follows says what to do.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Hashable, Sequence
from itertools import pairwise

from treewright.data.fitted_schema import FittedSchema
from treewright.errors import ColumnMismatchError, DataError, warn
from treewright.parameters import nearest
from treewright.text.names import list_names, short_name


def default_names(n_columns: int) -> tuple[str, ...]:
    """Return names for a table that has none.

    >>> default_names(3)
    ('x0', 'x1', 'x2')
    """
    return tuple(f"x{i}" for i in range(n_columns))


def check_names(names: Sequence[Hashable]) -> tuple[str, ...] | None:
    """Return the names if all are text, None if none is (columns are then known by position).

    >>> check_names([0, 1]) is None
    True
    """
    if len(set(names)) < len(names):
        repeated = [name for name, count in Counter(names).items() if count > 1]
        shown = ", ".join(repr(name) for name in repeated[:5])
        raise DataError(
            f"the table has more than one column called {shown}.\n"
            "  Hint: rename or drop the repeated columns; columns are told apart by name."
        )
    texts = tuple(str(name) for name in names if isinstance(name, str))
    if len(texts) == len(names):
        return texts
    if not texts:
        return None
    types = sorted({type(name).__qualname__ for name in names})
    raise TypeError(
        "Feature names are only supported if all input features have string names, but your"
        f" input has {types} as feature name / column name types. If you want feature names to"
        " be stored and validated, you must convert them all to strings, by using X.columns ="
        " X.columns.astype(str) for example. Otherwise you can remove feature / column names"
        " from your input data, or convert them all to a non-string data type."
    )


def match_by_position(n_given: int, is_named: bool, fitted: FittedSchema, owner: str) -> None:
    """Refuse a table of another number of columns, where it or the model has no names."""
    if is_named and not fitted.named:
        warn(
            f"X has feature names, but {owner} was fitted without feature names",
            UserWarning,
        )
    elif fitted.named and not is_named:
        warn(
            f"X does not have valid feature names, but {owner} was fitted with feature names",
            UserWarning,
        )
    check_count(n_given, fitted, owner)


def check_count(n_given: int, fitted: FittedSchema, owner: str) -> None:
    """Refuse a table whose number of columns is not that of the table given to fit."""
    expected = len(fitted.input_names)
    if n_given != expected:
        raise ColumnMismatchError(
            f"X has {n_given} features, but {owner} is expecting {expected} features as input."
        )


def match_by_name(
    given: tuple[str, ...],
    fitted: FittedSchema,
    *,
    any_order: bool,
    extra_allowed: bool,
    optional: Collection[str] = (),
) -> tuple[int, ...]:
    """Return the position in the table of each column to read from it, -1 for one that is absent.

    Columns ignored in fit may be absent, unless they are operands of derived ones, and so may those
    that are `optional`. Otherwise the names must be those of fit, in the same order unless
    `any_order`, and no others unless `extra_allowed`.
    """
    if given == fitted.input_names:
        return fitted.source_positions
    position_of_name = {name: i for i, name in enumerate(given)}
    needed = [name for name in fitted.source_names if name not in optional]
    missing = [name for name in needed if name not in position_of_name]
    known = set(fitted.input_names)
    unexpected = [] if extra_allowed else [name for name in given if name not in known]
    positions = tuple(position_of_name.get(name, -1) for name in fitted.source_names)
    if missing or unexpected:
        raise ColumnMismatchError(_mismatch_message(given, fitted, missing, unexpected))
    if not any_order and any(a > b for a, b in pairwise(positions)):
        raise ColumnMismatchError(_mismatch_message(given, fitted, [], []))
    return positions


def _mismatch_message(
    given: Sequence[str], fitted: FittedSchema, missing: list[str], unexpected: list[str]
) -> str:
    message = "The feature names should match those that were passed during fit.\n"
    if unexpected:
        message += "Feature names unseen at fit time:\n" + _bullets(sorted(unexpected))
    if missing:
        message += "Feature names seen at fit time, yet now missing:\n" + _bullets(sorted(missing))
    if not missing and not unexpected:
        message += "Feature names must be in the same order as they were in fit.\n"
    message += f"  Fitted on: {list_names(fitted.input_names)}\n"
    message += f"  Given:     {list_names(given)}"
    return message + _rename_hint(given, fitted, missing, unexpected)


def _bullets(names: Sequence[str], most: int = 5) -> str:
    rest = "- ...\n" if len(names) > most else ""
    return "".join(f"- {short_name(name)}\n" for name in names[:most]) + rest


def _rename_hint(
    given: Sequence[str], fitted: FittedSchema, missing: list[str], unexpected: list[str]
) -> str:
    if not missing and not unexpected:
        return "\n  Hint: X[list(model.feature_names_in_)] puts the columns in the fitted order."
    spare = [name for name in given if name not in fitted.input_names]
    for name in missing[:5]:
        near = nearest(name, spare)
        if near is not None:
            return f"\n  Hint: rename {near!r} to {name!r}."
    if missing:
        return f"\n  Hint: add the column {missing[0][:60]!r}; its values may be missing."
    return f"\n  Hint: drop the column {unexpected[0][:60]!r}."
