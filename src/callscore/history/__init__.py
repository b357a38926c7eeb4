"""Stores runs, answers and judgements in a database beside the project."""

# The environment variable that names the history; here, because the help of most commands shows it.
STORE_VARIABLE = "CALLSCORE_STORE"
