"""Turns observed calls into a new expectation, and says where it belongs."""

from __future__ import annotations

import re
from itertools import count
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from msgspec import structs
from msgspec.structs import replace

from callscore.core.call import ToolCall
from callscore.core.case import Group, Times, with_calls
from callscore.core.equality import equal
from callscore.core.expectation_json import expected_to_json
from callscore.core.scoring import score_calls
from callscore.errors import CallscoreError
from callscore.evaluations.locations import file_of_location
from callscore.formats.case_sides import read_expected_side
from callscore.rewriting import reasons
from callscore.rewriting.change import CannotRewrite, Change, patched_expected, patches_for
from callscore.words.diff import call_lines, plain_text
from callscore.words.value_text import json_safe

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from callscore.core.case import Case, Expected
    from callscore.core.score import Pair, Score
    from callscore.evaluations.evaluation import Evaluation
    from callscore.rewriting.change import Item, Patch

__all__ = [
    "Location",
    "as_case_data",
    "change_at",
    "expectation_at",
    "line_number_of",
    "location_key",
    "location_of_case",
    "observe_expectation",
]


# What was observed as a new expectation: what stays as it is written, and what changes.

_NAMELESS = "?"  # what a call goes by that has no name

_Path = tuple[int, ...]


class ObservedExpectation(NamedTuple):
    """What is to be written.

    Attributes:
        items: what is to be expected.
        patches: what is to change in the items that stay.
    """

    items: tuple[Item, ...]
    patches: tuple[Patch, ...] = ()


def as_case_data(expected: Sequence[Expected]) -> list[Any] | None:
    """What is expected as a case file spells it; None where no file can say it."""
    try:
        return [expected_to_json(item) for item in expected]
    except CallscoreError:
        return None


def observe_expectation(expected: Sequence[Expected], score: Score) -> ObservedExpectation:
    """The expectation under which the calls that were made are exactly right.

    What was right stays as it is written: calls, groups, arguments with their rules, what is
    forbidden, and what does not count under the settings.

    Args:
        expected: what is expected now, as it is written.
        score: how the calls compare with that.

    Raises:
        CannotRewrite: nothing that can be written makes these calls right, or a group would have to go.
    """
    if score.forbidden:
        name = score.actual[score.forbidden[0]].name
        raise CannotRewrite(reasons.FORBIDDEN, name=name)
    try:
        found = _Comparison(expected, score)
    except CallscoreError as error:
        raise CannotRewrite(reasons.NEVER_RIGHT) from error
    for is_deep in (True, False):
        patches = found.patches(is_deep=is_deep)
        for items in (found.in_place(), found.as_made()):
            if found.is_right(items, patches):
                return ObservedExpectation(items, patches)
    raise CannotRewrite(reasons.NEVER_RIGHT)


