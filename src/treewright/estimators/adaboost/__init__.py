"""AdaBoost with scikit-learn's interface."""
