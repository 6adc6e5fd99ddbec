"""Numbers, names and aligned tables as people read them."""
