"""`callscore formats --identify`: which format a file is in, why, and what the others would read."""

from __future__ import annotations

import tarfile
from pathlib import Path
from typing import Any

import msgspec
import pytest
from click.testing import CliRunner

from callscore.cli.formats import command

FUNCTION = {"name": "f", "arguments": "{}"}
CHAT = {
    "choices": [
        {"message": {"role": "assistant", "tool_calls": [{"id": "1", "function": FUNCTION}]}}
    ]
}
SPOILED = {"choices": [{"message": {"role": "assistant", "toolcalls": [{"id": "1"}]}}]}
BLOCKS = {
    "role": "assistant",
    "content": [{"type": "tool_use", "id": "1", "name": "f", "input": {}}],
}
UNKNOWN = {"foo": 1, "bar": [{"toolcalls": [{"name": "f"}]}]}
REACT = 'Thought: x\nAction: f\nAction Input: {"x": 1}\n'
SAMPLES = Path(__file__).parents[1] / "samples/formats"
SIGN = "'toolcalls' at $.choices[0].message looks like a call. Recognized format: openai_chat."


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write(path: Path, *records: Any) -> None:
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(msgspec.json.Encoder().encode_lines(records))


def run(*arguments: str, **options: Any) -> Any:
    return CliRunner().invoke(command, arguments, standalone_mode=False, **options)


def identify(file: str, **options: Any) -> tuple[str, int]:
    """What is written about a file, and the exit code."""
    ran = run("--identify", file, **options)
    assert ran.exception is None
    return ran.output, ran.return_value


def data_of(file: str) -> dict[str, Any]:
    found: dict[str, Any] = msgspec.json.decode(run("--identify", file, "--format", "json").output)
    return found


def test_a_file_of_one_format(folder: Path) -> None:
    write(folder / "traces.jsonl", CHAT, CHAT)

    assert identify("traces.jsonl") == (
        """\
traces.jsonl: openai_chat

openai_chat: OpenAI chat completions (responses, requests, messages, fine-tuning files)
  recognized by the key "choices"

second: none, no other format recognizes a record

format        would read   used   calls
openai_chat            2      2       2
""",
        0,
    )


def test_the_second_format_is_the_next_that_recognizes_a_record(folder: Path) -> None:
    sample = SAMPLES / "anthropic/anthropic_text_response.json"
    (folder / "answer.json").write_bytes(sample.read_bytes())

    shown, code = identify("answer.json")

    assert code == 0
    assert shown.startswith("answer.json: anthropic\n")
    assert '\nsecond: openai_chat, by the key "role"\n' in shown
    assert shown.endswith(
        """\
format        would read   used   calls
anthropic              1      1       0
openai_chat            1      0       0
"""
    )


def test_every_record_of_a_mixed_file_is_counted(folder: Path) -> None:
    write(folder / "mixed.jsonl", CHAT, SPOILED, UNKNOWN, BLOCKS)
    with (folder / "mixed.jsonl").open("a") as file:
        file.write("not json\n")

    shown, code = identify("mixed.jsonl")

    assert code == 0
    assert shown.startswith("mixed.jsonl: openai_chat, anthropic\n\nopenai_chat: OpenAI chat")
    assert (
        "openai_chat            2      2       1\nanthropic              1      1       1\n"
        in shown
    )
    plain = " ".join(shown.split())
    assert f"something that looks like calls and is not read: 1 mixed.jsonl:2: {SIGN}" in plain
    assert "unknown format, or unreadable: 2 mixed.jsonl:5:1: not JSON" in plain
    assert "mixed.jsonl:3: unknown format: an object with the keys 'foo', 'bar'." in plain


def test_an_unknown_file_names_similar_formats_and_what_looks_like_calls(folder: Path) -> None:
    write(folder / "unknown.json", UNKNOWN)

    shown, code = identify("unknown.json")

    plain = " ".join(shown.split())
    assert code == 3
    assert plain.startswith("unknown.json: unknown format unknown format, or unreadable: 1")
    assert "'toolcalls' at $.bar[0] looks like a call. Most similar: " in plain


def test_a_folder_and_an_archive_are_identified_as_a_whole(folder: Path) -> None:
    write(folder / "traces/chat.json", CHAT)
    write(folder / "traces/other.json", UNKNOWN)
    (folder / "traces/react.txt").write_text(REACT)
    with tarfile.open(folder / "traces.tar.gz", "w:gz") as archive:
        archive.add("traces")

    for name, place in (("traces", "traces/"), ("traces.tar.gz", "traces.tar.gz!traces/")):
        found = data_of(name)
        assert sorted(found["recognized"]) == ["openai_chat", "text_react"]
        assert [use["calls"] for use in found["formats"]] == [1, 1]
        assert [problem.partition(": ")[0] for problem in found["unknown"]] == [
            f"{place}other.json"
        ]


def test_the_lines_of_one_document_are_its_records(folder: Path) -> None:
    request = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "tools/call",
        "params": {"name": "f", "arguments": {}},
    }
    write(folder / "log.jsonl", request, {"jsonrpc": "2.0", "id": 1, "result": {"content": []}})

    (use,) = data_of("log.jsonl")["formats"]

    assert (use["name"], use["records"], use["used"], use["calls"]) == ("mcp", 2, 2, 1)


def test_cases_with_the_response_of_a_model_are_cases(folder: Path) -> None:
    write(
        folder / "cases.jsonl",
        {"id": "a", "expected": ["f"], "actual": CHAT},
        {"id": "b", "expected": ["f"], "actual": SPOILED},
    )

    found = data_of("cases.jsonl")

    assert found["recognized"] == ["callscore_case"]
    assert found["unread"] == [f"cases.jsonl:2: actual: {SIGN}"]
    assert found["unknown"] == []


def test_a_record_that_is_recognized_and_cannot_be_read_is_named(folder: Path) -> None:
    write(folder / "cases.jsonl", {"id": "a", "expected": [5], "actual": []})

    shown, code = identify("cases.jsonl")

    assert code == 0
    assert "callscore_case            1      1   error\n" in shown
    plain = " ".join(shown.split())
    assert (
        "recognized, but unreadable: 1 callscore_case: cases.jsonl:1: cases[0]: expected" in plain
    )


def test_json_has_everything(folder: Path) -> None:
    write(folder / "traces.jsonl", CHAT, SPOILED)

    assert data_of("traces.jsonl") == {
        "file": "traces.jsonl",
        "recognized": ["openai_chat"],
        "second": None,
        "formats": [
            {
                "name": "openai_chat",
                "title": "OpenAI chat completions (responses, requests, messages, fine-tuning files)",
                "records": 2,
                "used": 2,
                "calls": 1,
                "signs": ['the key "choices"'],
                "problem": "",
            }
        ],
        "unread": [f"traces.jsonl:2: {SIGN}"],
        "unknown": [],
    }


@pytest.mark.parametrize("output_format", ["table", "json"])
def test_secrets_of_the_environment_are_hidden(
    folder: Path, monkeypatch: pytest.MonkeyPatch, output_format: str
) -> None:
    secret = "sk-live-4f9a8b7c6d5e4f3a2b1c"  # noqa: S105  (made up)
    monkeypatch.setenv("EXAMPLE_API_KEY", secret)
    message = {"role": "assistant", f"{secret}_tool_calls": [{"id": "1"}]}
    write(folder / "traces.jsonl", {"choices": [{"message": message}]}, {secret: 1})

    shown = run("--identify", "traces.jsonl", "--format", output_format).output

    assert secret not in shown
    assert shown.count("[hidden ") == 2
