"""JSON and JSON lines are rewritten in place."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import pytest
from tests.rewriting.texts import LONDON, PARIS, rewritten

from callscore import expect
from callscore.rewriting.change import CannotRewrite
from callscore.rewriting.json_file import scan_json

if TYPE_CHECKING:
    from pathlib import Path

CALLS = (
    '[{"name": "getWeather", "arguments": {"location": "Paris"}},'
    ' {"name": "calc", "arguments": {"a": 1, "b": {"$approx": 2}}}]'
)
LINES = f"""\
{{"id": "b", "input": "hi", "expected": []}}
not json

{{"id": "a", "input": "hi", "expected": {CALLS}, "tags": ["x"]}}
"""
TALL = """\
{
  "cases": [
    {
      "id": "a",
      "input": "hi",
      "expected": [
        {
          "name": "getWeather",
          "arguments": {"location": "Paris"}
        },
        {"name": "calc", "arguments": {"a": 1, "b": {"$approx": 2}}}
      ]
    },
    {
      "id": "b",
      "input": "hi",
      "expected": []
    }
  ]
}
"""
NEW = {"name": "new", "arguments": {}}


def test_a_line_is_rewritten_and_the_others_stay(tmp_path: Path) -> None:
    text, refusal = rewritten(tmp_path / "x.jsonl", LINES, PARIS, LONDON)

    assert not refusal
    assert text == LINES.replace("Paris", "London")


def test_a_line_without_blanks_gets_none(tmp_path: Path) -> None:
    line = msgspec.json.encode(
        {"id": "a", "input": "hi", "expected": [{"tool": "f", "args": {"x": 1}}]}
    ).decode()

    text, _ = rewritten(
        tmp_path / "x.ndjson",
        f"{line}\n",
        [expect.call("f", x=1)],
        [{"name": "f", "arguments": {"x": 2}}, NEW],
    )

    assert text == line.replace('{"x":1}}', '{"x":2}},{"tool":"new","args":{}}') + "\n"


def test_a_document_keeps_its_lines(tmp_path: Path) -> None:
    text, refusal = rewritten(tmp_path / "x.json", TALL, PARIS, [*LONDON, NEW])

    assert not refusal
    assert text == TALL.replace(
        '"arguments": {"location": "Paris"}', '"arguments": {"location": "London"}'
    ).replace(
        '{"$approx": 2}}}\n',
        '{"$approx": 2}}},\n        {\n          "name": "new",\n          "arguments": {}\n        }\n',
    )


def test_an_empty_list_of_a_tall_document_becomes_tall(tmp_path: Path) -> None:
    text, refusal = rewritten(tmp_path / "x.json", TALL, [], LONDON * 2, case="b")

    assert not refusal
    assert msgspec.json.decode(text)["cases"][1]["expected"] == LONDON * 2
    assert max(map(len, text.splitlines())) < 80


@pytest.mark.parametrize("before", ["null", "[]", '{"name": "f"}'])
def test_what_is_no_list_becomes_one(before: str, tmp_path: Path) -> None:
    case = f'[{{"id": "a", "input": "hi", "expected": {before}}}]'

    expected = [] if "f" not in before else [expect.call("f")]
    text, refusal = rewritten(tmp_path / "x.json", case, expected, [NEW])

    assert not refusal
    assert text == case.replace(before, '[{"name": "new", "arguments": {}}]')


def test_a_file_that_is_one_case_is_rewritten(tmp_path: Path) -> None:
    case = '{"input": "hi", "referenceToolCalls": ["f"]}'

    text, refusal = rewritten(tmp_path / "x.json", case, [expect.call("f")], [NEW], case="hi")

    assert not refusal
    assert text == '{"input": "hi", "referenceToolCalls": [{"name": "new", "arguments": {}}]}'


def test_keys_that_look_like_rules_are_written_as_literal(tmp_path: Path) -> None:
    actual = [{"name": "f", "arguments": {"$any": True}}]

    text, _ = rewritten(tmp_path / "x.jsonl", LINES, PARIS, actual)

    assert '{"name": "f", "arguments": {"$literal": {"$any": true}}}' in text


def test_a_document_without_the_case_is_left_alone(tmp_path: Path) -> None:
    text, refusal = rewritten(tmp_path / "x.json", TALL, PARIS, LONDON, case="z")

    assert "the expected calls were not found" in refusal
    assert text == TALL


def test_a_mark_at_the_beginning_of_the_file_stays(tmp_path: Path) -> None:
    text, refusal = rewritten(tmp_path / "x.jsonl", "\ufeff" + LINES, PARIS, LONDON)

    assert not refusal
    assert text == "\ufeff" + LINES.replace("Paris", "London")


@pytest.mark.parametrize("text", ['{"a" 1}', "{a: 1}"])
def test_what_is_no_json_is_not_scanned(text: str) -> None:
    with pytest.raises((CannotRewrite, IndexError)):
        scan_json(text + "[", 0)


def test_tabs_stay_tabs_and_short_lists_on_their_line(tmp_path: Path) -> None:
    tabs = '[\n\t{\n\t\t"id": "a",\n\t\t"input": "hi",\n\t\t"expected": []\n\t}\n]\n'
    actual = [{"name": "f", "arguments": {"x": [1] * 9, "y": ["z" * 60] * 2, "o": {}}}]

    text, refusal = rewritten(tmp_path / "x.json", tabs, [], actual)

    assert not refusal
    assert msgspec.json.decode(text)[0]["expected"] == actual
    lines = text.splitlines()
    assert f'\t\t\t\t\t"x": {[1] * 9},' in lines
    assert f'\t\t\t\t\t\t"{"z" * 60}",' in lines
    assert not [line for line in lines if line.startswith(" ")]
