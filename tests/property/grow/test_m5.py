"""M5 against its oracle, and statements true of every model tree."""

import pickle
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracle.m5 import Column, ModelTree, grow_m5
from property.growing import examples

from treewright import DecisionTreeRegressor, M5Regressor, Schema

DOMAIN = ("p", "q", "r", "s", "absent")


class Made:
    """A table with bends and steps: enough structure that no decision hangs on rounding."""

    def __init__(self, seed: int, n_rows: int = 60, *, gaps: bool = True) -> None:
        random = np.random.default_rng(seed)
        n_numeric, n_nominal = int(random.integers(1, 4)), int(random.integers(0, 3))
        self.numbers = [random.normal(size=n_rows).round(3) for _ in range(n_numeric)]
        self.labels = [[DOMAIN[i] for i in random.integers(0, 4, n_rows)] for _ in range(n_nominal)]
        bend = np.where(self.numbers[0] > 0.3, 4.0 - 2.0 * self.numbers[-1], self.numbers[0])
        step = sum(
            (np.array([DOMAIN.index(v) for v in labels]) % 3 for labels in self.labels),
            start=np.zeros(n_rows),
        )
        self.y = (bend + step + random.normal(scale=0.3, size=n_rows)).round(4)
        if gaps and random.random() < 0.5:
            for column in self.numbers:
                column[random.random(n_rows) < 0.1] = np.nan
            for labels in self.labels:
                for row in np.flatnonzero(random.random(n_rows) < 0.1).tolist():
                    labels[row] = None  # type: ignore[call-overload]

    @property
    def frame(self) -> dict[str, Any]:
        numbers = {f"x{i}": column for i, column in enumerate(self.numbers)}
        return numbers | {f"c{i}": labels for i, labels in enumerate(self.labels)}

    @property
    def schema(self) -> Schema:
        return Schema(values={f"c{i}": DOMAIN for i in range(len(self.labels))})

    def columns(self) -> list[Column]:
        numeric = [
            Column(values=[None if np.isnan(x) else x for x in column.tolist()])
            for column in self.numbers
        ]
        return numeric + [Column(values=labels, domain=DOMAIN) for labels in self.labels]

    def rows(self) -> list[list[Any]]:
        return [list(row) for row in zip(*(c.values for c in self.columns()), strict=True)]

    def fit(self, **options: Any) -> M5Regressor:
        return M5Regressor(schema=self.schema, **options).fit(self.frame, self.y)

    def oracle(self, **options: Any) -> ModelTree:
        return grow_m5(self.columns(), self.y.tolist(), **options)


def options_of(variant: str) -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries(
        {
            "variant": st.just(variant),
            "linear": st.booleans(),
            "prune": st.booleans(),
            "smoothing": st.sampled_from([0.0, 15.0]),
            "min_cases": st.sampled_from([4, 9]),
        }
    )


@pytest.mark.parametrize("variant", ["weka", "paper"])
@given(data=st.data())
@examples(0.3)
def test_the_tree_is_the_oracles(variant: str, data: st.DataObject) -> None:
    made = Made(data.draw(st.integers(0, 10_000)))
    options = data.draw(options_of(variant))
    model, expected = made.fit(**options), made.oracle(**options)
    assert model.tree_.n_leaves == expected.n_leaves()
    predicted = [expected.predict(row) for row in made.rows()]
    assert model.predict(made.frame) == pytest.approx(predicted, rel=1e-6, abs=1e-6)


@given(seed=st.integers(0, 10_000), variant=st.sampled_from(["weka", "paper"]))
@examples(0.5)
def test_weight_k_is_the_row_written_k_times(seed: int, variant: str) -> None:
    made = Made(seed, 40)
    random = np.random.default_rng(seed)
    copies = random.integers(0, 4, 40)
    weighed = M5Regressor(schema=made.schema, variant=variant)
    weighed.fit(made.frame, made.y, sample_weight=copies.astype(float))
    rows = np.repeat(np.arange(40), copies)
    frame = {name: [column[i] for i in rows] for name, column in made.frame.items()}
    written = M5Regressor(schema=made.schema, variant=variant).fit(frame, made.y[rows])
    assert weighed.tree_.n_leaves == written.tree_.n_leaves
    assert weighed.predict(made.frame) == pytest.approx(written.predict(made.frame), abs=1e-6)


