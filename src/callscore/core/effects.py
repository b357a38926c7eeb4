"""Whether a tool only reads, or may change something.

A tool that is not known to read counts as a write: a lookup that is scored costs a little, and a
deletion that is not scored costs everything.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Final

from callscore.core.tool_names import changes_names, comparable_name, matches_pattern

if TYPE_CHECKING:
    from collections.abc import Mapping

    from callscore.core.call import Effect, Tool
    from callscore.core.settings import Settings

__all__ = ["READ_PATTERNS", "effect_of"]

# The names of tools that only read, where neither the settings nor a definition say anything. Each
# is a verb that asks, and the rest of the name says for what; a verb alone (`get`) says too little.
READ_PATTERNS: Final = (
    "get_*",
    "find_*",
    "search_*",
    "list_*",
    # The same four as they are spelled where names have no underscores: `getWeather`, not `getaway`.
    "get[A-Z]*",
    "find[A-Z]*",
    "search[A-Z]*",
    "list[A-Z]*",
    # These compute, or let the agent think aloud.
    "calculate",
    "think",
    # These end the conversation; what a person then does is not the agent's doing.
    "transfer_to_human*",
    "transferToHuman*",
)

_Rules = tuple[tuple[str, "Effect"], ...]
_DEFAULT_RULES: _Rules = tuple((pattern, "read") for pattern in READ_PATTERNS)


def effect_of(name: str, settings: Settings, tools: Mapping[str, Tool]) -> Effect:
    """The effect of a tool: what the settings say, else its definition, else its name.

    Args:
        name: the tool, spelled as its calls spell it; where the settings compare less of it, a
            pattern may be about either.
        settings: their `effects` come first, and of these the first that fits.
        tools: what is known of the tools, by name.
    """
    names = (name, comparable_name(name, settings)) if changes_names(settings) else (name,)
    effect = _first_match(names, settings.effects) if settings.effects else None
    defined = [tools[known].effect for known in names if known in tools]
    effect = effect or next(filter(None, defined), None)
    # By name alone, what is compared of it decides: a server may be called `search_server`.
    return effect or _first_match(names[-1:], _DEFAULT_RULES) or "write"


@lru_cache(maxsize=4096)  # an agent has few tools, and calls them often
def _first_match(names: tuple[str, ...], rules: _Rules) -> Effect | None:
    """The effect by the first rule that fits any of the names."""
    return next(
        (
            effect
            for pattern, effect in rules
            if any(matches_pattern(pattern, name) for name in names)
        ),
        None,
    )
