"""Where a report goes."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import click
import pytest

from callscore.cli.output import open_output
from callscore.core.results import Noted, Results
from callscore.core.settings import Settings
from callscore.core.summary import Summary
from callscore.engines.local import score_cases

if TYPE_CHECKING:
    from pathlib import Path

COLOUR = re.compile(r"\x1b\[[\d;]*3[0-7]m")
RESULTS = score_cases([{"id": "a", "expected": ["f"], "actual": []}])


def test_a_file_keeps_its_mode_and_is_replaced_as_a_whole(tmp_path: Path) -> None:
    target = tmp_path / "report.txt"
    target.write_text("old")
    target.chmod(0o600)

    with open_output(str(target), "table", "en") as output:
        output.write(RESULTS)
        assert target.read_text() == "old"

    assert target.read_text().startswith("Macro F1 0.0%")
    assert target.stat().st_mode & 0o777 == 0o600


def test_a_new_file_can_be_read_by_others(tmp_path: Path) -> None:
    target = tmp_path / "report.txt"

    with open_output(str(target), "markdown", "en") as output:
        output.write(RESULTS)

    assert target.stat().st_mode & 0o777 == 0o644


def test_what_was_written_before_a_failure_is_kept(tmp_path: Path) -> None:
    target = tmp_path / "cases.jsonl"

    with pytest.raises(RuntimeError), open_output(str(target), "jsonl", "en") as output:  # noqa: PT012
        assert output.on_case is not None
        output.on_case(RESULTS.cases[0])
        raise RuntimeError

    assert target.read_text().count("\n") == 1


def test_a_folder_that_is_not_there_is_wrong_usage(tmp_path: Path) -> None:
    with (
        pytest.raises(click.UsageError, match="Cannot write"),
        open_output(str(tmp_path / "no" / "report"), "table", "en"),
    ):
        pass


def test_a_directory_is_wrong_usage(tmp_path: Path) -> None:
    with (
        pytest.raises(click.UsageError, match="it is a directory"),
        open_output(str(tmp_path), "table", "en"),
    ):
        pass


def test_the_notes_of_json_lines_go_to_standard_error(capfd: pytest.CaptureFixture[str]) -> None:
    results = Results(
        settings=Settings(),
        summary=Summary(),
        not_scored=Noted(2),
        stopped=Noted(1, ("c.jsonl:3: \x1b[31mnot JSON",)),
    )

    with open_output(None, "jsonl", "en") as output:
        output.write(results)

    out, err = capfd.readouterr()
    assert out == ""
    assert err == (
        "callscore: 2 cases not scored: no expected calls are given\n"
        "callscore: stopped early, at 1 record that cannot be read; "
        "what follows is not in this report (c.jsonl:3: \\u001b[31mnot JSON)\n"
    )


def test_a_terminal_gets_colours(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.delenv("NO_COLOR", raising=False)

    with open_output(None, "table", "en") as output:
        output.write(RESULTS)

    assert COLOUR.search(capfd.readouterr().out)


def test_no_color_is_respected(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("NO_COLOR", "1")

    with open_output("-", "table", "en") as output:
        output.write(RESULTS)

    assert not COLOUR.search(capfd.readouterr().out)


def _break_off(target: Path) -> None:
    with open_output(str(target), "jsonl", "en", is_all_or_nothing=True) as output:
        output.write_bytes(b"half")
        raise ZeroDivisionError


def test_what_is_all_or_nothing_leaves_the_file_as_it_was_where_it_breaks_off(
    tmp_path: Path,
) -> None:
    target = tmp_path / "run.jsonl"
    target.write_text("old")

    with pytest.raises(ZeroDivisionError):
        _break_off(target)

    assert target.read_text() == "old"
    assert list(tmp_path.iterdir()) == [target]
