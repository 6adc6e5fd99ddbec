"""Schema: what a user declares about the columns of a table before fitting.

The schema of a fitted model (:class:`FittedSchema`) is in :mod:`treewright.data.fitted_schema`.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import get_args

from treewright.data.definitions import Definition, read_definitions
from treewright.data.fitted_schema import (
    Kind,
)
from treewright.errors import ParameterError
from treewright.parameters import as_float, check_mapping, is_list, is_number

ColumnKey = str | int


@dataclass(frozen=True, kw_only=True)
class Schema:
    """Declarations about the columns of a table; what is not declared is inferred from the data.

    Columns are given by name, or by position where the table has no names.

    Parameters
    ----------
    kinds : mapping of column to {"numeric", "nominal", "ordinal"}
        Kinds that differ from those inferred from the data type, e.g. numbers that are categories.
    values : mapping of column to sequence
        Domain of a nominal column, in order. It may hold values that no row has; a row with a
        value outside it is an error.
    order : mapping of column to sequence
        Domain of an ordinal column, lowest first.
    costs : mapping of column to float
        Price of measuring a column; 1 where not given (for derived ones, see :meth:`derive`).
    ignore : sequence of columns
        Columns to leave out, such as identifiers.
    derived : sequence of str
        Definitions of columns computed from others; see :meth:`derive`.
    class_order : sequence
        The classes of the target, lowest first, where they have an order that their values do not
        tell; ``classes_`` is then in that order. It may list classes that no row has.

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
    derived: Sequence[str] = ()
    class_order: Sequence[Hashable] = ()

    def __post_init__(self) -> None:
        check_mapping("kinds", self.kinds, of="column to 'numeric', 'nominal' or 'ordinal'")
        check_mapping("values", self.values, of="column to list of values")
        check_mapping("order", self.order, of="column to list of values, lowest first")
        check_mapping("costs", self.costs, of="column to price")
        if not is_list(self.ignore) or not all(isinstance(key, Hashable) for key in self.ignore):
            raise ParameterError(
                f"ignore={self.ignore!r} must be a list of columns.\n"
                f"  Hint: ignore=[{self.ignore!r}]."
            )
        self._check_derived()
        for key, kind in self.kinds.items():
            if not isinstance(kind, str) or kind not in get_args(Kind):
                raise ParameterError(
                    f"kind {kind!r} of column {key!r} is none of 'numeric', 'nominal', 'ordinal'."
                )
        domains = {"values": self.values, "order": self.order}
        for parameter, domain_of_column in domains.items():
            for key, domain in domain_of_column.items():
                _check_domain(f"{parameter} of column {key!r}", domain)
        if not is_list(self.class_order) or len(self.class_order) > 0:
            _check_domain("class_order", self.class_order)
        for key in self.values:
            if key in self.order:
                raise ParameterError(
                    f"column {key!r} is in both values and order; the order alone says its domain."
                )
        self._check_kinds_agree()
        for key, cost in self.costs.items():
            if not (is_number(cost) and 0 <= as_float(cost) < math.inf):
                raise ParameterError(
                    f"cost {cost!r} of column {key!r} must be a finite number, 0 or more."
                )
        # Own copies: a schema must not change when the user's lists do.
        object.__setattr__(self, "kinds", dict(self.kinds))
        object.__setattr__(self, "values", {k: tuple(v) for k, v in self.values.items()})
        object.__setattr__(self, "order", {k: tuple(v) for k, v in self.order.items()})
        object.__setattr__(self, "costs", {k: float(v) for k, v in self.costs.items()})
        object.__setattr__(self, "ignore", tuple(self.ignore))
        object.__setattr__(self, "derived", tuple(self.derived))
        object.__setattr__(self, "class_order", tuple(self.class_order))

    def _check_derived(self) -> None:
        definition_of_name = {each.name: each for each in self.definitions}
        for parameter in ("kinds", "values", "order"):
            for key in getattr(self, parameter):
                if key in definition_of_name:
                    raise ParameterError(
                        f"{parameter} declares column {key!r}, which is derived: its kind and its"
                        f" values follow from its definition.\n"
                        f"  Definition: {definition_of_name[key]}\n"
                        f"  Hint: leave {key!r} out of {parameter}."
                    )

    def _check_kinds_agree(self) -> None:
        for parameter, allowed in (("values", ("nominal",)), ("order", ("ordinal",))):
            for key in getattr(self, parameter):
                kind = self.kinds.get(key, allowed[0])
                if kind not in allowed:
                    raise ParameterError(
                        f"column {key!r} has kind {kind!r} but its domain is declared in"
                        f" {parameter}, which is for {allowed[0]} columns."
                    )

    def derive(self, *definitions: str) -> Schema:
        """Return the schema with further columns that are computed from others.

        A definition is ``"name = left operator right"``. The new columns stand after those of the
        table, in the order they are defined in; every model that is fitted with the schema
        computes them from the rows it is given, so tables to predict never contain them.

        Parameters
        ----------
        *definitions : str
            One per column. An operand is a column of the table, a column derived earlier, a number
            or a quoted text. A name that is no identifier is written in backticks; the columns
            of a table without names are ``x0``, ``x1``, ...

            =====================  ================================  =============================
            operator               operands                          the new column
            =====================  ================================  =============================
            ``==  !=``             any that can be equal, by value   nominal: ``False``, ``True``
            ``<  <=  >  >=``       numbers, ordinals of one order,   nominal: ``False``, ``True``
                                   dates, durations
            ``+  -  *  /``         numbers                           numeric
            ``-``                  two dates                         numeric, a duration
            ``+  -``               a date and a duration             numeric, a date
            ``+  -``               two durations                     numeric, a duration
            ``/``                  two durations                     numeric
            =====================  ================================  =============================

        Returns
        -------
        Schema

        Notes
        -----
        *Missing.* Where an operand is missing, or is outside the order it is ranked by, the new
        value is missing. Division by zero gives infinity with the sign of the dividend; 0 / 0 and
        other undefined results (infinity less infinity) are missing.

        *Exactness.* Values are compared exactly, whole numbers beyond 2**53 included. Sums,
        differences and products of whole numbers are whole and exact where 64 bits hold them
        all, else the nearest float64; everything else is computed in float64. A text beside a
        date is an ISO date.

        *Unseen categories* are compared like any others: two equal ones are equal.

        *Ignored columns* may be used: ``Schema(ignore=["born", "seen"]).derive("age = seen -
        born")`` asks about the age alone. A derived column may be ignored as well, where it is
        only a step towards another.

        *Costs.* A derived column has the cost declared in `costs`, else the sum of those of the
        columns of the table it is derived from if one of them is declared, else 1.

        *Importance.* ``tree_.importances()`` has an entry for each derived column;
        ``feature_importances_`` has one for each column of the table, and divides that of a derived
        column equally among the columns it is derived from.

        Examples
        --------
        Robots whose head has the shape of their body are friends:

        >>> from treewright import ID3Classifier
        >>> robots = [
        ...     {"head": "circle", "body": "circle"},
        ...     {"head": "square", "body": "circle"},
        ...     {"head": "square", "body": "square"},
        ...     {"head": "circle", "body": "square"},
        ... ]
        >>> attitude = ["ally", "enemy", "ally", "enemy"]
        >>> schema = Schema().derive("same_shape = head == body")
        >>> tree = ID3Classifier(schema=schema).fit(robots, attitude).tree_
        >>> for rule in tree.rules():
        ...     print(rule)
        IF same_shape = False THEN enemy  (2 covered, 0 wrong)
        IF same_shape = True THEN ally  (2 covered, 0 wrong)
        >>> tree.predict([{"head": "triangle", "body": "triangle"}]).tolist()
        ['ally']
        """
        return replace(self, derived=(*self.derived, *definitions))

    @cached_property
    def definitions(self) -> tuple[Definition, ...]:
        """The definitions of the derived columns, parsed."""
        return read_definitions(self.derived)

    @property
    def keys(self) -> tuple[ColumnKey, ...]:
        """Every column that the schema mentions, once."""
        mentioned = [self.kinds, self.values, self.order, self.costs, self.ignore]
        return tuple(dict.fromkeys(key for part in mentioned for key in part))

    def kind_of(self, key: ColumnKey) -> Kind | None:
        """Return the declared kind of a column, or None."""
        if key in self.order:
            return "ordinal"
        if key in self.values:
            return "nominal"
        return self.kinds.get(key)

    def domain_of(self, key: ColumnKey) -> tuple[object, ...] | None:
        """Return the declared domain of a column, or None."""
        domain = self.order.get(key, self.values.get(key))
        return None if domain is None else tuple(domain)

    def renamed(self, name_of_key: Mapping[ColumnKey, str]) -> Schema:
        """Return the same schema with every column called by its name."""
        return Schema(
            kinds={name_of_key[k]: v for k, v in self.kinds.items()},
            values={name_of_key[k]: v for k, v in self.values.items()},
            order={name_of_key[k]: v for k, v in self.order.items()},
            costs={name_of_key[k]: v for k, v in self.costs.items()},
            ignore=[name_of_key[k] for k in self.ignore],
            derived=self.derived,
            class_order=self.class_order,
        )


def _check_domain(what: str, domain: Sequence[Hashable]) -> None:
    if not is_list(domain):
        raise ParameterError(
            f"{what} must be a list of values, not {domain!r}.\n"
            f"  Hint: [{domain!r}] is a domain of one value."
        )
    seen: set[Hashable] = set()
    for value in domain:
        if not isinstance(value, Hashable):
            raise ParameterError(f"{what} lists {value!r}, which is no single value.")
        if value is None or value != value:
            raise ParameterError(f"{what} lists {value!r}, which means a missing value.")
        if value in seen:
            raise ParameterError(f"{what} lists {value!r} twice.")
        seen.add(value)
    if not seen:
        raise ParameterError(f"{what} is empty; list at least one value.")
