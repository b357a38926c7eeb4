"""Alternatives to suspect references: written by `advise`, accepted by `bless`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import Struct

from callscore.core.equality import equal
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
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from callscore.advising.advice import Advice
    from callscore.core.score import Score
    from callscore.evaluations.plan import NameFilter

__all__ = ["read_proposals", "write_proposals"]


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
    ids = _IdsOfFiles()
    changes: list[Blessed] = []
    for number, line in enumerate(data.splitlines(), 1):
        if line.strip():
            proposal, score = _read(line, f"{path}:{number}")
            if fits((proposal.id,)):
                changes += [Blessed(change, score) for change in _changes(proposal, ids)]
    return Blessings(changes=tuple(changes), cases=len({each.change.case for each in changes}))


class _IdsOfFiles:
    """The ids of the cases in files, each of which is read once."""

    def __init__(self) -> None:
        self._known: dict[str, frozenset[str]] = {}

    def of(self, file: str) -> frozenset[str]:
        if file not in self._known:
            try:
                found = [*read_cases(file, CASES, input_options_for())]
            except CallscoreError:
                found = []
            ids = [each[1].id for each in found if not isinstance(each, BadRecord)]
            self._known[file] = frozenset(ids)
        return self._known[file]


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


def _changes(proposal: Proposal, ids: _IdsOfFiles) -> Iterator[Change]:
    """A change for each file that has the case; if none has it, one that will be refused."""
    files = [file for file in proposal.files if proposal.id in ids.of(file)]
    groups: list[tuple[str, ...]] = [(file,) for file in files]
    for names in groups or [proposal.files]:
        yield Change(
            label=proposal.id,
            files=names,
            case=proposal.id,
            input=proposal.input,
            expected=proposal.expected,
            items=tuple(_items(proposal)),
            is_for_all=True,
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
