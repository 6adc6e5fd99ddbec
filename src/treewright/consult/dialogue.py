"""Dialogue of a consultation with a person: questions as text, typed replies.

An entry is read by the column's type: a value of the domain (case does not matter) or its position
in the list, a number, a date, a duration. An empty entry, or ``?``, means that the value is
unknown; ``<`` undoes the last reply.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import numpy as np

from treewright.errors import DataError, ParameterError, TreewrightError
from treewright.parameters import check_callable, nearest_hint
from treewright.text.names import list_names

if TYPE_CHECKING:
    from treewright.consult.consultation import Consultation
    from treewright.data.fitted_schema import ColumnSpec

UNKNOWN = ("", "?")
BACK = "<"

_DURATION = re.compile(
    r"(?P<sign>-)?(?:(?P<days>\d+) days?)?\s*"
    r"(?:(?P<hours>\d+):(?P<minutes>\d\d)(?::(?P<seconds>\d\d(?:\.\d+)?))?)?"
)


def converse(
    consultation: Consultation, *, ask: Callable[[str], str], tell: Callable[[str], object]
) -> None:
    """Ask until the prediction is settled (or the input ends), and show the outcome.

    Parameters
    ----------
    consultation
        The consultation; replies are entered into it.
    ask
        Callback that shows a text and returns the entry, like ``input``.
    tell
        Callback that shows a text, like ``print``.
    """
    check_callable("ask", ask)
    check_callable("tell", tell)
    reason = ""
    while (question := consultation.question) is not None:
        try:
            entry = ask(f"{reason}{question}\n> ")
        except EOFError:
            break
        if not isinstance(entry, str):
            raise ParameterError(f"ask gave {entry!r}, but what is typed is text.")
        reason = ""
        try:
            if entry.strip() == BACK and BACK not in question.choices:
                consultation.undo()
            else:
                consultation.answer(read_entry(question.spec, entry))
        except TreewrightError as error:
            reason = f"{error}\n"
    tell(consultation.text())


def read_entry(column: ColumnSpec, entry: str) -> object:
    """Return the value that a typed entry means; None for unknown.

    Raises
    ------
    DataError
        With a description of valid entries.

    Examples
    --------
    >>> from treewright.data.fitted_schema import ColumnSpec
    >>> wind = ColumnSpec(name="Wind", kind="nominal", storage="value", values=("Weak", "Strong"))
    >>> read_entry(wind, "strong"), read_entry(wind, "1"), read_entry(wind, "?")
    ('Strong', 'Weak', None)
    >>> read_entry(ColumnSpec(name="age", kind="numeric", storage="int"), "37")
    37
    """
    text = entry.strip()
    if column.storage == "value":
        return _choice(column, text)
    if text in UNKNOWN:
        return None
    read = {"datetime": _date, "duration": _duration}.get(column.storage, _number)
    return read(column, text)


def _choice(column: ColumnSpec, text: str) -> object:
    words = [str(value).strip() for value in column.values]
    if text in words:
        return column.values[words.index(text)]
    if text in UNKNOWN:
        return None
    folded = [word.casefold() for word in words]
    if folded.count(text.casefold()) == 1:
        return column.values[folded.index(text.casefold())]
    if text.isdecimal() and 1 <= int(text) <= len(words):
        return column.values[int(text) - 1]
    raise DataError(
        f"{text!r} is no value of {column.name!r}, which has {list_names(words)}."
        f"{nearest_hint(text, words)}"
    )


def _number(column: ColumnSpec, text: str) -> object:
    try:
        return float(text) if column.storage == "float" else int(text)
    except ValueError:
        pass
    try:
        return float(text)
    except ValueError:
        raise DataError(f"{text!r} is not a number.") from None


def _date(column: ColumnSpec, text: str) -> object:
    try:
        if column.time_zone is None:
            return np.datetime64(text)
        moment = datetime.fromisoformat(text)
        return moment if moment.tzinfo else moment.replace(tzinfo=ZoneInfo(column.time_zone))
    except ZoneInfoNotFoundError:
        raise DataError(f"{text!r} has no time zone, such as +00:00.") from None
    except ValueError:
        raise DataError(f"{text!r} is not a date such as 2024-03-01 or 2024-03-01T12:30.") from None


def _duration(column: ColumnSpec, text: str) -> object:
    found = _DURATION.fullmatch(text)
    if found is None or not (found["days"] or found["hours"]):
        raise DataError(f"{text!r} is not a duration such as 3 days, 12:30:00 or 3 days 12:30:00.")
    length = timedelta(
        days=int(found["days"] or 0),
        hours=int(found["hours"] or 0),
        minutes=int(found["minutes"] or 0),
        seconds=float(found["seconds"] or 0),
    )
    return -length if found["sign"] else length
