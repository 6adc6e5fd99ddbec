"""Forests: sampling, growing, out-of-bag estimates, importances, proximities, quantiles."""
