"""What people see: width, colour, aligned tables, and the same for screen readers."""
