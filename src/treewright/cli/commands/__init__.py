"""The commands, one file each; every file has a ``COMMAND``, and a line in the registry."""
