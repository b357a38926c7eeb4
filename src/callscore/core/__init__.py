"""What a score is. Pure: no files, no network, no clock, no terminal."""
