"""Runs as files: written for others to read, and taken in again."""
