"""What the parts of a case are called, and where they stand in records of another shape."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec import Struct

from callscore.errors import InvalidSettings, UnreadableInput
from callscore.formats.describing import describe
from callscore.formats.paths import Path, parse_path

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["ACTUAL", "EITHER", "EXPECTED", "EXPECTED_TOOL", "FIELDS", "Fields", "fields_from"]

# What a record may call the two sides; the first of each is our own word.
EXPECTED_TOOL = "expectedTool"
EXPECTED = ("expected", "referenceToolCalls", EXPECTED_TOOL)
ACTUAL = ("actual", "toolCalls")
EITHER = ("calls", "tool_calls")  # in a file that has only one side there is no doubt which
FIELDS = ("id", "expected", "actual", "trial", "input", "tools", "tags", "metadata")
_NEEDED = ("id", "expected", "actual")


class Fields(Struct, frozen=True):
    """The paths to the fields of a case.

    Attributes:
        paths: by the field's name.
    """

    paths: dict[str, Path]

    def without(self, field: str) -> Fields:
        """The same, but for one field."""
        return Fields({name: path for name, path in self.paths.items() if name != field})

    def apply(self, record: Any, place: str) -> dict[str, Any]:
        """What stands at the paths in a record, by field.

        Raises:
            UnreadableInput: an id, or a side, is neither where it should be nor under its name.
        """
        values = {}
        for field, path in self.paths.items():
            found = path.find(record)
            if path.is_many:
                values[field] = found
            elif found:
                values[field] = found[0]
            elif field in _NEEDED and not (isinstance(record, dict) and field in record):
                raise UnreadableInput(place, _missing(field, path, record))
        return values


def _missing(field: str, path: Path, record: Any) -> str:
    """What is there instead, as far as the path can be followed."""
    followed, found = record, "$"
    for length, step in enumerate(path.steps, 1):
        reached = Path(path.text, path.steps[:length]).find(record)
        if not reached:
            break
        followed, found = reached[0], found + _step_text(step)
    return f"there is no {path.text} for `{field}`; {found} is {describe(followed)}."


def _step_text(step: str | int | None) -> str:
    return "[*]" if step is None else f"[{step}]" if isinstance(step, int) else f".{step}"


def fields_from(paths: Mapping[str, str]) -> Fields:
    """The fields that a user names.

    Raises:
        InvalidSettings: there is no such field, or the path is none.
    """
    for field in paths:
        if field not in FIELDS:
            known = ", ".join(FIELDS)
            raise InvalidSettings(f"a case has no field {field!r}; its fields are {known}")
    return Fields({field: parse_path(path) for field, path in paths.items()})
