"""`callscore check`, as it is typed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from tests.e2e.conftest import Program

SCHEMA = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
TOOLS = [{"name": "weather", "input_schema": SCHEMA}]
GOOD = {"name": "weather", "arguments": {"city": "Oslo"}}
BAD = {"name": "weather", "arguments": {"city": 5}}

REMOTE = (
    "the schema of the tool 'f' is invalid: it refers to `http:x`, which it does not contain. "
    "References are not fetched."
)


def _write(path: Path, *records: Any) -> str:
    path.write_bytes(b"".join(msgspec.json.encode(record) + b"\n" for record in records))
    return path.name


@pytest.fixture
def files(tmp_path: Path) -> tuple[str, str]:
    runs = _write(tmp_path / "runs.jsonl", {"id": "a", "actual": [GOOD, BAD]})
    return runs, _write(tmp_path / "tools.json", TOOLS)


def test_the_report_goes_to_standard_output(callscore: Program, files: tuple[str, str]) -> None:
    ran = callscore("check", files[0], "--tools", files[1])

    assert (ran.returncode, ran.stderr) == (0, "")
    assert ran.stdout == (
        "1 file, 1 trace, 2 calls: 1 with faults (50.0%)\n"
        "valid calls: 50.0% (1 of 2)\n"
        "\n"
        "Faults by tool\n"
        "                wrong\n"
        "tool     calls   type\n"
        "weather      2      1\n"
        "\n"
        "runs.jsonl:1, a, call 2\n"
        "    weather(city=5)\n"
        "    wrong type  city: must be of type string, got 5\n"
    )


def test_colours_are_for_terminals(callscore: Program, files: tuple[str, str]) -> None:
    ran = callscore("check", files[0], "--tools", files[1], FORCE_COLOR="1", TERM="xterm-256color")

    assert "\x1b[" in ran.stdout


def test_fail_on_names_the_reason_and_exits_with_1(
    callscore: Program, files: tuple[str, str]
) -> None:
    some = callscore("check", files[0], "--tools", files[1], "--fail-on", "any")
    other = callscore("check", files[0], "--tools", files[1], "--fail-on", "unknown_tool")
    this = callscore(
        *("check", files[0], "--tools", files[1], "--lang", "ru"),
        *("--fail-on", "loop", "--fail-on", "wrong_type"),
    )

    assert (some.returncode, some.stderr) == (1, "callscore: wrong type: 1 (--fail-on any)\n")
    assert (other.returncode, other.stderr) == (0, "")
    assert (this.returncode, this.stderr) == (
        1,
        "callscore: неверный тип: 1 (--fail-on wrong_type)\n",
    )


def test_findings_come_one_a_line_and_notes_beside_them(
    callscore: Program, files: tuple[str, str]
) -> None:
    known = callscore("check", files[0], "--tools", files[1], "--format", "jsonl")
    unknown = callscore("check", files[0], "--format", "jsonl")

    (finding,) = [msgspec.json.decode(line) for line in known.stdout.splitlines()]
    assert (finding["kind"], finding["path"], finding["index"]) == ("wrong_type", "$.city", 1)
    assert unknown.stdout == ""
    assert unknown.stderr.startswith("callscore: 1 trace without tool definitions")


@pytest.mark.parametrize(("name", "start"), [("json", "{\n"), ("markdown", "## 1 file")])
def test_the_other_formats_can_go_to_a_file(
    callscore: Program, files: tuple[str, str], tmp_path: Path, name: str, start: str
) -> None:
    ran = callscore("check", *files[:1], "--tools", files[1], "--format", name, "-o", "out")

    assert (ran.returncode, ran.stdout) == (0, "")
    assert (tmp_path / "out").read_text().startswith(start)


def test_limit_shows_fewer(callscore: Program, files: tuple[str, str]) -> None:
    ran = callscore("check", files[0], "--tools", files[1], "--max-shown", "0")

    assert ran.stdout.endswith("… 1 fault not shown; --max-shown shows more\n")


def test_the_calls_can_stand_elsewhere(callscore: Program, tmp_path: Path) -> None:
    runs = _write(tmp_path / "runs.jsonl", {"log": {"made": [BAD]}})
    tools = _write(tmp_path / "tools.json", TOOLS)

    ran = callscore("check", runs, "--tools", tools, "--map", "actual=$.log.made")

    assert "wrong type  city" in ran.stdout


def test_skipped_records_are_counted(callscore: Program, files: tuple[str, str]) -> None:
    ran = callscore("check", "-", "--skip-bad", "--tools", files[1], stdin=b'{"actual": 3}\n')

    assert ran.returncode == 3  # nothing was checked
    assert "1 record skipped: unreadable" in ran.stdout


@pytest.mark.parametrize(
    ("tools", "problem"),
    [
        ([], "no tool definitions found."),
        ([{"name": "f", "input_schema": {"type": "object", "$ref": "http:x"}}], REMOTE),
        (
            [*TOOLS, {"name": "weather", "input_schema": {"type": "object"}}],
            "two definitions of the tool 'weather' have different schemas.",
        ),
        ([{"name": "f", "parameters": {"$ref": "http:x"}}], REMOTE),
        ([{"name": "f", "arguments": {}}], "no tool definitions found."),
        (
            [{"name": "f", "effect": "wriet"}],
            "the tool 'f' has an unknown effect 'wriet'. Did you mean 'write'?",
        ),
    ],
)
def test_definitions_that_cannot_be_used_are_an_error(
    callscore: Program, files: tuple[str, str], tmp_path: Path, tools: Any, problem: str
) -> None:
    _write(tmp_path / "wrong.json", tools)

    ran = callscore("check", files[0], "--tools", "wrong.json")

    assert (ran.returncode, ran.stderr) == (3, f"callscore: wrong.json: {problem}\n")


def test_a_file_without_runs_is_an_error(callscore: Program, tmp_path: Path) -> None:
    (tmp_path / "empty.jsonl").write_bytes(b"")

    ran = callscore("check", "empty.jsonl")

    assert ran.returncode == 3
    assert ran.stderr == "callscore: empty.jsonl: no calls to check found.\n"


def test_wrong_usage_is_told(callscore: Program) -> None:
    twice = callscore("check", "-", "-")
    unknown = callscore("check", "x", "--fail-on", "everything")

    assert (twice.returncode, unknown.returncode) == (2, 2)
    assert "Standard input can be read only once." in twice.stderr


def test_hostile_text_reaches_no_terminal(callscore: Program, tmp_path: Path) -> None:
    name = "\x1b]0;owned\x07"
    call = {"name": name, "arguments": {"\x1b[31m": "\x1b[2J"}}
    runs = _write(tmp_path / "runs.jsonl", {"id": name, "actual": [call, call]})
    tools = _write(tmp_path / "tools.json", TOOLS)

    for output_format in ("table", "markdown", "json", "jsonl"):
        ran = callscore("check", runs, "--tools", tools, "--format", output_format)

        assert ran.returncode == 0
        assert "\x1b" not in ran.stdout
        assert "\x07" not in ran.stdout


@pytest.mark.parametrize("options", [(), ("--fail-on", "any")])
def test_nothing_checked_is_an_error(
    callscore: Program, tmp_path: Path, options: tuple[str, ...]
) -> None:
    references = _write(tmp_path / "r.jsonl", {"id": "a", "expected": [GOOD]})

    ran = callscore("check", references, *options)

    assert ran.returncode == 3
    assert ran.stderr == "callscore: no case was checked: the records have no actual calls\n"


def test_an_evaluation_is_for_callscore_run(callscore: Program, tmp_path: Path) -> None:
    (tmp_path / "eval_x.py").write_text("print('never run')\n")

    for command in (("check",), ("explain",), ("metrics", "--disagree")):
        ran = callscore(*command, "eval_x.py")

        assert ran.returncode == 2
        assert "Run it with: callscore run eval_x.py" in ran.stderr
