"""Boosted trees as a sum, which partial dependence walks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from treewright.dependence.additive import LINEAR_LEAVES, Additive

if TYPE_CHECKING:
    from treewright.boosting.ensemble import BoostedEnsemble


def added_up(model: BoostedEnsemble, *, of_scores: bool) -> Additive | str:
    """Return boosted trees as a sum; or why they are none.

    Parameters
    ----------
    model
        The trees.
    of_scores
        Whether the scores are wanted, before the link.
    """
    if model.has_lines:
        return LINEAR_LEAVES
    is_sum = of_scores or (model.link == "identity" and not model.shift and model.classes is None)
    link = None if is_sum else model.apply_link
    return Additive(core=model.core, base=model.base, link=link)
