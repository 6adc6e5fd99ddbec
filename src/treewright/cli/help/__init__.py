"""The pages of help, the topics, and the man page."""
