"""The interactive page of a tree: collapse, zoom, search, and the path of a row typed in.

The page is one file without a request: its data stand in a block that browsers do not run, and a
Content-Security-Policy allows the one script and the one style whose hashes it names, and nothing
else. So a name that looks like a script stays a name.
"""

from __future__ import annotations

import base64
import hashlib
import json
from functools import cache
from html import escape
from importlib.resources import files
from typing import TYPE_CHECKING, Any

import numpy as np

from treewright.chart.colours import THEMES, Theme, class_fill, colour
from treewright.chart.widths import measure, shorten_apart, shorten_labels
from treewright.chart.words import clean_sentence, count
from treewright.draw.cards import fitted_pair
from treewright.draw.node_marks import bar_parts, has_target, sketch_scale, strip_colour
from treewright.draw.page.questions import column_data, question_data

if TYPE_CHECKING:
    from treewright.chart.svg import AnyTheme
    from treewright.draw.sketch import Sketch
    from treewright.draw.tree_picture import TreePicture

MOST_LEAVES = 2_000
"""Ends that a page holds; of larger trees it has the largest."""

_CARD = 152.0
_N_BINS = 30
_TOKENS = (
    *("paper", "panel", "ink", "ink2", "ink3", "axis", "edge", "rule", "accent", "other"),
    *(f"seq-{i}" for i in range(7)),
)


def interactive_page(picture: TreePicture, theme: AnyTheme = "auto") -> str:
    """Return the page of a picture of a tree."""
    sketch = picture.sketch.to_leaves(MOST_LEAVES)
    script, style = _script(), _style(len(sketch.class_names), theme)
    policy = (
        f"default-src 'none'; script-src '{_hash(script)}'; style-src '{_hash(style)}'; "
        "base-uri 'none'; form-action 'none'"
    )
    title = clean_sentence(picture.title)
    head = (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>{style}</style>\n</head>\n"
    )
    body = _body().replace("{title}", escape(title))
    body = body.replace(
        "{subtitle}", escape(f"{clean_sentence(picture.subtitle)} {picture.reading}")
    )
    data = _as_json(page_data(picture, sketch))
    outline = escape(picture._description())
    return (
        f'{head}<body>\n{body}\n<noscript><pre class="outline">{outline}</pre></noscript>\n'
        f'<script type="application/json" id="tree-data">{data}</script>\n'
        f"<script>{script}</script>\n</body>\n</html>\n"
    )


def in_a_frame(page: str) -> str:
    """Return a page as a frame of a notebook, which cannot reach the notebook itself."""
    return (
        f'<iframe srcdoc="{escape(page, quote=True)}" sandbox="allow-scripts" width="100%" '
        'height="640" title="decision tree"></iframe>'
    )


def page_data(picture: TreePicture, sketch: Sketch) -> dict[str, Any]:
    """Return what the script draws and follows rows with."""
    tree = sketch.tree
    place = {node: i for i, node in enumerate(sketch.shown)}
    names = _short(sketch)
    data: dict[str, Any] = {
        "title": clean_sentence(picture.title),
        "unit": sketch.unit,
        "kind": _kind(sketch),
        "classes": _classes(sketch),
        "columns": column_data(tree),
        "combine": tree.combine,
        "nodes": [_node_data(sketch, node, place, names) for node in sketch.shown],
        "path": [] if sketch.path is None else [place[n] for n in sketch.path.nodes if n in place],
        "told": "" if sketch.path is None else sketch.path.told,
    }
    if tree.leaf.cost_matrix is not None:
        data["costs"] = tree.leaf.cost_matrix.tolist()
    return data


def _kind(sketch: Sketch) -> str:
    if not sketch.has_rows:
        return "plain"
    if sketch.is_numeric:
        return "numbers" if has_target(sketch) else "means"
    return "classes" if sketch.shares else "plain-rows"


def _classes(sketch: Sketch) -> list[list[str]]:
    """Return name, colour and count of each class."""
    n_classes = len(sketch.class_names)
    counts = [""] * n_classes
    if sketch.counts is not None:
        counts = [count(each) for each in sketch.counts[0].tolist()]
    tokens = [class_fill(k, n_classes) if sketch.has_hues else "" for k in range(n_classes)]
    return [list(each) for each in zip(sketch.class_names, tokens, counts, strict=True)]


