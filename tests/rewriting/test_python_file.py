"""Python is rewritten by its syntax: a case, an assertion, a marker, and nothing else."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

import pytest
from tests.rewriting.texts import LONDON, PARIS, rewritten

from callscore import expect
from callscore.rewriting.change import CannotRewrite, Change
from callscore.rewriting.python_cases import Names, names_at
from callscore.rewriting.python_file import (
    CallStyle,
    call_style_of,
    find_call_arguments,
    literal_text,
    places_in_python,
    python_call_text,
)

if TYPE_CHECKING:
    from pathlib import Path

CASES = '''\
"""Évaluations."""
from callscore import Case, evaluation, expect


@evaluation(
    cases=[
        Case("é", expected=[expect.call("getWeather", location="Paris")]),
        Case(
            "hi",
            id="a",
            expected=[
                expect.call("getWeather", location="Paris"),  # here
                # second
                expect.call("calc", a=1, b=expect.approx(2)),  # keep me
            ],
        ),
        {"input": "d", "expected": [{"tool": "f", "args": {"x": 1}}]},
        Case("Hi!", expected=[]),
    ],
)
def x(case): ...
'''
NEW = {"name": "new", "arguments": {}}
CALLS = '[{"name": "f", "arguments": {"x": 1}}]'
F = [expect.call("f", x=1)]


def test_what_is_wrong_is_replaced_and_all_else_stays(tmp_path: Path) -> None:
    text, refusal = rewritten(tmp_path / "eval_x.py", CASES, PARIS, LONDON)

    assert not refusal
    old = 'location="Paris"),  # here'
    assert text == CASES.replace(old, old.replace("Paris", "London"))


def test_a_call_more_stands_behind_the_others_and_their_comments(tmp_path: Path) -> None:
    text, _ = rewritten(tmp_path / "eval_x.py", CASES, PARIS, [*LONDON, NEW])

    assert (
        "b=expect.approx(2)),  # keep me\n"
        '                expect.call("new", {}),\n'
        "            ],\n" in text
    )


def test_a_call_less_takes_its_comment_along(tmp_path: Path) -> None:
    text, _ = rewritten(tmp_path / "eval_x.py", CASES, PARIS, LONDON[1:])

    assert "# here" not in text
    assert 'expected=[\n                # second\n                expect.call("calc"' in text


def test_a_case_without_an_id_is_found_by_what_is_asked(tmp_path: Path) -> None:
    text, refusal = rewritten(
        tmp_path / "eval_x.py", CASES, PARIS[:1], LONDON[:1], case="e", input="é"
    )

    assert not refusal
    old = 'Case("é", expected=[expect.call("getWeather", location="Paris")])'
    assert text == CASES.replace(old, old.replace("Paris", "London"))


def test_an_object_is_a_case_too_and_spells_rules_as_files_do(tmp_path: Path) -> None:
    actual = [{"name": "f", "arguments": {"$x": 1}}]

    text, refusal = rewritten(tmp_path / "eval_x.py", CASES, F, actual, case="d", input="d")

    assert not refusal
    assert '{"input": "d", "expected": [{"tool": "f", "args": {"$literal": {"$x": 1}}}]}' in text


def test_in_a_case_that_python_holds_nothing_is_a_rule(tmp_path: Path) -> None:
    actual = [{"name": "f", "arguments": {"$x": 1}}]

    text, _ = rewritten(tmp_path / "eval_x.py", CASES, [], actual, case="hi-2", input="Hi!")

    assert 'Case("Hi!", expected=[expect.call("f", {"$x": 1})])' in text


def test_a_list_that_is_too_long_for_a_line_has_several(tmp_path: Path) -> None:
    text, _ = rewritten(
        tmp_path / "eval_x.py", CASES, [], [*LONDON, *LONDON], case="hi-2", input="Hi!"
    )

    assert (
        '        Case("Hi!", expected=[\n'
        '            expect.call("getWeather", location="London"),\n'
        '            expect.call("calc", a=1, b=2.0),\n'
        '            expect.call("getWeather", location="London"),\n'
        '            expect.call("calc", a=1, b=2.0),\n'
        "        ]),\n" in text
    )


ASSERTION = """\
from callscore.testing import assert_calls, call

