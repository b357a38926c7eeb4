"""Turns observed calls into a new expectation, and says where it belongs."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import count
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from msgspec import structs
from msgspec.structs import replace

from callscore.core.call import ToolCall
from callscore.core.case import Case, Expected, Group, Times, count_turns, is_state, with_calls
from callscore.core.equality import equal
from callscore.core.expectation_json import expected_to_json
from callscore.core.scoring import score_calls
from callscore.errors import CallscoreError
from callscore.evaluations.locations import file_of_location
from callscore.formats.case_sides import read_expected_side
from callscore.hiding.hider import Hider, hide_for_report
from callscore.rewriting import reasons
from callscore.rewriting.change import (
    CannotRewrite,
    Change,
    Item,
    Patch,
    patched_expected,
    patches_for,
)
from callscore.words.diff import calls_text
from callscore.words.value_text import json_safe

if TYPE_CHECKING:
    from callscore.core.score import Pair, Score
    from callscore.evaluations.evaluation import Evaluation

_Path = tuple[int, ...]


class ObservedExpectation(NamedTuple):
    """The items of a new expectation, and patches of those that are kept."""

    items: tuple[Item, ...]
    patches: tuple[Patch, ...] = ()


def as_case_data(expected: Sequence[Expected]) -> list[Any] | None:
    """The expectation as in a case file; None if no file can express it."""
    try:
        return [expected_to_json(item) for item in expected]
    except CallscoreError:
        return None


def observe_expectation(expected: Sequence[Expected], score: Score) -> ObservedExpectation:
    """The expectation under which the actual calls are exactly right, given the current one.

    Everything that was right is kept: calls, groups, arguments with their rules, forbidden calls,
    and calls that do not count under the settings. Refused if no expectation makes these calls
    right, or a group would be lost.
    """
    if score.forbidden:
        name = score.actual[score.forbidden[0]].name
        raise CannotRewrite(reasons.FORBIDDEN, name=name)
    _require_same_calls(expected, score)
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


def _require_same_calls(expected: Sequence[Expected], score: Score) -> None:
    """Refuse what has to be written by hand: another state, and other calls in a turn."""
    has_state = bool(score.expected) and is_state(score.expected[-1])
    if has_state and (score.state is None or not score.state.is_correct):
        raise CannotRewrite(reasons.OTHER_STATE)
    missed, extra = score.unpaired
    if count_turns(expected) and (missed or extra):
        turns = [max(call.turn or 0, 0) + 1 for call in (*missed, *extra)]
        raise CannotRewrite(reasons.OTHER_CALLS_IN_TURN, turn=min(turns))


class _Comparison:
    """The expected and the actual calls, scored again so that the position of each is known."""

    def __init__(self, expected: Sequence[Expected], score: Score) -> None:
        self._expected = tuple(expected)
        self._settings = _settings_with_effects(score)
        self._actual = score.actual
        if not any(map(is_state, expected)):  # it is expected beside the list
            self._actual = tuple([call for call in score.actual if not is_state(call)])
        numbers = count()
        marked = [
            with_calls(item, lambda call: structs.replace(call, id=str(next(numbers))))
            for item in expected
        ]
        places = [place for at, item in enumerate(expected) for place in _call_paths(item, (at,))]
        again = score_calls(tuple(marked), self._actual, self._settings)
        # The position of each expected call that counts, and its pair.
        self._rows = [places[int(call.id or 0)] for call in again.expected]
        self._pairs: dict[int, Pair] = {
            pair.expected_index: pair for pair in (*again.correct, *again.incorrect)
        }
        answered = {pair.actual_index: self._rows[row][0] for row, pair in self._pairs.items()}
        self._owners: list[int | None] = [answered.get(index) for index in range(len(self._actual))]
        self._gone = set(self._missed())
        self._find_moved()

    def _find_moved(self) -> None:
        """Keep expected calls that were made in another order."""
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
        return score_calls((item,), (call,), self._settings).f1 == 1

    def _missed(self) -> Iterator[int]:
        """The expected items without a matching call, except incomplete groups."""
        for row, (first, *_) in enumerate(self._rows):
            if row not in self._pairs:
                if not isinstance(self._expected[first], ToolCall):
                    raise CannotRewrite(reasons.PART_OF_A_GROUP)
                yield first

    def patches(self, *, is_deep: bool) -> tuple[Patch, ...]:
        """The patches of calls that were made with wrong arguments."""
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
        """The items in their old order; new calls replace missed ones, or follow others."""
        free = sorted(self._gone)
        items: list[Item] = list(range(len(self._expected)))
        last: Item | None = None
        waiting: list[Item] = []  # calls before the first expected one
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
        """The items in the order of the actual calls; uncounted items keep their positions."""
        calls: list[Item] = []
        for owner, call in zip(self._owners, self._actual, strict=True):
            if owner is None:
                calls.append(_literal_call(call))
            elif owner not in calls:
                calls.append(owner)
        uncounted = [
            place
            for place in range(len(self._expected))
            if place not in self._gone and place not in calls
        ]
        return _with_uncounted(calls, uncounted, len(self._expected))

    def is_right(self, items: Sequence[Item], patches: Sequence[Patch]) -> bool:
        """Whether the actual calls are exactly right under these items and patches."""
        known = patched_expected(self._expected, patches)
        new = tuple(
            known[item] if isinstance(item, int) else ToolCall(item["name"], item["arguments"])
            for item in items
        )
        try:
            score = score_calls(new, self._actual, self._settings)
        except CallscoreError:
            return False
        return score.f1 == 1 and score.passed


def _settings_with_effects(score: Score) -> Any:
    """The settings with the known effects of tools, so that no definitions are needed."""
    settings = score.settings
    if settings.count_calls == "all":
        return settings
    reads = dict.fromkeys(each.call.name for each in score.ignored if each.why == "read")
    effects = (*[(name, "read") for name in reads], ("*", "write"))
    return structs.replace(settings, effects=effects)


def _call_paths(item: Expected, place: _Path) -> Iterator[_Path]:
    """The positions of the calls, in the order of the file."""
    if isinstance(item, Group):
        for number, member in enumerate(item.members):
            yield from _call_paths(member, (*place, number))
    elif isinstance(item, ToolCall | Times):
        yield place


def _plain(patches: Sequence[Patch]) -> list[Any]:
    return [[*patch.path, patch.value, patch.is_gone] for patch in patches]


def _item_position(items: Sequence[Item], wanted: Item | None) -> int:
    """The position of an item; new calls are compared by identity, as two may be equal."""
    if isinstance(wanted, int):
        return items.index(wanted)
    return next(at for at, item in enumerate(items) if item is wanted)


def _with_uncounted(calls: list[Item], uncounted: list[int], count: int) -> tuple[Item, ...]:
    """The calls, with forbidden, uncounted and optional items at their old positions."""
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
    if not call.name:
        raise CannotRewrite(reasons.NAMELESS)
    written = {"name": json_safe(call.name), "arguments": json_safe(call.arguments or {})}
    if not equal(written, {"name": call.name, "arguments": call.arguments or {}}):
        raise CannotRewrite(reasons.CANNOT_HOLD, name=call.name)
    return written


_LINE_SUFFIX = re.compile(r":(\d+)$")


class Location(NamedTuple):
    """Where an expectation is; the fields are those of `Change`."""

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
    """The line of a place; 0 if it has none."""
    found = _LINE_SUFFIX.search(place)
    return int(found[1]) if found else 0


def location_of_case(label: str, evaluation: Evaluation, case: Case) -> Location:
    """The location of a case of an evaluation: in its file, or in a file of cases."""
    folder, given = Path(evaluation.folder), evaluation.cases
    if isinstance(given, str | PathLike):
        given = [Path(given)]
    items = given if isinstance(given, list | tuple) else ()
    own = folder / Path(file_of_location(evaluation.place)).name
    files = [own, *[folder / item for item in items if isinstance(item, PathLike)]]
    return Location(
        label,
        "case",
        tuple(str(file) for file in files),
        line=line_number_of(evaluation.place),
        case=case.id,
        input=case.input,
    )


def expectation_at(location: Location, expected: Any) -> Change:
    """The expectation at a location, without a change."""
    known = as_case_data(read_expected_side(expected, where="expected"))
    return Change(**location._asdict(), expected=known)


def change_at(location: Location, expected: Any, score: Score, *, width: int) -> Change:
    """The change of the expected calls after which the actual calls are exactly right.

    `width` is the width of both sides in `shown`.
    """
    observed = observe_expectation(read_expected_side(expected, where="expected"), score)
    patched = [[patch.path, patch.value] for patch in observed.patches]
    if Hider().has_secret([observed.items, patched]):
        raise CannotRewrite(reasons.SECRET_IN_CALLS)
    return replace(
        expectation_at(location, expected),
        items=observed.items,
        patches=observed.patches,
        shown=calls_text(hide_for_report(score), width=width),
    )
