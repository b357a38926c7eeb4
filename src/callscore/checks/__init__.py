"""What can be said of calls without knowing what was expected; one check per module."""
