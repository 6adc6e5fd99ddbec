"""scikit-learn's own estimator checks, for every estimator.

One is excused: that a row of weight k is k copies of it. To an ensemble that draws rows, penalizes
or counts rows only the ratios of weights matter (tests/faults/test_targets_and_weights.py); as in
scikit-learn, whose own forests and bagging are excused alike.
"""

from __future__ import annotations

from typing import Any

import pytest
from every_estimator import ESTIMATORS as ALL
from sklearn.linear_model import LogisticRegression
from sklearn.utils.estimator_checks import parametrize_with_checks

from treewright import (
    AdaBoostClassifier,
    AdaBoostRegressor,
    BaggingClassifier,
    BaggingRegressor,
    C45Classifier,
    C45RulesClassifier,
    CARTClassifier,
    CARTRegressor,
    CHAIDClassifier,
    CHAIDRegressor,
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    Discretizer,
    ExtraTreeClassifier,
    ExtraTreeRegressor,
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    ID3Classifier,
    IncrementalTreeClassifier,
    M5Regressor,
    ObliqueTreeClassifier,
    ObliqueTreeRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
    StackingClassifier,
    StackingRegressor,
    TreeFeatures,
    VotingClassifier,
    VotingRegressor,
)
from treewright.prune import CostComplexity

_CLASSIFIERS = [("tree", DecisionTreeClassifier()), ("stump", CARTClassifier(max_depth=1))]
_REGRESSORS = [("tree", DecisionTreeRegressor()), ("stump", CARTRegressor(max_depth=1))]

ESTIMATORS = [
    DecisionTreeClassifier(),
    DecisionTreeRegressor(),
    ID3Classifier(),
    IncrementalTreeClassifier(),
    IncrementalTreeClassifier(ccp_alpha=0.01, criterion="entropy"),
    C45Classifier(),
    C45RulesClassifier(),
    C45RulesClassifier(search="annealing", significance=0.05),
    C45RulesClassifier(variant="c5"),
    CARTClassifier(),
    CARTRegressor(),
    CHAIDClassifier(),
    CHAIDRegressor(),
    CHAIDClassifier(exhaustive=True, test="likelihood_ratio", missing="last"),
    CHAIDRegressor(exhaustive=True),
    DecisionTreeClassifier(numeric="mdlp"),
    DecisionTreeClassifier(numeric="cal5", cal5_threshold=0.9, cal5_alpha=0.9),
    GradientBoostingClassifier(),
    GradientBoostingRegressor(),
    GradientBoostingClassifier(n_estimators=5, min_samples_leaf=5),
    GradientBoostingClassifier(n_estimators=5, min_samples_leaf=5, max_bins=16, n_jobs=2),
    GradientBoostingClassifier(n_estimators=5, min_samples_leaf=5, leaf_model="linear"),
    GradientBoostingRegressor(n_estimators=20, min_samples_leaf=5),
    GradientBoostingRegressor(n_estimators=20, min_samples_leaf=5, leaf_model="linear"),
    GradientBoostingRegressor(n_estimators=20, min_samples_leaf=5, loss="huber"),
    GradientBoostingRegressor(n_estimators=30, min_samples_leaf=5, loss="absolute_error"),
    GradientBoostingRegressor(n_estimators=20, min_samples_leaf=0.05, ccp_alpha=0.01),
    GradientBoostingClassifier(n_estimators=5, criterion="friedman_mse", min_samples_split=4),
    HistGradientBoostingClassifier(max_iter=5, min_samples_leaf=5),
    HistGradientBoostingRegressor(max_iter=20, min_samples_leaf=5),
    ExtraTreeClassifier(),
    ExtraTreeRegressor(),
    Discretizer(),
    Discretizer(method="cal5"),
    Discretizer(method="quantile"),
    Discretizer(method="uniform"),
    DecisionTreeClassifier(criterion="entropy", nominal="multiway", missing="divide"),
    DecisionTreeClassifier(splitter="random"),
    DecisionTreeClassifier(max_leaf_nodes=5),
    DecisionTreeClassifier(missing="surrogates"),
    DecisionTreeClassifier(class_weight="balanced", n_jobs=2),
    DecisionTreeClassifier(ccp_alpha=0.01, leaf="laplace"),
    ID3Classifier(prune="chi_square"),
    C45Classifier(variant="j48"),
    C45Classifier(variant="c5"),
    CARTRegressor(prune=CostComplexity(alpha=0.1)),
    DecisionTreeRegressor(missing="divide", combine="leaf_counts"),
    DecisionTreeRegressor(splitter="random"),
    DecisionTreeRegressor(max_leaf_nodes=5),
    DecisionTreeRegressor(missing="surrogates"),
    DecisionTreeRegressor(criterion="absolute_error", nominal="one_vs_rest"),
    M5Regressor(),
    M5Regressor(variant="paper"),
    ObliqueTreeClassifier(),
    ObliqueTreeClassifier(search="hhcart", criterion="entropy", missing="divide", n_jobs=2),
    ObliqueTreeClassifier(search="cart_lc", max_leaf_nodes=5, missing="surrogates"),
    ObliqueTreeRegressor(),
    ObliqueTreeRegressor(search="hhcart", missing="own_branch"),
    ObliqueTreeRegressor(search="random_projections", max_leaf_nodes=5),
    RandomForestClassifier(n_estimators=3),
    RandomForestClassifier(n_estimators=3, max_leaf_nodes=5, vote="hard", n_jobs=2),
    RandomForestClassifier(n_estimators=3, class_weight="balanced_subsample", features_per="tree"),
    RandomForestRegressor(n_estimators=3),
    RandomForestRegressor(n_estimators=3, criterion="absolute_error", nominal="one_vs_rest"),
    RandomForestRegressor(n_estimators=3, estimator=M5Regressor()),
    ExtraTreesClassifier(n_estimators=3),
    ExtraTreesClassifier(n_estimators=3, bootstrap=True, ccp_alpha=0.01),
    ExtraTreesRegressor(n_estimators=3),
    BaggingClassifier(n_estimators=3),
    BaggingClassifier(C45Classifier(), n_estimators=3),
    BaggingClassifier(CARTClassifier(), n_estimators=3, max_features=0.7, bootstrap_features=True),
    BaggingRegressor(n_estimators=3),
    AdaBoostClassifier(n_estimators=3),
    AdaBoostClassifier(n_estimators=10, algorithm="M1"),
    AdaBoostClassifier(C45Classifier(), n_estimators=3, n_jobs=2),
    AdaBoostClassifier(LogisticRegression(), n_estimators=3),
    AdaBoostClassifier(DecisionTreeClassifier(max_depth=2), n_estimators=3, resample=True),
    AdaBoostRegressor(n_estimators=3),
    AdaBoostRegressor(n_estimators=3, loss="square", resample=False),
    StackingClassifier(_CLASSIFIERS),
    StackingClassifier([*_CLASSIFIERS, ("line", LogisticRegression())], LogisticRegression()),
    StackingRegressor(_REGRESSORS),
    VotingClassifier([*_CLASSIFIERS, ("c45", C45Classifier())]),
    VotingClassifier(_CLASSIFIERS, voting="soft", weights="out_of_fold"),
    VotingRegressor(_REGRESSORS),
    VotingRegressor(_REGRESSORS, weights="out_of_fold"),
    TreeFeatures(n_estimators=5),
    TreeFeatures(n_estimators=5, max_depth=3, output="proba", n_jobs=2),
    TreeFeatures(n_estimators=5, max_depth=3, output="leaf"),
    TreeFeatures(n_estimators=5, estimator=C45Classifier(), max_samples=0.5),
]


