"""Engines that run artefacts: interpreters, compilers and databases, each if it is installed."""
