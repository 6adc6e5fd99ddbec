"""Statements that are true of every table, tried on random ones and on the brute-force oracle."""
