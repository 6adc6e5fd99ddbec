"""Mistakes that newcomers make, and the answer to each: what is wrong, and what to write instead.

Every answer is compared from its beginning; of long ones the parts that matter.
"""

from __future__ import annotations

import copy
import gzip
import inspect
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
from every_estimator import CLASSIFIERS, ESTIMATORS, REGRESSORS
from sklearn.base import clone
from sklearn.exceptions import DataConversionWarning, NotFittedError

import treewright as tw
from treewright.errors import (
    ColumnMismatchError,
    DataError,
    IdentifierWarning,
    LeakWarning,
    ModelFormatError,
    OtherTypeWarning,
    ParameterError,
    TargetError,
    UnknownParameterError,
)

N_ROWS = 60
RANDOM = np.random.default_rng(0)
X = pd.DataFrame(
    {
        "age": RANDOM.integers(18, 80, N_ROWS),
        "income": RANDOM.normal(1000, 200, N_ROWS).round(),
        "region": RANDOM.choice(["north", "south"], N_ROWS),
    }
)
CLASSES = np.where(RANDOM.random(N_ROWS) < 0.8, X["age"] > 40, X["age"] <= 40).astype(str)
VALUES = X["income"] * 2.0 + RANDOM.normal(size=N_ROWS)
FITTED = tw.DecisionTreeClassifier(max_depth=3).fit(X, CLASSES)
REGRESSOR = tw.DecisionTreeRegressor(max_depth=3).fit(X, VALUES)
FOREST = tw.RandomForestClassifier(3).fit(X, CLASSES)
BOOST = tw.GradientBoostingClassifier


def fit(X: Any, y: Any, **options: Any) -> Any:
    return tw.DecisionTreeClassifier(**options).fit(X, y)


