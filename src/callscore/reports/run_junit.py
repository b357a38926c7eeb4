"""The report of a run as JUnit XML."""

from __future__ import annotations

from typing import TYPE_CHECKING
from xml.etree.ElementTree import Element, SubElement

from callscore.core.phrases import Language, count_of, say
from callscore.reports.formatting import (
    add_noted,
    add_properties,
    add_test,
    add_unread,
    document_text,
    low_scorers,
    number_text,
    xml_safe,
)
from callscore.reports.run import (
    CALL_WIDTH,
    INTERRUPTED,
    LEFT_OUT,
    MORE_ERRORS,
    NO_CALLS,
    below_text,
    required_text,
)
from callscore.words.diff import score_text
from callscore.words.turns import first_wrong_text
from callscore.words.value_text import ERROR_COUNT, NOT_SCORED, call_text

if TYPE_CHECKING:
    from callscore.core.results import EvaluationResults, Result, RunResults


def write_junit(run: RunResults, *, lang: Language = "en") -> str:
    """One test per shown case; a missing answer and an unusable file are errors, not failures."""
    root = Element("testsuites", name="callscore", time=f"{run.seconds:.3f}")
    for each in run.evaluations:
        root.append(_junit_suite(each, lang))
    if run.unloaded or run.warnings:
        suite = SubElement(root, "testsuite", name="callscore")
        for unloaded in run.unloaded:
            test = add_test(suite, unloaded.place)
            _add_error(test, "unloaded", unloaded.problem).text = xml_safe(unloaded.details)
        if run.warnings:
            SubElement(suite, "system-err").text = xml_safe("\n".join(run.warnings))
    return document_text(root)


def _add_error(test: Element, kind: str, message: str) -> Element:
    return SubElement(test, "error", type=kind, message=xml_safe(message))


def _junit_suite(each: EvaluationResults, lang: Language) -> Element:
    suite = Element("testsuite", name=xml_safe(each.label))
    add_properties(suite, [(scorer.name, scorer.mean, None) for scorer in each.scorers])
    for result in each.shown:
        _add_junit_case(suite, each, result, lang)
    for failure in each.failures:
        error = _add_error(add_test(suite, failure.label), failure.kind, failure.problem)
        error.text = xml_safe(failure.details)
    more = each.errors - len(each.failures)
    if more:
        name = say(MORE_ERRORS, lang, errors=count_of(ERROR_COUNT, more, lang))
        _add_error(add_test(suite, name), "error", name)
    for scorer in each.scorers:
        if scorer.is_below:  # the mean is too low, even if no case fails
            test = add_test(suite, f"{scorer.name} {required_text(scorer)}")
            message = xml_safe(below_text(scorer, lang))
            SubElement(test, "failure", type="fail_under", message=message)
    _add_incomplete(suite, each, lang)
    add_noted(suite, each.skipped, "skipped", LEFT_OUT, lang)
    add_unread(suite, each.results.unread, lang)
    return suite


def _add_incomplete(suite: Element, each: EvaluationResults, lang: Language) -> None:
    """Add what makes the numbers incomplete: questions that were not asked, and broken scorers."""
    if each.not_run:
        name = say(INTERRUPTED, lang, count=each.not_run)
        _add_error(add_test(suite, name), "interrupted", name)
    for scorer in each.scorers:
        if scorer.broken.count:
            message = f"{scorer.name}: {'; '.join(scorer.broken.names)}"
            _add_error(add_test(suite, scorer.name), "broken", message)


def _add_junit_case(
    suite: Element, each: EvaluationResults, result: Result, lang: Language
) -> None:
    test = add_test(suite, result.label)
    values, score = result.values, result.score
    add_properties(test, [(found.name, found.value, found.reason) for found in values])
    if result.passed is None and score is None:
        SubElement(test, "skipped", message=say(NOT_SCORED, lang))
    if result.passed is not False:
        return
    # Build servers group failures by type, and forbidden calls are a type of their own.
    kind = "forbidden" if score is not None and score.forbidden else "score"
    bar = each.results.settings.pass_mark
    low = low_scorers(values, bar)
    words = [f"{found.name} {number_text(found.value, border=bar)}" for found in low]
    if score is not None and score.first_wrong_turn is not None:
        words.append(first_wrong_text(score, lang))
    message = ", ".join(words)
    failure = SubElement(test, "failure", type=kind, message=xml_safe(message or kind))
    reasons = [f"{found.name}: {found.reason}" for found in low if found.reason]
    if score is not None:
        calls = [score_text(score, lang=lang, is_failed=True)]
    else:
        calls = [call_text(call, limit=CALL_WIDTH) for call in result.case.actual or ()]
    failure.text = xml_safe("\n".join([*reasons, *(calls or [say(NO_CALLS, lang)])]))
