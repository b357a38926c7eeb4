"""Checks of calls that need no expectation."""