class _Comparison:
    """What is expected and what was made, compared anew so that every call is known by its place."""

    def __init__(self, expected: Sequence[Expected], score: Score) -> None:
        self._expected = tuple(expected)
        self._settings = _settings_with_effects(score)
        self._actual = score.actual
        numbers = count()
        marked = [
            with_calls(item, lambda call: structs.replace(call, id=str(next(numbers))))
            for item in expected
        ]
        places = [place for at, item in enumerate(expected) for place in _call_paths(item, (at,))]
        again = score_calls(tuple(marked), score.actual, self._settings)
        # Where each expected call that counts is written, and by which call it was answered.
        self._rows = [places[int(call.id or 0)] for call in again.expected]
        self._pairs: dict[int, Pair] = {
            pair.expected_index: pair for pair in (*again.correct, *again.incorrect)
        }
        answered = {pair.actual_index: self._rows[row][0] for row, pair in self._pairs.items()}
        self._owners: list[int | None] = [answered.get(index) for index in range(len(self._actual))]
        self._gone = set(self._missed())
        self._find_moved()

    def _find_moved(self) -> None:
        """Calls that were made as expected, but not in their order: they stay as they are written."""
        for index, owner in enumerate(self._owners):
            same = (place for place in sorted(self._gone) if self._is_met(place, index))
            moved = next(same, None) if owner is None else None
            if moved is not None:
                self._owners[index] = moved
                self._gone.discard(moved)

    def _is_met(self, place: int, index: int) -> bool:
        item, call = self._expected[place], self._actual[index]
        if getattr(item, "name", None) != call.name:
            return False
        return score_calls((item,), (call,), self._settings).is_exact

    def _missed(self) -> Iterator[int]:
        """The expected items without a matching call, except incomplete groups."""
        for row, (first, *_) in enumerate(self._rows):
            if row not in self._pairs:
                if not isinstance(self._expected[first], ToolCall):
                    raise CannotRewrite(reasons.PART_OF_A_GROUP)
                yield first

    def patches(self, *, is_deep: bool) -> tuple[Patch, ...]:
        """What has to change in calls that were made with wrong arguments."""
        found: dict[_Path, tuple[Patch, ...]] = {}
        for row, place in enumerate(self._rows):
            pair = self._pairs.get(row)
            if pair is None:
                continue
            given = {} if pair.is_correct else _literal_call(pair.actual)["arguments"]
            patches = () if pair.is_correct else patches_for(place, pair, given, is_deep=is_deep)
            known = found.setdefault(place, patches)
            if not equal(_plain(known), _plain(patches)):
                raise CannotRewrite(reasons.REPEATS_DIFFER)
        return tuple(patch for patches in found.values() for patch in patches)

    def in_place(self) -> tuple[Item, ...]:
        """Everything where it stands; calls that are new take places that are free, or follow others."""
        free = sorted(self._gone)
        items: list[Item] = list(range(len(self._expected)))
        last: Item | None = None
        waiting: list[Item] = []  # made before anything that was expected
        for owner, call in zip(self._owners, self._actual, strict=True):
            new: Item = _literal_call(call) if owner is None else owner
            if owner is None and free:
                items[items.index(free.pop(0))] = new
            elif owner is None and last is None:
                waiting.append(new)
            elif owner is None:
                items.insert(_item_position(items, last) + 1, new)
            elif last is None:
                place = items.index(owner)
                items[place:place] = waiting
                waiting = []
            if not waiting:
                last = new
        left = set(free)
        return (*[item for item in items if not (isinstance(item, int) and item in left)], *waiting)

    def as_made(self) -> tuple[Item, ...]:
        """The calls in the order in which they were made, and what is silent where it stood."""
        calls: list[Item] = []
        for owner, call in zip(self._owners, self._actual, strict=True):
            if owner is None:
                calls.append(_literal_call(call))
            elif owner not in calls:
                calls.append(owner)
        silent = [
            place
            for place in range(len(self._expected))
            if place not in self._gone and place not in calls
        ]
        return _with_uncounted(calls, silent, len(self._expected))

    def is_right(self, items: Sequence[Item], patches: Sequence[Patch]) -> bool:
        """Whether with this the calls that were made are just what is expected."""
        known = patched_expected(self._expected, patches)
        new = tuple(
            known[item] if isinstance(item, int) else ToolCall(item["name"], item["arguments"])
            for item in items
        )
        try:
            score = score_calls(new, self._actual, self._settings)
        except CallscoreError:
            return False
        return score.is_exact and score.passed


def _settings_with_effects(score: Score) -> Any:
    """The settings, with what is known of the effects of tools, which no definition need tell then."""
    settings = score.settings
    if settings.count_calls == "all":
        return settings
    reads = dict.fromkeys(each.call.name for each in score.ignored if each.why == "read")
    effects = (*[(name, "read") for name in reads], ("*", "write"))
    return structs.replace(settings, effects=effects)


def _call_paths(item: Expected, place: _Path) -> Iterator[_Path]:
    """Where the calls stand, in the order in which they are written."""
    if isinstance(item, Group):
        for number, member in enumerate(item.members):
            yield from _call_paths(member, (*place, number))
    elif isinstance(item, ToolCall | Times):
        yield place


def _plain(patches: Sequence[Patch]) -> list[Any]:
    return [[*patch.path, patch.value, patch.is_gone] for patch in patches]


