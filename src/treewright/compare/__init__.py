"""Two trees compared."""
