"""skops: a dump of an estimator is loaded with equal answers by those who trust its classes.

skops asks an object for its ``__getstate__`` and ``__reduce__``, as pickle and copy do, and tells
nobody who is asking. So it cannot be refused without refusing these; and it need not be.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import treewright as tw

MODELS: dict[str, Callable[[Any], Any]] = {
    "tree": lambda d: tw.DecisionTreeClassifier(max_depth=4).fit(d.X, d.y),
    "c45": lambda d: tw.C45Classifier().fit(d.X, d.y),
    "forest": lambda d: tw.RandomForestClassifier(n_estimators=3, random_state=0).fit(d.X, d.y),
    "boosting": lambda d: tw.GradientBoostingClassifier(n_estimators=3).fit(d.X, d.y),
    "adaboost": lambda d: tw.AdaBoostClassifier(n_estimators=3, random_state=0).fit(d.X, d.y),
}


@pytest.mark.parametrize("name", MODELS)
def test_a_dump_of_skops_answers_as_the_model(name: str) -> None:
    sio = pytest.importorskip("skops.io")
    data = tw.load_example("loans")
    model = MODELS[name](data)
    dumped = sio.dumps(model)
    with pytest.raises(Exception, match="Untrusted types found"):
        sio.loads(dumped)
    again = sio.loads(dumped, trusted=sio.get_untrusted_types(data=dumped))
    assert np.array_equal(again.predict_proba(data.X), model.predict_proba(data.X))
    assert np.array_equal(again.predict(data.X), model.predict(data.X))