@given(seed=st.integers(0, 10_000))
@examples(0.5)
def test_every_way_to_ask_gives_one_answer(seed: int) -> None:
    made = Made(seed)
    model = made.fit()
    tree = model.tree_
    predicted = model.predict(made.frame)
    frames = [{name: [column[i]] for name, column in made.frame.items()} for i in range(60)]
    alone = [float(model.predict(frame)[0]) for frame in frames]
    assert alone == predicted.tolist()  # bit for bit, whatever the batch
    assert pickle.loads(pickle.dumps(tree)).predict(made.frame).tolist() == predicted.tolist()
    for i in (0, 17, 59):
        row = {name: column[i] for name, column in made.frame.items()}
        told = tree.explain(row)
        assert told.answer[0] == pytest.approx(predicted[i])
        leaves = set(told.leaves)
        assert leaves == {int(model.apply(frames[i])[0])}
        if told.addends:
            assert sum(each.adds for each in told.addends) == pytest.approx(predicted[i])
        matching = [rule for rule in tree.rules() if rule.matches(row)]
        assert [rule.leaf for rule in matching] == list(told.leaves)


@given(seed=st.integers(0, 10_000))
@examples(0.5)
def test_without_extrapolation_predictions_stay_within_the_leafs_targets(seed: int) -> None:
    made = Made(seed)
    model = made.fit(extrapolate=False, smoothing=0)
    leaf = model.apply(made.frame)
    far = {name: np.asarray(column) * 100 for name, column in made.frame.items() if name[0] == "x"}
    far |= {name: column for name, column in made.frame.items() if name[0] == "c"}
    predicted, reached = model.predict(far), model.apply(far)
    for each in np.unique(reached):
        own = made.y[leaf == each]
        assert predicted[reached == each].min() >= own.min() - 1e-9
        assert predicted[reached == each].max() <= own.max() + 1e-9


@given(seed=st.integers(0, 10_000), size=st.sampled_from([1e-200, 1e-3, 1e5, 1e250]))
@examples(0.3)
def test_a_target_in_other_units_gives_the_tree_in_other_units(seed: int, size: float) -> None:
    made = Made(seed)
    plain = made.fit().predict(made.frame)
    scaled = M5Regressor(schema=made.schema).fit(made.frame, made.y * size).predict(made.frame)
    assert scaled / size == pytest.approx(plain, rel=1e-5, abs=1e-5)


@given(
    seed=st.integers(0, 10_000),
    missing=st.sampled_from(["divide", "learned_side", "surrogates", "most_likely", "majority"]),
    combine=st.sampled_from(["branch_fractions", "leaf_counts"]),
)
@examples(0.5)
def test_a_linear_leaf_is_the_least_squares_of_its_rows(
    seed: int, missing: str, combine: str
) -> None:
    made = Made(seed, gaps=False)
    options: dict[str, Any] = {"max_depth": 2, "missing": missing, "combine": combine}
    model = DecisionTreeRegressor(leaf_model="linear", schema=made.schema, **options)
    model.fit(made.frame, made.y)
    tree = model.tree_
    assert tree.linear is not None
    leaf = model.apply(made.frame)
    flat = DecisionTreeRegressor(schema=made.schema, **options).fit(made.frame, made.y)
    assert tree.arrays.equals(flat.tree_.arrays)
    for each in np.unique(leaf).tolist():
        own = np.flatnonzero(leaf == each)
        linear = tree.linear.model(each)
        names = [] if linear is None else [term.column.name for term in linear.terms]
        matrix = np.column_stack([np.ones(60), *(made.frame[name] for name in names)])[own]
        expected = matrix @ np.linalg.lstsq(matrix, made.y[own], rcond=None)[0]
        assert model.predict(made.frame)[own] == pytest.approx(expected, abs=1e-6)
    # A row that is divided gets what its parts get.
    gap = dict.fromkeys(made.frame)
    told = tree.explain(gap)
    assert tree.predict([gap])[0] == pytest.approx(told.answer[0])
