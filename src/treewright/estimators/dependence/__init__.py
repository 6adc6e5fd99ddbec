"""Partial dependence of estimators."""
