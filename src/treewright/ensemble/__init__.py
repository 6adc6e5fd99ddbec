"""The parts that forests, boosting and AdaBoost share."""
