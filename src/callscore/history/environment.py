"""The environment variable that names the history; alone, because the help of most commands shows it."""

STORE_VARIABLE = "CALLSCORE_STORE"
