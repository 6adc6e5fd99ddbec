"""What would change the answer of an estimator."""
