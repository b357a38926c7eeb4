"""What is to be written where a test expects something other than what was called."""

from __future__ import annotations

import sys
from pathlib import Path

from callscore import Case, expect, score
from callscore.evaluations.evaluation import Evaluation
from callscore.testing.running_test import Updates
from callscore.testing.updating import Spot, key_of, line_of, spot_of_call, spot_of_case, update

F, G = expect.call("f"), expect.call("g")


def test_a_call_is_found_by_where_it_stands() -> None:
    spots = [
        spot_of_call("x", sys._getframe()),
        spot_of_call("x", sys._getframe()),
    ]
    lines = Path(__file__).read_text(encoding="utf-8").splitlines()

    first, second = spots
    assert second.line == first.line + 1
    assert lines[first.line - 1][first.column :].startswith("spot_of_call(")
    assert first.files == (__file__,)


def test_a_case_may_stand_in_the_file_of_its_evaluation_and_in_those_it_names() -> None:
    def files(cases: object) -> list[str]:
        evaluation = Evaluation(
            name="x", task=print, cases=cases, place="evals/eval_x.py:7", folder="/project/evals"
        )
        return list(spot_of_case("x[a]", evaluation, Case("hi", id="a")).files)

    own = "/project/evals/eval_x.py"
    assert files([Case("hi", id="a")]) == [own]
    assert files("cases.jsonl") == [own, "/project/evals/cases.jsonl"]
    assert files(Path("../c.yaml")) == [own, "/project/evals/../c.yaml"]
    assert files([Case("hi"), Path("/c.yaml")]) == [own, "/c.yaml"]
    assert files(list) == [own]


def test_a_place_has_a_line_or_none() -> None:
    assert line_of("evals/eval_x.py:7") == 7
    assert line_of("evals/eval_x.yaml") == 0


def test_spots_are_told_apart() -> None:
    spots = [
        Spot("x", "call", ("f.py",), 1, 4),
        Spot("x", "call", ("f.py",), 1, 8),
        Spot("x", "marker", ("f.py",), 1),
        Spot("x", "case", ("f.py",), case="a"),
        Spot("x", "case", ("f.py",), case="b"),
    ]

    assert len(set(map(key_of, spots))) == len(spots)


def test_what_holds_is_confirmed_and_what_does_not_is_changed(tmp_path: Path) -> None:
    file = tmp_path / "x.jsonl"
    file.write_text('{"id": "a", "expected": ["f"]}\n')
    spot = Spot("x[a]", "case", (str(file),), case="a")
    updates = Updates(tmp_path)

    assert update(updates, spot, [F], score([F], ["f"])) is None
    assert update(updates, spot, [F], score([F], ["g"])) is None
    assert update(updates, spot, [G], score([G], ["f"])) == (
        "x.jsonl: what is expected is not written out there."
    )
    forbidden = [expect.forbid("g")]
    assert update(updates, spot, forbidden, score(forbidden, ["g"])) == (
        "g was called, which is forbidden."
    )

    assert updates.confirmed == [key_of(spot)]
    assert [change.items for change in updates.changes] == [({"name": "g", "arguments": {}},)]
    assert updates.changes[0].shown == "  Expected   Actual\n- f(…)\n+            g()"
    assert file.read_text() == '{"id": "a", "expected": ["f"]}\n'
