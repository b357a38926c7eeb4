"""The fields of a record that is a case: which records are, and what stands in each field."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from callscore.errors import UnreadableInput
from callscore.formats.describing import describe
from callscore.formats.fields import ACTUAL, EITHER, EXPECTED, EXPECTED_TOOL

__all__ = [
    "SIDES",
    "is_case",
    "names_a_side",
    "only_field",
    "read_id",
    "read_skip",
    "read_tags",
    "read_trial",
    "refuse_groups",
    "refuse_typos",
    "require_tool",
]

SIDES = ("id", "input", *EXPECTED, *ACTUAL)  # without any of these a record is no case
_GROUP_WORDS = ("forbid", "in_order", "any_order", "one_of", "optional")
_ALL_FIELDS = frozenset((*SIDES, *EITHER, "trial", "tools", "tags", "metadata"))


def is_case(value: Any) -> bool:
    """Whether a record names a side of a case, so that no dialect has to be asked.

    Other stacks have `toolCalls` and the like, too. A record that has both sides, or calls and an
    id that joins them, or nothing that a case has not, is ours all the same.
    """
    if not isinstance(value, dict) or not names_a_side(value):
        return False
    if "expected" in value or "actual" in value:
        return True
    has_both = any(map(value.get, EXPECTED)) and any(map(value.get, ACTUAL))
    has_id = value.get("id") is not None
    if has_both or (has_id and any(map(value.get, EXPECTED + ACTUAL + EITHER))):
        return True
    # An empty side is one only where nothing else could hold the calls.
    others = [value[key] for key in value if key not in _ALL_FIELDS]
    return not others or (has_id and not any(isinstance(item, dict | list) for item in others))


def names_a_side(value: dict[str, Any]) -> bool:
    """Whether a record names a side of a case in any way that we know."""
    return any(field in value for field in EXPECTED + ACTUAL + EITHER)


def only_field(record: dict[str, Any], fields: tuple[str, ...], place: str) -> str | None:
    """The one of these fields, which all mean the same, that a record has."""
    given = [field for field in fields if field in record]
    if len(given) > 1:
        problem = f"{' and '.join(given)} mean the same. Keep one of them."
        raise UnreadableInput(place, problem)
    return given[0] if given else None


def refuse_groups(record: dict[str, Any], place: str) -> None:
    """Refuse what belongs into `expected` and would be lost beside it.

    Raises:
        UnreadableInput: there is some.
    """
    for word in _GROUP_WORDS:
        if word in record:
            raise UnreadableInput(place, f"`{word}` belongs into the list of what is `expected`.")


def refuse_typos(record: dict[str, Any], place: str) -> None:
    """Refuse a field that is nearly one of the two sides: ignoring it would hide the case."""
    for key in record:
        meant = _meant_by(str(key))
        if meant is not None and key != meant:
            problem = f"{describe(key)} is no field of a case. Is `{meant}` meant?"
            raise UnreadableInput(place, problem)


@lru_cache(maxsize=100)  # the records of a file mostly have the same keys
def _meant_by(key: str) -> str | None:
    """The field for a side that a key is, or nearly is."""
    from difflib import get_close_matches

    meant = get_close_matches(key, EXPECTED + ACTUAL, n=1, cutoff=0.8)
    return meant[0] if meant else None


def require_tool(value: Any, place: str) -> str:
    """The value, which must be the name of a tool.

    Raises:
        UnreadableInput: it is not.
    """
    if isinstance(value, str) and value:
        return value
    problem = f"{EXPECTED_TOOL} is the name of a tool, or null where none should be called"
    raise UnreadableInput(place, f"{problem}; got {describe(value)}.")


def read_id(record: dict[str, Any], place: str) -> str | None:
    """The id of a record, which is text or an integer, if it has one.

    Raises:
        UnreadableInput: it is not.
    """
    value = record.get("id")
    if value is None or (isinstance(value, str) and value):
        return value
    if _is_integer(value):
        return str(value)
    raise UnreadableInput(place, f"an id is text or an integer; got {describe(value)}.")


def read_trial(record: dict[str, Any], place: str) -> int | str | None:
    """Which trial a record is, as an integer or text, if it says so.

    Raises:
        UnreadableInput: it is not.
    """
    value: int | str | None = record.get("trial")
    if value is None or isinstance(value, str) or _is_integer(value):
        return value
    raise UnreadableInput(place, f"a trial is an integer or text; got {describe(value)}.")


def read_skip(record: dict[str, Any]) -> bool | str:
    """Whether a case is left out where agents are run, or why; anything else is not our word."""
    value = record.get("skip")
    return value if isinstance(value, bool | str) else False


def _is_integer(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def read_tags(record: dict[str, Any], place: str) -> tuple[str, ...]:
    """The tags of a record: one text or a list of them.

    Raises:
        UnreadableInput: it is not.
    """
    value = record.get("tags")
    tags = [value] if isinstance(value, str) else [] if value is None else value
    if isinstance(tags, list | tuple):
        wrong = [tag for tag in tags if not isinstance(tag, str)]
        if not wrong:
            return tuple(tags)
        value = wrong[0]
    raise UnreadableInput(place, f"tags are a list of texts; got {describe(value)}.")
