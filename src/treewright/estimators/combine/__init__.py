"""Learners combined into one."""
