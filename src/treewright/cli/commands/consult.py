"""``treewright consult``: be asked for one row, only for what matters."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from treewright.cli.command import MODEL, VALUES, Answer, Command
from treewright.cli.failure import Failure
from treewright.cli.model_files import load_tree_of
from treewright.cli.python_lines import Raw, call, load_line
from treewright.cli.screen.paths import answer_line
from treewright.cli.session import Session
from treewright.cli.typed_values import pair, typed_values
from treewright.errors import TreewrightError

if TYPE_CHECKING:
    from treewright.cli.screen.screen import Screen
    from treewright.consult.consultation import Consultation

_BACK = "<"


def consult(session: Session, *, model: str, values: tuple[str, ...]) -> Answer:
    """Ask until the answer is settled; without a keyboard, take what was typed on the line."""
    tree = load_tree_of(model, command="consult")
    known = typed_values(tree, [pair(each) for each in values])
    consultation = tree.consult(known=known)
    if session.asks:
        session.tell_notes()
        _converse(consultation, session.screen)
    question = consultation.question
    if question is not None:
        raise Failure(
            code="not-settled",
            message=f"the answer is not settled without {question.column!r}",
            found=f"{session.side.safe(question.column)}: {question.expects}.",
            hint=f"treewright consult {model} {' '.join([*values, f'{question.column}=VALUE'])}",
            column=question.column,
        )
    return Answer(
        text=lambda screen: _text(consultation, screen),
        result=lambda: _to_dict(consultation),
    )


def _converse(consultation: Consultation, screen: Screen) -> None:
    """Ask at the terminal; ``?`` or nothing is not known, ``<`` takes the last answer back."""
    from treewright.consult.dialogue import read_entry

    while (question := consultation.question) is not None:
        try:
            entry = input(f"{screen.safe(question.column)}: {question.expects}? ")
        except EOFError:
            print()
            return
        try:
            if entry.strip() == _BACK and _BACK not in question.choices:
                consultation.undo()
            else:
                consultation.answer(read_entry(question.spec, entry))
        except TreewrightError as error:
            print(screen.sentence(" ".join(str(error).split())), file=sys.stderr)


def _not_needed(consultation: Consultation) -> list[str]:
    known = {reply.column for reply in consultation.asked} | set(consultation.known)
    return [spec.name for spec in consultation.tree.schema.sources if spec.name not in known]


def _text(consultation: Consultation, screen: Screen) -> str:
    tree = consultation.tree
    answer = consultation.probabilities if tree.classes is not None else None
    line = answer_line(tree, consultation.label, answer, screen)
    rest = _not_needed(consultation)
    told = f"; not needed: {screen.safe(', '.join(rest))}" if rest else ""
    return screen.sentence(line + told, indent="  ")


def _to_dict(consultation: Consultation) -> dict[str, Any]:
    tree = consultation.tree
    probabilities = None
    if tree.classes is not None and tree.n_outputs == 1:
        names = map(str, tree.classes[0].tolist())
        probabilities = dict(zip(names, _shares(consultation), strict=True))
    replies = consultation.asked
    return {
        "prediction": consultation.label,
        "probabilities": probabilities,
        "asked": [{"column": each.column, "value": each.value} for each in replies],
        "not_needed": _not_needed(consultation),
        "cost": consultation.cost_so_far,
    }


def _shares(consultation: Consultation) -> list[float]:
    import numpy as np

    return [float(each) for each in np.asarray(consultation.probabilities).reshape(-1)]


def python(session: Session, *, model: str, values: tuple[str, ...]) -> str:
    """Return the lines that ask the same at a terminal."""
    tree = load_tree_of(model, command="consult")
    known = typed_values(tree, [pair(each) for each in values])
    return f"{load_line(model)}\n{call('model.tree_.consult', known=known, ask=Raw('input'))}"


COMMAND = Command(
    name="consult",
    sentence="Be asked for the values of one row, only for those that matter, and get the answer.",
    arguments=(MODEL, VALUES),
    options=(),
    examples=(
        ("treewright consult tennis.tw", "? for unknown, < to go back"),
        ("treewright consult tennis.tw Outlook=Rain", "one value is known"),
        ("treewright consult tennis.tw Wind=Weak --json", "for scripts"),
    ),
    run=consult,
    python=python,
)
