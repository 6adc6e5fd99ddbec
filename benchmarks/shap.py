"""SHAP values of one boosted model by LightGBM and by this engine: the same trees, the same rows.

LightGBM fits the model; its trees are carried over split by split, so that both explain the very
same function and the values can be compared, not only the time. Run with lightgbm installed:

    python benchmarks/shap.py [--rounds 500] [--leaves 63] [--rows 500] [--threads 1]
"""

import argparse
import time
from typing import Any

import lightgbm
import numpy as np

from treewright.core import BoostForest, Columns


def made_table(n_rows: int, n_columns: int = 28) -> tuple[Any, Any]:
    """Physics-like: a few products and squares of normal columns decide."""
    random = np.random.default_rng(0)
    X = random.normal(size=(n_rows, n_columns)).astype(np.float32)
    logit = X[:, 0] * X[:, 1] + X[:, 2] ** 2 - X[:, 3] * X[:, 4] + X[:, 5:12].sum(axis=1) / 2 - 1
    return X, (logit + random.logistic(size=n_rows) > 0).astype(float)


def nodes_of(structure: dict[str, Any]) -> list[dict[str, Any]]:
    """LightGBM's nested nodes in a list, children side by side and after their parent."""
    nodes = [structure]
    for node in nodes:
        if "left_child" in node:
            node["first_child"] = len(nodes)
            nodes += [node["left_child"], node["right_child"]]
    return nodes


def carried_over(booster: Any) -> Any:
    trees = [nodes_of(tree["tree_structure"]) for tree in booster.dump_model()["tree_info"]]
    cuts: list[Any] = [[] for _ in range(booster.num_feature())]
    for node in (node for nodes in trees for node in nodes if "first_child" in node):
        cuts[node["split_feature"]].append(node["threshold"])
    cuts = [np.unique(own) for own in cuts]

    def arrays(nodes: list[dict[str, Any]]) -> dict[str, Any]:
        def read(kind: Any, value: Any) -> Any:
            return np.array([value(node) for node in nodes], dtype=kind)

        def cut(node: dict[str, Any]) -> int:
            own = cuts[node.get("split_feature", 0)]
            return int(np.searchsorted(own, node["threshold"])) if "threshold" in node else 0

        return {
            "first_child": read(np.int32, lambda node: node.get("first_child", -1)),
            "column": read(np.int32, lambda node: node.get("split_feature", 0)),
            "cut": read(np.int32, cut),
            "subset": read(np.int32, lambda node: -1),
            "missing_first": read(np.uint8, lambda node: node.get("default_left", False)),
            "n_rows": read(
                np.uint32, lambda node: node.get("internal_count", node.get("leaf_count", 0))
            ),
            "weight": read(np.float64, lambda node: 0.0),
            "gain": read(np.float64, lambda node: 0.0),
            "value": read(np.float64, lambda node: node.get("leaf_value", 0.0)),
            "subset_bits": np.array([], dtype=np.uint64),
        }

    return BoostForest(cuts, [len(own) + 1 for own in cuts], [arrays(nodes) for nodes in trees], 1)


def seconds(call: Any, repeats: int) -> tuple[float, Any]:
    best, answer = np.inf, None
    for _ in range(repeats):
        start = time.perf_counter()
        answer = call()
        best = min(best, time.perf_counter() - start)
    return best, answer


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rounds", type=int, default=500)
    parser.add_argument("--leaves", type=int, default=63)
    parser.add_argument("--rows", type=int, default=500)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--model", help="a LightGBM model file to explain instead")
    parser.add_argument("--table", help="its rows, as .npy")
    given = parser.parse_args()
    if given.model:
        booster, X = lightgbm.Booster(model_file=given.model), np.load(given.table)
    else:
        X, y = made_table(100_000)
        options = {"objective": "binary", "num_leaves": given.leaves, "verbose": -1}
        booster = lightgbm.train(options, lightgbm.Dataset(X, y), given.rounds)
    forest = carried_over(booster)
    rows = np.ascontiguousarray(X[: given.rows])
    columns = Columns()
    columns.add_matrix(rows)
    ours, found = seconds(
        lambda: forest.shap(columns, 0, forest.n_trees, given.threads), 3 * given.repeats
    )
    theirs, expected = seconds(
        lambda: booster.predict(rows, pred_contrib=True, num_threads=given.threads), given.repeats
    )
    found = np.column_stack([found[0][:, 0], np.full(len(rows), found[1][0])])
    score = booster.predict(rows, raw_score=True)
    print(f"{forest.n_trees} trees, {len(rows)} rows, {given.threads} threads")
    print(f"LightGBM {theirs:.3f} s, this engine {ours:.4f} s: {theirs / ours:.0f} x")
    print(f"largest difference of a value {np.abs(found - expected).max():.1e}")
    print(f"largest difference of a sum and its score {np.abs(found.sum(1) - score).max():.1e}")


if __name__ == "__main__":
    main()
