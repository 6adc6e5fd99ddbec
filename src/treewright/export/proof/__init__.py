"""Proof of an export: rows at every boundary, answered by the artefact and by the model."""
