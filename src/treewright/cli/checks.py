"""``--at-least`` and ``--at-most``: figures that a script asks for, and exit 3 where they fail."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from treewright.cli.failure import usage

Figures = Mapping[str, float | Mapping[str, Any]]
"""A number, or a figure with its interval (``value``, ``low``, ``high``), by its name."""


def bounds_of(pairs: Sequence[tuple[str, str]], option: str) -> list[tuple[str, float]]:
    """Return the metrics and numbers that were typed; refuse what is no number."""
    found = []
    for name, text in pairs:
        try:
            found.append((name, float(text)))
        except ValueError:
            raise usage(
                f"{option} {name} takes a number, not {text!r}",
                code="option-value",
                parameter=option.lstrip("-"),
            ) from None
    return found


def checked(
    figures: Figures,
    *,
    at_least: Sequence[tuple[str, str]] = (),
    at_most: Sequence[tuple[str, str]] = (),
) -> list[dict[str, Any]]:
    """Return each bound that was asked for, the figure beside it, and whether it is met.

    >>> checked({"changed": 0.04}, at_most=[("changed", "0.02")])[0]["met"]
    False
    """
    made = []
    for option, pairs in (("--at-least", at_least), ("--at-most", at_most)):
        for name, bound in bounds_of(pairs, option):
            value = figure_called(figures, name, option)
            met = value >= bound if option == "--at-least" else value <= bound
            made.append(
                {"metric": name, "bound": bound, "kind": option[5:], "value": value, "met": met}
            )
    return made


def figure_called(figures: Figures, name: str, option: str) -> float:
    """Return a figure by its name; ``accuracy.low`` is the lower end of its interval."""
    from treewright.parameters import nearest

    if name in figures:
        found = figures[name]
        return float(found["value"] if isinstance(found, Mapping) else found)
    metric, _, end = name.rpartition(".")
    found = figures.get(metric, 0.0)
    if isinstance(found, Mapping) and end in ("low", "high", "value"):
        return float(found[end])
    near = nearest(metric or name, figures)
    raise usage(
        f"{option}: no figure {name!r}",
        code="unknown-metric",
        hint=f"{option} {near}=X" if near else f"figures: {', '.join(figures)}",
        parameter=option.lstrip("-"),
    )


def failed(checks: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return what to say of the checks that are not met."""
    words = {"least": "at least", "most": "at most"}
    return [
        f"{each['metric']} is {each['value']:.3f}, {words[each['kind']]} {each['bound']:.3f} asked"
        for each in checks
        if not each["met"]
    ]
