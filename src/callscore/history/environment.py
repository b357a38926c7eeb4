"""The environment variable that names the history; alone, because the help of most commands shows it."""

__all__ = ["STORE_VARIABLE"]

STORE_VARIABLE = "CALLSCORE_STORE"
