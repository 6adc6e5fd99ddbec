"""A tree that asks a person."""
