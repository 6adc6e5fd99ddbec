"""Published numbers and trees, each with its source, answered through the public API."""
