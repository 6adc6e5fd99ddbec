"""Explanations of predictions and splits, and importances of columns."""
