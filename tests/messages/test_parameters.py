"""What is said about a parameter out of range, word for word."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from treewright import (
    C45Classifier,
    CARTClassifier,
    CARTRegressor,
    CHAIDClassifier,
    CHAIDRegressor,
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    Discretizer,
    ID3Classifier,
    ObliqueTreeClassifier,
    ObliqueTreeRegressor,
    Schema,
)
from treewright.errors import (
    AbsentClassWarning,
    ParameterError,
    TargetError,
    TreewrightError,
    UnsupportedError,
)

X = np.arange(12.0).reshape(6, 2)
CLASSES = ["a", "b", "a", "b", "c", "c"]
TWO = ["a", "b", "a", "b", "a", "b"]
VALUES = [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]
COLOURS = {"size": [1, 2, 3, 4, 5, 6], "colour": ["r", "g", "b", "r", "g", "b"]}


def said(error: type[TreewrightError], estimator: Any, x: Any = X, y: Any = TWO) -> str:
    with pytest.raises(error) as caught:
        estimator.fit(x, y)
    assert type(caught.value) is error
    return str(caught.value)


def of_classifier(**parameters: Any) -> str:
    return said(ParameterError, DecisionTreeClassifier(**parameters))


def of_regressor(**parameters: Any) -> str:
    return said(ParameterError, DecisionTreeRegressor(**parameters), y=VALUES)


def test_a_choice_offers_the_nearest() -> None:
    assert of_classifier(criterion="ginni") == (
        "criterion='ginni' must be one of 'gini', 'entropy', 'gain_ratio', 'misclassification',"
        " 'chi2', 'twoing', 'hellinger', 'ordinal_gini', 'impurity_ratio'.\n"
        "  Hint: did you mean 'gini'?"
    )
    assert of_classifier(splitter=3) == "splitter=3 must be one of 'best', 'random'."
    assert of_classifier(nominal="multi-way") == (
        "nominal='multi-way' must be one of 'multiway', 'subset', 'one_vs_rest', 'groups'.\n"
        "  Hint: did you mean 'multiway'?"
    )
    assert of_classifier(missing=None) == (
        "missing=None must be one of 'divide', 'learned_side', 'surrogates', 'most_likely',"
        " 'most_likely_in_class', 'own_branch', 'majority', 'most_likely_in_training'."
    )


def test_a_criterion_of_the_other_task_is_not_among_the_choices() -> None:
    assert of_regressor(criterion="gini") == (
        "criterion='gini' must be one of 'squared_error', 'absolute_error', 'poisson',"
        " 'weighted_squared_error', 'standard_deviation', 'fifth_root'.\n"
        "  Hint: 'gini' is for a classifier."
    )


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        (
            {"max_depth": 0},
            "max_depth=0 must be at least 1.\n  Hint: max_depth=None sets no limit.",
        ),
        ({"max_depth": 2.5}, "max_depth=2.5 must be a whole number or None."),
        ({"max_depth": "3"}, "max_depth='3' must be a whole number or None."),
        ({"max_depth": True}, "max_depth=True must be a whole number or None."),
        ({"max_leaf_nodes": 1}, "max_leaf_nodes=1 must be at least 2."),
        ({"min_samples_leaf": 0}, "min_samples_leaf=0 must be at least 1."),
        ({"min_samples_split": 1}, "min_samples_split=1 must be at least 2."),
        (
            {"min_samples_split": None},
            "min_samples_split=None must be a whole number of rows or a decimal share of them.",
        ),
        (
            {"min_samples_leaf": 1.5},
            "min_samples_leaf=1.5: a share of the rows must be above 0 and at most 1.",
        ),
        ({"min_fraction_leaf": 0.6}, "min_fraction_leaf=0.6 must be between 0 and 0.5."),
        (
            {"min_weight_fraction_leaf": -1},
            "min_weight_fraction_leaf=-1 must be between 0 and 0.5.",
        ),
        ({"min_impurity": -1}, "min_impurity=-1 must be at least 0."),
        ({"min_impurity": "3"}, "min_impurity='3' must be a number."),
        (
            {"min_impurity_decrease": float("nan")},
            "min_impurity_decrease=nan must be at least 0.",
        ),
        ({"max_p_value": 1.01}, "max_p_value=1.01 must be between 0 and 1, or None."),
        ({"max_features": 0}, "max_features=0 must be at least 1."),
        (
            {"max_features": "auto"},
            "max_features='auto' must be 'sqrt', 'log2', None, a whole number of columns or a"
            " decimal share of them.\n  Hint: here it is called 'sqrt'.",
        ),
        (
            {"max_features": 1.1},
            "max_features=1.1: a share of the columns must be above 0 and at most 1.",
        ),
        ({"cost_exponent": -0.1}, "cost_exponent=-0.1 must be at least 0."),
        (
            {"column_costs": 3},
            "column_costs=3 must be a dict of column to number, a list with one number for each"
            " column, or None.",
        ),
        (
            {"monotonic_cst": "up"},
            "monotonic_cst='up' must be a dict of column to number, a list with one number for"
            " each column, or None.",
        ),
        ({"n_jobs": 0}, "n_jobs=0 must be a whole number other than 0, or None."),
        ({"n_jobs": 1.5}, "n_jobs=1.5 must be a whole number other than 0, or None."),
        (
            {"random_state": "seed"},
            "random_state='seed' must be a whole number, a NumPy generator or None.",
        ),
        ({"random_state": -1}, "random_state=-1 must be at least 0."),
        ({"verbose": "yes"}, "verbose='yes' must be a whole number."),
        ({"verbose": -1}, "verbose=-1 must be at least 0."),
        (
            {"categorical_features": 1},
            "categorical_features=1 must be a list of columns, by name or by number.",
        ),
        (
            {"schema": {"x0": "nominal"}},
            "schema={'x0': 'nominal'} must be a treewright.Schema or None.\n"
            "  Hint: Schema(kinds={'zip': 'nominal'}, ignore=['id']).",
        ),
    ],
    ids=str,
)
def test_numbers_and_lists(parameters: dict[str, Any], message: str) -> None:
    assert of_classifier(**parameters) == message
    assert of_regressor(**parameters) == message


def test_parameters_of_the_classical_algorithms() -> None:
    assert said(ParameterError, C45Classifier(min_cases=0.5)) == "min_cases=0.5 must be at least 1."
    assert said(ParameterError, C45Classifier(gain_guard=1)) == (
        "gain_guard=1 must be True or False."
    )
    assert said(ParameterError, C45Classifier(mdl_penalty="no")) == (
        "mdl_penalty='no' must be True or False."
    )
    assert said(ParameterError, CARTClassifier(max_surrogates=-1)) == (
        "max_surrogates=-1 must be at least 0."
    )
    assert said(ParameterError, CARTRegressor(max_surrogates=2.0), y=VALUES) == (
        "max_surrogates=2.0 must be a whole number."
    )
    assert said(ParameterError, ID3Classifier(combine="mean")) == (
        "combine='mean' must be one of 'branch_fractions', 'leaf_counts'."
    )


def test_costs() -> None:
    assert of_classifier(column_costs=[1.0]) == (
        "column_costs has length 1, but the table has 2 columns."
    )
    assert of_classifier(column_costs=[1.0, -2.0]) == "column_costs['x1']=-2.0 must be at least 0."
    assert of_classifier(column_costs=[1.0, 0]) == (
        "column 'x1' costs 0, by which cost_rule='tan_schlimmer' divides.\n"
        "  Hint: a small cost such as 1e-6, or cost_rule='nunez'."
    )
    with pytest.raises(TreewrightError) as caught:
        DecisionTreeClassifier(column_costs={"Size": 2.0}).fit(COLOURS, TWO)
    assert str(caught.value) == (
        "column_costs names column 'Size', which the table does not have.\n"
        "  Columns: size, colour\n  Hint: did you mean 'size'?"
    )


def test_monotonic_directions() -> None:
    assert of_classifier(monotonic_cst=[0, 2]) == (
        "monotonic_cst of column 'x1' is 2; it must be -1, 0 or 1."
    )
    assert said(ParameterError, DecisionTreeClassifier(monotonic_cst={"colour": 1}), COLOURS) == (
        "monotonic_cst of column 'colour' is 1, but a nominal column has no order.\n"
        "  Hint: declare it ordinal, Schema(order={...})."
    )
    assert said(ParameterError, DecisionTreeClassifier(monotonic_cst=[1, 0]), y=CLASSES) == (
        "monotonic_cst needs one target of numbers or of two classes."
    )
    smoothed = DecisionTreeClassifier(monotonic_cst=[1, 0], leaf="laplace")
    assert said(UnsupportedError, smoothed) == (
        "leaf='laplace' cannot be used with monotonic_cst: it moves small leaves more than large"
        " ones, and may turn their order round.\n"
        "  Hint: leaf='majority', or calibrate='temperature' for shares that are no 0 or 1."
    )


def test_weights_of_classes() -> None:
    assert of_classifier(class_weight="even") == (
        "class_weight='even' must be 'balanced', a dict of class to weight, or None."
    )
    with pytest.warns(AbsentClassWarning) as caught:
        DecisionTreeClassifier(class_weight={"a": 1, "z": 2}).fit(X[:4], CLASSES[:4])
    assert str(caught[0].message) == (
        "class_weight names class 'z', which is not in y.\n  Classes: a, b"
    )
    assert of_classifier(class_weight={"a": -1}) == "class_weight['a']=-1 must be at least 0."
    assert of_classifier(class_weight={"a": 1}, priors=[0.5, 0.5]) == (
        "class_weight and priors both set how much the classes matter.\n  Hint: give one."
    )
    assert of_classifier(class_weight={"a": 0, "b": 0}) == (
        "class_weight or priors leave every row without weight; there is nothing to learn from."
    )
    two_outputs = np.column_stack([TWO, TWO])
    classifier = DecisionTreeClassifier(class_weight=[{"a": 1}])
    assert said(ParameterError, classifier, y=two_outputs) == (
        "class_weight has length 1, but y has 2 columns.\n"
        "  Hint: give one entry for each column of y, or one for all."
    )


@pytest.mark.parametrize(
    "priors", [[1.0], [0.5, -0.5], {"a": 1.0}, {"a": 1.0, "b": 1.0, "z": 1.0}, "even", {"a": "x"}]
)
def test_priors(priors: Any) -> None:
    assert of_classifier(priors=priors) == (
        f"priors={priors!r} must give one number, 0 or more, for each of the 2 classes a, b."
    )


def test_priors_of_zero() -> None:
    assert of_classifier(priors=[0, 0]) == (
        "priors add up to 0; at least one class must be possible."
    )


def unsupported(estimator: Any, x: Any = COLOURS, y: Any = TWO) -> str:
    return said(UnsupportedError, estimator, x, y)


def test_settings_that_make_no_sense_together() -> None:
    assert unsupported(DecisionTreeClassifier(criterion="twoing", nominal="multiway")) == (
        "criterion 'twoing' judges two branches and cannot be used with nominal='multiway'"
        " (column 'colour').\n  Hint: nominal='subset' and nominal='one_vs_rest' have two branches."
    )
    assert unsupported(DecisionTreeClassifier(criterion="twoing", missing="own_branch")) == (
        "criterion 'twoing' judges two branches and cannot be used with missing='own_branch'"
        " (column 'size' would get three).\n  Hint: missing='learned_side' has two branches."
    )
    assert unsupported(DecisionTreeClassifier(missing="surrogates", nominal="multiway")) == (
        "missing='surrogates' imitates binary splits and cannot be used with nominal='multiway'"
        " (column 'colour').\n  Hint: nominal='subset' or missing='divide'."
    )
    classifier = DecisionTreeClassifier(thresholds="class_boundaries", splitter="random")
    assert unsupported(classifier) == (
        "thresholds='class_boundaries' cannot be used with splitter='random', which draws its"
        " thresholds.\n  Hint: splitter='best'."
    )


def test_settings_that_make_no_sense_for_numbers() -> None:
    assert unsupported(DecisionTreeRegressor(criterion="absolute_error"), y=VALUES) == (
        "criterion 'absolute_error' cannot be used with nominal='subset' (column 'colour').\n"
        "  Hint: nominal='one_vs_rest' works with every criterion."
    )
    assert unsupported(
        DecisionTreeRegressor(criterion="absolute_error", max_p_value=0.1), X, VALUES
    ) == (
        "criterion 'absolute_error' has no significance test for max_p_value.\n"
        "  Hint: criterion='squared_error' is tested by F."
    )
    assert unsupported(DecisionTreeRegressor(missing="most_likely_in_class"), X, VALUES) == (
        "missing='most_likely_in_class' needs one target of classes.\n"
        "  Hint: missing='most_likely' works with every target."
    )


def test_several_cuts_at_once_are_no_single_threshold() -> None:
    def of(**parameters: Any) -> str:
        return unsupported(DecisionTreeClassifier(**{"numeric": "mdlp", **parameters}))

    assert of(splitter="random") == (
        "numeric='mdlp' cannot be used with splitter='random', which draws its thresholds.\n"
        "  Hint: splitter='best'."
    )
    assert of(numeric="cal5", thresholds="class_boundaries") == (
        "numeric='cal5' finds its cuts by itself and cannot be used with"
        " thresholds='class_boundaries'.\n  Hint: thresholds='all'."
    )
    assert of(monotonic_cst={"size": 1}) == (
        "numeric='mdlp' cannot be used with monotonic_cst, which compares two branches.\n"
        "  Hint: numeric='threshold'."
    )
    assert of(criterion="twoing") == (
        "criterion 'twoing' judges two branches and cannot be used with numeric='mdlp'"
        " (column 'size').\n  Hint: every other criterion can."
    )
    assert of(missing="surrogates") == (
        "missing='surrogates' imitates binary splits and cannot be used with numeric='mdlp'"
        " (column 'size').\n  Hint: missing='learned_side' or missing='divide'."
    )
    assert unsupported(DecisionTreeClassifier(numeric="mdlp"), X, np.column_stack([TWO, TWO])) == (
        "numeric='mdlp' needs one target of classes.\n  Hint: numeric='threshold'."
    )
    assert of_classifier(numeric="mdl") == (
        "numeric='mdl' must be one of 'threshold', 'mdlp', 'cal5'.\n  Hint: did you mean 'mdlp'?"
    )
    assert of_classifier(cal5_threshold=1) == "cal5_threshold=1 must be above 0 and below 1."
    assert of_classifier(cal5_alpha=0.0) == "cal5_alpha=0.0 must be above 0 and below 1."


def test_settings_of_chaid() -> None:
    def of(**parameters: Any) -> str:
        return said(ParameterError, CHAIDClassifier(**parameters))

    assert of(alpha_merge=0) == "alpha_merge=0 must be above 0 and at most 1."
    assert of(test="chi2") == "test='chi2' must be one of 'pearson', 'likelihood_ratio'."
    assert of(missing="own_branch") == "missing='own_branch' must be one of 'floating', 'last'."
    assert of(n_bins=1) == "n_bins=1 must be at least 2."
    assert of(n_bins=10_000) == "n_bins=10000 must be at most 128."
    assert of(exhaustive="yes") == "exhaustive='yes' must be True or False."
    assert of(alpha_split_merge=0.1) == (
        "alpha_split_merge=0.1 must be at most alpha_merge=0.05, or what was merged would be split"
        " again."
    )
    assert unsupported(CHAIDClassifier(alpha_split_merge=0.01, exhaustive=True)) == (
        "alpha_split_merge cannot be used with exhaustive=True, which merges down to two groups.\n"
        "  Hint: alpha_split_merge=None."
    )
    assert unsupported(CHAIDRegressor(schema=Schema(costs={"size": 3})), y=VALUES) == (
        "CHAID chooses columns by p-values alone, but the schema says that column 'size' costs 3.\n"
        "  Hint: leave costs out of the schema, or use C45Classifier or CARTClassifier."
    )


def test_settings_of_the_discretizer() -> None:
    assert said(ParameterError, Discretizer(method="mdl")) == (
        "method='mdl' must be one of 'mdlp', 'cal5', 'quantile', 'uniform'.\n"
        "  Hint: did you mean 'mdlp'?"
    )
    assert said(ParameterError, Discretizer(encode="onehot")) == (
        "encode='onehot' must be one of 'ordinal', 'label'."
    )
    assert said(TargetError, Discretizer(), y=np.column_stack([TWO, TWO])) == (
        "Discretizer learns from one target, but y has 2 columns.\n"
        "  Hint: fit one Discretizer for each."
    )
    assert said(TargetError, Discretizer(), y=None) == (
        "Discretizer requires y to be passed, but the target y is None.\n"
        "  Hint: fit(X, y), where y has one value for each row of X."
    )


def test_settings_that_make_no_sense_for_several_outputs() -> None:
    y = np.column_stack([TWO, TWO])
    assert unsupported(DecisionTreeClassifier(thresholds="class_boundaries"), X, y) == (
        "thresholds='class_boundaries' needs one target of classes.\n  Hint: thresholds='all'."
    )
    with pytest.raises(TargetError) as caught:
        C45Classifier().fit(X, y)
    assert str(caught.value) == (
        "C45Classifier learns one target, but y has 2 columns.\n"
        "  Hint: DecisionTreeClassifier and DecisionTreeRegressor take several."
    )


def test_targets_that_poisson_cannot_count() -> None:
    poisson = DecisionTreeRegressor(criterion="poisson")
    assert said(TargetError, poisson, y=[1, 2, -3.5, 4, 5, 6]) == (
        "criterion 'poisson' needs targets of 0 or more, but row 2 has -3.5.\n"
        "  Hint: criterion='squared_error' takes any number."
    )
    assert said(TargetError, poisson, y=[0] * 6) == (
        "criterion 'poisson' needs a target above 0 in at least one row."
    )


def test_declared_columns_that_the_table_does_not_have() -> None:
    with pytest.raises(TreewrightError) as caught:
        DecisionTreeClassifier(schema=Schema(ignore=["Size"])).fit(COLOURS, TWO)
    assert str(caught.value) == (
        "the schema declares column 'Size', which the table does not have.\n"
        "  Columns: size, colour\n  Hint: did you mean 'size'?"
    )
    with pytest.raises(TreewrightError) as caught:
        DecisionTreeClassifier(categorical_features=["sise"]).fit(COLOURS, TWO)
    assert str(caught.value) == (
        "categorical_features lists 'sise', but the table has no such column.\n"
        "  Columns: size, colour\n  Hint: did you mean 'size'?"
    )


def test_settings_that_make_no_sense_for_sums() -> None:
    assert said(ParameterError, ObliqueTreeClassifier(search="oc2")) == (
        "search='oc2' must be one of 'oc1', 'hhcart', 'hhcart_dominant', 'cart_lc',"
        " 'random_projections'.\n  Hint: did you mean 'oc1'?"
    )
    assert said(ParameterError, ObliqueTreeClassifier(n_restarts=0)) == (
        "n_restarts=0 must be at least 1."
    )
    assert said(ParameterError, ObliqueTreeClassifier(n_jumps=10**6)) == (
        "n_jumps=1000000 must be at most 10,000."
    )
    assert unsupported(ObliqueTreeClassifier(search="hhcart", n_restarts=3)) == (
        "n_restarts=3 belongs to search='oc1' and cannot be used with search='hhcart'.\n"
        "  Hint: leave n_restarts at None."
    )
    assert unsupported(ObliqueTreeClassifier(missing="most_likely")) == (
        "missing='most_likely' fills in one column's value and cannot be used with search='oc1',"
        " which adds up several.\n"
        "  Hint: missing='divide'; 'learned_side', 'surrogates', 'own_branch', 'majority' work too."
    )
    regressor = ObliqueTreeRegressor(criterion="absolute_error", nominal="one_vs_rest")
    assert unsupported(regressor, y=VALUES) == (
        "criterion 'absolute_error' cannot be used with search='oc1': medians cannot be kept up to"
        " date while a plane is moved.\n  Hint: criterion='squared_error' and 'poisson' can."
    )
    two_targets = np.column_stack([TWO, TWO])
    assert said(TargetError, ObliqueTreeClassifier(), y=two_targets) == (
        "ObliqueTreeClassifier learns one target, but y has 2 columns.\n"
        "  Hint: DecisionTreeClassifier and DecisionTreeRegressor take several."
    )
