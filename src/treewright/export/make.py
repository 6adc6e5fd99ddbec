"""From a model to an artefact with its proof, and from a file to an artefact."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from treewright.data.frame import Frame
from treewright.data.read.table import read_frame
from treewright.errors import FileFormatError, ParameterError
from treewright.export.code.names import identifier
from treewright.export.code.texts import read_head
from treewright.export.exported import Exported, write
from treewright.export.form.build import form_of
from treewright.export.proof.rows import Cases, boundary_cases, with_table
from treewright.export.proof.verify import prove
from treewright.parameters import check_count, check_flag, nearest_hint

if TYPE_CHECKING:
    from treewright.export.proof.engines.base import Engine
    from treewright.export.proof.proof import Proof

_FROM = re.compile(r'\n\s*FROM ("(?:[^"]|"")*")')


@dataclass(frozen=True)
class Target:
    """A system that models are exported to.

    Parameters
    ----------
    name
        As users write it.
    suffixes
        Endings of files with it, the usual one first.
    source
        Function that makes the artefact of a model, without proof.
    engine
        Function that returns what runs an artefact, by its dialect; None where nothing runs it.
    is_binary
        Whether the artefact is bytes.
    """

    name: str
    suffixes: tuple[str, ...]
    source: Callable[..., Exported]
    engine: Callable[[str | None], Engine] | None
    is_binary: bool = False


def make(
    target: Target,
    model: object,
    path: str | os.PathLike[str] | None,
    *,
    name: str | None,
    proof: bool,
    n_rows: int,
    X: Any,
    **options: Any,
) -> Exported:
    """Return a model as an artefact, proven and written to a file if that is asked for.

    Parameters
    ----------
    target
        The system.
    model, path, name, proof, n_rows, X, options
        As for the function of the target.
    """
    check_flag("proof", proof)
    check_count("n_rows", n_rows, least=1)
    if name is None:
        name = "model" if path is None else identifier(Path(path).stem, otherwise="model")
    elif not isinstance(name, str):
        raise ParameterError(f"name={name!r} must be a text.")
    made = target.source(model, name=name, **options)
    if proof and target.engine is not None:
        made = replace(made, proof=proven(target, model, made, n_rows=n_rows, X=X))
    if path is not None:
        made = replace(made, path=write(made.data(), path))
    return made


def proven(
    target: Target, model: object, made: Exported, *, n_rows: int, X: Any = None, seed: int = 0
) -> Proof:
    """Return the proof of an artefact."""
    assert target.engine is not None
    engine = target.engine(made.dialect)
    cases: Cases | None = None
    if engine.version() is not None:
        cases = boundary_cases(form_of(model), n_rows=n_rows, seed=seed)
        if X is not None:
            cases = with_table(cases, X if isinstance(X, Frame) else read_frame(X))
    return prove(model, made, engine, cases=cases)


def read_artefact(
    artefact: object, targets: dict[str, Target], *, target: str | None, dialect: str | None
) -> Exported:
    """Return an artefact that was exported before, from its file or as it is.

    Parameters
    ----------
    artefact
        What an export returned, or the path of its file.
    targets
        Every target by its name.
    target, dialect
        What it is, where the file does not say.
    """
    if isinstance(artefact, Exported):
        return artefact
    if not isinstance(artefact, str | os.PathLike):
        raise ParameterError(
            f"artefact={artefact!r} must be what an export returned, or the path of its file."
        )
    path = Path(artefact)
    try:
        content = path.read_bytes()
    except OSError as error:
        raise FileFormatError(f"{str(path)!r} cannot be read: {error.strerror}.") from error
    head = read_head(content[:8192].decode("utf-8", "replace"))
    found = target
    if found is None and head is not None:
        found = head[0]
    if found is None:
        by_suffix = [each.name for each in targets.values() if path.suffix in each.suffixes]
        found = by_suffix[0] if by_suffix else None
    if found is None or found not in targets:
        raise FileFormatError(
            f"{path.name!r} does not say what it was exported to.\n"
            f"  Hint: target=, one of {', '.join(targets)}.{nearest_hint(found, targets)}"
        )
    name = identifier(path.stem, otherwise="model") if head is None else head[2]
    own: str | bytes = content
    entry = name
    if not targets[found].is_binary:
        try:
            own = content.decode("utf-8")
        except UnicodeDecodeError as error:
            raise FileFormatError(
                f"{path.name!r} is no text in UTF-8 (byte {error.start:,}), as exported code is."
            ) from None
        table = _FROM.search(own)
        entry = f"FROM {table[1]}" if table else name
    return Exported(
        content=own,
        target=found,
        dialect=dialect or (None if head is None else head[1]),
        entry=entry,
        name=name,
        said=f"{found} of {path.name}",
        path=path,
    )
