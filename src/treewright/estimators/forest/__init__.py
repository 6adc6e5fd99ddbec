"""Forests behind scikit-learn's interface."""
