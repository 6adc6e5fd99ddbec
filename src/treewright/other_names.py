"""What other libraries call a thing, and what it is called here: for the hints of errors alone.

Parameters, their values, keywords of `fit`, names in the package, commands.
"""

from __future__ import annotations

from collections.abc import Collection

PARAMETERS = {
    "bagging_fraction": ("subsample", "max_samples"),
    "base_estimator": ("estimator",),
    "border_count": ("max_bins",),
    "cat_features": ("categorical_features",),
    "categorical_feature": ("categorical_features",),
    "colsample_bylevel": ("max_features",),
    "colsample_bynode": ("max_features",),
    "colsample_bytree": ("features_per_tree", "max_features"),
    "depth": ("max_depth",),
    "eta": ("learning_rate",),
    "feature_fraction": ("features_per_tree", "max_features"),
    "gamma": ("min_gain", "min_impurity_decrease"),
    "iterations": ("n_estimators", "max_iter"),
    "l2_leaf_reg": ("l2_regularization",),
    "lambda_l2": ("l2_regularization",),
    "loss_function": ("loss", "criterion"),
    "max_bin": ("max_bins",),
    "max_leaves": ("max_leaf_nodes",),
    "min_child_samples": ("min_samples_leaf", "min_cases"),
    "min_child_weight": ("min_hessian", "min_samples_leaf"),
    "min_data_in_leaf": ("min_samples_leaf", "min_cases"),
    "min_split_gain": ("min_gain", "min_impurity_decrease"),
    "minbucket": ("min_samples_leaf",),
    "minsplit": ("min_samples_split",),
    "mtry": ("max_features",),
    "n_trees": ("n_estimators", "max_iter"),
    "nthread": ("n_jobs",),
    "ntree": ("n_estimators", "max_iter"),
    "num_boost_round": ("n_estimators", "max_iter"),
    "num_leaves": ("max_leaf_nodes",),
    "num_threads": ("n_jobs",),
    "objective": ("loss", "criterion"),
    "reg_lambda": ("l2_regularization",),
    "seed": ("random_state",),
    "thread_count": ("n_jobs",),
    "verbosity": ("verbose",),
}
"""Parameters in XGBoost, LightGBM, CatBoost and R, and ours for the same, the closest first."""

GONE = {
    "presort": "leave it out; scikit-learn has dropped it, and columns are sorted once anyway",
}
"""Parameters that stand for nothing any more, and what to do."""

VALUES = {
    "squared_error": (
        *("mse", "ls", "l2", "rmse", "squared_loss", "variance", "anova", "regression"),
        *("friedman", "reg:squarederror"),
    ),
    "absolute_error": ("mae", "lad", "l1", "absolute", "regression_l1", "reg:absoluteerror"),
    "log_loss": (
        *("deviance", "logloss", "cross_entropy", "binary_crossentropy", "bernoulli", "logistic"),
        *("binary", "multiclass", "multinomial", "binary:logistic", "multi:softmax"),
        *("multi:softprob",),
    ),
    "entropy": ("information", "info_gain", "infogain", "gain", "ig", "id3"),
    "poisson": ("count:poisson",),
    "gamma": ("reg:gamma",),
    "tweedie": ("reg:tweedie",),
    "quantile": ("pinball", "reg:quantileerror"),
    "most_likely": ("mean", "median", "mode", "most_frequent", "impute"),
    "surrogates": ("surrogate", "rpart"),
    "divide": ("fractional", "c45"),
    "own_branch": ("as_category", "category"),
    "cost_complexity": ("ccp", "cp", "weakest_link"),
    "one_standard_error": ("1se", "one_se"),
    "error_based": ("ebp", "c45"),
    "reduced_error": ("rep", "validation"),
    "sqrt": ("auto",),
}
"""Values of parameters here, and what others say for them."""

WORDS_OF_FIT = {
    "eval_set": "fit(X, y, X_val=..., y_val=...), and sample_weight_val= for their weights",
    "eval_sample_weight": "fit(..., sample_weight_val=...)",
    "sample_weight_eval_set": "fit(..., sample_weight_val=...)",
    "init_score": "fit(..., offset=...), and predict(..., offset=...)",
    "base_margin": "fit(..., offset=...), and predict(..., offset=...)",
    "baseline": "fit(..., offset=...), and predict(..., offset=...)",
    "exposure": "fit(..., offset=np.log(exposure)), and predict(..., offset=np.log(exposure))",
    "eval_init_score": "fit(..., offset_val=...)",
    "base_margin_eval_set": "fit(..., offset_val=...)",
    "eval_metric": "the parameter scoring, as in {owner}(scoring='accuracy')",
    "early_stopping_rounds": "the parameter n_iter_no_change, as in {owner}(n_iter_no_change=10)",
    "epochs": "the parameter n_estimators, as in {owner}(n_estimators=100)",
    "num_boost_round": "the parameter n_estimators, as in {owner}(n_estimators=100)",
    "callbacks": "set_callbacks(...), with scikit-learn's callbacks",
}
"""Keywords of `fit` in other libraries of boosting, and where the same is said here."""