def test_é():
    x = "é", assert_calls([call("f", x=1)], [("f", {"x": 2})])
    assert_calls(expected=[call("f", x=1)], actual=[])
"""


@pytest.mark.parametrize("line", [4, 5])
def test_an_assertion_is_found_by_where_it_stands(line: int, tmp_path: Path) -> None:
    lines = ASSERTION.splitlines()
    end = (line, len(lines[line - 1].encode()))

    text, refusal = rewritten(
        tmp_path / "test_x.py", ASSERTION, F, [NEW], kind="call", line=line, end=end
    )

    assert not refusal
    lines[line - 1] = lines[line - 1].replace('call("f", x=1)', 'call("new", {})')
    assert text.splitlines() == lines


MARKED = """\
import pytest

class TestX:
    @pytest.fixture
    @pytest.mark.callscore(expected=[{"name": "f", "arguments": {"x": 1}}], mode="strict")
    async def test_x(self):
        return 1

    def test_y(self): ...
"""


def test_a_marker_is_found_by_its_test(tmp_path: Path) -> None:
    text, refusal = rewritten(tmp_path / "test_x.py", MARKED, F, [NEW], kind="marker", line=4)

    assert not refusal
    assert text == MARKED.replace('"f", "arguments": {"x": 1}', '"new", "arguments": {}')


@pytest.mark.parametrize(
    ("case", "why"),
    [
        ('Case("hi", expected=SHARED)', "line 1: the expected calls are not written out"),
        (
            'Case("hi", expected=[*SHARED])',
            "line 1: the expected calls are not written out",
        ),
        ('Case("hi", expected=[a, b])', "the expected calls are not written out"),
        (f'Case("hi", expected={CALLS}), Case("hi", expected={CALLS})', "several cases are alike"),
        (f'Case("hi", id="a", expected={CALLS}),' * 2, "several cases have the id a: x.py:1, x.py"),
        ('Case("hi", expected=[{"name": "g"}])', "the expected calls were not found"),
        (f"Case(q, expected={CALLS})", "the expected calls were not found"),
        ('Case(f"h{i}", expected=[f])', "the expected calls were not found"),
        ('Case("hi", id="z", expected=[f])', "the expected calls were not found"),
        ('Case("hi")', "the expected calls were not found"),
        ('Case("hi"', "the file cannot be parsed"),
    ],
)
def test_what_is_not_sure_is_refused(case: str, why: str, tmp_path: Path) -> None:
    text, refusal = rewritten(tmp_path / "x.py", case, F, [NEW])

    assert why in refusal
    assert text == case


def test_a_computed_question_is_found_by_the_id(tmp_path: Path) -> None:
    case = 'Case(f"h{i}", id="a", expected=[{"name": "f"}])\n'

    text, refusal = rewritten(tmp_path / "x.py", case, [expect.call("f")], [NEW])

    assert not refusal
    assert text == 'Case(f"h{i}", id="a", expected=[{"name": "new", "arguments": {}}])\n'


def test_none_becomes_a_list(tmp_path: Path) -> None:
    text, refusal = rewritten(tmp_path / "x.py", 'Case("hi", expected=None)\n', [], [NEW])

    assert not refusal
    assert ast.literal_eval(text.partition("expected=")[2].rstrip(")\n")) == [NEW]


TWO = """\
@evaluation(
    cases=[Case("hi", expected=[{"name": "f", "arguments": {"x": 1}}])],
)
def first(case): ...

