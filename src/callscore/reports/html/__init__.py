"""Reports as HTML: one file that works from disk, and the components that the page of `callscore view` shares."""
