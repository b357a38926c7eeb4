"""Accepting an answer as the new expectation: the change of the file is shown first, then written."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from callscore.core.phrases import Language, Phrase, say
from callscore.hiding.hider import hide_text
from callscore.history.opening import default_path, open_existing
from callscore.history.records import json_bytes
from callscore.history.run_results import result_numbers
from callscore.history.saved_scores import read_calls
from callscore.history.saved_totals import NOT_ALL_SAVED, saved_counts
from callscore.rewriting.applying import Refused, Rewritten, rewrite
from callscore.rewriting.blessing import (
    Blessings,
    CaseLocator,
    StoredRun,
    Unblessed,
    find_blessings,
    is_exact,
)
from callscore.runner.answers import plain_case_payload
from callscore.runner.stored_runs import score_reader
from callscore.web.requests import CONFLICT, NOT_FOUND, Asked, Refusal
from callscore.web.run_pages import NO_CASE, position_of

if TYPE_CHECKING:
    from pathlib import Path

    from callscore.history.store import Store
    from callscore.web.open_history import History
    from callscore.web.workers import Workshop

_DIGEST_SIZE = 16
_CHANGED = Phrase(
    "nothing was written: the file, or what would be written to it, has changed since it was shown. Look"
    " at the change again",
    "ничего не записано: файл или изменение стали другими с момента показа. Посмотрите изменение ещё раз",
)
_NOTHING = Phrase(
    "nothing to accept: the calls are as expected",
    "принимать нечего: вызовы совпадают с ожидаемыми",
)
_DONE = Phrase(
    "nothing to accept: the file already expects these calls",
    "принимать нечего: в файле уже ожидаются эти вызовы",
)
_UNANSWERED = Phrase(
    "nothing to accept: the case has no answer, or its answer could not be scored",
    "принимать нечего: у случая нет ответа, или ответ не удалось оценить",
)
_OTHER_SCORER = Phrase(
    "nothing to accept: the calls are as expected, and another scorer failed the case",
    "принимать нечего: вызовы совпадают с ожидаемыми, случай не пройден по другой метрике",
)
_NOTHING_EXPECTED = Phrase(
    "nothing to accept: the case has no expected calls",
    "принимать нечего: у случая нет ожидаемых вызовов",
)
_RENAMED = Phrase(
    "the case has no id: its name is derived from the expected calls, so it changes in the next run",
    "у случая нет id: имя строится по ожидаемым вызовам, поэтому в следующем прогоне оно изменится",
)


class Accept(Struct, frozen=True, kw_only=True):
    """An answer to accept.

    Attributes:
        place: the history, as `--store` has it.
        run: the id of the run.
        evaluation: the position of the evaluation in the run.
        case: the id of the case.
        trial: the trial whose calls are accepted; None if all must agree.
        digest: of the change that was shown; empty to show it.
    """

    place: str | None
    run: str
    evaluation: int
    case: str
    trial: int | None = None
    digest: str = ""


class Acceptances:
    """Answers `POST /api/runs/ID/accept`."""

    def __init__(self, history: History, workshop: Workshop) -> None:
        self._history = history
        self._workshop = workshop

    def make(self, asked: Asked) -> dict[str, Any]:
        """Show the change of the file, or write it."""
        is_writing = asked.body.get("write") is True
        trial = None if asked.body.get("trial") is None else asked.member_number("trial", low=1)
        evaluation, case = asked.member_number("evaluation"), asked.member("case")
        digest = asked.member("digest") if is_writing else ""
        with self._history.opened() as store:
            run = store.find(asked.path["run"], resolve=None).id
        if is_writing and not digest:
            raise asked.refusal(CONFLICT, _CHANGED)
        work = Accept(
            place=self._history.place,
            run=run,
            evaluation=evaluation,
            case=case,
            trial=trial,
            digest=digest,
        )
        return self._workshop.do(work, asked.lang)


# --- in a process of its own ----------------------------------------------------------------------


def accept(asked: Accept, lang: Language) -> dict[str, Any]:
    """What accepting an answer would write; with the digest of it, this is written."""
    root = default_path().parent.parent  # the history has paths relative to it
    with open_existing(asked.place) as store:
        found, is_expected = _find(store, asked, root, lang)
    changes = [each.change for each in found.changes]
    shown, refused = rewrite(changes, root, is_dry=True)
    digest = _digest(shown, root)
    is_written = False
    if asked.digest:
        if asked.digest != digest:
            raise Refusal(CONFLICT, say(_CHANGED, lang))
        # A file that changes from here on is refused as well.
        shown, failed = rewrite(changes, root)
        refused, is_written = failed, bool(shown)
    stays = [*map(_unblessed, found.refused), *map(_refused, refused)]
    messages = _messages(found, shown, is_expected=is_expected, is_refused=bool(stays))
    return {
        "changes": [_change(each) for each in shown],
        "digest": "" if is_written else digest,
        "is_written": is_written,
        "refused": [{"label": label, "problem": _text(why, lang)} for label, why in stays],
        "messages": [say(each, lang) for each in messages],
    }


def _find(store: Store, asked: Accept, root: Path, lang: Language) -> tuple[Blessings, bool]:
    """What would change, and whether the calls of the case were those that the run expected."""
    run = store.find(asked.run, resolve=None)
    record = position_of(store, run, asked.evaluation, Asked(lang=lang))
    sought = (record.number, asked.case)
    if all(each[1:3] != sought for each in result_numbers(store, run.id)):
        raise Refusal(NOT_FOUND, say(NO_CASE, lang, run=run.id, case=asked.case))
    evaluations = store.evaluations(run.id)
    counts = saved_counts(record.summary)
    if counts is not None and counts.summary.trial_cases:  # the trials that passed are not saved
        raise Refusal(CONFLICT, say(NOT_ALL_SAVED, lang, run=run.id))
    # Other variants have the same case, with the same id: what is accepted must suit them, too.
    trials = [each for found in store.cases(run.id, {asked.case}).values() for each in found]
    kept = StoredRun(
        evaluations=evaluations,
        results=trials,
        score_of=score_reader(evaluations, store),
        payload_of=plain_case_payload,
        calls_of=lambda record: read_calls(record.calls),
        only=sought,
    )
    files = [each for each in run.arguments.get("cases") or () if isinstance(each, str)]
    found = find_blessings(kept, CaseLocator(root, files), root, trial=asked.trial)
    own = [each for each in trials if each.evaluation == record.number]
    return found, all(map(is_exact, own))


def _digest(shown: Sequence[Rewritten], root: Path) -> str:
    """Identifies the files as they are now, and what would be written to them; empty for nothing."""
    if not shown:
        return ""
    files = sorted({_file_of(each) for each in shown})
    contents = [(root / file).read_bytes().hex() for file in files]
    lines = [[each.place, list(each.lines)] for each in shown]
    return blake2b(json_bytes([files, contents, lines]), digest_size=_DIGEST_SIZE).hexdigest()


def _file_of(written: Rewritten) -> str:
    return written.place.rpartition(":")[0]


def _change(written: Rewritten) -> dict[str, Any]:
    file, _, line = written.place.rpartition(":")
    return {
        "label": written.change.label,
        "file": file,
        "line": int(line) if line.isdecimal() else 0,
        "lines": [hide_text(each) for each in written.lines],
    }


# What was not changed, and why: in English and, if known, in every language.
_Refused = tuple[str, tuple[str, Any]]


def _unblessed(each: Unblessed) -> _Refused:
    return each.label, (each.problem, each.reason)


def _refused(each: Refused) -> _Refused:
    return each.change.label, (each.problem, each.reason)


def _text(why: tuple[str, Any], lang: Language) -> str:
    problem, reason = why
    return problem if reason is None else reason.text(lang)


def _messages(
    found: Blessings, shown: Sequence[Rewritten], *, is_expected: bool, is_refused: bool
) -> Iterator[Phrase]:
    """Why there is nothing to accept, and that the name of the case changes."""
    if any(not each.has_id for each in shown):
        yield _RENAMED
    if shown or is_refused:
        return
    if found.unanswered:
        yield _UNANSWERED
    elif found.others:
        yield _OTHER_SCORER
    elif found.unexpecting:
        yield _NOTHING_EXPECTED
    else:
        yield _NOTHING if is_expected else _DONE
