"""Models that pickle and copy take whole, and that nobody takes apart without checks."""

from __future__ import annotations

import copyreg
from typing import Any, NoReturn

from treewright.errors import UnsupportedError


class PickledWhole:
    """A model that is pickled and copied as ever, and sends others to :func:`treewright.save`.

    pickle, copy, joblib and cloudpickle ask for ``__reduce_ex__``. Whoever asks for ``__reduce__``
    (skops does) goes on to the parts of the model, names classes that are not public, and puts
    them together again without the checks that a model file has.

    >>> class Model(PickledWhole): ...
    >>> Model().__reduce_ex__(4)[1]
    (<class 'treewright.state.pickled_whole.Model'>,)
    """

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
