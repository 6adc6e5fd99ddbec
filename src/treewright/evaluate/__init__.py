"""How good a learner is, and how far its trees can be trusted."""

from treewright.evaluate.stability import stability
from treewright.evaluate.stability_table import Stability

__all__ = ["Stability", "stability"]
