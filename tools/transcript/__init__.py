"""Record what the program says for a corpus of commands, and compare two recordings."""
