"""What the exporters of program code share: templates, names, literals and nested questions."""
