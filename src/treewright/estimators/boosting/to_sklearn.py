"""Fitted gradient boosting of ours as scikit-learn's histogram gradient boosting.

As for single trees, scikit-learn's model is fitted to made-up rows (with every category of every
nominal column among them), and then gets our trees. Both compare numbers in double precision.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from treewright.array_types import Array, BoolArray
from treewright.estimators.to_sklearn import (
    check_not_calibrated,
    made_up_target,
    refuse,
    take_over_names,
)
from treewright.tree.arrays import CATEGORIES
from treewright.tree.sklearn_names import SklearnView

if TYPE_CHECKING:
    from treewright.boosting.ensemble import BoostedEnsemble
    from treewright.data.fitted_schema import ColumnSpec, FittedSchema
    from treewright.tree.tree import Tree

_MOST_CATEGORIES = 255
"""As many as scikit-learn has bins for."""

_LOSSES = ("squared_error", "absolute_error", "poisson", "gamma")
"""Losses that both have by the same name; others take one with the same link."""


def boosting_to_sklearn(model: BoostedEnsemble, *, init: Any, owner: Any) -> Any:
    """Return fitted boosting of scikit-learn; see ``to_sklearn`` of the estimators."""
    from sklearn import ensemble  # late: it loads 170 modules

    _check(model, init, owner)
    if model.classes is None:
        same_link = "poisson" if model.link == "log" else "squared_error"
        loss = model.criterion if model.criterion in _LOSSES else same_link
        kind = ensemble.HistGradientBoostingRegressor
    else:
        loss, kind = "log_loss", ensemble.HistGradientBoostingClassifier
    is_coded = _coded_columns(model.schema)
    theirs = kind(
        loss=loss,
        max_iter=1,
        early_stopping=False,
        categorical_features=is_coded if is_coded.any() else None,
    )
    n_classes = 1 if model.classes is None else len(model.classes[0])
    most = max((len(spec.values) for spec in model.schema.columns), default=0)
    n_rows = max(3 * n_classes, most, 2)
    y = made_up_target(model, n_rows=n_rows)
    theirs.fit(_made_up_table(model.schema, n_rows), y + 1.0 if model.classes is None else y)
    _name_columns(theirs, is_coded, owner)
    writer = _Writer(theirs, model)
    n_outputs = model.core.n_outputs
    trees = [writer.predictor(tree) for tree in model]
    theirs._predictors = [trees[i : i + n_outputs] for i in range(0, len(trees), n_outputs)]
    base = writer.scaled(model.base).reshape(1, n_outputs)
    theirs._baseline_prediction = np.asfortranarray(base)
    theirs.set_params(max_iter=model.n_rounds)
    theirs.precision_ = "float64"
    return theirs


def _name_columns(theirs: Any, is_coded: BoolArray, owner: Any) -> None:
    """Give scikit-learn's model, and what encodes categories for it, our names."""
    take_over_names(theirs, owner)
    if is_coded.any() and hasattr(owner, "feature_names_in_"):
        names = owner.feature_names_in_
        theirs._preprocessor.feature_names_in_ = names
        theirs._preprocessor.named_transformers_["encoder"].feature_names_in_ = names[is_coded]


def _check(model: BoostedEnsemble, init: Any, owner: Any) -> None:
    """Refuse a model that scikit-learn cannot have."""
    check_not_calibrated(owner)
    if model.leaf.cost_matrix is not None:
        raise refuse("its classes are chosen by a cost matrix", owner=owner)
    if model.has_lines:
        raise refuse("its leaves hold linear models", owner=owner)
    if not (init is None or isinstance(init, str)):
        raise refuse(f"its scores start from another model, init={init!r}", owner=owner)
    if model.has_offsets:
        raise refuse("its rows have offsets, which scikit-learn's takes none of", owner=owner)
    if model.link == "ordinal":
        raise refuse("its classes are ordered, and scikit-learn has no such loss", owner=owner)
    if model.classes is not None and len(model.classes[0]) == 1:
        raise refuse("it knows one class only", owner=owner)
    if model.shift and model.link == "log":
        raise refuse("its target is of extreme size", owner=owner)
    for index in np.flatnonzero(model.column_shares("split")).tolist():
        spec = model.schema.columns[index]
        if index >= len(model.schema.positions):
            raise refuse(f"it asks about {spec.name!r}, a derived column", owner=owner)
        if spec.storage in ("datetime", "duration"):
            raise refuse(f"it asks about column {spec.name!r}, whose values are dates", owner=owner)
    for spec in model.schema.columns:
        if len(spec.values) > _MOST_CATEGORIES:
            raise refuse(
                f"column {spec.name!r} has {len(spec.values)} categories, and scikit-learn takes"
                f" {_MOST_CATEGORIES}",
                owner=owner,
            )
        if len(set(map(type, spec.values))) > 1:
            raise refuse(
                f"the categories of column {spec.name!r} are of several types", owner=owner
            )


