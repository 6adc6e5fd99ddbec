"""The words of a picture of a tree: what was found, what is drawn, and how."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np

from treewright.chart.words import count, percent
from treewright.draw.node_marks import has_target, sketch_scale
from treewright.draw.values import measure_text
from treewright.tree.question import LinearCut

if TYPE_CHECKING:
    from treewright.draw.sketch import Sketch

Layout = Literal["outline", "cards", "ledger", "icicle"]
LAYOUTS: tuple[Layout, ...] = ("outline", "cards", "ledger", "icicle")

_NUMBERS = ["no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"]


def title_of(sketch: Sketch) -> str:
    """Return what was found: the path of the row, else what the size of the tree lets one say."""
    if sketch.path is not None:
        return sketch.path.title
    tree = sketch.tree
    if tree.n_leaves == 1:
        model = None if tree.linear is None else tree.linear.model(0)
        if model is not None:
            return f"One leaf: a linear model of {len(model.terms)} terms predicts every row"
        return f"One leaf: every row is predicted {sketch.label(0)}"
    if tree.n_leaves > 100 and sketch.has_rows:
        amounts = np.sort(np.array(sketch.amounts)[tree.arrays.n_branches == 0])
        share = percent(float(amounts[-10:].sum() / amounts.sum()))
        unit = "weight" if sketch.is_weighted else sketch.unit
        return f"{tree.n_leaves:,} leaves; the ten largest hold {share} of the {unit}"
    if tree.n_leaves > 16 and sketch.has_rows:
        depth = _median_depth(sketch)
        told = _NUMBERS[depth] if depth < len(_NUMBERS) else str(depth)
        questions = "question" if depth == 1 else "questions"
        return f"{tree.n_leaves} leaves; half of the {sketch.unit} need at most {told} {questions}"
    first = tree.question(0)
    n_summed = len(first.terms) if isinstance(first, LinearCut) else 1
    asked = sketch.asked(0) if n_summed == 1 else f"A sum of {n_summed} columns"
    said = f"{asked} decides first"
    if sketch.is_numeric and tree.linear is None:
        scale = sketch_scale(sketch)
        ends = sketch.measure_text(scale.mean_low), sketch.measure_text(scale.mean_high)
        said += f"; the leaves range from {ends[0]} to {ends[1]}"
    return said


def _median_depth(sketch: Sketch) -> int:
    """Return the number of questions that at least half of the rows need at most."""
    leaves = sketch.tree.arrays.n_branches == 0
    levels, amounts = sketch.tree.levels[leaves], np.array(sketch.amounts)[leaves]
    reached = np.cumsum(np.bincount(levels, weights=amounts))
    return int(np.searchsorted(reached, 0.5 * reached[-1] * (1 - 1e-12)))


def subtitle_of(sketch: Sketch, name: str) -> str:
    """Return what is drawn: of which table or algorithm, and its size."""
    n_leaves = sketch.tree.n_leaves
    parts = [name] if name else []
    parts.append("1 leaf" if n_leaves == 1 else f"{n_leaves:,} leaves")
    if sketch.has_rows:
        parts.append(sketch.count_text(0) if sketch.is_weighted else _root_rows(sketch))
    return f"{', '.join(parts)}."


def reading_of(sketch: Sketch, layout: Layout) -> str:
    """Return how to read what a layout draws: its bars, lines and shades."""
    told = []
    if layout == "icicle":
        whole = sketch.unit if sketch.has_rows else "leaves"
        told.append(f"Width: share of the {whole}.")
        if sketch.is_numeric:
            told.append("Shade: the mean.")
        elif sketch.shares:
            told.append(
                "Colour: the main class." if sketch.has_hues else "Shade: share of the main class."
            )
    elif sketch.has_hues and sketch.has_rows:
        told.append("Bar: share of the classes.")
    elif sketch.shares:
        told.append("Bar: the three largest classes of the node, then the rest.")
    elif sketch.is_numeric and sketch.has_rows:
        is_histogram = layout == "cards" and has_target(sketch)
        shown = "the distribution on one scale, mean (▲)" if is_histogram else "the mean (▲)"
        told.append(
            f"In every node: {shown}{'' if sketch.spreads is None else ' and ±1 sd (line)'}."
        )
    if sketch.has_rows and sketch.tree.n_leaves > 1 and layout in ("cards", "ledger"):
        told.append(f"Line width: share of the {sketch.unit}.")
    if sketch.path is not None:
        mark = {"icicle": "Framed", "outline": "Bold"}.get(layout, "Strong line")
        told.append(f"{mark}: the path of {sketch.path.name.lower()}.")
    return " ".join(told)


def _root_rows(sketch: Sketch) -> str:
    return f"{count(sketch.amounts[0])} {sketch.unit}"


def caption_of(
    drawn: Sketch,
    layout: Layout,
    whole: Sketch,
    *,
    distributions: bool = False,
    with_ledger: bool = False,
) -> str:
    """Return how it is drawn: the row's answer, the scale, and what is left out.

    Parameters
    ----------
    drawn
        What is drawn.
    layout
        How.
    whole
        What was to be drawn.
    distributions
        Whether questions show the values that they ask about.
    with_ledger
        Whether a ledger of the largest parts stands beneath an icicle.
    """
    said = [] if drawn.path is None else [drawn.path.told]
    if distributions and drawn.depth > 0:
        said.append("In each question: the values it asks about, and the cut (▲).")
    if layout == "ledger" and drawn.tree.n_leaves > 1:
        said.append(
            "Above a line: the answer that leads there; below it, bold: the column asked next."
        )
    if layout == "icicle":
        n_levels = min(drawn.depth, 39)
        if len(whole.ends) > 100:
            said.append("An icicle, because more than 100 leaves cannot be read one by one.")
        said.append(f"A row of cells per level, from the root at the top; {n_levels + 1} levels.")
        said.append("Cells narrower than a third of a pixel are left out.")
    if drawn.is_numeric and drawn.has_rows and layout != "icicle":
        scale = sketch_scale(drawn)
        ends = f"from {measure_text(scale.low)} to {measure_text(scale.high)}"
        sd = "" if drawn.spreads is None else " sd: standard deviation in the node."
        said.append(f"The scale of every node runs {ends}.{sd}")
    if len(drawn.ends) < len(whole.ends):
        unit = drawn.unit if drawn.has_rows else "leaves"
        said.append(
            f"Drawn in part: {len(drawn.ends)} of {whole.tree.n_leaves:,} leaves; "
            f"the parts with most {unit} are open."
            if layout != "cards"
            else f"Drawn in part: the first {drawn.depth} of {whole.tree.depth} levels."
        )
    is_marked = layout != "icicle" or with_ledger
    if is_marked and any(drawn.answer(node).takes_missing for node in drawn.shown[1:]):
        mark = '"or missing"' if layout == "cards" else '"?" after an answer'
        said.append(f"{mark}: rows without a value go there.")
    return " ".join(said)
