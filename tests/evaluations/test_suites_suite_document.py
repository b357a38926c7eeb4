"""The text of a suite: YAML or TOML, with the lines of what stands in it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from callscore.errors import InvalidEvaluation, InvalidSettings, UnreadableInput
from callscore.evaluations.suites import SuiteDocument, read_suite

if TYPE_CHECKING:
    from pathlib import Path

YAML = "name: x\nmodel:\n  name: m\n  parameters: {a: 1}\n"
TOML = 'name = "x"\n[model]\nname = "m"\nparameters = {a = 1}\n'


def suite(tmp_path: Path, text: str, name: str = "eval_a.yaml") -> SuiteDocument:
    (tmp_path / name).write_text(text)
    return read_suite(tmp_path / name)


@pytest.mark.parametrize(("text", "name"), [(YAML, "eval_a.yaml"), (TOML, "eval_a.toml")])
def test_both_kinds_are_read_with_their_lines(tmp_path: Path, text: str, name: str) -> None:
    document = suite(tmp_path, text, name)

    assert document.value == {"name": "x", "model": {"name": "m", "parameters": {"a": 1}}}
    assert document.place("model", "parameters", "a") == f"{tmp_path / name}:4"
    assert document.place("model", "nowhere") == f"{tmp_path / name}:2"
    assert document.place("nowhere") == document.place() == str(tmp_path / name)


def test_a_byte_order_mark_does_no_harm(tmp_path: Path) -> None:
    assert suite(tmp_path, f"\ufeff{YAML}").value["name"] == "x"
    assert suite(tmp_path, f"\ufeff{TOML}", "eval_b.toml").value["name"] == "x"


@pytest.mark.parametrize(
    ("text", "name", "place", "problem"),
    [
        ("", "eval_a.yaml", "", "a suite is an object with `cases`; got nothing."),
        ("- a\n", "eval_a.yaml", "", "a suite is an object with `cases`; got "),
        ("just text\n", "eval_a.yaml", "", "a suite is an object with `cases`; got "),
        ("a: [\n", "eval_a.yml", ":2:1", "not YAML: "),
        ("a: .nan\n", "eval_a.yaml", "", ".nan is not a JSON number."),
        ("a = \n", "eval_a.toml", ":1:5", "not TOML: Invalid value."),
        ("a: 1\n", "eval_a.toml", ":1:2", "not TOML: "),
    ],
)
def test_what_is_no_suite_is_refused(
    tmp_path: Path, text: str, name: str, place: str, problem: str
) -> None:
    with pytest.raises(UnreadableInput) as caught:
        suite(tmp_path, text, name)

    assert caught.value.place == f"{tmp_path / name}{place}"
    assert caught.value.problem.startswith(problem)


def test_what_is_no_text_and_what_is_gone_is_refused(tmp_path: Path) -> None:
    (tmp_path / "eval_a.yaml").write_bytes(b"name: \xff\n")

    with pytest.raises(UnreadableInput, match="the byte 0xff is not UTF-8"):
        read_suite(tmp_path / "eval_a.yaml")
    with pytest.raises(UnreadableInput, match=r"it cannot be read \(No such file"):
        read_suite(tmp_path / "gone.yaml")


def test_a_check_is_told_the_value_or_the_default(tmp_path: Path) -> None:
    document = suite(tmp_path, YAML)

    assert document.checked(str.upper, "", "name") == "X"
    assert document.checked(str.upper, "default", "other") == "DEFAULT"
    assert document.checked(len, {}, "name", "inside") == 0


def test_what_a_check_refuses_is_said_with_the_line(tmp_path: Path) -> None:
    document = suite(tmp_path, YAML)

    def refuse(value: Any) -> None:
        raise InvalidSettings(f"no {value}")

    def refuse_elsewhere(_: Any) -> None:
        raise InvalidEvaluation("there", "no.")

    with pytest.raises(InvalidEvaluation) as caught:
        document.checked(refuse, None, "model", "name")
    assert str(caught.value) == f"{tmp_path}/eval_a.yaml:3: no m."
    with pytest.raises(InvalidEvaluation, match=r"there: no\."):
        document.checked(refuse_elsewhere, None, "name")


def test_keys_that_are_not_known_are_refused(tmp_path: Path) -> None:
    document = suite(tmp_path, YAML)

    assert document.require_keys(("name", "model")) is document.value
    for keys, path, problem in (
        (("names", "model"), (), "1: a suite has no key 'name'. Is 'names' meant?"),
        (("parameters", "x"), ("model",), "3: model has no key 'name'. There are parameters, x."),
        (("a",), ("name",), "1: name: an object is wanted; got "),
    ):
        with pytest.raises(InvalidEvaluation) as caught:
            document.require_keys(keys, *path)
        assert str(caught.value).startswith(f"{tmp_path}/eval_a.yaml:{problem}")
