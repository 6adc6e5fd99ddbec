"""How tables are read: what was typed about it, and what may be wrong with a file."""
