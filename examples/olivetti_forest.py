"""One tree against a forest on the Olivetti faces, over alpha.

    python examples/olivetti_forest.py                      writes build/olivetti_forest.svg

400 faces of 40 people, 64 x 64 grey levels: 4,096 columns and ten rows a class, the kind of table
on which a single tree does badly. Trees are pruned by cost-complexity, and alpha is the impurity
that a leaf has to save to stay: accuracy on faces not seen is drawn against alpha for a tree and
for a forest each of whose trees is pruned so (textbook, section 3.8.1 and Fig. 3.14). Takes less
than a minute.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.model_selection import StratifiedKFold

import treewright as tw

ROOT = Path(__file__).resolve().parents[1]
FACES = ROOT.parent / "shared" / "datasets" / "olivetti_faces.parquet"
ALPHAS = (0.0, 0.004, 0.008, 0.012, 0.015, 0.0175, 0.02, 0.0225, 0.025)

FloatArray = npt.NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class Curve:
    """Accuracy of one learner over alpha, in per cent; alphas x folds."""

    name: str
    colour: str
    seen: FloatArray
    unseen: FloatArray


def read_faces(path: Path) -> tuple[npt.NDArray[np.float32], npt.NDArray[Any]]:
    """Give the grey levels, faces x pixels, and whose face each is."""
    faces = tw.read(path)
    pixels = [np.asarray(faces[name]) for name in faces.columns if name != "person"]
    return np.column_stack(pixels).astype(np.float32), np.asarray(faces["person"])


def accuracy_over_alpha(
    make: Any, X: npt.NDArray[Any], y: npt.NDArray[Any], *, n_folds: int = 3, **named: str
) -> Curve:
    """Fit by cross-validation for each alpha; `make` takes alpha."""
    folds = list(StratifiedKFold(n_folds, shuffle=True, random_state=0).split(X, y))
    seen, unseen = np.empty((2, len(ALPHAS), n_folds))
    for k, (train, test) in enumerate(folds):
        for i, alpha in enumerate(ALPHAS):
            model = make(alpha).fit(X[train], y[train])
            seen[i, k] = 100 * model.score(X[train], y[train])
            unseen[i, k] = 100 * model.score(X[test], y[test])
    return Curve(seen=seen, unseen=unseen, **named)


def compare(X: npt.NDArray[Any], y: npt.NDArray[Any], *, n_trees: int) -> list[Curve]:
    """Give the curves of a tree and of a forest."""
    return [
        accuracy_over_alpha(
            lambda alpha: tw.RandomForestClassifier(n_trees, ccp_alpha=alpha, random_state=0),
            X,
            y,
            name=f"forest of {n_trees} trees",
            colour="#1b6ca8",
        ),
        accuracy_over_alpha(
            lambda alpha: tw.DecisionTreeClassifier(ccp_alpha=alpha, random_state=0),
            X,
            y,
            name="single tree",
            colour="#c4501b",
        ),
    ]


def table_of(curves: Sequence[Curve]) -> str:
    """Give the curves as text: means over the folds, faces not seen (faces trained on)."""
    lines = ["alpha   " + "".join(f"{curve.name:>24}" for curve in curves)]
    for i, alpha in enumerate(ALPHAS):
        cells = [f"{c.unseen[i].mean():.1f} ({c.seen[i].mean():.1f})" for c in curves]
        lines.append(f"{alpha:<8.4f}" + "".join(f"{cell:>24}" for cell in cells))
    return "\n".join(lines)


WIDTH, HEIGHT = 720, 440
LEFT, RIGHT, TOP, BOTTOM = 64, 160, 56, 56


def svg_of(curves: Sequence[Curve]) -> str:
    """Draw accuracy against alpha; bands reach from the worst fold to the best."""
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}"'
        f' height="{HEIGHT}" font-family="Helvetica, Arial, sans-serif" font-size="13"'
        ' fill="#333333">',
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>',
        _text(LEFT, 28, "Olivetti faces: accuracy over the alpha of pruning", size=16),
        *_axes(),
    ]
    for curve in curves:
        ends = [*zip(ALPHAS, curve.unseen.max(axis=1), strict=True)]
        ends += [*zip(ALPHAS[::-1], curve.unseen.min(axis=1)[::-1], strict=True)]
        band = " ".join(f"{_x(alpha):.1f},{_y(value):.1f}" for alpha, value in ends)
        parts.append(f'<polygon points="{band}" fill="{curve.colour}" fill-opacity="0.15"/>')
        parts.append(_line(curve.seen, curve.colour, 'stroke-dasharray="5 4" stroke-width="1.5"'))
        parts.append(_line(curve.unseen, curve.colour, 'stroke-width="2.5"'))
    parts += _legend(curves)
    return "\n".join([*parts, "</svg>", ""])


def _x(alpha: float) -> float:
    return LEFT + (WIDTH - LEFT - RIGHT) * alpha / max(ALPHAS)


def _y(accuracy: float) -> float:
    return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * accuracy / 100


def _text(x: float, y: float, words: str, *, anchor: str = "start", size: int = 13) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="{size}">{words}</text>'


def _line(values: FloatArray, colour: str, style: str) -> str:
    means = zip(ALPHAS, values.mean(axis=1), strict=True)
    points = " ".join(f"{_x(alpha):.1f},{_y(value):.1f}" for alpha, value in means)
    return f'<polyline points="{points}" fill="none" stroke="{colour}" {style}/>'


def _axes() -> list[str]:
    right, bottom = WIDTH - RIGHT, HEIGHT - BOTTOM
    parts = []
    for accuracy in range(0, 101, 20):
        y = _y(accuracy)
        parts.append(f'<path d="M{LEFT} {y:.1f}H{right}" stroke="#dddddd"/>')
        parts.append(_text(LEFT - 8, y + 4, f"{accuracy} %", anchor="end"))
    for alpha in np.arange(0.0, max(ALPHAS) + 1e-9, 0.005):
        x = _x(alpha)
        parts.append(f'<path d="M{x:.1f} {bottom}v5" stroke="#333333"/>')
        parts.append(_text(x, bottom + 20, f"{alpha:g}", anchor="middle"))
    parts.append(f'<path d="M{LEFT} {bottom}H{right}" stroke="#333333"/>')
    parts.append(_text((LEFT + right) / 2, HEIGHT - 14, "alpha", anchor="middle"))
    return parts


def _legend(curves: Sequence[Curve]) -> list[str]:
    x, parts = WIDTH - RIGHT + 14, []
    entries = [(curve.name, curve.colour, "") for curve in curves]
    entries += [("faces not seen", "#333333", ""), ("trained on", "#333333", "5 4")]
    for i, (words, colour, dashes) in enumerate(entries):
        y = TOP + 14 + 22 * i
        style = f'stroke="{colour}" stroke-width="2" stroke-dasharray="{dashes or "none"}"'
        parts.append(f'<path d="M{x} {y - 4}h22" {style}/>')
        parts.append(_text(x + 28, y, words, size=12))
    return parts


def main(arguments: Sequence[str] | None = None) -> None:
    """Compare, print the figures and write the picture."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--table", type=Path, default=FACES)
    parser.add_argument("--trees", type=int, default=50)
    parser.add_argument("--out", type=Path, default=ROOT / "build" / "olivetti_forest.svg")
    given = parser.parse_args(arguments)
    if not given.table.exists():
        print(f"Skipped: the Olivetti faces are not at {given.table}; --table says where they are.")
        return
    curves = compare(*read_faces(given.table), n_trees=given.trees)
    print("accuracy on faces not seen (and on those trained on), means of 3 folds")
    print(table_of(curves))
    given.out.parent.mkdir(parents=True, exist_ok=True)
    given.out.write_text(svg_of(curves), encoding="utf-8")
    print(f"picture: {given.out}")


if __name__ == "__main__":
    main()
