"""The fields of a case record: their names, their paths in other layouts, and their values."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any

from msgspec import Struct

from callscore.core.rendering import mention
from callscore.errors import InvalidSettings, UnreadableInput
from callscore.formats.callers import Caller, read_callers
from callscore.formats.shape import describe, integer_of, name_of

# --- paths to values in a record: the part of JSON path without filters and slices -------------

_STEP = re.compile(
    r"""\.(?P<name>[^.\[\]'"\s]+)"""
    r"""|\[(?P<index>-?\d+)\]"""
    r"""|\[(?P<all>\*)\]"""
    r"""|\['(?P<single>[^']*)'\]|\["(?P<double>[^"]*)"\]""",
)


class JSONPath(Struct, frozen=True):
    """A path to values; the step None is `[*]`, all items of a list."""

    text: str
    steps: tuple[str | int | None, ...]

    def find(self, value: Any) -> list[Any]:
        """The values at the path: none, one, or with `[*]` any number."""
        found = [value]
        for step in self.steps:
            found = [inner for item in found for inner in _step_into(item, step)]
        return found

    @property
    def is_many(self) -> bool:
        """Whether the path can lead to several values."""
        return None in self.steps


def _step_into(value: Any, step: str | int | None) -> list[Any]:
    if isinstance(step, str):
        return [value[step]] if isinstance(value, dict) and step in value else []
    if not isinstance(value, list):
        return []
    if step is None:
        return value
    return [value[step]] if -len(value) <= step < len(value) else []


def parse_json_path(text: str) -> JSONPath:
    """The path of a text: `$.info.task.actions`, `$['task id']`, `$.turns[-1].calls[*]`."""
    rest = text.removeprefix("$")
    if text[:1] not in ("$", ".", "["):
        rest = f".{text}"
    steps: list[str | int | None] = []
    position = 0
    while position < len(rest):
        found = _STEP.match(rest, position)
        if found is None:
            raise InvalidSettings(
                f"invalid path {mention(text)} at {rest[position:]!r}."
                " Write a path such as $.metadata.task_id or $.turns[0]['tool calls']."
            )
        key = found[found.lastgroup or 0]
        steps.append(None if found["all"] else int(key) if found["index"] else key)
        position = found.end()
    return JSONPath(text, tuple(steps))


# --- the fields of a case, and paths to them in records of another layout ----------------------

# The names of the two sides; the first of each is callscore's own.
EXPECTED_TOOL_FIELD = "expectedTool"
EXPECTED_FIELDS = ("expected", "referenceToolCalls", EXPECTED_TOOL_FIELD)
ACTUAL_FIELDS = ("actual", "toolCalls")
EITHER_SIDE_FIELDS = ("calls", "tool_calls")  # in a file that has only one side
# What an agent did, as others name it, in a record that names no actual calls.
TRACE_FIELDS = ("trace", "messages", "response", "output", "transcript", "spans", "events")
# What is expected and what was called in each turn, and the states at the end of a run.
TURNS_FIELD = "turns"
EXPECTED_STATE_FIELD = "expected_state"
ACTUAL_STATE_FIELD = "actual_state"
STATE_FIELDS = (EXPECTED_STATE_FIELD, ACTUAL_STATE_FIELD)
CASE_FIELDS = (
    *("id", "expected", "actual", "trial", "input", "tools", "tags", "metadata", "callers"),
    *(TURNS_FIELD, *STATE_FIELDS),
)
_REQUIRED_FIELDS = ("id", "expected", "actual")


class FieldPaths(Struct, frozen=True):
    """The paths to the fields of a case, by the name of the field.

    What was found, and what not, in any record is noted for all copies of the paths.
    """

    paths: dict[str, JSONPath]
    found: set[str] = set()
    missed: set[str] = set()

    def without(self, field: str) -> FieldPaths:
        """The same paths without that of one field."""
        paths = {name: path for name, path in self.paths.items() if name != field}
        return FieldPaths(paths, self.found, self.missed)

    @property
    def unfound(self) -> list[tuple[str, str]]:
        """The fields, with their paths, that lead nowhere in all records so far."""
        return [
            (field, path.text)
            for field, path in self.paths.items()
            if field in self.missed and field not in self.found
        ]

    def apply(self, record: Any, place: str) -> dict[str, Any]:
        """The values at the paths in a record, by field.

        Raises:
            UnreadableInput: the id or a side is neither at its path nor under its name.
        """
        values = {}
        for field, path in self.paths.items():
            found = path.find(record)
            (self.found if found else self.missed).add(field)
            if path.is_many:
                values[field] = found
            elif found:
                values[field] = found[0]
            elif field in _REQUIRED_FIELDS and not (isinstance(record, dict) and field in record):
                raise UnreadableInput(place, _missing_field_text(field, path, record))
        return values


def _missing_field_text(field: str, path: JSONPath, record: Any) -> str:
    """The message about a missing field: what is there instead, as far as the path leads."""
    followed, found = record, "$"
    for length, step in enumerate(path.steps, 1):
        reached = JSONPath(path.text, path.steps[:length]).find(record)
        if not reached:
            break
        followed = reached[0]
        found += f".{step}" if isinstance(step, str) else f"[{'*' if step is None else step}]"
    return f"field '{field}': nothing at {path.text}; {found} is {describe(followed)}."


def parse_field_paths(paths: Mapping[str, str]) -> FieldPaths:
    """The paths that a user gives for fields, by the names of the fields."""
    for field in paths:
        if field not in CASE_FIELDS:
            known = ", ".join(CASE_FIELDS)
            raise InvalidSettings(
                f"unknown field {mention(field)} of a case. Choose from: {known}."
            )
    return FieldPaths({field: parse_json_path(path) for field, path in paths.items()})


# --- records that are cases, and the values of their fields ------------------------------------

# A record without any of these is not a case.
SIDE_FIELDS = ("id", "input", *EXPECTED_FIELDS, *ACTUAL_FIELDS)
_TOOL_NAME = re.compile(r"[\w.:/-]+")
_GROUP_FIELDS = ("forbid", "in_order", "any_order", "one_of", "optional")
_GROUPING = frozenset(_GROUP_FIELDS)
_ALL_FIELDS = frozenset((*SIDE_FIELDS, *EITHER_SIDE_FIELDS, *CASE_FIELDS))


def is_case(value: Any) -> bool:
    """Whether a record is a case, so that no dialect is tried.

    Other tools write `toolCalls` and the like, too. A record is a case if it has both sides, or calls
    and an id, or no fields but those of a case.
    """
    if not isinstance(value, dict) or not has_side_field(value):
        return False
    if "expected" in value or "actual" in value or _has_turns_or_state(value):
        return True
    has_both = any(map(value.get, EXPECTED_FIELDS)) and any(map(value.get, ACTUAL_FIELDS))
    has_any = any(map(value.get, EXPECTED_FIELDS + ACTUAL_FIELDS + EITHER_SIDE_FIELDS))
    has_id = value.get("id") is not None
    if has_both or (has_id and has_any):
        return True
    # An empty side counts only if nothing else can contain the calls.
    others = [value[key] for key in value if key not in _ALL_FIELDS]
    return not others or (has_id and not any(isinstance(item, dict | list) for item in others))


def has_side_field(value: dict[str, Any]) -> bool:
    """Whether a record has a side of a case under any of its names."""
    fields = EXPECTED_FIELDS + ACTUAL_FIELDS + EITHER_SIDE_FIELDS
    return any(field in value for field in fields) or _has_turns_or_state(value)


def _has_turns_or_state(value: dict[str, Any]) -> bool:
    if any(field in value for field in STATE_FIELDS) or is_turns(value.get(TURNS_FIELD)):
        return True
    return any(  # a misspelled field, to be refused
        item.__class__ is list and _may_be_turns(key) and is_turns(item)
        for key, item in value.items()
    )


def _may_be_turns(key: Any) -> bool:
    return key.__class__ is str and _nearest_part(key) == TURNS_FIELD


def is_turns(value: Any) -> bool:
    """Whether a value is the turns of a case; records of other tools have messages and numbers there."""
    if not isinstance(value, list | tuple) or not value:
        return False
    parts = [part for turn in value for part in (turn if isinstance(turn, list) else [turn])]
    if any(isinstance(part, dict) and "role" in part for part in parts):
        return False
    sides = EXPECTED_FIELDS + ACTUAL_FIELDS + EITHER_SIDE_FIELDS
    return any(
        isinstance(turn, list) or (isinstance(turn, dict) and any(field in turn for field in sides))
        for turn in value
    ) or _are_nearly_turns(value)


def _are_nearly_turns(value: Sequence[Any]) -> bool:
    """Whether a list can only be meant as turns, and is to be refused: names of tools, or a typo."""
    if all(isinstance(turn, str) and _TOOL_NAME.fullmatch(turn) for turn in value):
        return True
    return any(
        isinstance(turn, dict) and any(nearest_side_field(str(key)) for key in turn)
        for turn in value
    )


def only_field(record: dict[str, Any], fields: tuple[str, ...], place: str) -> str | None:
    """The only one of these fields that a record has; all of them mean the same."""
    given = [field for field in fields if field in record]
    if len(given) > 1:
        problem = f"{' and '.join(map(repr, given))} are the same field. Keep one of them."
        raise UnreadableInput(place, problem)
    return given[0] if given else None


def refuse_groups(record: dict[str, Any], place: str) -> None:
    """Refuse group keywords beside `expected`: they belong inside it."""
    if not _GROUPING.isdisjoint(record):
        word = next(word for word in _GROUP_FIELDS if word in record)
        raise UnreadableInput(place, f"'{word}' must be inside the list 'expected'.")


def refuse_typos(record: dict[str, Any], place: str) -> None:
    """Refuse a field that is nearly one of the two sides: ignoring it would hide the case."""
    for key in record:
        meant = nearest_side_field(str(key))
        if meant is not None and key != meant:
            raise UnreadableInput(place, _typo_text(key, meant))


def refuse_near_parts(record: dict[str, Any], place: str) -> None:
    """Refuse a field that is nearly that of the turns or of a state, whatever else a record has.

    Ignoring it would leave out a part of what is expected. Only a list can be meant as turns.
    """
    for key, value in record.items():
        meant = _nearest_part(key) if key.__class__ is str else None
        if meant is not None and (meant != TURNS_FIELD or isinstance(value, list)):
            raise UnreadableInput(place, _typo_text(key, meant))


def has_near_part(keys: Iterable[str]) -> bool:
    """Whether `refuse_near_parts` may refuse a record with these keys."""
    return any(_nearest_part(key) is not None for key in keys)


def _typo_text(key: object, meant: str) -> str:
    return f"unknown field {describe(key)}. Did you mean '{meant}'?"


@lru_cache(maxsize=100)  # likewise
def _nearest_part(key: str) -> str | None:
    """The field for turns or a state that a key is nearly, in any case and with any separators."""
    from difflib import SequenceMatcher

    if key in _PARTS:
        return None
    bare = _NON_WORD.sub("", key.replace("_", "")).lower()
    for field, least in _PARTS.items():
        known = field.replace("_", "")
        if abs(len(known) - len(bare)) > _MAX_EXCESS:
            continue  # as of nearly all keys
        if SequenceMatcher(None, bare, known).ratio() >= least:
            return field
    return None


# How similar a key must be. `expected_status` and `returns` are less similar, and something else.
_PARTS = {EXPECTED_STATE_FIELD: 0.9, ACTUAL_STATE_FIELD: 0.9, TURNS_FIELD: 0.88}
_MAX_EXCESS = 2  # letters more or less
_NON_WORD = re.compile(r"\W+")


@lru_cache(maxsize=100)  # the records of a file mostly have the same keys
def nearest_side_field(key: str) -> str | None:
    """The field for a side that a key is nearly, or is."""
    from difflib import get_close_matches

    known = EXPECTED_FIELDS + ACTUAL_FIELDS
    meant = get_close_matches(key, known, n=1, cutoff=0.8)
    return meant[0] if meant else None


def require_tool_name(value: Any, place: str) -> str:
    """The value, if it is the name of a tool; otherwise an error."""
    if isinstance(value, str) and value:
        return value
    problem = (
        f"'{EXPECTED_TOOL_FIELD}' must be the name of a tool, or null if no tool should be called"
    )
    raise UnreadableInput(place, f"{problem}; got {describe(value)}.")


def read_id(record: dict[str, Any], place: str) -> str | None:
    """The id of a record, if it has one: text or an integer."""
    value = record.get("id")
    name = name_of(value)  # None for an integer of very many digits
    if value is None or name:
        return name
    raise UnreadableInput(place, f"'id' must be text or an integer; got {describe(value)}.")


def read_trial(record: dict[str, Any], place: str) -> int | str | None:
    """The trial of a record, if it has one: an integer or text."""
    value: int | str | None = record.get("trial")
    if value is None or isinstance(value, str) or integer_of(value) is not None:
        return value
    raise UnreadableInput(place, f"'trial' must be an integer or text; got {describe(value)}.")


def read_skip(record: dict[str, Any]) -> bool | str:
    """Whether (or why) a case is skipped; other values mean something else."""
    value = record.get("skip")
    return value if value is not None and isinstance(value, bool | str) else False


def read_callers_field(record: dict[str, Any], place: str) -> tuple[Caller, ...] | None:
    """Whose calls count, if a record says that: one text or a list of texts."""
    value = record.get("callers")
    if value is None:
        return None
    try:
        return read_callers(value)
    except InvalidSettings as error:
        raise UnreadableInput(place, f"{error}") from error


def read_tags(record: dict[str, Any], place: str) -> tuple[str, ...]:
    """The tags of a record: one text or a list of texts."""
    value = record.get("tags")
    if value is None:
        return ()
    tags = [value] if isinstance(value, str) else value
    if isinstance(tags, list | tuple):
        wrong = [tag for tag in tags if not isinstance(tag, str)]
        if not wrong:
            return tuple(tags)
        value = wrong[0]
    raise UnreadableInput(place, f"'tags' must be a list of texts; got {describe(value)}.")


_MAX_NAME_LENGTH = 48


def name_from_input(question: Any) -> str:
    """A name from the question, or from the last message: `what-is-the-weather-in-paris`.

    It is empty if nothing is in words.
    """
    if isinstance(question, list) and question and isinstance(question[-1], dict):
        question = question[-1].get("content")
    text = question if isinstance(question, str) else ""
    name = _NON_WORD.sub("-", text[: 4 * _MAX_NAME_LENGTH].casefold()).strip("-_")
    if len(name) <= _MAX_NAME_LENGTH:
        return name
    whole, hyphen, _ = name[: _MAX_NAME_LENGTH + 1].rpartition("-")
    return whole if hyphen else name[:_MAX_NAME_LENGTH]