TABLE_AND_TARGET = ("data", "df", "formula", "label", "labels", "target", "target_column")
"""Keywords by which a table is given together with the name of its target."""

_BOOSTING = "treewright.GradientBoostingClassifier, or ...Regressor"
_SEARCH = "treewright.evaluate.tune; sklearn.model_selection takes our estimators, too"
_STEPS = "sklearn.pipeline has it, and takes our estimators as steps"
_JUDGE = "treewright.evaluate.cross_validate; sklearn.model_selection takes our estimators, too"

OF_THE_PACKAGE = {
    "AdaBoost": "treewright.AdaBoostClassifier, or ...Regressor",
    "C45": "treewright.C45Classifier",
    "C50": "treewright.C45Classifier",
    "CART": "treewright.CARTClassifier, or ...Regressor",
    "CHAID": "treewright.CHAIDClassifier, or ...Regressor",
    "CatBoostClassifier": _BOOSTING,
    "CatBoostRegressor": _BOOSTING,
    "DecisionTree": "treewright.DecisionTreeClassifier, or ...Regressor",
    "ExtraTrees": "treewright.ExtraTreesClassifier, or ...Regressor",
    "GradientBoosting": _BOOSTING,
    "GridSearchCV": _SEARCH,
    "HoeffdingTreeClassifier": "treewright.IncrementalTreeClassifier",
    "ID3": "treewright.ID3Classifier",
    "IncrementalTree": "treewright.IncrementalTreeClassifier",
    "IncrementalTreeRegressor": "treewright.IncrementalTreeClassifier learns classes; for numbers"
    " fit treewright.DecisionTreeRegressor to all rows",
    "IsolationForest": "sklearn.ensemble has it; finding outliers is no task of Treewright",
    "J48": "treewright.C45Classifier",
    "LGBMClassifier": _BOOSTING,
    "LGBMRegressor": _BOOSTING,
    "M5": "treewright.M5Regressor",
    "M5P": "treewright.M5Regressor",
    "Pipeline": _STEPS,
    "RandomForest": "treewright.RandomForestClassifier, or ...Regressor",
    "RandomTreesEmbedding": "treewright.TreeFeatures(output='leaf'), or sklearn.ensemble",
    "RandomizedSearchCV": _SEARCH,
    "XGBClassifier": _BOOSTING,
    "XGBRegressor": _BOOSTING,
    "accuracy_score": "model.score(X, y), or treewright.evaluate.scores(y, predicted)",
    "compare": "treewright.evaluate.compare",
    "confusion_matrix": "treewright.evaluate.confusion",
    "cross_val_predict": _JUDGE,
    "cross_val_score": _JUDGE,
    "cross_validate": "treewright.evaluate.cross_validate",
    "dump": "treewright.save(model, 'model.tw')",
    "entropy": "treewright.measures.entropy",
    "export_graphviz": "treewright.export.dot; sklearn.tree.export_graphviz takes our trees, too",
    "export_text": "model.text(); sklearn.tree.export_text takes our trees, too",
    "gini": "treewright.measures.gini",
    "load_iris": "treewright.load_example('iris')",
    "load_model": "treewright.load('model.tw')",
    "make_pipeline": _STEPS,
    "permutation_importance": "model.importances('permutation', X=X, y=y)",
    "plot_tree": "model.draw(); sklearn.tree.plot_tree takes our trees, too",
    "read_csv": "treewright.read('table.csv', target='name')",
    "read_excel": "treewright.read, of a sheet saved as CSV; or a dataframe, as it is",
    "rpart": "treewright.CARTClassifier, or ...Regressor",
    "save_model": "treewright.save(model, 'model.tw')",
    "train_test_split": "treewright.evaluate.holdout, or sklearn.model_selection",
    "tune": "treewright.evaluate.tune",
}
"""Names that people look for in the package, and what to write."""

_SHOW = "show MODEL --out tree.svg"
_FIT = "fit DATA"
_EVALUATE = "evaluate DATA, or evaluate MODEL DATA"

COMMANDS = {
    "apply": "predict MODEL DATA",
    "classify": "predict MODEL DATA",
    "counterfactual": "explain MODEL DATA --row 1 NAME=VALUE",
    "cv": _EVALUATE,
    "describe": "info FILE",
    "draw": _SHOW,
    "grow": _FIT,
    "inspect": "info FILE",
    "learn": _FIT,
    "plot": _SHOW,
    "print": "show MODEL",
    "score": _EVALUATE,
    "summary": "info FILE",
    "test": _EVALUATE,
    "train": _FIT,
    "validate": _EVALUATE,
    "view": _SHOW,
}
"""Words that people type after `treewright`, and the line that does it."""


def value_hint(value: object, choices: Collection[str]) -> str:
    """Return a hint at the choice that others call by another name; empty where there is none."""
    if not isinstance(value, str):
        return ""
    folded = value.casefold().replace("-", "_")
    found = [ours for ours, others in VALUES.items() if folded in others and ours in choices]
    return f"\n  Hint: here it is called {found[0]!r}." if found else ""
