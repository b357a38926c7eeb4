"""A case of a comparison in an HTML report: its trials in both runs, and where the runs part.

The trials of one run are written one by one, before it is known in which order the cases are listed.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from hashlib import blake2b
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from callscore.comparing.changes import passed_trials
from callscore.core.counted_calls import repeat_key
from callscore.core.statistics import mean_of
from callscore.core.summary import Summary
from callscore.hiding.hider import Hider
from callscore.reports.compare import change_sentences
from callscore.reports.html.case_view import (
    IndexRow,
    Status,
    encode_view,
    index_row,
    view_of_result,
)
from callscore.reports.html.document import with_argument
from callscore.reports.html.packing import ChangedRow
from callscore.words.value_text import json_safe

if TYPE_CHECKING:
    from callscore.comparing.case_pairs import CasePair, PairSide
    from callscore.core.call import ToolCall
    from callscore.core.phrases import Language
    from callscore.core.results import Result

    # A case, and its trials in both runs as `TrialWriter` has written them.
    PairTrials = tuple[CasePair, Sequence[bytes], Sequence[bytes]]

_DIGEST_SIZE = 9
_OPTION = " --case"  # of `explain`, which can also explain one trial

_encode = msgspec.json.Encoder().encode
_Known = tuple[IndexRow, list[str], str]
_decode_known = msgspec.json.Decoder(_Known).decode


class TrialWriter:
    """Writes the trials of one run of a comparison, without secrets.

    Attributes:
        summary: of the scores that were written.
        is_whole: whether every scored trial has a score, so that the summary is about all of them.
    """

    def __init__(self, lang: Language, *, case_command: str = "") -> None:
        """`case_command` explains or shows a case; it is the command up to the id."""
        self.summary = Summary()
        self.is_whole = True
        self._lang = lang
        self._hider = Hider()
        self._command = self._hider.text(case_command)

    def __call__(self, result: Result, evaluation: str = "") -> bytes:
        """One trial as a line; `evaluation` is given if the run has several."""
        result, evaluation = self._hider.data(result), self._hider.text(evaluation)
        score = result.score
        view = view_of_result(
            result, self._lang, evaluation=evaluation, command=self._command_for(result, evaluation)
        )
        if score is not None:
            self.summary.add(score)
        elif result.status == "scored":
            self.is_whole = False
        # The calls that count have the same positions in the rows of the view.
        calls = result.case.actual or () if score is None else score.actual
        keys = [_call_key(call) for call in calls]
        known = index_row(view, score, self._lang), keys, _made(result, keys)
        return b"%b\t%b\n" % (_encoded(known), encode_view(view))

    def _command_for(self, result: Result, evaluation: str) -> str:
        name = result.case.id
        # What cannot be typed in a shell, or would be an option, is not suggested.
        if not self._command or not name.isprintable() or name.startswith("-"):
            return ""
        found = with_argument(self._command, f"{evaluation}::{name}" if evaluation else name)
        is_trial = result.case.trial is not None and self._command.endswith(_OPTION)
        return with_argument(f"{found} --trial", str(result.case.trial)) if is_trial else found


def _encoded(known: _Known) -> bytes:
    try:
        return _encode(known)
    except UnicodeEncodeError:  # half of a surrogate pair
        return _encode(json_safe(msgspec.to_builtins(known)))


def _made(result: Result, counted: list[str]) -> str:
    """All calls of an answer in one short text, with those that do not count."""
    has_others = result.score is not None and bool(result.score.ignored)
    keys = [_call_key(call) for call in result.case.actual or ()] if has_others else counted
    return blake2b("".join(keys).encode(), digest_size=_DIGEST_SIZE).hexdigest()


def _call_key(call: ToolCall) -> str:
    """A short text that calls share exactly if their names and arguments are equal as JSON values."""
    key = repeat_key(call, call.name)
    if key is None:  # it is not known whether the arguments are the same
        return f"?{call.name}"
    text = key.encode("utf-8", "backslashreplace")
    return blake2b(text, digest_size=_DIGEST_SIZE).hexdigest()


class _Trial(NamedTuple):
    row: IndexRow
    calls: list[str]
    made: str
    view: bytes


def _read(lines: Iterable[bytes]) -> list[_Trial]:
    found = []
    for line in lines:
        known, _, view = line.rstrip(b"\n").partition(b"\t")
        row, calls, made = _decode_known(known)
        found.append(_Trial(row, calls, made, view))
    return found


class ComparedItem(NamedTuple):
    """A case of a comparison: what the list knows of it, and its detail as JSON on one line."""

    row: IndexRow
    changed: ChangedRow
    view: bytes


def compared_item(
    case: PairTrials, lang: Language, *, evaluation: int = 0, hider: Hider | None = None
) -> ComparedItem:
    """A case of a comparison, from its trials in both runs.

    The list shows it as it is in the second run, or in the first if only that has it. `evaluation` is
    the position of its evaluation in the document.
    """
    pair, *lines = case
    before, after = map(_read, lines)
    hider = hider or Hider()
    reasons = [] if pair.details is None else change_sentences(hider.data(pair.details), lang)
    view = {
        "before": [msgspec.Raw(trial.view) for trial in before],
        "after": [msgspec.Raw(trial.view) for trial in after],
        "parts_at": _parting(before[0], after[0]) if before and after else None,
        "reasons": reasons,
    }
    shown = [trial.row for trial in (after if pair.after else before)]
    row = _row(pair, shown, hider.text(pair.shown.case.id), evaluation)
    changed = ChangedRow(pair.change, _passed(pair.before), _passed(pair.after))
    return ComparedItem(row, changed, _encode(view))


def _parting(before: _Trial, after: _Trial) -> int | None:
    """The first position at which the calls of two answers differ; None if they are the same.

    Under other settings, other calls of the same answer may count: the runs do not part there.
    """
    if before.made == after.made:
        return None
    for position, (first, second) in enumerate(zip(before.calls, after.calls, strict=False)):
        if first != second:
            return position
    lengths = len(before.calls), len(after.calls)
    return None if lengths[0] == lengths[1] else min(lengths)


def _passed(side: PairSide | None) -> tuple[int, int] | None:
    """How many trials passed, and of how many; None if no trial can pass or fail."""
    if side is None:
        return None
    passed, decided = passed_trials(side.case)
    return (passed, decided) if decided else None


def _row(pair: CasePair, rows: Sequence[IndexRow], name: str, evaluation: int) -> IndexRow:
    """What the list knows of a case in all its trials."""
    seconds = [row.seconds for row in rows if row.seconds is not None]
    scores = [row.score for row in rows if row.score is not None]
    return IndexRow(
        name,
        None,
        _status(pair, [row.status for row in rows]),
        mean_of(scores) if scores else None,
        tuple(dict.fromkeys([tag for row in rows for tag in row.tags])),
        tuple(dict.fromkeys([tool for row in rows for tool in row.tools])),
        tuple(dict.fromkeys([problem for row in rows for problem in row.problems])),
        next((row.about for row in rows if row.about), ""),
        evaluation,
        mean_of(seconds) if seconds else None,
        min([row.turn for row in rows if row.turn is not None], default=None),
    )


def _status(pair: CasePair, statuses: Sequence[Status]) -> Status:
    """The status of all trials; if they differ, a case passes if more than half of them do."""
    if len(set(statuses)) == 1:
        return statuses[0]
    passed, decided = passed_trials(pair.shown.case)
    if not decided:
        return "unscored"
    return "passed" if 2 * passed > decided else "failed"
