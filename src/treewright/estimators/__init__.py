"""The scikit-learn surface: thin classes over :mod:`treewright.learn`."""
