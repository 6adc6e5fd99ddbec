"""ONNX: a TreeEnsemble of ai.onnx.ml 5 in float64, with what its leaves say beside it.

The trees find leaves, by comparisons of float64; lines of probabilities or scores are then looked
up and added by plain operators. A runtime may add them in another order than the model does.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

import numpy as np

from treewright.data.codes import INT64_MIN
from treewright.errors import ParameterError
from treewright.export.code.inputs_text import refuse_texts
from treewright.export.code.names import identifier
from treewright.export.code.texts import head_of, left_out_of
from treewright.export.exported import Exported
from treewright.export.form.binary import BinaryForm, binary_form
from treewright.export.form.build import form_of

if TYPE_CHECKING:
    from treewright.export.form.inputs import Input

LEQ, MEMBER = 0, 6
"""Modes of nodes: BRANCH_LEQ and BRANCH_MEMBER."""
_OPSET, _ML_OPSET, _IR = 18, 5, 10


def onnx_source(model: object, *, name: str = "model") -> Exported:
    """Return a model as ONNX; see :func:`treewright.export.onnx`."""
    form = form_of(model)
    refuse_texts(form, "onnx")
    name = identifier(name, otherwise="model")
    binary = binary_form(form, "onnx", ranks=True)
    for each in binary.form.inputs:
        if each.type == "text" and "" in each.values:
            raise form.refuse(
                "onnx",
                f"column {each.name!r} has the empty text as a category, which stands for a missing"
                " value there",
                "name the category before fit",
            )
    left = list(left_out_of(form))
    if any(each.type == "text" for each in form.inputs):
        left.append("texts are never null in ONNX: a missing one is given as the empty text")
    if any(each.is_whole for each in form.inputs):
        left.append("int64 has no null in ONNX: a missing date is given as the least int64 (NaT)")
    content = _Writer(binary, name).model().SerializeToString()
    says = "prediction" if form.classes is None else "label and probabilities"
    return Exported(
        content=content,
        target="onnx",
        entry=f"inputs by column, outputs {says}",
        name=name,
        said=f"ONNX with TreeEnsemble (ai.onnx.ml {_ML_OPSET}) in float64, {form.size}",
        left_out=tuple(left),
        any_order=True,
    )


def _package() -> Any:
    try:
        return importlib.import_module("onnx")
    except ImportError:
        raise ParameterError(
            "export.onnx needs the package onnx.\n  Hint: pip install treewright[onnx]."
        ) from None


class _Writer:
    """Writes the graph of a model, operator by operator."""

    def __init__(self, binary: BinaryForm, name: str) -> None:
        self.onnx = _package()
        self.helper = self.onnx.helper
        self.types = self.onnx.TensorProto
        self.binary, self.form, self.name = binary, binary.form, name
        self.nodes: list[Any] = []
        self.constants: list[Any] = []
        self.count = 0
        self._votes: str | None = None  # what decides, where probabilities do not

    def model(self) -> Any:
        """Return the whole model."""
        form, helper, types = self.form, self.helper, self.types
        inputs = [
            helper.make_tensor_value_info(each.name, self._type(each), [None, 1])
            for each in form.inputs
        ]
        answers = self._answers(self._columns())
        outputs = []
        if form.classes is None:
            self._op("Identity", [answers], output="prediction")
            outputs.append(helper.make_tensor_value_info("prediction", types.DOUBLE, [None, 1]))
        else:
            label_type = self._label(self._votes or answers)
            self._op("Identity", [answers], output="probabilities")
            n = len(form.classes)
            outputs.append(helper.make_tensor_value_info("label", label_type, [None]))
            outputs.append(helper.make_tensor_value_info("probabilities", types.DOUBLE, [None, n]))
        graph = helper.make_graph(self.nodes, self.name, inputs, outputs, self.constants)
        opsets = [helper.make_opsetid("", _OPSET), helper.make_opsetid("ai.onnx.ml", _ML_OPSET)]
        made = helper.make_model(graph, opset_imports=opsets, ir_version=_IR)
        made.producer_name = "treewright"
        made.doc_string = head_of(form, "onnx", self.name)
        return made

    def _op(self, kind: str, inputs: list[str], *, output: str | None = None, **given: Any) -> str:
        self.count += 1
        output = output or f"tw_{self.count}"
        self.nodes.append(self.helper.make_node(kind, inputs, [output], **given))
        return output

    def _constant(self, values: Any) -> str:
        self.count += 1
        name = f"tw_c{self.count}"
        array = np.asarray(values)
        self.constants.append(self.onnx.numpy_helper.from_array(array, name))
        return name

    def _columns(self) -> str:
        """Return the columns side by side as float64: codes of categories, NaN where missing."""
        columns = [self._column(each) for each in self.form.inputs]
        if not columns:  # a model of one leaf: any row will do
            raise self.form.refuse("onnx", "the model asks nothing", "export to python or c")
        return self._op("Concat", columns, axis=1)

    def _type(self, each: Input) -> Any:
        if each.type == "text":
            return self.types.STRING
        return self.types.INT64 if each.is_whole else self.types.DOUBLE

    def _rank(self, each: Input) -> str:
        """Return how many cuts are below a whole number, as a float64; NaN where it is missing."""
        place = self.form.inputs.index(each)
        cuts = np.array([self.form.threshold_values(place)], dtype=np.int64)
        above = self._op("Cast", [self._op("Greater", [each.name, self._constant(cuts)])], to=11)
        one = self._constant(np.array([1], dtype=np.int64))
        rank = self._op("ReduceSum", [above, one], keepdims=1)
        least = self._constant(np.array([INT64_MIN], dtype=np.int64))
        is_missing = self._op("Equal", [each.name, least])
        return self._op("Where", [is_missing, self._constant([np.nan]), rank])

    def _column(self, each: Input) -> str:
        if each.is_whole:
            return self._rank(each)
        if each.type == "text":
            keys = np.array([*map(str, each.values), ""], dtype=object)
            codes = np.array([*map(float, range(len(each.values))), np.nan])
            tensor = self.onnx.numpy_helper.from_array
            return self._op(
                "LabelEncoder",
                [each.name],
                domain="ai.onnx.ml",
                keys_tensor=tensor(keys),
                values_tensor=tensor(codes),
                default_tensor=tensor(np.array([float(len(each.values))])),
            )
        if not each.is_category:
            return each.name
        # Numbers as categories: the code of each, or one beyond the last.
        unseen = self._constant(np.array([float(len(each.values))]))
        code = self._op("Add", [self._op("Mul", [each.name, self._constant([0.0])]), unseen])
        for place, value in enumerate(each.values):
            is_it = self._op("Equal", [each.name, self._constant([float(value)])])  # type: ignore[arg-type]
            code = self._op("Where", [is_it, self._constant([float(place)]), code])
        return code

    def _trees(self, columns: str) -> str:
        """Return the line that each tree says, rows x trees."""
        modes: list[int] = []
        inputs: list[int] = []
        numbers: list[float] = []
        sets: list[float] = []
        yes: list[int] = []
        no: list[int] = []
        yes_leaf: list[int] = []
        no_leaf: list[int] = []
        missing_yes: list[int] = []
        roots: list[int] = []
        targets: list[int] = []
        weights: list[float] = []
        for tree, nodes in enumerate(self.binary.trees):
            tests = [place for place, node in enumerate(nodes) if not node.is_leaf]
            place_of = {place: len(modes) + number for number, place in enumerate(tests)}
            leaf_of = {}
            for place, node in enumerate(nodes):
                if node.is_leaf:
                    leaf_of[place] = len(weights)
                    targets.append(tree)
                    weights.append(float(node.line))
            if not tests:  # a leaf alone: a test with the same leaf on both sides
                roots.append(len(modes))
                modes.append(LEQ)
                inputs.append(0)
                numbers.append(0.0)
                missing_yes.append(0)
                for side, is_leaf in ((yes, yes_leaf), (no, no_leaf)):
                    side.append(leaf_of[0])
                    is_leaf.append(1)
                continue
            roots.append(place_of[0])
            for place in tests:
                node = nodes[place]
                modes.append(MEMBER if node.codes else LEQ)
                inputs.append(node.input)
                numbers.append(0.0 if node.codes else node.number)
                sets += [*map(float, node.codes), np.nan] if node.codes else []
                missing_yes.append(int(node.missing_yes))
                for side, is_leaf, ahead in ((yes, yes_leaf, node.yes), (no, no_leaf, node.no)):
                    is_leaf.append(int(nodes[ahead].is_leaf))
                    side.append(leaf_of[ahead] if nodes[ahead].is_leaf else place_of[ahead])
        tensor = self.onnx.numpy_helper.from_array
        given: dict[str, Any] = {
            "nodes_modes": tensor(np.array(modes, dtype=np.uint8)),
            "nodes_featureids": inputs,
            "nodes_splits": tensor(np.array(numbers, dtype=np.float64)),
            "nodes_truenodeids": yes,
            "nodes_falsenodeids": no,
            "nodes_trueleafs": yes_leaf,
            "nodes_falseleafs": no_leaf,
            "nodes_missing_value_tracks_true": missing_yes,
            "tree_roots": roots,
            "leaf_targetids": targets,
            "leaf_weights": tensor(np.array(weights, dtype=np.float64)),
            "n_targets": len(self.binary.trees),
            "aggregate_function": 1,
            "post_transform": 0,
        }
        if sets:
            given["membership_values"] = tensor(np.array(sets, dtype=np.float64))
        return self._op("TreeEnsemble", [columns], domain="ai.onnx.ml", **given)

    def _answers(self, columns: str) -> str:
        form = self.form
        lines = self.binary.lines
        is_alone = form.n_trees > 1 and form.n_outputs == lines.shape[1] == 1
        if is_alone:  # numbers that lie side by side are not added one after the other
            lines = np.repeat(lines, 2, axis=1)
        places = self._op("Cast", [self._trees(columns)], to=self.types.INT64)
        said = self._op("Gather", [self._constant(lines), places], axis=0)  # rows x trees x width
        one = self._constant(np.array([1], dtype=np.int64))
        if form.combination == "single":
            return self._op("Squeeze", [said, one])
        if form.n_outputs > 1:
            n_rounds = form.n_trees // form.n_outputs
            shape = self._constant(np.array([-1, n_rounds, form.n_outputs], dtype=np.int64))
            said = self._op("Reshape", [said, shape])
        sums = self._op("ReduceSum", [said, one], keepdims=0)
        if is_alone:
            first = self._constant(np.array([0], dtype=np.int64))
            sums = self._op("Gather", [sums, first], axis=1)
        if form.combination == "mean":
            means = self._op("Div", [sums, self._constant([form.divisor])])
            return self._softened(means) if form.softens else means
        return self._linked(sums)

    def _softened(self, votes: str) -> str:
        if self.form.decision.costs is None:  # votes that differ may have equal probabilities
            self._votes = votes
        scores = self._op("Mul", [votes, self._constant([self.form.sharpness])])
        return self._op("Softmax", [scores], axis=1)

    def _linked(self, scores: str) -> str:
        form = self.form
        one = self._constant([1.0])
        if form.link == "one":
            return self._op("Add", [self._op("Mul", [scores, self._constant([0.0])]), one])
        if form.link in ("identity", "log"):
            said = scores if form.link == "identity" else self._op("Exp", [scores])
            return self._op("Mul", [said, self._constant([2.0**form.shift])])
        if form.link == "softmax":
            return self._op("Softmax", [scores], axis=1)
        if form.link == "ordinal":
            assert form.thresholds is not None
            below = self._expit(self._op("Sub", [self._constant(form.thresholds[None]), scores]))
            zero = self._op("Mul", [scores, self._constant([0.0])])
            ends = self._op("Concat", [below, self._op("Add", [zero, one])], axis=1)
            starts = self._op("Concat", [zero, below], axis=1)
            return self._op("Sub", [ends, starts])
        if form.link == "half_logistic":
            scores = self._op("Mul", [scores, self._constant([2.0])])
        second = self._expit(scores)
        return self._op("Concat", [self._op("Sub", [one, second]), second], axis=1)

    def _expit(self, scores: str) -> str:
        one = self._constant([1.0])
        power = self._op("Exp", [self._op("Neg", [scores])])
        return self._op("Div", [one, self._op("Add", [one, power])])

    def _label(self, answers: str) -> int:
        """Add the output with the class, and return its type."""
        form, types = self.form, self.types
        assert form.classes is not None
        chosen = self._op("ArgMax", [self._judged(answers)], axis=1, keepdims=0)
        if all(isinstance(each, bool | int) for each in form.classes):
            kind = types.INT64
            labels = np.array([int(each) for each in form.classes], dtype=np.int64)  # type: ignore[call-overload]
        elif all(isinstance(each, bool | int | float) for each in form.classes):
            kind, labels = types.DOUBLE, np.array(form.classes, dtype=np.float64)
        else:
            kind, labels = (
                types.STRING,
                np.array([str(each) for each in form.classes], dtype=object),
            )
        self._op("Gather", [self._constant(labels), chosen], output="label", axis=0)
        return int(kind)

    def _judged(self, answers: str) -> str:
        """Return numbers of which the first largest is the class that is chosen."""
        decision = self.form.decision
        rows = self._constant(np.array([1], dtype=np.int64))
        if decision.costs is not None:
            costs = self._op("MatMul", [answers, self._constant(decision.costs.astype(float))])
            least = self._op("ReduceMin", [costs, rows], keepdims=1)
            bound = self._op("Add", [least, self._rounding(least)])
            return self._op("Cast", [self._op("LessOrEqual", [costs, bound])], to=self.types.DOUBLE)
        if decision.preferred is None:
            return answers
        most = self._op("ReduceMax", [answers, rows], keepdims=1)
        near = self._op("Sub", [most, self._rounding(most)])
        ties = self._op("GreaterOrEqual", [answers, near])
        own = np.zeros((1, len(self.form.classes or ())), dtype=bool)
        own[0, decision.preferred] = True
        wins = self._op("And", [ties, self._constant(own)])
        return self._op("Where", [wins, self._constant([2.0]), answers])

    def _rounding(self, numbers: str) -> str:
        """Return what numbers that are equal may differ by.

        It is added: onnxruntime takes a product with 1 + 1e-12 for one with 1, and leaves it out.
        """
        return self._op("Mul", [numbers, self._constant([1e-12])])
