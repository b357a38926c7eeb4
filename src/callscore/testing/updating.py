"""Says what is to be written where a test expects something other than what was called."""

from __future__ import annotations

import re
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from msgspec import structs

from callscore.core.diff import call_lines, plain_text
from callscore.evaluations.places import file_of
from callscore.formats.sides import read_wanted
from callscore.rewriting.applying import place_of, refusal_of
from callscore.rewriting.change import CannotRewrite, Change
from callscore.rewriting.observed import observed_items, spelled
from callscore.testing.failing import text_width

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import FrameType

    from callscore.core.model import Case, Score
    from callscore.evaluations.evaluation import Evaluation
    from callscore.testing.running_test import Updates

__all__ = ["Spot", "key_of", "line_of", "spot_of_call", "spot_of_case", "update"]

_LINE = re.compile(r":(\d+)$")


class Spot(NamedTuple):
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


def key_of(change: Change) -> str:
    """What tells the place of an expectation from others, whoever expects something there."""
    where = f"{change.kind}:{change.files[0]}:{change.line}:{change.end}:{change.case}"
    return change.place or where


def spot_of_call(label: str, frame: FrameType) -> Spot:
    """Where the function that runs in this frame is just calling another one."""
    code = frame.f_code
    line, end_line, _, end = list(code.co_positions())[frame.f_lasti // 2]
    # A call is known by its end, which no two share; it may begin where another one does.
    return Spot(
        label, "call", (code.co_filename,), line or frame.f_lineno, (end_line or 0, end or 0)
    )


def line_of(place: str) -> int:
    """The line of a place; 0 where it has none."""
    found = _LINE.search(place)
    return int(found[1]) if found else 0


def spot_of_case(label: str, evaluation: Evaluation, case: Case) -> Spot:
    """Where a case of an evaluation says what it expects: in its file, or in a file of cases."""
    folder = Path(evaluation.folder)
    own = folder / Path(file_of(evaluation.place)).name
    files = [own, *[folder / path for path in _paths_in(evaluation.cases)]]
    return Spot(
        label,
        "case",
        tuple(str(file) for file in files),
        line=line_of(evaluation.place),
        case=case.id,
        input=case.input,
    )


def _paths_in(cases: Any) -> Iterator[Path]:
    if isinstance(cases, str | PathLike):
        yield Path(cases)
    elif isinstance(cases, list | tuple):
        yield from (Path(item) for item in cases if isinstance(item, PathLike))


def update(updates: Updates, spot: Spot, expected: Any, score: Score) -> str | None:
    """Note that an expectation holds, or what is to be written in its place.

    Args:
        updates: where it is noted.
        spot: where it stands.
        expected: what is expected, as it was given.
        score: how the calls that were made compare with it.

    Returns:
        Why nothing can be written, in a sentence; None where all is well.
    """
    try:
        wanted = read_wanted(expected, where="expected")
        change = Change(
            label=spot.label,
            files=spot.files,
            kind=spot.kind,
            case=spot.case,
            input=spot.input,
            expected=spelled(wanted),
            items=() if score.passed else observed_items(wanted, score),
            line=spot.line,
            end=spot.end,
            shown="" if score.passed else plain_text(call_lines(score, width=text_width())),
        )
    except CannotRewrite as problem:
        return str(problem)
    change = structs.replace(change, place=place_of(change, updates.root))
    if score.passed:
        updates.confirmed.append(key_of(change))
        return None
    refusal = refusal_of(change, updates.root)
    if refusal is None:
        updates.changes.append(change)
    return refusal