MISTAKES: dict[str, tuple[Callable[[], Any], type[Exception], list[str]]] = {
    "a missing target": (
        lambda: fit(X, pd.Series(CLASSES).mask(X.index == 4)),
        TargetError,
        ["Input y contains NaN.", "the first in row 4", "Hint: leave those rows out"],
    ),
    "rows of X and y that differ": (
        lambda: fit(X, CLASSES[:-1]),
        TargetError,
        ["inconsistent numbers of samples", "X has 60 rows, y has 59.", "fit(X[keep], y[keep])"],
    ),
    "y as one line of a table": (
        lambda: fit(X, CLASSES[np.newaxis]),
        TargetError,
        ["X has 60 rows, y has 1.", "Hint: y lies on its side; pass y.ravel()."],
    ),
    "names to a regressor": (
        lambda: tw.DecisionTreeRegressor().fit(X, CLASSES),
        TargetError,
        ["DecisionTreeRegressor needs numbers", "Hint: use DecisionTreeClassifier"],
    ),
    "measurements to a classifier": (
        lambda: fit(X, VALUES),
        TargetError,
        ["Unknown label type: continuous", "Hint: use DecisionTreeRegressor, or bin the target"],
    ),
    "the name of the target in place of its values": (
        lambda: fit(X.assign(risk=CLASSES), "risk"),
        TargetError,
        ["y is the text 'risk'", "Hint: fit(X.drop(columns='risk'), X['risk'])"],
    ),
    "no target": (
        lambda: tw.DecisionTreeClassifier().fit(X),
        TargetError,
        ["DecisionTreeClassifier requires y to be passed", "Hint: fit(X, y)"],
    ),
    "a set of classes": (
        lambda: fit(X, set(CLASSES)),
        TargetError,
        ["y should be a 1d array", "Hint: a list, an array or a column"],
    ),
    "prediction before fitting": (
        lambda: tw.DecisionTreeClassifier().predict(X),
        NotFittedError,
        ["This DecisionTreeClassifier instance is not fitted yet. Call 'fit'"],
    ),
    "the tree before fitting": (
        lambda: tw.DecisionTreeClassifier().tree_,
        AttributeError,
        ["has no attribute 'tree_': it is not fitted yet.", "(...).fit(X, y)"],
    ),
    "a column that is missing": (
        lambda: FITTED.predict(X.drop(columns="income")),
        ColumnMismatchError,
        ["now missing:\n- income", "Hint: add the column 'income'"],
    ),
    "a column that was renamed": (
        lambda: FITTED.predict(X.rename(columns={"income": "Income"})),
        ColumnMismatchError,
        ["- Income", "Hint: rename 'Income' to 'income'."],
    ),
    "columns in another order": (
        lambda: FITTED.predict(X[["region", "age", "income"]]),
        ColumnMismatchError,
        ["must be in the same order", "Hint: X[list(model.feature_names_in_)]"],
    ),
    "a column too many": (
        lambda: FITTED.predict(X.assign(more=1)),
        ColumnMismatchError,
        ["unseen at fit time:\n- more", "Hint: drop the column 'more'."],
    ),
    "a single column as X": (
        lambda: fit(X["age"], CLASSES),
        DataError,
        ["Expected a 2-dimensional container", "Hint: X[['name']] is a table of one column"],
    ),
    "a single row as X": (
        lambda: FITTED.predict(np.array([3.0, 2.0, 1.0])),
        DataError,
        ["Expected 2D array, got 1D array instead", "array.reshape(1, -1)"],
    ),
    "X and y the other way round": (
        lambda: FITTED.score(CLASSES, X),
        DataError,
        ["Expected 2D array", "Hint: the table comes first, then the target: fit(X, y), score(X"],
    ),
    "a dict as a row": (
        lambda: FITTED.predict({"age": 30, "income": 900, "region": "north"}),
        DataError,
        ["column 'age' of the dict is 30, not a list", "Hint: pass one row as [{...}]"],
    ),
    "a path in place of a table": (
        lambda: fit("table.csv", CLASSES),
        DataError,
        ["X is the text 'table.csv', not a table.", "Hint: treewright.read(path)"],
    ),
    "a table without rows": (
        lambda: fit(X[:0], CLASSES[:0]),
        DataError,
        ["Found array with 0 sample(s)", "Hint: the table has no rows; a filter before"],
    ),
    "a column of several types": (
        lambda: fit(X.assign(mixed=[1, "a"] * (N_ROWS // 2)), CLASSES),
        DataError,
        ["column 'mixed' mixes numbers and text: row 0 holds 1, row 1 holds 'a'.", "Hint: convert"],
    ),
    "an infinite target": (
        lambda: tw.DecisionTreeRegressor().fit(X, VALUES.mask(X.index == 7, np.inf)),
        TargetError,
        ["Input y contains infinity", "the first in row 7", "Hint: leave those rows out, or cap"],
    ),
    "a parameter with a typing error": (
        lambda: tw.DecisionTreeClassifier(max_dept=3),
        UnknownParameterError,
        ["DecisionTreeClassifier has no parameter 'max_dept'.\n  Hint: did you mean 'max_depth'?"],
    ),
    "a typing error in set_params": (
        lambda: tw.DecisionTreeClassifier().set_params(max_dept=3),
        ParameterError,
        ["Invalid parameter 'max_dept' for estimator", "Hint: did you mean 'max_depth'?"],
    ),
    "a value with a typing error": (
        lambda: fit(X, CLASSES, criterion="entorpy"),
        ParameterError,
        ["criterion='entorpy' must be one of", "Hint: did you mean 'entropy'?"],
    ),
    "LightGBM's name": (
        lambda: BOOST(num_leaves=31),
        UnknownParameterError,
        ["has no parameter 'num_leaves'.\n  Hint: here it is called 'max_leaf_nodes'."],
    ),
    "XGBoost's name": (
        lambda: BOOST(eta=0.3),
        UnknownParameterError,
        ["has no parameter 'eta'.\n  Hint: here it is called 'learning_rate'."],
    ),
    "a forest's parameter for a tree": (
        lambda: tw.DecisionTreeRegressor(n_estimators=100),
        UnknownParameterError,
        ["has no parameter 'n_estimators'.\n  Hint: AdaBoostRegressor, ", "Regressor have it."],
    ),
    "a parameter that nothing is like": (
        lambda: tw.M5Regressor(zzz=1),
        UnknownParameterError,
        ["M5Regressor has no parameter 'zzz'.\n  Parameters: ", "verbose"],
    ),
    "a parameter without its name": (
        lambda: tw.DecisionTreeClassifier("gini", 3),  # type: ignore[misc]
        UnknownParameterError,
        ["takes 1 positional argument", "by name, DecisionTreeClassifier(criterion=...)."],
    ),
    "probabilities of a regressor": (
        lambda: REGRESSOR.predict_proba(X),
        AttributeError,
        ["no attribute 'predict_proba': it predicts numbers, not classes.", "Hint: predict(X)"],
    ),
    "fit of the class": (
        lambda: tw.RandomForestClassifier.fit(X, CLASSES),  # type: ignore[arg-type]
        ParameterError,
        ["fit was called on the class of an estimator", "DecisionTreeClassifier().fit(X, y)"],
    ),
    "a class in place of an estimator": (
        lambda: tw.BaggingClassifier(tw.C45Classifier).fit(X, CLASSES),
        ParameterError,
        ["Give an estimator, C45Classifier(...), not its class."],
    ),
    "two columns of one name": (
        lambda: fit(pd.concat([X, X[["age"]]], axis=1), CLASSES),
        DataError,
        ["more than one column called 'age'", "Hint: rename or drop"],
    ),
    "weights of other rows": (
        lambda: tw.DecisionTreeClassifier().fit(X, CLASSES, sample_weight=[1, 2]),
        DataError,
        ["sample_weight has 2 values, the table has 60 rows."],
    ),
    "the table first, to what judges learners": (
        lambda: tw.evaluate.cross_validate(X, CLASSES, FITTED),
        ParameterError,
        ["DataFrame is a table, not a learner.", "Hint: the learner comes first, then the table"],
    ),
    "a table and the name of its target": (
        lambda: FITTED.fit(X.assign(risk=CLASSES), target="risk"),  # type: ignore[call-arg]
        TypeError,
        ["DecisionTreeClassifier.fit() got an unexpected", "Hint: fit(X, y), the columns and the"],
    ),
    "a parameter given to fit": (
        lambda: BOOST().fit(X, CLASSES, cat_features=[2]),  # type: ignore[call-arg]
        TypeError,
        ["Hint: it is a parameter of the estimator, GradientBoostingClassifier(categorical_feat"],
    ),
    "nothing in place of a table": (
        lambda: fit(None, CLASSES),
        DataError,
        ["X is None, not a table.", "Hint: an array, a dataframe, a dict of columns"],
    ),
    "what was read, in one piece": (
        lambda: fit(tw.load_example("play_tennis"), CLASSES),
        DataError,
        ["X is a LabelledTable, not a table.", "Hint: it has the columns and the target: fit(ta"],
    ),
    "an old name of a criterion": (
        lambda: tw.DecisionTreeRegressor(criterion="mse").fit(X, VALUES),
        ParameterError,
        ["criterion='mse' must be one of", "Hint: here it is called 'squared_error'."],
    ),
    "XGBoost's name of a loss": (
        lambda: BOOST(loss="binary:logistic").fit(X, CLASSES),
        ParameterError,
        ["loss='binary:logistic' must be one of", "Hint: here it is called 'log_loss'."],
    ),
    "a loss of numbers for classes": (
        lambda: BOOST(loss="squared_error").fit(X, CLASSES),
        ParameterError,
        ["Hint: 'squared_error' is for a regressor."],
    ),
    "an old value of max_features": (
        lambda: tw.RandomForestClassifier(max_features="auto").fit(X, CLASSES),
        ParameterError,
        ["max_features='auto' must be", "Hint: here it is called 'sqrt'."],
    ),
    "a pruner's short name": (
        lambda: fit(X, CLASSES, prune="ccp"),
        ParameterError,
        ["prune='ccp' must be", "Hint: here it is called 'cost_complexity'."],
    ),
    "no limit in LightGBM's way": (
        lambda: BOOST(max_depth=-1).fit(X, CLASSES),
        ParameterError,
        ["max_depth=-1 must be at least 1.", "Hint: max_depth=None sets no limit."],
    ),
    "an old name of a parameter": (
        lambda: tw.BaggingClassifier(base_estimator=None),  # type: ignore[call-arg]
        UnknownParameterError,
        ["no parameter 'base_estimator'", "Hint: here it is called 'estimator'."],
    ),
    "a parameter that is gone": (
        lambda: fit(X, CLASSES, presort=True),
        UnknownParameterError,
        ["no parameter 'presort'", "Hint: leave it out"],
    ),
    "a parameter of no estimator": (
        lambda: tw.AdaBoostClassifier().set_params(estimator__max_depth=2),
        ParameterError,
        ["estimator is None", "Hint: AdaBoostClassifier(estimator=...), as DecisionTreeClassifier"],
    ),
    "an attribute without its underscore": (
        lambda: FITTED.feature_importances,
        AttributeError,
        ["no attribute 'feature_importances'.", "Hint: did you mean 'feature_importances_'?"],
    ),
    "coefficients of a tree": (
        lambda: FITTED.coef_,
        AttributeError,
        ["no attribute 'coef_'.", "Hint: feature_importances_, or importances()."],
    ),
    "the text of many trees": (
        lambda: FOREST.text(),
        AttributeError,
        ["no attribute 'text': it has many trees.", "Hint: model.ensemble_[0] is the first"],
    ),
    "the trees of one tree": (
        lambda: FITTED.estimators_,
        AttributeError,
        ["no attribute 'estimators_': it is a single tree.", "Hint: tree_."],
    ),
    "out of bag, not asked for": (
        lambda: FOREST.oob_score_,
        AttributeError,
        ["no attribute 'oob_score_'.", "Hint: RandomForestClassifier(oob_score=True).fit(X, y)."],
    ),
    "intervals of classes": (
        lambda: FOREST.predict_interval(X),
        AttributeError,
        ["no attribute 'predict_interval'.", "Hint: predict_set(X)."],
    ),
    "stages of a forest": (
        lambda: FOREST.staged_predict(X),
        AttributeError,
        ["no attribute 'staged_predict': it does not learn in stages"],
    ),
    "another library's name": (
        lambda: tw.XGBClassifier,
        AttributeError,
        ["'treewright' has no attribute 'XGBClassifier'", "Hint: treewright.GradientBoostingClas"],
    ),
    "another library's keyword, of what only boosting has": (
        lambda: tw.RandomForestClassifier().fit(X, CLASSES, eval_set=[(X, CLASSES)]),
        ParameterError,
        ["RandomForestClassifier.fit has no eval_set=.", "GradientBoostingClassifier has it: fit("],
    ),
    "another library's tree for streams": (
        lambda: tw.HoeffdingTreeClassifier,
        AttributeError,
        ["no attribute 'HoeffdingTreeClassifier'", "Hint: treewright.IncrementalTreeClassifier."],
    ),
    "a regression tree for streams": (
        lambda: tw.IncrementalTreeRegressor,
        AttributeError,
        ["no attribute 'IncrementalTreeRegressor'", "fit treewright.DecisionTreeRegressor to all"],
    ),
    "further rows to a forest": (
        lambda: FOREST.partial_fit(X, CLASSES),
        AttributeError,
        ["no attribute 'partial_fit'", "Hint: treewright.IncrementalTreeClassifier learns classes"],
    ),
    "the number of classes in place of their list": (
        lambda: tw.IncrementalTreeClassifier().partial_fit(X, CLASSES, classes=2),
        TargetError,
        ["partial_fit: classes=2 is no list of classes.", "Hint: classes=['no', 'yes'], say"],
    ),
    "weights in the place of the list of classes": (
        lambda: tw.IncrementalTreeClassifier().partial_fit(X, CLASSES, [1.0] * len(X)),
        TargetError,
        ["which classes= does not list.", "Hint: list every class that may come, or leave"],
    ),
    "a function that is a method here": (
        lambda: tw.plot_tree,
        AttributeError,
        ["no attribute 'plot_tree'", "Hint: model.draw(); sklearn.tree.plot_tree takes our trees"],
    ),
    "half of a name": (
        lambda: tw.RandomForest,
        AttributeError,
        ["Hint: treewright.RandomForestClassifier, or ...Regressor."],
    ),
    "an example as a pair": (
        lambda: tuple(tw.load_example("iris")),
        TypeError,
        ["a LabelledTable is not a pair.", "Hint: X, y = table.X, table.y."],
    ),
    "an example as scikit-learn's": (
        lambda: tw.load_example("iris").data,
        AttributeError,
        ["no attribute 'data'.", "Hint: X, the columns, and y, the target."],
    ),
    "a dataframe to read": (
        lambda: tw.read(X),
        ParameterError,
        ["DataFrame is no path", "a table in memory goes to fit as it is."],
    ),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_is_answered_by_what_to_do(mistake: str) -> None:
    call, error, told = MISTAKES[mistake]
    with pytest.raises(error) as caught:
        call()
    for words in told:
        assert words in str(caught.value)


@pytest.mark.parametrize("y", [CLASSES[:, np.newaxis], pd.DataFrame({"y": CLASSES})])
def test_a_target_of_one_column_is_taken_with_a_warning(y: Any) -> None:
    with pytest.warns(DataConversionWarning, match="column-vector y was passed"):
        model = fit(X, y, max_depth=3)
    assert model.tree_.arrays.equals(FITTED.tree_.arrays)


@pytest.mark.parametrize("made", ESTIMATORS)
def test_the_target_among_the_columns_is_a_leak(made: Any) -> None:
    y = CLASSES if made in CLASSIFIERS else VALUES
    with pytest.warns(LeakWarning) as warned:
        made().fit(X.assign(risk=y), y)
    (leak,) = [each for each in warned if each.category is LeakWarning]
    assert str(leak.message) == (
        "column 'risk' equals the target in all 60 rows: the answer is among the questions, and"
        " rows to predict will not have it.\n  Hint: fit(X.drop(columns=['risk']), y)."
    )
    assert leak.filename == __file__


@pytest.mark.filterwarnings("error")
def test_what_only_looks_like_a_leak_is_none() -> None:
    y = (X["age"] > 40).to_numpy()
    almost = pd.Series(y.copy())
    almost[N_ROWS - 1] = ~almost[N_ROWS - 1]
    gap = pd.Series(y).astype("boolean").mask(X.index == N_ROWS - 1)
    fit(X.assign(almost=almost, gap=gap), y)
    fit(pd.DataFrame({"a": [1.0, 2.0], "b": [3.0, 4.0]}), [1, 2])  # too few rows to tell
    fit(np.column_stack([y, X["age"]]), y)  # without names: nobody left a column in
    tw.DecisionTreeRegressor(max_depth=1).fit(X.assign(zero=0.0), np.zeros(N_ROWS))


@pytest.mark.parametrize(
    ("column", "y"),
    [
        (X["age"].astype("uint64"), X["age"]),
        (X["age"] > 40, X["age"] > 40),
        ((X["age"] > 40).astype(int), X["age"] > 40),
        (X["region"].astype("category"), X["region"]),
    ],
)
def test_a_leak_is_seen_in_every_type(column: Any, y: Any) -> None:
    with pytest.warns(LeakWarning, match="column 'copy' equals the target"):
        fit(X[["income"]].assign(copy=column), y)


def test_a_file_without_a_target_and_a_pickle_are_told(tmp_path: Path) -> None:
    X.to_csv(tmp_path / "table.csv", index=False)
    frame = tw.read(tmp_path / "table.csv")
    with pytest.raises(AttributeError, match=r"Hint: read\(path, target='name'\) gives X and y"):
        _ = frame.X
    with pytest.raises(AttributeError, match=r"Hint: frame\['age'\]"):
        _ = frame.age
    with pytest.raises(AttributeError, match="Hint: to_pandas"):
        _ = frame.iloc
    for name, made in (("plain", pickle.dumps(FITTED)), ("pressed", gzip.compress(b"model"))):
        (tmp_path / name).write_bytes(made)
        with pytest.raises(ModelFormatError, match="is a pickle, and load runs no code") as caught:
            tw.load(tmp_path / name)
        assert "Hint: pickle.load or joblib.load, if you trust it" in str(caught.value)


def test_what_is_not_there_is_told_in_other_processes_too() -> None:
    with pytest.raises(AttributeError) as caught:
        _ = FITTED.classes
    again = pickle.loads(pickle.dumps(caught.value))
    assert str(again) == str(caught.value)
    assert "Hint: did you mean 'classes_'?" in str(again)
    assert not hasattr(tw, "XGBClassifier")


def test_dates_as_text_are_seen() -> None:
    days = pd.Series(pd.date_range("2024-01-01", periods=N_ROWS // 2).repeat(2))
    for form in ("%Y-%m-%d", "%d.%m.%Y", "%Y-%m-%d %H:%M:%S"):
        table = X.assign(day=days.dt.strftime(form).to_numpy())
        with pytest.warns(OtherTypeWarning, match="column 'day' holds dates as text") as warned:
            fit(table, CLASSES)
        assert "Hint: pd.to_datetime(X['day'])" in str(warned[0].message)
        assert not any(each.category is IdentifierWarning for each in warned)
    fit(table, CLASSES, schema=tw.Schema(kinds={"day": "nominal"}))  # meant: no warning
    fit(X.assign(day=days.to_numpy()), CLASSES)
    fit(X.assign(part=[f"{i % 20}-12-3 b" for i in range(N_ROWS)]), CLASSES)


def test_what_others_refuse_is_no_mistake_here() -> None:
    sparse = scipy.sparse.coo_matrix(X[["age", "income"]].to_numpy())
    assert len(fit(sparse, CLASSES).predict(sparse.tocsr())) == N_ROWS
    endless = X.assign(income=X["income"].mask(X["age"] > 60, np.inf))
    assert len(fit(endless, CLASSES).predict(endless)) == N_ROWS
    one = fit(X, ["only"] * N_ROWS)
    assert set(one.predict(X)) == {"only"}
    assert one.get_n_leaves() == 1


@pytest.mark.parametrize("made", ESTIMATORS)
def test_refusals_leave_scikit_learns_protocol_as_it_is(made: Any) -> None:
    model = made()
    known = inspect.signature(type(model)).parameters
    assert set(known) == set(model.get_params(deep=False))
    assert not hasattr(model, "tree_")
    assert not hasattr(model, "no_such_thing")
    assert hasattr(model, "predict_proba") == (made not in REGRESSORS)
    for copied in (clone(model), copy.deepcopy(model), pickle.loads(pickle.dumps(model))):
        assert copied.get_params(deep=False).keys() == model.get_params(deep=False).keys()
    with pytest.raises(TypeError, match="has no parameter 'no_such_thing'"):
        type(model)(no_such_thing=1)


def test_a_method_of_other_kinds_of_estimators_is_not_taken_for_a_slip() -> None:
    with pytest.raises(AttributeError) as caught:
        tw.DecisionTreeClassifier().score_samples  # noqa: B018
    assert str(caught.value) == "'DecisionTreeClassifier' object has no attribute 'score_samples'"
