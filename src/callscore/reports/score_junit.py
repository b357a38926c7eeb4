"""The report of scored cases in JUnit XML, as a whole or case by case."""

from __future__ import annotations

from typing import TYPE_CHECKING
from xml.etree.ElementTree import Element, SubElement

from callscore.reports import score as wording
from callscore.reports.case_by_case import CaseFormat, ShownCases
from callscore.reports.formatting import (
    add_noted,
    add_properties,
    add_property,
    add_unread,
    document_text,
    xml_safe,
)
from callscore.words.diff import score_text
from callscore.words.value_text import NOT_SCORED, summary_line

if TYPE_CHECKING:
    from callscore.core.phrases import Language
    from callscore.core.results import Result, Results

_SUITE = "callscore"
# Stands for the cases in a document without any: line breaks in names are escaped.
_PLACE = "cases"
_NO_CASES = f"\n    <{_PLACE} />"


def write_junit(results: Results, *, lang: Language = "en") -> str:
    """One test per shown case; a case that was not run or not read is an error."""
    cases = [_case(case, results.title or case.label, lang) for case in results.cases]
    failing = sum(not case.required_score.passed for case in results.cases)
    before, after = _around(results, ShownCases(len(cases), failing), lang)
    return "".join([before, *cases, after])


def _around(results: Results, shown: ShownCases, lang: Language) -> tuple[str, str]:
    suite = Element("testsuite", name=_SUITE)
    properties = add_properties(
        suite, [(metric.name, metric.mean, None) for metric in results.metrics]
    )
    for metric in results.metrics:
        if metric.version:
            add_property(properties, f"{metric.name}: version", metric.version)
    if shown.count:
        SubElement(suite, _PLACE)
    add_noted(suite, results.not_run, "error", wording.NOT_RUN, lang)
    add_noted(suite, results.skipped, "error", wording.SKIPPED, lang)
    add_noted(suite, results.stopped, "error", wording.STOPPED, lang)
    add_noted(suite, results.not_scored, "skipped", NOT_SCORED, lang)
    add_unread(suite, results.unread, lang)
    root = Element("testsuites", name=_SUITE)
    root.append(suite)
    text = document_text(root, others=shown.count, failed=shown.failing)
    before, _, after = text.partition(_NO_CASES)
    return before, after


# A document of elements takes ten times as long as the text of a case, which has few forms.
def _case(case: Result, title: str, lang: Language) -> str:
    """A case as an element on its own lines."""
    inside = _properties(case)
    score = case.required_score
    if not score.passed:
        # Build servers group failures by type, and forbidden calls are a type of their own.
        kind = "forbidden" if score.forbidden else "score"
        message = xml_safe(summary_line(score, lang=lang))
        text = xml_safe(score_text(score, lang=lang))
        inside += f'\n      <failure type="{kind}" message="{_attribute(message)}">{_text(text)}</failure>'
    start = f'\n    <testcase classname="{_SUITE}" name="{_attribute(xml_safe(title))}"'
    return f"{start}>{inside}\n    </testcase>" if inside else f"{start} />"


def _properties(case: Result) -> str:
    """The values of the metrics, if there are any."""
    if not case.values:
        return ""
    suite = Element("")
    add_properties(suite, [(found.name, found.value, found.reason) for found in case.values])
    lines = [
        f'\n        <property name="{_attribute(found.get("name", ""))}"'
        f' value="{_attribute(found.get("value", ""))}" />'
        for found in suite.iter("property")
    ]
    return f"\n      <properties>{''.join(lines)}\n      </properties>"


def _text(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _attribute(text: str) -> str:
    """A text between quotes; of the control characters only line breaks are not escaped yet."""
    return _text(text).replace('"', "&quot;").replace("\n", "&#10;")


def _written_case(case: Result, lang: Language) -> bytes:
    return _case(case, case.label, lang).encode()


CASE_FORMAT = CaseFormat(_written_case, _around)
