"""Records the calls of an agent's run in-process; one module for each library, imported only if used."""
