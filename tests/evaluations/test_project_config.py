"""The settings of a project."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from callscore.core.settings import Settings, settings_from
from callscore.errors import InvalidSettings
from callscore.evaluations.project_config import EMPTY, config_for, find_config, read_config

if TYPE_CHECKING:
    from pathlib import Path

OWN = 'mode = "flexible"\n'
PROJECT = '[project]\nname = "x"\n[tool.callscore]\norder = "exact"\n'


@pytest.fixture
def inner(tmp_path: Path) -> Path:
    """A folder three levels down in a repository."""
    (tmp_path / ".git").mkdir()
    folder = tmp_path / "a/b/c"
    folder.mkdir(parents=True)
    return folder


def test_settings_are_read_in_any_case_and_under_their_aliases(tmp_path: Path) -> None:
    path = tmp_path / "callscore.toml"
    path.write_text('preset = "OUTCOME"\nmode = "FLEXIBLE"\nargumentMatchThreshold = 0.5\n')

    assert settings_from(read_config(path).values) == Settings.preset(
        "outcome", mode="flexible", argument_match_threshold=0.5
    )


def test_a_setting_under_both_its_names_is_refused_with_the_file(tmp_path: Path) -> None:
    path = tmp_path / "callscore.toml"
    path.write_text("argumentMatchThreshold = 0.5\nargument_match_threshold = 0.5\n")

    with pytest.raises(InvalidSettings, match=r"callscore\.toml: .* are the same setting"):
        read_config(path)


def test_the_nearest_folder_that_has_settings_is_taken(tmp_path: Path, inner: Path) -> None:
    (tmp_path / "callscore.toml").write_text(OWN)
    assert find_config(inner).values == {"mode": "flexible"}

    (inner.parent / "pyproject.toml").write_text(PROJECT)
    assert find_config(inner).values == {"order": "exact"}

    (inner.parent / "callscore.toml").write_text(OWN)
    assert find_config(inner).values == {"mode": "flexible"}


@pytest.mark.parametrize(
    "other", ["[project]\n", '[tool.callscores]\ndependencies = ["callscore"]\n']
)
def test_a_project_that_says_nothing_of_callscore_is_passed_over(
    tmp_path: Path, inner: Path, other: str
) -> None:
    (tmp_path / "callscore.toml").write_text(OWN)
    (inner / "pyproject.toml").write_text(other)

    assert find_config(inner).values == {"mode": "flexible"}


def test_a_project_that_is_no_toml_is_none_of_our_business_unless_it_names_us(inner: Path) -> None:
    (inner / "pyproject.toml").write_text("[[[")
    assert find_config(inner) is EMPTY

    (inner / "pyproject.toml").write_text("[tool.callscore\n")
    with pytest.raises(InvalidSettings, match=r"pyproject\.toml: not valid TOML: .*line 1"):
        find_config(inner)


def test_nothing_outside_of_the_repository_counts(tmp_path: Path, inner: Path) -> None:
    (tmp_path / "callscore.toml").write_text(OWN)
    (inner / ".git").write_text("gitdir: elsewhere")  # as in a work tree

    assert find_config(inner) is EMPTY


def test_the_working_directory_is_where_the_search_begins(
    tmp_path: Path, inner: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "callscore.toml").write_text(OWN)
    monkeypatch.chdir(inner)

    assert config_for(None).values == {"mode": "flexible"}
    assert config_for(None, is_wanted=False) is EMPTY


def test_a_file_can_be_named(tmp_path: Path, inner: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (inner / "callscore.toml").write_text(OWN)
    (tmp_path / "pyproject.toml").write_text(PROJECT)
    (tmp_path / "strange.toml").write_text('order = "in_order"\n')
    monkeypatch.chdir(inner)

    assert config_for(str(tmp_path / "pyproject.toml")).values == {"order": "exact"}
    assert config_for(str(tmp_path / "strange.toml")).values == {"order": "in_order"}


def test_a_folder_that_was_deleted_has_no_settings(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "gone").mkdir()
    monkeypatch.chdir(tmp_path / "gone")
    (tmp_path / "gone").rmdir()

    assert config_for(None) is EMPTY


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ('presets = "outcome"', "unknown setting 'presets'. Did you mean 'preset'?"),
        ("preset = 5", "preset: unknown value 5. Choose from:"),
        ('judge = {name = "m", base = "x"}', "judge: unknown key 'base'. Did you mean 'base_url'?"),
        ('judge = {name = "m", key_variable = 5}', "judge: key_variable: 5 is not a string"),
        ("arguments = 5", "arguments: expected a mapping"),
        ("a = " + "[" * 100_000, "nested too deeply"),
    ],
)
def test_an_invalid_project_file_is_refused_with_its_path_and_the_problem(
    tmp_path: Path, text: str, problem: str
) -> None:
    path = tmp_path / "callscore.toml"
    path.write_text(text)

    with pytest.raises(InvalidSettings) as caught:
        read_config(path)

    assert str(caught.value).startswith(f"{path}: ")
    assert problem in str(caught.value)


def test_a_file_may_begin_with_a_byte_order_mark(tmp_path: Path) -> None:
    path = tmp_path / "callscore.toml"
    path.write_text('order = "exact"', encoding="utf-8-sig")

    assert read_config(path).values == {"order": "exact"}


@pytest.mark.parametrize(
    ("text", "judge"),
    [
        ('judge = "m"', {"name": "m"}),
        (
            '[judge]\nname = "m"\nbase_url = "http://localhost/v1"\nkey_variable = "MY_KEY"',
            {"name": "m", "base_url": "http://localhost/v1", "key_variable": "MY_KEY"},
        ),
        ("pass_mark = 0.5", {}),
    ],
)
def test_a_file_may_name_the_model_that_judges(
    tmp_path: Path, text: str, judge: dict[str, str]
) -> None:
    path = tmp_path / "callscore.toml"
    path.write_text(text)

    config = read_config(path)

    assert config.judge == judge
    assert "judge" not in config.values


def test_a_link_to_a_device_is_not_read(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / "pyproject.toml").symlink_to("/dev/zero")
    ignored = find_config(tmp_path)
    (tmp_path / "callscore.toml").symlink_to("/dev/zero")

    with pytest.raises(InvalidSettings, match=r"callscore\.toml: not a regular file"):
        find_config(tmp_path)
    assert ignored == EMPTY
