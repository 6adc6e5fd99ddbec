"""Rules: extracted from a tree, shortened, ordered or voting.

A :class:`treewright.RuleSet` holds them; :func:`post_prune` makes one from a tree in Mitchell's
four steps, :class:`~treewright.C45RulesClassifier` makes one as Quinlan's C4.5rules does.
"""

from treewright.rules.dnf import DNF
from treewright.rules.learn.post_prune import PostPruned, post_prune
from treewright.rules.rule import Rule
from treewright.rules.ruleset import RuleSet

__all__ = ["DNF", "PostPruned", "Rule", "RuleSet", "post_prune"]
