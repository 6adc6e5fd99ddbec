"""The interactive page of a tree: one file of HTML, with its script, and data that cannot run."""
