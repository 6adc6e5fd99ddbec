"""Linear models in leaves, and M5."""
