"""What fit does beside laying out: judging, steps, and the lines of Python it stands for."""
