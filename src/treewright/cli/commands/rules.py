"""``treewright rules``: the tree as if-then rules, or as one formula for a class."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from treewright.cli.command import MODEL, Answer, Command
from treewright.cli.failure import Failure
from treewright.cli.model_files import check_is_model, load_model, tree_of
from treewright.cli.number_words import top_of
from treewright.cli.python_lines import Raw, call, load_line
from treewright.cli.screen.screen import Screen
from treewright.cli.screen.table import Column, display_width
from treewright.cli.screen.trees import linear_model_on_screen
from treewright.cli.screen.words import whole_percent
from treewright.cli.session import Session
from treewright.measures.error_estimates import wilson_interval
from treewright.text.numbers import figure
from treewright.tree.condition import COMPLETE
from treewright.tree.node_text import label_in_words

if TYPE_CHECKING:
    from treewright.rules.rule import Rule

_TOP = 20


@dataclass(frozen=True, kw_only=True)
class _Counted:
    """A rule with the rows that meet it, and how many of them it is right about."""

    rule: Rule
    rows: float
    right: float | None
    model: int | None = None

    @property
    def answer(self) -> str:
        """The answer in words; a linear model by its number."""
        return label_in_words(self.rule.label) if self.model is None else f"LM{self.model}"

    @property
    def share(self) -> float | None:
        return None if self.right is None or not self.rows else self.right / self.rows

    @property
    def ends(self) -> tuple[float, float]:
        low, high = wilson_interval(self.right or 0.0, self.rows)
        return float(low), float(high)


def rules(
    session: Session,
    *,
    model: str,
    label: str | None,
    top: str | None,
    formula: bool,
    data: str | None,
) -> Answer:
    """Return the rules of a tree or of a rule set, the widest first."""
    loaded = _loaded(model)
    labels = _labels(model, loaded, label)
    most = top_of(top, _TOP)
    if formula:
        tree = tree_of(model, loaded, command="rules --formula")
        found = {name: tree.dnf(name) for name in labels}
        return Answer(
            text=lambda screen: "\n".join(
                _formula(label_in_words(name), each, screen) for name, each in found.items()
            ),
            result=lambda: {"formulas": {str(name): each.text() for name, each in found.items()}},
        )
    counted = _numbered(_counted(session, model, loaded, data), loaded)
    blocks = _blocks(counted, labels)
    return Answer(
        text=lambda screen: _text(blocks, screen, top=most, data=data),
        result=lambda: {"rules": [_to_dict(each) for _, own in blocks for each in own]},
    )


def _loaded(path: str) -> Any:
    """Return the tree of a file, or the model where it has no one tree: a rule set, it may be."""
    from treewright.persist.tree_alone import load_tree

    check_is_model(path)
    return load_tree(path) or load_model(path)


def _labels(path: str, loaded: Any, label: str | None) -> list[Any]:
    """Return the classes that are asked for: one, or all; none for numbers."""
    from treewright.parameters import nearest

    classes = getattr(loaded, "classes_", None)
    if classes is None and getattr(loaded, "classes", None) is not None:
        classes = loaded.classes[0]
    names = [] if classes is None else list(classes.tolist())
    if label is None:
        return names
    for name in names:
        if str(name) == label:
            return [name]
    near = nearest(label, map(str, names))
    raise Failure(
        code="class-not-found",
        message=f"{path} has no class {label!r}" if names else f"{path} predicts numbers",
        found=f"Classes: {', '.join(map(str, names[:10]))}." if names else "",
        hint="" if near is None else f"--class {near}",
        file=path,
    )


def _counted(session: Session, path: str, loaded: Any, data: str | None) -> list[_Counted]:
    found = _rules_of(path, loaded)
    if data is None:
        return [
            _Counted(
                rule=rule,
                rows=rule.covers,
                right=None if rule.errors is None else rule.covers - rule.errors,
            )
            for rule in found
        ]
    import numpy as np

    from treewright.cli.data_files import table_like

    tree = tree_of(path, loaded, command="rules --data")
    table = table_like(session, data, path, loaded)
    leaves = np.asarray(tree.apply(table.X))
    made = []
    for rule in found:
        here = leaves == rule.leaf
        right = None
        if tree.classes is not None:
            right = float(np.sum(table.y[here] == rule.label))
        made.append(_Counted(rule=rule, rows=float(here.sum()), right=right))
    return made


def _numbered(counted: list[_Counted], loaded: Any) -> list[_Counted]:
    """Return rules whose answers are linear models with the numbers that the tree gives them."""
    from treewright.tree.linear_leaves import LinearModel
    from treewright.tree.node_text import model_numbers

    tree = getattr(loaded, "tree_", loaded)
    known = model_numbers(tree) if getattr(tree, "linear", None) is not None else {}
    return [
        replace(each, model=known.get(-1 if each.rule.leaf is None else each.rule.leaf, i))
        if isinstance(each.rule.label, LinearModel)
        else each
        for i, each in enumerate(counted, start=1)
    ]


def _rules_of(path: str, loaded: Any) -> list[Rule]:
    from treewright.rules.ruleset import RuleSet

    if isinstance(loaded, RuleSet):
        return list(loaded.rules)
    held = getattr(loaded, "ruleset_", None)
    if isinstance(held, RuleSet):
        return list(held.rules)
    return list(tree_of(path, loaded, command="rules").rules())


def _blocks(counted: list[_Counted], labels: list[Any]) -> list[tuple[Any, list[_Counted]]]:
    """Return the rules of each class, those that most rows meet first."""
    by_rows = sorted(counted, key=lambda each: -each.rows)
    if not labels:
        return [(None, by_rows)]
    made = [(label, [each for each in by_rows if each.rule.label == label]) for label in labels]
    return [(label, own) for label, own in made if own]


def _text(
    blocks: list[tuple[Any, list[_Counted]]], screen: Screen, *, top: int | None, data: str | None
) -> str:
    if screen.plain:
        return _records([each for _, own in blocks for each in own[:top]], screen)
    parts = []
    for label, own in blocks:
        lines = _block(label, own[:top], screen)
        if top is not None and len(own) > top:
            lines.append(f"{screen.ellipsis} {len(own) - top} more (--top all)")
        parts.append("\n".join(lines))
    for _, own in blocks:
        parts += [
            linear_model_on_screen(each.model, each.rule.label, screen)
            for each in own[:top]
            if each.model is not None
        ]
    text = "\n\n".join(parts) or "no rule"
    if any(each.right is not None for _, own in blocks for each in own):
        where = f"the rows of {data}" if data else "the rows that grew the tree"
        more = "" if data else "; --data FILE counts others"
        text += "\n" + screen.sentence(f"'right' is counted on {where}{more}")
    return text


def _block(label: Any, own: list[_Counted], screen: Screen) -> list[str]:
    """Return the lines of one class: conditions wrapped, figures beside their last line."""
    heading = "if" if label is None else f"{label_in_words(label)}, if"
    figures = _figures(own)
    widths = [max(len(header), *map(len, cells)) for header, cells, _ in figures]
    beside = sum(widths) + 2 * len(widths)
    digits = len(str(len(own)))
    indent = digits + 2
    conditions = [_condition(each.rule, screen) for each in own]
    most = None if screen.width is None else max(20, screen.width - beside - indent)
    wrapped = [_wrapped(words, most) for words in conditions]
    longest = max(display_width(line) for lines in wrapped for line in lines)
    room = max(display_width(heading), indent + longest)
    head = "".join(
        f"  {_placed(header, width, left)}"
        for (header, _, left), width in zip(figures, widths, strict=True)
    )
    lines = [f"{screen.bold(heading)}{' ' * (room - display_width(heading))}{head}".rstrip()]
    for i, pieces in enumerate(wrapped):
        starts = [str(i + 1).rjust(digits) + "  ", *[" " * indent] * (len(pieces) - 1)]
        block = [start + piece for start, piece in zip(starts, pieces, strict=True)]
        cells = "".join(
            f"  {_placed(c[i], w, left)}" for (_, c, left), w in zip(figures, widths, strict=True)
        )
        block[-1] = f"{block[-1]}{' ' * (room - display_width(block[-1]))}{cells}".rstrip()
        lines += block
    return lines


def _figures(own: list[_Counted]) -> list[tuple[str, list[str], bool]]:
    """Return the printed columns beside rules: header, cells, and whether they stand left."""
    made = [("rows", [figure(each.rows) for each in own], False)]
    if all(each.right is None for each in own):
        return [*made, ("predicts", [each.answer for each in own], False)]
    shares = ["" if each.share is None else f"{whole_percent(each.share)} %" for each in own]
    ends = [
        "" if each.share is None else " to ".join(whole_percent(end) for end in each.ends)
        for each in own
    ]
    return [*made, ("right", shares, False), ("95 %", ends, True)]


def _placed(text: str, width: int, left: bool) -> str:
    return text.ljust(width) if left else text.rjust(width)


def _condition(rule: Rule, screen: Screen) -> str:
    wording = replace(COMPLETE, ascii=screen.ascii)
    return " and ".join(each.text(wording) for each in rule.conditions) or "always"


def _wrapped(words: str, width: int | None) -> list[str]:
    """Return conditions broken before ``and``, and where one is too long between its words."""
    if width is None:
        return [words]
    lines = [""]
    for i, part in enumerate(words.split(" and ")):
        piece = part if i == 0 else f"and {part}"
        joined = f"{lines[-1]} {piece}".strip()
        if len(joined) <= width or not lines[-1]:
            lines[-1] = joined
        else:
            lines.append(piece)
    return [
        short
        for line in lines
        for short in textwrap.wrap(
            line, max(width, 10), break_long_words=False, break_on_hyphens=False
        )
    ]


def _records(own: list[_Counted], screen: Screen) -> str:
    columns = [
        Column("class", [label_in_words(each.rule.label) for each in own]),
        Column("if", [_condition(each.rule, screen) for each in own]),
        Column("rows", [figure(each.rows) for each in own]),
        Column("right", ["" if each.right is None else figure(each.right) for each in own]),
    ]
    return screen.table(columns)


def _formula(name: str, dnf: Any, screen: Screen) -> str:
    """Return a formula broken before ``or``."""
    wording = replace(COMPLETE, ascii=screen.ascii)
    terms = dnf.text(wording).split(" or ")
    head = f"{name} = "
    if screen.width is None or screen.plain:
        return head + " or ".join(terms)
    # A name may take the whole line: what follows it is then not indented as far.
    indent = " " * (len(head) if display_width(head) <= screen.width // 2 else 2)
    lines = [head + terms[0]]
    for term in terms[1:]:
        joined = f"{lines[-1]} or {term}"
        if display_width(joined) <= screen.width:
            lines[-1] = joined
        else:
            lines.append(f"{indent}or {term}")
    return "\n".join(_broken(line, screen.width, indent) for line in lines)


def _broken(line: str, width: int, indent: str) -> str:
    """Return a term of a formula broken before ``and``, where one line is too short for it."""
    if display_width(line) <= width:
        return line
    deeper = indent + "    "
    first, *rest = line.split(" and ")
    lines = [first]
    for part in rest:
        joined = f"{lines[-1]} and {part}"
        if display_width(joined) <= width:
            lines[-1] = joined
        else:
            lines.append(f"{deeper}and {part}")
    return "\n".join(
        textwrap.fill(
            each,
            max(width, len(deeper) + 20),
            subsequent_indent=f"{deeper}    ",
            break_long_words=False,
            break_on_hyphens=False,
            drop_whitespace=True,
        )
        for each in lines
    )


def _to_dict(each: _Counted) -> dict[str, Any]:
    low, high = each.ends if each.share is not None else (None, None)
    return {
        "conditions": [condition.text(COMPLETE) for condition in each.rule.conditions],
        "class": each.rule.label,
        "rows": each.rows,
        "right": each.right,
        "share": each.share,
        "low": low,
        "high": high,
        "leaf": each.rule.leaf,
    }


def python(
    session: Session,
    *,
    model: str,
    label: str | None,
    top: str | None,
    formula: bool,
    data: str | None,
) -> str:
    """Return the lines that print the same rules, in the words of the library."""
    loaded = _loaded(model)
    names = _labels(model, loaded, label)
    lines = [load_line(model)]
    if formula:
        lines += [f"print({call('model.tree_.dnf', name)}.text())" for name in names]
    elif label is not None:
        chosen = call("model.tree_.rules().for_label", names[0])
        lines.append(f"print({chosen}.text())")
    else:
        lines.append(f"print({Raw('model.tree_.rules().text()')})")
    return "\n".join(lines)


COMMAND = Command(
    name="rules",
    sentence="Print a tree as if-then rules, those that most rows meet first.",
    arguments=(MODEL,),
    options=("label", "top", "formula", "data"),
    examples=(
        ("treewright rules loans.tw", "every class"),
        ("treewright rules loans.tw --class late --top 2", "two rules for one class"),
        ("treewright rules tennis.tw --class Yes --formula", "one formula for a class"),
    ),
    run=rules,
    python=python,
)
