"""What a tool was given, however its span has it."""

from __future__ import annotations

from typing import Any

import pytest

from callscore.core.call import NOT_CAPTURED
from callscore.formats.families.tool_executions import ToolInput, read_tool_input

NAMES = {"path": {"type": "string"}, "deep": {"type": "boolean"}}


@pytest.mark.parametrize("given", [{"a": 1}, '{"a": 1}', "", "{broken", "text", [1], 3, '"x"'])
def test_what_is_no_wrapper_is_given_as_it_stands(given: Any) -> None:
    assert read_tool_input(given) == ToolInput(given)


@pytest.mark.parametrize("given", [None, "__REDACTED__"])
def test_what_nobody_wrote_down_is_not_captured(given: Any) -> None:
    assert read_tool_input(given) == ToolInput(None, NOT_CAPTURED)


def test_what_python_has_written_is_read_with_a_warning() -> None:
    found = read_tool_input(" {'city': 'Paris', 'unit': None, 'days': (1, 2)}")

    assert found.arguments == {"city": "Paris", "unit": None, "days": [1, 2]}
    assert found.warning == "python_repr"


@pytest.mark.parametrize(
    "given",
    [
        "{'a': open('x')}",
        "{'a': 1",
        "{1, 2}",
        "{'a': 1j}",
        "{'a': '\\d'}" + "x",
        "{" * 5000,
        "{'a': '" + "x" * 200_000 + "'}",
    ],
    ids=lambda given: given[:10],
)
def test_what_only_looks_like_that_stays_text(given: str) -> None:
    assert read_tool_input(given) == ToolInput(given)


def test_escapes_that_python_will_not_take_for_ever_are_taken() -> None:
    assert read_tool_input(r"{'a': '\d'}").arguments == {"a": r"\d"}


def test_arguments_by_position_get_their_names() -> None:
    given = {"args": ["docs"], "kwargs": {"deep": True}}

    assert read_tool_input(given, NAMES) == ToolInput({"path": "docs", "deep": True})


def test_arguments_without_a_known_name_are_named_by_their_positions() -> None:
    given = '{"args": ["docs", true, 3], "kwargs": {}}'

    assert read_tool_input(given, NAMES).arguments == {"path": "docs", "deep": True, "2": 3}
    assert read_tool_input(given, NAMES).positional
    assert read_tool_input(given).arguments == {"0": "docs", "1": True, "2": 3}


def test_a_tool_that_code_has_called_says_so() -> None:
    def caller(flag: Any) -> str | None:
        given = {"args": None, "kwargs": None, "sanitize_inputs_outputs": flag}
        return read_tool_input(given).caller

    assert caller(False) == "code"
    assert caller(True) is None


def test_an_object_with_other_members_is_no_wrapper() -> None:
    given: Any = {"args": [], "kwargs": {}, "tags": []}

    assert read_tool_input(given) == ToolInput(given)


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("{'a': [True, False, None], 'b': -1.5}", {"a": [True, False, None], "b": -1.5}),
        ("{'a': 'true, None'}", {"a": "true, None"}),
        ("{'a': 1e5}", {"a": 100000.0}),
        ("{'a': 'b' 'c'}", {"a": "bc"}),
        ("{'a': 'it\\'s'}", {"a": "it's"}),
        ("{'a': \"it's\"}", {"a": "it's"}),
    ],
)
def test_what_python_has_written_is_read_as_python_reads_it(given: str, expected: Any) -> None:
    assert read_tool_input(given) == ToolInput(expected, warning="python_repr")


@pytest.mark.parametrize("given", ["{'a': true}", "{'a': b}", "{'a': 'x\ny'}", "{'a': 'b\""])
def test_what_python_would_not_read_stays_text(given: str) -> None:
    assert read_tool_input(given) == ToolInput(given)
