"""What `callscore compare` and `callscore gate` have in common."""

from __future__ import annotations

import click
import pytest
from msgspec.structs import replace
from tests.reports.comparisons import ATTACKED, CLOSED, DOUBTFUL, OPEN, REGRESSED

from callscore.cli.exits import print_gate_reasons
from callscore.cli.options import RUN_NAME
from callscore.cli.output import Output, open_output, write_report_for_log
from callscore.reports import (
    compare as compare_json,
)
from callscore.reports import (
    compare as compare_markdown,
)
from callscore.reports import (
    compare_terminal,
)

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
        ("table", compare_terminal.write_text(REGRESSED, most=2)),
        ("json", compare_json.write_json(REGRESSED)),
        ("markdown", compare_markdown.write_markdown(REGRESSED, most=2)),
    ],
)
def test_a_report_is_written_in_the_format_that_is_wanted(output_format: str, text: str) -> None:
    target = Written()

    write_report_for_log(
        "compare", REGRESSED, Output(target, output_format, "en"), output_format, most=2
    )

    assert target.text == text


@pytest.mark.parametrize("output_format", ["table", "json", "markdown"])
def test_on_github_no_line_of_a_report_is_a_command(
    output_format: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    target = Written()

    write_report_for_log(
        "compare", COMMANDS, Output(target, output_format, "ru"), output_format, lang="ru"
    )

    assert not [line for line in target.text.splitlines() if line.lstrip().startswith("::")]
    assert "##[" not in target.text


def test_on_github_no_line_in_colour_is_a_command(
    monkeypatch: pytest.MonkeyPatch, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    monkeypatch.setenv("FORCE_COLOR", "1")

    with open_output(None, "table", "en") as output:
        write_report_for_log("compare", COMMANDS, output, "table", lang="en")

    printed = capsysbinary.readouterr().out.decode()
    assert "\x1b[" in printed
    assert "##[" not in printed
    assert "# #[error]x" in printed


def test_reasons_are_said_beside_the_report(capsys: pytest.CaptureFixture[str]) -> None:
    print_gate_reasons(OPEN, "en")
    assert capsys.readouterr() == ("", "")

    print_gate_reasons(CLOSED, "en")
    said = capsys.readouterr().err.splitlines()
    assert len(said) == 6
    assert said[3] == "callscore: 3 cases are gone, or have no number any more (a, b, c)"

    print_gate_reasons(DOUBTFUL, "en")
    assert capsys.readouterr().err.startswith("callscore: too few cases to tell: 1 worse, 0 better")


# What a run may be called.


@pytest.mark.parametrize("name", ["main", "before the change", "v1.2/try-3", "прогон", "latestone"])
def test_a_word_that_can_be_typed_again_is_a_name(name: str) -> None:
    assert RUN_NAME.convert(f" {name} ", None, None) == name


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("", "1 to 200"),
        ("   ", "1 to 200"),
        ("x" * 201, "1 to 200"),
        ("a\x1b[2J", "1 to 200"),
        ("-x", "like an option"),
        ("latest", "by its age"),
        ("latest~2", "by its age"),
        ("Latest-try", "by its age"),
        ("main~2", "by its age"),
        ("HEAD", "a commit"),
        ("main:large", "a variant"),
        ("20261115-184354-k3f9", "the id of a run"),
    ],
)
def test_what_would_not_be_found_again_is_none(name: str, told: str) -> None:
    with pytest.raises(click.BadParameter, match=told):
        RUN_NAME.convert(name, None, None)
