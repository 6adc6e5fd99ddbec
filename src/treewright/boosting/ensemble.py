"""Boosted trees: their scores, which add up, and the link that turns scores into predictions.

:class:`BoostedEnsemble` holds the trees of all rounds in the core, where they compare codes: a
numeric column has at most 255 bins, whose cuts are stored once for all trees.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import numpy as np
from scipy.special import expit

from treewright.array_types import Array, BoolArray, FloatArray, Int32Array
from treewright.boosting.links import LINKS, answers_of, are_thresholds, shares_between
from treewright.boosting.tree_state import joined, parted
from treewright.core import BoostForest
from treewright.criteria import GRADIENTS
from treewright.data.core_columns import lend
from treewright.data.fitted_schema import UINT_OFFSET
from treewright.ensemble.tree_ensemble import TreeEnsemble
from treewright.errors import ModelFormatError, ParameterError, UnsupportedError
from treewright.explain.importances import Importances, one_line
from treewright.explain.shap import check_background
from treewright.explain.shap_values import ShapValues, credited
from treewright.text.names import on_one_line
from treewright.tree.arrays import CATEGORIES, CUT, LEAF, TreeArrays
from treewright.tree.leaf import BY_MAJORITY, LeafRule
from treewright.tree.linear_leaves import LinearLeaves, NumberTerm, stored_unit
from treewright.tree.tree import Tree

if TYPE_CHECKING:
    from treewright.data.fitted_schema import FittedSchema
    from treewright.data.table import Table

_MOST_SHIFT = 4096
"""More powers of two than lie between the largest and the smallest number."""
IMPORTANCES = {"gain": "share of the gain of all splits", "split": "share of all splits"}


def _tells_meaning(kept: dict[str, Any], n_trees: int, n_outputs: int) -> bool:
    """Return whether an unpickled state has valid base scores and a valid link."""
    base, classes, shift = np.asarray(kept.get("base")), kept.get("classes"), kept.get("shift")
    if not {"schema", "classes", "criterion"} <= kept.keys() or kept.get("link") not in LINKS:
        return False
    if base.dtype != np.float64 or base.shape != (n_outputs,) or not np.isfinite(base).all():
        return False
    if not isinstance(shift, int) or abs(shift) > _MOST_SHIFT:
        return False
    if not isinstance(kept.get("has_offsets"), bool):
        return False
    link, thresholds = kept["link"], kept.get("thresholds")
    if classes is None:
        return n_outputs == 1 and link != "ordinal" and thresholds is None
    is_one = isinstance(classes, tuple) and len(classes) == 1 and hasattr(classes[0], "__len__")
    if not is_one or not are_thresholds(
        thresholds, link, n_trees // max(n_outputs, 1), len(classes[0])
    ):
        return False
    if link == "ordinal":
        return n_outputs == 1
    return len(classes[0]) == n_outputs if n_outputs > 1 else len(classes[0]) <= 2


class BoostedEnsemble(TreeEnsemble):
    """Trees whose predictions are added up, round after round.

    Parameters
    ----------
    core
        The trees, one for each output of each round, and the codebook of the columns.
    base
        The score that every row starts from, by output.
    link
        How a score becomes a prediction; one of ``treewright.boosting.links.LINKS``.
    schema, classes
        As for :class:`~treewright.tree.tree.Tree`.
    criterion
        The name of the loss.
    shift
        Power of two that predictions are multiplied by; other than 0 only for targets of extreme
        size.
    leaf
        How probabilities become a class.
    has_offsets
        Whether the training rows had offsets, so that the scores of other rows need them too.
    thresholds
        Where ordered classes part: rounds + 1 x classes - 1, from before the first round on; None
        for other links.
    """

    unseen = "missing"

    def __init__(
        self,
        *,
        core: BoostForest,
        base: FloatArray,
        link: str,
        schema: FittedSchema,
        classes: tuple[Array, ...] | None,
        criterion: str,
        shift: int = 0,
        leaf: LeafRule = BY_MAJORITY,
        has_offsets: bool = False,
        thresholds: FloatArray | None = None,
    ) -> None:
        self.core = core
        self.base = base
        self.link = link
        self.schema = schema
        self.classes = classes
        self.criterion = criterion
        self.shift = shift
        self.leaf = leaf
        self.has_offsets = has_offsets
        self.thresholds = thresholds

    def __len__(self) -> int:
        return self.core.n_trees

    def __repr__(self) -> str:
        return f"BoostedEnsemble(n_rounds={self.n_rounds}, n_trees={len(self)})"

    def __getstate__(self) -> dict[str, Any]:
        kept = {name: value for name, value in self.__dict__.items() if name != "core"}
        trees = [self._parts(index) for index in range(len(self))]
        codebook = {"cuts": self.core.cuts, "n_codes": self.core.n_codes}
        return kept | {
            "trees": joined(trees),
            "codebook": codebook,
            "n_outputs": self.core.n_outputs,
        }

    def __setstate__(self, kept: dict[str, Any]) -> None:
        kept = dict(kept)
        try:
            book = kept.pop("codebook")
            self.core = BoostForest(
                book["cuts"], book["n_codes"], parted(kept.pop("trees")), kept.pop("n_outputs")
            )
        except (AttributeError, LookupError, RuntimeError, TypeError, ValueError) as error:
            raise ModelFormatError(f"the trees of a boosted model are damaged: {error}.") from error
        if not _tells_meaning(kept, self.core.n_trees, self.core.n_outputs):
            raise ModelFormatError(
                "a boosted model is damaged: where scores start, or what they mean."
            )
        self.__dict__.update(kept)

    @property
    def n_outputs(self) -> int:
        """Number of targets predicted together."""
        return 1

    @property
    def engine(self) -> str:
        """Name of the core's grower that grew the trees (``grow/engines.hpp`` has the table)."""
        return "histogram"

    @property
    def n_rounds(self) -> int:
        """Number of rounds; each has a tree for every output."""
        return len(self) // self.core.n_outputs

    @property
    def has_lines(self) -> bool:
        """Whether leaves predict by lines (linear models in the columns on their paths)."""
        return self.core.has_lines

    def scores(
        self,
        table: Table,
        *,
        n_threads: int = 1,
        first: int = 0,
        n_rounds: int | None = None,
        start: FloatArray | None = None,
    ) -> FloatArray:
        """Return the summed predictions of the trees for each row, rows x outputs.

        Parameters
        ----------
        table
            The rows.
        n_threads
            Threads to use; the scores are the same for any number.
        first, n_rounds
            The first round to add and the number of rounds; by default all.
        start
            Scores to add to (rows x outputs) in place of the base.
        """
        last = self.n_rounds if n_rounds is None else n_rounds
        width = self.core.n_outputs
        begin = self.base if start is None else np.ascontiguousarray(start)
        return self.core.add_scores(lend(table), first * width, last * width, begin, n_threads)

    def apply_link(self, scores: FloatArray, *, n_rounds: int = -1) -> FloatArray:
        """Return predicted numbers or class probabilities from scores.

        Parameters
        ----------
        scores
            Rows x outputs.
        n_rounds
            The number of rounds they are the scores of; by default all.
        """
        if self.classes is not None and len(self.classes[0]) == 1:
            return np.ones((len(scores), 1))
        if self.thresholds is not None:
            return shares_between(scores, self.thresholds[n_rounds])
        answers = answers_of(scores, self.link)
        return np.ldexp(answers, self.shift) if self.shift else answers

    def answers(self, table: Table, *, n_threads: int = 1) -> FloatArray:
        """Return class probabilities or the predicted number, a line per row."""
        return self.apply_link(self.scores(table, n_threads=n_threads))

    def apply(self, table: Table, *, n_threads: int = 1) -> Int32Array:
        """Return the leaf of each row in each tree, as the number of a node of that tree."""
        return self.core.apply(lend(table), n_threads)

    def explained(
        self,
        table: Table,
        *,
        background: Table | None = None,
        interactions: bool = False,
        of_probability: bool = False,
        n_threads: int = 1,
        by_hessian: bool = False,
    ) -> ShapValues:
        """Return the SHAP values of the scores, or of the probability of the second class.

        Parameters
        ----------
        table, background, interactions, n_threads
            As for ``treewright.explain.shap.explain_trees``.
        of_probability
            Whether values beside each background row are scaled to the probability.
        by_hessian
            Whether rows on both sides of a question about an unknown column are weighted by their
            hessians, as in XGBoost, or counted, as in LightGBM.
        """
        check_background(background)
        if of_probability:
            self._refuse_probability(background)
        pair_weight = None
        base = self.base
        if background is not None:
            beside = self.scores(background, n_threads=n_threads)
            base = beside.mean(axis=0)
            if of_probability:
                scores = self.scores(table, n_threads=n_threads)
                pair_weight = self._slopes(scores[:, 0], beside[:, 0]) / len(beside)
                base = self.apply_link(beside)[:, 1:].mean(axis=0)
        values, expected, _, _ = self.core.shap(
            lend(table),
            0,
            len(self),
            n_threads,
            by_hessian,
            interactions,
            None if background is None else lend(background),
            pair_weight,
        )
        if background is None:
            base = base + expected
        if self.shift and self.link == "identity":
            values, base = np.ldexp(values, self.shift), np.ldexp(base, self.shift)
        elif self.shift:
            base = base + self.shift * np.log(2.0)  # of the prediction, which is a power of e
        return credited(
            table,
            values=values,
            base=base,
            output_names=self.score_names(),
            scale="probability" if of_probability else self.score_scale(),
            interactions=interactions,
        )

    def _explained_row(self, table: Table) -> ShapValues:
        return self.explained(table)

    @property
    def used_columns(self) -> tuple[int, ...]:
        """Positions of the columns used by questions, and so by the lines of leaves."""
        return tuple(np.flatnonzero(self.column_shares("split")).tolist())

    def said(self, table: Table) -> Array:
        """Return what each round adds to the scores of one row, rounds x outputs."""
        start = np.zeros((table.n_rows, self.core.n_outputs))
        return np.concatenate(
            [
                self.scores(table, first=number, n_rounds=number + 1, start=start)
                for number in range(self.n_rounds)
            ]
        )

    def _votes_in_words(self, said: Array, chosen: list[int] | None) -> str:
        output = 0 if chosen is None or said.shape[1] == 1 else chosen[0]
        of = "" if chosen is None else f" of {on_one_line(self.score_names()[output])}"
        n_up, n_down = int((said[:, output] > 0).sum()), int((said[:, output] < 0).sum())
        return f"{n_up} of {len(said)} rounds raise the {self.score_scale()}{of}, {n_down} lower it"

    def _refuse_probability(self, background: Table | None) -> None:
        if self.classes is None:
            raise UnsupportedError(
                "shap_values: output='probability' is for classes, and this model predicts numbers."
                "\n  Hint: output='score'."
            )
        if self.link == "ordinal":
            raise UnsupportedError(
                "shap_values: output='probability' is for a class whose score is its own; the"
                " score of ordered classes is compared with thresholds.\n  Hint: output='score'."
            )
        if len(self.classes[0]) != 2:
            raise UnsupportedError(
                f"shap_values: output='probability' is for two classes; of {len(self.classes[0])},"
                " each probability depends on the scores of all.\n  Hint: output='score'."
            )
        if background is None:
            raise UnsupportedError(
                "shap_values: output='probability' needs background=: without rows to compare with,"
                " the expected probability is no function of the shares of the training rows, and"
                " values would not add up.\n  Hint: background=X[:100], or output='score'."
            )

    def _slopes(self, scores: FloatArray, beside: FloatArray) -> FloatArray:
        """Return the change of the probability per change of the score, rows x background rows."""
        factor = 2.0 if self.link == "half_logistic" else 1.0
        rows, others = factor * scores[:, np.newaxis], factor * beside[np.newaxis]
        apart = rows - others
        share, other = expit(rows), expit(others)
        slopes: FloatArray = np.broadcast_to(share * (1.0 - share), apart.shape).copy()
        np.divide(share - other, apart, out=slopes, where=apart != 0.0)
        return factor * slopes

    def score_names(self) -> tuple[str, ...]:
        """Return what the scores are of: classes, or the prediction."""
        if self.classes is None or self.link == "ordinal":
            return ("prediction",) if self.link == "identity" else ("score",)
        names = tuple(map(str, self.classes[0]))
        return names if self.core.n_outputs > 1 else names[-1:]

    def score_scale(self) -> str:
        """Return the unit of the scores."""
        scales = {"identity": "prediction", "log": "logarithm of the prediction"}
        return scales.get(self.link, "score")

    def importances(self, kind: str = "gain") -> Importances:
        """Return the importances of the columns.

        Parameters
        ----------
        kind : {"gain", "split"}
            A column's share of the gain of all splits, or of their number.
        """
        shares = self.column_shares(kind)
        return one_line(kind, IMPORTANCES[kind], self.schema.names, shares)  # type: ignore[arg-type]

    def column_shares(self, kind: str = "gain") -> FloatArray:
        """Return each column's share of the gain of all splits, or of their number."""
        if kind not in IMPORTANCES:
            raise ParameterError(f"kind={kind!r} must be one of {tuple(IMPORTANCES)}.")
        total = np.zeros(len(self.schema.columns))
        for index in range(len(self)):
            tree = self._parts(index)
            asks = tree["first_child"] >= 0
            worth = tree["gain"][asks] if kind == "gain" else None
            total += np.bincount(tree["column"][asks], weights=worth, minlength=len(total))
        whole = total.sum()
        return total / whole if whole > 0 else total

    def first(self, n_rounds: int) -> BoostedEnsemble:
        """Return the model of the first `n_rounds` rounds."""
        thresholds = None if self.thresholds is None else self.thresholds[: n_rounds + 1]
        return self._with(self.core.part(0, n_rounds * self.core.n_outputs), thresholds)

    def joined(self, more: BoostForest, thresholds: FloatArray | None) -> BoostedEnsemble:
        """Return the model extended by the trees of further rounds, with thresholds of all."""
        return self._with(self.core.joined(more), thresholds)

    def _with(self, core: BoostForest, thresholds: FloatArray | None) -> BoostedEnsemble:
        made = BoostedEnsemble.__new__(BoostedEnsemble)
        made.__dict__.update(self.__dict__, core=core, thresholds=thresholds)
        return made

    def _parts(self, index: int) -> dict[str, Array]:
        """Return the arrays of a tree as the core has them."""
        return cast("dict[str, Array]", self.core.tree(index))

    def _tree(self, index: int) -> Tree:
        """Return one tree, whose leaves predict what it adds to a score."""
        parts = self._parts(index)
        return Tree(
            arrays=_arrays_of(parts, self.core.cuts, self.core.n_codes, self.schema),
            linear=_lines_of(parts, self.schema) if "line_start" in parts else None,
            schema=self.schema,
            classes=None,
            criterion=GRADIENTS,
            unseen=self.unseen,
            engine=self.engine,
        )


