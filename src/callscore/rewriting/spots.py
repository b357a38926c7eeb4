"""Where something is expected, and what is to be written there in place of it."""

from __future__ import annotations

import re
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from msgspec.structs import replace

from callscore.core.diff import call_lines, plain_text
from callscore.evaluations.places import file_of
from callscore.formats.sides import read_wanted
from callscore.rewriting.change import Change
from callscore.rewriting.observed import observation, spelled

if TYPE_CHECKING:
    from collections.abc import Iterator

    from callscore.core.model import Case, Score
    from callscore.evaluations.evaluation import Evaluation

__all__ = ["Spot", "change_at", "expectation_at", "key_of", "line_of", "spot_of_case"]

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


def expectation_at(spot: Spot, expected: Any) -> Change:
    """What stands somewhere, with nothing to be written.

    Args:
        spot: where it stands.
        expected: what is expected, as it was given.
    """
    return Change(
        label=spot.label,
        files=spot.files,
        kind=spot.kind,
        case=spot.case,
        input=spot.input,
        expected=spelled(read_wanted(expected, where="expected")),
        line=spot.line,
        end=spot.end,
    )


def change_at(spot: Spot, expected: Any, score: Score, *, width: int) -> Change:
    """What is to be written so that the calls that were made are what is expected.

    Args:
        spot: where it stands.
        expected: what is expected, as it was given.
        score: how the calls that were made compare with it.
        width: of the two sides, as they are shown.

    Raises:
        CannotRewrite: nothing that can be written makes these calls right.
    """
    observed = observation(read_wanted(expected, where="expected"), score)
    return replace(
        expectation_at(spot, expected),
        items=observed.items,
        patches=observed.patches,
        shown=plain_text(call_lines(score, width=width)),
    )
