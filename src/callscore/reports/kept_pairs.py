"""The pairs and differences that a run has kept, where its score cannot be made again."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import Struct

from callscore.core.arguments import Difference
from callscore.core.call import ToolCall
from callscore.core.call_text import call_text
from callscore.core.text import clip, escape, render_value
from callscore.core.wording import reason

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from callscore.core.diff import Line, Span
    from callscore.core.run import Result
    from callscore.core.wording import Language

__all__ = ["kept_lines"]

_PYTHON = "python"
_NAME, _ARGUMENTS = "name", "arguments"
_FORBIDDEN: Span = ("!", "forbidden")
_EXTRA: Span = ("+", "extra")
# What the two values say alone, without a rule.
_PLAIN = ("missing", "unexpected", "type", "value")


class _Difference(Struct, frozen=True, gc=False):
    """How two calls of a pair differ."""

    pair: int
    path: str = ""
    kind: str = ""
    expected: Any = None
    actual: Any = None
    reason: str = ""


class _Kept(Struct, frozen=True):
    """What is kept of a comparison; calls are named by their positions."""

    pairs: list[tuple[int, int, bool]] = []
    missed: list[int] = []
    extra: list[int] = []
    forbidden: list[int] = []
    differences: list[_Difference] = []
    expected: list[Any] | None = None
    actual: list[ToolCall] | None = None


def kept_lines(
    trial: Result, expected: Sequence[Any] | None, *, width: int, lang: Language
) -> list[Line]:
    """The calls with the marks of a diff: `=` correct, `~` incorrect, `-` missed, `+` extra, `!` forbidden.

    Args:
        trial: the trial.
        expected: what was expected, as it is spelled.
        width: how many columns there are.
        lang: the language.

    Returns:
        The lines; none where nothing was kept, or nobody can read it.
    """
    comparison = None if trial.kept is None else trial.kept.comparison
    try:
        kept = msgspec.convert(comparison or {}, _Kept, strict=False)
    except msgspec.ValidationError:  # somebody else has written it
        return []
    made = (trial.case.actual or ()) if kept.actual is None else kept.actual
    wanted = (expected or ()) if kept.expected is None else kept.expected
    return list(_lines(kept, made, wanted, width, lang))


def _lines(
    kept: _Kept, made: Sequence[ToolCall], wanted: Sequence[Any], width: int, lang: Language
) -> Iterator[Line]:
    room = max(width - 2, 1)
    for number, (_, column, is_correct) in enumerate(kept.pairs):
        mark: Span = ("=", "correct") if is_correct else ("~", "incorrect")
        yield (mark, (" " + _call(made, column, room), ""))
        for found in kept.differences:
            if found.pair == number:
                yield (("    " + clip(_reason(found, lang), room - 2), "muted"),)
    for row in kept.missed:
        yield (("-", "missed"), (" " + _wanted(wanted, row, room), ""))
    for column in kept.extra:
        mark = _FORBIDDEN if column in kept.forbidden else _EXTRA
        yield (mark, (" " + _call(made, column, room), ""))


def _call(made: Sequence[ToolCall], position: int, room: int) -> str:
    return call_text(made[position], limit=room) if 0 <= position < len(made) else "?"


def _wanted(wanted: Sequence[Any], position: int, room: int) -> str:
    """What was expected, as a call where it is one, else as it is spelled."""
    if not 0 <= position < len(wanted):
        return "?"
    item = wanted[position]
    if isinstance(item, dict) and isinstance(item.get(_PYTHON), str):
        return clip(escape(item[_PYTHON]), room)
    if isinstance(item, dict) and isinstance(item.get(_NAME), str):
        arguments = item.get(_ARGUMENTS)
        known = arguments if isinstance(arguments, dict) else None
        return call_text(ToolCall(item[_NAME], known), limit=room)
    return render_value(item, limit=room)


def _reason(found: _Difference, lang: Language) -> str:
    """Why the two calls differ; in the words of the run where nobody can say it in others."""
    if lang == "en" or found.kind not in _PLAIN:
        return escape(found.reason)
    kind: Any = found.kind
    return escape(reason(Difference(found.path, kind, found.expected, found.actual), lang=lang))