def _arrays_of(
    tree: dict[str, Array],
    cuts: list[FloatArray | None],
    n_codes: list[int],
    schema: FittedSchema,
) -> TreeArrays:
    """Return the arrays of a tree that compares values, from one that compares codes."""
    n_nodes = len(tree["first_child"])
    asks = tree["first_child"] >= 0
    parent = np.full(n_nodes, -1, dtype=np.int32)
    for side in (0, 1):
        parent[tree["first_child"][asks] + side] = np.flatnonzero(asks)
    threshold, threshold_int = np.full(n_nodes, np.nan), np.zeros(n_nodes, dtype=np.int64)
    code_offset = np.full(n_nodes, -1, dtype=np.int64)
    code_count = np.zeros(n_nodes, dtype=np.int32)
    codes: list[int] = []
    branches: list[int] = []
    for node in np.flatnonzero(asks):
        column = tree["column"][node]
        spec, cuts_here = schema.columns[column], cuts[column]
        if cuts_here is None:
            listed = _categories(tree, int(node), n_codes[column])
            code_offset[node], code_count[node] = len(codes), len(listed)
            codes.extend(range(len(listed)))
            branches.extend(np.where(listed, 0, 1).tolist())
            continue
        cut = tree["cut"][node]
        # The last bin has no cut above it: all rows but missing ones go to the first branch.
        at = cuts_here[cut] if cut < len(cuts_here) else np.inf
        if spec.storage == "float":
            threshold[node] = at
        else:
            last = len(spec.values) - 1 if spec.storage == "value" else np.iinfo(np.int64).max
            threshold_int[node] = last if at == np.inf else int(np.floor(at))
    side_of_missing = np.where(asks, 1 - tree["missing_first"].astype(np.int32), -1)
    is_nominal = asks & (tree["subset"] >= 0)
    return TreeArrays(
        first_child=tree["first_child"],
        n_branches=np.where(asks, 2, 0).astype(np.int32),
        parent=parent,
        column=np.where(asks, tree["column"], -1).astype(np.int32),
        kind=np.where(is_nominal, CATEGORIES, np.where(asks, CUT, LEAF)).astype(np.int8),
        threshold=threshold,
        threshold_int=threshold_int,
        code_offset=code_offset,
        code_count=code_count,
        code=np.array(codes, dtype=np.int32),
        branch_of_code=np.array(branches, dtype=np.int32),
        missing_branch=side_of_missing.astype(np.int32),
        unseen_branch=side_of_missing.astype(np.int32),
        n_rows=tree["n_rows"].astype(np.int64),
        weight=tree["weight"],
        impurity=np.zeros(n_nodes),
        gain=tree["gain"],
        score=tree["gain"],
        value=tree["value"][:, np.newaxis],
    )