@evaluation(cases=[Case("hi", expected=[{"name": "f", "arguments": {"x": 1}}])])
async def second(case): ...
"""


def test_of_cases_that_look_alike_the_one_of_the_evaluation_is_meant(tmp_path: Path) -> None:
    first, _ = rewritten(tmp_path / "x.py", TWO, F, [], case="hi", line=1)
    second, _ = rewritten(tmp_path / "x.py", TWO, F, [], case="hi", line=6)
    none, refusal = rewritten(tmp_path / "x.py", TWO, F, [], case="hi")

    call = '[{"name": "f", "arguments": {"x": 1}}]'
    assert first == TWO.replace(call, "[]", 1)
    assert second == "[]".join(TWO.rsplit(call, 1))
    assert none == TWO
    assert "several cases are alike: x.py:2, x.py:6" in refusal


OTHERS = f"""\
from elsewhere import SHARED
CASES = [Case("hi", expected={CALLS})]
UNUSED = [Case("hi", expected={CALLS})]
CASES.append(Case("more", expected={CALLS}))

def made():
    return [Case("made", expected={CALLS})]

@evaluation(cases=SHARED)
def first(case): ...

@evaluation(cases=CASES + made())
def second(case): ...

@evaluation(cases=[Case("hi", expected={CALLS})])
def third(case): ...
"""


@pytest.mark.parametrize(
    ("asked", "line", "written"),
    [
        ("hi", 9, 0),
        ("hi", 12, 2),
        ("more", 12, 4),
        ("made", 12, 7),
        ("hi", 15, 15),
        ("made", 15, 0),
    ],
)
def test_only_what_an_evaluation_asks_is_rewritten(
    asked: str, line: int, written: int, tmp_path: Path
) -> None:
    text, refusal = rewritten(tmp_path / "x.py", OTHERS, F, [], case=asked, input=asked, line=line)

    lines = zip(OTHERS.splitlines(), text.splitlines(), strict=True)
    changed = [number for number, (old, new) in enumerate(lines, 1) if old != new]
    assert changed == ([written] if written else [])
    assert bool(refusal) == (not written)


def test_what_a_case_expects_may_have_rules_and_constants_in_it(tmp_path: Path) -> None:
    program = """\
from callscore import Case
from callscore.expect import any_order, call as C, gt

LEAST = -1
Case("hi", expected=[C("f", x=gt(LEAST)), any_order(C("g"), "h")])
"""
    expected = [
        expect.call("f", x=expect.gt(-1)),
        expect.any_order(expect.call("g"), expect.call("h")),
    ]
    actual = [{"name": "f", "arguments": {"x": -2}}, "h", "g"]

    text, refusal = rewritten(tmp_path / "x.py", program, expected, actual)
    _, other = rewritten(tmp_path / "x.py", program.replace("-1", "-3"), expected, actual)

    assert not refusal
    assert text == program.replace("gt(LEAST)", "-2")
    assert "the expected calls were not found" in other


def test_calls_that_python_makes_take_keys_literally_wherever_they_stand(tmp_path: Path) -> None:
    program = """\
from callscore import expect
{"input": "hi", "expected": [expect.call("f", x=1)]}
"""

    text, refusal = rewritten(
        tmp_path / "x.py", program, F, [{"name": "f", "arguments": {"$x": 1}}]
    )

    assert not refusal
    assert text == program.replace("x=1", '{"$x": 1}')


def test_what_would_be_read_in_another_way_is_refused(tmp_path: Path) -> None:
    program = """\
from callscore import ToolCall
{"input": "hi", "expected": [ToolCall("f", {"x": 1}), {"name": "g", "arguments": {}}]}
"""
    expected = [*F, expect.call("g", {})]
    actual = [{"name": "f", "arguments": {"x": 1}}, {"name": "g", "arguments": {"$x": 1}}]

    text, refusal = rewritten(tmp_path / "x.py", program, expected, actual)

    assert "x.py: line 2: the updated calls would be read differently." in refusal
    assert text == program


SCOPES = """\
from typing import TYPE_CHECKING
from callscore.testing import assert_calls as check

if TYPE_CHECKING:
    from callscore import expect

def test_a():
    from callscore.testing import call
    check([], ["x"]).f1.hex()

def test_b():
    check([], ["x"])
"""


@pytest.mark.parametrize(("line", "new"), [(9, 'call("new", {})'), (12, "")])
def test_what_is_imported_elsewhere_is_not_used(line: int, new: str, tmp_path: Path) -> None:
    text, refusal = rewritten(
        tmp_path / "x.py", SCOPES, [], [NEW], kind="call", line=line, end=(line, 20)
    )

    assert not refusal
    assert text.splitlines()[line - 1].startswith(
        f'    check([{new or repr(NEW).replace(chr(39), chr(34))}], ["x"])'
    )


def test_a_marker_on_a_class_is_found_and_the_nearest_is_meant(tmp_path: Path) -> None:
    program = """\
