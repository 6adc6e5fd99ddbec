"""From a typed table and options to one tree."""