def _short(sketch: Sketch) -> dict[str, str]:
    """Return the columns and labels, cut to the width of a card."""
    asked = sorted({sketch.asked(node) for node in sketch.shown if not sketch.is_leaf(node)})
    labels = sorted({sketch.label(node) for node in sketch.shown})
    cut = shorten_apart(asked, _CARD - 24, 13, bold=True)
    cut_labels = shorten_labels(labels, _CARD - 26, 13, bold=True)
    found = {f"label {full}": short for full, short in zip(labels, cut_labels, strict=True)}
    return found | {f"column {full}": short for full, short in zip(asked, cut, strict=True)}


def _node_data(
    sketch: Sketch, node: int, place: dict[int, int], names: dict[str, str]
) -> dict[str, Any]:
    is_leaf = sketch.is_leaf(node)
    label, asked = sketch.label(node), "" if is_leaf else sketch.asked(node)
    left, right = fitted_pair(sketch, node, _CARD - 26)
    parent = int(sketch.tree.arrays.parent[node])
    found: dict[str, Any] = {
        "p": place.get(parent, -1),
        "c": [place[child] for child in sketch.children[node]],
        "h": _measured(names[f"label {label}"] if is_leaf else names[f"column {asked}"], 13, True),
        "label": label,
        "asked": asked,
        "l": _measured(left, 11.5),
        "r": _measured(right, 11.5),
        "w": round(sketch.share_of_rows(node), 5),
        "strip": strip_colour(sketch, node),
        "bar": [[token, round(share, 4)] for token, share in bar_parts(sketch, node)],
        "leaves": int(sketch.n_leaves_below[node]),
        "tip": sketch.tooltip(node),
        "rows": sketch.amounts[node],
        "out": sketch.outcome(node),
    }
    if node:
        answer = sketch.answer(node)
        gap = " ?" if answer.takes_missing else ""
        text = answer.fitted(_CARD - measure(gap, 12), 12) + gap
        found |= {"a": _measured(text, 12), "full": answer.full}
    if sketch.children[node]:
        found["q"] = question_data(sketch.tree, node)
    elif not is_leaf:
        found["h"] = _measured(f"► {found['leaves']:,} leaves", 13, True)
    has_model = sketch.tree.linear is not None and sketch.tree.linear.has_model(node)
    if not sketch.children[node] and not has_model:
        found["v"] = [round(value, 6) for value in sketch.tree.answers[node].tolist()]
    if sketch.is_numeric and sketch.has_rows:
        found["d"] = _distribution(sketch, node)
    return found


def _measured(text: str, size: float, bold: bool = False) -> list[Any]:
    return [text, round(measure(text, size, bold=bold), 1)]


def _distribution(sketch: Sketch, node: int) -> dict[str, Any]:
    """Return the bins of a node's target from 0 to 1, and where its mean and one sd lie."""
    scale, mean = sketch_scale(sketch), sketch.means[node]
    spread = 0.0 if sketch.spreads is None else sketch.spreads[node]
    marks = [round(scale.at(mean + side * spread, 0, 1), 4) for side in (-1, 0, 1)]
    if sketch.rows is None or not has_target(sketch):
        return {"bins": [], "at": marks}
    numbers = sketch.rows.target[sketch.rows.at(node)].astype(np.float64)
    bins, _ = np.histogram(numbers, _N_BINS, (scale.low, scale.high))
    return {"bins": (bins / max(bins.max(initial=0), 1)).round(3).tolist(), "at": marks}


def _as_json(data: dict[str, Any]) -> str:
    """Return JSON that cannot end the block it stands in, whatever names it has."""
    text = json.dumps(data, ensure_ascii=True, separators=(",", ":"), allow_nan=False)
    return text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")


def _hash(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"


@cache
def _script() -> str:
    return files(__package__).joinpath("page.js").read_text("utf-8")


@cache
def _body() -> str:
    return files(__package__).joinpath("page.html").read_text("utf-8").strip()


def _style(n_classes: int, theme: AnyTheme) -> str:
    """Return the style: colours of every token, light and dark, then the rules of the page."""
    tokens = [*_TOKENS, *(f"class-{k}" for k in range(min(n_classes, 10)))]
    fills = "".join(f".f-{t}{{fill:var(--{t})}}.b-{t}{{background:var(--{t})}}" for t in tokens)

    def values(each: Theme) -> str:
        return "".join(f"--{token}:{colour(token, each).value};" for token in tokens)

    if theme in THEMES:
        root = f":root{{{values(theme)}}}"
    else:
        dark = f"@media(prefers-color-scheme:dark){{:root{{{values('dark')}}}}}"
        root = f":root{{color-scheme:light dark;{values('light')}}}{dark}"
    root += f"@media print{{:root{{{values('print')}}}}}"
    rules = files(__package__).joinpath("page.css").read_text("utf-8")
    return f"{root}\n{fills}\n{rules}"
