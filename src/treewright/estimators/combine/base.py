"""What stacks and votes share: members, any table, classes in their order, certainty."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from sklearn.utils import Bunch
from sklearn.utils.metadata_routing import (
    UNUSED,
    _raise_for_params,
    _routing_enabled,
    process_routing,
)

from treewright.array_types import Array, FloatArray
from treewright.estimators.certainty.keeps_rows import KeepsRows
from treewright.estimators.certainty.unseen import GivenRows, Unseen, known_target
from treewright.estimators.checks import check_random_state, check_verbose, seed_of
from treewright.estimators.combine.fitting import Fitter
from treewright.estimators.combine.folds import Fold, divide
from treewright.estimators.combine.members import (
    Member,
    asked,
    consumes,
    is_dropped,
    members_of,
    passed_to,
)
from treewright.estimators.combine.rows import Rows, read_rows
from treewright.estimators.combine.weights import MemberWeights
from treewright.estimators.refusals import RefusesMistakes
from treewright.threads import n_threads


@dataclass(frozen=True, kw_only=True, eq=False)
class Held:
    """What was answered about each row by models that had not seen it.

    Parameters
    ----------
    rows
        The rows.
    folds
        How they were divided.
    members
        Answers of each member.
    whole
        Answers of all together: probabilities, or numbers; None where they could not be had.
    """

    rows: Rows
    folds: Sequence[Fold]
    members: Sequence[Array]
    whole: Array | None = None


class CombinesMembers(KeepsRows, RefusesMistakes):
    """Several learners of any library that answer together."""

    # With scikit-learn's metadata routing, groups are asked for, and weights passed on.
    __metadata_request__fit = {"groups": True, "sample_weight": UNUSED}  # noqa: RUF012

    _not_pickled: ClassVar[tuple[str, ...]] = ("_held",)

    estimators: Any
    estimators_: Any
    cv: Any
    n_jobs: Any
    random_state: Any
    verbose: Any
    _members: list[Member]
    _held: Held | None = None
    _weights: MemberWeights | None = None
    _seed: int | None = None
    _of_classes: bool

    def _is_classifier(self) -> bool:
        return self._of_classes

    # ------------------------------------------------------------------ fit
    def _check_metadata(self, metadata: dict[str, Any]) -> None:
        """Refuse what no member can have asked for, before anything else, as scikit-learn does."""
        if not _routing_enabled():
            _raise_for_params(metadata, self, "fit")

    def _read(self, X: Any, y: Any, sample_weight: Any, groups: Any) -> Rows:
        """Check parameters that all have, and read the rows."""
        n_threads(self.n_jobs)
        check_verbose(self.verbose)
        check_random_state(self.random_state)
        return read_rows(
            X,
            y,
            sample_weight,
            groups,
            of_classes=self._of_classes,
            owner=type(self).__name__,
        )

    def _passed(
        self, members: Sequence[Member], rows: Rows, metadata: dict[str, Any]
    ) -> dict[str, dict[str, Any]]:
        """Return what else each member's fit is given."""
        if not _routing_enabled():
            return passed_to(members, rows, None)
        given = dict(metadata)
        if rows.sample_weight is not None:
            given["sample_weight"] = rows.sample_weight
        if rows.groups is not None and consumes(self, "groups"):
            given["groups"] = rows.groups
        routed = process_routing(self, "fit", **given)
        return passed_to(members, rows, {each.name: routed[each.name]["fit"] for each in members})

    def _fitter(self, members: Sequence[Member], rows: Rows, passed: Any) -> Fitter:
        return Fitter(
            members, rows, passed, n_jobs=self.n_jobs, seed=self._seed, verbose=self.verbose
        )

    def _draw_seed(self) -> None:
        """Settle the seed of this fit; None leaves members and the order of rows as they are."""
        self._seed = None if self.random_state is None else seed_of(self.random_state) % 2**32

    def _divided(self, rows: Rows, *, dealt: bool) -> list[Fold]:
        """Return the folds; `dealt` deals the rows where no seed is given."""
        is_prefit = isinstance(self.cv, str) and self.cv == "prefit"
        seed = 0 if self._seed is None and dealt else self._seed
        return divide(None if is_prefit else self.cv, rows, seed)

    def _learned_members(self, members: Sequence[Member], models: Sequence[Any]) -> None:
        """Take over fitted members, under scikit-learn's names."""
        self._members = [
            replace(member, estimator=model) for member, model in zip(members, models, strict=True)
        ]
        self.estimators_ = list(models)
        fitted = {member.name: member.estimator for member in self._members}
        self.named_estimators_ = Bunch(
            **{name: "drop" if is_dropped(given) else fitted[name] for name, given in self._pairs()}
        )
        self.__dict__.pop("feature_names_in_", None)
        for model in models:
            if hasattr(model, "feature_names_in_"):
                self.feature_names_in_ = model.feature_names_in_

    def _pairs(self) -> list[tuple[str, Any]]:
        return [(name, each) for name, each in self.estimators]

    def _checked_members(self) -> list[Member]:
        return members_of(self)

    def _answers_of_members(self, X: Any) -> list[Array]:
        """Return what the fitted members answer."""
        return asked(self._members, self.estimators_, X, getattr(self, "classes_", None))

    # ------------------------------------------------------------------ results
    @property
    def weights_(self) -> MemberWeights:
        """What each member counts for, beside its own figures out of fold; ``print`` it."""
        if self._weights is None:
            raise AttributeError(
                f"{type(self).__name__!r} object has no attribute 'weights_': it is not fitted"
                f" yet, or to several outputs.\n  Hint: {type(self).__name__}(...).fit(X, y)."
            )
        return self._weights

    def summary(self) -> MemberWeights:
        """Return what the members are and count for, and how good each is; ``print`` it."""
        return self.weights_

    # ------------------------------------------------------------------ certainty
    def _held_for(self, given: GivenRows) -> Held | None:
        """Return the answers out of fold to the rows given; None where there are no such."""
        return self._held if given is self._fitted_to else None

    def _unseen(self, given: GivenRows, n_folds: int) -> Unseen:
        held = self._held_for(given)
        if held is None or held.whole is None:
            return super()._unseen(given, n_folds)
        truth = known_target(self, given.y, of_classes=self._of_classes)
        weight = held.rows.weight
        own = np.arange(len(truth)) if weight is None else np.flatnonzero(weight > 0)
        answers: FloatArray = np.reshape(held.whole, (len(truth), -1))[own]
        by = "" if held.rows.groups is None else ", by group"
        return Unseen(
            rows=own,
            answers={None: [answers]},
            truth=truth[own],
            weight=None if weight is None else weight[own],
            source=f"{len(held.folds)} folds{by}",
        )

    # ------------------------------------------------------------------ scikit-learn
    def fit_transform(self, X: Any, y: Any = None, **named: Any) -> Any:
        """Fit, and return what the fitted members answer about the same rows.

        Parameters
        ----------
        X, y, **named
            As for ``fit``.

        Returns
        -------
        array
            As of ``transform``.
        """
        return self.fit(X, y, **named).transform(X)

    def get_metadata_routing(self) -> Any:
        """Return what metadata is asked for: groups by the ensemble, the rest by members."""
        router = super().get_metadata_routing()  # type: ignore[misc]
        return router.add_self_request(self)

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import get_tags

        tags = super().__sklearn_tags__()  # type: ignore[misc]
        tags.target_tags.required = True
        try:
            own = [get_tags(each).input_tags for _, each in self._pairs() if not is_dropped(each)]
        except (TypeError, ValueError):  # no members: told by fit
            own = []
        tags.input_tags.string = bool(own) and all(each.string for each in own)
        tags.input_tags.categorical = bool(own) and all(each.categorical for each in own)
        return tags
