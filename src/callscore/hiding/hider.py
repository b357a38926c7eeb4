"""`Hider`: a copy of a text, of plain data or of a result in which markers replace secrets and data of customers.

Nothing is copied if there is nothing to hide. Names of fields, kinds and settings are not data, and stay as they are.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeVar, get_args

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from callscore.core.arguments import Difference, DifferenceKind
from callscore.core.call import FaultyArray, FaultyObject, Malformed, Tool, ToolCall
from callscore.core.case import Case, Forbidden, Group, Times
from callscore.core.nesting import leaves
from callscore.core.phrases import Phrase, Plural
from callscore.core.rendering import safe_repr
from callscore.core.rules import Matcher
from callscore.core.score import ComparedScore, Fault, FaultKind, Pair, Score, compared_pair
from callscore.core.settings import Settings
from callscore.core.summary import Summary
from callscore.hiding.environment import is_own_word, secret_values
from callscore.hiding.finding import OPENING, finder_for
from callscore.hiding.redaction import Redaction, current_redaction, redactor_for

_Value = TypeVar("_Value")
# Of an argument, from the name of its tool down. A step has all names that a pattern may use for it; what is
# inside a call begins with a step of two: the member with the arguments, and the tool.
_Path = tuple[tuple[str, ...], ...]
_ANY_TOOL: _Path = (("", ""), ())
_LITERAL = "[\\hidden "  # what looks like a marker in a text, and is not one
_MAX_INTEGER = 10**40  # a longer number is not searched
_MAX_DEPTH = 200
_MIN_COPY = 4  # characters of a hidden argument that is hidden elsewhere, too
_BLANK = "\ufeff \t\r\n\v\f\u00a0"
_KINDS = frozenset((*get_args(DifferenceKind), *get_args(FaultKind)))
_PATH_PART = re.compile(r"[.\[]?([^.\[\]]+)\]?")
# Fields that are not data of a case, an answer or a trace; a `name` is that of a scorer.
_NOT_DATA = frozenset(
    (
        *("settings", "kind", "status", "verdict", "name", "key", "closeness", "index", "since"),
        *("keyword", "matcher", "side", "why"),
        "effect",
    )
)
# Fields with messages, which are hidden as they are made, and may have markers already.
_MESSAGES = frozenset(("problem", "details", "reason", "warnings", "notes"))
# Values of a case or a trace; the numbers of others are those of reports.
_DATA = (ToolCall, Case, Group, Times, Forbidden, Difference, Fault, Matcher, Malformed, Tool)
_DATA_FIELDS = frozenset(("input", "metadata", "document"))  # of other values
# Values whose name is data: that of a tool or a tag, and, where it is shown, of an evaluation.
_WITH_NAMES = frozenset(
    ("ToolCall", "Tool", "Slice", "EvaluationResults", "PlannedEvaluation", "RunRow")
)
# Fields of a difference, whose path says which argument they are of.
_VALUES = frozenset(("expected", "actual", "value"))
# Members of a call, as formats name them, that hold its arguments.
_ARGUMENTS = frozenset(("arguments", "args", "input", "parameters", "kwargs", "tool_input"))


class Hider:
    """Hides the secrets of the environment as it is now, and what the table `redact` says.

    Args:
        redaction: the table; by default that of the current project.
        is_live: whether the values come from an agent or a file, and not from a history. What looks
            like a marker in them is text, and is escaped.
    """

    def __init__(self, redaction: Redaction | None = None, *, is_live: bool = False) -> None:
        self._redactor = redactor_for(current_redaction() if redaction is None else redaction)
        self._is_live = is_live
        self._is_in_data = True
        self._copies: dict[str, str] = {}  # of arguments that are hidden, with their markers
        self.refresh()

    def refresh(self) -> None:
        """Read the environment again: code may have changed it."""
        self._secrets = finder_for(secret_values())

    @property
    def has_any(self) -> bool:
        """Whether there is anything to look for."""
        return self._is_live or bool(self._secrets) or self._redactor is not None

    def occurs_in(self, value: Any) -> bool:
        """Whether anything would be hidden in a value; a quick check, which may be wrong to say yes."""
        text = None if self._redactor is not None else _as_json(value)
        return text is None or (
            self._secrets.occurs_in(text) or (self._is_live and OPENING in text)
        )

    def has_secret(self, value: Any) -> bool:
        """Whether anything is hidden in a value."""
        return self.data(value) is not value

    # --- texts and plain data -----------------------------------------------------------------

    def text(self, text: str) -> str:
        """A text in which everything is hidden that must be."""
        if self._is_live and OPENING in text:
            text = text.replace(OPENING, _LITERAL)
        if self._secrets:
            text = self._secrets.hide(text)
        if self._redactor is not None:
            text = self._redactor.text(text, has_runs=not self._is_live)
        return text

    def data(self, value: _Value) -> _Value:
        """Plain data, or a value of a report, in which everything is hidden that must be; names too.

        What was compared stays as it was found in the real values: pairs, differences, numbers.
        """
        if not self.occurs_in(value):
            return value
        self._is_in_data = isinstance(value, dict | list)  # and not among the numbers of a report
        hidden: _Value = self._hidden(value)
        if self._copies:  # an argument may be repeated in a text that is not JSON
            is_live, self._is_live = self._is_live, False
            hidden = self._hidden(hidden)
            self._is_live, self._copies = is_live, {}
        return value if hidden == value else hidden

    def counts(self, value: _Value, *, has_names: bool = False) -> _Value:
        """Saved counts in which names are hidden, with `has_names` those by tool; numbers and fields stay."""
        hidden: _Value = self._counts(value, has_names=has_names) if self.has_any else value
        return value if hidden == value else hidden

    def _counts(self, value: Any, *, has_names: bool = False) -> Any:
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, dict):
            used: dict[str, int] = {}
            return {
                numbered(self.text(key), used) if has_names else key: self._counts(
                    member, has_names=key == "tools" and not has_names
                )
                for key, member in value.items()
            }
        return [*map(self._counts, value)] if isinstance(value, list | tuple) else value

    def text_of(self, text: str, value: Any) -> str:
        """A text that was made from a value, without the arguments that are hidden in that, too."""
        if self._redactor is not None and self._redactor.has_arguments:
            self._hidden(value)
        hidden, self._copies = self._text(text, (), 0), {}
        return hidden

    def _hidden(self, value: Any, path: _Path = (), depth: int = 0) -> Any:
        if value is None or isinstance(value, Settings | Phrase | Plural):
            return value
        for kinds, hide in self._hide_by_kind if depth <= _MAX_DEPTH else ():
            if isinstance(value, kinds):
                return hide(self, value, path, depth + 1)
        if isinstance(value, dict | list | tuple) and self._redactor is not None:  # too deep
            written = _as_json(value)
            find = self._redactor
            mark = find.any_argument() if written is None else find.named_in(written)
            if mark is not None:
                return mark
        return self._object(value)

    def _text(self, text: str, path: _Path, depth: int) -> str:
        if _may_be_json(text) and self._redactor is not None and self._redactor.has_arguments:
            try:
                read = msgspec.json.decode(text)
            except (ValueError, RecursionError):
                return self._redactor.named_in(text) or self.text(text)
            hidden = self._hidden(read, path, depth)
            return text if hidden == read else msgspec.json.encode(hidden).decode()
        text = self.text(text)
        for copy, mark in self._copies.items():
            text = text.replace(copy, mark)
        return text

    def _number(self, number: float, path: _Path, depth: int) -> Any:
        """A number, or a marker if there is something to hide in it."""
        is_short = -_MAX_INTEGER < number < _MAX_INTEGER
        has_any = self._secrets.has_numbers or self._redactor is not None
        is_searched = has_any and self._is_in_data
        if isinstance(number, bool) or not is_searched or not is_short:
            return number
        written = str(int(number)) if number == int(number) else repr(number)
        hidden = self._text(written, path, depth)
        return number if hidden == written else hidden

    def _object(self, value: Any) -> Any:
        """An object of Python, or its text if there is something to hide in it."""
        shown = (
            value.decode("utf-8", "backslashreplace")
            if isinstance(value, bytes | bytearray)
            else safe_repr(value)
        )
        hidden = self.text(shown)
        return value if hidden == shown else hidden

    def _mapping(self, value: Mapping[Any, Any], path: _Path, depth: int) -> Any:
        is_argument = bool(path) and len(path[0]) > 1
        tool, members = value.get("name"), {}
        used: dict[Any, int] = {}
        tools = (tool,) if isinstance(tool, str) else ()
        own = () if is_argument else _parts_of(value.get("path"))
        is_difference = bool(own) and str(value.get("kind")) in _KINDS
        for key, member in value.items():
            hidden_key = self.text(key) if isinstance(key, str) else self._hidden(key, (), depth)
            hidden_key = numbered(hidden_key, used)
            step = (str(key), *(tools if key in _ARGUMENTS else ()))
            if len(step) > 1 and not is_argument and _may_be_arguments(member):
                members[hidden_key] = self._hidden(member, (step,), depth)
            elif is_difference and key in _VALUES:
                at = (*path, *own[:-1], (*own[-1], key))
                members[hidden_key] = self._member(member, at, depth)
            elif is_difference and key in Difference.__struct_fields__:
                members[hidden_key] = self._hidden(member, path, depth)
            else:
                members[hidden_key] = self._member(member, (*path, step), depth)
        if isinstance(value, FaultyObject):
            return FaultyObject(members, self._hidden(value.fault, path, depth))
        return members

    def _member(self, value: Any, path: _Path, depth: int) -> Any:
        """The value of an argument, or a marker if it is hidden by its name."""
        mark = None if self._redactor is None else self._redactor.argument(path)
        if mark is None or value is None:
            return self._hidden(value, path, depth)
        for leaf in leaves(value):
            is_scalar = isinstance(leaf, str | int | float) and not isinstance(leaf, bool)
            text = str(leaf) if is_scalar else ""
            if len(text) >= _MIN_COPY and not is_own_word(text) and OPENING not in text:
                self._copies[text] = mark
        return mark

    def _sequence(self, value: Any, path: _Path, depth: int) -> Any:
        items = [self._hidden(item, path, depth) for item in value]
        if isinstance(value, FaultyArray):
            return FaultyArray(items, self._hidden(value.fault, path, depth))
        return type(value)(*items) if hasattr(value, "_fields") else type(value)(items)

    # --- values of the core and of reports ----------------------------------------------------

    def _struct(self, value: Struct, path: _Path, depth: int) -> Struct:
        names = [name for name in value.__struct_fields__ if name not in _NOT_DATA]
        if type(value).__name__ in _WITH_NAMES:
            names.append("name")
        own = _parts_of(getattr(value, "path", None))
        if isinstance(value, Fault | ToolCall):
            path = _inside(str(value.tool) if isinstance(value, Fault) else value.name)
        elif isinstance(value, Difference) and not path:
            path = _ANY_TOOL
        path += own
        is_live, is_in_data = self._is_live, self._is_in_data
        is_data, found = isinstance(value, _DATA), {}
        for name in names:
            self._is_live = is_live and name not in _MESSAGES
            self._is_in_data = is_data or name in _DATA_FIELDS
            hide = self._member if own and name in _VALUES else self._hidden
            if isinstance(value, Case) and name == "id":  # as it is saved: without copies
                hide = self._id
            found[name] = hide(getattr(value, name), path, depth)
        self._is_live, self._is_in_data = is_live, is_in_data
        return replace(value, **found)

    def _id(self, value: Any, path: _Path, depth: int) -> Any:
        return self.text(value) if isinstance(value, str) else self._hidden(value, path, depth)

    def _score(self, score: Score, path: _Path, depth: int) -> Score:
        names = ("expected", "actual", "ignored", "faults", "expectation", "assumed_writes")
        return ComparedScore(
            equal_start=score.equal_start,
            other_correct=score.other_correct,
            incorrect=tuple([self._pair(pair, depth) for pair in score.incorrect]),
            settings=score.settings,
            forbidden=score.forbidden,
            free=score.free,
            turns=score.turns,
            correct_pairs=tuple([self._pair(pair, depth) for pair in score.correct]),
            **{name: self._hidden(getattr(score, name), path, depth) for name in names},
        )

    def _pair(self, pair: Pair, depth: int) -> Pair:
        path = _inside(pair.expected.name)
        expected, actual = self._hidden((pair.expected, pair.actual), path, depth)
        return compared_pair(
            replace(pair, expected=expected, actual=actual),
            pair.counts,
            self._hidden(pair.differences, path, depth),
            self._hidden(pair.differing_arguments, (), depth),
        )

    def _summary(self, summary: Summary, path: _Path, depth: int) -> Summary:
        named = {
            name: {self._hidden(key, path, depth): count for key, count in counts.items()}
            for name in ("tools", "wrong_arguments", "confusion", "trials")
            if (counts := getattr(summary, name))
        }
        faults = {(self.text(tool), kind): count for (tool, kind), count in summary.faults.items()}
        return replace(summary, **named, faults=faults)

    # The first kind that fits decides.
    _hide_by_kind: tuple[tuple[Any, Callable[[Any, Any, _Path, int], Any]], ...] = (
        (str, _text),
        ((int, float), _number),
        (dict, _mapping),
        ((list, tuple, set, frozenset), _sequence),
        (Score, _score),
        (Summary, _summary),
        (Struct, _struct),
    )


def _parts_of(path: Any) -> _Path:
    """The names in a JSON path such as `$.passengers[0].name`."""
    if not isinstance(path, str) or not path.startswith("$"):
        return ()
    return tuple([(name,) for name in _PATH_PART.findall(path[1:]) if not name.isdecimal()])


def _inside(tool: str) -> _Path:
    """The path of the arguments of a tool."""
    return (("", tool),)


def _may_be_json(text: str) -> bool:
    start = text.lstrip(_BLANK)
    return start[:1] in ("{", "[") and not start.startswith(OPENING)


def _may_be_arguments(value: Any) -> bool:
    """Whether a member of what looks like a call has the arguments of one: an object, or its text."""
    return isinstance(value, dict) or (isinstance(value, str) and _may_be_json(value))


def numbered(name: _Value, used: dict[_Value, int]) -> _Value | str:
    """A name, with a number if it is used already: names that differ only in what is hidden stay two."""
    found: Any = name
    while found in used:
        used[name] += 1
        found = f"{name} {used[name]}"
    used[found] = 1
    return found  # type: ignore[no-any-return]


def hide_for_report(value: _Value, *, is_live: bool = False) -> _Value:
    """A value as it is shown; for `is_live` see `Hider`."""
    return Hider(is_live=is_live).data(value)


def hide_text(text: str) -> str:
    """A text as it is shown."""
    return Hider().text(text)


def contains_marker(value: Any) -> bool:
    """Whether plain data contain a marker, or what looks like one."""
    found = _as_json(value)
    if found is not None:
        return OPENING in found
    return any(OPENING in text for text in texts_in(value))


def _as_json(value: Any) -> str | None:
    """A value as one text; None if it cannot be: it has a key that is not text, or is too deep."""
    if isinstance(value, str):
        return value
    try:
        return msgspec.json.encode(value, enc_hook=safe_repr).decode()
    except (TypeError, ValueError, OverflowError, RecursionError):
        return None


def texts_in(value: Any) -> Iterator[str]:
    """Every text in plain data, keys included."""
    pending = [value]
    while pending:
        item = pending.pop()
        if isinstance(item, str):
            yield item
        elif isinstance(item, dict):
            pending += [*item, *item.values()]
        elif isinstance(item, list | tuple):
            pending += item
