"""Where a value stands in a record: the part of JSON path that names places, and no more."""

from __future__ import annotations

import re
from typing import Any

from msgspec import Struct

from callscore.errors import InvalidSettings

__all__ = ["Path", "parse_path"]

_STEP = re.compile(
    r"""\.(?P<name>[^.\[\]'"\s]+)"""
    r"""|\[(?P<index>-?\d+)\]"""
    r"""|\[(?P<all>\*)\]"""
    r"""|\['(?P<single>[^']*)'\]|\["(?P<double>[^"]*)"\]""",
)


class Path(Struct, frozen=True):
    """A path that can be followed.

    Attributes:
        text: as it was written.
        steps: keys, indices, and None for `[*]`, everything in a list.
    """

    text: str
    steps: tuple[str | int | None, ...]

    def find(self, value: Any) -> list[Any]:
        """What stands at the path: nothing, one value, or with `[*]` any number of them."""
        found = [value]
        for step in self.steps:
            found = [inner for item in found for inner in _inside(item, step)]
        return found

    @property
    def is_many(self) -> bool:
        """Whether the path leads to any number of places."""
        return None in self.steps


def _inside(value: Any, step: str | int | None) -> list[Any]:
    if isinstance(step, str):
        return [value[step]] if isinstance(value, dict) and step in value else []
    if not isinstance(value, list):
        return []
    if step is None:
        return value
    return [value[step]] if -len(value) <= step < len(value) else []


def parse_path(text: str) -> Path:
    """The path that a text spells: `$.info.task.actions`, `$['task id']`, `$.turns[-1].calls[*]`.

    Raises:
        InvalidSettings: it spells none.
    """
    rest = text.removeprefix("$")
    if text[:1] not in ("$", ".", "["):
        rest = f".{text}"
    steps: list[str | int | None] = []
    position = 0
    while position < len(rest):
        found = _STEP.match(rest, position)
        if found is None:
            raise InvalidSettings(
                f"{text!r} is no path: it goes wrong at {rest[position:]!r}."
                " Write it like $.metadata.task_id or $.turns[0]['tool calls']."
            )
        steps.append(_step_of(found))
        position = found.end()
    return Path(text, tuple(steps))


def _step_of(found: re.Match[str]) -> str | int | None:
    if found["all"]:
        return None
    if found["index"]:
        return int(found["index"])
    return next(key for key in (found["name"], found["single"], found["double"]) if key is not None)
