"""What a table holds, and what in it could mislead."""
