"""Drawing trees for people to read."""
