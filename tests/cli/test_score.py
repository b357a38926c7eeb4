"""`callscore score`: what it refuses, and what it says if nothing could be scored."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
import pytest
from click.testing import CliRunner

from callscore.cli.demo import command as demo
from callscore.cli.explain import command as explain
from callscore.cli.metrics import command as metrics
from callscore.cli.score import command

if TYPE_CHECKING:
    from pathlib import Path

    import click

REFERENCES = [{"id": name, "expected": ["f"]} for name in "ab"]
TRACES = [{"id": name, "actual": ["f"]} for name in "ab"]
OTHERS = [{"id": name, "actual": ["f"]} for name in "xy"]
NAMELESS: list[dict[str, Any]] = [{"expected": ["f"]}]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / ".git").mkdir()
    monkeypatch.chdir(tmp_path)
    for name, records in {
        "references": REFERENCES,
        "traces": TRACES,
        "others": OTHERS,
        "nameless": NAMELESS,
    }.items():
        text = msgspec.json.Encoder().encode_lines(records)
        (tmp_path / f"{name}.jsonl").write_bytes(text)
    return tmp_path


def run(*arguments: str, program: click.Command = command) -> Any:
    return CliRunner().invoke(program, arguments, standalone_mode=False)


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (("references.jsonl", "traces.jsonl"), "no case has both expected and actual calls."),
        (("traces.jsonl",), "the expected calls are missing. Add 'expected' to each case"),
        (("references.jsonl",), "the actual calls are missing. Add 'actual' to each case"),
        (
            ("--expected", "references.jsonl", "--actual", "others.jsonl"),
            "no id occurs in both --expected and --actual.",
        ),
    ],
)
@pytest.mark.parametrize("program", [command, metrics])
def test_nothing_scored_is_no_success(
    arguments: tuple[str, ...], problem: str, program: click.Command
) -> None:
    mode = ("--disagree",) if program is metrics else ()

    ran = run(*arguments, *mode, program=program)

    assert ran.return_value == 3
    assert f"callscore: no case was scored: {problem}" in ran.stderr


def test_what_joins_is_scored() -> None:
    ran = run("--expected", "references.jsonl", "--actual", "traces.jsonl", "--json")

    assert (ran.return_value, ran.stderr) == (0, "")
    assert msgspec.json.decode(ran.stdout)["totals"]["cases"] == 2


def test_a_limit_is_for_the_cases_that_are_used() -> None:
    sides = ("--expected", "references.jsonl", "--actual", "traces.jsonl")

    ran = run(*sides, "--json", "--limit", "1")

    assert msgspec.json.decode(ran.stdout)["totals"]["cases"] == 1


def test_a_reference_without_an_id_is_not_applied_to_all() -> None:
    ran = run("--expected", "nameless.jsonl", "--actual", "traces.jsonl")

    assert "the reference has no id, but the traces have different ids" in str(ran.exception)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("eval_x.py", "print('never run')"),
        ("suite.yaml", "model: m\ncases:\n  - input: hi\n    expected: []\n"),
        ("suite.toml", "answers = 'a.jsonl'\n[[cases]]\ninput = 'hi'\n"),
    ],
)
def test_an_evaluation_is_for_callscore_run(folder: Path, name: str, text: str) -> None:
    (folder / name).write_text(text)

    for arguments in ((name,), ("--expected", name, "--actual", "t.jsonl")):
        ran = run(*arguments)

        assert f"{name} is an evaluation. Run it with: callscore run {name}" in str(ran.exception)


def test_an_evaluation_that_does_not_exist_is_a_missing_file() -> None:
    assert "missing.py: file not found" in str(run("missing.py").exception)


@pytest.mark.parametrize("empty", ["expected", "actual"])
def test_an_empty_file_of_one_side_is_named(folder: Path, empty: str) -> None:
    for side in ("expected", "actual"):
        record = "" if side == empty else f'{{"id": "a", "{side}": ["f"]}}\n'
        (folder / f"{side}.jsonl").write_text(record)

    ran = run("--expected", "expected.jsonl", "--actual", "actual.jsonl")

    assert ran.return_value == 3
    assert f"no case was scored: {empty}.jsonl is empty" in ran.stderr


def test_two_empty_files_are_named(folder: Path) -> None:
    for side in ("expected", "actual"):
        (folder / f"{side}.jsonl").write_text("")

    ran = run("--expected", "expected.jsonl", "--actual", "actual.jsonl")

    assert "expected.jsonl, actual.jsonl: the file is empty" in str(ran.exception)


@pytest.mark.parametrize("output_format", ["table", "markdown"])
@pytest.mark.parametrize("option", [("--show", "none"), ("--max-shown", "0")])
def test_a_single_case_without_its_calls_has_a_compact_report(
    folder: Path, output_format: str, option: tuple[str, str]
) -> None:
    (folder / "a.jsonl").write_text('{"id": "a", "expected": ["f"], "actual": ["g"]}\n')

    text = run("a.jsonl", "--format", output_format, *option).stdout

    assert "Correct: 0" in text or "correct" in text
    assert "macro" not in text.casefold()
    assert "f()" not in text
    assert "not shown" not in text


def test_nothing_scored_has_no_rates(folder: Path) -> None:
    (folder / "a.jsonl").write_text('{"id": "a", "expected": ["f"]}\n')

    totals = msgspec.json.decode(run("a.jsonl", "--json").stdout)["totals"]

    assert totals["micro"] == {"f1": None, "precision": None, "recall": None}


def test_a_yaml_file_of_cases_is_scored(folder: Path) -> None:
    text = "cases:\n  - {id: a, expected: [f], actual: [f], model: m}\n"
    (folder / "cases.yaml").write_text(text)

    assert run("cases.yaml").return_value == 0
    assert "file not found" in str(run("missing.yaml").exception)


def test_the_demo_takes_settings_and_formats(folder: Path) -> None:
    outcome = run("--preset", "outcome", "--max-shown", "0", program=demo).stdout
    other = run("--mode", "flexible", "--max-shown", "0", "--lang", "ru", program=demo).stdout
    assert run("-o", "demo.json", "--max-shown", "1", program=demo).stdout == ""

    assert "With `--preset outcome`, only calls that change something count" in outcome
    assert "The score is low" not in outcome
    assert "С этими настройками пройдено" in other
    report = msgspec.json.decode((folder / "demo.json").read_bytes())
    assert (report["totals"]["cases"], len(report["cases"])) == (200, 1)


@pytest.mark.parametrize("options", [(), ("--format", "markdown")])
def test_the_headline_is_on_the_same_side_of_the_required_mean_as_the_note(
    folder: Path, options: tuple[str, ...]
) -> None:
    # 1,699 of 2,000 calls are correct: 84.95 %, which rounds to 85.0 %.
    right, wrong = {"expected": ["f"], "actual": ["f"]}, {"expected": ["f"], "actual": ["g"]}
    cases = [{"id": str(at), **(right if at < 1699 else wrong)} for at in range(2000)]
    (folder / "cases.jsonl").write_bytes(msgspec.json.Encoder().encode_lines(cases))

    ran = run("cases.jsonl", "--show", "none", "--fail-under", "0.85", *options)

    assert ran.return_value == 1
    assert "Macro F1 84.9%" in ran.stdout
    assert "macro F1 84.9%, required ≥ 85.0%" in ran.stderr


def test_junit_has_every_case_whatever_is_shown(folder: Path) -> None:
    (folder / "cases.jsonl").write_text('{"id": "a", "expected": ["f"], "actual": ["g"]}\n' * 2)

    ran = run("cases.jsonl", "--show", "none", "--max-shown", "0", "--format", "junit")

    assert 'tests="2" failures="2"' in ran.stdout


DEFINITION = {"name": "f", "parameters": {"properties": {"n": {"default": 1}}}}
NO_DEFINITIONS = (
    "callscore: --schema-defaults has no effect: it applies only with tool definitions, and none are"
    " known\n"
)


@pytest.mark.parametrize("program", [command, explain])
@pytest.mark.parametrize(
    ("case", "arguments", "is_noted"),
    [
        ({}, ("--schema-defaults", "equal"), True),
        ({}, ("--preset", "coverage", "--schema-defaults", "equal"), True),
        ({}, ("--preset", "coverage"), False),
        ({}, ("--schema-defaults", "differ"), False),
        ({"tools": [DEFINITION]}, ("--schema-defaults", "equal"), False),
        ({}, ("--schema-defaults", "equal", "--tools", "tools.json"), False),
    ],
)
def test_defaults_without_any_definition_are_pointed_out(
    folder: Path,
    program: click.Command,
    case: dict[str, Any],
    arguments: tuple[str, ...],
    *,
    is_noted: bool,
) -> None:
    record = {"id": "a", "expected": [["f", {}]], "actual": [["f", {"n": 1}]], **case}
    (folder / "case.json").write_bytes(msgspec.json.encode([record]))
    (folder / "tools.json").write_bytes(msgspec.json.encode([DEFINITION]))

    found = run("case.json", *arguments, program=program)

    assert found.exception is None
    assert found.stderr.count(NO_DEFINITIONS) == is_noted
    assert found.stderr.count("no effect") == is_noted


def test_defaults_of_rows_without_any_definition_are_pointed_out(folder: Path) -> None:
    record = {"id": "a", "expected": ["f"], "actual": ["f"]}
    (folder / "case.jsonl").write_bytes(msgspec.json.encode(record))

    found = run("case.jsonl", "--results", "rows.parquet", "--schema-defaults", "equal")

    assert NO_DEFINITIONS in found.stderr
    assert (
        "определениями инструментов"
        in run("case.jsonl", "--schema-defaults", "equal", "--lang", "ru").stderr
    )
