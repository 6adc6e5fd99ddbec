"""Estimators that combine others: what learners answer is what another one learns from."""
