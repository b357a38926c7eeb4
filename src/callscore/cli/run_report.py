"""Where the report of a run goes, and what the program tells its caller about it."""

# ruff: noqa: RUF001  (Russian letters that look like Latin ones are meant)

from __future__ import annotations

import os
import sys
from contextlib import contextmanager, redirect_stdout, suppress
from typing import TYPE_CHECKING

from callscore.cli.exits import AGENT, BELOW, FINE, INTERRUPTED, UNREADABLE
from callscore.cli.output import note, write_report
from callscore.core.phrase import Phrase, Plural, count_of, say
from callscore.core.ranking import forbidden_tools
from callscore.core.wording import decimal

if TYPE_CHECKING:
    from collections.abc import Iterator

    from callscore.cli.output import Output
    from callscore.core.phrase import Language
    from callscore.core.run import EvaluationResults, RunResults

__all__ = ["exit_code", "output_aside", "reasons", "say_interrupted", "say_kept", "write_run"]

_FOR_PROGRAMS = ("json", "junit")
_INTERRUPTED = Phrase(
    "interrupted; what finished is kept. Go on with: {command}",
    "прервано; готовое сохранено. Продолжить: {command}",
)
_INTERRUPTED_UNKEPT = Phrase("interrupted", "прервано")
_KEPT = Phrase(
    "run {run} is kept; callscore show {run} shows it",
    "прогон {run} сохранён; callscore show {run} покажет его",
)
_UNLOADED = Phrase("{place}: {problem}", "{place}: {problem}")
_CASES = Plural(("case", "cases"), ("случая", "случаев", "случаев"))
_QUESTIONS = Plural(("question", "questions"), ("вопроса", "вопросов", "вопросов"))
_ERRORS = Phrase("{evaluation}: no answer to {cases}", "{evaluation}: нет ответа для {cases}")
_BELOW = Phrase(
    "{evaluation}: {scorer} {mean} is below {threshold}",
    "{evaluation}: {scorer} {mean} ниже порога {threshold}",
)
_NO_MEAN = Phrase(
    "{evaluation}: {scorer} has no number, and {threshold} is wanted",
    "{evaluation}: у {scorer} нет оценки, а нужна {threshold}",
)
_BROKEN = Phrase(
    "{evaluation}: the scorer {scorer} does not work: {reasons} ({cases})",
    "{evaluation}: критерий {scorer} не работает: {reasons} ({cases})",
)
_FORBIDDEN = Phrase(
    "{evaluation}: forbidden calls were made: {names}",
    "{evaluation}: сделаны запрещённые вызовы: {names}",
)


@contextmanager
def output_aside() -> Iterator[None]:
    """Let what evaluations print go to standard error: the report alone is the output.

    That holds for what they start as other processes, too.
    """
    saved = None
    with suppress(AttributeError, OSError, ValueError):  # it is closed, or is no file
        sys.stdout.flush()
        saved = os.dup(1)
        os.dup2(2, 1)
    try:
        with redirect_stdout(sys.stderr):
            yield
    finally:
        if saved is not None:
            os.dup2(saved, 1)
            os.close(saved)


def write_run(run: RunResults, output: Output, output_format: str, lang: Language) -> bool:
    """Write the report; in colour where a terminal shows it.

    What is for programs is read by nobody, so that the warnings in it are said beside it, too.

    Returns:
        Whether it is on the terminal to which standard error goes as well.
    """
    if output_format in _FOR_PROGRAMS:
        for warning in run.warnings:
            note(warning)
    is_shown = write_report("run", (run,), output, output_format, lang=lang)
    return is_shown and sys.stderr.isatty()


def exit_code(run: RunResults, lang: Language, *, go_on: str, is_shown: bool = False) -> int:
    """Say why the run is not fine, and find the code for it; the gravest counts.

    Args:
        run: what it gave.
        lang: the language.
        go_on: what to type to go on with it.
        is_shown: whether the report stands right above, where each missed threshold is marked.
    """
    code = FINE
    for reason_code, sentence in reasons(run, lang, go_on=go_on):
        if reason_code != BELOW or not is_shown:
            note(sentence)
        code = code or reason_code
    return code


def say_interrupted(lang: Language, *, go_on: str) -> None:
    """Say what is left of a run that a second Ctrl-C has ended."""
    note(say(_INTERRUPTED, lang, command=go_on))


def say_kept(run: RunResults, lang: Language, *, go_on: str) -> None:
    """Say where what a run gave is, though its report is not written."""
    if not run.id:
        return
    if run.is_interrupted:
        say_interrupted(lang, go_on=go_on)
    else:
        note(say(_KEPT, lang, run=run.id))


def reasons(run: RunResults, lang: Language, *, go_on: str) -> Iterator[tuple[int, str]]:
    """Why a run is not fine, the gravest first: an exit code, and a sentence."""
    if run.is_interrupted:
        phrase = _INTERRUPTED if run.id else _INTERRUPTED_UNKEPT
        yield INTERRUPTED, say(phrase, lang, command=go_on)
    for each in run.unloaded:
        yield UNREADABLE, say(_UNLOADED, lang, place=each.place, problem=each.problem)
    for evaluation in run.evaluations:
        yield from [(UNREADABLE, sentence) for sentence in _broken(evaluation, lang)]
    for evaluation in run.evaluations:
        if evaluation.errors:
            wanted = _CASES if evaluation.questions == evaluation.cases else _QUESTIONS
            cases = count_of(wanted, evaluation.errors, lang)
            yield AGENT, say(_ERRORS, lang, evaluation=evaluation.label, cases=cases)
    for evaluation in run.evaluations:
        yield from [(BELOW, sentence) for sentence in _below(evaluation, lang)]


def _broken(evaluation: EvaluationResults, lang: Language) -> Iterator[str]:
    """The scorers that are no use: nobody knows what the answers are worth."""
    for scorer in evaluation.scorers:
        if scorer.broken.count:
            yield say(
                _BROKEN,
                lang,
                evaluation=evaluation.label,
                scorer=scorer.name,
                reasons="; ".join(reason.rstrip(".") for reason in scorer.broken.names),
                cases=count_of(_CASES, scorer.broken.count, lang),
            )


def _below(evaluation: EvaluationResults, lang: Language) -> Iterator[str]:
    name = evaluation.label
    for scorer in evaluation.scorers:
        if scorer.is_below and scorer.threshold is not None:
            about = {"scorer": scorer.name, "threshold": decimal(scorer.threshold)}
            if scorer.mean is None:
                yield say(_NO_MEAN, lang, evaluation=name, **about)
            else:
                yield say(_BELOW, lang, evaluation=name, mean=decimal(scorer.mean), **about)
    forbidden = [tool for tool, _ in forbidden_tools(evaluation.results.summary)]
    has_gate = any(scorer.threshold is not None for scorer in evaluation.scorers)
    if forbidden and has_gate:  # no mean of many cases makes up for it
        yield say(_FORBIDDEN, lang, evaluation=name, names=", ".join(forbidden))
