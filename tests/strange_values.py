"""Values that no parameter is meant to have, for tests of what becomes of them."""

from typing import Any

import numpy as np

BILLION = 10**9

STRANGE: list[Any] = [
    float("nan"),
    float("inf"),
    -float("inf"),
    -1,
    0,
    1e9,
    BILLION,
    10**30,
    -(10**30),
    10**400,
    0.5,
    1.5,
    1e308,
    1e-320,
    "3",
    "",
    b"gini",
    None,
    True,
    [],
    {},
    [1, 2],
    [[1], [2]],
    [[1, 2], [3]],
    {"nobody": 1},
    {3: 4},
    {"a", "b"},
    1 + 2j,
    object(),
    len,
    int,
    np.int64(3),
    np.uint8(3),
    np.float32(0.25),
    np.float64("nan"),
    np.bool_(True),
    np.array(3),
    np.array([1, 2]),
    np.array([["a"]]),
]
