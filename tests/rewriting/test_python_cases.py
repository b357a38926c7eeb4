"""Which cases of a Python file an evaluation asks."""

from __future__ import annotations

import ast
from typing import Any

import pytest

from callscore import ToolCall, expect
from callscore.rewriting.change import CannotRewrite, Change
from callscore.rewriting.python_cases import (
    NOT_LITERAL,
    find_expectations,
    literal_value,
    names_at,
    qualified_name,
    says_expected,
)

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
    ("expected", "why"),
    [
        ("made()", "line 1: the expected calls are not written out"),
        ("[x]", "the expected calls are not written out"),
    ],
)
def test_what_is_computed_is_not_sure(expected: str, why: str) -> None:
    with pytest.raises(CannotRewrite, match=why):
        _lines(f'Case("hi", expected={expected})')
    assert _lines(f'Case("hi", expected={expected})\n{CASE}') == [2]


# What names mean at a place in a Python file.

PROGRAM = """\
import os.path
import callscore as cs
from callscore import expect, testing as t
from typing import TYPE_CHECKING
from .near import other
LIMIT = 3
BOTH = ALSO = 4
TYPED: int = 5
if TYPE_CHECKING:
    from callscore.testing import call
try:
    from callscore import maybe
except ImportError as error:
    maybe = None
TWICE = 1
TWICE = 2
SHARED = 1
[COUNTED for COUNTED in range(3)]
COUNTED = 1

def inner(given, *rest, expect=None):
    global SHARED
    from callscore.testing import call
    local = lambda os: (
        os
    )

class Inside:
    def method(self): ...

LATER = 1
"""


def _known(line: int) -> tuple[dict[str, str], set[str]]:
    names = names_at(ast.parse(PROGRAM), line)
    return names.paths, set(names.constants)


def test_what_is_imported_and_assigned_for_sure_is_known() -> None:
    paths, constants = _known(27)

    assert paths == {
        "os": "os",
        "cs": "callscore",
        "expect": "callscore.expect",
        "t": "callscore.testing",
        "TYPE_CHECKING": "typing.TYPE_CHECKING",
        "other": ".near.other",
    }
    assert constants == {"LIMIT", "BOTH", "TYPED"}


def test_what_comes_later_is_not_known_yet() -> None:
    assert _known(3)[0].keys() == {"os", "cs"}
    assert "LATER" not in _known(27)[1]


def test_a_function_has_names_of_its_own() -> None:
    paths, constants = _known(25)

    assert paths["call"] == "callscore.testing.call"
    assert not {"expect", "os"} & paths.keys()
    assert "given" not in constants


@pytest.mark.parametrize(
    ("expression", "path"),
    [
        ("expect.call", "callscore.expect.call"),
        ("t.call", "callscore.expect.call"),
        ("cs.expect.gt", "callscore.expect.gt"),
        ("nobody.call", ""),
        ("made().call", ""),
    ],
)
def test_an_expression_names_what_its_parts_do(expression: str, path: str) -> None:
    node = ast.parse(expression, mode="eval").body

    assert qualified_name(node, names_at(ast.parse(PROGRAM), 27)) == path


# What an expression comes to, where that is written out.

PYTHON_VALUES_PROGRAM = (
    "import os\nfrom callscore import ToolCall, expect\nLIMIT = -3\nLOOP = [LOOP]\n"
)


def _value(expression: str) -> Any:
    return literal_value(
        ast.parse(expression, mode="eval").body, names_at(ast.parse(PYTHON_VALUES_PROGRAM), 9)
    )


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("[1, -2.5, None, True, ('a', {'b': 'c' 'd'}), 'e' + 'f']", [1, -2.5, None, True, ("a", {"b": "cd"}), "ef"]),
        ("expect.call('f', x=expect.gt(LIMIT))", expect.call("f", x=expect.gt(-3))),
        ("expect.one_of(expect.call('f'), expect.call('g'))", expect.one_of(expect.call("f"), expect.call("g"))),
        ("ToolCall('f', {'x': 1})", ToolCall("f", {"x": 1})),
    ],
)  # fmt: skip
def test_what_is_written_out_is_its_value(expression: str, value: Any) -> None:
    assert _value(expression) == value


@pytest.mark.parametrize(
    "expression",
    [
        "unknown",
        "[*LIMIT]",
        "{**LIMIT}",
        "-'a'",
        "1 + 2",
        "os.getcwd()",
        "expect.nothing('f')",
        "expect.call(*['f'])",
        "expect.call('f', **{'x': 1})",
        "expect.call(17)",
        "expect.call()",
        "{[]: 1}",
        "LOOP",
    ],
)
def test_nothing_else_is_run(expression: str) -> None:
    assert _value(expression) is NOT_LITERAL


def test_a_value_says_what_is_expected_or_something_else() -> None:
    rule = [{"name": "f", "arguments": {"x": {"$gt": 0}}}]

    assert says_expected(rule, rule, is_spelled=True)
    assert not says_expected(rule, rule, is_spelled=False)
    assert not says_expected([17], rule, is_spelled=True)