@pytest.mark.callscore(expected=[{"name": "f", "arguments": {"x": 1}}])
class TestX:
    @pytest.mark.callscore(mode="strict")
    def test_a(self): ...

    @pytest.mark.callscore(expected=[{"name": "top"}])
    @pytest.mark.callscore(expected=[{"name": "f", "arguments": {"x": 1}}])
    def test_b(self): ...
"""

    lines = program.splitlines()
    for test, marker in ((3, 1), (6, 7)):
        text, refusal = rewritten(tmp_path / "x.py", program, F, [], kind="marker", line=test)

        assert not refusal
        changed = [new for old, new in zip(lines, text.splitlines(), strict=True) if old != new]
        assert changed == [lines[marker - 1].replace(CALLS, "[]")]
    _, refusal = rewritten(
        tmp_path / "x.py", program, [expect.call("z")], [], kind="marker", line=6
    )
    assert "the expected calls were not found" in refusal


def test_a_file_that_would_not_compile_is_not_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("callscore.rewriting.python_file._is_keyword", lambda _: True)
    program = 'Case("hi", expected=[call("f", x=1)])\nfrom callscore.testing import call\n'
    program = "\n".join(reversed(program.splitlines()))

    text, refusal = rewritten(
        tmp_path / "x.py", program, F, [{"name": "f", "arguments": {"x": 1, "__debug__": 1}}]
    )

    assert "the update would change more than the expected calls" in refusal
    assert text == program


@pytest.mark.parametrize(
    ("head", "tail"),
    [
        ("with pytest.raises(AssertionError):", ""),
        ("with suppress(AssertionError):", ""),
        ("try:", "except AssertionError:\n    pass\n"),
    ],
)
def test_an_error_that_a_test_catches_itself_may_be_wanted(head: str, tail: str) -> None:
    line = '    assert_calls([call("a")], made)'
    text = f"{head}\n{line}\n{tail}"
    change = Change(label="test_a", files=(), kind="call", line=2, end=(2, len(line)))

    with pytest.raises(CannotRewrite, match="the test catches the error of this assertion"):
        places_in_python(text, change)


# Where the arguments of calls stand in Python.

NAMES = Names({"expect": "callscore.expect", "ToolCall": "callscore.ToolCall"}, {})


def _span(node: ast.expr | ast.keyword) -> tuple[int, int]:
    return node.col_offset, node.end_col_offset or 0


@pytest.mark.parametrize(
    ("text", "way", "arguments"),
    [
        ('expect.call("f", x=1, y=2)', [], ["x", "y"]),
        ('expect.call("f", {"x": 1})', [], ["x"]),
        ('ToolCall("f", {"x": {"y": [1]}})', [], ["x"]),
        ('("f", {"x": 1})', [], ["x"]),
        ('{"name": "f", "args": {"x": 1}}', [], ["x"]),
        ('expect.times(expect.call("f", x=1), 2)', [], ["x"]),
        ('expect.any_order("g", expect.call("f", x=1))', [1], ["x"]),
        ('{"one_of": ["g", {"name": "f", "arguments": {"x": 1}}]}', [1], ["x"]),
        ('{"optional": {"name": "f", "arguments": {"x": 1}}}', [0], ["x"]),
    ],
)
def test_arguments_are_found(text: str, way: list[int], arguments: list[str]) -> None:
    given = find_call_arguments(ast.parse(text, mode="eval").body, way, NAMES, _span)

    assert list(given.node.members or ()) == arguments
    assert given.has_keywords == ("x=1" in text)


@pytest.mark.parametrize(
    ("text", "way"),
    [
        ("CALL", []),
        ('expect.call("f", **more)', []),
        ('expect.call("f", MORE)', []),
        ('expect.call("f", {"x": 1}, y=2)', []),
        ("expect.any_order(*CALLS)", [0]),
        ("make(1)", [0]),
    ],
)
def test_what_is_not_written_out_is_refused(text: str, way: list[int]) -> None:
    with pytest.raises(CannotRewrite):
        find_call_arguments(ast.parse(text, mode="eval").body, way, NAMES, _span)


# Calls as Python writes them.


def _elements(text: str) -> list[ast.expr]:
    expression = ast.parse(text, mode="eval").body
    return expression.elts if isinstance(expression, ast.List) else []


@pytest.mark.parametrize(
    ("program", "elements", "spelling"),
    [
        ("from callscore import expect", '[expect.call("f")]', CallStyle("expect.call")),
        ("from callscore.testing import call as C", '[C("f")]', CallStyle("C")),
        ("from callscore import testing", '[testing.call("f")]', CallStyle("testing.call")),
        (
            "from callscore import expect",
            '[{"tool": "f"}, expect.call("f")]',
            CallStyle("expect.call"),
        ),
        ("from elsewhere import call", '[call("f")]', CallStyle()),
        ("", '[make("f"), {"tool": "f", "args": {}}]', CallStyle("", "tool", "args")),
        ("from callscore import expect", '[{"forbid": "f"}]', CallStyle("expect.call")),
        ("", "[{}]", CallStyle()),
        ("", "[]", CallStyle()),
        ("from callscore.testing import assert_calls, call", "[]", CallStyle("call")),
        ("from callscore.expect import call as wanted", "[]", CallStyle("wanted")),
        ("from callscore import expect", "[]", CallStyle("expect.call")),
        ("import callscore as cs", '["f"]', CallStyle("cs.expect.call")),
        ("import os", "[]", CallStyle()),
    ],
)
def test_calls_are_spelled_like_their_neighbours_or_as_the_imports_allow(
    program: str, elements: str, spelling: CallStyle
) -> None:
    names = names_at(ast.parse(program), 2)

    assert call_style_of(_elements(elements), names) == spelling


@pytest.mark.parametrize(
    "arguments",
    [
        {},
        {"a": 1, "name": "x"},
        {"class": 1},
        {"__debug__": 1},
        {"__private": 1},
        {"a b": 1},
        {"args": {"x": 1}},
        {"arguments": {}},
        {"args": 1, "b": None},
        {"naïve": True},
        {"text": 'a"b\\c\nd\u2028\U000e0001', "deep": [[{"x": [1.5, False]}]]},
        {"long": "x" * 90, "longer": ["y" * 60, "z" * 60]},
    ],
)
@pytest.mark.parametrize("spelling", [CallStyle("expect.call"), CallStyle("", "tool", "args")])
def test_what_is_written_is_the_call(arguments: dict[str, Any], spelling: CallStyle) -> None:
    text = python_call_text({"name": "f", "arguments": arguments}, spelling, "        ")

    found = eval(text, {"expect": expect})  # noqa: S307  (our own text)
    wanted = {"tool": "f", "args": arguments}
    assert found == (wanted if not spelling.function else expect.call("f", arguments))


def test_a_call_that_is_too_long_for_a_line_has_a_line_for_each_argument() -> None:
    arguments = {"first": "x" * 60, "second": "y" * 60}

    text = python_call_text({"name": "f", "arguments": arguments}, CallStyle("call"), "  ")

    assert text == (
        f'call(\n      "f",\n      first="{"x" * 60}",\n      second="{"y" * 60}",\n  )'
    )


def test_texts_are_in_double_quotes_and_hide_nothing() -> None:
    assert literal_text("it's \u202e", "") == '"it\'s \\u202e"'


def test_numbers_stand_on_as_few_lines_as_they_fit(subtests: pytest.Subtests) -> None:
    for numbers, lines in (([1] * 20, 1), ([-1.5] * 100, 9), ([True, 2], 1)):
        with subtests.test(numbers=numbers[:1]):
            text = literal_text(numbers, "    ")

            assert ast.literal_eval(text) == numbers
            assert len(text.splitlines()) == lines
            assert max(map(len, text.splitlines())) < 100
