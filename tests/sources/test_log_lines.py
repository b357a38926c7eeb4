"""Log files: values behind a prefix, and messages of MCP in any log."""

from __future__ import annotations

from typing import Any

import pytest

from callscore.sources.log_lines import looks_like_log_line, may_be_log, read_log
from callscore.sources.record import Array, BadRecord

CALL = '{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"add","arguments":{"a":1}}}'
SHOWN = "method='tools/call', params={'name': 'add', 'arguments': {'a': 1}}"
MESSAGE = {
    "jsonrpc": "2.0",
    "id": 3,
    "method": "tools/call",
    "params": {"name": "add", "arguments": {"a": 1}},
}


def read(text: str, *, named: bool = False, prose: bool = False) -> list[Any]:
    return read_log(text.encode(), "x", is_named_log=named, is_prose=prose)


def messages(text: str) -> list[tuple[str, Any]]:
    (array,) = read(text, prose=True)
    assert isinstance(array, Array)
    assert not array.is_log
    return [(entry["prefix"], entry["message"]) for entry in array.items]


def values(text: str, *, named: bool = False, prose: bool = False) -> list[Any]:
    found = read(text, named=named, prose=prose)
    assert all(isinstance(batch, Array) and batch.is_log for batch in found)
    return [item for batch in found for item in batch.items]


@pytest.mark.parametrize(
    "line",
    [
        f"STDIN: {CALL}",
        f"2026-01-02T03:04:05.678Z [info] [calc] Message from client: {CALL} {{ metadata: undefined }}",
        f"2026-01-02 03:04:05.678 [debug] [editor -> server] {CALL}",
        f"[calc] [1] [2, 3] \u2192 {CALL}",
        f"\x1b[32m-->\x1b[0m {CALL}",
        f"DEBUG: Received JSON: b'{CALL}'",
        f"root=JSONRPCRequest({SHOWN}, jsonrpc='2.0', id=3)), metadata=<object at 0x1>",
        f"data: {CALL}\r",
    ],
)
def test_a_message_may_stand_behind_anything(line: str) -> None:
    ((_, message),) = messages(f"started\n{line}\nclosed {{}} [1]\n")

    assert message == MESSAGE


def test_bytes_of_python_have_their_escapes() -> None:
    line = CALL.replace('"a":1', r'"a":"it\'s \xc3\xa9"')

    ((_, message),) = messages(f"Received JSON: b'{line}'")

    assert message["params"]["arguments"] == {"a": "it's é"}


def test_an_error_of_python_is_a_message_too() -> None:
    shown = "root=JSONRPCError(jsonrpc='2.0', id=3, error=ErrorData(code=-1, message='(no)', data=None))"

    _, (_, message) = messages(f"{CALL}\nsent {shown}\nJSONRPCRequest(method='x', params={{...")

    assert message["error"] == {"code": -1, "message": "(no)", "data": None}


def test_a_batch_is_its_messages_once() -> None:
    found = messages(f"<-- [{CALL}, {CALL}]")

    assert [message for _, message in found] == [MESSAGE, MESSAGE]


def test_a_call_that_was_cut_off_is_reported() -> None:
    cut = CALL[:60] + "...[14696 chars truncated]..."
    array, bad = read(f"in: {CALL}\nin: {cut}\n")

    assert len(array.items) == 1
    assert isinstance(bad, BadRecord)
    assert (bad.place, "cut off" in bad.problem) == ("x:2", True)


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ('[calc] [info] Message from client: method="tools/call" id=3 params', "Claude Desktop"),
        ("[info] db: Successfully called tool 'add'", "Cursor"),
        ("[7] [Local\u2192Remote] tools/call", "mcp-remote"),
        ("INFO Processing request of type CallToolRequest", "Set its level to DEBUG"),
        ("  method: 'tools/call',", "not JSON"),
    ],
)
def test_a_log_without_arguments_is_refused_with_the_reason(line: str, problem: str) -> None:
    (bad,) = read(f"started\n{line}\n")

    assert isinstance(bad, BadRecord)
    assert problem in bad.problem


def test_calls_that_a_newer_version_left_out_are_not_lost() -> None:
    redacted = '[calc] [info] Message from client: method="tools/call" id=3 params'
    array, bad = read(f"in: {CALL}\n{redacted}\n{redacted}\n")

    assert (len(array.items), bad.place) == (1, "x:2")


