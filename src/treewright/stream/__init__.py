"""Trees that learn from rows as they come, and are those of all rows at once."""
