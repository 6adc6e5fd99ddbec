"""Trees that learn from rows as they come, with scikit-learn's interface."""
