"""The scoring tools for agents: their definitions for each stack, and what answers their calls."""

from callscore.integrations.tools import handle, tool_definition

__all__ = ["handle", "tool_definition"]
