"""Settings that go together, under a name."""

from __future__ import annotations

from typing import Any, Final

from callscore.core.nearest import meant_by
from callscore.errors import InvalidSettings

__all__ = ["PRESETS", "preset_named"]

# Each names the same settings, so that choosing one leaves nothing of another in force.
_STRICT: Final = {
    "mode": "strict",
    "count_calls": "all",
    "failed_calls": "count",
    "arrays": "ordered",
    "nested_objects": "equal",
}
_OUTCOME: Final = {
    "count_calls": "writes",
    "failed_calls": "ignore",
    "arrays": "unordered",
    "nested_objects": "subset",
}
_PRESETS: Final[dict[str, dict[str, Any]]] = {
    "strict": _STRICT,
    "flexible": {**_STRICT, "mode": "flexible"},
    "outcome": {**_STRICT, **_OUTCOME},
}

PRESETS: Final = tuple(_PRESETS)


def preset_named(name: Any) -> dict[str, Any]:
    """The settings of a preset, by name; what it does not name is as it was.

    Raises:
        InvalidSettings: there is no such preset.
    """
    if not isinstance(name, str) or name not in _PRESETS:
        problem = f"preset: {name!r} is not one of {', '.join(PRESETS)}"
        raise InvalidSettings(problem + meant_by(name, PRESETS))
    return dict(_PRESETS[name])
