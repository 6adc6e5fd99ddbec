"""AdaBoost behind scikit-learn's interface."""
