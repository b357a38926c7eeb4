"""Writes changes into files, each completely or not at all; conflicts are refused.

A file is changed only at the intended locations, and only if reading it back gives exactly the
intended data: where a location is not found or is ambiguous, nothing is written.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from copy import deepcopy
from itertools import accumulate
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any, NamedTuple

from msgspec.structs import replace

from callscore.core.equality import equal
from callscore.core.rendering import escape
from callscore.rewriting import json_file, python_file, reasons, toml_file, yaml_file
from callscore.rewriting.case_records import patched_expectation, with_whole_calls
from callscore.rewriting.change import CannotRewrite, Change, Edit, FoundExpectation, in_file
from callscore.rewriting.edits import (
    apply_edits,
    combine_edits,
    diff_lines,
    line_number_at,
    line_start,
    loses_comments,
    moved_position,
)
from callscore.rewriting.observed import location_key

# --- files: only below a folder, completely or not at all, and never if they changed -----------

_BOM = "\ufeff"
_WRITE_BITS = 0o222  # root may write a write-protected file, so the bits are checked


class SourceFile(NamedTuple):
    """A file as it was read."""

    path: Path  # without links
    name: str  # in messages
    text: str  # with line feeds as line ends
    data: bytes


def display_name(path: Path, root: Path) -> str:
    """The path of a file, relative to the root if it is inside."""
    whole, top = path.resolve(), root.resolve()
    return whole.relative_to(top).as_posix() if whole.is_relative_to(top) else str(path)


def open_source(path: Path, root: Path) -> SourceFile:
    """Read a file that may be rewritten; one outside of the root, or without text, is refused."""
    name, whole = display_name(path, root), path.resolve()
    if not whole.is_relative_to(root.resolve()):
        raise in_file(name, reasons.OUTSIDE_ROOT, root=root)
    try:
        if not whole.stat().st_mode & _WRITE_BITS or not os.access(whole, os.W_OK):
            raise in_file(name, reasons.WRITE_PROTECTED)
        data = whole.read_bytes()
        text = data.decode().removeprefix(_BOM)
    except OSError as error:
        raise in_file(name, reasons.UNREADABLE, why=error.strerror) from error
    except UnicodeDecodeError as error:
        raise in_file(name, reasons.NOT_UTF8) from error
    return SourceFile(whole, name, text.replace("\r\n", "\n") if _is_crlf(data) else text, data)


def _is_crlf(data: bytes) -> bool:
    breaks = data.count(b"\r\n")
    return breaks > 0 and breaks == data.count(b"\n")


def replace_source(file: SourceFile, text: str) -> None:
    """Replace the content of a file atomically, unless it has changed since it was read."""
    if _is_crlf(file.data):
        text = text.replace("\n", "\r\n")
    start = _BOM if file.data.startswith(_BOM.encode()) else ""
    try:
        if file.path.read_bytes() != file.data:
            raise in_file(file.name, reasons.CHANGED_MEANWHILE)
        _write_atomically((start + text).encode(), file.path)
    except OSError as error:
        raise in_file(file.name, reasons.UNWRITABLE, why=error.strerror) from error


def _write_atomically(data: bytes, path: Path) -> None:
    with NamedTemporaryFile(dir=path.parent, prefix=f".{path.name}.", delete=False) as file:
        temporary = Path(file.name)
        try:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
            temporary.chmod(path.stat().st_mode & 0o777)
            temporary.replace(path)
        except OSError:
            with suppress(OSError):
                temporary.unlink()
            raise


# --- changes ----------------------------------------------------------------------------------

# What parsers raise for invalid text.
_READ_ERRORS = (ValueError, RecursionError, SyntaxError, LookupError)


class Rewritten(NamedTuple):
    """An expectation that was written, with its file and line."""

    change: Change
    place: str
    lines: tuple[str, ...] = ()  # the changed lines, marked `-` and `+`
    has_id: bool = True  # of its own, so that the name of the case does not change


class Refused(NamedTuple):
    """An expectation that was not written: the reason in English and, if known, in every language."""

    change: Change
    problem: str
    reason: CannotRewrite | None = None


class _FileType(NamedTuple):
    """How expectations are found in a type of file, and whether nothing else has changed in it."""

    places: Callable[[str, Change], list[FoundExpectation]]
    has_changed_alone: Callable[[str, str, Sequence[FoundExpectation]], bool]


class _LocatedChange(NamedTuple):
    """A change, and its location."""

    change: Change
    file: SourceFile
    found: FoundExpectation

    @property
    def place(self) -> str:
        return f"{self.file.name}:{line_number_at(self.file.text, self.found.start)}"

    @property
    def key(self) -> str:
        """Identifies the location, whatever is written there."""
        return f"{self.file.path}:{self.found.path}"


def _data_file_type(
    places: Callable[[str, Change], list[FoundExpectation]], decode: Callable[[str], Any]
) -> _FileType:
    def has_changed_alone(old: str, new: str, places: Sequence[FoundExpectation]) -> bool:
        changed = deepcopy(decode(old))
        for found in places:
            *way, last = found.path
            owner = changed
            for step in way:
                owner = owner[step]
            owner[last] = found.value
        return equal(decode(new), changed)

    return _FileType(places, has_changed_alone)


_YAML = _data_file_type(yaml_file.places_in_yaml, yaml_file.decode_yaml)
_LINES = _data_file_type(json_file.places_in_lines, json_file.decode_lines)
_FILE_TYPES = {
    ".yaml": _YAML,
    ".yml": _YAML,
    ".json": _data_file_type(json_file.places_in_json, json_file.decode_json),
    ".jsonl": _LINES,
    ".ndjson": _LINES,
    ".toml": _data_file_type(toml_file.places_in_toml, toml_file.decode_toml),
    ".py": _FileType(python_file.places_in_python, python_file.has_changed_alone),
}


def refusal_of(change: Change, root: Path) -> str | None:
    """Why a change cannot be written, in a sentence; None if it can."""
    try:
        located_changes = _locate(change, root)
        _new_text(located_changes[0].file, [located.found for located in located_changes])
    except CannotRewrite as refused:
        return str(refused)
    return None


def find_location_key(change: Change, root: Path) -> str:
    """A key that identifies the location of an expectation; empty if it is not found."""
    try:
        return _locate(change, root)[0].key
    except CannotRewrite:
        return ""


def rewrite(
    changes: Sequence[Change], root: Path, *, is_dry: bool = False
) -> tuple[list[Rewritten], list[Refused]]:
    """Write changes into their files below `root`, each file completely or not at all.

    Repeated changes count once. With `is_dry`, nothing is written, only returned.
    """
    written: list[Rewritten] = []
    refused: list[Refused] = []
    by_file: dict[Path, list[_LocatedChange]] = {}
    for change in changes:
        try:
            located_changes = _locate(change, root)
        except CannotRewrite as problem:
            refused.append(Refused(change, str(problem), problem))
        else:
            by_file.setdefault(located_changes[0].file.path, []).extend(located_changes)
    for located_changes in by_file.values():
        agreed, contested = _without_conflicts(located_changes)
        refused += contested
        try:
            written += _write_changes(agreed, is_dry=is_dry)
        except CannotRewrite as problem:
            refused += [Refused(change, str(problem), problem) for change in _changes_of(agreed)]
    return written, refused


def _changes_of(located_changes: list[_LocatedChange]) -> list[Change]:
    """The changes, each once: one may have several locations."""
    return list({id(located.change): located.change for located in located_changes}.values())


def _without_conflicts(
    located_changes: list[_LocatedChange],
) -> tuple[list[_LocatedChange], list[Refused]]:
    """One change for each location; changes that conflict are refused."""
    by_place: dict[str, list[_LocatedChange]] = {}
    for located in located_changes:
        by_place.setdefault(located.key, []).append(located)
    agreed: list[_LocatedChange] = []
    refused: list[Refused] = []
    for competing in by_place.values():
        if all(other.found == competing[0].found for other in competing):
            agreed.append(competing[0])
        else:
            problem = in_file(competing[0].place, reasons.CALLS_DIFFER)
            refused += [Refused(change, str(problem), problem) for change in _changes_of(competing)]
    return agreed, refused


def _write_changes(located_changes: list[_LocatedChange], *, is_dry: bool) -> list[Rewritten]:
    if located_changes:
        file = located_changes[0].file
        text = _new_text(file, [located.found for located in located_changes])
        if not is_dry:
            replace_source(file, text)
    # A change with several locations is reported with the first.
    written: dict[int, Rewritten] = {}
    for located in located_changes:
        if id(located.change) not in written:
            lines = diff_lines(located.file.text, located.found.edits)
            has_id = located.change.kind != "case" or located.found.id is not None
            rewritten = Rewritten(located.change, located.place, lines, has_id)
            written[id(located.change)] = rewritten
    return list(written.values())


def _locate(change: Change, root: Path) -> list[_LocatedChange]:
    """The only location of a change; if the file has one record per trial, all of them."""
    located_changes: list[_LocatedChange] = []
    names = list(dict.fromkeys(change.files))
    for name in names:
        _file_type_of(Path(name), display_name(Path(name), root))
        file = open_source(Path(name), root)
        located_changes += [
            _LocatedChange(change, file, found) for found in _find_places(file, change)
        ]
    if not located_changes:
        shown = " and ".join(display_name(Path(name), root) for name in names)
        raise in_file(shown, reasons.NOT_FOUND)
    if len(located_changes) > 1:
        _require_trials(located_changes)
    return located_changes


def _require_trials(located_changes: list[_LocatedChange]) -> None:
    """Require that several locations are the runs, or the trials, of one case in one file."""
    known = [located.found.id for located in located_changes if located.found.id is not None]
    ids = set(map(str, known))
    trials = {
        str(located.found.trial) for located in located_changes if located.found.trial is not None
    }
    is_one_file = len({located.file.path for located in located_changes}) == 1
    if is_one_file and located_changes[0].change.is_for_all and len(ids) == 1:
        return
    if is_one_file and len(ids) == 1 and len(trials) == len(located_changes):
        return
    places = ", ".join(located.place for located in located_changes)
    if len(ids) == 1 and len(known) == len(located_changes):
        raise CannotRewrite(reasons.SAME_IDS, id=ids.pop(), places=places)
    raise CannotRewrite(reasons.AMBIGUOUS, places=places)


def _find_places(file: SourceFile, change: Change) -> list[FoundExpectation]:
    kind = _file_type_of(file.path, file.name)
    try:
        if change.patches:
            return _patched_places(file, kind, change)
        return kind.places(file.text, change)
    except CannotRewrite as problem:
        raise CannotRewrite(reasons.IN_FILE, file=file.name, problem=problem) from problem
    except _READ_ERRORS as error:
        raise in_file(file.name, reasons.UNREADABLE_FILE) from error


def _patched_places(file: SourceFile, kind: _FileType, change: Change) -> list[FoundExpectation]:
    """The places with the patches, or with whole calls if patches are impossible."""
    try:
        places = _patched(kind, file.text, change)
        for found in places:
            _new_text(file, [found])
    except (CannotRewrite, *_READ_ERRORS):
        whole = with_whole_calls(change)
        places = [] if whole is None else kind.places(file.text, whole)
        if whole is None or any(loses_comments(file.text, found) for found in places):
            raise
    return places


def _patched(kind: _FileType, text: str, change: Change) -> list[FoundExpectation]:
    """The places with the patches, and then with the new items."""
    places = kind.places(text, change)
    unchanged = tuple(range(len(change.expected or ())))
    if len(places) != 1 or change.items == unchanged:
        return places
    (first,) = places
    between = apply_edits(text, first.edits)
    moved = _moved(change, text, first.edits, between)
    rest = replace(moved, expected=patched_expectation(change), patches=())
    later = [each for each in kind.places(between, rest) if each.path[:2] == first.path[:2]]
    return [combine_edits(text, first, between, each) for each in later]


def _moved(change: Change, text: str, edits: Sequence[Edit], between: str) -> Change:
    """The change with its place after the edits of its patches."""
    lines = text.split("\n")
    if not 0 < change.line <= len(lines):
        return change
    starts = [0, *accumulate(len(line) + 1 for line in lines)]
    line = line_number_at(between, moved_position(starts[change.line - 1], edits))
    last, column = change.end
    if not 0 < last <= len(lines):
        return replace(change, line=line)
    before = len(lines[last - 1].encode()[:column].decode())  # Python counts bytes
    end = moved_position(starts[last - 1] + before, edits)
    column = len(between[line_start(between, end) : end].encode())
    return replace(change, line=line, end=(line_number_at(between, end), column))


def _file_type_of(path: Path, name: str) -> _FileType:
    kind = _FILE_TYPES.get(path.suffix.lower())
    if kind is None:
        known = ", ".join(_FILE_TYPES)
        raise in_file(name, reasons.UNSUPPORTED_FILE_TYPE, known=known)
    return kind


def _new_text(file: SourceFile, places: Sequence[FoundExpectation]) -> str:
    """The text with all changes applied; refused if it would not contain the intended data."""
    text = apply_edits(file.text, {edit for found in places for edit in found.edits})
    try:
        is_right = _file_type_of(file.path, file.name).has_changed_alone(file.text, text, places)
    except (CannotRewrite, *_READ_ERRORS):
        is_right = False
    if not is_right:
        raise in_file(file.name, reasons.UNRELATED_CHANGES)
    return text


# --- conflicts --------------------------------------------------------------------------------


class VariantChange(NamedTuple):
    """A change, and the variant of the evaluation that needs it, if there are variants."""

    change: Change
    variant: str | None = None


class CorrectExpectation(NamedTuple):
    """The location of a correct expectation, and the variant for which it is correct."""

    key: str
    variant: str | None = None


def find_conflicts(
    changes: Iterable[VariantChange], correct: Iterable[CorrectExpectation]
) -> list[Refused]:
    """The changes that conflict with another change, or with an expectation that is correct."""
    by_place: dict[str, list[VariantChange]] = {}
    for requested in changes:
        by_place.setdefault(location_key(requested.change), []).append(requested)
    right: dict[str, list[str | None]] = {}
    for key, variant in correct:
        right.setdefault(key, []).append(variant)
    return [
        Refused(requested.change, str(problem), problem)
        for key, competing in by_place.items()
        if (problem := _conflict(competing, right.get(key, []))) is not None
        for requested in competing
    ]


def _conflict(competing: list[VariantChange], correct: list[str | None]) -> CannotRewrite | None:
    """Why the changes at one location conflict; None if they do not."""
    variants = _variant_names(requested.variant for requested in competing)
    if correct:
        return _already_correct(_variant_names(correct), variants)
    first, *others = [_change_data(requested.change) for requested in competing]
    if all(equal(first, other) for other in others):
        return None
    if len(variants) > 1:
        return CannotRewrite(reasons.VARIANTS_DIFFER, variants=_variants_text(variants))
    return CannotRewrite(reasons.CALLS_DIFFER)


def _already_correct(right: list[str], variants: list[str]) -> CannotRewrite:
    if right and not set(right) & set(variants):
        return CannotRewrite(reasons.CORRECT_FOR_VARIANTS, variants=_variants_text(right))
    return CannotRewrite(reasons.SOMETIMES_CORRECT)


def _change_data(change: Change) -> list[Any]:
    """The new expectation as plain data."""
    patches = [
        [list(each.call), list(each.path), each.value, each.is_gone] for each in change.patches
    ]
    return [list(change.items), patches]


def _variant_names(names: Iterable[str | None]) -> list[str]:
    return sorted({name for name in names if name is not None})


def _variants_text(variants: list[str]) -> CannotRewrite:
    *first, last = map(escape, variants)
    if first:
        return CannotRewrite(reasons.THE_VARIANTS, first=", ".join(first), last=last)
    return CannotRewrite(reasons.THE_VARIANT, last=last)
