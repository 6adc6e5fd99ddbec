"""Every exception and warning class of the package.

Every error derives from :class:`TreewrightError`; an error about a value is also a
``ValueError``, so that code written for scikit-learn keeps working. :func:`warn` issues a warning.
"""

import sys
import warnings


class TreewrightError(Exception):
    """Base class of all errors raised on purpose."""


class DataError(TreewrightError, ValueError):
    """The table, target or weights cannot be used as they are."""


class ColumnMismatchError(DataError):
    """The columns given are not the columns the model was fitted on."""


class TargetError(DataError):
    """The target cannot be learned by this estimator."""


class FileFormatError(DataError):
    """The content of a file does not match its name or its header."""


class StrayTextError(FileFormatError):
    """A column of numbers or dates holds a text that is none.

    Attributes
    ----------
    column, text : str
        Where it is, and what it is.
    line : int
        Its line in the file.
    n_read, n_known : int
        How many of how many values are numbers or dates.
    ways : tuple of str
        Options of reading, of which each would read all values.
    """

    def __init__(
        self,
        *,
        column: str,
        line: int,
        text: str,
        n_read: int,
        n_known: int,
        what: str,
        ways: tuple[str, ...] = (),
    ) -> None:
        self.column, self.line, self.text = column, line, text
        self.n_read, self.n_known, self.ways = n_read, n_known, ways
        first = " or ".join(ways) or "mend it"
        super().__init__(
            f"column {column!r}: {n_read:,} of {n_known:,} values are {what}, but line {line:,} has"
            f" {text!r}.\n"
            f"  Hint: {first}; or also_missing=[{text!r}]; or kinds={{{column!r}: 'text'}}."
        )


class ModelFormatError(DataError):
    """The arrays of a model break the invariants that every model keeps, or a file holds none."""


class ModelFileError(TreewrightError, OSError):
    """A model file cannot be written or read; a file that was there is as it was."""


class ParameterError(TreewrightError, ValueError):
    """A parameter has a value outside its range."""


class UnknownParameterError(ParameterError, TypeError):
    """An estimator was given a parameter that it does not have."""


class UnsupportedError(ParameterError):
    """Parameters that are valid alone cannot be combined."""


class UnsupportedNameError(UnsupportedError, AttributeError):
    """An attribute that scikit-learn's models have, and that this model cannot have."""


class CompactError(TreewrightError, AttributeError):
    """A compacted model has dropped what was asked for, as prediction does not need it."""


class MemberError(TreewrightError, ValueError, TypeError):
    """A member of a stack or of a vote failed; ``__cause__`` is what it raised."""


class NoSuchRowError(TreewrightError, ValueError):
    """No row gets the answer that was wanted, or none was found; the message says which."""


class MemoryLimitError(TreewrightError, MemoryError):
    """The work would need more memory than the machine has; nothing was allocated."""


class MissingPackageError(TreewrightError, ImportError):
    """What was asked for needs a package that is not installed."""


class TreewrightWarning(UserWarning):
    """Base class of all warnings given on purpose."""


class AbsentClassWarning(TreewrightWarning):
    """A parameter names a class that no row has."""


class ConversionWarning(TreewrightWarning):
    """The model that was made of another one answers some rows otherwise."""


class GroupsWarning(TreewrightWarning):
    """Rows seem to belong to groups, which were not given: figures hold for known groups only.

    It looks for one column that tells the groups; several that do so only together are not found.
    """


class IdentifierWarning(TreewrightWarning):
    """A column looks like an identifier and will not generalise."""


class LeakWarning(TreewrightWarning):
    """A column is the target itself, which rows to predict will not have."""


class ManyCategoriesWarning(TreewrightWarning):
    """A column has more categories than are distinguished; the others count as missing."""


class NoSplitWarning(TreewrightWarning):
    """No question was found worth asking: every row gets the same answer."""


class OtherTypeWarning(TreewrightWarning):
    """Values are of another type than is due; they were converted, or count as unknown."""


class ReadWarning(TreewrightWarning):
    """What a file holds was decided by looking: the decision is told, and how to overrule it.

    Such as a column read as names although a good part of it is numbers or dates.
    """


class SmallDataWarning(TreewrightWarning):
    """There are too few rows for a reliable model."""


class TestReuseWarning(TreewrightWarning):
    """The rows kept for one last judgement were asked a second time."""

    __test__ = False  # no test class, whatever its name says


def warn(message: str, category: type[Warning]) -> None:
    """Issue a warning that points at the line of the user's code."""
    level = 1
    frame = sys._getframe()
    # scikit-learn's own frame may be between: it calls fit where there are callbacks.
    inner = (__package__, "sklearn.callback")
    while frame.f_back is not None and str(frame.f_globals.get("__name__")).startswith(inner):
        frame = frame.f_back
        level += 1
    warnings.warn(message, category, stacklevel=level)
