"""Changes are written into their files: each place that is sure, and no other."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import structs
from tests.rewriting.texts import LONDON, PARIS, change

from callscore.rewriting.applying import refusal_of, rewrite

if TYPE_CHECKING:
    from pathlib import Path

CASES = """\
- {id: a, input: hi, expected: [{name: getWeather, arguments: {location: Paris}}]}
- {id: b, input: hi, expected: [{name: getWeather, arguments: {location: Paris}}]}
"""
ROME = [{"name": "getWeather", "arguments": {"location": "Rome"}}]


def test_several_changes_of_a_file_are_written_at_once(tmp_path: Path) -> None:
    file = tmp_path / "x.yaml"
    file.write_text(CASES)
    changes = [
        change(file, PARIS[:1], LONDON[:1], case="a", input="hi"),
        change(file, PARIS[:1], ROME, case="b", input="hi"),
    ]

    written, refused = rewrite(changes, tmp_path)

    assert [each.place for each in written] == ["x.yaml:1", "x.yaml:2"]
    assert not refused
    assert file.read_text() == CASES.replace("Paris", "London", 1).replace("Paris", "Rome")


def test_the_same_change_twice_is_one(tmp_path: Path) -> None:
    file = tmp_path / "x.yaml"
    file.write_text(CASES)
    wish = change(file, PARIS[:1], LONDON[:1], case="a", input="hi")

    written, refused = rewrite([wish, wish], tmp_path)

    assert (len(written), len(refused)) == (1, 0)


def test_two_changes_of_one_place_that_differ_are_both_refused(tmp_path: Path) -> None:
    file = tmp_path / "x.yaml"
    file.write_text(CASES)
    changes = [
        change(file, PARIS[:1], actual, case="a", input="hi") for actual in (LONDON[:1], ROME)
    ]

    written, refused = rewrite(changes, tmp_path)

    assert not written
    assert {each.problem for each in refused} == {
        "x.yaml:1: what is called there differs from time to time."
    }
    assert file.read_text() == CASES


def test_a_change_that_cannot_be_made_does_not_hinder_another(tmp_path: Path) -> None:
    file = tmp_path / "x.yaml"
    file.write_text(CASES)
    changes = [
        change(file, PARIS[:1], ROME, case="z", input="hi"),
        change(file, PARIS[:1], ROME, case="b", input="hi"),
    ]

    written, refused = rewrite(changes, tmp_path)

    assert [each.change.case for each in written] == ["b"]
    assert [each.problem for each in refused] == [
        "x.yaml: what is expected is not written out there."
    ]


def test_a_case_may_stand_in_one_of_several_files(tmp_path: Path) -> None:
    suite, cases = tmp_path / "eval_x.yaml", tmp_path / "cases.jsonl"
    suite.write_text("name: x\ncases: cases.jsonl\n")
    cases.write_text('{"input": "hi", "expected": ["f"]}\n')
    wish = structs.replace(
        change(cases, [PARIS[0]], ROME, input="hi"),
        files=(str(suite), str(cases), str(cases)),
        expected=[{"name": "f"}],
    )

    written, _ = rewrite([wish], tmp_path)

    assert [each.place for each in written] == ["cases.jsonl:1"]


def test_what_would_change_more_than_is_meant_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "x.yaml"
    anchored = (
        "- {id: a, input: hi, expected: [&f {name: getWeather, arguments: {location: Paris}}]}\n"
        "- {id: b, other: *f}\n"
    )
    file.write_text(anchored)
    wish = change(file, PARIS[:1], ROME, case="a", input="hi")

    assert refusal_of(wish, tmp_path) == ("x.yaml: more would change than what is expected there.")
    assert rewrite([wish], tmp_path)[0] == []
    assert file.read_text() == anchored


def test_whether_a_change_can_be_made_is_told_without_making_it(tmp_path: Path) -> None:
    file = tmp_path / "x.yaml"
    file.write_text(CASES)

    assert refusal_of(change(file, PARIS[:1], ROME, case="a", input="hi"), tmp_path) is None
    assert file.read_text() == CASES


def test_a_kind_of_file_that_is_not_known_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "cases.csv"
    file.write_text("id,expected\n")

    refusal = refusal_of(change(file, PARIS[:1], ROME, case="a"), tmp_path)

    assert refusal is not None
    assert refusal.startswith("cases.csv: only files of these kinds are rewritten: .yaml,")
