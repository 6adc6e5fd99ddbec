"""Stability: how much of a tree remains when its rows vary."""
