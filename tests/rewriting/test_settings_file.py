"""Recommended settings are added to a file, and everything else in it stays."""

from __future__ import annotations

import tomllib
from functools import cache
from typing import TYPE_CHECKING

import pytest
from tests.advising.planted import BASE, case_records, labelled

from callscore import Advice, InvalidSettings
from callscore.advising.advice import advise_on
from callscore.core.settings import settings_from
from callscore.evaluations.project_config import read_config
from callscore.rewriting.settings_file import learned_rules, settings_text, write_settings

if TYPE_CHECKING:
    from pathlib import Path


@cache
def _advice(kind: str) -> Advice:
    return advise_on(labelled(case_records(kind)), BASE)


def test_a_new_file_has_the_settings_and_the_evidence(tmp_path: Path) -> None:
    path = tmp_path / "callscore.toml"
    advice = _advice("read")

    write_settings(path, (), advice)

    assert settings_from(read_config(path).values) == advice.settings
    text = path.read_text(encoding="utf-8")
    assert text.startswith("# advise: 120 runs, 40 tasks, ")
    assert "# advise: - " not in text
    assert "AUC 1.000" in text
    assert text.endswith(
        '\n[effects]\nconsult = "read"  # advise\n'
        '"*" = "write"  # advise: calls of tools without a rule go on counting, also if they read\n'
    )


@pytest.mark.parametrize("kind", ["plain", "read", "argument", "free"])
def test_the_rest_of_a_file_stays(kind: str) -> None:
    old = """\
# Settings of the team.
pass_mark = 0.5   # for now
order = "exact"  # see the notes
strip_prefix = ["mcp__*__"]

# Tools
[effects]
"look_*" = "read"  # reads

[arguments]
"save.by" = "ignore"

[gate.removed]
"old" = "gone"
"""
    advice = _advice(kind)

    new = settings_text(old, (), advice)

    document, before = tomllib.loads(new), tomllib.loads(old)
    assert document["gate"] == before["gate"]
    assert document["pass_mark"] == 0.5
    assert document["order"] == advice.settings.order
    assert {*before["effects"].items()} <= {*document["effects"].items()}
    assert {*before["arguments"].items()} <= {*document["arguments"].items()}
    for comment in (
        "# Settings of the team.",
        "# for now",
        "# see the notes",
        "# Tools",
        "# reads",
    ):
        assert comment in new


def test_writing_again_changes_nothing() -> None:
    advice = _advice("argument")
    once = settings_text("pass_mark = 0.5\n", (), advice)

    assert settings_text(once, (), advice) == once
    other = settings_text(once, (), _advice("free"))
    assert tomllib.loads(other)["preset"] == "coverage"
    assert other.count("120 runs, 40 tasks") == 1


@pytest.mark.parametrize(
    "old",
    [
        "",
        "pass_mark = 0.5\n",
        '[effects]\n"look" = "read"  # by hand\n\n[gate.removed]\n"a" = "b"\n',
        'effects = { "look" = "read" }  # by hand\norder = "any"\n',
        '# Notes\n\n[arguments]\n# of arguments\n"a.b" = "text"',
    ],
)
@pytest.mark.parametrize("kind", ["read", "argument"])
def test_learned_rules_are_marked_and_go_with_the_next_advice(old: str, kind: str) -> None:
    once = settings_text(old, (), _advice(kind))
    again = settings_text(once, (), _advice(kind))
    without = settings_text(once, (), _advice("plain"))

    assert again == once
    options = _advice(kind).recommended.settings
    learned = {name: tuple(options.get(name, ())) for name in ("effects", "arguments")}
    assert learned_rules(once, ()) == learned
    assert learned_rules(without, ()) == {"effects": (), "arguments": ()}
    before, after = tomllib.loads(old), tomllib.loads(without)
    for name in learned:
        assert after.get(name) == before.get(name)
    assert ("# by hand" in without) == ("# by hand" in old)


