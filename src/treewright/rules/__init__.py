"""A tree read as rules: one per leaf, or one formula per class."""
