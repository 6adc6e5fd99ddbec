"""Gradient boosting with scikit-learn's interface."""
