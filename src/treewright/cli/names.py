"""Names that completion and messages need without loading what they name; a test compares them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Algorithm:
    """A way to grow a model, by the name of ``--algorithm``.

    Parameters
    ----------
    classes, numbers
        The estimator for a target of classes and of numbers; None where there is none.
    line
        What it is, in one line.
    """

    classes: str | None
    numbers: str | None
    line: str


ALGORITHMS: dict[str, Algorithm] = {
    "tree": Algorithm(
        "DecisionTreeClassifier",
        "DecisionTreeRegressor",
        "5 rows a leaf, pruned by cost complexity, 1-SE",
    ),
    "id3": Algorithm("ID3Classifier", None, "Quinlan 1986: gain, a branch for each value"),
    "c45": Algorithm("C45Classifier", None, "Quinlan 1993: gain ratio, divided cases, pruned"),
    "c45rules": Algorithm("C45RulesClassifier", None, "Quinlan 1993: the rules of a C4.5 tree"),
    "cart": Algorithm("CARTClassifier", "CARTRegressor", "Breiman et al. 1984, surrogates"),
    "chaid": Algorithm("CHAIDClassifier", "CHAIDRegressor", "Kass 1980: tests, merged values"),
    "m5": Algorithm(None, "M5Regressor", "Quinlan 1992: linear models in the leaves"),
    "oblique": Algorithm(
        "ObliqueTreeClassifier", "ObliqueTreeRegressor", "cuts of linear combinations"
    ),
    "forest": Algorithm(
        "RandomForestClassifier", "RandomForestRegressor", "Breiman 2001: random forest"
    ),
    "extra-trees": Algorithm(
        "ExtraTreesClassifier", "ExtraTreesRegressor", "Geurts et al. 2006: random cuts"
    ),
    "bagging": Algorithm("BaggingClassifier", "BaggingRegressor", "Breiman 1996"),
    "adaboost": Algorithm("AdaBoostClassifier", "AdaBoostRegressor", "Freund and Schapire 1997"),
    "boosting": Algorithm(
        "GradientBoostingClassifier",
        "GradientBoostingRegressor",
        "Friedman 2001: gradient boosting, chosen rounds",
    ),
    "hist-boosting": Algorithm(
        "HistGradientBoostingClassifier",
        "HistGradientBoostingRegressor",
        "the same with scikit-learn's defaults",
    ),
}
"""Every algorithm, in the order of the help."""

TREES = ("tree", "id3", "c45", "cart", "chaid", "m5", "oblique")
"""Those that grow one tree."""

EXAMPLES = (
    "play_tennis",
    "play_tennis_d15",
    "play_tennis_penn",
    "play_tennis_no_temperature",
    "sunny_missing_humidity",
    "play_tennis_missing_humidity",
    "robots",
    "robots_two",
    "ab_0",
    "ab_3",
    "length",
    "go_out",
    "boolean_x1_x4",
    "color_shape",
    "table_3_1",
    "table_3_2",
    "table_3_3",
    "table_3_5",
    "table_3_7",
    "routing_example",
    "xor",
    "boost_toy",
    "play_tennis_validation",
    "roc_toy",
    "breast_cancer",
    "diabetes",
    "digits",
    "iris",
    "wine",
    "loans",
)
"""The embedded tables, as ``example:NAME``."""
