"""Section: how often is it wrong, and how? Figures, confusion, curves; of numbers, residuals."""

from __future__ import annotations

from treewright.chart.picture import Picture
from treewright.chart.words import NARROW_SPACE, percent
from treewright.reporting.findings import Findings
from treewright.reporting.page.figures import figure
from treewright.reporting.page.markup import Markup, Piece, markup, tag
from treewright.reporting.page.tables import Head, table
from treewright.reporting.sections.head import baseline_words, worst_class
from treewright.reporting.sections.section import Section, paragraph
from treewright.reporting.words import LEVEL, capital, counted, interval_text, metric_text

_HALF = 464
"""Width of a picture that stands beside another."""


def quality_section(found: Findings) -> Section:
    """Return the section."""
    blocks: list[Markup] = [_lead(found), _figures(found)]
    blocks += _of_classes(found) if found.is_classification else _of_numbers(found)
    return Section(
        anchor="quality",
        name="How good it is",
        question="How often is it wrong, and how?",
        finding=_finding(found),
        blocks=blocks,
    )


def _finding(found: Findings) -> str:
    value = metric_text(found.metric, found.value)
    interval = interval_text(found.metric, found.judged[found.metric.name])
    if found.metric.name == "error":
        return f"{value} of new rows are answered wrongly; {LEVEL} {interval}"
    return f"{capital(found.metric.title)} is {value} on new rows; {LEVEL} {interval}"


def judged_how(found: Findings) -> str:
    """Return how unseen rows came about."""
    folds = found.judged.folds
    seed = "" if folds.seed is None else f", seed {folds.seed}"
    drawn = ""
    if found.n_judged_rows < found.data.n_rows:
        drawn = f" of {found.data.n_rows:,}, drawn by seed {found.seed}"
    return f"{folds.method}{seed}; {counted(found.n_judged_rows, 'row')}{drawn}"


def _lead(found: Findings) -> Markup:
    method = judged_how(found)
    size = "everything that is chosen, its size too, is" if found.tree is not None else "it is"
    told = (
        f"Every row is answered by a {found.noun} that has not seen it ({method}): in each part"
        f" {size} learned from the other rows alone."
    )
    worst = worst_class(found) if found.is_classification else None
    least = ""
    if worst is not None:
        confusion = found.judged.scores.confusion
        row = confusion.classes.index(worst[0])
        counts = confusion.counts[row].copy()
        total = counts.sum()
        counts[row] = -1
        taken = confusion.classes[int(counts.argmax())]
        share = percent(float(counts.max() / total) if total else 0.0)
        least = f"Of {worst[0]}, {share} are taken for {taken}."
    return paragraph(told, least)


def _figures(found: Findings) -> Markup:
    scores = found.judged.scores
    level = f"{100 * scores.level:g}{NARROW_SPACE}% interval"
    assert scores.baseline is not None
    rows: list[list[Piece]] = []
    for each in scores.metrics:
        interval = scores[each.name]
        base = each.value(scores.baseline) if each.is_known(scores.baseline) else float("nan")
        if each.name == "auc":  # of one answer, whatever small differences the folds make
            base = 0.5
        rows.append(
            [
                each.title,
                metric_text(each, interval.value),
                interval_text(each, interval),
                "" if base != base else metric_text(each, base),
            ]
        )
    heads = [
        Head(""),
        Head("value", is_number=True),
        Head(level, is_number=True),
        Head(capital(baseline_words(found).replace("answering ", "")), is_number=True, drop=True),
    ]
    return markup([tag("h3", "Figures"), table(heads, rows, strong=[0])])


def _of_classes(found: Findings) -> list[Markup]:
    scores = found.judged.scores
    made = [figure(scores.confusion.draw(), "confusion", wide=None)]
    if scores.answers.probabilities is None or len(found.classes) < 2:
        return made
    curve = figure(_curve(found), "curve", wide=_HALF)
    calibration = figure(found.judged.calibration().draw(), "calibration", wide=_HALF)
    return [*made, tag("div", curve, calibration, class_="pair")]


def _curve(found: Findings) -> Picture:
    """Return the ROC curve; of two classes one of which is rare, precision and recall."""
    counts = found.judged.scores.confusion.counts.sum(axis=1)
    rare = float(counts.min() / counts.sum()) if counts.sum() else 0.0
    if len(found.classes) == 2 and rare < 0.1:
        return found.judged.precision_recall().draw()
    return found.judged.roc().draw()


def _of_numbers(found: Findings) -> list[Markup]:
    residuals = found.judged.residuals()
    predicted = figure(residuals.draw(), "predicted", wide=_HALF)
    left = figure(residuals.draw_residuals(), "residuals", wide=_HALF)
    return [tag("div", predicted, left, class_="pair")]
