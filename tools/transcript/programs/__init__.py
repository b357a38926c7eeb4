"""Programs that commands of the corpus call beside callscore."""
