"""Rules of thumb for the size of a tree."""

import numpy as np

from treewright.errors import ParameterError
from treewright.measures.checks import check_base


def suggested_depth(n_columns: int, *, base: float = 2.0) -> float:
    """Return log(number of columns), a hint for ``max_depth`` (textbook section 3.4, item 5).

    Examples
    --------
    >>> suggested_depth(4096)
    12.0
    """
    if n_columns < 1:
        raise ParameterError(f"n_columns={n_columns!r} must be at least 1.")
    if check_base(base) == 2.0:
        return float(np.log2(n_columns))  # exact for powers of two, which log(x) / log(2) is not
    return float(np.log(n_columns) / np.log(base))
