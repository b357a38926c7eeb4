"""Evaluations as pytest items: one for each question that is asked, and the judges of a session."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

import pytest
from msgspec import UNSET
from msgspec.structs import replace

from callscore.core.rendering import escape
from callscore.core.results import Answer, Result, Unloaded
from callscore.evaluations.discovery import SUFFIXES, load_file, no_evaluation_in, passed_over_note
from callscore.evaluations.evaluation import Evaluation, Question, with_project_settings
from callscore.evaluations.locations import FILE_PREFIX
from callscore.evaluations.plan import Group, make_plan
from callscore.evaluations.scorers import SCORERS
from callscore.hiding.hider import hide_for_report, hide_text
from callscore.history.opening import StoreOpener, default_path, open_store
from callscore.models.consent import Origin
from callscore.models.judging import Judge, judge
from callscore.reports.formatting import limit_text, low_scorers, metric_cells, number_text
from callscore.reports.inert import escape_commands
from callscore.rewriting.observed import line_number_of, location_of_case
from callscore.runner.asking import Asked, Workers
from callscore.runner.event_loop import run_until_done
from callscore.runner.running import RunJudges
from callscore.testing.current_test import Updates, text_width
from callscore.testing.item_record import ItemRecord, encode_record, evaluation_key
from callscore.testing.marker import record_key, updates_for
from callscore.testing.update import record_update
from callscore.words.diff import calls_text
from callscore.words.value_text import call_text

if TYPE_CHECKING:
    from pathlib import Path

    from callscore.models.limits import Limits

__all__ = [
    "AskOptions",
    "EvaluationCase",
    "EvaluationFile",
    "SessionJudges",
    "ask_options_key",
    "holds_evaluations",
]


_MOST_CALLS = 20


def error_text(problem: str, details: str) -> str:
    """A sentence, and below it the traceback, if there is one."""
    lines = [escape(line) for line in details.splitlines()]
    shown = "\n".join([escape(problem), *(["", *lines] if lines else [])])
    return escape_commands(shown)


def failed_text(outcome: Result, pass_mark: float) -> str:
    """Why a question fails, the values of the other scorers, and the calls of both sides."""
    width, outcome = text_width(), hide_for_report(outcome, is_live=True)
    low = low_scorers(outcome.values, pass_mark)
    others = [found for found in outcome.values if found not in low and not found.is_broken]
    rows = metric_cells(others, width, border=pass_mark) if others else []
    lines = ["   ".join(f"{value} {name}" for value, name in cells).rstrip() for cells in rows]
    lines += [
        f"{escape(found.name)}: {escape(found.reason)}" for found in outcome.values if found.reason
    ]
    facts = ["", *lines] if lines else []
    shown = [_why(outcome, pass_mark), *facts, "", *_calls(outcome, width)]
    return escape_commands("\n".join(shown))


def _why(outcome: Result, pass_mark: float) -> str:
    score = outcome.score
    if score is not None and score.forbidden:
        return f"forbidden tool called: {escape(score.actual[score.forbidden[0]].name)}"
    low = low_scorers(outcome.values, pass_mark)
    scores = ", ".join(
        f"{escape(found.name)} {number_text(found.value, border=pass_mark)}" for found in low
    )
    broken = ", ".join(escape(found.name) for found in outcome.values if found.is_broken)
    whys = [f"{scores}, required ≥ {limit_text(pass_mark)}"] if low else []
    return "; ".join([*whys, *([f"scorer failed: {broken}"] if broken else [])])


def _calls(outcome: Result, width: int) -> Iterator[str]:
    if outcome.score is not None:
        yield calls_text(outcome.score, width=width)
        return
    calls = outcome.case.actual or ()
    yield "Actual calls:" if calls else "No calls were made."
    yield from (f"  {call_text(call, limit=width)}" for call in calls[:_MOST_CALLS])
    if len(calls) > _MOST_CALLS:
        yield f"  … {len(calls) - _MOST_CALLS} more"


_BY_EXPECTATION = frozenset(SCORERS) - {"parameters_valid"}
_MARKER = re.compile(r"[A-Za-z][\w.-]*")


class AskOptions(NamedTuple):
    """How agents are asked in a session, and notes for the summary."""

    limits: Limits
    judges: SessionJudges
    notes: list[str]
    project: Mapping[str, Any] = {}  # the settings of the project


ask_options_key = pytest.StashKey[AskOptions]()


@contextmanager
def _exits_shown(node: pytest.Item | pytest.Collector, doing: str) -> Iterator[None]:
    """Show that foreign code inside ends pytest with `os._exit`, and never exit with 0.

    Otherwise pytest would end without a summary, and as if all tests had passed. Copies of the
    process, as `multiprocessing` makes them, end as they want to.
    """
    leave, own = os._exit, os.getpid()

    def show_and_leave(code: int) -> NoReturn:
        if os.getpid() == own:
            with suppress(Exception):  # it ends in any case
                capturing = node.config.pluginmanager.getplugin("capturemanager")
                if capturing is not None:
                    capturing.suspend_global_capture(in_=True)
                writer = node.config.get_terminal_writer()
                text = (
                    f"callscore: pytest was ended by os._exit({code}) while {doing} {node.nodeid}"
                )
                writer.line()
                writer.line(escape_commands(escape(text)), red=True)
                writer.flush()
            code = code or int(pytest.ExitCode.INTERRUPTED)
        leave(code)

    vars(os)["_exit"] = show_and_leave
    try:
        yield
    finally:
        vars(os)["_exit"] = leave


def holds_evaluations(path: Path, *, is_named: bool) -> bool:
    """Whether a file is collected: by its name, or because it is an argument."""
    if path.suffix not in SUFFIXES:
        return False
    return path.name.startswith(FILE_PREFIX) or (is_named and path.suffix != ".py")


class EvaluationFile(pytest.File):
    """A file of evaluations; `is_focused` if some of them, or some cases, have `only`."""

    is_focused = False

    def collect(self) -> Iterator[EvaluationCase]:
        """One test for each question."""
        found = self._loaded()
        plan = make_plan(found, trials=self.config.getoption("callscore_trials"))
        if plan.unloaded:
            raise self.CollectError("\n".join(map(_unloaded_text, plan.unloaded)))
        self.is_focused = any(each.only for each in found) or any(
            question.case.only for group in plan.groups for question in group.questions
        )
        for group in plan.groups:
            yield from self._items(group)

    def _loaded(self) -> list[Evaluation]:
        """The evaluations; a file without any is skipped, unless it is an argument."""
        asking = self.config.stash[ask_options_key]
        with _exits_shown(self, "loading"):
            found = load_file(self.path)
        if isinstance(found, Unloaded):
            raise self.CollectError(_unloaded_text(found))
        if not found and self.session.isinitpath(self.path):
            raise self.CollectError(_unloaded_text(no_evaluation_in(self.path)))
        if not found:
            asking.notes.append(passed_over_note(self.path))
        return asking.judges.given_to(
            [with_project_settings(each, asking.project) for each in found]
        )

    def _items(self, group: Group) -> Iterator[EvaluationCase]:
        for question in group.questions:
            yield EvaluationCase.of(self, question)
        for each in group.left_out:
            question = Question(evaluation=group.evaluation, case=each.case, variant=group.variant)
            item = EvaluationCase.of(self, question)
            item.reason = each.reason
            item.add_marker(pytest.mark.skip(reason=each.reason or "skipped in the evaluation"))
            yield item


def _unloaded_text(found: Unloaded) -> str:
    return error_text(f"{found.place}: {found.problem}", found.details)


class EvaluationCase(pytest.Item):
    """One question; it is asked in the setup, so that a missing answer is an error."""

    question: Question
    reason: str | None = None  # why it is not asked
    tags: Sequence[pytest.Mark] = ()  # those of its case that `-m` can select

    @classmethod
    def of(cls, parent: EvaluationFile, question: Question) -> EvaluationCase:
        """The test for a question: `assistant[gpt-4.1-weather#2]`."""
        name = question.case.id
        if question.variant is not None:
            name = f"{question.variant}-{name}"
        if question.trials > 1:
            name = f"{name}#{question.trial}"
        whole = escape_commands(escape(hide_text(f"{question.evaluation.name}[{name}]")))
        # Given as a whole because `--lf` reads it: the part in brackets is not part of the name.
        node = f"{parent.nodeid}::{whole}"
        item: EvaluationCase = cls.from_parent(parent, name=whole, nodeid=node)
        item.question = question
        item.extra_keyword_matches.update((*question.case.tags, question.case.id))
        item.tags = [
            _tag_of(item.config, tag) for tag in question.case.tags if _MARKER.fullmatch(tag)
        ]
        return item

    def iter_markers(self, name: str | None = None) -> Iterator[pytest.Mark]:
        """The markers, and the tags for `-m`, which asks for all.

        A marker that is asked for by name has a meaning that a tag must not have: `skip`, say.
        """
        yield from super().iter_markers(name)
        if name is None:
            yield from self.tags

    def setup(self) -> None:
        """Ask, and score the answer; a test that fails in the setup is an error."""
        if self.config.getoption("setuponly", default=False):
            return  # the test is not called
        judges = RunJudges([Group(evaluation=self.question.evaluation)])
        outcome = self._asked()
        counts = judges.counts()
        if outcome.failure is not None:
            why = outcome.failure
            self.store_record(failure=why, judges=counts)
            pytest.fail(error_text(why.problem, why.details), pytrace=False)
        answer = outcome.answer or Answer()
        self._outcome = outcome
        self._facts: dict[str, Any] = {
            "values": outcome.values,
            "status": outcome.status,
            "passed": outcome.passed,
            "answer": replace(answer, document=None),  # the document may be long
            "judges": counts,
        }
        self.store_record(**self._facts)
        self._add_properties(outcome, answer)

    def _asked(self) -> Result:
        found: list[Result] = []
        limits = self.config.stash[ask_options_key].limits
        workers = Workers([Asked(0, 0, self.question)], jobs=1, limits=limits)
        with _exits_shown(self, "answering"):
            run_until_done(
                lambda: workers.run(lambda _, result: found.append(result)), workers.stop
            )
        if not found:  # cancelled by Ctrl-C, which pytest handles
            raise KeyboardInterrupt
        return found[0]

    def runtest(self) -> None:
        """Fail if a scorer does not pass, unless the answer becomes the expectation."""
        outcome, evaluation = self._outcome, self.question.evaluation
        if outcome.passed is None:
            pytest.skip("no scorer gave a number")
        updates = updates_for(self)
        refusal = "" if updates is None else self._updated(outcome, updates)
        if outcome.passed or refusal is None:
            return
        text = failed_text(outcome, evaluation.settings.pass_mark)
        pytest.fail(f"{text}\n\nNot updated: {refusal}" if refusal else text, pytrace=False)

    def _updated(self, outcome: Result, updates: Updates) -> str | None:
        """Record the new expectation; returns why that is impossible, or None."""
        score, case = outcome.score, self.question.case
        if score is None or case.expected is UNSET:
            return "the case has no expected calls."
        if score.passed and not outcome.passed:
            return "the calls are as expected. Another scorer fails."
        pass_mark = self.question.evaluation.settings.pass_mark
        for found in outcome.values:
            is_low = found.value is not None and found.value < pass_mark
            depends = found.name in _BY_EXPECTATION or "." in found.name  # other tools' metrics
            if found.is_broken or (is_low and not depends):
                return f"the scorer {found.name} fails, whatever calls are expected."
        location = location_of_case(self.name, self.question.evaluation, case)
        refusal = record_update(updates, location, case.expected, score)
        self.store_record(updates, **self._facts)
        return refusal

    def store_record(self, updates: Updates | None = None, **facts: Any) -> None:
        """Store the record for the session that sums up."""
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

    def _add_properties(self, outcome: Result, answer: Answer) -> None:
        """Add the numbers to the properties of JUnit reports."""
        question, score = self.question, outcome.score
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
            (f"callscore.{name}", hide_text(value) if isinstance(value, str) else value)
            for name, value in facts.items()
            if value is not None
        ]

    def reportinfo(self) -> tuple[Path, int | None, str]:
        """The location of the evaluation, and the name of the test."""
        return self.path, max(line_number_of(self.question.evaluation.place) - 1, 0), self.name


def _tag_of(config: pytest.Config, tag: str) -> pytest.Mark:
    """A tag as a marker for `-m`; it is registered, as `--strict-markers` requires."""
    line = f"{tag}: a tag of cases"
    if line not in config.getini("markers"):
        config.addinivalue_line("markers", line)
    found: pytest.MarkDecorator = getattr(pytest.mark, tag)
    return found.mark


class SessionJudges:
    """The judges of a session: that of the project, for evaluations without one.

    `named` is the `name` of the judge of the project, and options of `judge`; empty if there is none.
    `place` is the file that names it.
    Judges store answers in the history of the project, if it has one, so that the processes of a
    session share them. Raises `InvalidSettings` if the judge is invalid.
    """

    def __init__(self, named: Mapping[str, str], place: str = "") -> None:
        given = dict(named)
        self._judge = judge(given.pop("name"), **given) if given else None  # type: ignore[arg-type]  # texts alone
        if self._judge is not None:
            self._judge.origin = Origin(place)
        is_named = bool(os.environ.get("CALLSCORE_STORE"))
        has_history = is_named or default_path().parent.is_dir()
        self._history = StoreOpener(open_store) if has_history else None
        self._judges: dict[int, Judge] = {}

    def given_to(self, evaluations: Sequence[Evaluation]) -> list[Evaluation]:
        """The evaluations, with a judge for those that have none of their own."""
        judged = [
            replace(each, settings=replace(each.settings, judge=self._judge))
            if self._judge is not None and each.settings.judge is None
            else each
            for each in evaluations
        ]
        for found in (each.settings.judge for each in judged):
            if isinstance(found, Judge) and id(found) not in self._judges:
                self._judges[id(found)] = found
                if self._history is not None:
                    found.remember_in(self._history)
        return judged

    @property
    def problems(self) -> list[str]:
        """Why answers of judges are not stored."""
        return [each.problem for each in self._judges.values() if each.problem is not None]

    def close(self) -> None:
        """Close the connections and the history."""
        for each in self._judges.values():
            each.close()
        if self._history is not None:
            self._history.close()
