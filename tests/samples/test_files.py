"""What takes more than one document: files of states, cassettes in YAML, two sides of a score."""

from __future__ import annotations

import gzip
from base64 import b64encode
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from callscore import read_calls, score

if TYPE_CHECKING:
    from pathlib import Path

HUMAN = {"type": "human", "content": "Hello", "id": "h"}
PING = {"name": "ping", "args": {}, "id": "a", "type": "tool_call"}
CALLED = {"type": "ai", "content": "", "id": "1", "tool_calls": [PING]}
CASSETTE = """\
interactions:
- request:
    body: !!binary |
      e30=
    headers:
      Authorization:
      - !!binary |
        QVdTNA==
    method: POST
    uri: https://example.com
  response:
    headers: {{}}
    status: {{code: 200, message: OK}}
    body:
      string: {tag} |
        {body}
version: 1
"""


def state(*messages: Any, **more: Any) -> dict[str, Any]:
    return {"messages": list(messages), **more}


def calls_in_lines(tmp_path: Path, *values: Any) -> list[str]:
    path = tmp_path / "values.jsonl"
    path.write_bytes(b"".join(msgspec.json.encode(value) + b"\n" for value in values))
    return [call.name for call in read_calls(path)]


def test_the_states_of_a_run_in_lines_are_one_run(tmp_path: Path) -> None:
    states = [state(HUMAN), state(HUMAN, CALLED), state(HUMAN, CALLED, HUMAN)]
    again = state(HUMAN, CALLED, HUMAN, CALLED)

    assert calls_in_lines(tmp_path, *states) == ["ping"]
    assert calls_in_lines(tmp_path, *states, again, again) == ["ping", "ping"]
    assert calls_in_lines(tmp_path, *states, *states) == ["ping", "ping"]  # two runs
    assert calls_in_lines(tmp_path, *[["values", each] for each in states]) == ["ping"]
    streamed = [{"event": "values", "data": each} for each in states]
    assert calls_in_lines(tmp_path, *streamed) == ["ping"]


def test_conversations_that_do_not_go_on_are_runs_of_their_own(tmp_path: Path) -> None:
    anonymous = {key: value for key, value in CALLED.items() if key != "id"}
    others = [state({**HUMAN, "content": str(number)}, CALLED) for number in range(40)]

    assert len(calls_in_lines(tmp_path, state(HUMAN, anonymous), state(HUMAN, anonymous))) == 2
    assert len(calls_in_lines(tmp_path, state(CALLED, id="x"), state(CALLED, HUMAN, id="y"))) == 2
    assert len(calls_in_lines(tmp_path, state(CALLED), state(HUMAN, CALLED))) == 2
    assert len(calls_in_lines(tmp_path, *others)) == 40


@pytest.mark.parametrize("tag", ["!!binary", "!binary"])
def test_a_cassette_may_have_binary_bodies_and_headers(tmp_path: Path, tag: str) -> None:
    call = {"id": "1", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    answer = {"choices": [{"message": {"role": "assistant", "tool_calls": [call]}}]}
    body = b64encode(gzip.compress(msgspec.json.encode(answer), mtime=0)).decode()
    path = tmp_path / "cassette.yaml"
    path.write_text(CASSETTE.format(tag=tag, body=body))

    assert [found.name for found in read_calls(path)] == ["f"]


def test_a_task_of_several_turns_is_scored_turn_by_turn() -> None:
    truth = {"id": "multi_turn_base_0", "ground_truth": [["f(a=1)"], ["g()"]]}
    made = {"id": "multi_turn_base_0", "result": [["[f(a=1), g()]"], []]}

    for given in (made, read_calls(made)):
        found = [(turn.correct, turn.expected) for turn in score(truth, given).turns]
        assert found == [(1, 1), (0, 1)]


def test_possible_answers_are_scored_by_their_rules() -> None:
    answers = [{"f": {"a": [1], "b": ["x", "y"], "c": [2, ""], "d": ["", 3, 4], "e": [""]}}]
    truth = {"id": "parallel_0", "ground_truth": answers}
    made = [
        {"a": 1, "b": "y"},
        {"a": 1, "b": "x", "c": 2, "d": 4, "e": ""},
        {"a": 1, "b": "z"},
        {"a": 1, "b": "x", "c": 3},
        {"b": "x"},
    ]

    found = [score(truth, [{"name": "f", "arguments": each}]).f1 for each in made]
    assert found == [1, 1, 0, 0, 0]
