"""Writes what was observed back as what is expected, into the files where that stands.

A file is changed at the places that are meant and nowhere else, and only if what is read from it
afterwards is just what should be: where a place is not found, or could be another, nothing is done.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from msgspec.structs import replace

from callscore.core.equality import equal
from callscore.rewriting import json_file, python_file, reasons, toml_file, yaml_file
from callscore.rewriting.change import CannotRewrite
from callscore.rewriting.combining import (
    applied,
    combined,
    line_changes,
    loses_comments,
    patched_spelling,
    with_whole_calls,
)
from callscore.rewriting.files import name_of, open_source, replace_source
from callscore.rewriting.lists import line_at

if TYPE_CHECKING:
    from collections.abc import Sequence

    from callscore.core.phrase import Phrase
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
        lines: the lines that change there, marked `-` and `+`.
        has_id: whether the case has an id of its own, so that it is called the same from now on.
    """

    change: Change
    place: str
    lines: tuple[str, ...] = ()
    has_id: bool = True


class Refused(NamedTuple):
    """An expectation that was not written.

    Attributes:
        change: the change.
        problem: why it was not, in an English sentence.
        reason: the same in every language, where it is known so.
    """

    change: Change
    problem: str
    reason: CannotRewrite | None = None


class _Kind(NamedTuple):
    """How expectations are found in one kind of file, and whether nothing else has changed in it."""

    places: Callable[[str, Change], list[Found]]
    patches: Callable[[str, Change], list[Found]]
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


_Places = Callable[[str, "Change"], list["Found"]]


def _kind(places: _Places, patches: _Places, decode: Callable[[str], Any]) -> _Kind:
    """A kind of file that holds data."""

    def has_changed_alone(old: str, new: str, found: Sequence[Found]) -> bool:
        return equal(decode(new), _with_values(decode(old), found))

    return _Kind(places, patches, has_changed_alone)


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


_YAML = _kind(yaml_file.places_in_yaml, yaml_file.patches_in_yaml, yaml_file.decode_yaml)
_LINES = _kind(json_file.places_in_lines, json_file.patches_in_lines, json_file.decode_lines)
_JSON = _kind(json_file.places_in_json, json_file.patches_in_json, json_file.decode_json)
_KINDS = {
    ".yaml": _YAML,
    ".yml": _YAML,
    ".json": _JSON,
    ".jsonl": _LINES,
    ".ndjson": _LINES,
    ".toml": _kind(toml_file.places_in_toml, toml_file.patches_in_toml, toml_file.decode_toml),
    ".py": _Kind(
        python_file.places_in_python,
        python_file.patches_in_python,
        python_file.has_changed_alone,
    ),
}


def refusal_of(change: Change, root: Path) -> str | None:
    """Why a change cannot be written, in a sentence; None where it can be.

    Args:
        change: the change.
        root: files outside of this folder are never written.
    """
    try:
        wishes = _located(change, root)
        _new_text(wishes[0].file, [wish.found for wish in wishes])
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
        return _located(change, root)[0].key
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
            wishes = _located(change, root)
        except CannotRewrite as problem:
            refused.append(Refused(change, str(problem), problem))
        else:
            by_file.setdefault(wishes[0].file.path, []).extend(wishes)
    for wishes in by_file.values():
        agreed, contested = _without_contests(wishes)
        refused += contested
        try:
            written += _written(agreed, is_dry=is_dry)
        except CannotRewrite as problem:
            refused += [Refused(change, str(problem), problem) for change in _changes_of(agreed)]
    return written, refused


def _changes_of(wishes: list[_Wish]) -> list[Change]:
    """The changes, each once, for one may go to several places."""
    return list({id(wish.change): wish.change for wish in wishes}.values())


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
            problem = _in_file(rivals[0].place, reasons.DIFFERS)
            refused += [Refused(change, str(problem), problem) for change in _changes_of(rivals)]
    return agreed, refused


def _written(wishes: list[_Wish], *, is_dry: bool) -> list[Rewritten]:
    if wishes:
        file = wishes[0].file
        text = _new_text(file, [wish.found for wish in wishes])
        if not is_dry:
            replace_source(file, text)
    first = {id(wish.change): wish for wish in reversed(wishes)}
    return [_rewritten(wish) for wish in wishes if first[id(wish.change)] is wish]


