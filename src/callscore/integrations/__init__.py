"""The scoring tools for agents: their definitions for each stack, and `handle`, which runs a call."""

from callscore.integrations.tools import handle, tool_definition

__all__ = ["handle", "tool_definition"]
