"""How Sphinx builds these pages: ``make docs``. They load nothing from the network when read."""

from __future__ import annotations

import re

import treewright

project = "Treewright"
author = "the authors of Treewright"
version = release = treewright.__version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.napoleon",
]
exclude_patterns = ["templates"]
templates_path = ["templates"]

# Pages are read on code hosts, too: a link is the path of a file, an anchor the slug of a heading.
myst_heading_anchors = 4

default_role = "literal"  # `name` in a docstring is a parameter
autodoc_typehints = "none"  # the docstrings have the types, in words
autodoc_member_order = "groupwise"
python_maximum_signature_line_length = 88
napoleon_google_docstring = False
# Types are words ("array-like of shape (n_rows,)"), not references: what is left is checked (-n).
napoleon_use_param = False
napoleon_use_rtype = False
napoleon_custom_sections = [("Attributes", "params_style")]

highlight_language = "none"  # what is shown below a block is output
html_theme = "furo"
html_title = f"Treewright {release}"
html_copy_source = False
html_show_copyright = False  # the licence says it
html_static_path = ["static"]
html_css_files = ["pages.css"]

SCIKIT_LEARNS = ("get_metadata_routing", "set_output", "n_features_in_", "feature_names_in_")
OF_TUPLES = ("count", "index")


def skip_member(
    app: object, what: str, name: str, member: object, skip: bool, options: object
) -> bool | None:
    """Leave out what scikit-learn adds to every estimator, and Python to every named tuple."""
    requests = name.startswith("set_") and name.endswith("_request")
    return True if requests or name in (*SCIKIT_LEARNS, *OF_TUPLES) else None


def change_docstring(
    app: object, what: str, name: str, member: object, options: object, lines: list[str]
) -> None:
    """Keep the first line of what scikit-learn wrote; keep napoleon from seeing types in prose."""
    if (getattr(getattr(member, "fget", member), "__module__", "") or "").startswith("sklearn"):
        first = re.sub(r":\w+:`([^<`]*?)(?: <[^`]*>)?`", r"\1", lines[0])
        lines[:] = [first, "", "Inherited from scikit-learn."]
    if what in ("attribute", "data", "property"):
        lines[:0] = ["..", ""]  # else "One penalty: the middle" would have the type "One penalty"


def list_decisions(app: object, docname: str, source: list[str]) -> None:
    """Put the pages of the decisions below their table, which is read on code hosts, too."""
    if docname == "decisions/README":
        source[0] += "\n```{toctree}\n:hidden:\n:glob:\n\n0*\n```\n"


def setup(app: object) -> None:
    """Register what is changed on the way."""
    connect = app.connect  # type: ignore[attr-defined]
    connect("autodoc-skip-member", skip_member)
    connect("autodoc-process-docstring", change_docstring, priority=400)  # before napoleon
    connect("source-read", list_decisions)
