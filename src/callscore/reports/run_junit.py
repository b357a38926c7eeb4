"""What a run gave as JUnit XML: a suite an evaluation, a test a case, errors apart from failures."""

from __future__ import annotations

from typing import TYPE_CHECKING
from xml.etree.ElementTree import Element, SubElement

from callscore.core.call_text import call_text
from callscore.core.diff import diff_lines, plain_text
from callscore.core.results import CaseScore
from callscore.core.wording import count_of, say
from callscore.reports import run_wording as wording
from callscore.reports.junit import add_noted, add_properties, add_test, document_text, legal
from callscore.reports.metric_table import number_text
from callscore.reports.run_tables import threshold_text
from callscore.reports.run_wording import low_scorers

if TYPE_CHECKING:
    from callscore.core.run import CaseValues, EvaluationResults, Failure, RunResults
    from callscore.core.wording import Language

__all__ = ["write"]

_WIDTH = 100


def write(run: RunResults, *, lang: Language = "en") -> str:
    """One test a shown case; what has no answer, and a file that cannot be used, is an error."""
    root = Element("testsuites", name="callscore", time=f"{run.seconds:.3f}")
    for each in run.evaluations:
        root.append(_suite(each, lang))
    if run.unloaded or run.warnings:
        suite = SubElement(root, "testsuite", name="callscore")
        for unloaded in run.unloaded:
            test = add_test(suite, unloaded.place)
            error = SubElement(test, "error", type="unloaded", message=legal(unloaded.problem))
            error.text = legal(unloaded.details)
        if run.warnings:
            SubElement(suite, "system-err").text = legal("\n".join(run.warnings))
    return document_text(root)


def _suite(each: EvaluationResults, lang: Language) -> Element:
    suite = Element("testsuite", name=legal(each.label))
    add_properties(suite, [(scorer.name, scorer.mean, None) for scorer in each.scorers])
    cases: list[CaseScore | CaseValues] = [*each.results.cases, *each.unreferenced]
    for case in cases:
        _add_case(suite, each, case, lang)
    for failure in each.failures:
        _add_error(suite, failure)
    more = each.errors - len(each.failures)
    if more:
        name = say(wording.MORE_ERRORS, lang, errors=count_of(wording.ERROR_COUNT, more, lang))
        SubElement(add_test(suite, name), "error", type="error", message=name)
    for scorer in each.scorers:
        if scorer.is_below:  # it is the mean of all that is not enough, and no case may say so
            test = add_test(suite, f"{scorer.name} ≥ {number_text(scorer.threshold)}")
            message = f"{scorer.name}: {number_text(scorer.mean)} {threshold_text(scorer)}"
            SubElement(test, "failure", type="threshold", message=legal(message))
    _add_troubles(suite, each, lang)
    add_noted(suite, each.skipped, "skipped", wording.LEFT_OUT, lang)
    return suite


def _add_troubles(suite: Element, each: EvaluationResults, lang: Language) -> None:
    """What makes the numbers say less than they seem to: what was not asked, and what is no scorer."""
    unanswered = each.questions - each.answered - each.errors
    if unanswered > 0:
        name = say(wording.INTERRUPTED, lang, count=unanswered)
        SubElement(add_test(suite, name), "error", type="interrupted", message=name)
    for scorer in each.scorers:
        if scorer.broken.count:
            message = f"{scorer.name}: {'; '.join(scorer.broken.names)}"
            SubElement(add_test(suite, scorer.name), "error", type="broken", message=legal(message))


def _add_case(
    suite: Element, each: EvaluationResults, case: CaseScore | CaseValues, lang: Language
) -> None:
    test = add_test(suite, case.label)
    values = case.metrics if isinstance(case, CaseScore) else case.values
    add_properties(test, [(found.name, found.value, found.reason) for found in values])
    if each.passes(case) is not False:
        return
    is_forbidden = isinstance(case, CaseScore) and case.score.forbidden
    # Build servers group failures by their type, and a forbidden call is of its own kind.
    kind = "forbidden" if is_forbidden else "score"
    low = low_scorers(values, each.results.settings.at_least)
    message = ", ".join(f"{found.name} {number_text(found.value)}" for found in low)
    failure = SubElement(test, "failure", type=kind, message=legal(message or kind))
    reasons = [f"{found.name}: {found.reason}" for found in low if found.reason]
    failure.text = legal("\n".join([*reasons, _calls(case, lang)]))


def _calls(case: CaseScore | CaseValues, lang: Language) -> str:
    if isinstance(case, CaseScore):
        return plain_text(diff_lines(case.score, lang=lang))
    lines = [call_text(call, limit=_WIDTH) for call in case.calls]
    return "\n".join(lines or [say(wording.NO_CALLS, lang)])


def _add_error(suite: Element, failure: Failure) -> None:
    test = add_test(suite, failure.label)
    error = SubElement(test, "error", type=failure.kind, message=legal(failure.problem))
    error.text = legal(failure.details)
