"""Which cases of a Python file an evaluation asks."""

from __future__ import annotations

import ast

import pytest

from callscore.rewriting.change import CannotRewrite, Change
from callscore.rewriting.python_cases import find_expectations

EXPECTED = [{"name": "f"}]
CASE = 'Case("hi", expected=["f"])'


def _lines(program: str, line: int = 0) -> list[int]:
    change = Change(label="x", files=(), case="hi", input="hi", expected=EXPECTED, line=line)
    return [each.expression.lineno for each in find_expectations(ast.parse(program), change)]


@pytest.mark.parametrize(
    ("program", "lines"),
    [
        (CASE, [1]),
        ("cs." + CASE, [1]),
        ('{"input": "hi", "expected": ["f"]}', [1]),
        ('Case(input="hi", id="hi", expected=["f"])', [1]),
        ('Case("hi", id=made(), expected=["f"])', [1]),
        ('Case(made(), id="hi", expected=["f"])', [1]),
        ('Case(made(), expected=["f"])', []),
        ('Case(made(), id=made(), expected=["f"])', []),
        ('Case("hi", id="ho", expected=["f"])', []),
        ('Case("ho", expected=["f"])', []),
        ('Case("hi", expected=["g"])', []),
        ('Case("hi")', []),
        ('made("hi", expected=["f"])', []),
        ("{**x, 1: 2}", []),
    ],
)
def test_a_case_is_known_by_what_it_asks_and_expects(program: str, lines: list[int]) -> None:
    assert _lines(program) == lines


@pytest.mark.parametrize(
    ("program", "line", "lines"),
    [
        (f"a = evaluation(cases=[{CASE}])(task)\nb = evaluation(cases=[{CASE}])(task)", 2, [2]),
        (f"A = [{CASE}]\nB = [*A]\nevaluation(cases=B)", 3, [1]),
        (f"A = []\nfor x in y:\n    A.append({CASE})\nevaluation(cases=A)", 4, [3]),
        (f"A = [None]\nA[0] = {CASE}\nevaluation(cases=A)", 3, [2]),
        (f"class A:\n    B = [{CASE}]\nevaluation(cases=A.B)", 3, [2]),
        (f"evaluation(cases=B)\nA = [{CASE}]", 1, []),
        (f"def wrapped(x):\n    return evaluation(cases=x)\nwrapped([{CASE}])", 2, []),
        (f"made()\nevaluation(cases=[{CASE}])\nA = {CASE}", 1, [3]),
    ],
)
def test_only_cases_count_that_the_evaluation_can_ask(
    program: str, line: int, lines: list[int]
) -> None:
    assert _lines(program, line) == lines


@pytest.mark.parametrize(
    ("expected", "why"), [("made()", "line 1: what is expected is not a list"), ("[x]", "not what")]
)
def test_what_is_computed_is_not_sure(expected: str, why: str) -> None:
    with pytest.raises(CannotRewrite, match=why):
        _lines(f'Case("hi", expected={expected})')
    assert _lines(f'Case("hi", expected={expected})\n{CASE}') == [2]
