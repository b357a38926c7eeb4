"""The page of `callscore view`: the history in a browser, served to this machine only."""
