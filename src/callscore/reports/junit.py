"""JUnit XML, which every build server shows: a case that does not pass is a failed test."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from callscore.core.diff import diff_lines, plain_text
from callscore.core.wording import say, summary_line
from callscore.reports import wording

if TYPE_CHECKING:
    from collections.abc import Sequence

    from callscore.core.results import CaseScore, Noted, Results
    from callscore.core.wording import Language, Phrase

__all__ = ["NAME", "write"]

NAME = "junit"

# XML 1.0 has no way to write these characters, not even escaped.
_ILLEGAL = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def write(results: Results, *, lang: Language = "en") -> str:
    """One test a shown case; what was not run or not read is an error."""
    suite = Element("testsuite", name="callscore")
    properties = _add_properties(
        suite, [(metric.name, metric.mean, None) for metric in results.metrics]
    )
    for metric in results.metrics:
        if metric.version:
            _add_property(properties, f"{metric.name}: version", metric.version)
    for case in results.cases:
        _add_case(suite, case, lang)
    _add_noted(suite, results.not_run, "error", wording.NOT_RUN, lang)
    _add_noted(suite, results.skipped, "error", wording.SKIPPED, lang)
    _add_noted(suite, results.stopped, "error", wording.STOPPED, lang)
    _add_noted(suite, results.not_scored, "skipped", wording.NOT_SCORED, lang)
    root = Element("testsuites", name="callscore")
    for element in (root, suite):
        element.set("tests", str(len(suite.findall("testcase"))))
        for attribute, tag in (
            ("failures", "failure"),
            ("errors", "error"),
            ("skipped", "skipped"),
        ):
            element.set(attribute, str(len(suite.findall(f"testcase/{tag}"))))
    root.append(suite)
    indent(root)
    return f'<?xml version="1.0" encoding="utf-8"?>\n{tostring(root, encoding="unicode")}\n'


def _add_case(suite: Element, case: CaseScore, lang: Language) -> None:
    test = _add_test(suite, case.label)
    _add_properties(test, [(found.name, found.value, found.reason) for found in case.metrics])
    if not case.score.passed:
        # Build servers group failures by their type, and a forbidden call is of its own kind.
        kind = "forbidden" if case.score.forbidden else "score"
        message = _legal(summary_line(case.score, lang=lang))
        failure = SubElement(test, "failure", type=kind, message=message)
        failure.text = _legal(plain_text(diff_lines(case.score, lang=lang)))


def _add_properties(
    element: Element, numbers: Sequence[tuple[str, float | None, str | None]]
) -> Element:
    """What other tools say: a name, a number, and why there is none."""
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
    SubElement(properties, "property", name=_legal(name), value=_legal(value))


def _add_noted(suite: Element, noted: Noted, tag: str, why: Phrase, lang: Language) -> None:
    for name in noted.names:
        SubElement(_add_test(suite, name), tag, message=say(why, lang))
    unnamed = noted.count - len(noted.names)
    if unnamed > 0:
        test = _add_test(suite, say(wording.MORE, lang, count=unnamed))
        SubElement(test, tag, message=say(why, lang))


def _add_test(suite: Element, name: str) -> Element:
    return SubElement(suite, "testcase", classname="callscore", name=_legal(name))


def _legal(text: str) -> str:
    return _ILLEGAL.sub("", text)
