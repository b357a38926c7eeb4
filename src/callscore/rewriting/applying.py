"""Writes what was observed back as what is expected, into the files where that stands.

A file is changed at the places that are meant and nowhere else, and only if what is read from it
afterwards is just what should be: where a place is not found, or could be another, nothing is done.
"""

from __future__ import annotations

from copy import deepcopy
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from callscore.core.equality import equal
from callscore.rewriting import json_file, python_file, toml_file, yaml_file
from callscore.rewriting.change import CannotRewrite
from callscore.rewriting.files import name_of, open_source, replace_source
from callscore.rewriting.lists import line_at

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from callscore.rewriting.change import Change, Found
    from callscore.rewriting.files import SourceFile

__all__ = ["Refused", "Rewritten", "place_of", "refusal_of", "rewrite"]

# What readers raise of a text that is not what they take it for.
_ERRORS = (ValueError, RecursionError, SyntaxError, LookupError)


class Rewritten(NamedTuple):
    """An expectation that was written.

    Attributes:
        change: the change.
        place: where it is: the file, and the line.
    """

    change: Change
    place: str


class Refused(NamedTuple):
    """An expectation that was not written.

    Attributes:
        change: the change.
        problem: why it was not, in a sentence.
    """

    change: Change
    problem: str


class _Kind(NamedTuple):
    """How expectations are found in one kind of file, and whether nothing else has changed in it."""

    places: Callable[[str, Change], list[Found]]
    has_changed_alone: Callable[[str, str, Sequence[Found]], bool]


class _Wish(NamedTuple):
    """A change, and where it goes."""

    change: Change
    file: SourceFile
    found: Found

    @property
    def place(self) -> str:
        return f"{self.file.name}:{line_at(self.file.text, self.found.start)}"

    @property
    def key(self) -> str:
        """What tells the place from others, whatever is to be written there."""
        return f"{self.file.path}:{self.found.path}"


def _kind(places: Callable[[str, Change], list[Found]], decode: Callable[[str], Any]) -> _Kind:
    """A kind of file that holds data."""

    def has_changed_alone(old: str, new: str, found: Sequence[Found]) -> bool:
        return equal(decode(new), _with_values(decode(old), found))

    return _Kind(places, has_changed_alone)


def _with_values(document: Any, places: Sequence[Found]) -> Any:
    """A document with the new values in it."""
    changed = deepcopy(document)
    for found in places:
        *way, last = found.path
        owner = changed
        for step in way:
            owner = owner[step]
        owner[last] = found.value
    return changed


_YAML = _kind(yaml_file.places_in_yaml, yaml_file.decode_yaml)
_LINES = _kind(json_file.places_in_lines, json_file.decode_lines)
_KINDS = {
    ".yaml": _YAML,
    ".yml": _YAML,
    ".json": _kind(json_file.places_in_json, json_file.decode_json),
    ".jsonl": _LINES,
    ".ndjson": _LINES,
    ".toml": _kind(toml_file.places_in_toml, toml_file.decode_toml),
    ".py": _Kind(python_file.places_in_python, python_file.has_changed_alone),
}


def refusal_of(change: Change, root: Path) -> str | None:
    """Why a change cannot be written, in a sentence; None where it can be.

    Args:
        change: the change.
        root: files outside of this folder are never written.
    """
    try:
        wish = _located(change, root)
        _new_text(wish.file, [wish.found])
    except CannotRewrite as refused:
        return str(refused)
    return None


def place_of(change: Change, root: Path) -> str:
    """What tells the place of an expectation from others; empty where it is not found.

    Args:
        change: the expectation, with whatever is to be written.
        root: files outside of this folder are never written, and not looked at.
    """
    try:
        return _located(change, root).key
    except CannotRewrite:
        return ""


