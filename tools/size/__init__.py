"""Prints how large the project is."""
