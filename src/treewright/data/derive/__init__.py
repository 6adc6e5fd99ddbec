"""Derived columns."""
