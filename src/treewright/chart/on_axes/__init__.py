"""The same charts on matplotlib axes: one file each for what is drawn alike."""
