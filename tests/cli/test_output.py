"""Where a report goes."""

from __future__ import annotations

import os
import re
import sys
from typing import TYPE_CHECKING

import click
import pytest
from msgspec.structs import replace
from tests.reports.comparisons import ATTACKED, REGRESSED
from tests.reports.runs import MIXED

from callscore.cli.output import (
    Output,
    add_step_summary,
    is_on_github,
    open_output,
    path_in_repository,
    stdout_to_stderr,
    write_report,
    write_run,
)
from callscore.core.results import Noted, Results
from callscore.core.settings import Settings
from callscore.core.summary import Summary
from callscore.engines.local import score_cases
from callscore.reports import compare, compare_terminal
from callscore.reports.terminal import printed_text

if TYPE_CHECKING:
    from collections.abc import Callable
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

    assert target.read_text().startswith("a   failed   0.0% Poor")
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
        "callscore: Incomplete: stopped at 1 record that cannot be read; "
        "the rest of the input is not in this report (c.jsonl:3: \\u001b[31mnot JSON)\n"
        "callscore: 2 cases not scored: no expected calls given\n"
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


# What GitHub's runners are told.


def test_a_runner_says_that_it_is_one(monkeypatch: pytest.MonkeyPatch) -> None:
    assert not is_on_github()

    monkeypatch.setenv("GITHUB_ACTIONS", "true")

    assert is_on_github()


def test_a_file_of_a_project_in_a_folder_is_known_from_the_top_of_the_repository_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = tmp_path / "services/agent"
    (project / ".callscore").mkdir(parents=True)
    monkeypatch.chdir(project)

    assert (
        path_in_repository("evals/eval_a.py") == "evals/eval_a.py"
    )  # nobody says where the top is

    monkeypatch.setenv("GITHUB_WORKSPACE", str(tmp_path))
    assert path_in_repository("evals/eval_a.py") == "services/agent/evals/eval_a.py"
    assert path_in_repository("") == ""

    monkeypatch.setenv("GITHUB_WORKSPACE", str(tmp_path / "elsewhere"))
    assert path_in_repository("evals/eval_a.py") == "evals/eval_a.py"


def test_a_summary_is_added_to_what_the_step_has(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "summary.md"
    file.write_text("# Before\n")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(file))

    add_step_summary(lambda: "## После\n")

    assert file.read_text(encoding="utf-8") == "# Before\n## После\n"


def test_a_summary_that_nobody_wants_is_not_even_made() -> None:
    add_step_summary(lambda: 1 / 0)  # type: ignore[arg-type,return-value]  # it is not called


def test_a_summary_that_cannot_be_written_is_told_and_changes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path))

    add_step_summary(lambda: "text")

    assert capsys.readouterr().err == (
        f"callscore: the step summary was not written: {tmp_path}: Is a directory\n"
    )

    add_step_summary(lambda: "text", "ru")

    assert capsys.readouterr().err.startswith("callscore: сводка шага не записана: ")


# Reports of `callscore run`.


@pytest.mark.parametrize(
    ("output_format", "is_said"),
    [("json", True), ("junit", True), ("table", False), ("markdown", False)],
)
def test_warnings_are_said_beside_a_report_for_programs(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, output_format: str, *, is_said: bool
) -> None:
    with open_output(str(tmp_path / "report"), output_format, "en") as output:
        write_run(MIXED, output, output_format, "en")

    warning = "Nothing was kept: the disk is full (.callscore/history.db)."
    assert (f"callscore: {warning}\n" in capsys.readouterr().err) is is_said
    assert "Nothing was kept" in (tmp_path / "report").read_text()


def test_what_is_printed_meanwhile_goes_to_standard_error(
    capfd: pytest.CaptureFixture[str],
) -> None:
    with stdout_to_stderr():
        sys.stdout.write("from Python\n")
        os.write(1, b"from elsewhere\n")
    sys.stdout.write("the report\n")

    out, err = capfd.readouterr()
    assert out == "the report\n"
    assert sorted(err.splitlines()) == ["from Python", "from elsewhere"]


def test_where_there_is_no_standard_output_it_runs_all_the_same(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    def closed(_: int) -> int:
        raise OSError

    with monkeypatch.context() as patched:
        patched.setattr(os, "dup", closed)
        with stdout_to_stderr():
            sys.stdout.write("from Python\n")

    assert capfd.readouterr().err == "from Python\n"


# Reports of `callscore compare` and `callscore gate`.

# A runner of GitHub would obey the names of these.
COMMANDS = replace(
    ATTACKED,
    after=replace(ATTACKED.after, label="##[error]x"),
    changes=(replace(ATTACKED.changes[0], case="##[error]x"), *ATTACKED.changes[1:]),
)


class Written:
    """What was written to it."""

    def __init__(self) -> None:
        self.text = ""

    def write(self, data: bytes, /) -> None:
        self.text += data.decode()


@pytest.mark.parametrize(
    ("output_format", "text"),
    [
        ("table", lambda: printed_text(compare_terminal.render, REGRESSED, max_shown=2)),
        ("json", lambda: compare.write_json(REGRESSED)),
        ("markdown", lambda: compare.write_markdown(REGRESSED, max_shown=2)),
    ],
)
def test_a_report_is_written_in_the_requested_format(
    output_format: str, text: Callable[[], str]
) -> None:
    target = Written()

    write_report(
        "compare", (REGRESSED,), Output(target, output_format, "en"), output_format, max_shown=2
    )

    assert target.text == text()


@pytest.mark.parametrize("output_format", ["table", "json", "markdown"])
def test_no_line_of_a_report_is_a_command(output_format: str) -> None:
    target = Written()

    write_report(
        "compare", (COMMANDS,), Output(target, output_format, "ru"), output_format, lang="ru"
    )

    assert not [line for line in target.text.splitlines() if line.lstrip().startswith("::")]
    assert "##[" not in target.text


def test_no_line_in_colour_is_a_command(
    monkeypatch: pytest.MonkeyPatch, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")

    with open_output(None, "table", "en") as output:
        write_report("compare", (COMMANDS,), output, "table", lang="en")

    printed = capsysbinary.readouterr().out.decode()
    assert "\x1b[" in printed
    assert "##[" not in printed
    assert "# #[error]x" in printed


def test_data_that_is_not_text_is_written_as_it_is() -> None:
    target = Written()
    output = Output(target, "jsonl", "en")

    output.write_unchanged(b"::##[x]")
    output.write_bytes(b'"##[x]"')

    assert target.text == '::##[x]"\\u0023#[x]"'


def test_a_console_writes_whole_lines_and_the_rest_at_the_end(
    monkeypatch: pytest.MonkeyPatch, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    with open_output(None, "table", "en") as output:
        console = output.console()
        assert console is not None

        console.file.write("a\n:")
        console.file.write(":b\n:")
        console.file.write(":c")
        console.file.flush()
        console.file.flush()

    assert capsysbinary.readouterr().out == b"a\n: :b\n: :c"


def test_an_interrupted_report_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "report.jsonl"
    path.write_text("old")

    def write_half() -> None:
        with open_output(str(path), "jsonl", "en") as output:
            output.write_text("half of a report\n")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_half()

    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]
