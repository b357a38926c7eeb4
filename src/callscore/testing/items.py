"""Evaluations as pytest items: one for each question that is asked, and the judges of a session."""

from __future__ import annotations

import asyncio
import os
import re
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest
from msgspec import structs
from msgspec.structs import replace

from callscore.core.rendering import escape
from callscore.core.results import Answer, Failure, Unloaded
from callscore.evaluations.discovery import SUFFIXES, load_file, no_evaluation_in
from callscore.evaluations.evaluation import Question
from callscore.evaluations.locations import FILE_PREFIX, display_path
from callscore.evaluations.plan import Group, make_plan
from callscore.evaluations.scorers import SCORERS
from callscore.history.opening import LazyJudgementStore, default_path
from callscore.models.judging import Judge, judge
from callscore.reports.formatting import low_scorers, metric_cells, number_text
from callscore.rewriting.observed import line_number_of, location_of_case
from callscore.runner.answers import failure_from_error, score_answer, unanswered
from callscore.runner.asking import ask
from callscore.runner.event_loop import run_until_done
from callscore.runner.running import RunJudges
from callscore.testing.current_test import text_width
from callscore.testing.item_record import ItemRecord, encode_record, evaluation_key
from callscore.testing.marker import record_key, updates_for
from callscore.testing.update import record_update
from callscore.words.diff import call_lines, plain_text
from callscore.words.value_text import call_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from callscore.core.results import Result
    from callscore.evaluations.evaluation import Evaluation
    from callscore.models.limits import Limits
    from callscore.testing.current_test import Updates

__all__ = [
    "AskOptions",
    "EvaluationCase",
    "EvaluationFile",
    "SessionJudges",
    "ask_options_key",
    "error_text",
    "failed_text",
    "holds_evaluations",
]


# Evaluations as pytest collects them: a file of them, and an item for each question that is
# asked.

# Texts in the report of pytest, for a failed question and for one without an answer.

_MOST_CALLS = 20
_CELL_SPACE = "   "


def error_text(problem: str, details: str) -> str:
    """A sentence, and below it where it happened, if that is known."""
    lines = [escape(line) for line in details.splitlines()]
    return "\n".join([escape(problem), *(["", *lines] if lines else [])])


def failed_text(outcome: Result, at_least: float) -> str:
    """Why a question fails in one line, what the scorers say, and the calls of both sides."""
    width = text_width()
    rows = metric_cells(outcome.values, width) if outcome.values else []
    lines = [
        *(_why(outcome, at_least), ""),
        *[_CELL_SPACE.join(f"{value} {name}" for value, name in cells).rstrip() for cells in rows],
    ]
    lines += [
        f"{escape(found.name)}: {escape(found.reason)}" for found in outcome.values if found.reason
    ]
    return "\n".join([*lines, "", *_calls(outcome, width)])


def _why(outcome: Result, at_least: float) -> str:
    score = outcome.score
    if score is not None and score.forbidden:
        return f"{escape(score.actual[score.forbidden[0]].name)} was called, which is forbidden"
    low = low_scorers(outcome.values, at_least)
    said = ", ".join(f"{escape(found.name)} {number_text(found.value)}" for found in low)
    broken = ", ".join(escape(found.name) for found in outcome.values if found.is_broken)
    whys = [f"{said}, and at least {number_text(at_least)} is wanted"] if low else []
    return "; ".join([*whys, *([f"a scorer does not work: {broken}"] if broken else [])])


def _calls(outcome: Result, width: int) -> Iterator[str]:
    if outcome.score is not None:
        yield plain_text(call_lines(outcome.score, width=width))
        return
    calls = outcome.case.actual or ()
    yield "The calls that were made:" if calls else "No calls were made."
    yield from (f"  {call_text(call, limit=width)}" for call in calls[:_MOST_CALLS])
    if len(calls) > _MOST_CALLS:
        yield f"  … {len(calls) - _MOST_CALLS} more"


# Collecting: a file of evaluations, and a test for each question.

_NO_EVALUATION = "there is no evaluation in it, and it is passed over"
_BY_EXPECTATION = frozenset(SCORERS) - {"parameters_valid"}
_MARKER = re.compile(r"[A-Za-z][\w.-]*")


class AskOptions(NamedTuple):
    """How agents are asked in a session.

    Attributes:
        limits: the rate limit, timeout and retries.
        judges: who judges.
        notes: what is to be said at its end.
    """

    limits: Limits
    judges: SessionJudges
    notes: list[str]


ask_options_key = pytest.StashKey[AskOptions]()


def holds_evaluations(path: Path, *, is_named: bool) -> bool:
    """Whether a file is collected: by its name, or because it is an argument.

    Args:
        path: the file.
        is_named: whether it was named on the command line.
    """
    if path.suffix not in SUFFIXES:
        return False
    return path.name.startswith(FILE_PREFIX) or (is_named and path.suffix != ".py")


