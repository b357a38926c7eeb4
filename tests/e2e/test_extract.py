"""`callscore extract` and `callscore formats`, as they are typed."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

if TYPE_CHECKING:
    from tests.e2e.conftest import Program

MESSAGES = [
    {"role": "user", "content": "x"},
    {
        "role": "assistant",
        "content": [
            {"type": "tool_use", "id": "t1", "name": "f", "input": {"a": 1}},
            {"type": "tool_use", "id": "t2", "name": "g", "input": {}},
        ],
    },
    {
        "role": "user",
        "content": [
            {"type": "tool_result", "tool_use_id": "t1", "content": "fine"},
            {"type": "tool_result", "tool_use_id": "t2", "content": "no", "is_error": True},
        ],
    },
]
TOOLS = [{"name": "f", "description": "It fs.", "input_schema": {"type": "object"}}]


def lines(text: str) -> list[dict[str, Any]]:
    return [msgspec.json.decode(line) for line in text.splitlines()]


def write(path: Path, value: Any) -> str:
    path.write_bytes(msgspec.json.encode(value))
    return str(path)


def test_schemas_give_untyped_text_its_types(callscore: Program, tmp_path: Path) -> None:
    text = "<tool_call>\n<function=f>\n<parameter=a>\n1\n</parameter>\n</function>\n</tool_call>"
    (tmp_path / "out.txt").write_text(text)
    schema = {"type": "object", "properties": {"a": {"type": "integer"}}}
    tools = write(tmp_path / "tools.json", [{"name": "f", "input_schema": schema}])

    untyped = callscore("extract", str(tmp_path / "out.txt"))
    typed = callscore("extract", str(tmp_path / "out.txt"), "--tools", tools)

    assert lines(untyped.stdout)[0]["arguments"] == {"a": "1"}
    assert lines(typed.stdout)[0]["arguments"] == {"a": 1}


def test_what_is_extracted_can_be_scored(callscore: Program, tmp_path: Path) -> None:
    file = write(tmp_path / "run.json", MESSAGES)
    golden = tmp_path / "golden.jsonl"

    assert callscore("extract", file, "-o", str(golden)).stdout == ""
    ran = callscore("score", "--expected", str(golden), "--actual", file, "--fail-under", "1")

    assert ran.returncode == 0
    assert "100.0%" in ran.stdout


def test_the_example_of_a_format_can_be_read_again(callscore: Program) -> None:
    shown = callscore("formats", "openai_chat")
    ran = callscore("extract", "-", stdin=shown.stdout.encode())

    assert lines(ran.stdout)[0]["name"] == "get_weather"
    assert "openai_chat: 1 requested call\n" in ran.stderr
    assert callscore("formats", "openai_chats").returncode == 2


def test_a_link_stays_a_link_and_a_device_a_device(callscore: Program, tmp_path: Path) -> None:
    file = write(tmp_path / "run.json", MESSAGES)
    (tmp_path / "out.jsonl").write_text("old")
    (tmp_path / "link").symlink_to("out.jsonl")

    linked = callscore("extract", file, "-o", "link")
    dropped = callscore("extract", file, "-o", "/dev/null")

    assert (linked.returncode, dropped.returncode) == (0, 0)
    assert (tmp_path / "link").is_symlink()
    assert len(lines((tmp_path / "out.jsonl").read_text())) == 2
    assert Path("/dev/null").is_char_device()


def test_a_full_disk_is_a_sentence(callscore: Program, tmp_path: Path) -> None:
    file = write(tmp_path / "run.json", MESSAGES)
    command = [sys.executable, "-m", "callscore", "extract", file]

    with Path("/dev/full").open("wb") as full:
        ran = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, check=False)
    to_file = callscore("extract", file, "-o", "/dev/full")

    assert (ran.returncode, to_file.returncode) == (2, 2)
    assert ran.stderr.decode().endswith("Cannot write the output: No space left on device.\n")
    assert "Cannot write /dev/full: No space left on device." in to_file.stderr


def test_records_of_another_shape_are_scored_where_the_user_says(
    callscore: Program, tmp_path: Path
) -> None:
    record = {"meta": {"task": "t"}, "gold": ["f", "g"], "chat": MESSAGES}
    file = write(tmp_path / "log.json", [record])
    options = ("--map", "id=$.meta.task", "--map", "expected=$.gold", "--map", "actual=$.chat")

    ran = callscore("score", file, *options, "--fail-under", "1")
    explained = callscore("explain", file, *options)

    assert ran.returncode == 0
    assert "100.0%" in ran.stdout
    assert explained.stdout.startswith("t\n")
    for wrong, message in (
        ("id", "is not of the form FIELD=PATH"),
        ("x=$.y", "unknown field 'x' of a case"),
    ):
        refused = callscore("score", file, "--map", wrong)
        assert refused.returncode == 2
        assert message in refused.stderr


def test_the_same_tool_is_printed_once(callscore: Program, tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    request = {"model": "m", "max_tokens": 9, "messages": MESSAGES, "tools": TOOLS}
    log.write_bytes(b"\n".join([msgspec.json.encode(request)] * 2))

    assert len(lines(callscore("extract", "--definitions", log).stdout)) == 1
