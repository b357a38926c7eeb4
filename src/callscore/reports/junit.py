"""JUnit XML, which every build server shows: a case that does not pass is a failed test."""

from __future__ import annotations

from typing import TYPE_CHECKING
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from callscore.core.diff import diff_lines, plain_text
from callscore.core.text import escape
from callscore.core.wording import say, summary_line
from callscore.reports import wording

if TYPE_CHECKING:
    from collections.abc import Sequence

    from callscore.core.results import CaseScore, Noted, Results
    from callscore.core.wording import Language, Phrase

__all__ = ["add_noted", "add_properties", "add_test", "document_text", "legal", "write"]


def write(results: Results, *, lang: Language = "en") -> str:
    """One test a shown case; what was not run or not read is an error."""
    suite = Element("testsuite", name="callscore")
    properties = add_properties(
        suite, [(metric.name, metric.mean, None) for metric in results.metrics]
    )
    for metric in results.metrics:
        if metric.version:
            _add_property(properties, f"{metric.name}: version", metric.version)
    for case in results.cases:
        _add_case(suite, case, lang)
    add_noted(suite, results.not_run, "error", wording.NOT_RUN, lang)
    add_noted(suite, results.skipped, "error", wording.SKIPPED, lang)
    add_noted(suite, results.stopped, "error", wording.STOPPED, lang)
    add_noted(suite, results.not_scored, "skipped", wording.NOT_SCORED, lang)
    root = Element("testsuites", name="callscore")
    root.append(suite)
    return document_text(root)


def document_text(root: Element) -> str:
    """The document, indented, with the counts of tests in every suite."""
    for suite in (root, *root):
        _count_tests(suite)
    indent(root)
    return f'<?xml version="1.0" encoding="utf-8"?>\n{tostring(root, encoding="unicode")}\n'


def _count_tests(element: Element) -> None:
    """Write down how many tests there are in a suite, or in suites, and what became of them."""
    element.set("tests", str(len(element.findall(".//testcase"))))
    for attribute, tag in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
        element.set(attribute, str(len(element.findall(f".//testcase/{tag}"))))


def _add_case(suite: Element, case: CaseScore, lang: Language) -> None:
    test = add_test(suite, case.label)
    add_properties(test, [(found.name, found.value, found.reason) for found in case.metrics])
    if not case.score.passed:
        # Build servers group failures by their type, and a forbidden call is of its own kind.
        kind = "forbidden" if case.score.forbidden else "score"
        message = legal(summary_line(case.score, lang=lang))
        failure = SubElement(test, "failure", type=kind, message=message)
        failure.text = legal(plain_text(diff_lines(case.score, lang=lang)))


def add_properties(
    element: Element, numbers: Sequence[tuple[str, float | None, str | None]]
) -> Element:
    """Add what other tools, or scorers, say: a name, a number, and why there is none."""
    properties = Element("properties")
    if numbers:
        element.append(properties)
    for name, number, why in numbers:
        # Under the name of a metric stand numbers alone: build servers draw them.
        if number is None:
            _add_property(properties, f"{name}: not scorable", why or "")
        else:
            _add_property(properties, name, repr(number))
    return properties


def _add_property(properties: Element, name: str, value: str) -> None:
    SubElement(properties, "property", name=legal(name), value=legal(value))


def add_noted(suite: Element, noted: Noted, tag: str, why: Phrase, lang: Language) -> None:
    """Add a test for each thing that was counted and named, and one for those without a name."""
    for name in noted.names:
        SubElement(add_test(suite, name), tag, message=say(why, lang))
    unnamed = noted.count - len(noted.names)
    if unnamed > 0:
        test = add_test(suite, say(wording.MORE, lang, count=unnamed))
        SubElement(test, tag, message=say(why, lang))


def add_test(suite: Element, name: str) -> Element:
    """Add a test to a suite, by whose name it goes, too."""
    return SubElement(suite, "testcase", classname=suite.get("name", ""), name=legal(name))


def legal(text: str) -> str:
    """The text with everything spelled out that XML cannot say, or that hides or turns the rest."""
    return "\n".join(map(escape, text.split("\n")))
