"""Texts of categories checked for targets whose texts are bytes that end with a zero, or UTF-8."""

from __future__ import annotations

from typing import TYPE_CHECKING

from treewright.text.names import short_name

if TYPE_CHECKING:
    from treewright.export.form.form import Form


def refuse_texts(form: Form, target: str, *, zero_ends: bool = False) -> None:
    """Refuse categories and classes that a target cannot hold: lone surrogates, zero bytes."""
    named = [(f"column {each.name!r}", each.values) for each in form.inputs]
    named.append(("the target", form.classes or ()))
    for where, values in named:
        for value in values:
            if not isinstance(value, str):
                continue
            if zero_ends and "\0" in value:
                raise form.refuse(
                    target,
                    f"{where} has the text {short_name(value)}, and a text ends at its first zero"
                    " byte there",
                    "export to python, javascript or rust",
                )
            try:
                value.encode("utf-8")
            except UnicodeEncodeError:
                raise form.refuse(
                    target,
                    f"{where} has the text {short_name(value)}, which is no valid Unicode",
                    "mend the text before fit, or export to python",
                ) from None
