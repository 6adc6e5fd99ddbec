"""What the columns of a table are: the user's declaration and the fitted description.

:class:`Schema` is what a user may say about a table before fitting; :class:`FittedSchema` is what
a model knows about its columns afterwards: names, kinds, domains, units, costs. Both are plain
values: they compare by content, pickle, and hold no reference to the data.
"""

from __future__ import annotations

import difflib
import math
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from datetime import UTC, datetime, timedelta
from functools import cached_property
from typing import Any, Literal, SupportsFloat, SupportsIndex, cast, get_args
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import numpy as np

from treewright.data.coding import NumberCodes
from treewright.errors import ColumnMismatchError, ParameterError

Kind = Literal["numeric", "nominal", "ordinal"]
Storage = Literal["float", "int", "uint", "datetime", "duration", "value"]
ColumnKey = str | int

UINT_OFFSET = 1 << 63
"""Stored form of a "uint" column: value - 2^63 as int64, which keeps the order of the values."""


@dataclass(frozen=True, kw_only=True)
class ColumnSpec:
    """One fitted column: how it is stored and how its values are said.

    Attributes
    ----------
    name : str
        Name of the column; ``x0``, ``x1``, ... where the table had no names.
    kind : {"numeric", "nominal", "ordinal"}
        What may be asked of it: a threshold, membership, or a cut in a declared order.
    storage : {"float", "int", "uint", "datetime", "duration", "value"}
        Stored form. Numbers are floats or int64; ``"uint"`` is ``value - 2**63`` as int64;
        dates and durations are int64 in `unit`; ``"value"`` means codes into `values`.
    values : tuple
        Domain of a nominal or ordinal column, in the order of its codes.
    unit : {"ns", "us"} or None
        Unit of a date or duration.
    time_zone : str or None
        Time zone of a date column; its instants are stored in UTC. None means naive dates.
    cost : float
        Price of measuring the column.

    Examples
    --------
    >>> ColumnSpec(name="age", kind="numeric", storage="float").format(0.1 + 0.2)
    '0.3'
    >>> from numpy import datetime64
    >>> day = ColumnSpec(name="day", kind="numeric", storage="datetime", unit="ns")
    >>> day.format(int(datetime64("2024-03-01", "ns").astype("int64")))
    '2024-03-01'
    """

    name: str
    kind: Kind
    storage: Storage
    values: tuple[object, ...] = ()
    unit: Literal["ns", "us"] | None = None
    time_zone: str | None = None
    cost: float = 1.0

    @cached_property
    def code_of_value(self) -> Mapping[object, int]:
        """Code of each value of the domain."""
        return {value: code for code, value in enumerate(self.values)}

    @cached_property
    def code_of_number(self) -> NumberCodes:
        """Codes of the numbers among the values of the domain, for whole arrays at once."""
        return NumberCodes(self.values)

    def format(self, value: object, *, gap: float | None = None) -> str:
        """Return a threshold in its stored form, or a value of the domain, as people read it.

        A decimal number is written with as few digits (six or more) as keep it within half of
        `gap`, the distance to the nearest value of the data; without `gap`, within one part in
        a thousand million.
        """
        if value is None:
            return "missing"
        if self.storage == "value":
            if isinstance(value, float | np.floating):
                return _format_float(float(value), gap)
            return str(value)
        if self.storage == "float":
            return _format_float(float(cast(SupportsFloat, value)), gap)
        stored = int(cast(SupportsIndex, value))
        if self.storage == "int":
            return str(stored)
        if self.storage == "uint":
            return str(stored + UINT_OFFSET)
        if self.storage == "datetime":
            return _format_instant(stored, self.unit or "ns", self.time_zone)
        return _format_duration(stored, self.unit or "ns")

    def __getstate__(self) -> dict[str, Any]:
        return {f.name: getattr(self, f.name) for f in fields(self)}  # without cached tables


