"""The command line: parse, call, choose the exit code; one command per module."""
