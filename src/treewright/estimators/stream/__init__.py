"""Forests with scikit-learn's interface."""
