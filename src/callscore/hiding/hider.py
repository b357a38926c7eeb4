"""`Hider`: a copy of a text, of plain data or of a result in which markers replace secrets.

Nothing is copied if there is no secret in it. Names of fields, kinds and settings are not data, and stay as they are.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from callscore.core.arguments import Difference
from callscore.core.call import FaultyArray, FaultyObject, Malformed, Tool, ToolCall
from callscore.core.case import Case, Forbidden, Group, Times
from callscore.core.phrases import Note, Phrase, Plural
from callscore.core.rendering import safe_repr
from callscore.core.rules import Matcher
from callscore.core.score import ComparedScore, Fault, Pair, Score, compared_pair
from callscore.core.settings import Settings
from callscore.core.summary import Summary
from callscore.hiding.environment import secret_values
from callscore.hiding.markers import MARKER, OPENING, current_markers, has_marker
from callscore.hiding.matching import matcher_for

if TYPE_CHECKING:
    import re
    from collections.abc import Callable, Iterator, Mapping

    from callscore.hiding.markers import Markers

__all__ = ["Hider", "contains_marker", "hide_for_report", "hide_text", "shows_marker", "texts_in"]

_Value = TypeVar("_Value")
_MAX_INTEGER = 10**40  # a longer number is not compared with secrets of digits
_MAX_DEPTH = 200
_MANY = 100  # items that are checked one by one, and not in one text
# Fields that are not data of a case, an answer or a trace; a `name` is that of a scorer.
_NOT_DATA = frozenset(
    ("settings", "kind", "status", "name", "key", "keyword", "matcher", "side", "why", "effect")
)
# Values of a case or a trace, and fields with such values; other numbers are those of reports.
_DATA = (ToolCall, Case, Group, Times, Forbidden, Difference, Fault, Matcher, Malformed, Tool)
_DATA_FIELDS = frozenset(("input", "metadata", "expected", "actual", "document", "comparison"))
# Values whose name is data: that of a tool or a tag, and, where it is shown, of an evaluation.
_WITH_NAMES = frozenset(
    ("ToolCall", "Tool", "Slice", "EvaluationResults", "PlannedEvaluation", "RunRow")
)


class Hider:
    """Hides the secrets of the environment as it is now.

    Args:
        markers: those of the history that the values are saved in; by default those of the process.
        is_live: whether the values come from an agent or a file, and not from a history. What looks
            like a marker in them is text, and is replaced too.
    """

    def __init__(
        self, markers: Callable[[], Markers] = current_markers, *, is_live: bool = False
    ) -> None:
        self._markers = markers
        self._is_live = is_live
        self._is_in_data = True  # and not among the numbers of a report
        self.refresh()

    def refresh(self) -> None:
        """Read the environment again: code may have changed it."""
        self._secrets = secret_values()
        self._matcher = matcher_for(self._secrets)

    @property
    def has_any(self) -> bool:
        """Whether a variable of the environment holds a secret."""
        return bool(self._secrets)

    def occurs_in(self, value: Any) -> bool:
        """Whether anything would be hidden in a value; a quick check, which may be wrong to say yes."""
        return _is_true_of_text(value, self._replaces_in)

    def has_secret(self, value: Any) -> bool:
        """Whether a secret of the environment is in a value; the same quick check."""
        return bool(self._secrets) and _is_true_of_text(value, self._matcher.occurs_in)

    def _replaces_in(self, text: str) -> bool:
        if has_marker(text) and not all(map(self._keeps, MARKER.finditer(text))):
            return True
        return self._matcher.occurs_in(text)

    def _keeps(self, marker: re.Match[str]) -> bool:
        return not self._is_live and self._markers().is_own(marker)

    # --- texts and plain data -----------------------------------------------------------------

    def text(self, text: str) -> str:
        """A text in which secrets are hidden."""
        if not self._secrets:
            return text
        if has_marker(text):
            text = MARKER.sub(self._hidden_marker, text)
        found = self._matcher.find(text)
        parts, end, markers = [], 0, self._markers()
        for place in found:
            written = text[place.start : place.end]
            parts += [text[end : place.start], markers.of(place.secret, written)]
            end = place.end
        return "".join([*parts, text[end:]])

    def _hidden_marker(self, found: re.Match[str]) -> str:
        return found[0] if self._keeps(found) else self._markers().of_literal(found[0])

    def data(self, value: _Value) -> _Value:
        """Plain data, or a value of a report, in which secrets are hidden; names of members too.

        What was compared stays as it was found in the real values: pairs, differences, numbers.
        """
        return self._hidden(value) if self._secrets and self.occurs_in(value) else value

    def _hidden(self, value: Any, depth: int = 0) -> Any:
        if isinstance(value, str):
            return self.text(value)
        if value is None or isinstance(value, Settings | Phrase | Plural):
            return value
        for kinds, hide in self._hide_by_kind if depth <= _MAX_DEPTH else ():
            if isinstance(value, kinds):
                return hide(self, value, depth + 1)
        return self._object(value)

    def _number(self, number: float, _: int) -> Any:
        """A number, or a marker if a secret of digits is in it."""
        is_short = -_MAX_INTEGER < number < _MAX_INTEGER
        has_numbers = self._is_in_data and bool(self._matcher.numbers)
        if isinstance(number, bool) or not has_numbers or not is_short:
            return number
        written = str(int(number)) if number == int(number) else repr(number)
        found = [secret for secret in self._matcher.numbers if secret in written]
        return self._markers().of_number(found[0], written) if found else number

    def _object(self, value: Any) -> Any:
        """An object of Python, or its text if a secret is in it."""
        shown = (
            value.decode("utf-8", "backslashreplace")
            if isinstance(value, bytes | bytearray)
            else safe_repr(value)
        )
        hidden = self.text(shown)
        return value if hidden == shown else hidden

    def _mapping(self, value: Mapping[Any, Any], depth: int) -> Any:
        members = {
            self._hidden(key, depth): self._hidden(member, depth) for key, member in value.items()
        }
        if isinstance(value, FaultyObject):
            return FaultyObject(members, self._hidden(value.fault, depth))
        return members

    def _note(self, value: Note, depth: int) -> Note:
        return value._replace(values=self._hidden(value.values, depth))

    def _sequence(self, value: Any, depth: int) -> Any:
        items = [self._hidden(item, depth) for item in value]
        if isinstance(value, FaultyArray):
            return FaultyArray(items, self._hidden(value.fault, depth))
        return type(value)(*items) if hasattr(value, "_fields") else type(value)(items)

    # --- values of the core and of reports ----------------------------------------------------

    def _struct(self, value: Struct, depth: int) -> Struct:
        names = [name for name in value.__struct_fields__ if name not in _NOT_DATA]
        if type(value).__name__ in _WITH_NAMES:
            names.append("name")
        is_in_data, is_data = self._is_in_data, isinstance(value, _DATA)
        found = {}
        for name in names:
            self._is_in_data = is_data or name in _DATA_FIELDS
            found[name] = self._hidden(getattr(value, name), depth)
        self._is_in_data = is_in_data
        return replace(value, **found)

    def _score(self, score: Score, depth: int) -> Score:
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
            **{name: self._hidden(getattr(score, name), depth) for name in names},
        )

    def _pair(self, pair: Pair, depth: int) -> Pair:
        expected, actual = self._hidden((pair.expected, pair.actual), depth)
        return compared_pair(
            replace(pair, expected=expected, actual=actual),
            pair.counts,
            self._hidden(pair.differences, depth),
            self._hidden(pair.differing_arguments, depth),
        )

    def _summary(self, summary: Summary, depth: int) -> Summary:
        named = {
            name: {self._hidden(key, depth): count for key, count in counts.items()}
            for name in ("tools", "wrong_arguments", "confusion", "trials")
            if (counts := getattr(summary, name))
        }
        faults = {(self.text(tool), kind): count for (tool, kind), count in summary.faults.items()}
        return replace(summary, **named, faults=faults)

    # The first kind that fits decides.
    _hide_by_kind: tuple[tuple[Any, Callable[[Any, Any, int], Any]], ...] = (
        ((int, float), _number),
        (dict, _mapping),
        (Note, _note),
        ((list, tuple, set, frozenset), _sequence),
        (Score, _score),
        (Summary, _summary),
        (Struct, _struct),
    )


def _is_true_of_text(value: Any, test: Callable[[str], bool]) -> bool:
    """Whether a test holds for a text, or for a value as JSON, which takes one pass over it."""
    if isinstance(value, str):
        return test(value)
    if not (isinstance(value, list | tuple) and len(value) > _MANY):
        try:
            return test(msgspec.json.encode(value, enc_hook=safe_repr).decode())
        except (TypeError, ValueError, RecursionError) as error:
            # A key that is not text, or a lone surrogate; or it is nested too deeply.
            is_deep = isinstance(error, RecursionError)
            if is_deep or not isinstance(value, Struct | dict | list | tuple | set | frozenset):
                return True
    return any(_is_true_of_text(member, test) for member in _members(value))


def _members(value: Any) -> list[Any]:
    if isinstance(value, Struct):
        return [getattr(value, name) for name in value.__struct_fields__]
    return [*value, *value.values()] if isinstance(value, dict) else [*value]


def hide_for_report(value: _Value) -> _Value:
    """A value without the secrets of the environment, as it is shown."""
    return Hider().data(value)


def hide_text(text: str) -> str:
    """A text without the secrets of the environment, as it is shown."""
    return Hider().text(text)


def contains_marker(value: Any) -> bool:
    """Whether plain data contain a marker, or what looks like one."""
    # Most do not: what every marker begins with is the same in JSON.
    with suppress(TypeError, ValueError, OverflowError, RecursionError):  # not only plain JSON
        if OPENING.encode() not in msgspec.json.encode(value):
            return False
    return any(map(has_marker, texts_in(value)))


def shows_marker(value: Any) -> bool:
    """Whether a value of a report may contain a marker; the same quick check as that of `Hider`."""
    return _is_true_of_text(value, has_marker)


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
