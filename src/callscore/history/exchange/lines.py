"""Runs as text that any history takes: one JSON object a line, the run first.

The first line says what it is and holds the run; then each of its evaluations, each result and, where
they are needed to go on with it, each answer has a line of its own. What was exported says at its end
how many they were, so that a file that was cut off is not taken for a whole one; what is written while
a run goes on has no end. A file may hold several runs, one after the other.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
from msgspec.structs import replace

from callscore.core.plain import encode_json
from callscore.errors import UnreadableInput
from callscore.history.exchange.soundness import fault_in
from callscore.history.records import AnswerRecord, EvaluationRecord, ResultRecord, RunRecord

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

__all__ = [
    "VERSION",
    "Record",
    "end_line",
    "line_of",
    "read_lines",
    "record_of",
    "require_version",
]

VERSION = 1

Record = RunRecord | EvaluationRecord | ResultRecord | AnswerRecord

_KIND = "callscore"
_RUN = "run"
_HAS_END = "has_end"
_END = "end"
# What stands in a line, by the name under which it does; a run has more to say of itself.
_KINDS: dict[str, type[Record]] = {
    _RUN: RunRecord,
    "evaluation": EvaluationRecord,
    "result": ResultRecord,
    "answer": AnswerRecord,
}
_NAMES = {kind: name for name, kind in _KINDS.items()}

_encoder = msgspec.json.Encoder()
_decode = msgspec.json.Decoder().decode
_REFUSALS = (msgspec.MsgspecError, UnicodeDecodeError, RecursionError)


class _End(msgspec.Struct, frozen=True):
    """How much a run has.

    Attributes:
        evaluations: how many evaluations.
        results: how many results.
    """

    evaluations: int = 0
    results: int = 0


def line_of(record: Record, *, has_end: bool = False) -> bytes:
    """A record as a line, with its line break.

    Args:
        record: the record.
        has_end: whether a line comes at the end that says how much the run has.
    """
    name = _NAMES[type(record)]
    head: dict[str, Any] = {_KIND: _RUN, "version": VERSION} if name == _RUN else {}
    if has_end:
        head[_HAS_END] = True
    try:
        return _encoder.encode({**head, name: record}) + b"\n"
    except (TypeError, ValueError, RecursionError):  # what JSON does not know becomes text
        return encode_json({**head, name: _fields(record)}) + b"\n"


def _fields(record: Record) -> dict[str, Any]:
    """The fields of a record; structs in them are fields as well."""
    found = {}
    for field in record.__struct_fields__:
        value = getattr(record, field)
        is_struct = field in ("usage", "values")
        found[field] = msgspec.to_builtins(value) if is_struct else value
    return found


def end_line(*, evaluations: int, results: int) -> bytes:
    """The line at the end of a run, with its line break: how much it has."""
    return _encoder.encode({_END: _End(evaluations, results)}) + b"\n"


def read_lines(
    lines: Iterable[bytes], name: str, on_bytes: Callable[[int], None] | None = None
) -> Iterator[Record]:
    """The records in some lines; evaluations, results and answers belong to the run before them.

    Args:
        lines: the lines.
        name: the file, as it is called in places.
        on_bytes: is told how long each line is.

    Raises:
        UnreadableInput: a line is damaged, the end is missing, or a newer callscore has written it.
    """
    run: RunRecord | None = None
    is_open = False  # an end is still to come
    seen = _End()
    for number, line in enumerate(lines, 1):
        if on_bytes is not None:
            on_bytes(len(line))
        if not line.strip():
            continue
        place = f"{name}:{number}"
        record, has_end = _read_line(line, place, is_first=run is None)
        if isinstance(record, _End):
            _require_same(record, seen, place)
            is_open = False
            continue
        if isinstance(record, RunRecord):
            _require_ended(place, is_open=is_open)
            run, is_open, seen = record, has_end, _End()
        elif run is not None:
            record = replace(record, run=run.id)
            seen = _counted(seen, record)
        yield record
    _require_ended(name, is_open=is_open)
    if run is None:
        raise UnreadableInput(name, "there is no run in it. Make such a file: callscore export RUN")


def _counted(seen: _End, record: Record) -> _End:
    return _End(
        seen.evaluations + isinstance(record, EvaluationRecord),
        seen.results + isinstance(record, ResultRecord),
    )


def _require_same(end: _End, seen: _End, place: str) -> None:
    if end != seen:
        raise UnreadableInput(
            place,
            f"something is missing: {seen.evaluations} evaluations and {seen.results} results come"
            f" before the end, and there were {end.evaluations} and {end.results}. Export it again.",
        )


def _require_ended(place: str, *, is_open: bool) -> None:
    if is_open:
        raise UnreadableInput(place, "the end is missing: the file was cut off. Export it again.")


def _read_line(line: bytes, place: str, *, is_first: bool) -> tuple[Record | _End, bool]:
    """What a line says; of a run also whether an end is to come."""
    try:
        found = _decode(line)
    except _REFUSALS as error:
        raise UnreadableInput(place, f"the line is damaged: {_told(error)}.") from error
    if not isinstance(found, dict):
        raise UnreadableInput(place, _NO_RECORD)
    if _KIND in found:
        require_version(found.get("version"), place)
    elif is_first:
        raise UnreadableInput(place, f"a run has to come first, and this is none. {_MADE_BY}")
    kinds = [name for name in (*_KINDS, _END) if name in found]
    if len(kinds) != 1 or (_KIND in found) != (kinds == [_RUN]):
        raise UnreadableInput(place, _NO_RECORD)
    [kind] = kinds
    if kind == _END:
        return _end_of(found[_END], place), False
    return record_of(_KINDS[kind], found[kind], place), found.get(_HAS_END) is True


def _end_of(fields: object, place: str) -> _End:
    try:
        return msgspec.convert(fields, _End)
    except msgspec.ValidationError as error:
        raise UnreadableInput(place, f"end: {_told(error)}.") from error


_MADE_BY = "Such files are made by: callscore export RUN"
_NO_RECORD = f"this is neither a run nor a part of one. {_MADE_BY}"


def require_version(version: object, place: str) -> None:
    """Refuse what a newer callscore has written.

    Raises:
        UnreadableInput: a newer callscore has written it.
    """
    if not isinstance(version, int) or version < 1:
        raise UnreadableInput(place, f"the version is {version!r}, and should be a number.")
    if version > VERSION:
        raise UnreadableInput(
            place,
            f"a newer callscore has written it: the version is {version}, and this one reads up to"
            f" {VERSION}. Upgrade: pip install --upgrade callscore",
        )


def record_of(kind: type[Any], fields: object, place: str) -> Any:
    """The record that plain data spells.

    Args:
        kind: which of the records it is.
        fields: its fields.
        place: where they stand.

    Raises:
        UnreadableInput: something is missing, or not as it can be.
    """
    try:
        record = msgspec.convert(fields, kind)
    except (msgspec.ValidationError, RecursionError) as error:
        problem = _told(error)
        raise UnreadableInput(place, f"{_NAMES[kind]}: {problem}.") from error
    fault = fault_in(record)
    if fault is not None:
        raise UnreadableInput(place, f"{_NAMES[kind]}: {fault}")
    return record


def _told(error: Exception) -> str:
    return str(error).partition("\n")[0].rstrip(".") or type(error).__name__
