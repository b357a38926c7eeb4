"""The scoring tools for agents: their definitions for each stack, and what answers their calls."""

from callscore.integrations.definitions import tool_definition
from callscore.integrations.handling import handle

__all__ = ["handle", "tool_definition"]