def _rewritten(wish: _Wish) -> Rewritten:
    lines = line_changes(wish.file.text, wish.found.edits)
    has_id = wish.change.kind != "case" or wish.found.id is not None
    return Rewritten(wish.change, wish.place, lines, has_id)


def _located(change: Change, root: Path) -> list[_Wish]:
    """The one place that is meant; of a case that stands there once a trial, all its places.

    Raises:
        CannotRewrite: there is none, or more than one.
    """
    wishes: list[_Wish] = []
    names = list(dict.fromkeys(change.files))
    for name in names:
        _kind_of(Path(name), name_of(Path(name), root))
        file = open_source(Path(name), root)
        wishes += [_Wish(change, file, found) for found in _places(file, change)]
    if not wishes:
        shown = " and ".join(name_of(Path(name), root) for name in names)
        raise _in_file(shown, reasons.NOT_THERE)
    if len(wishes) > 1 and not _are_trials(wishes):
        raise _several(wishes)
    return wishes


def _are_trials(wishes: list[_Wish]) -> bool:
    """Whether places are those of one case, which the file holds once for each trial."""
    ids = {str(wish.found.id) for wish in wishes if wish.found.id is not None}
    trials = {str(wish.found.trial) for wish in wishes if wish.found.trial is not None}
    is_one_file = len({wish.file.path for wish in wishes}) == 1
    return is_one_file and len(ids) == 1 and len(trials) == len(wishes)


def _in_file(name: str, reason: Phrase, **values: Any) -> CannotRewrite:
    problem = CannotRewrite(reason, **values)
    return CannotRewrite(reasons.IN_FILE, file=name, problem=problem)


def _several(wishes: list[_Wish]) -> CannotRewrite:
    places = ", ".join(wish.place for wish in wishes)
    ids = {str(wish.found.id) for wish in wishes if wish.found.id is not None}
    if len(ids) == 1 and all(wish.found.id is not None for wish in wishes):
        return CannotRewrite(reasons.SAME_IDS, id=ids.pop(), places=places)
    return CannotRewrite(reasons.COULD_BE_ANY, places=places)


def _places(file: SourceFile, change: Change) -> list[Found]:
    kind = _kind_of(file.path, file.name)
    try:
        if change.patches:
            return _patched_places(file, kind, change)
        return kind.places(file.text, change)
    except CannotRewrite as problem:
        raise CannotRewrite(reasons.IN_FILE, file=file.name, problem=problem) from problem
    except _ERRORS as error:
        raise _in_file(file.name, reasons.UNREADABLE_FILE) from error


def _patched_places(file: SourceFile, kind: _Kind, change: Change) -> list[Found]:
    """The places of a change that leaves calls standing, and changes values in them."""
    try:
        places = _patched(kind, file.text, change)
        for found in places:
            _new_text(file, [found])
    except (CannotRewrite, *_ERRORS):
        whole = with_whole_calls(change)
        places = [] if whole is None else kind.places(file.text, whole)
        if whole is None or any(loses_comments(file.text, found) for found in places):
            raise
    return places


def _patched(kind: _Kind, text: str, change: Change) -> list[Found]:
    """The places with the patches, and then with the items."""
    places = kind.patches(text, change)
    stay = tuple(range(len(change.expected or ())))
    if len(places) != 1 or change.items == stay:
        return places
    (first,) = places
    between = applied(text, first.edits)
    rest = replace(change, expected=patched_spelling(change), patches=())
    later = [each for each in kind.places(between, rest) if each.path[:2] == first.path[:2]]
    return [combined(text, between, (first, each)) for each in later]


def _kind_of(path: Path, name: str) -> _Kind:
    kind = _KINDS.get(path.suffix.lower())
    if kind is None:
        known = ", ".join(_KINDS)
        raise _in_file(name, reasons.KINDS, known=known)
    return kind


def _new_text(file: SourceFile, places: Sequence[Found]) -> str:
    """The text with all its changes, if it then says what it should.

    Raises:
        CannotRewrite: it would not.
    """
    text = applied(file.text, {edit for found in places for edit in found.edits})
    try:
        is_right = _kind_of(file.path, file.name).has_changed_alone(file.text, text, places)
    except (CannotRewrite, *_ERRORS):
        is_right = False
    if not is_right:
        raise _in_file(file.name, reasons.MORE_CHANGES)
    return text
