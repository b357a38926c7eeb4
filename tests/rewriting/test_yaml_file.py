"""YAML is rewritten in place: comments, order and blanks stay as they are."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.rewriting.texts import LONDON, PARIS, rewritten

from callscore import expect
from callscore.rewriting.yaml_file import decode_yaml

if TYPE_CHECKING:
    from pathlib import Path

BLOCK = """\
# on top
name: x
cases:
  - id: a   # one
    input: hi
    expected:   # why
      # first
      - name: getWeather  # here
        arguments: {location: Paris}
      # second
      - name: calc
        arguments:
          a: 1  # keep me
          b: {$approx: 2}

    # behind
    tags: [smoke]
  - id: b
    input: other
    expected: []
tools: tools.json
"""


def test_what_is_wrong_is_replaced_and_all_else_stays(tmp_path: Path) -> None:
    text, refusal = rewritten(tmp_path / "eval_x.yaml", BLOCK, PARIS, LONDON)

    assert not refusal
    assert text == BLOCK.replace("Paris", "London")


def test_a_call_more_stands_behind_the_others(tmp_path: Path) -> None:
    actual = [*LONDON, {"name": "new", "arguments": {}}]

    text, _ = rewritten(tmp_path / "eval_x.yaml", BLOCK, PARIS, actual)

    assert (
        "          b: {$approx: 2}\n      - name: new\n        arguments: {}\n\n    # behind\n"
        in text
    )


def test_a_call_less_takes_its_comment_along(tmp_path: Path) -> None:
    text, _ = rewritten(tmp_path / "eval_x.yaml", BLOCK, PARIS, LONDON[1:])

    assert "getWeather" not in text
    assert "    expected:   # why\n      # first\n      # second\n      - name: calc\n" in text


def test_no_calls_at_all_are_an_empty_list(tmp_path: Path) -> None:
    text, refusal = rewritten(tmp_path / "eval_x.yaml", BLOCK, PARIS, [])

    assert not refusal
    assert "    expected: []   # why\n" in text
    assert "    # behind\n    tags: [smoke]\n" in text


def test_an_item_that_takes_the_place_of_another_has_the_comment_above_it(tmp_path: Path) -> None:
    actual = [
        {"name": "getWeather", "arguments": {"location": "Paris"}},
        {"name": "calc", "arguments": {"a": 7}},
    ]

    text, _ = rewritten(tmp_path / "eval_x.yaml", BLOCK, PARIS, actual)

    assert (
        "      # second\n      - name: calc\n        arguments:\n          a: 7  # keep me\n\n"
        "    # behind" in text
    )


@pytest.mark.parametrize(
    "before",
    [
        "[ {tool: getWeather, args: {location: Paris}}, {tool: calc, args: {a: 1, b: {$approx: 2}}} ]",
        "[\n      {name: getWeather, arguments: {location: Paris}},  # one\n      {name: calc, arguments: {a: 1, b: {$approx: 2}}},\n    ]",
    ],
)
def test_a_list_in_brackets_stays_one(before: str, tmp_path: Path) -> None:
    text, refusal = rewritten(
        tmp_path / "x.yaml", f"- id: a\n  input: hi\n  expected: {before}\n", PARIS, LONDON
    )

    assert not refusal
    after = before.replace("Paris", "London")
    assert text == f"- id: a\n  input: hi\n  expected: {after}\n"


@pytest.mark.parametrize("nothing", ["", " null", " ~", " []", "   # nobody"])
def test_where_nothing_was_expected_there_is_a_list_now(nothing: str, tmp_path: Path) -> None:
    case = f"id: a\ninput: hi\nexpected:{nothing}\ntags: [x]\n"

    text, refusal = rewritten(tmp_path / "x.yml", case, [], LONDON[:1])

    assert not refusal
    assert decode_yaml(text)["records"][0]["expected"] == LONDON[:1]
    assert text.endswith("\ntags: [x]\n")


def test_a_list_that_is_too_long_for_a_line_has_several(tmp_path: Path) -> None:
    case = "id: a\ninput: hi\nexpected: []\n"

    text, _ = rewritten(tmp_path / "x.yml", case, [], LONDON * 3)

    assert max(map(len, text.splitlines())) < 80
    assert decode_yaml(text)["records"][0]["expected"] == LONDON * 3


def test_a_single_call_becomes_a_list(tmp_path: Path) -> None:
    case = "id: a\ninput: hi\nexpected:\n  name: getWeather\n  arguments: {location: Paris}\n"

    text, refusal = rewritten(tmp_path / "x.yml", case, PARIS[:1], LONDON[:1])

    assert not refusal
    assert text == (
        "id: a\ninput: hi\nexpected:\n  [{name: getWeather, arguments: {location: London}}]\n"
    )


@pytest.mark.parametrize(
    "value",
    ["no", "1.0", "a\nb: c #d", "2024-01-15", "", "- x", "ünï ©", "\u2028", "null", "x: y", "y", 1e300, 12345678901234567890, None, True, [], {}, [1, [2]], {"$ref": 1}, {"a": {"b": []}}],
)  # fmt: skip
def test_any_value_is_read_back_as_it_was_called(value: object, tmp_path: Path) -> None:
    actual = [{"name": "f", "arguments": {"value": value, "no": "x"}}]
    file = tmp_path / "x.yaml"

    for expected in ("\n      - f", " [f]"):
        case = f"cases:\n  - id: a\n    input: hi\n    expected:{expected}\n"
        wanted = [expect.call("f", value="something else")]
        case = case.replace("f", "{name: f, arguments: {value: something else}}", 1)
        text, refusal = rewritten(file, case, wanted, actual)

        assert not refusal
        assert expect.from_json(decode_yaml(text)["records"][0]["expected"]) == [
            expect.call("f", {"value": value, "no": "x"})
        ]


def test_lines_may_end_as_on_windows(tmp_path: Path) -> None:
    file = tmp_path / "eval_x.yaml"

    file.write_bytes(BLOCK.replace("\n", "\r\n").encode())
    text, refusal = rewritten(file, BLOCK.replace("\n", "\r\n"), PARIS, LONDON)

    assert not refusal
    assert file.read_bytes().count(b"\n") == file.read_bytes().count(b"\r\n")
    assert "location: London" in text


def test_several_documents_are_fine(tmp_path: Path) -> None:
    text, refusal = rewritten(
        tmp_path / "x.yaml",
        "id: b\nexpected: []\n---\n---\nwords\n---\nid: a\ninput: hi\nexpected:\n-\n  name: f\n",
        [expect.call("f")],
        [{"name": "g", "arguments": {}}],
    )

    assert not refusal
    assert text.endswith("expected:\n- name: g\n  arguments: {}\n")


@pytest.mark.parametrize(
    ("case", "why"),
    [
        (
            "- {id: b, expected: &shared [{name: f}]}\n- {id: a, input: hi, expected: *shared}\n",
            "the expected calls use a YAML anchor or alias",
        ),
        (
            "- {id: a, input: hi, expected: &shared [{name: f}]}\n- {x: *shared}\n",
            "the expected calls use a YAML anchor or alias",
        ),
        (
            "- &b {expected: [{name: f}]}\n- {<<: *b, id: a, input: hi}\n",
            "comes from a YAML merge key",
        ),
        ("- {id: a, input: hi, expectedTool: f}\n", "can contain only a tool name"),
        ("- {id: a, input: hi, expected: [{name: g}]}\n", "the expected calls were not found"),
        (
            "- {id: a, input: hi, expected: [{name: f}]}\n" * 2,
            "several cases have the id a: x.yaml:1",
        ),
        ("- {input: hi, expected: [{name: f}]}\n" * 2, "several cases are alike: x.yaml:1"),
        ("- {id: a, input: hi\n", "x.yaml: not YAML"),
    ],
)
def test_what_is_not_sure_is_refused(case: str, why: str, tmp_path: Path) -> None:
    text, refusal = rewritten(
        tmp_path / "x.yaml", case, [expect.call("f")], [{"name": "g", "arguments": {}}]
    )

    assert why in refusal
    assert text == case


def test_a_call_that_stands_on_one_line_is_followed_by_such(tmp_path: Path) -> None:
    case = "- id: a\n  input: hi\n  expected:\n    - {name: f}\n"

    text, refusal = rewritten(
        tmp_path / "x.yaml", case, [expect.call("f")], [("g", {"x": 1}), ("f", {})]
    )

    assert not refusal
    assert text.endswith("expected:\n    - {name: g, arguments: {x: 1}}\n    - {name: f}\n")
