"""Painters: a tree as people look at it."""
