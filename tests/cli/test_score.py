"""`callscore score`: what it refuses, and what it says if nothing could be scored."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
import pytest
from click.testing import CliRunner

from callscore.cli.demo import command as demo
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


def test_a_reference_without_an_id_is_not_applied_to_all() -> None:
    ran = run("--expected", "nameless.jsonl", "--actual", "traces.jsonl")

    assert "the reference has no id, but the traces have different ids" in str(ran.exception)


@pytest.mark.parametrize("output_format", ["table", "markdown"])
@pytest.mark.parametrize("option", [("--show", "none"), ("--max-shown", "0")])
def test_a_single_case_without_its_calls_has_a_compact_report(
    folder: Path, output_format: str, option: tuple[str, str]
) -> None:
    (folder / "a.jsonl").write_text('{"id": "a", "expected": ["f"], "actual": ["g"]}\n')

    text = run("a.jsonl", "--format", output_format, *option).stdout

    assert "0 correct, 0 incorrect, 1 missed, 1 extra" in text
    assert "macro" not in text.casefold()
    assert "f()" not in text
    assert "not shown" not in text


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
