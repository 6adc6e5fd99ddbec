"""A counterfactual as a chart: what each change counts, beside the values before and after."""

from __future__ import annotations

from collections.abc import Sequence

from treewright.chart import DotChart, DotRow
from treewright.chart.words import clean, number

_MOST_ROWS = 15


def changes_chart(changes: Sequence[tuple[str, float]], *, answer: str, is_exact: bool) -> DotChart:
    """Return the changes in the order given: the largest first.

    Parameters
    ----------
    changes
        Each change in words, and what it counts.
    answer
        The answer of the changed row.
    is_exact
        Whether no row is nearer.
    """
    shown, rest = changes[:_MOST_ROWS], changes[_MOST_ROWS:]
    many = "1 change" if len(changes) == 1 else f"{len(changes):,} changes"
    whole = number(sum(counted for _, counted in changes))
    left_out = number(sum(counted for _, counted in rest))
    return DotChart(
        title=f"{many} would make it {clean(answer)}" if changes else f"It is {clean(answer)}",
        subtitle=f"What each change counts, together {whole}" if changes else "Nothing changes",
        caption="" if is_exact else "A nearer row is not ruled out.",
        rows=[DotRow(words, counted) for words, counted in shown],
        stems=True,
        more=f"{len(rest):,} more, together {left_out}" if rest else "",
    )
