"""``treewright prune``: cut a grown tree back, and say what was cut and why."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import TYPE_CHECKING, Any

from treewright.cli.algorithms import value_of
from treewright.cli.command import MODEL, Answer, Argument, Command
from treewright.cli.data_files import HowToRead
from treewright.cli.failure import usage
from treewright.cli.fitting.model_table import known_rows, model_table
from treewright.cli.fitting.model_words import size_in_words
from treewright.cli.model_files import describe_model, load_model, tree_of
from treewright.cli.options import READING
from treewright.cli.out_files import check_model_name, check_out
from treewright.cli.python_lines import Raw, call, statement
from treewright.cli.session import Session

if TYPE_CHECKING:
    from treewright import Tree
    from treewright.cli.screen.screen import Screen
    from treewright.prune import Pruner


def prune(
    session: Session,
    *,
    model: str,
    data: str | None,
    method: str | None,
    settings: tuple[tuple[str, str], ...],
    out: str | None,
    force: bool,
    **options: Any,
) -> Answer:
    """Prune the tree of a model, and save the model with the smaller tree."""
    del force  # the session has it
    pruner = _pruner(session, method, settings, has_rows=data is not None)
    path = out or _usual_out(model)
    described = describe_model(model)
    check_model_name(path, command="prune")
    file = check_out(session, path, inputs=(model, *(() if data is None else (data,))))
    loaded = load_model(model)
    before = tree_of(model, loaded, command="prune")
    rows: tuple[Any, ...] = ()
    if data is not None:
        how = HowToRead(**{name: options[name] for name in READING})
        read = model_table(session, data, model, loaded, how=how, target=options["target"])
        table = known_rows(session, read)
        names = list(before.schema.input_names or before.schema.names)
        rows = (table.X.select(names), table.y)
    pruned = before.prune(pruner, *rows)
    made = _with_tree(loaded, pruned)
    import treewright as tw

    tw.save(made, path, remember=dict(described.remembered))
    session.writing = None
    return Answer(
        text=lambda screen: _text(before, pruned, made, screen),
        result=lambda: _result(before, pruned, path, file.replaces),
        said=[file.said(session.side)],
    )


def _pruner(
    session: Session,
    method: str | None,
    settings: tuple[tuple[str, str], ...],
    *,
    has_rows: bool,
) -> Pruner:
    from treewright.parameters import nearest
    from treewright.prune import PRUNERS

    by_name = {each.name: each for each in PRUNERS}
    if method is None:
        method = "reduced_error" if has_rows else "pessimistic"
        rows = "with rows to prune by" if has_rows else "without rows"
        session.note("method-assumed", f"{method} pruning, as {rows}", remedy="--method NAME")
    name = method.replace("-", "_")
    if name not in by_name:
        near = nearest(name, by_name)
        raise usage(
            f"no way of pruning {method!r}",
            code="unknown-method",
            hint=f"--method {near}" if near else f"--method {', '.join(by_name)}",
            parameter="method",
        )
    known = by_name[name].__dataclass_fields__
    for each, _ in settings:
        if each not in known:
            near = nearest(each, known)
            raise usage(
                f"{name} has no parameter {each!r}",
                code="unknown-parameter",
                hint=f"--set {near}=VALUE" if near else f"its parameters: {', '.join(known)}",
                parameter=each,
            )
    return by_name[name](**{each: value_of(text) for each, text in settings})


def _usual_out(model: str) -> str:
    file = Path(model)
    return str(file.with_name(f"{file.stem}-pruned{file.suffix}"))


def _with_tree(model: Any, tree: Tree) -> Any:
    """Return a model with another tree; a tree alone stays one."""
    if not hasattr(model, "tree_"):
        return tree
    made = copy.copy(model)
    made.tree_ = tree
    return made


def _text(before: Tree, pruned: Tree, made: Any, screen: Screen) -> str:
    from treewright.cli.screen.trees import tree_on_screen

    record = pruned.pruning
    told = "nothing was cut"
    if record is not None and len(record):
        # The first two lines are sentences, the rest is a table.
        lines = record.text().split("\n")
        told = "\n".join([*map(screen.sentence, lines[:2]), *lines[2:]])
    size = f"{before.n_leaves} leaves before; {size_in_words(made).partition(' (')[0]}"
    parts = [told, tree_on_screen(pruned, screen, whole=False), screen.sentence(size)]
    return "\n\n".join(parts)


def _result(before: Tree, pruned: Tree, path: str, replaced: bool) -> dict[str, Any]:
    from treewright.cli.fitting.model_words import description_to_dict
    from treewright.persist.description import describe

    record = pruned.pruning
    steps = [] if record is None else record.steps
    return {
        "model": description_to_dict(describe(path)),
        "file": path,
        "replaced": replaced,
        "tree": pruned.to_dict(),
        "check": None,
        "training_error": None,
        "leaves": {"before": before.n_leaves, "after": pruned.n_leaves},
        "steps": [
            {
                "node": each.node,
                "action": each.action,
                "before": each.before,
                "after": each.after,
                "leaves": each.n_leaves,
            }
            for each in steps
        ],
    }


def python(
    session: Session,
    *,
    model: str,
    data: str | None,
    method: str | None,
    settings: tuple[tuple[str, str], ...],
    out: str | None,
    force: bool,
    **options: Any,
) -> str:
    """Return the lines that prune and save the same tree."""
    pruner = _pruner(session, method, settings, has_rows=data is not None)
    made = call(
        f"tw.prune.{type(pruner).__name__}",
        **{name: Raw(repr(value_of(text))) for name, text in settings},
    )
    lines = ["import treewright as tw", f"model = {call('tw.load', model)}"]
    rows = ""
    if data is not None:
        from treewright.cli.fitting.python_fit import read_call, variable

        loaded = load_model(model)
        table = model_table(session, data, model, loaded, target=options["target"])
        tree = tree_of(model, loaded, command="prune")
        name = variable(table.raw.stem)
        lines.append(statement(f"{name} = {read_call(table)}"))
        names = list(tree.schema.input_names or tree.schema.names)
        rows = f", {name}.X.select({names!r}), {name}.y"
    lines.append(statement(f"model.tree_ = model.tree_.prune({made}{rows})"))
    lines.append("print(model.tree_.pruning)")
    kept = Raw(f"{call('tw.persist.describe', model)}.remembered")
    lines.append(statement(call("tw.save", Raw("model"), out or _usual_out(model), remember=kept)))
    return "\n".join(lines)


COMMAND = Command(
    name="prune",
    sentence="Cut a grown tree back, say what was cut and why, and save the smaller model.",
    arguments=(
        MODEL,
        Argument(name="data", metavar="DATA", takes="data", required=False),
    ),
    options=("target", *READING, "method", "settings", "out", "force"),
    examples=(
        ("treewright prune loans.tw", "by its own counts"),
        ("treewright prune loans.tw held-back.csv", "by rows held back"),
        ("treewright prune loans.tw --method to_depth --set depth=3", "three levels"),
    ),
    run=prune,
    python=python,
    more="Writes MODEL-pruned.tw unless --out says otherwise; the model itself stays as it is.",
)
