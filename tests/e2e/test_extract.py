"""`callscore extract` and `callscore formats`, as they are typed."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from callscore.formats.dialect import dialects

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


def test_calls_come_one_a_line_with_all_that_is_known(callscore: Program, tmp_path: Path) -> None:
    file = write(tmp_path / "run.json", MESSAGES)

    ran = callscore("extract", file)

    assert ran.returncode == 0
    assert lines(ran.stdout) == [
        {
            "name": "f",
            "arguments": {"a": 1},
            "id": "t1",
            "step": 0,
            "result": "fine",
            "failed": False,
        },
        {"name": "g", "arguments": {}, "id": "t2", "step": 0, "result": "no", "failed": True},
    ]
    assert ran.stderr == f"callscore: {file}: anthropic: 2 requested calls\n"


def test_a_named_format_needs_no_telling(callscore: Program, tmp_path: Path) -> None:
    ran = callscore(
        "extract", write(tmp_path / "run.json", MESSAGES), "--input-format", "anthropic"
    )

    assert len(lines(ran.stdout)) == 2
    assert ran.stderr == ""


def test_arguments_that_cannot_be_read_are_null(callscore: Program, tmp_path: Path) -> None:
    call = {"id": "1", "type": "function", "function": {"name": "f", "arguments": '{"a'}}
    file = write(tmp_path / "run.json", [{"role": "assistant", "tool_calls": [call]}])

    ran = callscore("extract", file)

    (line,) = lines(ran.stdout)
    assert list(line)[:2] == ["name", "arguments"]
    assert line["arguments"] is None
    assert (line["raw"], line["error"]) == ('{"a', "truncated_json")


def test_tools_come_one_a_line(callscore: Program, tmp_path: Path) -> None:
    request = {"model": "m", "max_tokens": 9, "messages": MESSAGES, "tools": TOOLS}

    ran = callscore("extract", "--definitions", write(tmp_path / "request.json", request))

    assert lines(ran.stdout) == [
        {"name": "f", "description": "It fs.", "parameters": {"type": "object"}}
    ]
    assert ran.stderr.endswith("request.json: anthropic: 1 tool\n")


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


def test_standard_input_and_several_files(callscore: Program, tmp_path: Path) -> None:
    file = write(tmp_path / "run.json", MESSAGES)
    other = write(tmp_path / "calls.json", [{"tool": "h", "args": {}}])

    ran = callscore("extract", file, other)
    piped = callscore("extract", "-", stdin=msgspec.json.encode(MESSAGES))

    assert [line["name"] for line in lines(ran.stdout)] == ["f", "g", "h"]
    assert [line["name"] for line in lines(piped.stdout)] == ["f", "g"]


def test_all_formats_are_listed_with_an_example(callscore: Program) -> None:
    ran = callscore("formats")

    assert ran.returncode == 0
    listed = ran.stdout.splitlines()
    names = [line.split()[0] for line in listed if not line.startswith(" ")]
    assert names == [dialect.name for dialect in dialects()]
    assert all(len(line) <= 100 for line in listed)


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


def test_a_format_that_a_file_is_not_in_is_refused(callscore: Program, tmp_path: Path) -> None:
    file = write(tmp_path / "run.json", MESSAGES)

    ran = callscore("extract", file, "--input-format", "gemini")

    assert (ran.returncode, ran.stdout) == (3, "")
    assert (
        "run.json: the document is not in the format 'gemini'. It looks like 'anthropic'.\n"
        in ran.stderr
    )


def test_calls_of_several_documents_are_told_apart(callscore: Program, tmp_path: Path) -> None:
    one = tmp_path / "log.jsonl"
    one.write_bytes(b"\n".join(msgspec.json.encode({"messages": MESSAGES}) for _ in range(2)))
    other = write(tmp_path / "run.json", MESSAGES)

    ran = callscore("extract", str(one), other)

    places = [line["place"] for line in lines(ran.stdout)]
    assert places == [f"{one}:1"] * 2 + [f"{one}:2"] * 2 + [other] * 2


def test_leaving_out_more_keeps_the_user_left_out(callscore: Program, tmp_path: Path) -> None:
    calls: list[Any] = [
        {"name": who, "arguments": {}, "caller": who} for who in ("user", "subagent")
    ]
    file = write(tmp_path / "calls.json", [{"name": "agent", "arguments": {}}, *calls])

    def names(*options: str) -> list[str]:
        return [line["name"] for line in lines(callscore("extract", file, *options).stdout)]

    assert names() == ["agent", "subagent"]
    assert names("--leave-out", "subagent") == ["agent"]
    assert names("--leave-out", "none") == ["agent", "user", "subagent"]
    wrong = callscore("extract", file, "--leave-out", "none", "--leave-out", "code")
    assert wrong.returncode == 2
    assert names("--callers", "agent, user") == ["agent", "user"]
    assert names("--callers", "agent,subagent", "--leave-out", "subagent") == ["agent"]
    unknown = callscore("extract", file, "--callers", "agent,me")
    assert unknown.returncode == 2
    choices = "callers: unknown value 'me'. Choose from: agent, user, subagent, code."
    assert choices in unknown.stderr


def test_a_user_who_counts_can_be_left_out(callscore: Program, tmp_path: Path) -> None:
    made: list[dict[str, Any]] = [
        {"id": who, "name": who, "arguments": {}, "requestor": who} for who in ("user", "agent")
    ]
    messages = [{"role": "assistant", "tool_calls": [call]} for call in made]
    checks = {"action_checks": [{"action": call} for call in made]}
    run = {"id": "s", "task_id": "1", "messages": messages, "reward_info": checks}
    file = write(tmp_path / "run.json", run)

    def names(*options: str) -> list[str]:
        return [line["name"] for line in lines(callscore("extract", file, *options).stdout)]

    assert names() == ["user", "agent"]
    assert names("--leave-out", "hosted") == ["user", "agent"]
    assert names("--leave-out", "user") == ["agent"]


def test_several_files_of_traces_are_joined(callscore: Program, tmp_path: Path) -> None:
    for name in "ab":
        write(tmp_path / f"{name}.json", {"id": name, "messages": MESSAGES})
    golden = tmp_path / "golden.jsonl"
    golden.write_text('{"id": "a", "expected": ["f", "g"]}\n{"id": "b", "expected": ["f"]}\n')

    ran = callscore(
        "score", "--expected", golden, "--actual", "a.json", "--actual", "b.json", "--show", "none"
    )

    assert ran.returncode == 0
    assert "2 cases, strict" in ran.stdout


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


def test_a_document_that_cannot_be_read_can_be_skipped(callscore: Program, tmp_path: Path) -> None:
    possible = {"id": "simple_0", "ground_truth": "in so many words"}
    file = write(tmp_path / "answers.json", possible)

    stopped = callscore("extract", file)
    skipped = callscore("extract", file, "--skip-bad")

    assert stopped.returncode == 3
    assert "skipped" in skipped.stderr


def test_the_same_tool_is_printed_once(callscore: Program, tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    request = {"model": "m", "max_tokens": 9, "messages": MESSAGES, "tools": TOOLS}
    log.write_bytes(b"\n".join([msgspec.json.encode(request)] * 2))

    assert len(lines(callscore("extract", "--definitions", log).stdout)) == 1


def test_a_failed_request_and_a_list_of_tools_hold_no_calls(
    callscore: Program, tmp_path: Path
) -> None:
    file = write(tmp_path / "tools.json", TOOLS)

    assert callscore("extract", file).stderr.endswith("tools.json: tool_definitions: 0 calls\n")


def test_the_example_of_a_text_format_is_text(callscore: Program) -> None:
    shown = callscore("formats", "text_hermes").stdout

    assert shown.startswith("<tool_call>\n")


def test_names_stand_out_on_a_terminal(callscore: Program) -> None:
    assert "\x1b[1mgeneric" in callscore("formats", FORCE_COLOR="1").stdout
    assert "\x1b[" not in callscore("formats").stdout