@dataclass(frozen=True, kw_only=True)
class Schema:
    """What a user declares about a table; everything not declared is inferred from the data.

    Columns are named by their name, or by their position where the table has no names.

    Parameters
    ----------
    kinds : mapping of column to {"numeric", "nominal", "ordinal"}
        Kinds that differ from what the data type says, e.g. a number that is a code.
    values : mapping of column to sequence
        Domain of a nominal column, in order. It may hold values that no row has; a row with a
        value outside it is an error.
    order : mapping of column to sequence
        Domain of an ordinal column, lowest first.
    costs : mapping of column to float
        Price of measuring a column; 1 where not given.
    ignore : sequence of columns
        Columns to leave out, such as identifiers.

    Examples
    --------
    >>> schema = Schema(values={"Humidity": ["High", "Normal", "Low"]}, ignore=["Day"])
    >>> schema.kind_of("Humidity")
    'nominal'
    """

    kinds: Mapping[ColumnKey, Kind] = field(default_factory=dict)
    values: Mapping[ColumnKey, Sequence[Hashable]] = field(default_factory=dict)
    order: Mapping[ColumnKey, Sequence[Hashable]] = field(default_factory=dict)
    costs: Mapping[ColumnKey, float] = field(default_factory=dict)
    ignore: Sequence[ColumnKey] = ()

    def __post_init__(self) -> None:
        if isinstance(self.ignore, str):
            raise ParameterError(
                f"ignore={self.ignore!r} must be a list of columns.\n"
                f"  Hint: ignore=[{self.ignore!r}]."
            )
        for key, kind in self.kinds.items():
            if kind not in get_args(Kind):
                raise ParameterError(
                    f"kind {kind!r} of column {key!r} is none of 'numeric', 'nominal', 'ordinal'."
                )
        domains = {"values": self.values, "order": self.order}
        for parameter, domain_of_column in domains.items():
            for key, domain in domain_of_column.items():
                _check_domain(parameter, key, domain)
        for key in self.values:
            if key in self.order:
                raise ParameterError(
                    f"column {key!r} is in both values and order; the order alone says its domain."
                )
        self._check_kinds_agree()
        for key, cost in self.costs.items():
            if not (math.isfinite(cost) and cost >= 0):
                raise ParameterError(
                    f"cost {cost!r} of column {key!r} must be a finite number, 0 or more."
                )
        # Own copies: a declaration must not change when the user's lists do.
        object.__setattr__(self, "kinds", dict(self.kinds))
        object.__setattr__(self, "values", {k: tuple(v) for k, v in self.values.items()})
        object.__setattr__(self, "order", {k: tuple(v) for k, v in self.order.items()})
        object.__setattr__(self, "costs", {k: float(v) for k, v in self.costs.items()})
        object.__setattr__(self, "ignore", tuple(self.ignore))

    def _check_kinds_agree(self) -> None:
        for parameter, allowed in (("values", ("nominal",)), ("order", ("ordinal",))):
            for key in getattr(self, parameter):
                kind = self.kinds.get(key, allowed[0])
                if kind not in allowed:
                    raise ParameterError(
                        f"column {key!r} has kind {kind!r} but its domain is declared in"
                        f" {parameter}, which is for {allowed[0]} columns."
                    )

    @property
    def keys(self) -> tuple[ColumnKey, ...]:
        """Every column the declaration mentions, once."""
        mentioned = [self.kinds, self.values, self.order, self.costs, self.ignore]
        return tuple(dict.fromkeys(key for part in mentioned for key in part))

    def kind_of(self, key: ColumnKey) -> Kind | None:
        """Declared kind of a column, or None."""
        if key in self.order:
            return "ordinal"
        if key in self.values:
            return "nominal"
        return self.kinds.get(key)

    def domain_of(self, key: ColumnKey) -> tuple[object, ...] | None:
        """Declared domain of a column, or None."""
        domain = self.order.get(key, self.values.get(key))
        return None if domain is None else tuple(domain)

    def renamed(self, name_of_key: Mapping[ColumnKey, str]) -> Schema:
        """The same declaration with every column called by its name."""
        return Schema(
            kinds={name_of_key[k]: v for k, v in self.kinds.items()},
            values={name_of_key[k]: v for k, v in self.values.items()},
            order={name_of_key[k]: v for k, v in self.order.items()},
            costs={name_of_key[k]: v for k, v in self.costs.items()},
            ignore=[name_of_key[k] for k in self.ignore],
        )


