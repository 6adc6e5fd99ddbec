"""Importances of columns, with scikit-learn's interface."""

from __future__ import annotations

from typing import Any

from treewright.errors import ParameterError
from treewright.explain.importances import KINDS, Importances, Kind
from treewright.forest.importances import (
    debiased_importances,
    impurity_importances,
    permutation_importances,
)
from treewright.parameters import check_choice, check_count
from treewright.threads import n_threads


class MeasuresImportances:
    """A forest that measures the importances of its columns."""

    n_jobs: Any
    _model: Any
    _training_data: Any

    def importances(
        self,
        kind: Kind = "impurity",
        X: Any = None,
        y: Any = None,
        sample_weight: Any = None,
        *,
        groups: Any = None,
        n_repeats: int = 1,
    ) -> Importances:
        """Return the importances of the columns, with standard errors and p-values.

        Parameters
        ----------
        kind : {"impurity", "permutation", "debiased"}
            - ``"impurity"``: the column's share of the decrease of impurity on the rows that trees
              were grown on, as in ``feature_importances_``. Free, but biased: columns of many
              values get a share even if they are pure noise.
            - ``"permutation"``: the rise of a tree's error on its out-of-bag rows when the
              column's values are permuted among them; the error is the share misclassified, or the
              mean squared error (Breiman 2001, "Random forests", section 10).
            - ``"debiased"``: the decrease of impurity on the out-of-bag rows of a tree,
              MDI-oob of Li, Wang, Basu, Kumbier and Yu (2019, "A debiased MDI feature importance
              measure for random forests"). Noise gets about 0, on average exactly. For a column it
              is the sum, over the nodes that ask it and the out-of-bag rows i in them, of (mean of
              i's child - mean of the node) (y_i - mean y of the node's out-of-bag rows), divided by
              the number of out-of-bag rows; the first two means are of the tree's own rows, and
              classes are 0/1 vectors. On the tree's own rows the same formula gives the decrease of
              Gini impurity or of squared error, which it represents whatever the criterion. (Li et
              al. take y_i as it is, which leaves noise a little below 0.)
        X, y, sample_weight, groups
            The training data as they were given to ``fit``; only needed where the forest no longer
            has them, as after loading it.
        n_repeats : int
            Permutations of each column, whose mean is taken; for ``"permutation"`` only.

        Returns
        -------
        Importances
            For each column the mean over the trees, its standard error, z and p-value; iterate over
            it from the most important column on, or print it.

        Notes
        -----
        Rows count by their ``sample_weight``; impurities also include class weights, as in growing.
        The importance of a derived column is credited to its source columns, in equal parts.
        Results depend neither on ``n_jobs`` nor on the order of the rows.

        Examples
        --------
        >>> import numpy as np
        >>> from treewright import RandomForestRegressor
        >>> random = np.random.default_rng(0)
        >>> X = {"signal": random.normal(size=300), "noise": random.normal(size=300)}
        >>> y = X["signal"] + 0.1 * random.normal(size=300)
        >>> forest = RandomForestRegressor(n_estimators=40).fit(X, y)
        >>> print(forest.importances("permutation"))  # doctest: +ELLIPSIS, +NORMALIZE_WHITESPACE
        rise of the squared error of out-of-bag rows when a column is shuffled, mean of 40 trees
        <BLANKLINE>
        column     mean  std. error     z       p
        signal   2.1...      0.05...  38...  <0.001
        noise   ...
        >>> [column.name for column in forest.importances("debiased") if column.p_value < 0.01]
        ['signal']
        """
        ensemble = self._model()
        check_choice("kind", kind, KINDS)
        check_count("n_repeats", n_repeats, least=1)
        if n_repeats != 1 and kind != "permutation":
            raise ParameterError(
                f"n_repeats={n_repeats} is for kind='permutation'; kind={kind!r} draws nothing."
            )
        if kind == "impurity":
            return impurity_importances(ensemble)
        forest = self._training_data(X, y, sample_weight, groups)
        threads = n_threads(self.n_jobs, forest.problem.table.n_rows * len(ensemble))
        if kind == "debiased":
            return debiased_importances(ensemble, forest, n_threads=threads)
        return permutation_importances(
            ensemble, forest, n_repeats=int(n_repeats), n_threads=threads
        )
