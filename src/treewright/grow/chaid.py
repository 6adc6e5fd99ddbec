"""Options of CHAID: categories that do not differ in the target are merged."""

from __future__ import annotations

from dataclasses import dataclass

from treewright.errors import ParameterError, UnsupportedError
from treewright.parameters import (
    check_choice,
    check_count,
    check_flag,
    check_number,
)


@dataclass(frozen=True, kw_only=True)
class Merging:
    """Options of CHAID: categories that do not differ are merged, the smallest p-value wins.

    The test goes with the criterion: Pearson's for ``"chi2"``, the likelihood ratio for
    ``"entropy"``, F for ``"squared_error"``. The CHAID estimators document the options.
    """

    alpha_merge: float = 0.05
    alpha_split: float = 0.05
    alpha_split_merge: float | None = None
    exhaustive: bool = False
    missing: str = "floating"
    bonferroni: bool = True
    n_bins: int = 10

    def check(self) -> None:
        """Refuse values outside their range."""
        check_number("alpha_merge", self.alpha_merge, low=0.0, high=1.0, open_low=True)
        check_number("alpha_split", self.alpha_split, low=0.0, high=1.0, open_low=True)
        check_flag("exhaustive", self.exhaustive)
        check_flag("bonferroni", self.bonferroni)
        check_choice("missing", self.missing, ("floating", "last"))
        check_count("n_bins", self.n_bins, least=2)
        if self.n_bins > MOST_BINS:
            raise ParameterError(f"n_bins={self.n_bins!r} must be at most {MOST_BINS}.")
        if self.alpha_split_merge is None:
            return
        check_number("alpha_split_merge", self.alpha_split_merge, low=0.0, high=1.0, open_low=True)
        if self.alpha_split_merge > self.alpha_merge:
            raise ParameterError(
                f"alpha_split_merge={self.alpha_split_merge!r} must be at most"
                f" alpha_merge={self.alpha_merge!r}, or what was merged would be split again."
            )
        if self.exhaustive:
            raise UnsupportedError(
                "alpha_split_merge cannot be used with exhaustive=True, which merges down to two"
                " groups.\n  Hint: alpha_split_merge=None."
            )


TESTED = {"squared_error": "anova"}
"""The core's criteria that keep the sums which the tests need."""

MOST_BINS = 128
"""Most bins of a numeric column before they are merged."""
