"""Treelite: a model that its libraries predict with and compile (treelite, TL2cgen, FIL)."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

import numpy as np

from treewright.errors import ParameterError
from treewright.export.code.names import identifier
from treewright.export.code.texts import left_out_of
from treewright.export.exported import Exported
from treewright.export.form.binary import BinaryForm, binary_form
from treewright.export.form.build import form_of
from treewright.export.form.form import SOFTENED

if TYPE_CHECKING:
    from treewright.export.form.form import Form

_LINKS = {
    "identity": "identity",
    "log": "exponential",
    "logistic": "sigmoid",
    "half_logistic": "sigmoid",
    "softmax": "softmax",
    SOFTENED: "softmax",
}


def treelite_source(model: object, *, name: str = "model") -> Exported:
    """Return a model as Treelite; see :func:`treewright.export.treelite`."""
    form = form_of(model)
    binary = binary_form(form, "treelite")
    _check(form)
    left = list(left_out_of(form))
    if any(each.is_category for each in form.inputs):
        left.append(
            "names of categories: the columns of the matrix hold their codes, in the order of the"
            " domain, NaN where missing, and the number of categories where unseen"
        )
    if form.classes is not None:
        left.append(
            "classes: probabilities are told in their order, and the largest is to be taken"
        )
        if form.decision.costs is not None:
            left.append("cost matrix: decide by the probabilities")
    columns = ", ".join(each.name for each in form.inputs[:6])
    # Its softmax has float32 inside, whatever the type of leaves.
    in_single = form.softens or (form.combination == "scores" and form.link == "softmax")
    return Exported(
        content=_model(binary).serialize_bytes(),
        target="treelite",
        entry=f"a matrix of {len(form.inputs)} columns: {columns}",
        name=identifier(name, otherwise="model"),
        said=f"Treelite in float64{', softmax in float32' if in_single else ''}, {form.size}",
        left_out=tuple(left),
        precision="float32" if in_single else "float64",
        any_order=True,
    )


def _check(form: Form) -> None:
    if form.combination == "scores" and form.link not in _LINKS:
        raise form.refuse(
            "treelite", f"it has no link {form.link!r}", "export to onnx, c, python or rust"
        )
    if form.shift:
        raise form.refuse(
            "treelite", "targets of extreme size are scaled after the link", "export to onnx or c"
        )


def _model(binary: BinaryForm) -> Any:
    try:
        builder = importlib.import_module("treelite.model_builder")
    except ImportError:
        raise ParameterError(
            "export.treelite needs the package treelite.\n  Hint: pip install treelite."
        ) from None
    form = binary.form
    n_classes = form.n_answers
    is_scores = form.combination == "scores"
    two = form.classes is not None and is_scores and form.n_outputs == 1
    width = 1 if is_scores else binary.lines.shape[1]
    if form.classes is None:
        task, n_class = "kRegressor", 1
    elif two:
        task, n_class = "kBinaryClf", 1
    else:
        task, n_class = "kMultiClf", n_classes
    several = n_class > 1
    factor = 2.0 if form.link == "half_logistic" else 1.0
    if form.softens:
        factor = form.sharpness
    made = builder.ModelBuilder(
        threshold_type="float64",
        leaf_output_type="float64",
        metadata=builder.Metadata(
            num_feature=max(len(form.inputs), 1),
            task_type=task,
            average_tree_output=form.combination == "mean" and not _is_weighted(form),
            num_target=1,
            num_class=[n_class],
            leaf_vector_shape=(1, width if several else 1),
        )
        if not is_scores
        else builder.Metadata(
            num_feature=max(len(form.inputs), 1),
            task_type=task,
            average_tree_output=False,
            num_target=1,
            num_class=[n_class],
            leaf_vector_shape=(1, 1),
        ),
        tree_annotation=builder.TreeAnnotation(
            num_tree=form.n_trees,
            target_id=[0] * form.n_trees,
            class_id=[t % form.n_outputs for t in range(form.n_trees)]
            if is_scores
            else [-1 if several else 0] * form.n_trees,
        ),
        postprocessor=builder.PostProcessorFunc(name=_LINKS[form.link])
        if is_scores or form.softens
        else builder.PostProcessorFunc(name="identity_multiclass" if several else "identity"),
        base_scores=[0.0] * n_class,
    )
    for nodes in binary.trees:
        made.start_tree()
        for place, node in enumerate(nodes):
            made.start_node(place)
            if node.is_leaf:
                line = binary.lines[node.line] * factor
                if _is_weighted(form):
                    line = line / form.divisor
                made.leaf([float(x) for x in line] if several and not is_scores else float(line[0]))
            elif node.codes:
                made.categorical_test(
                    feature_id=node.input,
                    default_left=node.missing_yes,
                    category_list=list(node.codes),
                    category_list_right_child=False,
                    left_child_key=node.yes,
                    right_child_key=node.no,
                )
            else:
                made.numerical_test(
                    feature_id=node.input,
                    threshold=node.number,
                    default_left=node.missing_yes,
                    opname="<=",
                    left_child_key=node.yes,
                    right_child_key=node.no,
                )
            made.end_node()
        made.end_tree()
    return made.commit()


def _is_weighted(form: Form) -> bool:
    """Return whether the sum is divided by something else than the number of trees."""
    return form.combination == "mean" and not np.isclose(form.divisor, form.n_trees, rtol=0, atol=0)
