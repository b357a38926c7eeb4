"""Makes cases: from the definitions of tools, with a model's help or without, and from traces."""
