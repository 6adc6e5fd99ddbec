"""The oracle's derived columns: two values of one row, compared or calculated with by Python.

None means missing, before and after. Numbers are Python's own, whole ones of any size.
"""

import math
import operator
from typing import Any

_OPERATION = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
}


def derive(left: Any, sign: str, right: Any) -> Any:
    if left is None or right is None:
        return None
    if sign == "/" and not right:
        return _by_zero(left)
    if isinstance(left, int) and isinstance(right, int) and sign == "/":
        left, right = float(left), float(right)
    try:
        result = _OPERATION[sign](left, right)
    except OverflowError:
        return None
    is_nothing = isinstance(result, float) and math.isnan(result)
    return None if is_nothing else result


def _by_zero(dividend: Any) -> float | None:
    zero = type(dividend)(0)
    if dividend == zero:
        return None
    return math.inf if dividend > zero else -math.inf
