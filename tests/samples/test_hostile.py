"""Documents that are long, deep or packed on purpose, which are too large to be rows of samples.

A reader that needs a level of the stack for each part, or tries all ways to divide a text, does not get to the end.
"""

from __future__ import annotations

import gzip
import zlib
from base64 import b64encode
from typing import Any

import pytest
import zstandard
from tests.samples.door import read_once, recognized

PYTHON: list[tuple[str, list[str]]] = [
    ("[" * 300_000, []),
    ("-" * 300_000 + "1", []),
    ("f(" + "a." * 100_000 + "b)", []),
    ("f(" + "1+" * 100_000 + "1)", []),
    ("[f(x='" + "\\'" * 200_000, ["truncated_json"]),
    ("f" + "()" * 100_000, []),
]
TAGS: list[tuple[str, list[str]]] = [
    ('See {"name": ' * 5_000, []),
    ("See [f(a= " * 5_000, []),
    (20_000 * '<function name="', []),
    ('<function name="f">' + 15_000 * '<param name="x">' + "</function>", ["f"]),
    (f'<function name="f"><param {30_000 * "a"}></param></function>', ["f"]),
    (f'<function name="f"><param{2_000 * " "}</function>', ["f"]),
    (10_000 * "<start_function_call>call:", []),
    (f"<start_function_call>call:f{{{30_000 * 'a'}}}<end_function_call>", ["f"]),
]


def names_in(document: Any, name: str) -> list[str]:
    (trace,) = read_once(document, name)["traces"]
    return [call["name"] for call in trace["calls"]]


def exchange(body: Any) -> list[Any]:
    request = {"method": "POST", "uri": "https://api.openai.com/v1/chat/completions"}
    return [{"request": request, "response": {"status": {"code": 200}, "body": body}}]


def packed(data: bytes) -> dict[str, str]:
    return {"base64_string": b64encode(data).decode()}


@pytest.mark.parametrize(("text", "errors"), PYTHON, ids=lambda given: str(given)[:6])
def test_long_python_is_no_call_or_a_malformed_one(text: str, errors: list[str]) -> None:
    (trace,) = read_once({"id": "simple_python_0", "result": text}, "bfcl")["traces"]

    assert [call["error"] for call in trace["calls"]] == errors


def test_a_long_text_in_python_is_read() -> None:
    text = "a" * 600_000
    (trace,) = read_once({"id": "simple_python_0", "result": f"[f(x='{text}')]"}, "bfcl")["traces"]

    assert [call["arguments"] for call in trace["calls"]] == [{"x": text}]


@pytest.mark.parametrize(("text", "names"), TAGS, ids=lambda given: str(given)[:25])
def test_many_tags_that_do_not_end_are_read(text: str, names: list[str]) -> None:
    assert names_in({"id": "simple_python_0", "result": text}, "bfcl") == names


@pytest.mark.parametrize("part", ["[", "(session "])
def test_a_prefix_of_many_brackets_is_read(part: str) -> None:
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "f"}}

    assert names_in([{"prefix": 100_000 * part, "message": message}], "mcp") == ["f"]


def test_a_block_of_blank_lines_that_does_not_end_has_no_command() -> None:
    said = {"role": "assistant", "content": "```bash" + 20_000 * "\n"}
    document = {"trajectory_format": "mini-swe-agent-1", "messages": [said]}

    assert names_in(document, "mini_swe_agent") == []


@pytest.mark.parametrize("text", ["Action:" + 40_000 * " ", "Action: f" + 40_000 * "\t"])
def test_many_spaces_are_no_action(text: str) -> None:
    assert recognized(f"{text}x") != "text_react"


def test_arguments_that_are_nested_too_deeply_are_malformed() -> None:
    deep = '{"name": "f", "arguments": {"a": ' + "[" * 100_000 + "]" * 100_000 + "}}"

    (trace,) = read_once(f"<tool_call>{deep}</tool_call>", "text_hermes")["traces"]

    (call,) = trace["calls"]
    assert (call["name"], call["error"]) == ("f", "nested_too_deeply")


def test_the_input_of_a_tool_is_not_evaluated_if_it_is_long() -> None:
    given = "{'a': '" + "x" * 200_000 + "'}"
    tool = {"id": "o", "traceId": "t", "type": "TOOL", "name": "f", "startTime": "2026-01-01"}

    (trace,) = read_once({"data": [{**tool, "input": given}]}, "langfuse")["traces"]

    (call,) = trace["calls"]
    assert "warning" not in call


def test_many_tools_can_be_within_each_other() -> None:
    attributes = {"gen_ai.tool.name": "f", "gen_ai.operation.name": "execute_tool"}
    spans = [
        {
            "name": "execute_tool f",
            "context": {"trace_id": "t", "span_id": str(number)},
            "parent_id": str(number + 1),
            "start_time": 9_000 - number,
            "attributes": {**attributes, "gen_ai.tool.call.arguments": "{}"},
        }
        for number in range(2_000)
    ]

    assert names_in({"spans": spans}, "otel_genai") == ["f"]


@pytest.mark.parametrize("pack", [zlib.compress, zstandard.compress])
def test_bodies_that_unpack_to_too_much_are_an_error(pack: Any) -> None:
    bomb = packed(pack(b" " * ((1 << 26) + 1)))

    assert "larger than 64 MiB, unpacked" in read_once(exchange(bomb), "http_exchanges")["error"]


def test_a_stream_that_was_cut_off_is_read_as_far_as_it_goes() -> None:
    called = b'{"choices": [{"delta": {"tool_calls": [{"index": %d, "function": {"name": "f"}}]}}]}'
    events = b"".join(b"data: " + called % number + b"\n\n" for number in range(2_000))
    whole = gzip.compress(events, mtime=0)

    found = names_in(exchange(packed(whole[: len(whole) // 2])), "http_exchanges")

    assert 1 < len(found) < 2_000


def test_many_small_parts_of_a_body_are_read() -> None:
    body = packed(gzip.compress(b"", mtime=0) * 100_000)

    assert "in a known format" in read_once(exchange(body), "http_exchanges")["error"]
