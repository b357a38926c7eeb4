"""The table `redact` of a project file: data of customers that are hidden wherever secrets are."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from importlib import import_module
from pathlib import Path
from time import thread_time
from typing import Any

from msgspec import Struct

from callscore.core.comparators import regex
from callscore.core.suggestions import suggestion_or_choices
from callscore.core.tool_names import matches_pattern
from callscore.errors import InvalidSettings
from callscore.hiding.finding import OPENING, marker

_LOCAL = r"[\w.%+'-]"
_BUILTIN = {
    "email": rf"(?<!{_LOCAL}){_LOCAL}+?(?:@|%40|\\u0040)[\w-]++(?:\.[\w-]++)+",
    # 13 to 19 digits, as cards begin, alone or in groups.
    "card": r"(?<![\d.])(?<!\d-)(?:[2-6]\d{12,18}|[2-6]\d{3}([ -])\d{4}\1\d{4}\1\d{1,7}"
    r"|3\d{3}([ -])\d{6}\2\d{5})(?!-?\d)",
    # +49 30 123456, 0049 30 123456; (415) 555-0132; 415-555-0132; 030 123456; 01 23 45 67 89;
    # 8 (495) 123-45-67
    "phone": r"(?<![\w+])(?:(?:\+|%2[bB]|00)[1-9](?:[ ()./-]{0,3}\d){6,14}"
    r"|\(\d{2,5}\) ?\d{2,4}(?:[ .-]?\d{2,4}){1,3}"
    r"|\d{3}[ .-]\d{3}[ .-]\d{4}"
    r"|0\d{2,4}[ /-](?:\d{5,8}|\d{2,4}(?:[ -]\d{2,4}){1,3})"
    r"|0[1-9](?:[ .-]\d{2}){4}"
    r"|8[ -]?\(?\d{3}\)?[ -]?\d{3}[ -]\d{2}[ -]\d{2})(?!\d)",
}
_MAX_VALUES = 100
_SECONDS = 10.0  # for a hundred patterns, beside what each text is allowed
_SECONDS_PER_TEXT = 0.01
_SECONDS_PER_CHARACTER = 1e-5
_WILDCARDS = frozenset("*?[")
_RUN_ID = re.compile(r"(?<![\w-])(20\d{6}-\d{6}-[2-9bcdfghjkmnp-tvwxz]{4,})(?![\w-])")
_CHECKED_DIGITS = str.maketrans("0123456789", "0246813579")


class Redaction(Struct, frozen=True):
    """What is hidden beside secrets.

    Attributes:
        patterns: regular expressions for texts.
        arguments: names of arguments, and of members of them: `*.email`, `card.number`.
        builtin: kinds of data: `email`, `phone`, `card`.
    """

    patterns: tuple[str, ...] = ()
    arguments: tuple[str, ...] = ()
    builtin: tuple[str, ...] = ()


NO_REDACTION = Redaction()
_KEYS = Redaction.__struct_fields__


def redaction_from(table: Any, place: str) -> Redaction:
    """What a table `redact` says; `place` is that of the table, for messages.

    Raises:
        InvalidSettings: a name is unknown, or a value is invalid.
    """
    if not isinstance(table, dict):
        raise InvalidSettings(f"{place}: expected a table with {', '.join(_KEYS)}")
    for key, value in table.items():
        if key not in _KEYS:
            raise InvalidSettings(
                f"{place}: unknown key {key!r}{suggestion_or_choices(key, _KEYS)}"
            )
        if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
            raise InvalidSettings(f"{place}.{key}: {value!r} is not a list of strings")
        if len(value) > _MAX_VALUES:
            raise InvalidSettings(f"{place}.{key}: more than {_MAX_VALUES} values")
        for each in value:
            problem = _problem(key, each)
            if problem:
                raise InvalidSettings(f"{place}.{key}: {each!r}: {problem}")
    return Redaction(**{key: tuple(dict.fromkeys(value)) for key, value in table.items()})


def _problem(key: str, value: str) -> str | None:
    """What is wrong with a value in the table; None if nothing is."""
    if key == "arguments":
        return None if all(value.split(".")) else "expected a name such as '*.email'"
    if key == "builtin":
        return None if value in _BUILTIN else f"unknown{suggestion_or_choices(value, _BUILTIN)}"
    problem = regex.pattern_problem(value)
    if problem is None and regex.compiled(value).search("") is not None:
        return "the regular expression matches an empty text"
    return problem


# --- the table of the project -----------------------------------------------------------------

_named: list[Redaction] = []  # of files that were named, beside that of the project
_unreadable: set[Path] = set()  # the folders of projects whose errors are shown


def current_redaction() -> Redaction:
    """The table of the project in the current folder, with those of files that were named.

    Raises:
        InvalidSettings: the file cannot be read.
    """
    try:
        found = [_redaction_in(Path.cwd()), *_named]
    except OSError:  # the folder was deleted
        found = _named
    if len(found) == 1:
        return found[0]
    return Redaction(
        *[tuple(dict.fromkeys(sum([getattr(each, key) for each in found], ()))) for key in _KEYS]
    )


def use_redaction(redaction: Redaction) -> None:
    """Hide what the table of another file says, too."""
    if redaction != NO_REDACTION and redaction not in _named:
        _named.append(redaction)


def forget_redaction() -> None:
    """Read the project file again when it is needed next."""
    _named.clear()
    _unreadable.clear()
    _redaction_in.cache_clear()


def ignore_unreadable_redaction() -> None:
    """Hide only secrets from now on if the project file cannot be read: its error has to be shown."""
    try:
        current_redaction()
    except InvalidSettings:
        _unreadable.add(Path.cwd())


@lru_cache(maxsize=8)
def _redaction_in(folder: Path) -> Redaction:
    if folder in _unreadable:
        return NO_REDACTION
    # What reads project files is further up, and this is asked for everywhere.
    found: Redaction = import_module("callscore.evaluations.project_config").redaction_of(folder)
    return found


# --- searching --------------------------------------------------------------------------------


class Redactor:
    """Hides in texts and in arguments what a table says."""

    def __init__(self, redaction: Redaction) -> None:
        self.has_arguments = bool(redaction.arguments)
        self._arguments = [(each, each.split(".")) for each in redaction.arguments]
        self._builtin = [(kind, re.compile(_BUILTIN[kind])) for kind in redaction.builtin]
        self._patterns = redaction.patterns
        self._seconds_left = [_SECONDS / _MAX_VALUES] * len(redaction.patterns)
        names = [
            *(f"argument {each}" for each in redaction.arguments),
            *(f"pattern {at + 1}" for at in range(len(self._patterns))),
        ]
        ours = [re.escape(marker(name)) for name in names]
        self._markers = re.compile("|".join([r"(\[hidden (?:[A-Za-z_]\w*)\]", *ours]) + ")")

    def text(self, text: str, *, has_runs: bool = False) -> str:
        """A text in which what the patterns find is hidden; markers stay, and ids of runs if it may have them."""
        if has_runs:
            parts = _RUN_ID.split(text)
            parts[::2] = map(self.text, parts[::2])
            return "".join(parts)
        if OPENING not in text:
            return self._without_data(text)
        parts = self._markers.split(text)
        parts[::2] = map(self._without_data, parts[::2])
        return "".join(parts)

    def _without_data(self, text: str) -> str:
        for number, pattern in enumerate(self._patterns):
            text = self._without(number, pattern, text)
        for kind, built_in in self._builtin:
            text = built_in.sub(_hide_card if kind == "card" else marker(kind), text)
        return text

    def _without(self, number: int, pattern: str, text: str) -> str:
        """A text without what a pattern of the user finds; hidden as a whole, if that takes too long."""
        if not text:
            return text
        mark, begin = marker(f"pattern {number + 1}"), thread_time()
        allowed = _SECONDS_PER_TEXT + len(text) * _SECONDS_PER_CHARACTER
        left = self._seconds_left[number]  # what slow searches have left over
        try:
            hidden: str = regex.compiled(pattern).sub(
                lambda found: mark if found[0] else "", text, timeout=left + allowed
            )
        except TimeoutError:
            hidden = mark
        self._seconds_left[number] = max(0.0, left - max(0.0, thread_time() - begin - allowed))
        return hidden

    def argument(self, path: Sequence[Sequence[str]]) -> str | None:
        """The mark of an argument with this path, from its tool down, or of one that it is in; None without one.

        A step of the path has all names that it may be called by; one without names fits any.
        """
        path = (("",), *path)  # what a name at the top is in
        for end in {len(path), *range(3, len(path))}:  # a difference may be inside of an argument
            for name, parts in self._arguments:
                inner = path[:end][-len(parts) :]
                if len(parts) == len(inner) and all(map(_is_called, parts, inner)):
                    return marker(f"argument {name}")
        return None

    def named_in(self, text: str) -> str | None:
        """The mark of an argument whose name may be before a colon in a text; None if none is."""
        for name, parts in self._arguments:
            last = r"\w" if _WILDCARDS.intersection(parts[-1]) else re.escape(parts[-1])
            if re.search(rf"""{last}[\\"']*\s*:""", text):
                return marker(f"argument {name}")
        return None

    def any_argument(self) -> str | None:
        """The mark of some argument; None if none is hidden."""
        return marker(f"argument {self._arguments[0][0]}") if self._arguments else None


def _is_called(pattern: str, names: Sequence[str]) -> bool:
    return not names or any(matches_pattern(pattern, name) for name in names)


@lru_cache(maxsize=8)
def redactor_for(redaction: Redaction) -> Redactor | None:
    """What hides these data; None if there is nothing to hide."""
    return None if redaction == NO_REDACTION else Redactor(redaction)


def _hide_card(found: re.Match[str]) -> str:
    """The marker, if the last digit of a number is what Luhn's algorithm says."""
    digits = [each for each in found[0] if each.isdecimal()]
    doubled = "".join(digits[-2::-2]).translate(_CHECKED_DIGITS)
    is_card = (sum(map(int, digits[-1::-2])) + sum(map(int, doubled))) % 10 == 0
    return marker("card") if is_card else found[0]
