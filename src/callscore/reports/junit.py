"""JUnit XML, which every build server shows: suites, tests, properties and the counts of tests."""

from __future__ import annotations

from typing import TYPE_CHECKING
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from callscore.core.phrases import say
from callscore.core.rendering import escape
from callscore.reports.formatting import MORE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from callscore.core.phrases import Language, Phrase
    from callscore.core.results import Noted

__all__ = ["add_noted", "add_properties", "add_test", "document_text", "xml_safe"]


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
    SubElement(properties, "property", name=xml_safe(name), value=xml_safe(value))


def add_noted(suite: Element, noted: Noted, tag: str, why: Phrase, lang: Language) -> None:
    """Add a test for each thing that was counted and named, and one for those without a name."""
    for name in noted.names:
        SubElement(add_test(suite, name), tag, message=say(why, lang))
    unnamed = noted.count - len(noted.names)
    if unnamed > 0:
        test = add_test(suite, say(MORE, lang, count=unnamed))
        SubElement(test, tag, message=say(why, lang))


def add_test(suite: Element, name: str) -> Element:
    """Add a test to a suite, by whose name it goes, too."""
    return SubElement(suite, "testcase", classname=suite.get("name", ""), name=xml_safe(name))


def xml_safe(text: str) -> str:
    """The text with everything spelled out that XML cannot say, or that hides or turns the rest."""
    return "\n".join(map(escape, text.split("\n")))
