"""The page of a report: markup that escapes, figures, tables, and the one style."""