class EvaluationFile(pytest.File):
    """A file of evaluations.

    Attributes:
        is_focused: whether some of it is to be run alone.
    """

    is_focused = False

    def collect(self) -> Iterator[EvaluationCase]:
        """One test for each question."""
        found = self._loaded()
        made = make_plan(found, trials=self.config.getoption("callscore_trials"))
        if made.unloaded:
            raise self.CollectError("\n".join(map(_unloaded_text, made.unloaded)))
        self.is_focused = any(each.only for each in found) or any(
            question.case.only for group in made.groups for question in group.questions
        )
        for group in made.groups:
            yield from self._items(group)

    def _loaded(self) -> list[Evaluation]:
        """The evaluations; a file without any is skipped, unless it is an argument."""
        asking = self.config.stash[ask_options_key]
        found = load_file(self.path)
        if isinstance(found, Unloaded):
            raise self.CollectError(_unloaded_text(found))
        if not found and self.session.isinitpath(self.path):
            raise self.CollectError(_unloaded_text(no_evaluation_in(self.path)))
        if not found:
            asking.notes.append(f"{display_path(self.path)}: {_NO_EVALUATION}")
        return asking.judges.given_to(found)

    def _items(self, group: Group) -> Iterator[EvaluationCase]:
        for question in group.questions:
            yield EvaluationCase.of(self, question)
        for each in group.left_out:
            question = Question(evaluation=group.evaluation, case=each.case, variant=group.variant)
            item = EvaluationCase.of(self, question)
            item.reason = each.reason
            item.add_marker(pytest.mark.skip(reason=each.reason or "left out on purpose"))
            yield item


def _unloaded_text(found: Unloaded) -> str:
    return error_text(f"{found.place}: {found.problem}", found.details)


class EvaluationCase(pytest.Item):
    """One question: it is asked while the test is set up, so that no answer is an error.

    Attributes:
        question: the question.
        reason: why it is not asked; None where it is.
        tags: of its case, those that can be selected by `-m`.
    """

    question: Question
    reason: str | None = None
    tags: Sequence[pytest.Mark] = ()

    @classmethod
    def of(cls, parent: EvaluationFile, question: Question) -> EvaluationCase:
        """The test for a question: `assistant[gpt-4.1-weather#2]`."""
        name = question.case.id
        if question.variant is not None:
            name = f"{question.variant}-{name}"
        if question.trials > 1:
            name = f"{name}#{question.trial}"
        whole = escape(f"{question.evaluation.name}[{name}]")
        # Given whole, as `--lf` reads it back: what is in brackets is no part of the name.
        node = f"{parent.nodeid}::{whole}"
        item: EvaluationCase = cls.from_parent(parent, name=whole, nodeid=node)
        item.question = question
        item.extra_keyword_matches.update(question.case.tags)
        item.tags = [_tag_of(item.config, tag) for tag in question.case.tags if _is_marker(tag)]
        return item

    def iter_markers(self, name: str | None = None) -> Iterator[pytest.Mark]:
        """The markers; and the tags for `-m`, which asks for all.

        Who asks for one by its name gives it a meaning, which a tag does not have: `skip`, say.
        """
        yield from super().iter_markers(name)
        if name is None:
            yield from self.tags

    def setup(self) -> None:
        """Ask, and score the answer; a test that fails before it is called is an error."""
        if self.config.getoption("setuponly", default=False):
            return  # somebody wants to see what is set up, and no call follows
        judges = RunJudges([Group(evaluation=self.question.evaluation)])
        outcome = self._asked()
        facts: dict[str, Any] = {"judges": judges.counts()}
        if outcome.failure is not None:
            why = outcome.failure
            self.tell(failure=why, **facts)
            pytest.fail(error_text(why.problem, why.details), pytrace=False)
        self._outcome = outcome
        self._facts = {
            "values": outcome.values,
            "passed": outcome.passed,
            "answer": structs.replace(_answer(outcome), document=None),  # which may be long
            **facts,
        }
        self.tell(**self._facts)
        self._record(outcome)

    def _asked(self) -> Result:
        limits = self.config.stash[ask_options_key].limits
        asking: list[asyncio.Task[Result]] = []

        async def asked() -> Result:
            try:
                answer = await ask(self.question, limits, takes_interrupts=True)
            except GeneratorExit as error:  # of the task: nobody else ends this one so
                answer = failure_from_error(self.question, error)
            if isinstance(answer, Failure):
                return unanswered(self.question, answer)
            return await score_answer(self.question, answer, seconds=limits.timeout)

        async def main() -> Result | None:
            asking.append(asyncio.create_task(asked()))
            await asyncio.wait(asking)
            return None if asking[0].cancelled() else asking[0].result()

        def stop() -> None:
            for task in asking:
                task.cancel()

        outcome = run_until_done(main, stop)
        if outcome is None:  # by Ctrl-C, which is for pytest to handle
            raise KeyboardInterrupt
        return outcome

    def runtest(self) -> None:
        """Fail where a scorer is not content with the answer, unless it becomes the expectation."""
        outcome, evaluation = self._outcome, self.question.evaluation
        if outcome.passed is None:
            pytest.skip("no scorer has a number for it")
        updates = updates_for(self)
        refusal = "" if updates is None else self._updated(outcome, updates)
        if outcome.passed or refusal is None:
            return
        text = failed_text(outcome, evaluation.settings.at_least)
        pytest.fail(f"{text}\n\nNot updated: {refusal}" if refusal else text, pytrace=False)

    def _updated(self, outcome: Result, updates: Updates) -> str | None:
        """Have the expectation rewritten; why that cannot be done, where it cannot."""
        score, case = outcome.score, self.question.case
        if score is None or case.expected is None:
            return "the case says nothing about the calls that are expected."
        if score.passed and not outcome.passed:
            return "the calls are as expected; it is another scorer that is not content."
        other = _failing_other_scorer(outcome, self.question.evaluation.settings.at_least)
        if other is not None:
            return f"{other} is not content either, and what is expected has no say in that."
        location = location_of_case(self.name, self.question.evaluation, case)
        refusal = record_update(updates, location, case.expected, score)
        self.tell(updates, **self._facts)
        return refusal

    def tell(self, updates: Updates | None = None, **facts: Any) -> None:
        """Leave what became of it for the session that sums up."""
        question = self.question
        record = ItemRecord(
            about=evaluation_key(question),
            case=question.case.id,
            trial=question.trial if question.trials > 1 else None,
            **facts,
            changes=tuple(updates.changes) if updates else (),
            confirmed=tuple(updates.confirmed) if updates else (),
        )
        self.stash[record_key] = encode_record(record)

    def _record(self, outcome: Result) -> None:
        """Leave the numbers where JUnit reports look for properties."""
        question, score, answer = self.question, outcome.score, _answer(outcome)
        facts = {
            "evaluation": question.evaluation.name,
            "variant": question.variant,
            "case": question.case.id,
            "trial": question.trial if question.trials > 1 else None,
            "f1": score and score.f1,
            "precision": score and score.precision,
            "recall": score and score.recall,
            **{f"scorer.{found.name}": found.value for found in outcome.values},
            "seconds": round(answer.seconds, 6),
            "input_tokens": answer.usage.input_tokens or None,
            "output_tokens": answer.usage.output_tokens or None,
        }
        self.user_properties += [
            (f"callscore.{name}", value) for name, value in facts.items() if value is not None
        ]

    def reportinfo(self) -> tuple[Path, int | None, str]:
        """Where the evaluation stands, and what the test is called."""
        return self.path, max(line_number_of(self.question.evaluation.place) - 1, 0), self.name


