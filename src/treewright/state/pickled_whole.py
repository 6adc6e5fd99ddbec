"""Models that pickle and copy take whole, and that nobody takes apart without checks."""

from __future__ import annotations

import copyreg
from typing import Any, ClassVar, NoReturn

from treewright.errors import UnsupportedError


class PickledWhole:
    """A model that is pickled and copied as ever, and sends others to :func:`treewright.save`.

    pickle, copy, joblib and cloudpickle ask for ``__reduce_ex__``. Whoever asks for ``__reduce__``
    (skops does) goes on to the parts of the model, names classes that are not public, and puts
    them together again without the checks that a model file has.

    >>> class Model(PickledWhole): ...
    >>> Model().__reduce_ex__(4)[1]
    (<class 'treewright.state.pickled_whole.Model'>,)

    What a class only remembers (rows, what is made again from them) it names in `_not_pickled`;
    files of models lack it, too.

    >>> class Learner(Model):
    ...     _not_pickled = ("_rows",)
    >>> learner = Learner()
    >>> learner._rows, learner.depth = [1, 2], 3
    >>> learner.__getstate__()
    {'depth': 3}
    """

    _not_pickled: ClassVar[tuple[str, ...]] = ()

    def __getstate__(self) -> Any:
        """Return what a pickle and a file hold."""
        state: Any = super().__getstate__()
        left_out = {name for kind in type(self).__mro__ for name in _named_by(kind)}
        if not left_out or state is None:
            return state
        return {name: value for name, value in state.items() if name not in left_out}

    def __reduce_ex__(self, protocol: Any) -> Any:
        """Return what makes the same again: the class, and its state."""
        if type(self).__reduce__ is not PickledWhole.__reduce__:  # a subclass's own way
            return self.__reduce__()
        return copyreg.__newobj__, (type(self),), self.__getstate__()  # type: ignore[attr-defined]

    def __reduce__(self) -> NoReturn:
        """Refuse to be taken apart."""
        raise UnsupportedError(
            f"{type(self).__name__} is not taken apart by __reduce__, as skops.io.dump does: its"
            " parts are not public, and would be put together unchecked.\n"
            '  Hint: treewright.save(model, "model.tw"); treewright.load runs nothing that a file'
            " says, and checks all of it."
        )


def _named_by(kind: type) -> tuple[str, ...]:
    """Return what a class itself leaves out, its bases apart."""
    names: tuple[str, ...] = vars(kind).get("_not_pickled", ())
    return names
