"""Where those who expect something at the same place do not agree, nothing is rewritten."""

from __future__ import annotations

import pytest

from callscore.rewriting.applying import CorrectExpectation, VariantChange, find_conflicts
from callscore.rewriting.change import Change
from callscore.rewriting.observed import location_key


def _wish(made: str, variant: str | None = None, case: str = "a") -> VariantChange:
    change = Change(label="x", files=("f.yaml",), case=case, items=({"name": made},))
    return VariantChange(change, variant)


def _content(variant: str | None = None, case: str = "a") -> CorrectExpectation:
    return CorrectExpectation(location_key(_wish("", case=case).change), variant)


@pytest.mark.parametrize(
    ("wishes", "content", "problems"),
    [
        ([_wish("g"), _wish("g")], [], []),
        ([_wish("g"), _wish("h", case="b")], [_content(case="c")], []),
        ([_wish("g"), _wish("h")], [], ["what is called there differs from time to time."] * 2),
        ([_wish("g", "z"), _wish("h", "y")], [], ["the variants y and z differ."] * 2),
        ([_wish("g")], [_content()], ["what is expected there is right at other times."]),
        ([_wish("g", "z")], [_content("y")], ["what is expected there is right for the variant y."]),
        (
            [_wish("g", "z")],
            [_content("y"), _content("x")],
            ["what is expected there is right for the variants x and y."],
        ),
        (
            [_wish("g", "z")],
            [_content("z"), _content("y")],
            ["what is expected there is right at other times."],
        ),
    ],
)  # fmt: skip
def test_changes_are_refused_where_somebody_else_would_be_wrong(
    wishes: list[VariantChange], content: list[CorrectExpectation], problems: list[str]
) -> None:
    assert [each.problem for each in find_conflicts(wishes, content)] == problems