def _answer(outcome: Result) -> Answer:
    return outcome.answer or Answer()


def _is_marker(tag: str) -> bool:
    return _MARKER.fullmatch(tag) is not None


def _tag_of(config: pytest.Config, tag: str) -> pytest.Mark:
    """A tag as the marker that `-m` looks for; it is known, also where only those may be used."""
    line = f"{tag}: a tag of cases"
    if line not in config.getini("markers"):
        config.addinivalue_line("markers", line)
    found: pytest.MarkDecorator = getattr(pytest.mark, tag)
    return found.mark


def _failing_other_scorer(outcome: Result, at_least: float) -> str | None:
    """A scorer that is not content, and does not look at what is expected; None where none is."""
    for found in outcome.values:
        is_content = found.value is None or found.value >= at_least
        looks_at_it = found.name in _BY_EXPECTATION or "." in found.name  # as other tools' do
        if found.is_broken or not (is_content or looks_at_it):
            return found.name
    return None


# The judges of a pytest session: that of the project, where an evaluation names none.

_STORE = "CALLSCORE_STORE"


class SessionJudges:
    """The judges of a session.

    They remember in the history of the project, if it has one: so the processes of a session share
    what they were told.

    Args:
        named: the judge of the project: its `name`, and perhaps where it is; empty where there is
            none.

    Raises:
        InvalidSettings: the judge is not as it can be.
    """

    def __init__(self, named: Mapping[str, str]) -> None:
        given = dict(named)
        self._judge = judge(given.pop("name"), **given) if given else None  # type: ignore[arg-type]  # texts alone
        has_history = bool(os.environ.get(_STORE)) or default_path().parent.is_dir()
        self._history = LazyJudgementStore() if has_history else None
        self._judges: dict[int, Judge] = {}

    def given_to(self, evaluations: Sequence[Evaluation]) -> list[Evaluation]:
        """The evaluations, with a judge for those that have none of their own."""
        judged = [
            replace(each, settings=replace(each.settings, judge=self._judge))
            if self._judge is not None and each.settings.judge is None
            else each
            for each in evaluations
        ]
        for each in judged:
            self._have_remember(each.settings.judge)
        return judged

    def _have_remember(self, found: object) -> None:
        if isinstance(found, Judge) and id(found) not in self._judges:
            self._judges[id(found)] = found
            if self._history is not None:
                found.remember_in(self._history)

    @property
    def problems(self) -> list[str]:
        """Why answers of judges are not kept."""
        return [each.problem for each in self._judges.values() if each.problem is not None]

    def close(self) -> None:
        """Close the connections and the history."""
        for each in self._judges.values():
            each.close()
        if self._history is not None:
            self._history.close()
