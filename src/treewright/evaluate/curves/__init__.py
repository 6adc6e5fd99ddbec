"""Curves: of scores and thresholds, and of errors against rows, size, samples and noise."""
