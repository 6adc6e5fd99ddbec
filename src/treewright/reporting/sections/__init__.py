"""The sections of a report: each turns what was found into words, figures and tables."""
