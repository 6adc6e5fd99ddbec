"""Section: what is in the table, and what could mislead?"""

from __future__ import annotations

import numpy as np

from treewright.chart.colours import MOST_CLASS_HUES
from treewright.chart.words import count, percent
from treewright.reporting.findings import Findings
from treewright.reporting.page.figures import NARROW, WIDE
from treewright.reporting.page.markup import Markup, Piece, markup, named, shown, tag
from treewright.reporting.page.tables import Head, folded, table
from treewright.reporting.sections.section import Section, paragraph
from treewright.reporting.table.profile import ColumnProfile, edges_of
from treewright.reporting.table.small_pictures import histogram, share_bar
from treewright.reporting.words import counted, signed
from treewright.text.numbers import figures

_MOST_COLUMNS = 60
"""Lines of columns; of a wider table those come first that have a remark or are asked about."""
_MOST_CLASSES = 12
_FEW_ROWS = 50


def data_section(found: Findings) -> Section:
    """Return the section."""
    return Section(
        anchor="data",
        name="The data",
        question="What is in the table, and what could mislead?",
        finding=_finding(found),
        blocks=[_about(found), *_target(found), *_columns(found), _others(found)],
    )


def _finding(found: Findings) -> str:
    profile = found.profile
    if profile.alone:
        names = [shown(name) for name in profile.alone]
        verb = "says" if len(names) == 1 else "say"
        return f"{_some(names)} {verb} the answer almost alone: known beforehand?"
    named_ones = found.identifiers
    if named_ones:
        verb = "names" if len(named_ones) == 1 else "name"
        return (
            f"{_some([shown(each) for each in named_ones])} {verb} rows and cannot help on new ones"
        )
    rare = profile.rare_classes
    if rare:
        names = [shown(found.classes[k]) for k in rare]
        return f"{_some(names)} {'is' if len(names) == 1 else 'are'} rare"
    if profile.often_missing:
        names = [shown(each.name) for each in profile.often_missing]
        return f"{_some(names)} {'is' if len(names) == 1 else 'are'} often missing"
    if profile.same:
        one, other = next(iter(profile.same.items()))
        return f"{shown(one)} says the same as {shown(other)}"
    if profile.n_repeated > 0.05 * profile.n_rows:
        return f"{percent(profile.n_repeated / profile.n_rows)} of the rows repeat another"
    if profile.n_rows < _FEW_ROWS:
        return f"{counted(profile.n_rows, 'row')} are few"
    return "Nothing in the table looks misleading"


def _some(names: list[str]) -> str:
    if len(names) <= 2:
        return " and ".join(names)
    return f"{names[0]}, {names[1]} and {len(names) - 2} more"


def _about(found: Findings) -> Markup:
    given, profile = found.given, found.profile
    kinds: dict[str, int] = {}
    for each in profile.columns:
        kinds[each.kind] = kinds.get(each.kind, 0) + 1
    told = [
        counted(n, kind, f"{kind}s" if kind != "yes or no" else kind) for kind, n in kinds.items()
    ]
    rows = counted(found.data.n_rows, "row")
    columns = counted(len(profile.columns), "column")
    first = f"{rows}, {columns} to learn from ({', '.join(told)})."
    groups = ""
    if found.data.groups is not None:
        n_groups = len(np.unique(found.data.groups.astype(str)))
        groups = f"The rows belong to {counted(n_groups, 'group')}, which are never divided."
    weights = "The rows have weights." if found.data.weights is not None else ""
    del given
    return paragraph(first, groups, weights)


def _target(found: Findings) -> list[Markup]:
    title = tag("h3", "The target, ", shown(found.given.target))
    if not found.is_classification:
        return [title, _numbers_target(found)]
    counts = found.profile.class_counts
    shares = counts / max(counts.sum(), 1)
    name = "Shares of the classes"
    bars = [
        tag("div", share_bar(shares, width=width, title=name, prefix=prefix), class_=class_)
        for width, prefix, class_ in (
            (WIDE, "target-w", "wide"),
            (NARROW, "target-n", "narrow"),
        )
    ]
    return [title, class_key(found), tag("figure", bars)]


def class_key(found: Findings) -> Markup:
    """Return the names of the classes with their colours and counts."""
    counts, n_classes = found.profile.class_counts, len(found.classes)
    order = list(range(n_classes))
    if n_classes > MOST_CLASS_HUES:
        order.sort(key=lambda k: -counts[k])
    total = max(int(counts.sum()), 1)
    made = [
        tag(
            "span",
            tag("i", class_=f"swatch b-class-{k}") if n_classes <= MOST_CLASS_HUES else "",
            named(found.classes[k]),
            tag("em", f"{count(int(counts[k]))}, {percent(counts[k] / total, decimals=1)}"),
        )
        for k in order[:_MOST_CLASSES]
    ]
    rest = n_classes - len(made)
    more = tag("span", f"and {rest:,} more") if rest > 0 else ""
    return tag("div", made, more, class_="key")


