"""Where something is expected, and what is to be written there."""

from __future__ import annotations

from pathlib import Path

import pytest

from callscore import Case, expect, score
from callscore.evaluations.evaluation import Evaluation
from callscore.rewriting.change import CannotRewrite, Change
from callscore.rewriting.observed import (
    Location,
    change_at,
    expectation_at,
    line_number_of,
    location_key,
    location_of_case,
)

SPOT = Location("x[a]", "case", ("x.jsonl",), line=3, case="a", input="hi")


def test_a_case_may_stand_in_the_file_of_its_evaluation_and_in_those_it_names() -> None:
    def files(cases: object) -> list[str]:
        evaluation = Evaluation(
            name="x", task=print, cases=cases, place="evals/eval_x.py:7", folder="/project/evals"
        )
        return list(location_of_case("x[a]", evaluation, Case("hi", id="a")).files)

    own = "/project/evals/eval_x.py"
    assert files([Case("hi", id="a")]) == [own]
    assert files("cases.jsonl") == [own, "/project/evals/cases.jsonl"]
    assert files(Path("../c.yaml")) == [own, "/project/evals/../c.yaml"]
    assert files([Case("hi"), Path("/c.yaml")]) == [own, "/c.yaml"]
    assert files(list) == [own]


def test_a_place_has_a_line_or_none() -> None:
    assert line_number_of("evals/eval_x.py:7") == 7
    assert line_number_of("evals/eval_x.yaml") == 0


def test_places_are_told_apart() -> None:
    changes = [
        Change(label="x", kind="call", files=("f.py",), line=1, end=(1, 4)),
        Change(label="x", kind="call", files=("f.py",), line=1, end=(1, 8)),
        Change(label="x", kind="marker", files=("f.py",), line=1),
        Change(label="x", files=("f.py",), case="a"),
        Change(label="x", files=("f.py",), case="b"),
    ]

    assert len(set(map(location_key, changes))) == len(changes)


def test_a_change_says_what_stands_there_and_what_should() -> None:
    wanted = [expect.call("f"), expect.call("g", {"n": 1})]

    change = change_at(SPOT, wanted, score(wanted, ["f", "h"]), width=60)

    assert (change.label, change.files, change.case, change.line) == ("x[a]", ("x.jsonl",), "a", 3)
    assert change.expected == [{"name": "f"}, {"name": "g", "arguments": {"n": 1}}]
    assert change.items == (0, {"name": "h", "arguments": {}})
    assert "- g(n=1)" in change.shown


def test_of_what_is_right_nothing_is_to_be_written() -> None:
    wanted = [expect.call("f")]

    change = expectation_at(SPOT, wanted)

    assert (change.expected, change.items, change.shown) == ([{"name": "f"}], (), "")


def test_what_no_file_can_make_right_is_refused() -> None:
    wanted = [expect.forbid("g")]

    with pytest.raises(CannotRewrite, match="g was called, which is forbidden"):
        change_at(SPOT, wanted, score(wanted, ["g"]), width=60)
