"""From files to what is wrong with the calls in them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from callscore.api import check_calls
from callscore.core.call import Tool
from callscore.core.results import Noted
from callscore.engines.checking import CheckHooks, _defined_tools, check_files
from callscore.engines.inputs import input_options_for
from callscore.errors import UnreadableInput

if TYPE_CHECKING:
    from pathlib import Path

    from callscore.checks.check import CheckResults, Finding

SCHEMA = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
DEFINITION = {"type": "function", "function": {"name": "weather", "parameters": SCHEMA}}
TOOLS = {"weather": Tool("weather", parameters=SCHEMA)}
INPUTS = input_options_for(keeps_tools=True)


def _call(**arguments: Any) -> dict[str, Any]:
    return {"name": "weather", "arguments": arguments}


def _file(path: Path, *records: Any) -> str:
    path.write_bytes(b"".join(msgspec.json.encode(record) + b"\n" for record in records))
    return str(path)


def _check(*paths: str, **options: Any) -> CheckResults:
    return check_files(paths, **{"inputs": INPUTS, **options})


def test_calls_of_case_files_are_checked_by_the_tools_that_are_given(tmp_path: Path) -> None:
    file = _file(
        tmp_path / "cases.jsonl",
        {"id": "a", "trial": 2, "expected": [], "actual": [_call(city=1), _call(city="Oslo")]},
        {"id": "b", "expected": ["weather"], "actual": [_call(city="Oslo", sky=2)]},
    )

    results = _check(file, tools=TOOLS)

    assert (results.files, results.runs, results.calls) == (1, 2, 3)
    assert (results.faulty_calls, results.checked_calls, results.invalid_calls) == (2, 3, 2)
    assert results.totals == {"unknown_argument": 1, "wrong_type": 1}
    assert [(item.place, item.run, item.fault.path) for item in results.findings] == [
        (f"{file}:1", "a #2", "$.city"),
        (f"{file}:2", "b", "$.sky"),
    ]
    assert results.findings[0].call.arguments == {"city": 1}


def test_a_trace_in_place_of_actual_calls_is_checked(tmp_path: Path) -> None:
    trace = [{"role": "assistant", "tool_calls": [{"function": {"name": "weather"}}]}]
    file = _file(
        tmp_path / "cases.jsonl",
        {"id": "a", "expected": ["weather"], "trace": trace},
        {"id": "b", "expected": ["weather"], "messages": [{"role": "user", "content": "Oslo?"}]},
    )

    results = _check(file, tools=TOOLS)

    assert (results.runs, results.calls) == (1, 1)


def test_tools_that_the_record_has_are_used(tmp_path: Path) -> None:
    file = _file(
        tmp_path / "cases.jsonl",
        {"id": "a", "tools": [DEFINITION], "actual": [_call()]},
        {"id": "b", "tools": [DEFINITION], "actual": [_call(city="Oslo")]},
    )

    results = _check(file)

    assert results.totals == {"missing_argument": 1}
    assert results.parameters_valid == 0.5
    assert results.without_tools == Noted()


def test_tools_that_a_trace_of_another_stack_has_are_used(tmp_path: Path) -> None:
    call = {"id": "1", "type": "function", "function": {"name": "weather", "arguments": "{}"}}
    file = _file(
        tmp_path / "trace.json",
        {"messages": [{"role": "assistant", "tool_calls": [call]}], "tools": [DEFINITION]},
    )

    assert _check(file).totals == {"missing_argument": 1}
    assert _check(file, inputs=input_options_for()).totals == {}


def test_the_tools_that_are_given_come_before_those_of_the_trace(tmp_path: Path) -> None:
    file = _file(tmp_path / "a.jsonl", {"id": "a", "tools": [DEFINITION], "actual": [_call()]})

    assert _check(file, tools={"weather": Tool("weather")}).totals == {}


@pytest.mark.parametrize("tools", [None, {}, 5, [{"no": "name"}]])
def test_runs_whose_tools_nobody_knows_are_counted(tmp_path: Path, tools: Any) -> None:
    file = _file(tmp_path / "a.jsonl", {"id": "a", "tools": tools, "actual": [_call(), _call()]})

    results = _check(file)

    assert results.without_tools == Noted(1, (f"{file}:1 a",))
    assert results.totals == {"repeat": 1}
    assert results.parameters_valid is None


@pytest.mark.parametrize("tools", [[], ["sun"], [{"name": "sun"}], {"sun": {"parameters": {}}}])
def test_calls_of_tools_that_were_not_offered_are_told(tmp_path: Path, tools: Any) -> None:
    file = _file(tmp_path / "a.jsonl", {"id": "a", "tools": tools, "actual": [_call(), _call()]})

    results = _check(file)

    assert (results.totals, results.parameters_valid) == ({"unknown_tool": 2, "repeat": 1}, 0.0)
    assert results.without_tools == Noted()


def test_definitions_that_are_not_json_are_read_all_the_same() -> None:
    tools, problems = _defined_tools([{"name": "f", "parameters": {"default": object()}}])

    assert tools == {"f": Tool("f")}
    assert problems["f"].startswith("it is not JSON")


def test_two_definitions_of_one_tool_that_differ_are_noted(tmp_path: Path) -> None:
    other = {"name": "weather", "parameters": {"type": "object"}}
    file = _file(tmp_path / "a.jsonl", {"id": "a", "tools": [DEFINITION, other], "actual": ["x"]})

    assert _check(file).unusable == Noted(1, ("weather: it has several different definitions.",))


def test_calls_that_nothing_is_held_against_are_not_counted_as_valid(tmp_path: Path) -> None:
    tools = [DEFINITION, {"name": "now"}, {"name": "far", "parameters": {"$ref": "http://x"}}]
    calls = [_call(city="Oslo"), _call(), "now", "far", "nowhere"]
    file = _file(tmp_path / "a.jsonl", {"id": "a", "tools": tools, "actual": calls})

    results = _check(file)

    assert (results.checked_calls, results.unchecked_calls, results.invalid_calls) == (3, 2, 2)
    assert results.parameters_valid == 1 / 3


def test_a_misspelled_side_is_named(tmp_path: Path) -> None:
    file = _file(tmp_path / "a.jsonl", {"id": "a", "expected": ["x"], "actul": ["y"]})

    with pytest.raises(UnreadableInput, match=r"unknown field 'actul'\. Did you mean 'actual'"):
        _check(file)


def test_a_schema_of_a_trace_that_cannot_be_used_is_noted(tmp_path: Path) -> None:
    tool = {"name": "weather", "parameters": {"$ref": "http://example.invalid/x.json"}}
    file = _file(tmp_path / "a.jsonl", {"id": "a", "tools": [tool], "actual": [_call()]})

    results = _check(file)

    assert results.totals == {}
    assert results.unusable.count == 1
    assert results.unusable.names[0].startswith("weather: it refers to")


def test_a_case_that_was_not_run_is_noted(tmp_path: Path) -> None:
    file = _file(
        tmp_path / "a.jsonl", {"id": "a", "expected": []}, {"id": "b", "actual": [_call()]}
    )

    results = _check(file, tools=TOOLS)

    assert (results.runs, results.without_calls) == (1, Noted(1, (f"{file}:1 a",)))


def test_what_cannot_be_read_stops_it_or_is_counted(tmp_path: Path) -> None:
    file = _file(tmp_path / "a.jsonl", {"id": "a", "actual": [_call()]}, {"id": "b", "actual": 3})

    with pytest.raises(UnreadableInput, match=r"a\.jsonl:2"):
        _check(file)
    results = _check(file, skip_bad=True)

    assert (results.runs, results.skipped.count) == (1, 1)


def test_a_record_that_is_no_object_cannot_be_read(tmp_path: Path) -> None:
    file = _file(tmp_path / "a.jsonl", {"id": "a", "actual": []}, 3)

    with pytest.raises(UnreadableInput, match=r"a\.jsonl:2"):
        _check(file)


def test_only_so_many_findings_are_kept(tmp_path: Path) -> None:
    file = _file(tmp_path / "a.jsonl", {"id": "a", "actual": [_call()] * 9})

    results = _check(file, tools=TOOLS, max_shown=3)

    assert (len(results.findings), results.not_shown) == (3, 15)
    assert results.totals == {"missing_argument": 9, "repeat": 8, "loop": 1}
    assert len(_check(file, tools=TOOLS, max_shown=None).findings) == 18


def test_whoever_wants_to_be_told_of_findings_is_told_of_those_to_show(tmp_path: Path) -> None:
    file = _file(tmp_path / "a.jsonl", {"id": "a", "actual": [_call()] * 2})
    told: list[Finding] = []

    results = _check(file, tools=TOOLS, max_shown=2, hooks=CheckHooks(on_finding=told.append))

    assert [finding.fault.kind for finding in told] == ["missing_argument"] * 2
    assert (results.findings, results.not_shown) == ((), 1)


def test_the_tool_with_most_faults_comes_first(tmp_path: Path) -> None:
    calls = [{"name": "a", "arguments": {"n": n}} for n in range(3)]
    file = _file(tmp_path / "a.jsonl", {"id": "x", "actual": [*calls, _call(), _call()]})

    assert [*_check(file).tools] == ["weather", "a"]


def test_the_first_names_of_many_are_kept(tmp_path: Path) -> None:
    records = [{"id": f"r{number}", "actual": []} for number in range(30)]

    noted = _check(_file(tmp_path / "a.jsonl", *records)).without_tools

    assert (noted.count, len(noted.names)) == (30, 20)


def test_files_are_checked_one_after_another(tmp_path: Path) -> None:
    first = _file(tmp_path / "a.jsonl", {"id": "a", "actual": [_call()]})
    second = _file(tmp_path / "b.jsonl", [{"name": "weather", "arguments": {}}])

    results = _check(first, second, tools=TOOLS)

    assert (results.files, results.runs) == (2, 2)
    assert [(item.place, item.run) for item in results.findings] == [
        (f"{first}:1", "a"),
        (second, None),
    ]


def test_a_limit_counts_cases_and_not_trials(tmp_path: Path) -> None:
    runs = [{"id": name, "trial": n, "actual": [_call()]} for n in range(2) for name in "abc"]

    assert _check(_file(tmp_path / "a.jsonl", *runs), limit=2).runs == 4


def test_only_the_first_runs_are_checked(tmp_path: Path) -> None:
    file = _file(tmp_path / "a.jsonl", *[{"id": str(n), "actual": [_call()]} for n in range(3)], 3)

    assert _check(file, limit=2).runs == 2
    assert _check(file, limit=3).runs == 3
    with pytest.raises(UnreadableInput):
        _check(file, limit=4)


def test_a_state_is_not_a_call_to_check(tmp_path: Path) -> None:
    record = {"id": "a", "actual": [_call(city="Oslo"), _call(city=1)], "actual_state": {"x": 1}}

    results = _check(_file(tmp_path / "t.jsonl", record), tools=TOOLS)

    assert (results.calls, results.checked_calls, results.totals) == (2, 2, {"wrong_type": 1})
    assert check_calls({"calls": ["f"], "actual_state": 1}, tools=["f"]) == ()
