"""Effects are added to files of settings, and nothing else changes."""

from __future__ import annotations

import tomllib
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from callscore.rewriting.change import CannotRewrite
from callscore.rewriting.effects_table import AddedEffect, add_effects, with_effects

if TYPE_CHECKING:
    from pathlib import Path

NEW = {"look": AddedEffect("read", "description"), "a.b": AddedEffect("write", "name: x")}
LINES = '"look" = "read"  # description\n"a.b" = "write"  # name: x\n'


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", f"[effects]\n{LINES}"),
        ("\n", f"[effects]\n{LINES}"),
        ('preset = "outcome"  # ours\n', f'preset = "outcome"  # ours\n\n[effects]\n{LINES}'),
        ('preset = "outcome"', f'preset = "outcome"\n\n[effects]\n{LINES}'),
        ("[effects]\n", f"[effects]\n{LINES}"),
        ("[effects]", f"[effects]\n{LINES}"),
        (
            '[effects]\n"get_*" = "read" # why\n\n# next\n[arguments]\n"*.q" = "text"\n',
            f'[effects]\n"get_*" = "read" # why\n{LINES}\n# next\n[arguments]\n"*.q" = "text"\n',
        ),
        (
            'effects = { "get_*" = "read" } # x\norder = "any"\n',
            'effects = { "get_*" = "read", "look" = "read", "a.b" = "write" } # x\norder = "any"\n',
        ),
        ("effects = {}\n", 'effects = { "look" = "read", "a.b" = "write" }\n'),
        (
            'effects.pay = "write"\norder = "any"\n',
            'effects.pay = "write"\n'
            + "".join(f"effects.{line}\n" for line in LINES.splitlines())
            + 'order = "any"\n',
        ),
        # The first pattern that matches decides.
        (
            '[effects]\n"get_*" = "read"\n"*" = "write" # rest\n\n[arguments]\n',
            f'[effects]\n"get_*" = "read"\n{LINES}"*" = "write" # rest\n\n[arguments]\n',
        ),
        (
            '[effects]\n"*" = "write"\n"x" = "read"',
            f'[effects]\n{LINES}"*" = "write"\n"x" = "read"',
        ),
        (
            'effects = { pay = "write", "*" = "write" }\n',
            'effects = { pay = "write", "look" = "read", "a.b" = "write", "*" = "write" }\n',
        ),
        (
            'effects."*" = "write"\n',
            "".join(f"effects.{line}\n" for line in LINES.splitlines()) + 'effects."*" = "write"\n',
        ),
    ],
)
def test_everything_else_stays_as_it_is(before: str, after: str) -> None:
    assert with_effects(before, (), NEW) == after


@pytest.mark.parametrize(
    "before",
    [
        '[project]\nname = "x"\n\n[tool.callscore]\npreset = "outcome"\n',
        '[tool.callscore]\n[tool.callscore.effects]\npay = "write"\n[tool.other]\na = 1\n',
        '[tool.callscore]\neffects = { pay = "write" }\n',
        '[tool.callscore]\neffects.pay = "write"\n[tool.other]\na = 1\n',
        '[tool]\ncallscore.effects.pay = "write"\n',
    ],
)
def test_settings_of_a_project_are_in_its_table(before: str) -> None:
    document = tomllib.loads(with_effects(before, ("tool", "callscore"), NEW))

    effects = document["tool"]["callscore"].pop("effects")
    known = tomllib.loads(before)
    assert effects == {
        **known["tool"]["callscore"].pop("effects", {}),
        "look": "read",
        "a.b": "write",
    }
    assert document == known


@pytest.mark.parametrize(
    "before", ['effects = [["get_*", "read"]]\n', "effects = 5\n", "[[effects]]\n", "x ="]
)
def test_what_cannot_be_extended_is_refused_with_the_lines_to_add(before: str) -> None:
    with pytest.raises(CannotRewrite) as raised:
        with_effects(before, (), NEW)

    assert raised.value.text("en").endswith(f"\n[effects]\n{LINES}".rstrip())
    assert "вручную" in raised.value.text("ru")


@given(st.lists(st.text(min_size=1).filter(str.isprintable), min_size=1, unique=True))
def test_any_printable_name_is_read_back(names: list[str]) -> None:
    added = {name: AddedEffect("read", "name: get_*") for name in names}

    text = with_effects('[effects]\n"pay" = "write"\n', (), added)

    assert tomllib.loads(text)["effects"] == {"pay": "write", **dict.fromkeys(names, "read")}


def test_a_file_is_created_or_extended(tmp_path: Path) -> None:
    path = tmp_path / "callscore.toml"

    add_effects(path, (), {"look": NEW["look"]})
    add_effects(path, (), {"a.b": NEW["a.b"]})

    assert path.read_text(encoding="utf-8") == f"[effects]\n{LINES}"


def test_line_ends_are_kept(tmp_path: Path) -> None:
    path = tmp_path / "callscore.toml"
    path.write_bytes(b'preset = "outcome"\r\n')

    add_effects(path, (), NEW)

    data = path.read_bytes()
    assert data.count(b"\r\n") == data.count(b"\n") == 5


def test_a_file_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    path = tmp_path / "missing" / "callscore.toml"

    with pytest.raises(CannotRewrite, match=r"callscore\.toml"):
        add_effects(path, (), NEW)
