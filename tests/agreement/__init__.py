"""Agreement with scikit-learn, and with the reference programs on the shared tables."""
