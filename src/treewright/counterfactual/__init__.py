"""What would change the answer: the nearest row that gets the wanted one."""