def _coded_columns(schema: FittedSchema) -> BoolArray:
    """Return which columns of the training table are categories, in an order or not."""
    is_coded = np.zeros(len(schema.input_names), dtype=bool)
    for position, spec in zip(schema.positions, schema.columns, strict=False):  # then derived ones
        is_coded[position] = spec.storage == "value"
    return is_coded


def _made_up_table(schema: FittedSchema, n_rows: int) -> Array:
    """Return rows in which every category of every column occurs."""
    coded = {
        position: np.resize(_as_array(spec), n_rows)
        for position, spec in zip(schema.positions, schema.columns, strict=False)
        if spec.storage == "value"
    }
    are_numbers = all(values.dtype.kind in "biuf" for values in coded.values())
    table: Array = np.zeros(
        (n_rows, len(schema.input_names)), dtype=np.float64 if are_numbers else object
    )
    for position, values in coded.items():
        table[:, position] = values
    return table


def _as_array(spec: ColumnSpec) -> Array:
    values = np.array(spec.values)
    return values if values.dtype.kind in "biuf" else np.array(spec.values, dtype=object)


class _Writer:
    """Writes trees of ours in the form of a fitted model of scikit-learn."""

    def __init__(self, theirs: Any, model: BoostedEnsemble) -> None:
        self._theirs, self._model = theirs, model
        blank = theirs._predictors[0][0]
        self._make, self._dtype = type(blank), blank.nodes.dtype
        # scikit-learn puts coded columns first, and sorts their categories.
        schema = model.schema
        is_coded = _coded_columns(schema)
        self._place = np.empty(len(is_coded), dtype=np.int64)
        self._place[np.argsort(~is_coded, kind="stable")] = np.arange(len(is_coded))
        self._code_of = {}
        if is_coded.any():
            sorted_values = theirs._preprocessor.named_transformers_["encoder"].categories_
            for position, values in zip(np.flatnonzero(is_coded), sorted_values, strict=True):
                spec = schema.columns[schema.positions.index(int(position))]
                rank = {value: i for i, value in enumerate(values.tolist())}
                self._code_of[int(position)] = np.array([rank[v] for v in _as_array(spec).tolist()])

    def scaled(self, scores: Array) -> Array:
        """Return scores as scikit-learn's link takes them; multiplied by powers of two."""
        model = self._model
        if model.link == "half_logistic":
            return 2.0 * scores
        return np.ldexp(scores, model.shift) if model.link == "identity" else scores

    def predictor(self, tree: Tree) -> Any:
        """Return a tree in scikit-learn's form."""
        view, arrays = SklearnView(tree), tree.arrays
        nodes = np.zeros(tree.n_nodes, dtype=self._dtype)
        asks = arrays.n_branches > 0
        nodes["value"] = self.scaled(arrays.value[:, 0])
        nodes["count"] = arrays.n_rows
        nodes["depth"] = tree.levels
        nodes["gain"] = np.where(asks, arrays.gain, 0.0)
        nodes["is_leaf"] = ~asks
        # Not the view's: it cuts booleans at 0.5, where this asks for a category of two.
        nodes["left"][asks] = arrays.first_child[asks]
        nodes["right"][asks] = arrays.first_child[asks] + 1
        nodes["feature_idx"][asks] = self._place[view.feature[asks]]
        nodes["num_threshold"] = np.where(asks, view.threshold, 0.0)
        nodes["missing_go_to_left"] = asks & (arrays.missing_branch == 0)
        is_coded = np.array([spec.storage == "value" for spec in tree.schema.columns])
        by_code = np.flatnonzero(asks & is_coded[arrays.column])
        nodes["is_categorical"][by_code] = 1
        nodes["bitset_idx"][by_code] = np.arange(len(by_code))
        sets = np.zeros((len(by_code), 8), dtype=np.uint32)
        for number, node in enumerate(by_code.tolist()):
            codes = self._code_of[int(view.feature[node])]
            sets[number] = _bits(codes[_goes_first(tree, node)])
        return self._make(nodes, sets, sets)


def _goes_first(tree: Tree, node: int) -> BoolArray:
    """Return which categories of the domain go to the first branch of a node."""
    arrays = tree.arrays
    n_values = len(tree.schema.columns[arrays.column[node]].values)
    if arrays.kind[node] != CATEGORIES:  # a cut of an ordered column
        return np.asarray(np.arange(n_values) <= arrays.threshold_int[node])
    first = np.full(n_values, arrays.unseen_branch[node] == 0)
    owned = slice(arrays.code_offset[node], arrays.code_offset[node] + arrays.code_count[node])
    first[arrays.code[owned]] = arrays.branch_of_code[owned] == 0
    return first


def _bits(codes: Array) -> Array:
    """Return a set of numbers below 256 as eight words of bits.

    >>> _bits(np.array([0, 33])).tolist()
    [1, 2, 0, 0, 0, 0, 0, 0]
    """
    is_in = np.zeros(256, dtype=np.uint8)
    is_in[codes] = 1
    return np.packbits(is_in, bitorder="little").view("<u4").astype(np.uint32)
