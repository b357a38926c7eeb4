"""However the expectation of `assert_calls` is laid out, it is updated, and nothing else changes."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from callscore.rewriting.applying import rewrite
from callscore.testing.current_test import RunningTest, Updates, running_as

HEAD = '''\
"""Évaluations."""
import callscore.testing as ct
from callscore import ToolCall, expect
from callscore.expect import any_order, one_of, times
from callscore.testing import assert_calls, call


def test_x():
    """An assertion: [call("book"), (call("get_weather", city="Paris"),)]"""
    '''
TAIL = """  # the expected calls: [call(

    assert_calls([call("other")], [{"name": "other", "arguments": {}}])
"""
# Each is a call of `get_weather` with "Paris".
WEATHER = (
    'call("get_weather", city="Paris")',
    '(call("get_weather", city="Paris"))',
    'call("get_weather", city="Paris", days=expect.optional(3))',
    'call("get_weather", city=("Par"\n        "is"))',
    'call("get_weather", {"city": "Paris"})',
    'expect.call("get_weather", **{"city": "Paris"})',
    'ToolCall("get_weather", {"city": "Paris"})',
    'ToolCall(name="get_weather", arguments={"city": "Paris"})',
    '{"name": "get_weather", "arguments": {"city": "Paris"}}',
    "{'tool': 'get_weather', 'args': {'city': 'Paris'},}",
    '("get_weather", {"city": "Paris"})',
    '["get_weather", {"city": "Paris"}]',
    'times(call("get_weather", city="Paris"), 1)',
    'any_order(call("get_weather", city="Paris"), call("book"))',
    '{"any_order": [{"name": "get_weather", "arguments": {"city": "Paris"}}, "book"]}',
    'any_order(one_of(call("get_weather", city="Paris"), call("find")), call("book"))',
)
OTHERS = ('call("book")', '"book"', '{"name": "book"}', 'call("book", hotel=expect.any())')
# The calls of an agent that was asked about Rome.
ROME = {"name": "get_weather", "arguments": {"city": "Rome"}}
BARE = {"name": "get_weather", "arguments": {}}
MORE = {"name": "get_weather", "arguments": {"city": "Paris", "unit": "é"}}
BOOK = {"name": "book", "arguments": {"hotel": "Ritz"}}
PAY = {"name": "pay", "arguments": {"sum": 3.5, "to": ["a", {"b": None}]}}
# Where a list stands, `{0}`, and its items below one another, `{1}`, or with comments, `{2}`.
LISTS = (
    "[{0}]",
    "[{0},]",
    "[ {0} ]",
    "([{0}])",
    "({0},)",
    "[\n        {1},\n    ]",
    "[\n        {1}\n    ]",
    "[{1}]",
    "(\n        {1},\n    )",
    "[  # why\n        {2}\n    ]",
)
STATEMENTS = (
    "assert_calls({expected}, ACTUAL)",
    "assert_calls(expected={expected}, actual=ACTUAL)",
    "assert_calls(actual=ACTUAL, expected={expected})",
    "assert_calls(\n        {expected},\n        ACTUAL,\n    )",
    "score = ct.assert_calls({expected}, ACTUAL); assert score is not None",
    'é = "é"; assert assert_calls({expected}, ACTUAL, mode="strict")',
    'assert_calls([call("other")], [("other", {{}})]); assert_calls({expected}, ACTUAL)',
    "if True: assert_calls({expected}, ACTUAL)",
)


def _run(path: Path, actual: Any, updates: Updates | None) -> None:
    names: dict[str, Any] = {"ACTUAL": actual}
    exec(compile(path.read_text(), path, "exec"), names)  # noqa: S102  (made here)
    with running_as(RunningTest("test_x", {}, updates)):
        names["test_x"]()


def _updated(before: str, expected: str, after: str, actual: Any) -> str:
    """The text of the expectation after an update, with which the test passes."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "test_x.py"
        path.write_text(before + expected + after)
        updates = Updates(Path(folder))
        _run(path, actual, updates)
        rewrite(updates.changes, Path(folder))

        _run(path, actual, None)

        text = path.read_text()
    assert text.startswith(before)
    assert text.endswith(after)
    return text[len(before) : len(text) - len(after)]


def _laid_out(items: list[str], layout: str) -> str:
    below = ",\n        ".join(items)
    commented = "\n        ".join(f"{item},  # of {at}: [(" for at, item in enumerate(items))
    return layout.replace("{0}", ", ".join(items)).replace("{1}", below).replace("{2}", commented)


@given(
    weather=st.sampled_from(WEATHER),
    others=st.lists(st.sampled_from(OTHERS), max_size=2),
    called=st.sampled_from((ROME, BARE, MORE)),
    added=st.lists(st.sampled_from((PAY, BOOK)), max_size=2),
    is_after=st.booleans(),
    layout=st.sampled_from(LISTS),
    statement=st.sampled_from(STATEMENTS),
)
def test_every_layout_is_updated_and_nothing_else_changes(  # noqa: PLR0913  (one for each choice)
    *,
    weather: str,
    others: list[str],
    called: dict[str, Any],
    added: list[dict[str, Any]],
    is_after: bool,
    layout: str,
    statement: str,
) -> None:
    books = [BOOK] * (len(others) + ("book" in weather))
    actual = [*([] if is_after else added), called, *books, *(added if is_after else [])]
    before, _, after = statement.replace("{{}}", "{}").partition("{expected}")

    _updated(HEAD + before, _laid_out([weather, *others], layout), after + TAIL, actual)


@pytest.mark.parametrize(
    ("expected", "actual", "new"),
    [
        (
            '[call("get_weather", city="Paris"), call("book")]',
            [ROME],
            '[call("get_weather", city="Rome")]',
        ),
        ('(call("book"), call("f"))', [BOOK], '(call("book"),)'),
        ('call("get_weather", city="Paris")', [ROME], 'call("get_weather", city="Rome")'),
        (
            'call("get_weather", city="Paris")',
            [ROME, BOOK],
            '[call("get_weather", city="Rome"), call("book", hotel="Ritz")]',
        ),
        ('[times(call("get_weather", city="Paris"), 1)]', [BARE], None),
        ("()", [ROME], '(call("get_weather", city="Rome"),)'),
        ("None", [], "None"),
        (
            '[\n        (call("f")),  # f\n        (call("book")),  # book\n    ]',
            [BOOK],
            '[\n        (call("book")),  # book\n    ]',
        ),
    ],
)
def test_an_expectation_keeps_its_form(expected: str, actual: Any, new: str | None) -> None:
    new = new or '[times(call("get_weather", {}), 1)]'

    assert _updated(f"{HEAD}assert_calls(", expected, f", ACTUAL){TAIL}", actual) == new


@pytest.mark.parametrize(
    "expected",
    ["EXPECTED", "[*EXPECTED]", "list(EXPECTED)", "EXPECTED + []", "[x for x in EXPECTED]"],
)
def test_an_expectation_that_is_computed_is_refused_with_that_reason(
    expected: str, tmp_path: Path
) -> None:
    path = tmp_path / "test_x.py"
    path.write_text(
        f'{HEAD}EXPECTED = [call("get_weather", city="Paris")]\n'
        f"    assert_calls({expected}, ACTUAL){TAIL}"
    )

    with pytest.raises(AssertionError, match="line 11: the expected calls are not written out"):
        _run(path, [ROME], Updates(tmp_path))
