"""The report: a table, a tree of it and what was found out about both, in one HTML file."""
