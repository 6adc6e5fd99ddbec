"""Trees whose first questions are given: they are asked as they are, and the tree grown below."""
