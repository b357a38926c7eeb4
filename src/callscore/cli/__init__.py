"""The command line: parse, call, choose the exit code; one command a file."""
