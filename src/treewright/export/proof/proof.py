"""Proof: what came of comparing an exported model with the model itself."""

from __future__ import annotations

from dataclasses import dataclass

from treewright.text.names import short_name


@dataclass(frozen=True, kw_only=True)
class Proof:
    """The comparison of an artefact with its model; ``print`` it.

    Parameters
    ----------
    target
        The target of the artefact.
    rows
        Rows that both answered.
    engine
        What ran the artefact, with its version (``"gcc 12.2.0"``); None where nothing did.
    differing
        Rows whose class, number or probabilities are not the model's.
    largest_difference
        The largest difference of a probability or number, also where it is allowed.
    first_difference
        The first differing row, in words; None where there is none.
    allowed
        The difference that is allowed, in words; None where answers must be equal to the last bit.
    not_run
        Why nothing ran the artefact; None where something did.
    values
        Each column with how many of its values were tried.
    drawn
        None where all combinations of values were tried, else how rows were chosen.
    table_rows
        How many of the rows came from a table that was given.
    """

    target: str
    rows: int = 0
    engine: str | None = None
    differing: int = 0
    largest_difference: float = 0.0
    first_difference: str | None = None
    allowed: str | None = None
    not_run: str | None = None
    values: tuple[tuple[str, int], ...] = ()
    drawn: str | None = None
    table_rows: int = 0

    @property
    def holds(self) -> bool:
        """Whether the artefact was run, and every answer is the model's."""
        return self.not_run is None and self.differing == 0

    def to_dict(self) -> dict[str, object]:
        """Return the proof as plain values, ready for JSON."""
        return {
            "rows": self.rows,
            "engine": self.engine,
            "differing": self.differing,
            "largest_difference": self.largest_difference,
            "first_difference": self.first_difference,
            "allowed": self.allowed,
            "not_run": self.not_run,
        }

    def __str__(self) -> str:
        if self.not_run is not None:
            return f"proof: not run ({self.not_run})"
        lines = [f"proof: {self._rows_in_words()} run by {self.engine}: {self._verdict()}"]
        if self.first_difference is not None:
            lines.append(f"  first: {self.first_difference}")
        if self.values:
            shown = [f"{short_name(name, 30)} {number:,}" for name, number in self.values[:8]]
            more = f", {len(self.values) - 8} more columns" if len(self.values) > 8 else ""
            how = "all combinations" if self.drawn is None else self.drawn
            lines.append(f"  values: {', '.join(shown)}{more}, {how}")
        return "\n".join(lines)

    def _rows_in_words(self) -> str:
        rows = f"{self.rows - self.table_rows:,} boundary rows"
        return f"{rows} and {self.table_rows:,} of the table" if self.table_rows else rows

    def _verdict(self) -> str:
        if self.differing:
            return f"{self.differing:,} answers differ, by {self.largest_difference:.3g} at most"
        if self.allowed is None or self.largest_difference == 0.0:
            return "every answer is the model's"
        return (
            f"every answer is the model's ({self.allowed}; {self.largest_difference:.2g} at most)"
        )
