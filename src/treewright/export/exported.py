"""Exported: a model as text or bytes of another system, with what was left out and the proof."""

from __future__ import annotations

import contextlib
import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from treewright.errors import ParameterError

if TYPE_CHECKING:
    from treewright.export.proof.proof import Proof


@dataclass(frozen=True, kw_only=True)
class Exported:
    """A model in the form of another system; ``print`` it for a summary.

    Parameters
    ----------
    content
        The text of a program or query, or the bytes of a binary format.
    target
        The system: ``"python"``, ``"c"``, ``"sql"`` ...
    dialect
        The dialect of SQL; None elsewhere.
    entry
        How the model is called there.
    name
        The name that identifiers start with.
    said
        What it is, in words.
    precision
        ``"float64"``, or ``"float32"`` where the target computes with that.
    any_order
        Whether what trees say may be added in another order than the model's.
    scales
        Whether what runs it divides shares by a sum that rounding keeps from 1.
    left_out
        What the model has and the target does not, in words.
    proof
        The comparison with the model; None where none was asked for.
    path
        The file it was written to; None where it was not.
    """

    content: str | bytes
    target: str
    entry: str
    name: str
    said: str
    dialect: str | None = None
    precision: str = "float64"
    any_order: bool = False
    scales: bool = False
    left_out: tuple[str, ...] = ()
    proof: Proof | None = None
    path: Path | None = None

    @property
    def text(self) -> str:
        """The text; an error for a binary format."""
        if isinstance(self.content, bytes):
            raise ParameterError(
                f"{self.target} is a binary format and has no text.\n  Hint: content has its bytes."
            )
        return self.content

    def data(self) -> bytes:
        """Return the bytes of a file with it."""
        return self.content if isinstance(self.content, bytes) else self.content.encode("utf-8")

    def __str__(self) -> str:
        where = self.target if self.path is None else self.path.name
        lines = [f"{where}: {self.said}"]
        lines += [f"left out: {each}" for each in self.left_out]
        if self.proof is not None:
            lines.append(str(self.proof))
        return "\n".join(lines)

    def __repr__(self) -> str:
        return f"Exported(target={self.target!r}, entry={self.entry!r}, {len(self.content)} long)"


def write(content: bytes, path: str | os.PathLike[str]) -> Path:
    """Write a file: to a temporary one beside it first, so that none is ever half written."""
    target = Path(path)
    temporary = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        with temporary.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(target)
    except OSError as error:
        raise ParameterError(
            f"path={str(target)!r} cannot be written: {error.strerror}.\n"
            "  Hint: a file in a folder that exists."
        ) from error
    finally:
        with contextlib.suppress(OSError):
            temporary.unlink(missing_ok=True)
    return target
