"""Options of oblique splits: nodes also search for a linear combination of columns (a sum)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from treewright.errors import ParameterError
from treewright.grow.missing import POLICIES
from treewright.parameters import check_choice, check_count, refuse

if TYPE_CHECKING:
    from treewright.data.fitted_schema import FittedSchema
    from treewright.grow.options import GrowthOptions

SEARCHES = ("oc1", "hhcart", "hhcart_dominant", "cart_lc", "random_projections")
MISSING = tuple(policy.name for policy in POLICIES.values() if not policy.fills)
"""Missing policies that can route a row whose linear combination is missing."""

_BELONGS_TO = {"n_restarts": "oc1", "n_jumps": "oc1", "n_projections": "random_projections"}
_LEAST = {"n_restarts": 1, "n_jumps": 0, "n_projections": 1}
_MOST = 10_000


@dataclass(frozen=True, kw_only=True)
class ObliqueOptions:
    """Options of the search for a linear combination; the estimators document them."""

    search: str = "oc1"
    n_restarts: int | None = None
    n_jumps: int | None = None
    n_projections: int | None = None

    def check(self) -> None:
        """Refuse values outside their range, and options of another search."""
        check_choice("search", self.search, SEARCHES)
        for name, search in _BELONGS_TO.items():
            value = getattr(self, name)
            check_count(name, value, least=_LEAST[name], optional=True)
            if value is None:
                continue
            if value > _MOST:
                raise ParameterError(f"{name}={value!r} must be at most {_MOST:,}.")
            if self.search != search:
                refuse(
                    f"{name}={value!r} belongs to search={search!r} and cannot be used with"
                    f" search={self.search!r}.",
                    f"leave {name} at None.",
                )

    def check_combination(self, options: GrowthOptions, *, n_outputs: int) -> None:
        """Refuse options that cannot be combined with linear combinations of columns."""
        if not options.criterion_traits.is_additive:
            refuse(
                f"criterion 'absolute_error' cannot be used with search={self.search!r}: medians"
                " cannot be kept up to date while a plane is moved.",
                "criterion='squared_error' and 'poisson' can.",
            )
        if options.missing not in MISSING:
            refuse(
                f"missing={options.missing!r} fills in one column's value and cannot be used with"
                f" search={self.search!r}, which adds up several.",
                f"missing={MISSING[0]!r}; " + ", ".join(map(repr, MISSING[1:])) + " work too.",
            )
        for name, usual in (("splitter", "best"), ("monotonic_cst", None)):
            if getattr(options, name) != usual:
                refuse(f"{name} cannot be used with search={self.search!r}.", f"{name}={usual!r}.")
        if n_outputs > 1:
            refuse(f"search={self.search!r} needs a single target.", "fit one tree per target.")

    def for_core(self, schema: FittedSchema) -> tuple[str, list[int], int, int, int]:
        """Return the options in the core's form, with the columns that can be combined: numeric."""
        numbers = [i for i, spec in enumerate(schema.columns) if spec.storage in ("float", "int")]
        return (
            self.search,
            numbers,
            10 if self.n_restarts is None else int(self.n_restarts),
            5 if self.n_jumps is None else int(self.n_jumps),
            0 if self.n_projections is None else int(self.n_projections),
        )
