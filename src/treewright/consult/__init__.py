"""Consultations: a tree asks a person for values."""