@pytest.mark.parametrize(
    "prefix",
    [
        "2026-01-02T03:04:05Z ",
        "2026-01-02 03:04:05,678 - app - INFO - ",
        "[2026-01-02 03:04:05] ",
        "INFO:app.trace:",
        "<134>1 2026-01-02T03:04:05Z host app 1 - - ",
        "Feb  2 03:04:05 host app[1]: ",
        "web-1  | ",
        "03:04:05.678 ",
        "2026-01-02T03:04:05.678Z stdout F ",
    ],
)
def test_a_value_may_stand_behind_a_time_or_a_level(prefix: str) -> None:
    text = f'starting\n{prefix}{{"a": 1}} \n{prefix}done [3] {{x}}\n'

    assert values(text, prose=True) == [{"a": 1}]


def test_any_other_prefix_counts_if_each_line_has_it_or_the_name_says_log() -> None:
    assert values('app> {"a": 1}\napp> {"a": 2}\n') == [{"a": 1}, {"a": 2}]
    assert values('app: {"a": 1}\napp: {"a": 2}\n') == [
        {"a": 1},
        {"a": 2},
    ]  # no YAML has a key twice
    assert values('app> {"a": 1}\nno\n', named=True) == [{"a": 1}]
    assert values('app> {"a": 1}\nno\n') == []
    assert values('app> {"a": 1}\napp> {"a": 2}\n', prose=True) == []


@pytest.mark.parametrize(
    "text",
    [
        'expected: [{"name": "f"}]\nactual: [{"name": "f"}]\n',
        '- {"name": "f"}\n- {"name": "g"}\n',
        '- {id: 1, actual: [{"name": "f"}]}\n',
        '---\n2026-01-02 {"a": 1}\n',
        "I call it with {} and [].\n",
        "",
    ],
)
def test_yaml_and_prose_are_no_log(text: str) -> None:
    assert read(text) == []


def test_parts_of_a_long_line_are_joined_by_stream() -> None:
    text = (
        '2026-01-02T03:04:05Z stdout P {"a":\n'
        "2026-01-02T03:04:05Z stderr F noise\n"
        "2026-01-02T03:04:05Z stdout F  1}\n"
        '2026-01-02T03:04:05Z stdout P {"a": 2}\n'
    )

    (array,) = read(text)

    assert array.items == [{"a": 1}, {"a": 2}]
    assert array.places == ("x:1", "x:4")


def test_what_is_in_a_value_that_was_cut_off_is_no_value() -> None:
    assert values('INFO {"a": {"b": 1}, "c": \nINFO {"d": 1}\n') == [{"d": 1}]


def test_a_value_in_the_middle_of_a_sentence_is_none() -> None:
    assert values(f'INFO {{"a": 1}} {"and so on " * 20}\nINFO {{"b": 1}}, {{"c": 1}}\n') == [
        {"b": 1},
        {"c": 1},
    ]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("[2026-01-02T03:04:05][7] x", True),
        ("[info] x", True),
        ("2026-01-02 x", True),
        ("[1, 2]", False),
        ('["a"] x', False),
        ("[", False),
        ("hello", False),
    ],
)
def test_a_line_of_a_log_does_not_begin_like_json(line: str, expected: bool) -> None:
    assert looks_like_log_line(line) is expected


def test_most_texts_are_ruled_out_quickly() -> None:
    assert may_be_log('a\nINFO {"a": 1}')
    assert may_be_log(CALL)
    assert not may_be_log('Action: {"a": 1}')
    assert not may_be_log("INFO nothing")


def test_a_call_that_is_cut_off_in_a_log_is_refused() -> None:
    lines = [
        '09:14 INFO {"role": "assistant", "content": "x"}',
        '09:15 INFO {"name": "f", "arguments": {"city": "Ly',
        '09:16 INFO {"role": "assistant", "content": "Lo',
    ]

    array, *bad = read_log("\n".join(lines).encode(), "a.log", is_named_log=True)

    assert len(array.items) == 1
    assert bad == [BadRecord("a.log:2", "the record is cut off, so that its calls cannot be read.")]


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("tools/call { JSONRPCRequest('" + 40_000 * "\\'", []),
        (f'x {{"a": 1}}\n{30_000 * "- "}<> {{"a": 1}}\n', [{"a": 1}, {"a": 1}]),
        (2 * f'{60_000 * " "}x {{"a": 1}}\n', [{"a": 1}, {"a": 1}]),
        (f"INFO {200 * '['}{250_000 * '1,'}", []),
        (f"INFO tools/call {200 * '['}{300_000 * '1,'}1{200 * ']'}", []),
    ],
    ids=["quotes", "items", "spaces", "open lists", "lists"],
)
def test_a_long_line_is_read(text: str, values: list[Any]) -> None:
    assert [item for array in read(text) for item in array.items] == values
