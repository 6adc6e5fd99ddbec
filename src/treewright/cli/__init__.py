"""The command line: it lays out what the library computes, and computes nothing itself.

A command is one file in :mod:`treewright.cli.commands` and one line of
:mod:`treewright.cli.registry`; its options come from one table, :mod:`treewright.cli.options`.
"""
