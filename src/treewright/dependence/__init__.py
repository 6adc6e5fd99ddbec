"""Partial dependence: what a model answers on the whole if columns had other values."""
