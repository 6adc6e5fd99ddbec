"""What importing the package loads; who may import whom is checked by `make lint`."""

import subprocess
import sys


def test_importing_the_package_loads_none_of_the_estimators_of_scikit_learn() -> None:
    code = "import sys, treewright; print(*sorted(m for m in sys.modules if m.count('.') == 1))"
    loaded = subprocess.run(
        [sys.executable, "-c", code], check=True, capture_output=True, text=True
    ).stdout.split()
    assert "sklearn.base" in loaded
    heavy = {"sklearn.ensemble", "sklearn.linear_model", "sklearn.metrics", "sklearn.tree"}
    assert not heavy & set(loaded)
