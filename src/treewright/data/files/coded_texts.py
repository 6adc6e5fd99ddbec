"""A column of texts as codes into its distinct texts: each text is looked at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from treewright.array_types import Array, Int32Array
from treewright.interrupts import row_blocks


@dataclass(frozen=True, eq=False)
class CodedTexts:
    """The texts of one column.

    Attributes
    ----------
    codes : array of int32
        For each row, the position of its text in `distinct`.
    distinct : list of str
        Every text that occurs, in order of first occurrence.

    Examples
    --------
    >>> texts = CodedTexts.of(["b", "a", "b"])
    >>> texts.codes.tolist(), texts.distinct, texts.counts().tolist()
    ([0, 1, 0], ['b', 'a'], [2, 1])
    """

    codes: Int32Array
    distinct: list[str]

    @classmethod
    def of(cls, texts: Sequence[str]) -> CodedTexts:
        """Return a column of texts, coded."""
        code_of_text: dict[str, int] = {}
        codes = np.empty(len(texts), dtype=np.int32)
        for block in row_blocks(len(texts)):
            some = texts[block]
            for text in some:
                if text not in code_of_text:
                    code_of_text[text] = len(code_of_text)
            codes[block] = [code_of_text[text] for text in some]
        return cls(codes, list(code_of_text))

    def __len__(self) -> int:
        return len(self.codes)

    def counts(self) -> Array:
        """Return in how many rows each distinct text stands."""
        return np.bincount(self.codes, minlength=len(self.distinct))

    def first_row(self, text: str) -> int:
        """Return the first row with a text."""
        return int(np.argmax(self.codes == self.distinct.index(text)))

    def spread(self, value_of_text: dict[str, Any], gap: Any, kind: Any) -> Array:
        """Return a value for each row; `gap` for texts that have none."""
        values: Array = np.array([value_of_text.get(t, gap) for t in self.distinct], dtype=kind)
        return values[self.codes]

    def texts(self) -> list[str]:
        """Return the text of each row."""
        distinct = np.array(self.distinct, dtype=object)
        texts: list[str] = distinct[self.codes].tolist() if len(distinct) else []
        return texts
