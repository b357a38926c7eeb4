"""Compare two recordings, command by command."""

from __future__ import annotations

from difflib import unified_diff
from itertools import groupby
from typing import TYPE_CHECKING, NoReturn

import msgspec
from msgspec import Struct

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

__all__ = ["Record", "differences", "read_recording", "write_recording"]

# A whole database may have changed: the first lines tell why.
_MOST_LINES = 60
_LONGEST = 300  # characters of a line
_CONTEXT = 100  # of these, before the first that differs


class Record(Struct, frozen=True, kw_only=True):
    """What one command did.

    Attributes:
        key: the job and the number of the command in it.
        command: the command as a person reads it.
        exit: its exit code; negative for a signal, None where it did not end in time.
        stdout: what it printed.
        stderr: what it printed there.
        files: what it wrote, by name; None for a file that it removed.
    """

    key: str
    command: str
    exit: int | None
    stdout: str
    stderr: str
    files: dict[str, str | None] = {}


def write_recording(file: Path, records: Iterable[Record]) -> None:
    """Write a recording as JSON lines, one command a line."""
    file.parent.mkdir(parents=True, exist_ok=True)
    partial = file.with_name(f"{file.name}.part")
    with partial.open("wb") as lines:
        for record in records:
            lines.write(msgspec.json.encode(record) + b"\n")
    partial.replace(file)


def read_recording(file: Path) -> dict[str, Record]:
    """The records of a file, by key."""
    try:
        lines = file.read_bytes().splitlines()
    except OSError as error:
        _refuse(f"{file}: {error.strerror}. Record it first: make transcript")
    records = {}
    for number, line in enumerate(lines, 1):
        try:
            record = msgspec.json.decode(line, type=Record)
        except msgspec.MsgspecError as error:
            _refuse(f"{file}:{number}: not a record ({error}). Record it again: make transcript")
        records[record.key] = record
    return records


def differences(
    before: dict[str, Record],
    after: dict[str, Record],
    *,
    is_complete: bool = True,
) -> Iterator[str]:
    """What changed, one text for each command that is not the same.

    Args:
        before: the earlier recording.
        after: the later one.
        is_complete: whether both hold the whole corpus. If not, only what both hold is compared.
    """
    for key, old in before.items():
        new = after.get(key)
        if new is not None and new != old:
            yield "\n".join([f"=== {key}", f"    {_first_line(new.command)}", *_changes(old, new)])
        elif new is None and is_complete:
            yield f"=== {key}\n    only in the earlier recording: {_first_line(old.command)}"
    if is_complete:
        for key, new in after.items():
            if key not in before:
                yield f"=== {key}\n    only in the later recording: {_first_line(new.command)}"


def _changes(old: Record, new: Record) -> Iterator[str]:
    if old.command != new.command:
        yield from _diff("command", old.command, new.command)
    if old.exit != new.exit:
        yield f"exit code: {old.exit} before, {new.exit} now"
    yield from _diff("stdout", old.stdout, new.stdout)
    yield from _diff("stderr", old.stderr, new.stderr)
    for name in sorted({*old.files, *new.files}):
        yield from _file_changes(name, old, new)


def _file_changes(name: str, old: Record, new: Record) -> Iterator[str]:
    if name not in new.files:
        yield f"file {name}: no longer written"
    elif name not in old.files:
        yield f"file {name}: not written before"
    elif old.files[name] is None or new.files[name] is None:
        if old.files[name] != new.files[name]:
            is_removed = new.files[name] is None
            yield f"file {name}: {'removed now' if is_removed else 'no longer removed'}"
    else:
        yield from _diff(f"file {name}", old.files[name] or "", new.files[name] or "")


def _diff(name: str, old: str, new: str) -> list[str]:
    if old == new:
        return []
    lines = list(
        unified_diff(
            old.splitlines(), new.splitlines(), f"{name} before", f"{name} now", n=1, lineterm=""
        )
    )
    if not lines:
        return [f"{name}: only line ends differ"]
    lines = list(_shortened(lines))
    left_out = len(lines) - _MOST_LINES
    return [*lines[:_MOST_LINES], f"... and {left_out} lines more"] if left_out > 0 else lines


def _shortened(lines: list[str]) -> Iterator[str]:
    """Lines of a diff; of two long lines that face each other, the part that differs."""
    for is_change, group in groupby(lines, key=lambda line: line[:1] in {"-", "+"}):
        changed = list(group)
        half = len(changed) // 2
        old, new = changed[:half], changed[half:]
        is_pairs = is_change and len(old) == len(new) and all(line[0] == "-" for line in old)
        begins = (
            [_common(one, other) for one, other in zip(old, new, strict=True)] * 2
            if is_pairs and all(line[0] == "+" for line in new)
            else [0] * len(changed)
        )
        for line, begin in zip(changed, begins, strict=True):
            yield _cut(line, begin)


def _common(one: str, other: str) -> int:
    """How many characters two lines share at their start, after the sign."""
    pairs = zip(one[1:], other[1:], strict=False)
    return next((index for index, (a, b) in enumerate(pairs) if a != b), 0)


def _cut(line: str, begin: int) -> str:
    if len(line) <= _LONGEST:
        return line
    first = max(begin - _CONTEXT, 0)
    shown = line[1 + first : 1 + first + _LONGEST]
    return (
        f"{line[0]}{'...' if first else ''}{shown}{'...' if first + _LONGEST < len(line) else ''}"
    )


def _first_line(text: str) -> str:
    first, _, rest = text.partition("\n")
    return f"{first} ..." if rest else first


def _refuse(message: str) -> NoReturn:
    raise SystemExit(f"transcript: {message}")