def rewrite(
    changes: Sequence[Change], root: Path, *, is_dry: bool = False
) -> tuple[list[Rewritten], list[Refused]]:
    """Write changes into their files, each file at once or not at all.

    Args:
        changes: the changes; one that is there twice is one.
        root: files outside of this folder are never written.
        is_dry: whether to find out what would be written, and write nothing.
    """
    written: list[Rewritten] = []
    refused: list[Refused] = []
    by_file: dict[Path, list[_Wish]] = {}
    for change in changes:
        try:
            wish = _located(change, root)
        except CannotRewrite as problem:
            refused.append(Refused(change, str(problem)))
        else:
            by_file.setdefault(wish.file.path, []).append(wish)
    for wishes in by_file.values():
        agreed, contested = _without_contests(wishes)
        refused += contested
        try:
            written += _written(agreed, is_dry=is_dry)
        except CannotRewrite as problem:
            refused += [Refused(wish.change, str(problem)) for wish in agreed]
    return written, refused


def _without_contests(wishes: list[_Wish]) -> tuple[list[_Wish], list[Refused]]:
    """One wish for each place, unless several want different things there."""
    by_place: dict[str, list[_Wish]] = {}
    for wish in wishes:
        by_place.setdefault(wish.key, []).append(wish)
    agreed: list[_Wish] = []
    refused: list[Refused] = []
    for rivals in by_place.values():
        if all(rival.found == rivals[0].found for rival in rivals):
            agreed.append(rivals[0])
        else:
            problem = f"{rivals[0].place}: what is called there differs from time to time."
            refused += [Refused(rival.change, problem) for rival in rivals]
    return agreed, refused


def _written(wishes: list[_Wish], *, is_dry: bool) -> list[Rewritten]:
    if wishes:
        file = wishes[0].file
        text = _new_text(file, [wish.found for wish in wishes])
        if not is_dry:
            replace_source(file, text)
    return [Rewritten(wish.change, wish.place) for wish in wishes]


def _located(change: Change, root: Path) -> _Wish:
    """The one place that is meant.

    Raises:
        CannotRewrite: there is none, or more than one.
    """
    wishes: list[_Wish] = []
    names = list(dict.fromkeys(change.files))
    for name in names:
        file = open_source(Path(name), root)
        wishes += [_Wish(change, file, found) for found in _places(file, change)]
    if not wishes:
        shown = " and ".join(name_of(Path(name), root) for name in names)
        raise CannotRewrite(f"{shown}: what is expected is not written out there.")
    if len(wishes) > 1:
        raise CannotRewrite(_several(wishes))
    return wishes[0]


def _several(wishes: list[_Wish]) -> str:
    places = ", ".join(wish.place for wish in wishes)
    ids = {str(wish.found.id) for wish in wishes if wish.found.id is not None}
    if len(ids) == 1 and all(wish.found.id is not None for wish in wishes):
        return f"several cases have the id {ids.pop()}: {places}. Give each one of its own."
    return f"it could be any of these: {places}. Give the cases ids."


def _places(file: SourceFile, change: Change) -> list[Found]:
    kind = _kind_of(file)
    try:
        return kind.places(file.text, change)
    except CannotRewrite as problem:
        raise CannotRewrite(f"{file.name}: {problem}") from problem
    except _ERRORS as error:
        raise CannotRewrite(f"{file.name}: it cannot be read.") from error


def _kind_of(file: SourceFile) -> _Kind:
    kind = _KINDS.get(file.path.suffix.lower())
    if kind is None:
        known = ", ".join(_KINDS)
        raise CannotRewrite(f"{file.name}: only files of these kinds are rewritten: {known}.")
    return kind


def _new_text(file: SourceFile, places: Sequence[Found]) -> str:
    """The text with all its changes, if it then says what it should.

    Raises:
        CannotRewrite: it would not.
    """
    text = file.text
    for edit in sorted({edit for found in places for edit in found.edits}, reverse=True):
        text = text[: edit.start] + edit.text + text[edit.end :]
    try:
        is_right = _kind_of(file).has_changed_alone(file.text, text, places)
    except (CannotRewrite, *_ERRORS):
        is_right = False
    if not is_right:
        raise CannotRewrite(f"{file.name}: more would change than what is expected there.")
    return text
