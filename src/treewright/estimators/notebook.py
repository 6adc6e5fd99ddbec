"""Estimators in notebooks: scikit-learn's diagram, and below it what was learned."""

from __future__ import annotations

from typing import Any

from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted

from treewright.errors import TreewrightError


class ShowsModel:
    """An estimator whose fitted model is shown under scikit-learn's diagram of its parameters."""

    _model: Any

    def _shown_html(self) -> str:
        """Return the fitted model as HTML."""
        shown: str = self._model()._repr_html_()
        return shown

    def _html_repr(self) -> str:
        diagram: str = super()._html_repr()  # type: ignore[misc]
        try:
            check_is_fitted(self)
            return f"{diagram}{self._shown_html()}"
        except (NotFittedError, TreewrightError):  # compacted, say: what is shown must not fail
            return diagram