@dataclass(frozen=True, kw_only=True)
class FittedSchema:
    """The columns a model was fitted on.

    Attributes
    ----------
    columns : tuple of ColumnSpec
        The columns that are used, in order.
    named : bool
        Whether the names came with the table; otherwise they are ``x0``, ``x1``, ...
    input_names : tuple of str
        Names of all columns of the table given to ``fit``, the ignored ones included.
    """

    columns: tuple[ColumnSpec, ...]
    named: bool
    input_names: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not self.input_names:
            object.__setattr__(self, "input_names", self.names)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Names of the columns that are used."""
        return tuple(spec.name for spec in self.columns)

    @cached_property
    def positions(self) -> tuple[int, ...]:
        """Position of each used column among `input_names`."""
        if self.input_names == self.names:
            return tuple(range(len(self.columns)))
        position_of_name = {name: i for i, name in enumerate(self.input_names)}
        return tuple(position_of_name[name] for name in self.names)

    @cached_property
    def is_float_matrix(self) -> bool:
        """Whether all columns are floats and used, so that a matrix can be taken whole."""
        return len(self.columns) == len(self.input_names) and all(
            spec.storage == "float" for spec in self.columns
        )

    @cached_property
    def _index_of_name(self) -> Mapping[str, int]:
        return {name: i for i, name in enumerate(self.names)}

    def index(self, name: str) -> int:
        """Position of a column among those used."""
        try:
            return self._index_of_name[name]
        except KeyError:
            raise ColumnMismatchError(
                f"there is no column {name!r}.\n"
                f"  Columns: {list_names(self.names)}{nearest_name_hint(name, self.names)}"
            ) from None

    def column(self, name: str) -> ColumnSpec:
        """Description of the column called `name`."""
        return self.columns[self.index(name)]

    def __len__(self) -> int:
        return len(self.columns)

    def __iter__(self) -> Iterator[ColumnSpec]:
        return iter(self.columns)

    def __getstate__(self) -> dict[str, Any]:
        return {f.name: getattr(self, f.name) for f in fields(self)}  # without cached tables


def list_names(names: Iterable[str], *, most: int = 5) -> str:
    """Return names as a message shows them: at most five, then how many more.

    >>> list_names("abcdefg")
    'a, b, c, d, e and 2 more'
    """
    shown = list(names)
    rest = len(shown) - most
    text = ", ".join(short_name(name) for name in shown[:most])
    return f"{text} and {rest} more" if rest > 0 else text


def nearest_name_hint(name: object, valid: Iterable[str]) -> str:
    """Return a hint line that offers the valid name nearest to `name`, or nothing."""
    if not isinstance(name, str):
        return ""
    by_folded = {candidate.casefold(): candidate for candidate in valid}
    near = difflib.get_close_matches(name.casefold(), by_folded, n=1)
    return f"\n  Hint: did you mean {by_folded[near[0]]!r}?" if near else ""


def short_name(name: str, most: int = 60) -> str:
    """Shorten what would swamp a message; control characters are shown escaped."""
    text = name if name.isprintable() and name else repr(name)
    return text if len(text) <= most else f"{text[:most]}..."


def _check_domain(parameter: str, key: ColumnKey, domain: Sequence[Hashable]) -> None:
    if isinstance(domain, str):
        raise ParameterError(
            f"{parameter} of column {key!r} must be a list of values, not {domain!r}.\n"
            f"  Hint: [{domain!r}] is a domain of one value."
        )
    seen: set[Hashable] = set()
    for value in domain:
        if value is None or value != value:
            raise ParameterError(
                f"{parameter} of column {key!r} lists {value!r}, which means a missing value."
            )
        if value in seen:
            raise ParameterError(f"{parameter} of column {key!r} lists {value!r} twice.")
        seen.add(value)
    if not seen:
        raise ParameterError(f"{parameter} of column {key!r} is empty; list at least one value.")


def _format_float(value: float, gap: float | None) -> str:
    if not math.isfinite(value):
        return str(value)
    if value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    tolerance = abs(value) * 1e-9 if gap is None else gap / 2
    for digits in range(6, 17):
        text = f"{value:.{digits}g}"
        if abs(float(text) - value) <= tolerance:
            return text
    return repr(value)


def _format_instant(stored: int, unit: str, time_zone: str | None) -> str:
    suffix = ""
    if time_zone is not None:
        offset, suffix = _offset_at(stored, unit, time_zone)
        stored += round(offset.total_seconds()) * (10**9 if unit == "ns" else 10**6)
    text = str(np.datetime64(stored, cast(Literal["ns", "us"], unit)))
    day, _, time = text.partition("T")
    time = time.rstrip("0").rstrip(".") if "." in time else time
    if not time.strip("0:"):
        return day if not suffix else f"{day} 00:00:00{suffix}"
    return f"{day} {time}{suffix}"


def _offset_at(stored: int, unit: str, time_zone: str) -> tuple[timedelta, str]:
    """Offset from UTC that a time zone has at an instant, and how it is written."""
    seconds = stored // (10**9 if unit == "ns" else 10**6)
    try:
        zone = ZoneInfo(time_zone)
        offset = datetime.fromtimestamp(seconds, UTC).astimezone(zone).utcoffset() or timedelta(0)
    except (ZoneInfoNotFoundError, ValueError, OverflowError, OSError):
        offset = timedelta(0)  # a fixed offset, an unknown zone or a far year: say it in UTC
    minutes = round(offset.total_seconds()) // 60
    sign = "-" if minutes < 0 else "+"
    return offset, f"{sign}{abs(minutes) // 60:02d}:{abs(minutes) % 60:02d}"


def _format_duration(stored: int, unit: str) -> str:
    per_second = 10**9 if unit == "ns" else 10**6
    sign = "-" if stored < 0 else ""
    seconds, fraction = divmod(abs(stored), per_second)
    days, seconds = divmod(seconds, 86_400)
    text = f"{seconds // 3600:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}"
    if fraction:
        text += "." + f"{fraction:0{len(str(per_second)) - 1}d}".rstrip("0")
    return f"{sign}{days} {'day' if days == 1 else 'days'} {text}"
