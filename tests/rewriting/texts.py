"""Texts whose expectations are rewritten, and a quick way to do it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from callscore import expect, score
from callscore.rewriting.applying import rewrite
from callscore.rewriting.change import Change
from callscore.rewriting.observed import as_case_data, observe_expectation

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["LONDON", "PARIS", "change", "rewritten"]

PARIS = [
    expect.call("getWeather", location="Paris"),
    expect.call("calc", a=1, b=expect.approx(2)),
]
LONDON = [
    {"name": "getWeather", "arguments": {"location": "London"}},
    {"name": "calc", "arguments": {"a": 1, "b": 2.0}},
]


def change(file: Path, expected: list[Any], actual: list[Any], **about: Any) -> Change:
    """The change of one expectation in one file."""
    observed = observe_expectation(expected, score(expected, actual))
    return Change(
        **{"label": "x", "files": (str(file),), "expected": as_case_data(expected), **about},
        items=observed.items,
        patches=observed.patches,
    )


def rewritten(
    file: Path, text: str, expected: list[Any], actual: list[Any], **about: Any
) -> tuple[str, str]:
    """What a file holds after the change of one expectation, and why it did not change."""
    file.write_text(text, encoding="utf-8")
    about = {"case": "a", "input": "hi", **about}
    _, refused = rewrite([change(file, expected, actual, **about)], file.parent)
    return file.read_text(encoding="utf-8"), "".join(each.problem for each in refused)
