"""Any object to a typed table, target and weights."""
