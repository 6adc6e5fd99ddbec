"""Model files as bytes: the container of arrays, its JSON twin, and writing that cannot half-happen.

What the arrays and the JSON mean is not known here; :mod:`treewright.persist` knows every model.
"""
