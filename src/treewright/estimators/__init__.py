"""The scikit-learn surface: thin classes, each with a signature, a docstring and one call."""
