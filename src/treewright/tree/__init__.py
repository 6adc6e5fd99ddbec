"""The finished tree."""
