"""The options of several commands."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click
import pytest
from click.testing import CliRunner

from callscore.cli.options import (
    SettingsCommand,
    overrides_from,
    parse_run_name,
    settings_from,
    settings_options,
    tools_from,
    tools_option,
)
from callscore.core.settings import DEFAULT, ArgumentRule, Settings
from callscore.errors import InvalidSettings, UnreadableInput

if TYPE_CHECKING:
    from pathlib import Path

    from callscore.core.call import Tool


def parse(*arguments: str) -> tuple[Settings, dict[str, Tool] | None]:
    """The settings, and the tools, that a command line asks for."""

    @click.command(cls=SettingsCommand)
    @tools_option
    @settings_options
    def command(**options: Any) -> tuple[Settings, dict[str, Tool] | None]:
        found = settings_from(options), tools_from(options)
        assert not options
        return found

    result: tuple[Settings, dict[str, Tool] | None] = command.main(
        list(arguments), standalone_mode=False
    )
    return result


def settings(*arguments: str) -> Settings:
    return parse(*arguments)[0]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / ".git").mkdir()
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_without_options_the_default_is_in_force() -> None:
    assert settings() is DEFAULT


def test_there_is_an_option_for_every_setting_that_a_file_can_hold() -> None:
    @click.command()
    @settings_options
    def command(**_: Any) -> None: ...

    names = {parameter.name for parameter in command.params}

    assert names == {
        *Settings.__struct_fields__,
        *("config", "no_config", "preset"),
    } - {"similarity", "judge"}


def test_words_are_accepted_in_any_case() -> None:
    line = "--preset OUTCOME --mode FLEXIBLE --order In_Order --normalize-name CASE --effect a=READ"

    assert settings(*line.split()) == Settings.preset(
        "outcome", mode="flexible", order="in_order", normalize_name="case", effects={"a": "read"}
    )


def test_every_setting_can_be_given() -> None:
    line = (
        "--mode flexible --argument-match-threshold 0.5 --order in_order --extra-arguments count --pass-mark 0.9"
        " --strip-prefix mcp__*__ --strip-prefix x_ --normalize-name case --count-calls writes"
        " --failed-calls ignore --repeated-calls collapse --arrays unordered"
        " --nested-objects subset --effect get_*=read --effect a=b=write"
        " --argument book.date=date --top-k 3"
    )

    assert settings(*line.split()) == Settings(
        mode="flexible",
        argument_match_threshold=0.5,
        order="in_order",
        extra_arguments="count",
        pass_mark=0.9,
        strip_prefix=("mcp__*__", "x_"),
        normalize_name=("case",),
        count_calls="writes",
        failed_calls="ignore",
        repeated_calls="collapse",
        arrays="unordered",
        nested_objects="subset",
        effects=(("get_*", "read"), ("a=b", "write")),
        arguments=(ArgumentRule("book.date", "date"),),
        top_k=3,
    )


def test_a_preset_is_a_base_whatever_the_order_of_the_options() -> None:
    assert settings("--arrays", "ordered", "--preset", "outcome") == Settings.preset(
        "outcome", arrays="ordered"
    )


def test_a_rule_may_have_options() -> None:
    given = settings("--argument", '*.query = text : {"similarity": 0.85}')

    assert given.arguments == (ArgumentRule("*.query", "text", {"similarity": 0.85}),)


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (
            ["--argument", "book.date"],
            "'book.date' is not of the form TOOL.ARGUMENT=RULE, as in 'book_flight.date=date'",
        ),
        (["--argument", "*.q=text:{"], "are not JSON. Example:"),
        (["--argument", "*.q=text:5"], "are not JSON. Example:"),
        (["--argument", "*.q=text:" + "[" * 100_000], "are not JSON. Example:"),
        (["--effect", "get_*"], "'get_*' is not of the form PATTERN=read, as in 'get_*=read'"),
        (["--top-k", "0"], "0 is not in the range x>=1"),
        (["--preset", "outcomes"], "'outcomes' is not one of"),
        (["--pass-mark", "nan"], "nan is not a number from 0 to 1"),
        (["--config", "x.toml", "--no-config"], "exclude each other"),
    ],
)
def test_wrong_usage_is_refused(arguments: list[str], problem: str) -> None:
    with pytest.raises(click.UsageError) as caught:
        settings(*arguments)

    assert problem in caught.value.message


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["--argument", "query=text"], r"Write '\*\.query' for this argument of any tool"),
        (["--argument", "*.q=txt"], r"Did you mean 'text'\?"),
        (["--effect", "get_*=raed"], r"Did you mean 'read'\?"),
        (["--effect", "=read"], "expected a tool name or a pattern"),
    ],
)
def test_a_value_that_cannot_be_is_refused(arguments: list[str], problem: str) -> None:
    with pytest.raises(InvalidSettings, match=problem):
        settings(*arguments)


def test_the_settings_of_the_project_are_in_force_unless_they_are_refused(folder: Path) -> None:
    (folder / "callscore.toml").write_text('mode = "flexible"\npass_mark = 0.5\n')
    (folder / "other.toml").write_text('order = "exact"\n')

    assert settings() == Settings(mode="flexible", pass_mark=0.5)
    assert settings("--pass-mark", "0.9") == Settings(mode="flexible", pass_mark=0.9)
    assert settings("--no-config") is DEFAULT
    assert settings("--config", "other.toml") == Settings(order="exact")


def test_a_preset_on_the_command_line_comes_before_what_the_project_says(folder: Path) -> None:
    (folder / "callscore.toml").write_text('preset = "coverage"\nrepeated_calls = "collapse"\n')
    found = Settings(repeated_calls="collapse")

    assert settings("--preset", "strict") == found
    assert settings("--preset", "flexible", "--mode", "strict") == found


def test_rules_on_the_command_line_come_before_those_of_the_project(folder: Path) -> None:
    (folder / "callscore.toml").write_text(
        '[arguments]\n"*.date" = "date"\n[effects]\n"get_*" = "read"\n'
    )

    given = settings("--argument", "f.date=ignore", "--effect", "get_lock=write")

    assert [rule.pattern for rule in given.arguments] == ["f.date", "*.date"]
    assert given.effects == (("get_lock", "write"), ("get_*", "read"))


def test_a_file_of_tools_is_read(folder: Path) -> None:
    (folder / "tools.json").write_text('[{"name": "f", "parameters": {"type": "object"}}]')

    _, tools = parse("--tools", "tools.json")

    assert tools is not None
    assert list(tools) == ["f"]
    assert parse()[1] is None


def test_a_file_without_tools_is_refused(folder: Path) -> None:
    (folder / "tools.json").write_text("[]")

    with pytest.raises(UnreadableInput, match="no tool definitions found"):
        parse("--tools", "tools.json")


def test_the_help_shows_the_settings_apart_and_their_defaults() -> None:
    @click.command(cls=SettingsCommand)
    @click.argument("file")
    @tools_option
    @settings_options
    def command(**_: Any) -> None: ...

    shown = CliRunner().invoke(command, ["--help"], terminal_width=200).output
    options, _, below = shown.partition("\nSettings:\n")

    assert "--tools" in options
    assert "--preset" not in options
    assert "[default: strict]" in below
    assert "file" not in options.partition("Options:")[2].casefold().partition("--tools")[0]


def overrides(*arguments: str) -> tuple[str | None, dict[str, Any]]:
    @click.command(cls=SettingsCommand)
    @settings_options
    def command(**options: Any) -> tuple[str | None, dict[str, Any]]:
        found = overrides_from(options)[:2]
        assert not options
        return found

    result: tuple[str | None, dict[str, Any]] = command.main(list(arguments), standalone_mode=False)
    return result


def test_only_what_is_given_overrides_anything(folder: Path) -> None:
    (folder / "callscore.toml").write_text('mode = "flexible"\n')

    assert overrides() == (None, {})
    assert overrides("--order", "exact") == (None, {"order": "exact"})
    assert overrides("--preset", "outcome", "--pass-mark", "0.5") == ("outcome", {"pass_mark": 0.5})


def test_a_file_overrides_what_a_preset_does_not_say_once_it_is_named(folder: Path) -> None:
    (folder / "mine.toml").write_text('count_calls = "all"\norder = "exact"\ntop_k = 2\n')

    preset, single = overrides(
        "--config", "mine.toml", "--preset", "outcome", "--order", "in_order"
    )

    assert preset == "outcome"
    assert single == {"order": "in_order", "top_k": 2}


def test_what_cannot_be_overrides_nothing() -> None:
    with pytest.raises(click.UsageError, match="--config and --no-config exclude each other"):
        overrides("--config", "mine.toml", "--no-config")
    with pytest.raises(InvalidSettings, match="effects"):
        overrides("--effect", "get_*=maybe")


# Names of runs.


@pytest.mark.parametrize("name", ["main", "before the change", "v1.2/try-3", "прогон", "latestone"])
def test_a_word_that_can_be_typed_again_is_a_name(name: str) -> None:
    assert parse_run_name(f" {name} ") == name


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("", "1 to 200"),
        ("   ", "1 to 200"),
        ("x" * 201, "1 to 200"),
        ("a\x1b[2J", "1 to 200"),
        ("-x", "like an option"),
        ("latest", "the age of a run"),
        ("latest~2", "the age of a run"),
        ("Latest-try", "the age of a run"),
        ("main~2", "the age of a run"),
        ("HEAD", "a commit"),
        ("main:large", "a variant"),
        ("20261115-184354-k3f9", "the form of a run id"),
    ],
)
def test_what_would_not_be_found_again_is_none(name: str, told: str) -> None:
    with pytest.raises(click.BadParameter, match=told):
        parse_run_name(name)


# --- settings that have no effect -----------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--argument-match-threshold", "0.5"), "--argument-match-threshold has no effect: it"),
        (("--mode", "STRICT", "--extra-arguments", "count"), "--extra-arguments has no effect: it"),
        (("--effect", "get_*=read"), "--effect has no effect: it applies only with count_calls"),
        (("--mode", "flexible", "--argument-match-threshold", "0.5"), ""),
        (("--preset", "outcome", "--effect", "get_*=read"), ""),
        (("--pass-mark", "0.5"), ""),
    ],
)
def test_a_setting_without_effect_is_pointed_out(
    capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], said: str
) -> None:
    settings(*arguments)

    printed = capsys.readouterr().err
    assert printed.count("no effect") == bool(said)
    assert said in printed


@pytest.mark.parametrize(
    ("text", "option"),
    [
        ("argumentMatchThreshold = 0.5\n", ("--preset", "flexible")),
        ("argument_match_threshold = 0.5\n", ("--mode", "flexible")),
        ("argument_match_threshold = 0.5\nmode = 'flexible'\n", ("--mode", "strict")),
    ],
)
def test_a_setting_of_a_file_that_has_an_effect_there_or_here_is_not_pointed_out(
    capsys: pytest.CaptureFixture[str], folder: Path, text: str, option: tuple[str, str]
) -> None:
    (folder / "callscore.toml").write_text(text)

    settings(*option)

    assert capsys.readouterr().err == ""


def test_a_setting_of_a_file_without_effect_is_pointed_out(
    capsys: pytest.CaptureFixture[str], folder: Path
) -> None:
    (folder / "callscore.toml").write_text("argument_match_threshold = 0.5\n")

    settings()
    settings("--no-config")

    (line,) = capsys.readouterr().err.splitlines()
    assert line.endswith(
        "callscore.toml: argument_match_threshold has no effect: it applies only with mode flexible"
    )


def test_a_setting_of_a_file_may_be_overridden_without_a_word(
    capsys: pytest.CaptureFixture[str], folder: Path
) -> None:
    (folder / "callscore.toml").write_text('mode = "flexible"\nextra_arguments = "count"\n')

    assert settings("--mode", "strict").mode == "strict"

    assert capsys.readouterr().err == ""
