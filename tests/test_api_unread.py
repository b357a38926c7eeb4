"""The functions of the API never return "no calls" silently if something looks like calls."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

import callscore
from callscore import UnreadableInput, UnreadCalls
from callscore.formats.trace import ReadOptions

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

SPOILED: dict[str, Any] = {
    "choices": [{"message": {"role": "assistant", "toolcalls": [{"id": "1", "name": "f"}]}}]
}
READABLE: dict[str, Any] = {
    "choices": [
        {
            "message": {
                "role": "assistant",
                "content": "<tool_call>g",
                "tool_calls": [{"id": "1", "function": {"name": "f", "arguments": "{}"}}],
            }
        }
    ]
}
SIGN = "'toolcalls' at $.choices[0].message looks like a call. Recognized format: openai_chat."

FUNCTIONS: dict[str, Callable[[Any], Any]] = {
    "read_calls": callscore.read_calls,
    "read_calls of a format": lambda given: callscore.read_calls(given, format="openai_chat"),
    "score": lambda given: callscore.score(["f"], given),
    "score of expected calls": lambda given: callscore.score(given, ["f"]),
    "score with tools": lambda given: callscore.score(["f"], given, tools=["f"]),
    "score of the best answer": lambda given: callscore.score(["f"], given, top_k=2),
    "check_calls": callscore.check_calls,
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_warning_points_at_the_line_of_the_caller(name: str) -> None:
    where = {
        "read_calls": "",
        "read_calls of a format": "",
        "score of expected calls": "expected: ",
    }

    with pytest.warns(UnreadCalls) as noted:
        FUNCTIONS[name](SPOILED)

    assert [str(note.message) for note in noted] == [
        f"{where.get(name, 'actual: ')}{SIGN} It was not read."
    ]
    assert noted[0].filename == __file__


@pytest.mark.parametrize("module", ["evals", "callscore_evals"])
def test_a_warning_points_at_a_module_of_any_name(module: str) -> None:
    code = compile("\n\ncallscore.score(['f'], SPOILED)", "evals.py", "exec")

    with pytest.warns(UnreadCalls) as noted:
        exec(code, {"__name__": module, "callscore": callscore, "SPOILED": SPOILED})  # noqa: S102

    assert (noted[0].filename, noted[0].lineno) == ("evals.py", 3)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_there_is_no_warning_if_calls_were_read_or_none_were_made(name: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        FUNCTIONS[name](READABLE)
        FUNCTIONS[name]({"choices": [{"message": {"role": "assistant", "content": "Hi"}}]})


def test_a_filter_makes_the_warning_an_error() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error", UnreadCalls)
        with pytest.raises(UnreadCalls, match=r"\$\.choices\[0\]\.message"):
            callscore.read_calls(SPOILED)


def write(path: Path, *records: Any) -> Path:
    path.write_bytes(msgspec.json.Encoder().encode_lines(records))
    return path


def test_in_a_file_the_warning_names_the_line(tmp_path: Path) -> None:
    file = write(tmp_path / "traces.jsonl", READABLE, SPOILED)

    with pytest.warns(UnreadCalls) as noted:
        calls = callscore.read_calls(file)

    assert [call.name for call in calls] == ["f"]
    assert str(noted[0].message) == f"{file}:2: {SIGN} It was not read."


CASES = [
    {"id": "a", "expected": ["f"], "actual": SPOILED},
    {"id": "b", "expected": ["f"], "actual": READABLE},
]


def test_cases_say_what_was_not_read_in_them() -> None:
    results = callscore.score_cases(CASES)

    assert (results.unread.count, results.unread.names) == (1, (f"cases[0]: actual: {SIGN}",))
    assert results.summary.cases == 2


def test_files_of_cases_say_what_was_not_read_in_them(tmp_path: Path) -> None:
    file = write(tmp_path / "cases.jsonl", *CASES)

    results = callscore.score_files(file)

    assert (results.unread.count, results.unread.names) == (1, (f"{file}:1: actual: {SIGN}",))


def test_joined_files_say_what_was_not_read_and_where(tmp_path: Path) -> None:
    expected = write(
        tmp_path / "expected.jsonl", *[{"id": name, "expected": ["f"]} for name in "ab"]
    )
    traces = [{"id": "a", "trace": SPOILED}, {"id": "b", "trace": READABLE}]
    actual = write(tmp_path / "actual.jsonl", *traces)

    results = callscore.score_joined(expected, actual)

    assert results.unread.names == (f"case a: {actual}:1: trace: {SIGN}",)


def test_references_say_what_was_not_read_and_where(tmp_path: Path) -> None:
    expected = write(tmp_path / "expected.jsonl", {"id": "a", "expected": SPOILED})
    actual = write(tmp_path / "actual.jsonl", {"id": "a", "actual": ["f"]})

    results = callscore.score_joined(expected, actual)

    assert results.unread.names == (f"case a: {expected}:1: expected: {SIGN}",)


def test_strict_options_make_it_an_error_with_the_place(tmp_path: Path) -> None:
    file = write(tmp_path / "cases.jsonl", *CASES)
    strict = ReadOptions(strict=True)

    with pytest.raises(
        UnreadableInput, match=r"looks like a call\. .* It was not read\."
    ) as raised:
        callscore.score_files(file, read_options=strict)
    skipping = callscore.score_files(file, read_options=strict, skip_bad=True)

    assert raised.value.place == f"{file}:1"
    assert (skipping.skipped.count, skipping.unread.count, skipping.summary.cases) == (1, 0, 1)


def test_a_case_of_python_can_be_scored_again() -> None:
    """What was not read belongs to the record: it is found again, or not."""
    case = callscore.Case(id="a", expected=(callscore.ToolCall("f"),), actual=(), unread="So.")

    assert callscore.score_cases([case]).unread.count == 0
