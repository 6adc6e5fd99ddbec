"""Topics of ``treewright help``: what no single command's page can say."""

from __future__ import annotations

from collections.abc import Callable

from treewright.cli.screen.screen import Screen

TOPICS: dict[str, Callable[[list[str], Screen], str]] = {}