def _item_position(items: Sequence[Item], wanted: Item | None) -> int:
    """Where an item stands; a call that is new is known by identity, for two may be equal."""
    if isinstance(wanted, int):
        return items.index(wanted)
    return next(at for at, item in enumerate(items) if item is wanted)


def _with_uncounted(calls: list[Item], uncounted: list[int], count: int) -> tuple[Item, ...]:
    """The calls, and what is forbidden, does not count or may be left out where it stood."""
    free = iter([place for place in range(count) if place not in calls and place not in uncounted])
    slots = [item if isinstance(item, int) else next(free, -1) for item in calls]
    items = list(calls)
    for place in uncounted:
        later = (at for at, slot in enumerate(slots) if slot > place)
        position = next(later, len(items))
        items.insert(position, place)
        slots.insert(position, place)
    return tuple(items)


def _literal_call(call: ToolCall) -> dict[str, Any]:
    if call.error is not None:
        raise CannotRewrite(reasons.NOT_JSON, name=call.name)
    if call.name == _NAMELESS:
        raise CannotRewrite(reasons.NAMELESS)
    written = {"name": json_safe(call.name), "arguments": json_safe(call.arguments or {})}
    if not equal(written, {"name": call.name, "arguments": call.arguments or {}}):
        raise CannotRewrite(reasons.CANNOT_HOLD, name=call.name)
    return written


# Where something is expected, and what is to be written there in place of it.

_LINE_SUFFIX = re.compile(r":(\d+)$")


class Location(NamedTuple):
    """Where something is expected.

    Attributes:
        label: what it is called where people see it.
        kind: whether it is the expectation of a case, of a call of `assert_calls`, or of a marker.
        files: where it may stand.
        line: where the call, the test with the marker, or the evaluation of the case begins.
        end: where a call has ended: its line, and its column in bytes.
        case: the id of a case.
        input: what is asked in it.
    """

    label: str
    kind: Literal["case", "call", "marker"]
    files: tuple[str, ...]
    line: int = 0
    end: tuple[int, int] = (0, 0)
    case: str = ""
    input: Any = None


def location_key(change: Change) -> str:
    """A key that identifies the location of an expectation."""
    where = f"{change.kind}:{change.files[0]}:{change.line}:{change.end}:{change.case}"
    return change.place or where


def line_number_of(place: str) -> int:
    """The line of a place; 0 where it has none."""
    found = _LINE_SUFFIX.search(place)
    return int(found[1]) if found else 0


def location_of_case(label: str, evaluation: Evaluation, case: Case) -> Location:
    """Where a case of an evaluation says what it expects: in its file, or in a file of cases."""
    folder = Path(evaluation.folder)
    own = folder / Path(file_of_location(evaluation.place)).name
    files = [own, *[folder / path for path in _paths_in(evaluation.cases)]]
    return Location(
        label,
        "case",
        tuple(str(file) for file in files),
        line=line_number_of(evaluation.place),
        case=case.id,
        input=case.input,
    )


def _paths_in(cases: Any) -> Iterator[Path]:
    if isinstance(cases, str | PathLike):
        yield Path(cases)
    elif isinstance(cases, list | tuple):
        yield from (Path(item) for item in cases if isinstance(item, PathLike))


def expectation_at(location: Location, expected: Any) -> Change:
    """The expectation at a location, without a change.

    Args:
        location: where it stands.
        expected: what is expected, as it was given.
    """
    return Change(
        label=location.label,
        files=location.files,
        kind=location.kind,
        case=location.case,
        input=location.input,
        expected=as_case_data(read_expected_side(expected, where="expected")),
        line=location.line,
        end=location.end,
    )


def change_at(location: Location, expected: Any, score: Score, *, width: int) -> Change:
    """What is to be written so that the calls that were made are what is expected.

    Args:
        location: where it stands.
        expected: what is expected, as it was given.
        score: how the calls that were made compare with it.
        width: of the two sides, as they are shown.

    Raises:
        CannotRewrite: nothing that can be written makes these calls right.
    """
    observed = observe_expectation(read_expected_side(expected, where="expected"), score)
    return replace(
        expectation_at(location, expected),
        items=observed.items,
        patches=observed.patches,
        shown=plain_text(call_lines(score, width=width)),
    )
