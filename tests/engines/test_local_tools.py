"""Definitions of tools, and several answers, over many cases."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from callscore import Case, InvalidSettings, ReadOptions, Settings, ToolCall, UnreadableInput
from callscore.engines.collector import Collector, ScoreHooks
from callscore.engines.local import score_cases, score_files, score_joined
from callscore.formats.plain_cases import PlainDecoder

if TYPE_CHECKING:
    from pathlib import Path

SCHEMA = {"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]}
TOOLS = [{"name": "f", "parameters": SCHEMA}]
F = {"name": "f", "arguments": {"a": 1}}
WRONG = {"name": "f", "arguments": {"a": "1"}}


def write(path: Path, *records: Any) -> Path:
    path.write_bytes(msgspec.json.Encoder().encode_lines(records))
    return path


def kinds(results: Any) -> list[list[str] | None]:
    return [
        None if case.score.faults is None else [fault.kind for fault in case.score.faults]
        for case in results.cases
    ]


def test_cases_are_checked_by_the_tools_that_they_bring(tmp_path: Path) -> None:
    file = write(
        tmp_path / "c.jsonl",
        {"id": "a", "expected": [], "actual": [WRONG], "tools": TOOLS},
        {"id": "b", "expected": [], "actual": [WRONG]},
        {"id": "c", "expected": [], "actual": [F], "tools": TOOLS},
    )

    assert kinds(score_files(file)) == [["wrong_type"], None, []]


def test_cases_are_checked_by_the_tools_of_the_run(tmp_path: Path) -> None:
    cases = [{"id": "a", "expected": [F], "actual": [WRONG]}]
    references = write(tmp_path / "r.jsonl", {"id": "a", "expected": [F]})
    traces = write(tmp_path / "t.jsonl", {"id": "a", "actual": [WRONG]})

    assert kinds(score_cases(cases, tools=TOOLS)) == [["wrong_type"]]
    assert kinds(score_files(write(tmp_path / "c.jsonl", *cases), tools=TOOLS)) == [["wrong_type"]]
    assert kinds(score_joined(references, traces, tools=TOOLS)) == [["wrong_type"]]


def test_a_case_that_brings_no_definitions_under_tools_is_refused(tmp_path: Path) -> None:
    case = {"id": "a", "expected": [], "actual": [], "tools": [{"x": 1}]}
    file = write(tmp_path / "c.jsonl", {**case, "tools": None}, case)

    with pytest.raises(UnreadableInput, match=r"c\.jsonl:2: 'tools' has no tool definitions"):
        score_files(file)
    with pytest.raises(UnreadableInput, match=r"cases\[0\]: 'tools' has no tool definitions"):
        score_cases([case])

    results = score_files(file, skip_bad=True)
    assert (results.summary.cases, results.skipped.count) == (1, 1)


@pytest.mark.parametrize(("tools", "found"), [(["f"], []), (["g"], ["unknown_tool"])])
def test_names_of_tools_alone_tell_which_are_unknown(tools: list[str], found: list[str]) -> None:
    results = score_cases([{"id": "a", "expected": [], "actual": [F], "tools": tools}])

    assert kinds(results) == [found]


def request(*tools: Any, **more: Any) -> dict[str, Any]:
    """A chat that calls `f` in a wrong way, with the tools that it offers."""
    function = {"name": "f", "arguments": '{"a": "1"}'}
    call = {"id": "1", "type": "function", "function": function}
    offered = [{"type": "function", "function": tool} for tool in tools]
    return {"messages": [{"role": "assistant", "tool_calls": [call]}], "tools": offered, **more}


BROKEN = {"name": "f", "parameters": {"type": "object", "$ref": "http://x"}}


@pytest.mark.parametrize(
    ("tools", "found"),
    [
        (TOOLS, ["wrong_type"]),
        ([{"name": "g", "parameters": SCHEMA}], ["unknown_tool"]),
        ([BROKEN], []),
        ([*TOOLS, BROKEN], []),
        ([], None),
    ],
)
def test_traces_are_checked_by_the_tools_that_they_bring(
    tmp_path: Path, tools: Any, found: list[str] | None
) -> None:
    references = write(tmp_path / "r.jsonl", {"id": "a", "expected": [F]})
    traces = write(tmp_path / "t.jsonl", request(*tools, id="a"))

    assert kinds(score_joined(references, traces)) == [found]


def test_tools_of_the_run_come_before_those_of_a_trace(tmp_path: Path) -> None:
    references = write(tmp_path / "r.jsonl", {"id": "a", "expected": [F]})
    traces = write(tmp_path / "t.jsonl", request(*TOOLS, id="a"))

    assert kinds(score_joined(references, traces, tools=["f"])) == [[]]


def test_tools_of_a_reference_are_not_those_of_the_trace(tmp_path: Path) -> None:
    references = write(tmp_path / "r.jsonl", request({"name": "g", "parameters": SCHEMA}))
    traces = write(tmp_path / "t.jsonl", request(*TOOLS))

    results = score_joined(references, traces, show="all")

    assert kinds(results) == [["wrong_type"]]


def test_a_plain_line_with_tools_is_read_with_care() -> None:
    with pytest.raises(ValueError, match="tools"):
        PlainDecoder().decode(b'{"id": "a", "expected": [], "actual": [], "tools": []}')


@pytest.mark.parametrize(
    "settings",
    [
        {"mode": "flexible"},
        {"order": "exact"},
        {"strip_prefix": ("a",)},
        {"normalize_name": ("case",)},
        {"count_calls": "writes"},
        {"failed_calls": "ignore"},
        {"repeated_calls": "collapse"},
        {"arrays": "unordered"},
        {"nested_objects": "subset"},
        {"extra_calls": "free"},
        {"schema_defaults": "equal"},
        {"turns": "cumulative"},
        {"effects": (("get_*", "read"),)},
        {"arguments": {"*.a": "ignore"}},
        {"top_k": 2},
        {"similarity": max},
        {"judge": print},
    ],
)
def test_a_setting_that_may_change_a_score_needs_decoded_cases(settings: dict[str, Any]) -> None:
    assert not Collector(Settings(**settings), "none", 0, ScoreHooks()).takes_plain


def test_every_setting_either_needs_decoded_cases_or_changes_no_strict_score() -> None:
    tried = set(Settings.__struct_fields__) - {
        *("mode", "order", "strip_prefix", "normalize_name", "count_calls", "failed_calls"),
        *("repeated_calls", "arrays", "nested_objects", "effects", "arguments", "top_k"),
        *("similarity", "judge", "extra_calls", "schema_defaults", "turns"),
    }
    harmless = Settings(pass_mark=0.5, argument_match_threshold=0.5, extra_arguments="count")

    assert tried == {"pass_mark", "argument_match_threshold", "extra_arguments"}
    assert Collector(harmless, "none", 0, ScoreHooks()).takes_plain


def test_tools_of_the_run_need_decoded_cases() -> None:
    assert not Collector(Settings(), "none", 0, ScoreHooks(), tools=TOOLS).takes_plain


def completion(*names: str) -> dict[str, Any]:
    """A response with a choice for each of these tools."""
    choices = [
        {
            "index": at,
            "message": {
                "role": "assistant",
                "tool_calls": [
                    {"id": "1", "type": "function", "function": {"name": name, "arguments": "{}"}}
                ],
            },
        }
        for at, name in enumerate(names)
    ]
    return {"object": "chat.completion", "choices": choices}


BEST_OF_TWO = Settings(top_k=2)
CASE = {"id": "a", "expected": ["g"], "actual": completion("f", "g", "h")}


@pytest.mark.parametrize(("settings", "f1"), [(Settings(), 0.0), (BEST_OF_TWO, 1.0)])
def test_the_best_answer_counts_wherever_a_response_stands(
    tmp_path: Path, settings: Settings, f1: float
) -> None:
    file = write(tmp_path / "c.jsonl", CASE)
    references = write(tmp_path / "r.jsonl", {"id": "a", "expected": ["g"]})
    responses = write(tmp_path / "t.jsonl", completion("f", "g"))

    for results in (
        score_cases([CASE], settings=settings),
        score_files(file, settings=settings),
        score_joined(references, responses, settings=settings),
    ):
        assert results.summary.macro_f1 == f1


def test_only_the_first_answers_count(tmp_path: Path) -> None:
    file = write(tmp_path / "c.jsonl", {**CASE, "expected": ["h"]})

    assert score_files(file, settings=BEST_OF_TWO).summary.macro_f1 == 0.0
    assert score_files(file, settings=Settings(top_k=3)).summary.macro_f1 == 1.0


def test_cases_can_hold_their_other_answers_themselves() -> None:
    case = Case(
        id="a", expected=(ToolCall("g"),), actual=(ToolCall("f"),), others=((ToolCall("g"),),)
    )

    assert score_cases([case]).summary.macro_f1 == 0.0
    assert score_cases([case], settings=BEST_OF_TWO).summary.macro_f1 == 1.0


def test_a_response_that_cannot_be_read_is_refused_once(tmp_path: Path) -> None:
    file = write(tmp_path / "c.jsonl", {**CASE, "actual": {"x": 1}}, CASE)

    results = score_files(file, settings=BEST_OF_TWO, skip_bad=True)

    assert (results.summary.cases, results.skipped.count) == (1, 1)


def test_the_first_answers_and_a_certain_one_exclude_each_other(tmp_path: Path) -> None:
    with pytest.raises(InvalidSettings, match="Keep one"):
        score_files(
            tmp_path / "c.jsonl", settings=BEST_OF_TWO, read_options=ReadOptions(candidate=1)
        )


def test_a_reference_in_another_dialect_that_nobody_could_match_is_refused(tmp_path: Path) -> None:
    broken = {"id": "1", "type": "function", "function": {"name": "f", "arguments": "{"}}
    references = write(tmp_path / "r.jsonl", {"role": "assistant", "tool_calls": [broken]})
    traces = write(tmp_path / "t.jsonl", {"id": "a", "actual": [F]})

    with pytest.raises(UnreadableInput, match="the arguments of 'f' cannot be read"):
        score_joined(references, traces)
