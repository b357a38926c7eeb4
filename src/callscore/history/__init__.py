"""Stores runs, answers and judgements in a database beside the project."""
