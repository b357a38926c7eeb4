"""Runs as files: exported, and imported again."""
