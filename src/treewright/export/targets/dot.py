"""DOT, the language of Graphviz: trees as pictures."""

from __future__ import annotations

from collections.abc import Iterator

from treewright.ensemble.tree_ensemble import TreeEnsemble
from treewright.errors import UnsupportedError
from treewright.export.code.names import identifier, in_comment
from treewright.export.code.texts import HEAD
from treewright.export.exported import Exported
from treewright.export.form.build import fitted_model
from treewright.text.names import on_one_line
from treewright.text.numbers import figure
from treewright.tree.node_text import label_in_words
from treewright.tree.tree import Tree

_MOST_NODES = 20_000


def dot_source(model: object, *, name: str = "model") -> Exported:
    """Return a model as a graph of DOT; see :func:`treewright.export.dot`."""
    fitted = fitted_model(model)
    name = identifier(name, otherwise="model")
    if isinstance(fitted, Tree):
        trees = [fitted]
    elif isinstance(fitted, TreeEnsemble):
        trees = list(fitted)
    else:
        raise UnsupportedError(
            "export.dot: rules are no tree to draw.\n  Hint: print(rules), or export.sql(rules)."
        )
    n_nodes = sum(tree.n_nodes for tree in trees)
    if n_nodes > _MOST_NODES:
        raise UnsupportedError(
            f"export.dot: a picture of {n_nodes:,} nodes cannot be read.\n"
            "  Hint: prune the tree, or export one tree of the ensemble."
        )
    head = f"{in_comment(type(model).__name__)}, {HEAD} (dot, {name})"
    lines = [f"// {head}", f"digraph {name} {{"]
    lines.append('    node [shape=box, style="rounded", fontname="sans-serif"];')
    lines.append('    edge [fontname="sans-serif"];')
    for number, tree in enumerate(trees):
        if len(trees) > 1:
            lines.append(f"    subgraph cluster_{number} {{ label={quoted(f'tree {number}')};")
        lines.extend(_tree(tree, f"t{number}_"))
        if len(trees) > 1:
            lines.append("    }")
    lines.append("}")
    return Exported(
        content="\n".join(lines) + "\n",
        target="dot",
        entry=f"digraph {name}",
        name=name,
        said=f"a graph for Graphviz, {n_nodes:,} node{'s' * (n_nodes != 1)}",
        left_out=("predictions: it is a picture",),
    )


def quoted(text: str) -> str:
    """Return a text of DOT on one line: quotes and backslashes escaped, nothing is markup.

    >>> print(quoted('say "b"'))
    "say \\"b\\""
    """
    plain = on_one_line(text).replace("\\", "\\\\").replace('"', '\\"')
    return f'"{plain}"'


def _tree(tree: Tree, prefix: str) -> Iterator[str]:
    for node in range(tree.n_nodes):
        label = label_in_words(tree.label(node))
        rows = f"{figure(float(tree.arrays.n_rows[node]))} rows"
        question = tree.question(node)
        shown = quoted(f"{label}\n{rows}").replace("\\\\n", "\\n")
        yield f"    {prefix}{node} [label={shown}];"
        if question is None:
            continue
        for branch, child in enumerate(tree.children(node)):
            text = quoted(question.text(branch))
            yield f"    {prefix}{node} -> {prefix}{child} [label={text}];"
