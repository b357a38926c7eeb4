"""The fuzzer of the project: mutates everything that callscore reads, and checks what comes of it."""