def _numbers_target(found: Findings) -> Markup:
    numbers = found.data.y.astype(np.float64)
    edges, is_log = edges_of(numbers)
    bars = np.histogram(numbers, edges)[0].astype(np.float64)[:, np.newaxis]
    middle = [numbers.min(), np.median(numbers), numbers.mean(), numbers.max()]
    texts = [signed(text) for text in figures([float(each) for each in middle])]
    words = ("least", "median", "mean", "largest")
    facts = ", ".join(f"{word} {text}" for word, text in zip(words, texts, strict=True))
    pictures = [
        tag(
            "div",
            histogram(
                bars,
                title=facts,
                prefix=f"target-{class_}",
                has_gaps=False,
                rest=False,
                size=(width, 90),
            ),
            class_=class_,
        )
        for width, class_ in ((WIDE, "wide"), (NARROW, "narrow"))
    ]
    scale = "; the histogram has a log scale" if is_log else ""
    return tag("figure", pictures, tag("figcaption", f"{facts}{scale}"))


def _columns(found: Findings) -> list[Markup]:
    columns = list(found.profile.columns)
    asked = set() if found.tree is None else _asked(found)
    if len(columns) > _MOST_COLUMNS:
        columns.sort(key=lambda each: (not remarks_of(found, each), each.name not in asked))
    lines = [_line(found, i, each) for i, each in enumerate(columns[:_MOST_COLUMNS])]
    heads = [
        Head("column"),
        Head("kind", drop=True, is_tight=True),
        Head("missing", is_number=True, is_tight=True),
        Head("distinct", is_number=True, drop=True),
        Head("rows by value"),
        Head("values", drop=True),
        Head("to know", drop=True),
    ]
    if not any(remarks_of(found, each) for each in columns[:_MOST_COLUMNS]):
        heads, lines = heads[:-1], [line[:-1] for line in lines]
    made = [tag("h3", "The columns"), table(heads, lines, full=True, most=_MOST_COLUMNS)]
    rest = columns[_MOST_COLUMNS:]
    if rest:
        names = ", ".join(shown(each.name, 24) for each in rest[:500])
        made.append(folded(f"{len(rest):,} more columns, without remarks", tag("p", names)))
    return made


def _asked(found: Findings) -> set[str]:
    assert found.tree is not None
    return set(found.given.X.columns) - set(found.tree.unused_columns)


def _line(found: Findings, number: int, each: ColumnProfile) -> list[Piece]:
    title = f"{shown(each.name)}: {each.values}" + (", log scale" if each.is_log else "")
    picture = histogram(
        each.bars,
        title=title,
        prefix=f"col-{number}",
        has_gaps=each.kind in ("text", "yes or no"),
        rest=each.n_rest > 1,
    )
    share = each.n_missing / max(found.profile.n_rows, 1)
    missing = f"{each.n_missing:,}" if each.n_missing else "0"
    gaps = tag("span", missing, title=percent(share, decimals=1) if each.n_missing else None)
    scale = " (log scale)" if each.is_log else ""
    remarks = "; ".join(remarks_of(found, each))
    below = "; ".join(part for part in (each.kind, remarks) if part)
    return [
        [named(each.name, most=30), tag("span", below, class_="narrow warn")],
        each.kind,
        gaps,
        f"{each.n_distinct:,}",
        picture,
        f"{each.values}{scale}",
        tag("span", remarks, class_="warn"),
    ]


def remarks_of(found: Findings, each: ColumnProfile) -> list[str]:
    """Return what is to be known about a column."""
    profile = found.profile
    told = []
    if each.name in profile.alone:
        told.append("says the answer almost alone: known beforehand?")
    if each.name in found.identifiers:
        told.append("every value differs: it names rows")
    if each.n_distinct == 0:
        told.append("has no value")
    elif each.n_distinct == 1 and not each.n_missing:
        told.append("has one value")
    if each.name in profile.same:
        told.append(f"says the same as {shown(profile.same[each.name], 30)}")
    if each.n_missing and each.n_distinct:
        share = each.n_missing / profile.n_rows
        if share >= 0.2:
            told.append(f"missing in {percent(share)} of the rows")
    return told


def _others(found: Findings) -> Markup:
    """Return what concerns the table as a whole: left out, repeated rows, warnings."""
    profile, made = found.profile, []
    for name, reason in found.given.left_out.items():
        made.append(markup([named(name), f" is left out: {reason}."]))
    if profile.n_repeated:
        share = percent(profile.n_repeated / profile.n_rows, decimals=1)
        rows = counted(profile.n_repeated, "row")
        verb = "repeats" if profile.n_repeated == 1 else "repeat"
        made.append(
            markup(
                f"{rows} ({share}) {verb} another one, answer and all. If they are the same case"
                " written twice, figures for new rows are too good."
            )
        )
    if profile.n_contradicting:
        share = percent(profile.n_contradicting / profile.n_rows, decimals=1)
        rows = counted(profile.n_contradicting, "row")
        made.append(
            markup(
                f"{rows} ({share}) cannot be answered rightly from these columns: others with the"
                " same values have another answer more often."
            )
        )
    said = [*found.group_warnings, *(f"{words}." for words in found.table_warnings)]
    made += [markup(each) for each in said]
    made += [markup(f"{words.rstrip('.')}.") for words in found.given.notes]
    if not made:
        return Markup("")
    return markup([tag("h3", "The rows"), tag("ul", [tag("li", each) for each in made])])
