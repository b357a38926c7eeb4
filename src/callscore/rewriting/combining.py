"""Edits that are made one after the other, put together; and whole calls where patches cannot be."""

from __future__ import annotations

from copy import deepcopy
from difflib import SequenceMatcher
from itertools import takewhile
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from callscore.core.spelling import holds_rules
from callscore.rewriting.calls import patched_value
from callscore.rewriting.change import Edit
from callscore.rewriting.patches import patch_plain

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from callscore.rewriting.change import Change, Found

__all__ = [
    "applied",
    "combined",
    "line_changes",
    "loses_comments",
    "patched_spelling",
    "with_whole_calls",
]

_MARK = "#"
_FIELDS = {"name", "arguments"}
_LONG = 160
_AROUND = 40


def applied(text: str, edits: Iterable[Edit]) -> str:
    """A text with all edits made."""
    for edit in sorted(edits, reverse=True):
        text = text[: edit.start] + edit.text + text[edit.end :]
    return text


def combined(text: str, between: str, steps: tuple[Found, Found]) -> Found:
    """Two steps as one, told from the text before the first.

    Args:
        text: before the first.
        between: before the second.
        steps: what is done in each.
    """
    first, second = steps
    after = applied(between, second.edits)
    start = min(first.start, second.start)
    # How much at the end neither of them touches.
    rest = min(
        len(text) - max(edit.end for edit in first.edits),
        len(between) - max(edit.end for edit in second.edits),
    )
    edit = Edit(start, len(text) - rest, after[start : len(after) - rest])
    return first._replace(edits=(edit,), value=second.value)


def patched_spelling(change: Change) -> list[Any] | None:
    """What is expected with the patches in it, as a case file spells it."""
    if change.expected is None:
        return None
    found: list[Any] = patched_value(deepcopy(change.expected), change.patches)
    return found


def with_whole_calls(change: Change) -> Change | None:
    """The change with whole calls in place of patches; None where that would lose more than values.

    Rules and groups would be lost with the call that they stand in.
    """
    known = change.expected
    if known is None:
        return None
    whole: dict[int, Any] = {}
    for patch in change.patches:
        place = patch.call[0]
        if set(known[place]) != _FIELDS or holds_rules(known[place]):
            return None
        arguments = whole.setdefault(place, deepcopy(known[place]))["arguments"]
        patch_plain(arguments, patch.path, patch, patch.value)
    items = tuple(whole.get(item, item) if isinstance(item, int) else item for item in change.items)
    return replace(change, items=items, patches=())


def loses_comments(text: str, found: Found) -> bool:
    """Whether less comments would stand there than before."""
    before = sum(text.count(_MARK, edit.start, edit.end) for edit in found.edits)
    return before > sum(edit.text.count(_MARK) for edit in found.edits)


def line_changes(text: str, edits: Sequence[Edit]) -> tuple[str, ...]:
    """The lines that go, marked `-`, and those that come, marked `+`.

    Of a long line that changes in one place, only what is around that place.
    """
    start = text.rfind("\n", 0, min(edit.start for edit in edits)) + 1
    end = text.find("\n", max(edit.end for edit in edits))
    end = len(text) if end < 0 else end
    new = applied(text, edits)
    old, made = text[start:end].split("\n"), new[start : len(new) - len(text) + end].split("\n")
    found: list[str] = []
    for kind, low, high, first, last in SequenceMatcher(
        None, old, made, autojunk=False
    ).get_opcodes():
        if kind != "equal":
            before, after = old[low:high], made[first:last]
            if len(before) == len(after):
                pairs = [_around(*pair) for pair in zip(before, after, strict=True)]
                before, after = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
            found += [f"- {line}" for line in before] + [f"+ {line}" for line in after]
    return tuple(found)


def _around(before: str, after: str) -> tuple[str, str]:
    """Two lines without most of what they begin and end with in common, where they are long."""
    if max(len(before), len(after)) <= _LONG:
        return before, after
    head = _common(before, after)
    most = min(len(before), len(after)) - head
    tail = min(most, _common(before[::-1], after[::-1]))
    low, rest = max(head - _AROUND, 0), max(tail - _AROUND, 0)

    def cut(line: str) -> str:
        start, end = "…" if low else "", "…" if rest else ""
        return f"{start}{line[low : len(line) - rest]}{end}"

    return cut(before), cut(after)


def _common(left: str, right: str) -> int:
    """How much two texts begin with in common."""
    pairs = zip(left, right, strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
