"""Scorers for evaluation libraries: each module makes a callscore scorer of its library's kind.

Each module has one function, `tool_calls`, whose options are those of `callscore.score`. Nothing is
imported unless asked for: `from callscore.adapters.inspect_ai import tool_calls` needs Inspect.
"""
