"""Gradient boosting behind scikit-learn's interface."""