def test_every_estimator_is_checked() -> None:
    assert {type(made()) for made in ALL} <= {type(estimator) for estimator in ESTIMATORS}


def takes_weights_for_copies(estimator: Any) -> bool:
    if hasattr(estimator, "estimators"):  # the folds of a pool of probabilities count rows
        return not (isinstance(estimator, StackingClassifier) and not estimator.final_estimator)
    if "GradientBoosting" in type(estimator).__name__:
        return False
    if isinstance(estimator, AdaBoostClassifier):  # C4.5 counts rows
        return not (estimator.resample or isinstance(estimator.estimator, C45Classifier))
    if isinstance(estimator, AdaBoostRegressor):  # which draws unless told not to
        return estimator.resample is False
    if getattr(estimator, "bootstrap", False):
        return False
    return getattr(estimator, "max_samples", None) in (None, 1.0)


def excused(estimator: Any) -> dict[str, str]:
    """Return the checks that an estimator fails, and why; an excuse not needed is an error."""
    if isinstance(estimator, StackingClassifier) and len(estimator.estimators) > 2:
        return {"check_dtype_object": "the error names the member that cannot take a dict"}
    if takes_weights_for_copies(estimator):
        return {}
    forms = ("dense", "sparse")
    reason = "only the ratios of weights matter"
    return {f"check_sample_weight_equivalence_on_{form}_data": reason for form in forms}


@pytest.mark.filterwarnings("ignore::treewright.errors.NoSplitWarning")  # of a class of no weight
@pytest.mark.filterwarnings("ignore::treewright.errors.SmallDataWarning")  # of a class in no fold
@parametrize_with_checks(ESTIMATORS, expected_failed_checks=excused)
def test_scikit_learn_check(estimator: Any, check: Any) -> None:
    check(estimator)
