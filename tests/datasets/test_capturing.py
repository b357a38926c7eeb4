"""Recorded traces as cases."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest

from callscore import UnreadableInput
from callscore.api import score_case
from callscore.datasets.capturing import TraceCapture
from callscore.documents import raise_unreadable
from callscore.engines.inputs import TRACES, input_options_for, read_cases
from callscore.formats.cases import read_case, record_line
from callscore.sources import BadRecord

SAMPLES = Path(__file__).parents[1] / "samples"
FILES = sorted(
    path
    for folder in ("formats", "recorded")
    for path in SAMPLES.glob(f"{folder}/*/*.json*")
    if not path.name.endswith((".expected.json", ".schemas.json"))
)


def _captured(*paths: Path) -> list[dict[str, Any]]:
    return list(TraceCapture(input_options_for(), raise_unreadable).take(map(str, paths)))


def _write(path: Path, *records: Any) -> Path:
    path.write_bytes(b"\n".join(map(msgspec.json.encode, records)))
    return path


def _chat(text: str | None, *calls: tuple[str, str], **others: Any) -> dict[str, Any]:
    made = [
        {"id": str(at), "type": "function", "function": {"name": name, "arguments": arguments}}
        for at, (name, arguments) in enumerate(calls)
    ]
    asked = [] if text is None else [{"role": "user", "content": text}]
    return {
        **others,
        "messages": [*asked, {"role": "assistant", "content": "", "tool_calls": made}],
    }


def test_every_real_trace_scores_as_exact_against_the_case_that_it_becomes() -> None:
    exact = 0
    for path in FILES:
        try:
            records = {r["metadata"]["captured"]["place"]: r for r in _captured(path)}
        except UnreadableInput:
            continue  # it says what is expected, or defines tools, and shows no run
        for found in read_cases(str(path), TRACES, input_options_for()):
            assert not isinstance(found, BadRecord)
            place, trace = found
            if place in records and not any(call.error for call in trace.actual or ()):
                case = read_case(msgspec.json.decode(record_line(records[place])), place=place)
                assert score_case(tuple(case.expected or ()), trace.actual or ()).is_exact
                exact += 1
    assert exact > 300


def test_a_case_has_the_question_what_was_done_and_where_it_was_found(tmp_path: Path) -> None:
    path = _write(tmp_path / "t.jsonl", _chat("Weather?", ("f", '{"a": {"$gt": 1}}'), id="x"))

    (record,) = _captured(path)

    assert record["id"] == "x"
    assert record["input"] == "Weather?"
    assert record["expected"] == [{"name": "f", "arguments": {"a": {"$literal": {"$gt": 1}}}}]
    assert record["metadata"] == {"captured": {"place": f"{path}:1", "id": "x"}}


def test_what_was_said_about_a_case_before_is_kept(tmp_path: Path) -> None:
    given = {"id": "x", "actual": ["f"], "tags": ["a"], "metadata": {"owner": "me"}}
    other = {"id": "y", "actual": [], "metadata": "a text"}
    path = _write(tmp_path / "t.jsonl", given, other)

    first, second = _captured(path)

    assert first["tags"] == ["a"]
    assert first["metadata"]["owner"] == "me"
    assert second["metadata"]["given"] == "a text"


def test_cases_without_an_id_are_named_for_their_questions_and_told_apart(tmp_path: Path) -> None:
    path = _write(
        tmp_path / "log.jsonl",
        _chat("What is it?", ("f", "{}")),
        _chat("What is it?", ("g", "{}")),
        _chat("What is it", ("h", "{}"), id="what-is-it-3"),
        _chat("What is it??", ("i", "{}")),
        _chat(None, ("f", "{}")),
    )

    names = [record["id"] for record in _captured(path)]

    assert names == ["what-is-it", "what-is-it-2", "what-is-it-3", "what-is-it-4", "log"]


def test_several_trials_of_an_id_are_one_case_that_tells_how_they_differ(tmp_path: Path) -> None:
    path = _write(
        tmp_path / "t.jsonl",
        {"id": "0", "trial": 0, "input": "Go", "actual": ["f"]},
        {"id": "0", "trial": 1, "input": "Go", "actual": ["f"]},
        {"id": "1", "trial": 0, "input": "Stop", "actual": []},
        {"id": "0", "trial": 2, "input": "Go now", "actual": ["g"]},
        {"id": "0", "trial": 3, "input": "Go", "actual": ["g"]},
        {"id": "1", "trial": 1, "input": "Stop", "actual": []},
    )
    captures = TraceCapture(input_options_for(), raise_unreadable)

    first, second = captures.take([str(path)])

    assert (first["id"], first["expected"]) == ("0", [{"name": "f", "arguments": {}}])
    assert first["metadata"]["captured"]["trial"] == 0
    assert first["metadata"]["captured"]["trials"] == {
        "same": 1,
        "different": 2,
        "others": [
            {"place": f"{path}:4", "trial": 2, "expected": [{"name": "g", "arguments": {}}]}
        ],
    }
    assert second["metadata"]["captured"]["trials"] == {"same": 1, "different": 0}
    assert (captures.counts.cases, captures.counts.trials, captures.counts.differing) == (2, 4, 2)


def test_only_some_of_many_different_trials_are_told(tmp_path: Path) -> None:
    runs = [{"id": "0", "trial": at, "actual": [f"f{at}"]} for at in range(30)]

    (record,) = _captured(_write(tmp_path / "t.jsonl", *runs))

    told = record["metadata"]["captured"]["trials"]
    assert (told["same"], told["different"], len(told["others"])) == (0, 29, 10)


def test_a_name_that_is_made_up_is_never_that_of_another_trace(tmp_path: Path) -> None:
    path = _write(tmp_path / "t.jsonl", _chat("Hi"), _chat("Ho", id="hi"))
    captures = TraceCapture(input_options_for(), raise_unreadable)

    assert [record["id"] for record in captures.take([str(path)])] == ["hi-2", "hi"]
    assert captures.counts.nameless == 1


def test_the_same_question_with_the_same_answer_is_one_case(tmp_path: Path) -> None:
    path = _write(tmp_path / "t.jsonl", *[_chat("Hi!"), _chat("Hi!"), _chat("Hi!", ("f", "{}"))])
    captures = TraceCapture(input_options_for(), raise_unreadable)

    records = list(captures.take([str(path)]))

    assert [record["expected"] for record in records] == [[], [{"name": "f", "arguments": {}}]]
    assert captures.counts.repeated == 1


def test_what_needs_a_look_is_named(tmp_path: Path) -> None:
    run = _chat("Go", ("f", '{"a'), ("g", "{}"))
    run["messages"].append({"role": "tool", "tool_call_id": "1", "content": "Error: no"})
    path = _write(tmp_path / "t.jsonl", run)
    captures = TraceCapture(input_options_for(), raise_unreadable)

    (record,) = captures.take([str(path)])

    assert record["expected"] == [{"name": "f"}, {"name": "g", "arguments": {}}]
    unreadable, failed = record["metadata"]["captured"]["review"]
    assert unreadable.startswith("expected[0]: the arguments could not be read; only the name is")
    assert unreadable.endswith("never counts as correct")
    assert failed == "expected[1]: this call failed"
    assert captures.counts.to_review == 1


def test_what_cannot_be_read_is_named_and_skipped_where_that_is_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    path.write_bytes(b'{"id": "a", "actual": ["f"]}\nno json\n')
    named: list[tuple[str, str]] = []
    captures = TraceCapture(
        input_options_for(), lambda place, problem: named.append((place, problem))
    )

    records = list(captures.take([str(path)]))

    assert len(records) == captures.counts.skipped == len(named) == 1
    assert named[0][0].startswith(f"{path}:2")


def test_a_request_that_failed_is_no_run() -> None:
    path = SAMPLES / "formats/openai_batch/failed_line.json"

    with pytest.raises(UnreadableInput, match="the trace contains no calls"):
        _captured(path)


def test_an_empty_file_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "t.jsonl").write_bytes(b"")

    with pytest.raises(UnreadableInput, match="the file contains no trace"):
        _captured(tmp_path / "t.jsonl")


def test_only_the_traces_of_the_first_cases_are_used(tmp_path: Path) -> None:
    traces = [{"id": str(number), "actual": ["f"]} for number in range(4)]
    files = [_write(tmp_path / f"{name}.jsonl", *traces) for name in "ab"]
    captures = TraceCapture(input_options_for(), raise_unreadable)

    found = captures.take(list(map(str, files)), limit=3)

    assert [record["id"] for record in found] == ["0", "1", "2"]
    assert captures.counts.trials == 3


def test_the_state_of_a_run_is_the_expected_one(tmp_path: Path) -> None:
    run = {"id": "a", "actual": [["f", {}]], "actual_state": {"$x": 1, "y": [2]}}

    (record,) = _captured(_write(tmp_path / "t.jsonl", run))

    assert record["expected"] == [{"name": "f", "arguments": {}}]
    assert record["expected_state"] == {"$literal": {"$x": 1, "y": [2]}}
    case = read_case({**run, **record}, place="a case")
    assert score_case(tuple(case.expected or ()), case.actual or ()).is_exact
