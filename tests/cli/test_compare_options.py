"""What `callscore compare` and `callscore gate` have in common."""

from __future__ import annotations

import pytest
from tests.reports.comparisons import ATTACKED, CLOSED, OPEN, REGRESSED

from callscore.cli.compare_options import say_reasons, write_report
from callscore.cli.output import Output
from callscore.reports import compare_json, compare_markdown, compare_terminal


class Written:
    """What was written to it."""

    def __init__(self) -> None:
        self.text = ""

    def write(self, data: bytes, /) -> None:
        self.text += data.decode()


@pytest.mark.parametrize(
    ("output_format", "text"),
    [
        ("table", compare_terminal.write(REGRESSED, most=2)),
        ("json", compare_json.write(REGRESSED)),
        ("markdown", compare_markdown.write(REGRESSED, most=2)),
    ],
)
def test_a_report_is_written_in_the_format_that_is_wanted(output_format: str, text: str) -> None:
    target = Written()

    write_report("compare", REGRESSED, Output(target, output_format, "en"), output_format, most=2)

    assert target.text == text


def test_on_github_no_line_of_a_table_is_a_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    target = Written()

    write_report("compare", ATTACKED, Output(target, "table", "ru"), "table", lang="ru")

    assert not [line for line in target.text.splitlines() if line.lstrip().startswith("::")]


def test_reasons_are_said_beside_the_report(capsys: pytest.CaptureFixture[str]) -> None:
    say_reasons(OPEN, "en")
    assert capsys.readouterr() == ("", "")

    say_reasons(CLOSED, "en")
    said = capsys.readouterr().err.splitlines()
    assert len(said) == 6
    assert said[3] == "callscore: 3 cases are gone (a, b, c)"
