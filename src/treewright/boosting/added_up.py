"""Boosted trees as a sum, which partial dependence walks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from treewright.dependence.additive import LINEAR_LEAVES, Additive, Linked

_LINKS = {
    "log": Linked(name="log"),
    "logistic": Linked(name="logistic"),
    "half_logistic": Linked(name="logistic", factor=2.0),
    "softmax": Linked(name="softmax"),
}
_MOST = 700.0
"""Beyond it the exponential function of the core is no longer exact."""

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
    if is_sum:
        return Additive(core=model.core, base=model.base)
    return Additive(core=model.core, base=model.base, link=model.apply_link, linked=_linked(model))


def _linked(model: BoostedEnsemble) -> Linked | None:
    """Return the link as the core knows it; None of rare ones, and of sums beyond its numbers."""
    is_known = model.link in _LINKS and not model.shift
    if model.classes is not None and len(model.classes[0]) == 1:
        return None
    if not is_known or 2.0 * model.core.largest_sum(model.base) > _MOST:
        return None
    return _LINKS[model.link]
