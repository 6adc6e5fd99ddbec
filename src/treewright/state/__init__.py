"""Model files as bytes: the container of arrays, its JSON twin, files written whole or not at all.

What the arrays and the JSON mean is not known here; :mod:`treewright.persist` knows every model.
"""
