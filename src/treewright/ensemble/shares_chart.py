"""The columns of an ensemble as a chart: what share each has of the questions, or of the gain."""

from __future__ import annotations

from collections.abc import Sequence

from treewright.chart import Axis, DotChart, DotRow
from treewright.chart.words import clean, percent

_MOST_ROWS = 15


def shares_chart(columns: Sequence[tuple[str, float]], *, verb: str, subtitle: str) -> DotChart:
    """Return the share of each column, in the order given: the largest first.

    Parameters
    ----------
    columns
        The columns and their shares.
    verb
        What the first one is found to do: ``is asked most``.
    subtitle
        What the shares are of.
    """
    shown, rest = columns[:_MOST_ROWS], columns[_MOST_ROWS:]
    together = percent(sum(share for _, share in rest), decimals=1)
    return DotChart(
        title=f"{clean(shown[0][0])} {verb}" if shown else "No tree asks anything",
        subtitle=subtitle,
        rows=[DotRow(name, share) for name, share in shown],
        x=Axis(form="percent"),
        stems=True,
        more=f"{len(rest):,} more, together {together}" if rest else "",
    )
