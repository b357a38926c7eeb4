"""Whether a tool only reads or may change something, as its definition declares it."""

from __future__ import annotations

from typing import Any, Final, NamedTuple, cast, get_args

from callscore.core.call import Effect
from callscore.formats.shape import first

_EFFECTS = get_args(Effect)
_TOOL_TYPE: Final = "x-tool-type"
# The kinds of tau2-bench. GENERIC and THINK tools calculate, record a thought or hand the
# conversation over: they change nothing in the database.
_TOOL_TYPES: Final[dict[str, Effect]] = {
    "READ": "read",
    "WRITE": "write",
    "GENERIC": "read",
    "THINK": "read",
}
_READ_HINTS = ("readOnlyHint", "read_only_hint", "read_only")
_DESTRUCTIVE_HINTS = ("destructiveHint", "destructive_hint")


class DeclaredEffect(NamedTuple):
    """The effect that a definition declares, and how: a field, a hint, or an HTTP method."""

    effect: Effect
    source: str


def declared_effect(entry: dict[str, Any]) -> DeclaredEffect | None:
    """The effect that a definition declares: as callscore writes it, by the hints of MCP, or tau2's kind."""
    if entry.get("effect") in _EFFECTS:
        return DeclaredEffect(cast("Effect", entry["effect"]), "effect")
    annotations = first(entry, "annotations", "hints")
    is_read = first(annotations, *_READ_HINTS)
    if isinstance(is_read, bool):
        return DeclaredEffect("read" if is_read else "write", _READ_HINTS[0])
    if first(annotations, *_DESTRUCTIVE_HINTS) is True:
        return DeclaredEffect("write", _DESTRUCTIVE_HINTS[0])
    kind = entry.get(_TOOL_TYPE)
    effect = _TOOL_TYPES.get(kind.upper()) if isinstance(kind, str) else None
    return None if effect is None else DeclaredEffect(effect, _TOOL_TYPE)
