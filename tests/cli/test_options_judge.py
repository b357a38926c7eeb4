"""The option that names a judge."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click
import pytest
from click.testing import CliRunner

from callscore import Case, InvalidSettings, MissingKey, ModelFailed, UnusableStore
from callscore.cli.judge_options import judge_from, judge_option, judged_settings_from
from callscore.cli.options import settings_options
from callscore.cli.score import UnjudgedCases, judged_lines
from callscore.models import judge

if TYPE_CHECKING:
    from pathlib import Path

    from callscore.core.phrases import Language

HERE = "http://127.0.0.1:1/v1"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty project, and no key in the environment."""
    (tmp_path / ".git").mkdir()
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    return tmp_path


def test_without_a_name_there_is_no_judge() -> None:
    assert judge_from({}) is None
    assert judge_from({"judge": None, "config": None, "no_config": False}) is None


def test_the_judge_that_is_named_is_one_that_can_be_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(MissingKey):
        judge_from({"judge": "m"})

    monkeypatch.setenv("OPENAI_BASE_URL", HERE)
    options = {"judge": "m"}
    found = judge_from(options)

    assert found is not None
    assert found.model == "m"
    assert options == {}


def test_a_project_may_name_one_that_nobody_needs(folder: Path) -> None:
    (folder / "callscore.toml").write_text('judge = {name = "m", key_variable = "MY_KEY"}')

    found = judge_from({"judge": None})

    assert found is not None
    assert (found.model, found.key_variable) == ("m", "MY_KEY")
    assert judge_from({"judge": None, "no_config": True}) is None


def test_what_a_project_says_wrong_of_it_is_named_with_the_file(folder: Path) -> None:
    (folder / "callscore.toml").write_text('judge = {name = "m", base_url = "localhost"}')

    with pytest.raises(InvalidSettings, match=r"callscore\.toml: base_url: "):
        judge_from({})


def test_the_command_line_goes_before_the_project(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", HERE)
    (folder / "callscore.toml").write_text(
        f'pass_mark = 0.5\njudge = {{name = "m", base_url = "{HERE}"}}'
    )
    found: list[Any] = []

    @click.command()
    @settings_options
    @judge_option
    def command(**options: Any) -> None:
        found.extend(judged_settings_from(options))

    assert CliRunner().invoke(command, ["--judge", "n"]).exit_code == 0
    settings, named = found
    assert (settings.judge is named, named.model, settings.pass_mark) == (True, "n", 0.5)

    found.clear()
    assert CliRunner().invoke(command, []).exit_code == 0
    assert found[1].model == "m"

    found.clear()
    assert CliRunner().invoke(command, ["--no-config"]).exit_code == 0
    assert (found[0].judge, found[1]) == (None, None)


def test_nothing_is_written_before_anything_is_judged(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", HERE)

    judge_from({"judge": "m"})

    assert [path.name for path in folder.iterdir()] == [".git"]


@pytest.mark.parametrize(
    ("lang", "line"),
    [
        ("en", "m judged 1 value with 2 requests"),
        ("ru", "m: 1 значение оценено, 2 запроса"),
    ],
)
def test_what_was_judged_is_said_in_a_line(lang: Language, line: str) -> None:
    found = judge("m", base_url=HERE)
    assert judged_lines(None, lang) == []
    assert judged_lines(found, lang) == []

    found._judged, found._asked = 1, 2
    assert judged_lines(found, lang) == [line]


def test_answers_that_are_not_kept_are_mentioned() -> None:
    found = judge("m", base_url=HERE)
    found.problem = str(UnusableStore("history.db", "the disk is full."))

    assert judged_lines(found, "en") == [
        "the answers of the judge were not saved: history.db: the disk is full."
    ]


def test_cases_that_are_not_judged_are_counted_and_the_first_named() -> None:
    asked = judge("m", base_url=HERE)
    unjudged = UnjudgedCases(asked)
    assert not unjudged
    assert unjudged.lines("en") == []

    for number in range(12):
        asked._judged = number  # there was an answer in between
        unjudged.take(f"a.jsonl:{number}", Case(id="" if number else "x"), ModelFailed("m", "\x1b"))

    assert unjudged
    first, *named = unjudged.lines("en")
    assert first == "12 cases not judged, and not in the report"
    assert named[:2] == ["a.jsonl:0: x: m: \\u001b", "a.jsonl:1: m: \\u001b"]
    assert len(named) == 10


def test_after_so_many_in_a_row_it_is_given_up() -> None:
    unjudged = UnjudgedCases(None)
    error = ModelFailed("m", "no")
    for number in range(4):
        unjudged.take(str(number), Case(), error)

    with pytest.raises(ModelFailed):
        unjudged.take("5", Case(), error)
    assert unjudged.lines("ru")[0] == "не оценено судьёй и не вошло в отчёт: 5 случаев"
