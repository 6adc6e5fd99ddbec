"""Error against the penalty per leaf, in training and by cross-validation: rpart's cptable."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from treewright.array_types import FloatArray, Int64Array
from treewright.criteria import CRITERIA
from treewright.data.column import Column
from treewright.data.frame import Frame
from treewright.data.read.groups import RowGroups
from treewright.errors import ParameterError, UnsupportedError
from treewright.prune.fit import cross_validate
from treewright.prune.methods.cost_complexity import CostComplexity, CostComplexityPath
from treewright.text.numbers import distinct_figures, figures
from treewright.text.table import TextColumn, lay_out
from treewright.tree.tree import Tree


@dataclass(frozen=True, kw_only=True, eq=False)
class ComplexityTable:
    """The trees of cost-complexity pruning, from the root alone to the whole tree; ``print`` it.

    Errors are relative to that of the root alone, as in rpart.

    Parameters
    ----------
    cp
        The penalty per leaf from which each tree is best, as a share of the root's risk.
    n_splits
        Questions of each tree.
    error
        Its error on the training rows.
    cv_error, cv_sd
        Its cross-validated error, and the standard error of that.
    path
        The nested sequence of trees.
    """

    cp: FloatArray
    n_splits: Int64Array
    error: FloatArray
    cv_error: FloatArray
    cv_sd: FloatArray
    path: CostComplexityPath = field(repr=False)

    def __len__(self) -> int:
        return len(self.cp)

    @property
    def best(self) -> int:
        """Position of the tree of least cross-validated error; of equals the smallest."""
        return int(np.argmin(self.cv_error))

    @property
    def one_se(self) -> int:
        """Position of the smallest tree within one standard error of the least error."""
        limit = self.cv_error[self.best] + self.cv_sd[self.best]
        return int(np.flatnonzero(self.cv_error <= limit)[0])

    def tree(self, position: int) -> Tree:
        """Return the tree at a position, such as ``table.tree(table.one_se)``."""
        alphas = self.path.alphas[::-1]
        return self.path.at(float(alphas[position]))

    def to_frame(self) -> Frame:
        """Return the table with rpart's names of columns; ``to_frame().to_pandas()``, for one."""
        columns = {
            "CP": self.cp,
            "nsplit": self.n_splits,
            "rel error": self.error,
            "xerror": self.cv_error,
            "xstd": self.cv_sd,
        }
        stored = {"f": "float", "i": "int"}
        return Frame(
            {
                name: Column(storage=stored[each.dtype.kind], data=each)  # type: ignore[arg-type]
                for name, each in columns.items()
            }
        )

    def __str__(self) -> str:
        marks = [""] * len(self)
        marks[self.best] = "least"
        marks[self.one_se] = "least, 1-SE" if self.one_se == self.best else "1-SE"
        return lay_out(
            [
                TextColumn("CP", distinct_figures(self.cp.tolist()), right=True),
                TextColumn("splits", [str(n) for n in self.n_splits.tolist()], right=True),
                TextColumn("rel error", figures(self.error.tolist()), right=True),
                TextColumn("xerror", figures(self.cv_error.tolist()), right=True),
                TextColumn("xstd", figures(self.cv_sd.tolist()), right=True),
                TextColumn("", marks),
            ]
        )


def complexity_table(
    model: Any,
    X: Any = None,
    y: Any = None,
    *,
    sample_weight: Any = None,
    groups: Any = None,
    cv: int = 10,
    random_state: int = 0,
) -> ComplexityTable:
    """Return the error of every tree of cost-complexity pruning, as rpart's ``cptable``.

    Parameters
    ----------
    model
        A tree estimator that does not prune, which is fitted to `X` and `y` (the one given stays
        as it is), or a grown tree that has its training rows.
    X, y, sample_weight
        The training rows.
    groups : array-like, optional
        A label for each row: rows of one label are in one fold, so that errors are those of groups
        that the tree has not seen. A model fitted with `groups` has them already.
    cv : int
        Folds of the cross-validation.
    random_state : int
        Seed of the assignment of rows to folds.

    Examples
    --------
    >>> from treewright import CARTClassifier, load_example
    >>> iris = load_example("iris")
    >>> print(complexity_table(CARTClassifier(), iris.X, iris.y))
      CP  splits  rel error  xerror    xstd
    0.50       0       1.00     1.0  0.0577
    0.44       1       0.50     0.5  0.0577
    0.00       2       0.06     0.1  0.0306  least, 1-SE
    """
    tree = _grown(model, X, y, sample_weight)
    _check(tree)
    pruner = CostComplexity(cv=cv, random_state=random_state)
    pruner.check()
    pruner.check_tree(tree)
    given = (X, y, sample_weight) if isinstance(model, Tree) else (None, None, None)
    hint = "complexity_table(tree, X, y)"
    problem = tree.record(*given, owner="complexity_table", hint=hint).problem
    if groups is not None:
        problem = replace(problem, groups=RowGroups.read(groups, problem.table.n_rows))
    problem.warn_of_groups("Cross-validated errors hold")
    path = pruner.path(tree)
    costs, spread = cross_validate(problem, path, pruner)
    spreads = np.array([spread(position) for position in range(len(path))])
    root = float(path.risks[-1])
    unit = root if root > 0 else 1.0
    n_splits = np.array([path.at(float(alpha)).n_tests for alpha in path.alphas], dtype=np.int64)
    return ComplexityTable(
        cp=(path.alphas / unit)[::-1],
        n_splits=n_splits[::-1],
        error=(path.risks / unit)[::-1],
        cv_error=(costs / unit)[::-1],
        cv_sd=(spreads / unit)[::-1],
        path=path,
    )


def _grown(model: Any, X: Any, y: Any, sample_weight: Any) -> Tree:
    if isinstance(model, Tree):
        return model
    if X is None or y is None:
        tree = getattr(model, "tree_", None)
        if isinstance(tree, Tree):
            return tree
        raise ParameterError(
            f"complexity_table needs the training rows to fit {type(model).__name__}.\n"
            "  Hint: complexity_table(estimator, X, y)."
        )
    if not hasattr(model, "fit"):
        raise ParameterError(f"model={model!r} is neither a tree nor an estimator of one.")
    fitted = deepcopy(model).fit(X, y, sample_weight=sample_weight)
    tree = getattr(fitted, "tree_", None)
    if not isinstance(tree, Tree):
        raise ParameterError(
            f"model={model!r} is no estimator of a single tree.\n"
            "  Hint: CARTClassifier(), DecisionTreeRegressor(), ..."
        )
    return tree


def _check(tree: Tree) -> None:
    if tree.pruning is not None:
        raise ParameterError(
            f"The tree has been pruned by {tree.pruning.method}; the table needs it whole.\n"
            "  Hint: an estimator without prune, cp and ccp_alpha, or tree.pruning.tree."
        )
    traits = CRITERIA.get(tree.criterion)
    if tree.classes is None and (traits is None or traits.impurity != "variance"):
        raise UnsupportedError(
            f"The table compares squared errors; this tree was grown by {tree.criterion!r}.\n"
            "  Hint: criterion='squared_error'."
        )