def _lines_of(tree: dict[str, Array], schema: FittedSchema) -> LinearLeaves:
    """Return the lines of a tree; a missing or infinite number is replaced by its leaf's mean."""
    start = tree["line_start"].astype(np.int64)
    coefficient, center = tree["line_coefficient"].copy(), tree["line_center"].copy()
    terms = []
    for i, index in enumerate(tree["line_column"].tolist()):
        spec = schema.columns[index]
        # The core multiplies numbers as they are stored.
        coefficient[i] *= stored_unit(spec)
        center[i] /= stored_unit(spec)
        if spec.storage == "uint":
            center[i] += UINT_OFFSET
        terms.append(NumberTerm(index=index, column=spec, low=center[i], high=center[i]))
    node = np.repeat(np.arange(len(start) - 1), np.diff(start))
    at_mean = np.bincount(node, weights=coefficient * center, minlength=len(start) - 1)
    return LinearLeaves(
        terms=tuple(terms),
        start=start,
        term=np.arange(len(terms), dtype=np.int32),
        coefficient=coefficient,
        fill=center,
        intercept=np.where(np.diff(start) > 0, tree["value"] - at_mean, 0.0),
        limits=tree["value"][:, np.newaxis] + tree["line_limits"],
    )


def _categories(tree: dict[str, Array], node: int, n_values: int) -> BoolArray:
    """Return which categories go to the first branch of a node."""
    start = tree["subset"][node]
    words = tree["subset_bits"][start : start + n_values // 64 + 1]
    bits = np.unpackbits(words.view(np.uint8), bitorder="little")
    return bits[:n_values].astype(np.bool_)
