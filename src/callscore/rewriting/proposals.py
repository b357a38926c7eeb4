"""Alternatives to suspect references: written by `advise`, accepted by `bless`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import Struct

from callscore.core.equality import equal
from callscore.core.expectation_json import expected_to_json
from callscore.core.scoring import score_calls
from callscore.core.settings import settings_from
from callscore.engines.inputs import CASES, input_options_for, read_cases
from callscore.errors import CallscoreError, UnreadableInput
from callscore.formats.case_sides import read_expected_side, read_side
from callscore.rewriting.blessing import Blessed, Blessings
from callscore.rewriting.change import Change
from callscore.sources import BadRecord
from callscore.words.plain_data import call_to_dict
from callscore.words.value_text import encode_json, json_safe

if TYPE_CHECKING:
    from pathlib import Path

    from callscore.advising.advice import Advice
    from callscore.core.case import Case
    from callscore.core.score import Score
    from callscore.evaluations.plan import NameFilter


class Proposal(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A reference with an alternative, as one line of a file.

    Attributes:
        id: the id of the case.
        input: its input.
        files: the files that may contain the reference.
        expected: the reference as it is.
        proposed: the reference with the alternative.
        actual: the calls of the runs that are the evidence.
        settings: the settings under which they do not pass.
        evidence: how many successful runs there are, how many of them agree and pass, and how many
            failed runs made the same calls.
    """

    id: str
    input: Any = None
    files: tuple[str, ...]
    expected: list[Any]
    proposed: list[Any]
    actual: list[Any]
    settings: dict[str, Any]
    evidence: dict[str, int]


def write_proposals(path: Path, advice: Advice, files: Sequence[str]) -> int:
    """Write the alternatives to suspect references, one per line; returns how many there are."""
    proposals = [
        Proposal(
            id=each.case,
            input=json_safe(each.input),
            files=tuple(files),
            expected=each.expected or [],
            proposed=each.proposed,
            actual=[call_to_dict(call) for call in each.score.actual],
            settings=advice.recommended.settings,
            evidence={
                "successes": each.successes,
                "agreeing": each.agreeing,
                "passing": each.passing,
                "failures": each.failures,
            },
        )
        for each in advice.suspects
        if each.proposed is not None
    ]
    lines = [encode_json(msgspec.to_builtins(each)) + b"\n" for each in proposals]
    path.write_bytes(b"".join(lines))
    return len(proposals)


def read_proposals(path: Path, fits: NameFilter) -> Blessings:
    """The changes that a file of proposals asks for, of cases whose names fit.

    Raises:
        UnreadableInput: the file cannot be read, or a line is not a proposal.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        raise UnreadableInput(str(path), f"cannot be read ({error.strerror}).") from error
    references = _References()
    changes: list[Blessed] = []
    accepted: list[str] = []
    for number, line in enumerate(data.splitlines(), 1):
        if line.strip():
            proposal, score = _read(line, f"{path}:{number}")
            if fits((proposal.id,)):
                found = [Blessed(change, score) for change in _changes(proposal, references)]
                changes += found
                accepted += [] if found else [proposal.id]
    cases = {*accepted, *(each.change.case for each in changes)}
    return Blessings(changes=tuple(changes), accepted=tuple(accepted), cases=len(cases))


class _References:
    """What files expect, by the ids of the cases; each file is read once."""

    def __init__(self) -> None:
        self._known: dict[str, dict[str, list[Any]]] = {}

    def of(self, file: str, case: str) -> list[Any]:
        """The references of all runs of a case, as in a case file."""
        if file not in self._known:
            known: dict[str, list[Any]] = {}
            self._known[file] = known
            for each in self._cases(file):
                known.setdefault(each.id, []).append(_spelled(each))
        return self._known[file].get(case, [])

    def _cases(self, file: str) -> list[Case]:
        try:
            found = [*read_cases(file, CASES, input_options_for())]
        except CallscoreError:
            return []
        return [each[1] for each in found if not isinstance(each, BadRecord)]


def _spelled(case: Case) -> list[Any] | None:
    try:
        return [expected_to_json(item) for item in case.expected or ()]
    except CallscoreError:
        return None


def _read(line: bytes, place: str) -> tuple[Proposal, Score]:
    """A proposal, and the score of the runs that are its evidence."""
    try:
        proposal = msgspec.json.decode(line, type=Proposal)
        options = {name: value for name, value in proposal.settings.items() if name != "preset"}
        settings = settings_from(options, preset=proposal.settings.get("preset"))
        expected = read_expected_side(proposal.expected, where="expected", spelled=True)
        read_expected_side(proposal.proposed, where="proposed", spelled=True)
        actual = read_side(proposal.actual, side="actual", where="actual")
        return proposal, score_calls(expected, actual, settings)
    except (ValueError, RecursionError, CallscoreError) as error:
        problem = f"not a proposal of callscore advise --proposals: {error}."
        raise UnreadableInput(place, problem) from error


def _changes(proposal: Proposal, references: _References) -> Iterator[Change]:
    """A change for each file that has the case, unless the alternative is in it.

    If no file has the case, one change, which will be refused.
    """
    found = {file: references.of(file, proposal.id) for file in proposal.files}
    files = [file for file, known in found.items() if known]
    left = [file for file in files if not _is_accepted(found[file], proposal)]
    groups: list[tuple[str, ...]] = [(file,) for file in left]
    for names in groups or ([] if files else [proposal.files]):
        yield Change(
            label=proposal.id,
            files=names,
            case=proposal.id,
            input=proposal.input,
            expected=proposal.expected,
            items=tuple(_items(proposal)),
            is_for_all=True,
        )


def _is_accepted(references: list[Any], proposal: Proposal) -> bool:
    """Whether runs of a case expect what is proposed, and none what was expected before."""
    return any(equal(each, proposal.proposed) for each in references) and not any(
        equal(each, proposal.expected) for each in references
    )


def _items(proposal: Proposal) -> Iterable[Any]:
    """The items that are kept, by their positions, and the new group."""
    start = 0
    for item in proposal.proposed:
        kept = [
            place
            for place in range(start, len(proposal.expected))
            if equal(proposal.expected[place], item)
        ]
        if kept:
            start = kept[0] + 1
        yield kept[0] if kept else item
