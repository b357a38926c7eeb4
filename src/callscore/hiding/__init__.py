"""Hides secrets of the environment in what is saved and shown; what is scored is never changed."""
