"""The finished model: the arrays of a tree, what its nodes ask, and the read-only views of both."""