def test_the_mark_is_only_looked_for_in_rules() -> None:
    text = '[gate.removed]\n"a" = "b"  # advise\n\n[effects]\n"x" = "read"  # advised\n'

    assert learned_rules(text, ()) == {"effects": (), "arguments": ()}


def test_a_rule_by_hand_for_the_same_tool_stays_as_a_comment() -> None:
    old = '[effects]\n"con*" = "write"\nconsult = "write" # as before\n'

    new = settings_text(old, (), _advice("read"))

    assert '# consult = "write" # as before\n' in new
    assert [*tomllib.loads(new)["effects"]] == ["consult", "*", "con*"]


@pytest.mark.parametrize(
    "old",
    [
        'effects = { "x" = "read" }\n',
        "effects = {}\n",
        '[effects]\n"consult" = "write"\n',
        '[effects]\n"con*" = "write"\nconsult = "write" # as before\n\n[arguments]\n"a.b" = "text"\n',
        "[effects]",
        '[effects] # tools\n"x" = "read"',
        'preset = "flexible"',
        "\n\n# nothing but a comment",
        '[gate.removed]\n"a" = "b"\n',
    ],
)
def test_settings_are_merged_into_every_layout(old: str) -> None:
    advice = _advice("read")

    document = tomllib.loads(settings_text(old, (), advice))

    assert document["effects"]["consult"] == "read"
    assert document["preset"] == "strict"
    assert document["count_calls"] == "writes"


def test_what_would_have_another_effect_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "callscore.toml"
    old = 'effects.consult = "write"\n'  # a table cannot be added beside such keys
    path.write_text(old, encoding="utf-8")

    with pytest.raises(InvalidSettings, match=r"not written: .* Add those of the report by hand"):
        write_settings(path, (), _advice("read"))

    assert path.read_text(encoding="utf-8") == old


def test_rules_in_braces_get_lines_so_that_the_first_one_decides() -> None:
    old = 'effects = { "con*" = "write", consult = "write" }\npass_mark = 0.5\n'

    document = tomllib.loads(settings_text(old, (), _advice("read")))

    assert [*document["effects"].items()] == [
        ("consult", "read"),
        ("*", "write"),
        ("con*", "write"),
    ]
    assert document["pass_mark"] == 0.5


@pytest.mark.parametrize("text", ["preset = ", "= 3", "preset = 1\npreset = 2"])
def test_a_file_that_is_not_valid_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "callscore.toml"
    path.write_text(text, encoding="utf-8")

    with pytest.raises(InvalidSettings, match=r"callscore\.toml: the settings were not written"):
        write_settings(path, (), _advice("plain"))

    assert path.read_text(encoding="utf-8") == text


def test_line_ends_of_a_file_are_kept(tmp_path: Path) -> None:
    path = tmp_path / "callscore.toml"
    path.write_bytes(b"pass_mark = 0.5\r\n")

    write_settings(path, (), _advice("plain"))

    data = path.read_bytes()
    assert data.count(b"\r\n") == data.count(b"\n") > 2


def test_settings_of_a_pyproject_are_in_its_table(tmp_path: Path) -> None:
    path = tmp_path / "pyproject.toml"
    path.write_text(
        '[project]\nname = "x"\n\n[tool.callscore]\npass_mark = 0.5\n\n[tool.other]\norder = 1\n',
        encoding="utf-8",
    )
    advice = _advice("read")

    write_settings(path, ("tool", "callscore"), advice)

    document = tomllib.loads(path.read_text(encoding="utf-8"))
    own = document["tool"].pop("callscore")
    assert document == {"project": {"name": "x"}, "tool": {"other": {"order": 1}}}
    assert own == {"pass_mark": 0.5, **advice.recommended.settings}
    path.write_text("", encoding="utf-8")
    with pytest.raises(InvalidSettings, match=r"no table \[tool\.callscore\]"):
        write_settings(path, ("tool", "callscore"), advice)
