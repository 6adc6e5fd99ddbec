"""Embedded tables."""
