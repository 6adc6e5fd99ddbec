"""Models as SQL: dialects, conditions that are never NULL, and the query."""
