"""How sure an estimator is: intervals, sets of classes, calibrated probabilities."""
